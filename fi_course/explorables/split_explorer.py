"""Choose the threshold of a split, see both children, and find the smallest weighted Gini."""

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

# colour, shape
LOOKS = {"Pass": ("c0", "circle"), "Fail": ("c1", "square")}


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

    features = {"Time": "Time on social media", "Attends": "Attends class"}
    controls = [choice("feature", "Split on", features),
                slider("threshold", "Threshold for Time", cuts, format="{:g} minutes")]
    return explore("Where would you cut?", controls, state_of,
                   goal="find the cut that lowers the impurity most.")


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
    table = children.assign(**{"weight × Gini": children["weight"] * children["Gini"]})
    return State(sentence, panels, table, options, reached=sentence.endswith("of all splits."))


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
                for label, (colour, shape) in LOOKS.items()]
    if feature == "Time":
        split = [region(x=(None, cut), colour="muted"),
                 handle(rule(x=cut, colour="ink", dashed=False), "threshold", midpoints(X["Time"]))]
    else:
        split = [region(y=(None, cut), colour="muted"), rule(y=cut, colour="ink", dashed=False)]
    return panel(split, students, x=axis(20, 150, "minutes on social media"),
                 y=axis(-0.5, 1.5, ticks={0: "absent", 1: "attends"}),
                 title="Eight students, one cut", height=170, min_width=320)


def _children_panel(children):
    ginis = [f"Gini {value:.3f}" for value in children["Gini"]]
    passed = bars(children["Pass"], colour="c0", name="Pass", horizontal=True, width=0.5)
    failed = bars(children["Fail"], start=children["Pass"], labels=ginis, colour="c1", hatch=True,
                  name="Fail", horizontal=True, width=0.5)
    return panel(passed, failed, x=axis(0, 13, "students", ticks=[0, 2, 4, 6, 8]),
                 y=categories(children["child"]), title="The two children", height=170,
                 min_width=280)


def _curve_panel(X, y, feature, after, cut):
    cuts, parent = midpoints(X["Time"]), float(gini(class_counts(y)))
    curve = [weighted_gini(children_of(X, y, "Time", place)) for place in cuts]
    if feature == "Time":
        diamond = points([cut], [after], colour="c2", shape="diamond", size=8)
        chosen, place, words = handle(diamond, "threshold", cuts), cut, f"{after:.3f}"
    else:
        chosen, place = rule(y=after, colour="c2", dashed=False), 85
        words = f"attendance {after:.3f}"
    return panel(rule(y=parent), text(150, parent, f"parent {parent:.3f}", anchor="end",
                                      shift=(0, -9), colour="muted"),
                 line(cuts, curve, colour="muted"), points(cuts, curve, colour="muted", size=3),
                 chosen, text(place, after, words, shift=(0, 17), colour="c2"),
                 x=axis(20, 150, "threshold (minutes)"),
                 y=axis(0, 0.6, "weighted Gini of the children"), height=200)
