"""Show the pattern, the integrand and the SHAP values of each leaf of a small tree.

A leaf sees bits: does the row pass the tests on each feature, and would a stand-in? Owen's
integral turns them into shares, and the shares of all leaves add up to the Shapley values.
"""

from functools import cache

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore, slider
from fi_course.explorables.marks import axis, bars, categories, line, listed, panel, points, rule
from fi_course.explorables.tree_marks import tree_panel
from fi_course.tables import concrete
from fi_teach.basics.games import gauss_legendre
from fi_teach.importance.tree_shap import leaf_shapley, row_passes, training_passes
from fi_teach.plots.colours import hues_of
from fi_teach.trees import grow_cart

HUES = hues_of(["age", "cement", "water"])
FEATURES = {"age": (HUES["age"], False, "circle"), "cement": (HUES["cement"], True, "square"),
            "water": (HUES["water"], False, "diamond")}
MIXES = {100: "mix 100", 2: "mix 2", 66: "mix 66", 700: "mix 700"}
STAND_IN = 500
GAMES = {"cover": "training rows (path-dependent)",
         "row": f"mix {STAND_IN} (interventional, one background row)"}
TIMES = np.linspace(0, 1, 21)


def explore_leaf_pattern():
    """Show the pattern, the integrand and the SHAP values of each leaf of a small tree.

    >>> explore_leaf_pattern().sentence_at(mix=100, stands_in="cover", leaf=1)[:72]
    'Leaf 1 of 8 says 15.7 MPa and asks about age, cement. Mix 100: age passe'
    """
    controls = [choice("mix", "The row", MIXES, kind="select"),
                choice("stands_in", "What stands in for the unknown", GAMES, kind="select"),
                slider("leaf", "Leaf, from left to right", range(1, 9))]
    return explore("One leaf at a time", controls, leaf_state,
                   goal="find a leaf that pays nothing to anybody.")


@cache
def small_tree():
    """Grow a tree of three levels for the strength of concrete, in MPa -> Tree."""
    X, y = concrete()
    return grow_cart(X, y, criterion="variance", max_depth=3, min_samples_leaf=20)


def patterns_of(mix, stands_in):
    """List the leaves' patterns for a mix -> list of (leaf, names of its players, a, b)."""
    tree, X = small_tree(), concrete().X
    passes = row_passes(tree, X.loc[mix])
    others = row_passes(tree, X.loc[STAND_IN]) if stands_in == "row" else training_passes(tree)
    return [(leaf, [tree.names[j] for j in players], np.array(a, dtype=float),
             np.array(b, dtype=float))
            for (leaf, players, a), (_, _, b) in zip(passes, others, strict=True)]


@cache
def shares_by_leaf(mix, stands_in):
    """Return each leaf's SHAP values of the three features, in MPa -> (8, 3)."""
    paid = np.zeros((8, len(FEATURES)))
    for row, (leaf, players, a, b) in zip(paid, patterns_of(mix, stands_in), strict=True):
        row[[list(FEATURES).index(name) for name in players]] = leaf_shapley(
            small_tree().value[leaf, 0], a, b)
    return paid


def leaf_state(mix, stands_in, leaf):
    node, players, a, b = patterns_of(mix, stands_in)[leaf - 1]
    shares, value = shares_by_leaf(mix, stands_in), small_tree().value[node, 0]
    paid, total = shares[leaf - 1], shares[:leaf].sum(axis=0)
    table = pd.DataFrame({"feature": list(FEATURES), "row passes (a)": _bits(players, a),
                          "stand-in passes (b)": _bits(players, b),
                          "share at this leaf": paid, "shares so far": total})
    scene = tree_panel(small_tree(), title="The tree (MPa)", hues=HUES, to=node, level=70,
                       leaf_width=40)
    return State(_in_words(mix, stands_in, leaf, value, players, a, b, paid, total),
                 [scene, _integrand_panel(value, players, a, b), _total_panel(paid, total)], table,
                 reached=not paid.any())


def _bits(players, bits):
    asked = dict(zip(players, bits, strict=True))
    return [f"{asked[name]:.3g}" if name in asked else "not asked" for name in FEATURES]


def _in_words(mix, stands_in, leaf, value, players, a, b, paid, total):
    row = ", ".join(f"{name} {'passes' if bit else 'fails'}"
                    for name, bit in zip(players, a, strict=True))
    other = listed(dict(zip(players, b, strict=True)), "{:.3g}")
    table = pd.DataFrame({"here": paid, "so far": total}, index=list(FEATURES))
    who = "a training row" if stands_in == "cover" else f"mix {STAND_IN}"
    return (f"Leaf {leaf} of 8 says {value:.1f} MPa and asks about {', '.join(players)}. "
            f"Mix {mix}: {row}. Chance that {who} passes: {other}. This leaf pays "
            f"{listed(table['here'][players])}; shares so far: {listed(table['so far'])}.")


def integrand(value, a, b, i, t):
    """Return player i's expected contribution at this leaf on entering at time t: (Q,) -> (Q,).

    The others are present with probability t.
    """
    others = [t * a[j] + (1 - t) * b[j] for j in range(len(a)) if j != i]
    return value * (a[i] - b[i]) * np.prod([np.ones_like(t), *others], axis=0)


def _integrand_panel(value, players, a, b):
    """Draw each player's integrand; the mean of its values at the nodes, weighted, is its area."""
    nodes, drawn = gauss_legendre(len(a))[0], []
    for i, name in enumerate(players):
        colour, dashed, shape = FEATURES[name]
        drawn += [line(TIMES, integrand(value, a, b, i, TIMES), colour=colour, dashed=dashed,
                       name=name),
                  points(nodes, integrand(value, a, b, i, nodes), colour=colour, shape=shape,
                         name=name)]
    return panel(rule(y=0, dashed=False), drawn, x=axis(0, 1, "time of arrival t"),
                 y=axis(-66, 66, "added (MPa)"),
                 title="Added at this leaf", height=230, min_width=270)


def _total_panel(paid, total):
    colours, hatches, _ = zip(*FEATURES.values(), strict=True)
    drawn = bars(total, horizontal=True, width=0.6, colour=colours, hatch=hatches)
    last = points(total - paid, range(len(FEATURES)), colour="ink", shape="diamond", size=4,
                  name="before this leaf")
    return panel(rule(x=0, dashed=False), drawn, last, x=axis(-45, 45, "MPa"),
                 y=categories(list(FEATURES)), title="Shares so far", height=230, min_width=270)
