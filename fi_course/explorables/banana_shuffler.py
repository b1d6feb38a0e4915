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
LOOKS = {"right": ("good", "triangle", "dealt: judged right"),
         "wrong": ("bad", "cross", "dealt: judged wrong"),
         "none": ("muted", "diamond", "dealt: nobody judges")}


def explore_bananas():
    """Show the 24 permutations of the lengths under two measures.

    >>> explore_bananas().sentence.split(": ")[-1]
    'importance 0.667 for this deal, 0.333 on average over all 24 deals.'
    """
    controls = [choice("aggregate", "What is judged", MEASURES),
                *(choice(f"pick{k}", f"Fruit {k} gets the length of fruit", range(5 - k),
                         kind="select") for k in (1, 2, 3))]
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
    in_bag = np.array([~X.index.isin(out) for out in BANANA_OUT_OF_BAG.values()]).astype(int)
    return Forest(trees, np.full(2, 0.5), np.zeros(2), tuple(X.columns), classes=trees[0].classes,
                  in_bag=in_bag)


@cache
def importance_of_deals(aggregate):
    """Compute the importance of Length for each of the 24 permutations -> Series by permutation.

    In the permutation `deal` row i receives the length of row deal[i].
    """
    X, y = bananas()
    measure = oob_importance if aggregate else oob_importance_per_tree
    length = list(X).index("Length")
    return pd.Series({deal: measure(drawn_forest(), X, y, donors=np.array(deal)[:, None])
                      .mean[length] for deal in permutations(range(4))})


def banana_state(aggregate, **picks):
    left, deal, options = [0, 1, 2, 3], [], {}
    for name, pick in picks.items():  # each fruit takes one of the lengths that are left
        options[name] = [str(row + 1) for row in left]
        deal.append(left.pop(pick))
    deal = (*deal, *left)
    table, worth = _judgement(deal), importance_of_deals(aggregate)
    return State(_in_words(table, aggregate, worth[deal], worth.mean()),
                 [_fruit_panel(table), _deals_panel(worth, deal)], table, options)


def _judgement(deal):
    """List each fruit's own and permuted length, its tree and the answer -> DataFrame."""
    X, y = bananas()
    dealt = X.assign(Length=X["Length"].to_numpy()[list(deal)])
    table = pd.DataFrame({"fruit": X.index, "truth": y, "length": X["Length"],
                          "dealt": dealt["Length"], "judge": "none", "says": "–"})
    for (name, out), tree in zip(BANANA_OUT_OF_BAG.items(), drawn_forest().trees, strict=True):
        table.loc[list(out), "judge"] = name
        table.loc[list(out), "says"] = tree.predict(dealt.loc[list(out)])
    return table


def _verdicts(table):
    right = np.where(table["says"] == table["truth"], "right", "wrong")
    return np.where(table["judge"] == "none", "none", right)


def _in_words(table, aggregate, worth, mean):
    judged = table.assign(verdict=_verdicts(table)).query("judge != 'none'")
    said = "; ".join(f"fruit {row.fruit} with length {row.dealt}: {row.judge} says {row.says}, "
                     f"{row.verdict}" for row in judged.itertuples())
    wrong = judged["verdict"] == "wrong"
    trees = " and ".join(f"{name} has {of_tree.sum()} of {len(of_tree)} wrong"
                         for name, of_tree in wrong.groupby(judged["judge"]))
    how = f"{wrong.sum()} of {len(wrong)} votes wrong" if aggregate else f"T{trees[1:]}"
    return (f"Fruits 1 to 4 get the lengths {', '.join(map(str, table['dealt']))}. "
            f"Nobody judges fruit 1; {said}. {how}, none before: importance {worth:.3f} for this "
            f"deal, {mean:.3f} on average over all 24 deals.")


def _fruit_panel(table):
    """Draw each fruit's own and permuted length, right or wrong, with the trees' thresholds."""
    high, low = (tree.threshold[~tree.is_leaf].max() for tree in drawn_forest().trees)
    cuts = [rule(y=low, name="both say no below"),
            rule(y=high, colour="c1", name="tree 1 says no above")]
    moves = [line([k, k], ends, colour="muted", dashed=True)
             for k, ends in enumerate(table[["length", "dealt"]].to_numpy()) if ends[0] != ends[1]]
    own = points(range(4), table["length"], colour="c0", name="own length", size=5)
    looks = map(LOOKS.get, _verdicts(table))
    dealt = [points([k], [length], colour=colour, shape=shape, name=name, size=8)
             for k, (length, (colour, shape, name)) in enumerate(
                 zip(table["dealt"], looks, strict=True))]
    fruits = [f"{row.fruit}: {row.judge}" for row in table.itertuples()]
    return panel(cuts, moves, own, dealt, x=categories(fruits, "fruit: who judges it"),
                 y=axis(8, 21, "length", ticks=[10, 11, 14, 19]), title="Who gets which length",
                 height=250, min_width=320)


def _deals_panel(worth, deal):
    """Draw the importances of all 24 permutations as bars; the one on show is highlighted."""
    counts = worth.round(9).value_counts().sort_index()
    here = counts.index == round(worth[deal], 9)
    drawn = bars(counts, labels="{:.0f}", colour=np.where(here, "c1", "c0"), hatch=here,
                 name=np.where(here, "this deal among them", "other deals"))
    return panel(drawn, x=categories([f"{value:.2f}" for value in counts.index],
                                     "importance of Length"), y=axis(0, 16, "deals of 24"),
                 title="All 24 deals", height=250, min_width=240)
