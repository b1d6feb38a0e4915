"""Five noise columns compete at a split: the one with the most possible thresholds wins most.

At the root the race is run many times, each time with fresh labels;
in a forest every node of every tree is another race.
"""

from functools import cache

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore, slider
from fi_course.explorables.marks import (
    axis,
    bars,
    categories,
    curve,
    handle,
    listed,
    panel,
    points,
    rule,
    text,
)
from fi_teach.basics.impurity import class_impurity
from fi_teach.importance import mdi
from fi_teach.trees import grow_forest
from fi_teach.worlds import cardinality

LEVELS = {"2 values": 2, "4 values": 4, "10 values": 10, "20 values": 20, "all different": None}
LOOKS = (("c0", "circle"), ("c1", "square"), ("c2", "triangle"), ("c3", "diamond"), ("c5", "cross"))
PLACES = {"root": "at the root", "forest": "in a whole forest"}
CRITERIA = {"gini": "Gini", "entropy": "entropy", "variance": "variance (a numeric target)"}
SIZES = (20, 100, 300, 1000)
N_RACES, N_DRAWN, N_TREES, ROWS_IN_ALL = 1000, 20, 15, 1000


def explore_cardinality_race():
    """Show how often each noise column wins, at a root or in a forest, for an impurity and a size.

    >>> explore_cardinality_race().sentence_at(where="forest", column="all different")[:62]
    'In a forest on 20 rows of pure noise (Gini), shares of the MDI'
    """
    controls = [choice("where", "The race is run", PLACES),
                choice("criterion", "Impurity", CRITERIA),
                slider("n", "Rows", SIZES),
                slider("column", "Column with", list(LEVELS)[1:])]
    return explore("Which noise wins?", controls, race_state, start={"n": 100},
                   goal="give a noise column so many values that it beats the column "
                        "of 2 values in nine races of ten.")


def race_state(where, criterion, n, column):
    share = shares_over_sizes(where, criterion)
    here, beats = share.loc[n], _won(criterion, n)[1][list(LEVELS).index(column)]
    table = pd.DataFrame({"column": list(LEVELS),
                          "places to cut": [(levels or n) - 1 for levels in LEVELS.values()],
                          "share": here.to_numpy()})
    return State(_in_words(where, criterion, n, here, column, beats),
                 [_race_panel(where, criterion, n, here, column), _size_panel(share, n)], table,
                 reached=where == "root" and beats >= 0.9)


@cache
def races_at_root(criterion, n, n_races, *, rng=0):
    """Draw many samples and return each column's best decrease at the root -> (n_races, 5).

    Labels are fair coins, or standard normal numbers for "variance".
    They are drawn in the order of the column whose values all differ, so
    that its cuts are the n - 1 places between neighbours. A column without a cut gets 0.
    """
    rng = np.random.default_rng(rng)
    y = (rng.standard_normal((n_races, n)) if criterion == "variance"
         else rng.integers(0, 2, (n_races, n)).astype(float))
    best = []
    for levels in LEVELS.values():
        if levels is None:
            rows, total = np.arange(1.0, n), y.cumsum(axis=1)[:, :-1]
        else:
            column = rng.integers(0, levels, y.shape)
            left = [column <= value for value in range(levels - 1)]
            rows = np.column_stack([side.sum(axis=1) for side in left])
            total = np.column_stack([(y * side).sum(axis=1) for side in left])
        best.append(decreases(y, rows, total, criterion).max(axis=1))
    return np.column_stack(best)


def decreases(y, rows, total, criterion):
    """Return the decreases in impurity of y (R, n) at m splits -> (R, m).

    rows, total : number of rows on the left and the sum of their y, (R, m) or for all races (m,)
    """
    n, whole = y.shape[1], y.sum(axis=1, keepdims=True)
    right, rest = n - rows, whole - total
    if criterion == "variance":
        gap = total / np.maximum(rows, 1) - rest / np.maximum(right, 1)
        return rows * right / n**2 * gap**2
    impurity = class_impurity(criterion)

    def mass(rows, ones):
        return rows / n * impurity(np.stack([rows - ones, ones], axis=-1))

    return mass(np.full_like(whole, n), whole) - mass(rows, total) - mass(right, rest)


@cache
def _won(criterion, n):
    """Return each race's winner as shares, split evenly among ties -> (n_races, 5), and win rates.

    The second array, (5,), says how often each column beat the first.
    """
    best = races_at_root(criterion, n, N_RACES)
    winners = best > best.max(axis=1, keepdims=True) - 1e-12
    return winners / winners.sum(axis=1, keepdims=True), (best > best[:, :1] + 1e-12).mean(axis=0)


@cache
def _forest_shares(criterion, n):
    """Average the MDI shares of the five columns over samples of 1000 rows in all -> (5,)."""
    found = []
    for seed in range(ROWS_IN_ALL // n):
        X, y = cardinality(n, rng=seed).X, cardinality(n, rng=seed).y
        if criterion == "variance":
            y = np.random.default_rng([seed, 1]).standard_normal(n)
        forest = grow_forest(X, y, n_trees=N_TREES, criterion=criterion, rng=seed)
        found.append(mdi(forest).mean)
    return np.mean(found, axis=0)


def shares_over_sizes(where, criterion):
    """Return each column's share of wins, or of MDI, by number of rows -> DataFrame (sizes, 5)."""
    found = [_won(criterion, n)[0].mean(axis=0) if where == "root" else _forest_shares(criterion, n)
             for n in SIZES]
    return pd.DataFrame(found, index=SIZES, columns=list(LEVELS))


def _in_words(where, criterion, n, here, column, beats):
    shares = listed(here, "{:.0%}")
    named = f"The column with {column if column[0].isdigit() else 'all values different'}"
    if where == "root":
        return (f"At the root, {n} rows of pure noise ({CRITERIA[criterion]}), {N_RACES} races: "
                f"won by {shares}. {named} beats the column with 2 values in {beats:.0%} of them.")
    return (f"In a forest on {n} rows of pure noise ({CRITERIA[criterion]}), shares of the MDI: "
            f"{shares}. {named} gets {here[column] / here.iloc[0]:.1f} times what the column with "
            "2 values gets.")


def _race_panel(where, criterion, n, here, column):
    """Draw some races as dots, or the shares as bars; the chosen column can be pulled along."""
    names, at = list(LEVELS), list(LEVELS).index(column)
    chosen = handle(rule(x=at, colour="ink"), "column", range(1, len(names)))
    if where == "forest":
        drawn = bars(here, colour=[colour for colour, _ in LOOKS])
        title, y = "Share of the MDI", axis(0, 0.8, "share of the MDI", format="{:.0%}")
        words = [text(k, share, f"{share:.0%}", shift=(0, -10)) for k, share in enumerate(here)]
    else:
        best = races_at_root(criterion, n, N_RACES)
        top, best = 1.25 * best.max(), best[:N_DRAWN]
        title = f"{N_DRAWN} races as dots, wins in all {N_RACES}"
        y = axis(0, top, "best decrease in impurity")
        spread = np.linspace(-0.3, 0.3, N_DRAWN).round(2)
        drawn = [points(k + spread, best[:, k].round(4), colour=colour, shape=shape, size=3)
                 for k, (colour, shape) in enumerate(LOOKS)]
        words = [text(k, 0.94 * top, f"{share:.0%}") for k, share in enumerate(here)]
    return panel(chosen, drawn, words, x=categories(names, "values of the noise column"), y=y,
                 title=title, height=240, min_width=340)


def _size_panel(share, n):
    places = range(len(SIZES))
    curves = [curve(places, share[name], SIZES.index(n), colour=colour, shape=shape, name=name)
              for name, (colour, shape) in zip(LEVELS, LOOKS, strict=True)]
    return panel(curves, x=axis(-0.3, len(SIZES) - 0.7, "rows", ticks=dict(enumerate(SIZES))),
                 y=axis(0, 0.8, "share", format="{:.0%}"),
                 title="As the table grows", height=240, min_width=280)
