"""Stability selection: choose the threshold, and read the bound on false selections.

A feature is named if it is in enough lists of the k best; each list comes from half of the rows.
"""

from functools import partial

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore, slider
from fi_course.explorables.marks import axis, bars, categories, curve, handle, panel, rule

LENGTHS = (10, 20, 30)
THRESHOLDS = tuple(round(0.5 + 0.05 * k, 2) for k in range(11))
DRAWN = 16  # features whose bars are drawn
MOST = 30  # where the second panel ends


def explore_shortlist(halves, names):
    """Show how many features each threshold selects, and how many of them may be false.

    halves {scorer: (n_halves, p)} : importances on complementary halves of the rows; names (p,)

    Raises ValueError for importances without one column a name, and for fewer than 30 names.

    >>> scores = np.tile(np.arange(40.0), (6, 1))
    >>> found = explore_shortlist({"score": scores}, [f"x{j}" for j in range(40)])
    >>> found.sentence_at(scorer="score", k=10, threshold=0.75)[:70]
    'Lists of 10 by score, threshold 75%: 10 of 40 features are in at least'
    """
    names = np.asarray(names, dtype=str)
    tables = {scorer: np.asarray(found, float) for scorer, found in halves.items()}
    for scorer, found in tables.items():
        if found.shape[1:] != names.shape or len(names) < LENGTHS[-1]:
            raise ValueError(f"importances by {scorer!r} have shape {found.shape}, names are "
                             f"{len(names)}: expected one row a half and one column a name, "
                             f"at least {LENGTHS[-1]} of them.")
    controls = [choice("scorer", "Ranked by", list(tables)),
                slider("k", "Length of each list", LENGTHS),
                slider("threshold", "Threshold", THRESHOLDS, format="{:.0%}")]
    return explore("Where does the shortlist end?", controls, partial(_state, tables, names),
                   start={"k": 20, "threshold": 0.75},
                   goal="make the bound on false selections as small as it can be.")


def frequency(importances, k):
    """Return how often each column is among the k largest: (B, p) -> (p,).

    >>> frequency(np.array([[3, 2, 1], [3, 1, 2]]), 2).tolist()
    [1.0, 0.5, 0.5]
    """
    places = (-importances).argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
    return (places < k).mean(axis=0)


def bound(k, p, threshold):
    """Bound the expected number of false selections: k^2 / p / (2 threshold - 1).

    False is a feature in a list no oftener than k / p, as if drawn blindly. Source: Meinshausen and
    Bühlmann (2010), theorem 1; for halves, with fewer assumptions, Shah and Samworth (2013).

    >>> bound(20, 400, 0.75), bound(20, 400, 0.5)
    (2.0, inf)
    """
    return k**2 / p / (2 * threshold - 1) if threshold > 0.5 else np.inf


def _state(tables, names, scorer, k, threshold):
    often, most = frequency(tables[scorer], k), bound(k, len(names), threshold)
    named = int((often >= threshold).sum())
    promise = (f"the bound lets {most:.1f} of them be there by luck, on average"
               if np.isfinite(most) else "the bound promises nothing here")
    told = (f"Lists of {k} by {scorer}, threshold {threshold:.0%}: {named} of {len(names)} "
            f"features are in at least {threshold:.0%} of {len(tables[scorer])} lists; {promise}.")
    order = np.argsort(-often, kind="stable")[:DRAWN]
    table = pd.DataFrame({"feature": names[order], "share of the lists": often[order]})
    return State(told, [_bars(often, names, order, threshold), _curves(often, k, threshold)], table,
                 reached=k == LENGTHS[0] and threshold == THRESHOLDS[-1])


def _bars(often, names, order, threshold):
    named = often[order] >= threshold
    drawn = bars(often[order], horizontal=True, colour=np.where(named, "c0", "muted"), hatch=named,
                 name=np.where(named, "named", "not named"))
    edge = handle(rule(x=threshold, colour="ink", name="threshold"), "threshold", THRESHOLDS)
    return panel(drawn, edge, x=axis(0, 1.02, "share of the lists"), y=categories(names[order]),
                 title=f"The first {len(order)}", height=380, min_width=320)


def _curves(often, k, threshold):
    named = [min(MOST, (often >= at).sum()) for at in THRESHOLDS]
    luck = {at: most for at in THRESHOLDS if (most := bound(k, len(often), at)) <= MOST}
    return panel(curve(THRESHOLDS, named, threshold, name="named"),
                 curve([*luck], [*luck.values()], threshold, colour="c1", shape="square",
                       name="by luck, at most", dashed=True),
                 rule(x=threshold, colour="ink"), x=axis(0.48, 1.02, "threshold"),
                 y=axis(0, MOST + 2, "features"), title="Named, and by luck", height=380,
                 min_width=300)
