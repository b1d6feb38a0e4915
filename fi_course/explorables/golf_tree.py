"""Grow all trees that a greedy rule allows on one table: tied splits change the importances."""

from functools import cache

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore
from fi_course.explorables.marks import axis, bars, categories, panel, points
from fi_course.explorables.tree_marks import question, tree_panel
from fi_teach.data import golf
from fi_teach.importance import mdi
from fi_teach.trees import every_c45_tree, every_greedy_tree, grow_cut_once

RULES = {"c45": "C4.5 (gain ratio)", "gini": "CART (Gini)",
         "cut once": "every column cut once, at the root"}
N_TIES = 2  # that must be broken, at most, before one tree is left


def explore_golf_trees():
    """Show the golf tree and its importances for every way to break the rule's ties.

    >>> said = explore_golf_trees().sentence_at(rule="gini").split(",")[0]
    >>> print(said.replace(" and ", "\\nand "))
    CART (Gini) could grow 4 trees; in this one tie 1 goes to Outlook ≤ 2.5 before Wind ≤ 1.5
    and tie 2 goes to Outlook ≤ 2.5 before Wind ≤ 1.5. Importance: Outlook 0.437
    """
    def state_of(rule, **picks):
        trees = greedy_golf_trees(rule)
        asked, left = follow(trees, picks.values())
        return golf_state(rule, trees, picks, asked, left[0]) if left else None

    most = max(len(greedy_golf_trees(rule)) for rule in RULES)
    ties = [choice(f"tie{k}", f"Tie {k}", range(most)) for k in range(1, N_TIES + 1)]
    return explore("Grow your own golf tree", [choice("rule", "Rule of growth", RULES), *ties],
                   state_of, goal="break C4.5's ties so that Wind gets as little as it can.")


@cache
def greedy_golf_trees(rule):
    """Return every tree that this rule grows on the golf table under some breaking of ties."""
    X, y = golf()
    grow = {"c45": every_c45_tree, "gini": every_greedy_tree,
            "cut once": lambda X, y: [grow_cut_once(X, y)]}
    return tuple(grow[rule](X, y))


def places(tree):
    """Return each node's path from the root: "", or "ny" below no and then yes -> list of str."""
    place = {0: ""}
    for t in np.flatnonzero(~tree.is_leaf):  # parents are stored before their children
        place[tree.children_left[t]], place[tree.children_right[t]] = place[t] + "y", place[t] + "n"
    return [place[t] for t in range(tree.n_nodes)]


def splits_by_place(tree):
    """Return {place: (feature, threshold in words)} for every split of the tree."""
    return {place: question(tree, t) for t, place in enumerate(places(tree)) if not tree.is_leaf[t]}


def open_question(trees):
    """Find the first node where the trees differ -> (place, the different splits) or None."""
    splits = [splits_by_place(tree) for tree in trees]
    places = sorted({place for tree in splits for place in tree},
                    key=lambda place: (len(place), place))
    for place in places:
        here = list(dict.fromkeys(tree.get(place) for tree in splits))
        if len(here) > 1:
            return place, here
    return None


def follow(trees, picks):
    """Break ties in turn -> the questions met, the remaining trees (none for a missing pick)."""
    asked = []
    for pick in picks:
        found = open_question(trees)
        place, splits = found or ("", [None])
        if pick >= len(splits):
            return asked, []
        if found:
            asked.append((place, splits, pick))
            trees = [tree for tree in trees if splits_by_place(tree).get(place) == splits[pick]]
    return asked, trees


def golf_state(rule, trees, ties, asked, tree):
    shares = pd.DataFrame([mdi(other).mean for other in trees], columns=tree.names)
    table = pd.DataFrame({
        "feature": tree.names,
        "decrease × rows": mdi(tree, normalize=False).mean * tree.weighted_n_node_samples[0],
        "importance": mdi(tree).mean})
    if len(trees) > 1:
        table[f"lowest of {len(trees)}"] = shares.min().values
        table[f"highest of {len(trees)}"] = shares.max().values
    told = ", ".join(f"{name} {value:.3f}"
                     for name, value in mdi(tree).to_frame()[["feature", "importance"]].values)
    options = dict.fromkeys(ties, "no such tie here")
    for tie, (_, splits, _) in zip(ties, asked, strict=False):
        options[tie] = [" ".join(split) for split in splits]
    node = {place: t for t, place in enumerate(places(tree))}
    notes = {node[place]: f"tie {k}" for k, (place, _, _) in enumerate(asked, 1)}
    return State(f"{_growth_in_words(rule, trees, asked)}. Importance: {told}.",
                 [tree_panel(tree, notes=notes), _importance_panel(table, shares)], table, options,
                 reached=rule == "c45" and np.isclose(shares["Wind"].min(),
                                                     mdi(tree).mean[shares.columns.get_loc("Wind")]))


def _growth_in_words(rule, trees, asked):
    name, broken = RULES[rule][0].upper() + RULES[rule][1:], []
    for k, (_, splits, pick) in enumerate(asked, 1):
        chosen, *others = [" ".join(split) for split in (splits[pick], *splits)]
        others.remove(chosen)
        broken.append(f"tie {k} goes to {chosen} before {', '.join(others)}")
    if not broken:
        return f"{name}: no tie, one tree"
    return f"{name} could grow {len(trees)} trees; in this one {' and '.join(broken)}"


def _importance_panel(table, shares):
    tied = [points(shares[name], [j + 0.38] * len(shares), colour="c3", shape="diamond", size=4,
                   name=f"in each of the {len(shares)} trees")
            for j, name in enumerate(shares) if len(shares) > 1]
    return panel(bars(table["importance"], horizontal=True, labels="{:.3f}", width=0.5,
                      name="in this tree"), tied,
                 x=axis(0, 0.85, "share of the decrease", ticks=[0, 0.2, 0.4, 0.6]),
                 y=categories(list(shares)), title="Importance (MDI)", height=230)
