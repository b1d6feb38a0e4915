"""Three SHAP games of one tree and one row: three meanings of "not known".

Forty mornings are cold or not, wet or not; a tree says whether there is ice.
"""

from functools import cache

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore, slider
from fi_course.explorables.marks import (
    axis,
    categories,
    grouped_bars,
    handle,
    line,
    listed,
    panel,
    region,
    rule,
    signed,
    text,
)
from fi_course.explorables.tree_marks import tree_panel
from fi_teach.basics.convert import as_forest
from fi_teach.basics.games import shapley
from fi_teach.basics.tree import LEAF, UNDEFINED, Tree
from fi_teach.basics.value_functions import every_coalition, marginal, neighbours, path_dependent
from fi_teach.plots.colours import hues_of

NAMES = ("cold", "wet")
ANSWERS = {"cold": ("mild", "cold"), "wet": ("dry", "wet")}
TREES = {"cold": "cold? then wet?", "wet": "wet? then cold?", "only": "cold? and nothing else"}
ROWS = {(1, 1): "cold and wet", (1, 0): "cold and dry", (0, 1): "mild and wet",
        (0, 0): "mild and dry"}
TOGETHER = (2, 4, 6, 8, 10, 12, 14)  # mornings that are cold and wet; 8: independent
N_COLD, N_WET, N_MORNINGS = 16, 20, 40
GAMES = ("conditional", "interventional", "path-dependent")


def explore_shap_games():
    """Show conditional, interventional and path-dependent SHAP values of one row.

    >>> explore_shap_games().sentence_at(tree="cold", row=(1, 1), together=12)[-75:]
    'interventional cold +0.4, wet +0.3; path-dependent cold +0.525, wet +0.175.'
    """
    controls = [choice("tree", "The tree asks", TREES),
                choice("row", "The morning to explain", ROWS, kind="select"),
                slider("together", "Mornings of 40 that are cold and wet", TOGETHER)]
    return explore("Three games, one tree, one morning", controls, games_state,
                   start={"together": 12}, goal="drag the edge until all three games agree.")


def games_state(tree, row, together):
    seen, model = mornings(together), ice_tree(tree, together)
    payoffs = three_games(tree, row, together)
    found = pd.DataFrame({game: shapley(v, 2) for game, v in payoffs.items()}, index=NAMES).T
    known = ["nothing known", "cold known", "wet known", "both known"]
    table = pd.DataFrame(payoffs, index=known).T.join(found.add_prefix("share of "))
    scene = tree_panel(model, title="The tree, with its mornings", level=82, leaf_width=80,
                       to=int(model.apply(np.array([row], dtype=float))[0]),
                       hues=hues_of(NAMES), answers=ANSWERS)
    return State(_in_words(tree, row, together, seen, found),
                 [scene, _mornings_panel(together), _share_panel(found)],
                 table.rename_axis("game").reset_index(),
                 reached=np.allclose(found, found.iloc[0], atol=1e-9))


def counts_of(together):
    """Count the mornings of each kind, in the order of ROWS -> list."""
    return [together, N_COLD - together, N_WET - together, N_MORNINGS - N_COLD - N_WET + together]


def mornings(together):
    """Return the forty mornings as rows (cold, wet) -> (40, 2) of 0 and 1."""
    return np.repeat(np.array(list(ROWS), dtype=float), counts_of(together), axis=0)


@cache
def ice_tree(asks, together):
    """Return the tree that splits in this order, with row counts of these mornings -> Tree."""
    rows = mornings(together)
    if asks == "only":
        return _tree([0, UNDEFINED, UNDEFINED], [rows[:, 0] >= 0, rows[:, 0] == 0, rows[:, 0] == 1],
                     rows[:, 0])
    first = NAMES.index(asks)
    here, then = rows[:, first] == 1, rows[:, 1 - first] == 1
    return _tree([first, UNDEFINED, 1 - first, UNDEFINED, UNDEFINED],
                 [here | True, ~here, here, here & ~then, here & then], rows.prod(axis=1))


def _tree(feature, reached, ice):
    """Return a tree that splits on these bits in turn; each "no" is a leaf -> Tree.

    The child for "yes" stands two nodes later.
    """
    feature, count = np.array(feature), np.array([members.sum() for members in reached])
    inner, t = feature >= 0, np.arange(len(feature))
    value = np.array([ice[members].mean() for members in reached])
    return Tree(np.where(inner, t + 1, LEAF), np.where(inner, t + 2, LEAF), feature,
                np.where(inner, 0.5, UNDEFINED), value * (1 - value),
                count, count.astype(float), value[:, None], NAMES, criterion="variance")


def three_games(asks, row, together):
    """Return each game's payoff of the empty set, cold, wet and both -> dict of (4,)."""
    tree, rows = ice_tree(asks, together), mornings(together)
    v = {"conditional": neighbours(tree.raw, rows, n_neighbours=1),
         "interventional": marginal(tree.raw, rows),
         "path-dependent": path_dependent(as_forest(tree))}
    return {game: every_coalition(v[game], np.array([row], dtype=float))[:, 0, 0] for game in GAMES}


def _in_words(tree, row, together, seen, found):
    shares = "; ".join(f"{game} {listed(values)}" for game, values in found.iterrows())
    says = ice_tree(tree, together).raw(np.array([row], dtype=float))[0, 0]
    return (f"The tree asks {TREES[tree]} {together} of {N_MORNINGS} mornings are cold and wet, "
            f"a correlation of {signed(np.corrcoef(seen.T)[0, 1], '{:.2f}')}. "
            f"For a morning that is {ROWS[row]} the tree says {says:g}. Shares: {shares}.")


def _mornings_panel(together):
    """Draw the mornings as areas; the edge between wet and dry cold ones moves what is together."""
    wide, wet = N_COLD / N_MORNINGS, together / N_COLD
    mild_wet = (N_WET - together) / (N_MORNINGS - N_COLD)
    areas = [region(x=(0, wide), y=(0, wet), colour="c1", hatch=True, name="wet"),
             region(x=(0, wide), y=(wet, 1), colour="muted", name="dry"),
             region(x=(wide, 1), y=(0, mild_wet), colour="c1", hatch=True),
             region(x=(wide, 1), y=(mild_wet, 1), colour="muted")]
    edge = handle(line([0, wide], [wet, wet], colour="ink", width=3), "together",
                  [n / N_COLD for n in TOGETHER], along="y")
    cold, mild = wide / 2, (1 + wide) / 2
    middles = [(cold, wet / 2), (cold, (1 + wet) / 2), (mild, mild_wet / 2),
               (mild, (1 + mild_wet) / 2)]
    counts = [text(*middle, str(count))
              for middle, count in zip(middles, counts_of(together), strict=True)]
    return panel(areas, edge, counts, x=axis(0, 1, ticks={cold: "cold", mild: "mild"}),
                 title="The forty mornings", height=250, min_width=200)


def _share_panel(found):
    return panel(rule(x=0, dashed=False), grouped_bars(found),
                 x=axis(-1, 1, "share of the prediction"),
                 y=categories(list(found.index)), title="Three games", height=250, min_width=320)
