"""Shuffle the four lengths among the four fruits and see how the importance of Length arises."""

from functools import cache
from itertools import permutations

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore
from fi_course.explorables.marks import axis, bars, categories, line, panel, points, rule
from fi_teach.basics.forest import Forest
from fi_teach.data import BANANA_OUT_OF_BAG, bananas
from fi_teach.importance import oob_importance, oob_importance_per_tree
from fi_teach.trees import grow_cart

MEASURES = {True: "the votes together", False: "each tree alone"}
# at the lengths 10, 11, 19, 14
DRAWN_ANSWERS = {"tree 1": ("no", "yes", "no", "yes"), "tree M": ("no", "yes", "yes", "yes")}
LENGTH = 3  # the column


def explore_bananas():
    """Show the 24 permutations of the lengths under two measures.

    >>> explore_bananas().sentence.split(": ")[-1]
    'importance 0.667 for this deal, 0.333 on average over all 24 deals.'
    """
    gets = "Fruit {} gets the length of fruit"
    controls = [choice("aggregate", "What is judged", MEASURES),
                *(choice(f"pick{k}", gets.format(k), range(5 - k), kind="select")
                  for k in (1, 2, 3))]
    # each takes the second of what is left: the next fruit's length
    as_drawn = {"pick1": 1, "pick2": 1, "pick3": 1}
    return explore("What is Length worth?", controls, banana_state, start=as_drawn)


@cache
def drawn_forest():
    """Return the two smallest trees that answer as in the drawing, on Length alone -> Forest.

    Length 10 is no banana for either; 11 and 14 are for both; 19 is one for tree M only.
    """
    X, _ = bananas()
    blind = X.assign(Color=0, Form=0, Origin=0)
    trees = tuple(grow_cart(blind, list(answers)) for answers in DRAWN_ANSWERS.values())
    in_bag = np.array([[int(fruit not in out) for fruit in X.index]
                       for out in BANANA_OUT_OF_BAG.values()])
    return Forest(trees, np.full(2, 0.5), np.zeros(2), tuple(X.columns), classes=trees[0].classes,
                  in_bag=in_bag)


@cache
def importance_of_deals(aggregate):
    """Compute the importance of Length for each of the 24 permutations -> {donors: importance}.

    donors[i] is the row whose length row i receives.
    """
    X, y = bananas()
    deals = list(permutations(range(4)))
    measure = oob_importance if aggregate else oob_importance_per_tree
    return {deal: measure(drawn_forest(), X, y, donors=np.array(deal)[:, None]).mean[LENGTH]
            for deal in deals}


def banana_state(aggregate, **picks):
    deal, offered = _deal(picks.values())
    table = _judgement(deal)
    worth = importance_of_deals(aggregate)
    options = {name: [str(row + 1) for row in rows]
               for name, rows in zip(picks, offered, strict=True)}
    return State(_in_words(table, aggregate, worth[deal], np.mean(list(worth.values()))),
                 [_fruit_panel(table), _deals_panel(worth, deal)], table, options)


def _deal(picks):
    """Assign one remaining length to each fruit -> donors (4 rows), and each one's options."""
    left, deal, offered = [0, 1, 2, 3], [], []
    for pick in picks:
        offered.append(tuple(left))
        deal.append(left.pop(pick))
    return (*deal, *left), offered


def _judgement(deal):
    """List each fruit's own and permuted length, its tree and the answer -> DataFrame."""
    X, y = bananas()
    dealt = X.assign(Length=X["Length"].to_numpy()[list(deal)])
    judge = {fruit: name for name, out in BANANA_OUT_OF_BAG.items() for fruit in out}
    says = {name: dict(zip(X.index, tree.predict(dealt), strict=True))
            for name, tree in zip(BANANA_OUT_OF_BAG, drawn_forest().trees, strict=True)}
    rows = [{"fruit": fruit, "truth": y[fruit], "length": X["Length"][fruit],
             "dealt": dealt["Length"][fruit],
             "judge": judge.get(fruit, "none"),
             "says": says[judge[fruit]][fruit] if fruit in judge else "–"} for fruit in X.index]
    return pd.DataFrame(rows)


def _in_words(table, aggregate, worth, mean):
    judged = table[table["judge"] != "none"]
    said = "; ".join(
        f"fruit {row.fruit} with length {row.dealt}: {row.judge} says {row.says}, {_mark(row)}"
        for row in judged.itertuples())
    lengths = ", ".join(map(str, table["dealt"]))
    wrong = sum(_mark(row) == "wrong" for row in judged.itertuples())
    how = (f"{wrong} of {len(judged)} votes wrong, none before" if aggregate
           else f"{_tree_by_tree(judged)}, none before")
    return (f"Fruits 1 to 4 get the lengths {lengths}. Nobody judges fruit 1; {said}. "
            f"{how[0].upper() + how[1:]}: importance {worth:.3f} for this deal, "
            f"{mean:.3f} on average over all 24 deals.")


def _tree_by_tree(judged):
    parts = [f"{name} has {sum(_mark(row) == 'wrong' for row in rows.itertuples())} of "
             f"{len(rows)} wrong" for name, rows in judged.groupby("judge")]
    return " and ".join(parts)


def _mark(row):
    return "right" if row.says == row.truth else "wrong"


def _fruit_panel(table):
    """Draw each fruit's own and permuted length, right or wrong, with the trees' thresholds."""
    cuts = [float(tree.threshold[~tree.is_leaf].max()) for tree in drawn_forest().trees]
    looks = {"right": ("good", "triangle", "dealt: judged right"),
             "wrong": ("bad", "cross", "dealt: judged wrong"),
             "none": ("muted", "diamond", "dealt: nobody judges")}
    verdicts = ["none" if row.judge == "none" else _mark(row) for row in table.itertuples()]
    dealt = [points([k], [length], colour=colour, shape=shape, name=name, size=8)
             for k, (length, (colour, shape, name)) in enumerate(
                 zip(table["dealt"], map(looks.get, verdicts), strict=True))]
    moves = [line([k, k], [row.length, row.dealt], colour="muted", dashed=True)
             for k, row in enumerate(table.itertuples()) if row.length != row.dealt]
    own = points(range(4), table["length"], colour="c0", name="own length", size=5)
    ticks = {k: f"{row.fruit}: {row.judge}" for k, row in enumerate(table.itertuples())}
    return panel(rule(y=min(cuts), name="both say no below"),
                 rule(y=max(cuts), colour="c1", name="tree 1 says no above"), moves, own, dealt,
                 x=axis(-0.5, 3.5, "fruit: who judges it", ticks=ticks),
                 y=axis(8, 21, "length", ticks=[10, 11, 14, 19]), title="Who gets which length",
                 height=250, min_width=320)


def _deals_panel(worth, deal):
    """Draw the importances of all 24 permutations as bars; the one on show is highlighted."""
    values = pd.Series(worth).round(9).value_counts().sort_index()
    here = values.index == round(worth[deal], 9)
    places = np.arange(len(values))
    parts = [bars(values[side], at=places[side], labels="{:.0f}", colour=colour, hatch=hatch,
                  name=name)
             for side, colour, hatch, name in ((here, "c1", True, "this deal among them"),
                                               (~here, "c0", False, "other deals"))]
    return panel(*parts, x=categories([f"{value:.2f}" for value in values.index],
                                      "importance of Length"), y=axis(0, 16, "deals of 24"),
                 title="All 24 deals", height=250, min_width=240)
