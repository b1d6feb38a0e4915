"""Test whether overfitting makes permutation importances negative, for trees of every depth."""

from functools import cache

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore, slider
from fi_course.explorables.marks import axis, bars, curve, handle, panel, rule
from fi_teach.importance.intervals import shuffle_differences
from fi_teach.trees import grow_cart

WORLDS = {"noise": "nothing to learn", "signal": "a weak signal",
          "turned": "a signal that has turned round"}
SLOPES = {"noise": (0.0, 0.0), "signal": (0.5, 0.5), "turned": (0.5, -0.5)}  # learned, tested on
DEPTHS = (1, 2, 3, 4, 6, 8, 12)
N_FITS, N_TRAIN, N_TEST, N_FEATURES = 150, 60, 100, 3
EDGES = np.linspace(-1.6, 1.6, 33)


def explore_negative_null():
    """Show the distribution of importances by the depth of an overfitting tree.

    >>> explore_negative_null().sentence_at(world="noise", depth=12)[:48]
    'Nothing to learn, trees of depth 12: error 0.00 '
    """
    controls = [choice("world", "The world", WORLDS), slider("depth", "Depth of the tree", DEPTHS)]
    return explore("Does overfitting make an importance negative?", controls, null_state,
                   start={"depth": 3}, goal="find a tree most of whose importances are negative.")


def null_state(world, depth):
    runs = runs_of(world)
    here = runs[runs["depth"] == depth]
    found = here["importance"]
    train, test, alone = here[["train", "test", "mean alone"]].mean()
    mean, error = found.mean(), found.std() / np.sqrt(len(found))
    negative, unused = (found < 0).mean(), (found == 0).mean()
    told = (f"{WORLDS[world].capitalize()}, trees of depth {depth}: "
            f"error {train:.2f} on the training rows and {test:.2f} on new ones, "
            f"where the mean alone gives {alone:.2f}. "
            f"Over {len(found)} fits the importance of x1 is {mean:.3f} on average (standard error "
            f"{error:.3f}): negative in {negative:.0%} of them, exactly 0 in {unused:.0%}.")
    figures = {"training error": train, "test error": test, "test error of the mean alone": alone,
               "mean importance of x1": mean, "its standard error": error,
               "share negative": negative, "share exactly 0": unused}
    return State(told, [_importance_panel(found, mean), _error_panel(runs, depth)],
                 figures, reached=negative > 0.5)


@cache
def runs_of(world):
    """Return errors and the importance of x1, for every fit and every depth -> DataFrame."""
    return pd.DataFrame([row for seed in range(N_FITS) for row in _one_fit(world, seed)])


def _one_fit(world, seed):
    learned, met = SLOPES[world]
    X, y = _rows(N_TRAIN, learned, np.random.default_rng([1, seed]))
    X_new, y_new = _rows(N_TEST, met, np.random.default_rng([2, seed]))
    tree = grow_cart(X, y, criterion="variance")
    for depth in DEPTHS:
        predict = tree.stopped(depth).predict
        differences, _ = shuffle_differences(predict, X_new, y_new, 0, n_repeats=5, rng=seed)
        yield {"depth": depth, "train": np.mean((y - predict(X)) ** 2),
               "test": np.mean((y_new - predict(X_new)) ** 2),
               "mean alone": np.mean((y_new - y.mean()) ** 2), "importance": differences.mean()}


def _rows(n, slope, rng):
    """Draw y = slope * x1 + e; x1, x2, x3, e are standard normal -> X (n, 3), y (n,)."""
    X = rng.standard_normal((n, N_FEATURES))
    return X, slope * X[:, 0] + rng.standard_normal(n)


def _importance_panel(found, mean):
    """Draw a histogram; values beyond its limits count in the outermost bars."""
    counts, _ = np.histogram(found.clip(EDGES[0] + 1e-9, EDGES[-1] - 1e-9), EDGES)
    middle = ((EDGES[1:] + EDGES[:-1]) / 2)[counts > 0]
    drawn = bars(counts[counts > 0], at=middle, width=EDGES[1] - EDGES[0], hatch=middle < 0,
                 colour=np.where(middle < 0, "c1", "c0"),
                 name=np.where(middle < 0, "negative", "positive"))
    return panel(rule(x=0, colour="ink", dashed=False), drawn,
                 rule(x=mean, name="mean of the fits"),
                 x=axis(EDGES[0], EDGES[-1], "importance of x1 on new rows",
                        ticks=[-1.5, -1, -0.5, 0, 0.5, 1, 1.5]), y=axis(0, 130, "fits"),
                 title=f"{len(found)} fits", height=230, min_width=320)


def _error_panel(runs, depth):
    by_depth = runs.groupby("depth")[["train", "test", "mean alone"]].mean()
    looks = {"train": ("c2", "triangle", "training rows"), "test": ("muted", "square", "new rows")}
    curves = [curve(by_depth.index, by_depth[column], depth, colour=colour, shape=shape, name=name)
              for column, (colour, shape, name) in looks.items()]
    return panel(handle(rule(x=depth), "depth", DEPTHS), curves,
                 rule(y=by_depth["mean alone"].mean(), colour="ink", name="always the mean of y"),
                 x=axis(0, 13, "depth of the tree", ticks=list(DEPTHS)),
                 y=axis(0, 3.5, "mean squared error"), title="Overfitting", height=230,
                 min_width=280)
