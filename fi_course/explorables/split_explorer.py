"""Choose the threshold of a split and see both children.

Every split of the midterm table, its children and what it gains:
one decides for the smallest weighted Gini.
"""

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore, slider
from fi_course.explorables.marks import (
    axis,
    bars,
    categories,
    handle,
    line,
    panel,
    points,
    region,
    rule,
    text,
)
from fi_teach.basics.impurity import class_counts, gini
from fi_teach.data import midterm
from fi_teach.trees import midpoints

# colour, shape, hatched bars
LOOKS = {"Pass": ("c0", "circle", False), "Fail": ("c1", "square", True)}


def explore_splits():
    """Show the children and their impurity for all seven thresholds of Time, or for attendance.

    >>> explore_splits().sentence_at(feature="Attends")[-73:]
    "ase of 0.300 from the parent's 0.500, the largest decrease of all splits."
    """
    X, y = midterm()
    cuts = midpoints(X["Time"]).tolist()

    def state_of(feature, threshold):
        if feature == "Attends" and threshold != cuts[0]:
            return None
        cut = threshold if feature == "Time" else midpoints(X["Attends"])[0]
        return split_state(X, y, feature, cut)

    feature = choice("feature", "Split on",
                     {"Time": "Time on social media", "Attends": "Attends class"})
    return explore("Where would you cut?",
                   [feature, slider("threshold", "Threshold for Time", cuts,
                                    format="{:g} minutes")], state_of)


def children_of(X, y, feature, cut):
    """Return both children of a split: rows of each class, Gini, share of the rows (the weight)."""
    left = X[feature] <= cut
    names = (f"Time ≤ {cut:g}", f"Time > {cut:g}") if feature == "Time" else ("absent", "attends")
    counts = np.array([[(y[side] == label).sum() for label in LOOKS] for side in (left, ~left)])
    return pd.DataFrame({"child": names, **dict(zip(LOOKS, counts.T, strict=True)),
                         "Gini": gini(counts),
                         "weight": counts.sum(axis=1) / len(y)})


def weighted_gini(children):
    """Return the children's mean Gini, weighted by their share of the rows."""
    return float((children["weight"] * children["Gini"]).sum())


def split_state(X, y, feature, cut):
    children = children_of(X, y, feature, cut)
    parent, after = float(gini(class_counts(y))), weighted_gini(children)
    told = "; ".join(f"{row.child}: {row.Pass} Pass and {row.Fail} Fail, Gini {row.Gini:.3f}"
                     for row in children.itertuples())
    sentence = (f"{told[0].upper()}{told[1:]}. Weighted by rows the children's Gini is "
                f"{after:.3f}: a decrease of {parent - after:.3f} from the parent's "
                f"{parent:.3f}{_verdict(X, y, feature, cut)}.")
    options = {"threshold": "not asked: this split is on Attends"} if feature == "Attends" else {}
    panels = [_rows_panel(X, y, feature, cut), _children_panel(children),
              _curve_panel(X, y, feature, after, cut)]
    return State(sentence, panels,
                 children.assign(**{"weight × Gini": children["weight"] * children["Gini"]}),
                 options)


def _verdict(X, y, feature, cut):
    """Say whether this is the best split of its feature, or of all."""
    after = {(name, place): weighted_gini(children_of(X, y, name, place)) for name in X
             for place in midpoints(X[name])}
    here = after[feature, cut]
    if np.isclose(here, min(after.values())):
        return ", the largest decrease of all splits"
    if np.isclose(here, min(value for (name, _), value in after.items() if name == feature)):
        return f", the largest that {feature} can give"
    return ""


def _rows_panel(X, y, feature, cut):
    students = [points(X["Time"][y == label], X["Attends"][y == label], colour=colour, shape=shape,
                       name=label)
                for label, (colour, shape, _) in LOOKS.items()]
    if feature == "Time":
        cuts = midpoints(X["Time"])
        split = [region(x=(None, cut), colour="muted"),
                 handle(rule(x=cut, colour="ink", dashed=False), "threshold", cuts)]
    else:
        split = [region(y=(None, cut), colour="muted"), rule(y=cut, colour="ink", dashed=False)]
    return panel(split, students, x=axis(20, 150, "minutes on social media"),
                 y=axis(-0.5, 1.5, ticks={0: "absent", 1: "attends"}),
                 title="Eight students, one cut", height=170, min_width=320)


def _children_panel(children):
    start, stack = np.zeros(2), []
    for label, (colour, _, hatch) in LOOKS.items():
        stack.append(bars(children[label], start=start, colour=colour, hatch=hatch, name=label,
                          horizontal=True, width=0.5))
        start = start + children[label]
    gini_labels = [text(total, place, f"Gini {value:.3f}", anchor="start", shift=(5, 0))
                   for place, (total, value) in enumerate(
                       zip(start, children["Gini"], strict=True))]
    return panel(stack, gini_labels, x=axis(0, 13, "students", ticks=[0, 2, 4, 6, 8]),
                 y=categories(children["child"]),
                 title="The two children", height=170, min_width=280)


def _curve_panel(X, y, feature, after, cut):
    cuts = midpoints(X["Time"])
    curve = [weighted_gini(children_of(X, y, "Time", place)) for place in cuts]
    parent = float(gini(class_counts(y)))
    diamond = handle(points([cut], [after], colour="c2", shape="diamond", size=8), "threshold",
                     cuts)
    chosen = diamond if feature == "Time" else rule(y=after, colour="c2", dashed=False)
    label = text(cut if feature == "Time" else 85, after,
                 f"{after:.3f}" if feature == "Time" else f"attendance {after:.3f}", shift=(0, 17),
                 colour="c2")
    return panel(rule(y=parent),
                 text(150, parent, f"parent {parent:.3f}", anchor="end", shift=(0, -9),
                      colour="muted"),
                 line(cuts, curve, colour="muted"), points(cuts, curve, colour="muted", size=3),
                 chosen, label,
                 x=axis(20, 150, "threshold (minutes)"),
                 y=axis(0, 0.6, "weighted Gini of the children"), height=200)
