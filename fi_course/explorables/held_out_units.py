"""Hold out rows, units or groups of units: similar rows in training make errors look small.

The splits and the errors come from the chapter, so that the picture shows the numbers of the text.
"""

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore, slider
from fi_course.explorables.marks import axis, bars, categories, panel, points

SHOWN = 3  # splits of each kind that can be looked at; the errors are of all of them
SIDES = {"training": ("muted", "circle", 3), "held out, a sister in training": ("c6", "cross", 4),
         "held out, nobody known": ("c1", "square", 3)}


def explore_held_out(places, sisters, splits, errors, *, unit=""):
    """Show the held-out rows of a split, their sisters in training, and the error.

    places (n, 2) : DataFrame, where each row stands in the picture
    sisters (n,) : labels, the same for rows that are sisters (tests of one pour)
    splits {kind: masks}, errors {kind: numbers} : as many masks (n,), True for a row that is held
        out, as errors, of which `unit` is the unit

    Raises ValueError for kinds that differ, and for masks that do not fit errors and places.

    >>> places = pd.DataFrame({"water": [180.0, 180.0, 200.0], "cement": [300.0, 300.0, 250.0]})
    >>> splits = {"rows": [[True, False, False]], "pours": [[True, True, False]]}
    >>> found = explore_held_out(places, [0, 0, 1], splits, {"rows": [1], "pours": [3]}, unit="MPa")
    >>> found.sentence[:53]
    'A third of the rows held out, split 1: 1 of 3 tests, '
    """
    errors = {kind: list(found) for kind, found in errors.items()}
    masks = {kind: np.array(found, dtype=bool) for kind, found in splits.items()}
    came = {kind: found.shape for kind, found in masks.items()}
    expected = {kind: (len(found), len(places)) for kind, found in errors.items()}
    if not came or came != expected:
        raise ValueError(f"the splits' masks have shapes {came}, expected {expected}: "
                         "the same kinds, one mask for each error, and in it one entry a row.")
    sisters = np.unique(np.asarray(sisters), return_inverse=True)[1]
    controls = [choice("kind", "Held out are", list(splits)),
                slider("split", "Split", range(1, 1 + min(SHOWN, *map(len, masks.values()))))]

    def state_of(kind, split):
        return _state(places, sisters, masks[kind][split - 1], errors, kind, split, unit)

    alone = [not with_sister(new, sisters).any() for each in masks.values() for new in each[:SHOWN]]
    task = "hold out rows so that none of them has a sister in training."
    return explore("Who has a sister in training?", controls, state_of,
                   goal=task if any(alone) and not alone[0] else "")


def with_sister(new, sisters):
    """Return which held-out rows have a sister in training -> (n,) bool.

    >>> with_sister(np.array([True, False, True]), np.array([0, 0, 1])).tolist()
    [True, False, False]
    """
    return new & np.isin(sisters, sisters[~new])


def _state(places, sisters, new, errors, kind, split, unit):
    known, here = with_sister(new, sisters), errors[kind][split - 1]
    told = (f"A third of the {kind} held out, split {split}: {new.sum()} of {len(new)} tests, "
            f"{known.sum()} with a sister in training. Error {here:.1f} {unit} here, "
            f"{np.mean(errors[kind]):.1f} {unit} on average over {len(errors[kind])} splits.")
    rows = [{"held out": each, "mean error": np.mean(found), "from": min(found), "to": max(found)}
            for each, found in errors.items()]
    return State(told, [_map(places, sisters, new, known), _errors(errors, kind, here, unit)],
                 pd.DataFrame(rows), reached=not known.any())


def _map(places, sisters, new, known):
    """Draw one point for each group of sisters, at its first row, by its role in this split."""
    first = np.unique(sisters, return_index=True)[1]
    some_new, some_known = (np.bincount(sisters, weights=side) > 0 for side in (new, known))
    side = np.where(some_known, 1, np.where(some_new, 2, 0))
    at = places.iloc[first].to_numpy()
    drawn = [points(*at[side == k].T, colour=colour, shape=shape, name=name, size=size)
             for k, (name, (colour, shape, size)) in enumerate(SIDES.items())]
    x, y = (_around(places[column]) for column in places)
    return panel(drawn, x=x, y=y, title="A point a pour", height=290, min_width=320)


def _around(values):
    room = 0.05 * (np.ptp(values) or 1)
    return axis(min(values) - room, max(values) + room, f"{values.name} (kg)")


def _errors(errors, kind, here, unit):
    chosen = np.array([each == kind for each in errors])
    means = bars([np.mean(found) for found in errors.values()], horizontal=True, hatch=chosen,
                 colour=np.where(chosen, "c0", "muted"))
    cloud = [points(found, np.full(len(found), k), colour="ink", size=2)
             for k, found in enumerate(errors.values())]
    mark = points([here], [chosen.argmax()], colour="c1", shape="diamond", name="this split")
    top = 1.05 * max(map(max, errors.values()))
    return panel(means, cloud, mark, x=axis(0, top, f"error ({unit}), each split a dot"),
                 y=categories(list(errors)), title="Bar: the mean", height=290, min_width=320)
