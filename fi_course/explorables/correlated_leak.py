"""Compare four importance measures of a cause and of a proxy that adds no information.

All correlations share their random numbers: only the correlation moves with the slider.
"""

from functools import cache

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore, slider
from fi_course.explorables.marks import axis, categories, grouped_bars, listed, panel, points
from fi_teach import importance
from fi_teach.trees import grow_forest
from fi_teach.worlds import correlated_proxy

CANDIDATES = {"one": "one feature, drawn at random", "both": "both features"}
MEASURES = ("impurity", "permutation", "conditional", "drop column")
RHOS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 1.0)
N_TRAIN, N_TEST, N_TREES, N_DRAWN = 300, 400, 50, 100
RARE = 2.576  # a standard normal number is larger in size once in a hundred times


def explore_correlated_leak():
    """Show four measures by the correlation of cause and proxy, for two kinds of forest.

    >>> explore_correlated_leak().sentence_at(candidates="both", rho=0.0)[:52]
    'Correlation 0.00, each split chooses among both feat'
    """
    controls = [choice("candidates", "Each split of the forest chooses among", CANDIDATES),
                slider("rho", "Correlation of x1 and x2", RHOS, format="{:.2f}")]
    return explore("Does the proxy get the credit?", controls, leak_state, start={"rho": 0.6},
                   goal="give the proxy two thirds of the impurity that the cause gets.")


def leak_state(candidates, rho):
    found = four_measures(rho, candidates)
    real, _, rare = shuffled_rows(rho)
    told = (f"Correlation {rho:.2f}, each split chooses among {CANDIDATES[candidates]}. "
            f"Shuffle x2, and {rare.mean():.0%} of the {len(real)} rows hold an x2 that not one "
            f"row in a hundred with their x1 has. x1, the cause: {listed(found['x1'], '{:.2f}')}; "
            f"x2, the proxy: {listed(found['x2'], '{:.2f}')}.")
    return State(told, [_bar_panel(found), _row_panel(rho)],
                 found.rename_axis("measure").reset_index(),
                 reached=found.loc["impurity", "x2"] > 2 / 3 * found.loc["impurity", "x1"])


@cache
def four_measures(rho, candidates):
    """Compute the four measures of x1 and x2, all in squared error -> DataFrame (4, 2).

    Impurity is the MDI before normalising, on training rows; the others are on N_TEST new rows,
    permutation and conditional (exact, since this world is Gaussian) over five draws.
    """
    train, test = (correlated_proxy(n, rho=rho, rng=[0, k]) for k, n in ((1, N_TRAIN), (2, N_TEST)))

    def fit(X, y):
        return grow_forest(X, y, n_trees=N_TREES, max_features=1 if candidates == "one" else None,
                           min_samples_leaf=5, rng=[0, 3])

    forest = fit(train.X, train.y)
    found = (importance.mdi(forest, normalize=False),
             importance.permutation_importance(forest, test.X, test.y, n_repeats=5, rng=[0, 4]),
             importance.conditional_importance(forest, test.X, test.y, method="gaussian",
                                               n_repeats=5, rng=[0, 5]),
             importance.drop_column_importance(fit, train.X, train.y, test=(test.X, test.y)))
    return pd.DataFrame([one.mean for one in found], index=MEASURES, columns=["x1", "x2"])


def shuffled_rows(rho):
    """Return test rows (n, 2), the same rows with x2 permuted, and which of these are rare (n,).

    Given x1, x2 is normal with mean rho x1 and standard deviation sqrt(1 - rho^2); rare is what
    one row in a hundred exceeds.
    """
    real = correlated_proxy(N_TEST, rho=rho, rng=[0, 2]).X.to_numpy()
    dealt = np.random.default_rng([0, 6]).permutation(N_TEST)
    x1, x2 = real[:, 0], real[dealt, 1]
    return real, np.column_stack([x1, x2]), abs(x2 - rho * x1) > RARE * np.sqrt(1 - rho**2) + 1e-9


def _bar_panel(found):
    named = found.rename(columns={"x1": "x1, the cause", "x2": "x2, the proxy"})
    return panel(grouped_bars(named, labels="{:.2f}"),
                 x=axis(-0.1, 2.7, "squared error", ticks=[0, 0.5, 1, 1.5, 2]),
                 y=categories(MEASURES), title="Four measures", height=270, min_width=330)


def _row_panel(rho):
    real, shuffled, rare = (rows[:N_DRAWN] for rows in shuffled_rows(rho))
    clouds = [points(*real.T, colour="muted", shape="circle", size=3, name="real rows"),
              points(*shuffled[~rare].T, colour="c2", shape="square", size=3, name="x2 shuffled"),
              points(*shuffled[rare].T, colour="c6", shape="cross", size=4,
                     name="x2 shuffled, rarer than 1 in 100")]
    return panel(clouds, x=axis(-4, 4, "x1"), y=axis(-4, 4, "x2"), title=f"{N_DRAWN} rows",
                 height=270, min_width=280)
