"""Shuffle the four lengths among the four fruits and see how the importance of Length arises."""

from functools import cache
from itertools import permutations

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore
from fi_course.explorables.marks import axis, bars, categories, handle, line, panel, points, rule
from fi_teach.basics.forest import Forest
from fi_teach.data import BANANA_OUT_OF_BAG, bananas
from fi_teach.importance import oob_importance, oob_importance_per_tree
from fi_teach.trees import grow_cart

MEASURES = {True: "the votes together", False: "each tree alone"}
SHUFFLES = tuple(permutations(range(4)))  # fruit i receives the length of fruit shuffle[i]
ANSWERS = {"tree 1": ("no", "yes", "no", "yes"), "tree M": ("no", "yes", "yes", "yes")}
LOOKS = {"right": ("good", "triangle"), "wrong": ("bad", "cross"),
         "not judged": ("muted", "diamond")}


def explore_bananas():
    """Show the 24 shuffles of the lengths under two measures.

    >>> explore_bananas().sentence.split(": ")[-1]
    'importance 0.667 for this shuffle, 0.333 on average over all 24.'
    """
    lengths = bananas().X["Length"].to_numpy()
    shuffled = {rows: ", ".join(map(str, lengths[list(rows)])) for rows in SHUFFLES}
    controls = [choice("aggregate", "What is judged", MEASURES),
                choice("shuffle", "Lengths of fruits 1 to 4", shuffled, kind="select")]
    return explore("What is Length worth?", controls, banana_state, start={"shuffle": (1, 2, 3, 0)},
                   goal="move lengths to other fruits without changing a single answer.")


@cache
def drawn_forest():
    """Return the two smallest trees that answer as in the drawing, on Length alone -> Forest.

    Length 10 is no banana for either; 11 and 14 are for both; 19 is one for tree M only.
    """
    X, _ = bananas()
    blind = X.assign(Color=0, Form=0, Origin=0)
    trees = tuple(grow_cart(blind, list(answers)) for answers in ANSWERS.values())
    in_bag = np.array([~X.index.isin(out) for out in BANANA_OUT_OF_BAG.values()]).astype(int)
    return Forest(trees, np.full(2, 0.5), np.zeros(2), tuple(X.columns), classes=trees[0].classes,
                  in_bag=in_bag)


@cache
def importances(aggregate):
    """Compute the importance of Length in each of the 24 shuffles -> dict."""
    X, y = bananas()
    measure = oob_importance if aggregate else oob_importance_per_tree
    found = {shuffle: measure(drawn_forest(), X, y, donors=np.array(shuffle)[:, None])
             for shuffle in SHUFFLES}
    length = list(X).index("Length")
    return {shuffle: round(float(one.mean[length]), 9) for shuffle, one in found.items()}


def banana_state(aggregate, shuffle):
    table, worth = judged(shuffle), importances(aggregate)
    same = worth[shuffle] == 0 and shuffle != SHUFFLES[0]
    return State(_in_words(table, aggregate, worth[shuffle], np.mean([*worth.values()])),
                 [_fruit_panel(table, shuffle), _worth_panel(worth, shuffle)], table, reached=same)


def judged(shuffle):
    """List each fruit's own and shuffled length, its tree, and the tree's answer -> DataFrame."""
    X, y = bananas()
    shuffled = X.assign(Length=X["Length"].to_numpy()[list(shuffle)])
    table = pd.DataFrame({"fruit": X.index, "truth": y, "length": X["Length"],
                          "shuffled": shuffled["Length"], "tree": "none", "answer": "–"})
    for (name, out), tree in zip(BANANA_OUT_OF_BAG.items(), drawn_forest().trees, strict=True):
        table.loc[list(out), "tree"] = name
        table.loc[list(out), "answer"] = tree.predict(shuffled.loc[list(out)])
    right = np.where(table["answer"] == table["truth"], "right", "wrong")
    return table.assign(verdict=np.where(table["tree"] == "none", "not judged", right))


def _in_words(table, aggregate, worth, mean):
    asked = table.query("tree != 'none'")
    wrong = asked["verdict"] == "wrong"
    said = "; ".join(f"fruit {row.fruit} with length {row.shuffled}: {row.tree} says {row.answer}, "
                     f"{row.verdict}" for row in asked.itertuples())
    trees = " and ".join(f"{name} has {of_tree.sum()} of {len(of_tree)} wrong"
                         for name, of_tree in wrong.groupby(asked["tree"]))
    how = f"{wrong.sum()} of {len(wrong)} votes wrong" if aggregate else f"T{trees[1:]}"
    return (f"Fruits 1 to 4 get the lengths {', '.join(map(str, table['shuffled']))}. "
            f"Nobody judges fruit 1; {said}. {how}, none before: importance {worth:.3f} for this "
            f"shuffle, {mean:.3f} on average over all 24.")


def _fruit_panel(table, shuffle):
    """Draw each fruit's own and shuffled length; a length dropped on another fruit is exchanged."""
    high, low = (tree.threshold[~tree.is_leaf].max() for tree in drawn_forest().trees)
    drawn = [rule(y=low, name="both say no below"),
             rule(y=high, colour="c1", name="tree 1 says no above"),
             points(range(4), table["length"], colour="c0", name="own length", size=5)]
    for k, row in enumerate(table.itertuples()):
        colour, shape = LOOKS[row.verdict]
        mark = points([k], [row.shuffled], colour=colour, shape=shape, name=f"now: {row.verdict}",
                      size=8)
        to = [SHUFFLES.index(exchanged(shuffle, k, other)) for other in range(4)]
        drawn += [line([k, k], [row.length, row.shuffled], colour="muted", dashed=True),
                  handle(mark, "shuffle", range(4), positions=to)]
    fruits = [f"{row.fruit}: {row.tree}" for row in table.itertuples()]
    return panel(drawn, x=categories(fruits, "fruit: the tree that judges it"),
                 y=axis(8, 21, "length", ticks=[10, 11, 14, 19]), title="Who gets which length",
                 height=250, min_width=320)


def exchanged(shuffle, i, j):
    """Return the shuffle after fruits i and j have exchanged their lengths."""
    moved = list(shuffle)
    moved[i], moved[j] = moved[j], moved[i]
    return tuple(moved)


def _worth_panel(worth, shuffle):
    """Draw the importances of all 24 shuffles as bars; the one on show is highlighted."""
    counts = pd.Series(worth).value_counts().sort_index()
    here = counts.index == worth[shuffle]
    drawn = bars(counts, labels="{:.0f}", colour=np.where(here, "c1", "c0"), hatch=here,
                 name=np.where(here, "this shuffle among them", "other shuffles"))
    return panel(drawn, x=categories([f"{value:.2f}" for value in counts.index],
                                     "importance of Length"), y=axis(0, 16, "shuffles of 24"),
                 title="All 24 shuffles", height=250, min_width=240)
