"""Split by split, the total impurity is divided among the features: MDI adds up.

Two trees of the same forty mixes of concrete, one with their own labels, one with shuffled labels.
"""

from functools import cache
from itertools import product

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore, slider
from fi_course.explorables.marks import (
    axis,
    bars,
    categories,
    handle,
    line,
    listed,
    panel,
    rule,
    signed,
    text,
)
from fi_course.explorables.tree_marks import question
from fi_course.tables import concrete
from fi_teach.trees import grow_cart

LABELS = {"measured": "as measured", "shuffled": "shuffled (pure noise)"}
CRITERIA = {"gini": "Gini", "entropy": "entropy (bits)"}
FEATURES = {"cement": "cement", "water": "water", "superplasticizer": "plasticiser", "age": "age"}
LOOKS = {"cement": ("c0", False), "water": ("c5", True), "plasticiser": ("c2", False),
         "age": ("c1", True)}  # colour, hatch
N_ROWS, STRONG, SEED = 40, 40, 1


def explore_telescope():
    """Show how each split of a tree reduces impurity, on true or on shuffled labels.

    >>> print(explore_telescope().sentence_at(splits=0)[:69])
    Labels as measured, before the first split: no feature has any credit
    """
    most = max(len(order_of_splits(grown(*pair))) for pair in product(LABELS, CRITERIA))
    controls = [choice("labels", "The labels", LABELS), choice("criterion", "Impurity", CRITERIA),
                slider("splits", "Splits made", range(most + 1))]
    return explore("Who gets the credit?", controls, telescope_state, start={"splits": 2},
                   goal="unfold a tree of pure noise until nothing of the root is left.")


@cache
def grown(labels, criterion):
    """Grow a tree to purity on forty mixes: is a mix strong (40 MPa or more)?"""
    X, strength = concrete()
    rng = np.random.default_rng(SEED)
    rows = rng.choice(np.flatnonzero(~X[list(FEATURES)].duplicated()), N_ROWS, replace=False)
    y = np.where(strength.iloc[rows] >= STRONG, "strong", "weak")
    y = rng.permutation(y) if labels == "shuffled" else y
    return grow_cart(X[list(FEATURES)].iloc[rows].rename(columns=FEATURES), y, criterion=criterion)


def weighted_decrease(tree):
    """Return each node's decrease times its share of the rows: its part of MDI -> (n_nodes,)."""
    return tree.decrease * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]


def order_of_splits(tree):
    """Order the inner nodes by a grower that always makes the split of largest decrease."""
    worth, order, ready = weighted_decrease(tree), [], [0]
    children = {t: both for t, *both in tree.splits}
    while ready:
        t = max(ready, key=lambda node: worth[node])
        ready.remove(t)
        order.append(t)
        ready += [child for child in children[t] if child in children]
    return order


def steps_of(tree):
    """List each split's question, feature, decrease, and the impurity left after it -> DataFrame.

    `terms` are the three impurities of the decrease, weighted by rows: {node: signed impurity}.
    """
    order = order_of_splits(tree)
    takes = weighted_decrease(tree)[order]
    weighted = tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    children = {t: both for t, *both in tree.splits}
    return pd.DataFrame({"split": [" ".join(question(tree, t)) for t in order], "node": order,
                         "feature": [tree.names[tree.feature[t]] for t in order],
                         "takes": takes,
                         "left": np.maximum(tree.impurity[0] - takes.cumsum(), 0),
                         "terms": [{t: weighted[t], **{child: -weighted[child]
                                                       for child in children[t]}} for t in order]})


def telescope_state(labels, criterion, splits):
    tree = grown(labels, criterion)
    steps, root = steps_of(tree), float(tree.impurity[0])
    if splits > len(steps):
        return None
    made = steps[:splits]
    credit = made.groupby("feature")["takes"].sum().reindex(tree.names, fill_value=0.0)
    left = max(root - credit.sum(), 0.0)
    table = pd.DataFrame({"feature": [*credit.index, "left in the leaves", "the root's impurity"],
                          "credit": [*credit, left, root]})
    options = {"splits": [str(k) for k in range(len(steps) + 1)]}
    panels = [_telescope_panel(steps, splits, root), _credit_panel(credit, left, root)]
    return State(_in_words(labels, CRITERIA[criterion], made, credit, left, root), panels, table,
                 options, reached=labels == "shuffled" and left < 1e-9)


def _in_words(labels, measure, made, credit, left, root):
    if made.empty:
        return (f"Labels {LABELS[labels]}, before the first split: no feature has any credit, and "
                f"all of the root's {root:.3f} ({measure}) is there.")
    last = made.iloc[-1]
    end = ("nothing is left: every piece of it has an owner" if left < 1e-9
           else f"{left:.3f} is left in the leaves")
    return (f"Labels {LABELS[labels]}, {len(made)} split{'s' * (len(made) > 1)}: "
            f"the last, {last['split']}, takes {last['takes']:.3f}. "
            f"Credit: {listed(credit, '{:.3f}')}; "
            f"together {credit.sum():.3f} of the root's {root:.3f} ({measure}), and {end}.")


def _telescope_panel(steps, splits, root):
    """Draw what each split takes, and its three terms; what a later split cancels is struck out."""
    made, n = steps[:splits], len(steps)
    drawn = [bars(made["takes"], start=made["left"], horizontal=True, width=0.8,
                  colour=[LOOKS[name][0] for name in made["feature"]],
                  hatch=[LOOKS[name][1] for name in made["feature"]])]
    for row, terms in enumerate(made["terms"]):
        for k, (node, term) in enumerate(terms.items()):
            place = (1.25 + 0.38 * k) * root
            cancelled = node in set(made["node"]) - {0}
            drawn.append(text(place, row, signed(term, "{:+.2f}"),
                              colour="muted" if cancelled else "ink"))
            if cancelled:
                drawn.append(line(np.array([-0.13, 0.13]) * root + place, [row, row],
                                  colour="muted", width=1))
    fold = handle(rule(y=splits - 0.5, colour="ink", name="unfolded so far"), "splits",
                  np.arange(n + 1) - 0.5, along="y")
    return panel(rule(x=root, colour="ink"), drawn, fold,
                 x=axis(0, 2.25 * root, "impurity left; node − left − right",
                        ticks=[0, round(root / 2, 2), round(root, 2)]),
                 y=categories(steps["split"]), title="What each split takes",
                 height=60 + 24 * n, min_width=360)


def _credit_panel(credit, left, root):
    colours, hatches = zip(*LOOKS.values(), ("muted", False), strict=True)
    drawn = bars([*credit, left], horizontal=True, labels="{:.3f}", width=0.6, colour=colours,
                 hatch=hatches)
    return panel(drawn, x=axis(0, 1.3 * root, "impurity"),
                 y=categories([*credit.index, "left over"]),
                 title="Credit so far", height=220, min_width=260)
