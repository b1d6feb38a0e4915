"""Grow all trees that a greedy rule allows on one table: tied splits change the importances."""

from functools import cache

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore
from fi_course.explorables.marks import axis, bars, categories, listed, panel, points
from fi_course.explorables.tree_marks import questions, tree_panel
from fi_teach.data import golf
from fi_teach.importance import mdi
from fi_teach.trees import every_c45_tree, every_greedy_tree, grow_cut_once

RULES = {"c45": "C4.5 (gain ratio)", "gini": "CART (Gini)",
         "cut once": "every column cut once, at the root"}


def explore_golf_trees():
    """Show the golf tree and its importances for every way to break the rule's ties.

    >>> print(explore_golf_trees().sentence_at(rule="gini")[:89])
    CART (Gini) could grow 4 trees; in this one tie 1 goes to Outlook ≤ 2.5 before Wind ≤ 1.5
    """
    most = max(len(greedy_golf_trees(rule)) for rule in RULES)
    ties = [choice(f"tie{k}", f"Tie {k}", range(most)) for k in (1, 2)]  # then one tree is left
    return explore("Grow your own golf tree", [choice("rule", "Rule of growth", RULES), *ties],
                   golf_state, goal="break C4.5's ties so that Wind gets as little as it can.")


@cache
def greedy_golf_trees(rule):
    """Return every tree that this rule grows on the golf table under some breaking of ties."""
    grow = {"c45": every_c45_tree, "gini": every_greedy_tree,
            "cut once": lambda X, y: [grow_cut_once(X, y)]}
    return tuple(grow[rule](*golf()))


def golf_state(rule, **picks):
    trees = greedy_golf_trees(rule)
    asked, left = follow(trees, picks.values())
    if not left:
        return None
    tree, found = left[0], mdi(left[0])
    shares = pd.DataFrame([mdi(other).mean for other in trees], columns=tree.names)
    gain = mdi(tree, normalize=False).mean * tree.weighted_n_node_samples[0]
    table = pd.DataFrame({"feature": tree.names, "decrease × rows": gain, "importance": found.mean})
    if len(trees) > 1:
        table[f"lowest of {len(trees)}"] = shares.min().values
        table[f"highest of {len(trees)}"] = shares.max().values
    options = dict.fromkeys(picks, "no such tie here")
    options |= {tie: splits for tie, (_, splits, _) in zip(picks, asked, strict=False)}
    node = dict(zip(questions(tree), tree.splits, strict=True))
    notes = {node[place][0]: f"tie {k}" for k, (place, *_) in enumerate(asked, 1)}
    ranked = found.to_frame().set_index("feature")["importance"]
    return State(f"{_growth_in_words(rule, trees, asked)}. Importance: {listed(ranked, '{:.3f}')}.",
                 [tree_panel(tree, notes=notes), _importance_panel(table, shares)], table, options,
                 reached=rule == "c45" and np.isclose(ranked["Wind"], shares["Wind"].min()))


def follow(trees, picks):
    """Break ties in turn -> the questions met, the remaining trees (none for a missing pick)."""
    asked = []
    for pick in picks:
        place, splits = open_question(trees)
        if pick >= len(splits):
            return asked, []
        asked += [(place, splits, pick)] if place is not None else []
        trees = [tree for tree in trees if questions(tree).get(place) == splits[pick]]
    return asked, trees


def open_question(trees):
    """Return the first place where trees differ (None: nowhere), and their splits there."""
    splits = [questions(tree) for tree in trees]
    for place in sorted(set().union(*splits), key=lambda place: (len(place), place)):
        here = list(dict.fromkeys(tree.get(place) for tree in splits))
        if len(here) > 1:
            return place, here
    return None, [None]


def _growth_in_words(rule, trees, asked):
    name, broken = RULES[rule][0].upper() + RULES[rule][1:], []
    for k, (_, splits, pick) in enumerate(asked, 1):
        others = ", ".join(splits[:pick] + splits[pick + 1:])
        broken.append(f"tie {k} goes to {splits[pick]} before {others}")
    return (f"{name} could grow {len(trees)} trees; in this one {' and '.join(broken)}" if broken
            else f"{name}: no tie, one tree")


def _importance_panel(table, shares):
    tied = [points(shares[name], [j + 0.38] * len(shares), colour="c3", shape="diamond", size=4,
                   name=f"in each of the {len(shares)} trees")
            for j, name in enumerate(shares) if len(shares) > 1]
    return panel(bars(table["importance"], horizontal=True, labels="{:.3f}", width=0.5,
                      name="in this tree"), tied,
                 x=axis(0, 0.85, "share of the decrease", ticks=[0, 0.2, 0.4, 0.6]),
                 y=categories(list(shares)), title="Importance (MDI)", height=230)
