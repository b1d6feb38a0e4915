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

X, Y = midterm()
CUTS = midpoints(X["Time"]).tolist()
LOOKS = {"Pass": ("c0", "circle"), "Fail": ("c1", "square")}


def explore_splits():
    """Show the children and their impurity for all seven thresholds of Time, or for attendance.

    >>> explore_splits().sentence_at(feature="Attends")[-73:]
    "ase of 0.300 from the parent's 0.500, the largest decrease of all splits."
    """
    features = {"Time": "Time on social media", "Attends": "Attends class"}
    controls = [choice("feature", "Split on", features),
                slider("threshold", "Threshold for Time", CUTS, format="{:g} minutes")]
    return explore("Where would you cut?", controls, split_state,
                   goal="find the cut that lowers the impurity most.")


def children_of(feature, cut):
    """Return both children of a split: rows of each class, Gini, share of the rows (the weight)."""
    left = X[feature] <= cut
    names = (f"Time ≤ {cut:g}", f"Time > {cut:g}") if feature == "Time" else ("absent", "attends")
    counts = np.array([[(Y[side] == label).sum() for label in LOOKS] for side in (left, ~left)])
    return pd.DataFrame({"child": names, **dict(zip(LOOKS, counts.T, strict=True)),
                         "Gini": gini(counts), "weight": counts.sum(axis=1) / len(Y)})


def weighted_gini(feature, cut):
    """Return the mean Gini of a split's children, weighted by their share of the rows."""
    return float(children_of(feature, cut).eval("weight * Gini").sum())


def split_state(feature, threshold):
    if feature == "Attends" and threshold != CUTS[0]:
        return None
    cut = threshold if feature == "Time" else midpoints(X["Attends"])[0]
    children, after = children_of(feature, cut), weighted_gini(feature, cut)
    parent = float(gini(class_counts(Y)))
    told = "; ".join(f"{row.child}: {row.Pass} Pass and {row.Fail} Fail, Gini {row.Gini:.3f}"
                     for row in children.itertuples())
    sentence = (f"{told[0].upper()}{told[1:]}. Weighted by rows the children's Gini is "
                f"{after:.3f}: a decrease of {parent - after:.3f} from the parent's "
                f"{parent:.3f}{_verdict(feature, cut)}.")
    options = {"threshold": "not asked: this split is on Attends"} if feature == "Attends" else {}
    panels = [_rows_panel(feature, cut), _children_panel(children),
              _curve_panel(feature, parent, after, cut)]
    table = children.assign(**{"weight × Gini": children["weight"] * children["Gini"]})
    return State(sentence, panels, table, options, reached=sentence.endswith("of all splits."))


def _verdict(feature, cut):
    """Say whether this is the best split of its feature, or of all."""
    least = {name: min(weighted_gini(name, at) for at in midpoints(X[name])) for name in X}
    if not np.isclose(weighted_gini(feature, cut), least[feature]):
        return ""
    if np.isclose(least[feature], min(least.values())):
        return ", the largest decrease of all splits"
    return f", the largest that {feature} can give"


def _rows_panel(feature, cut):
    students = [points(X["Time"][label == Y], X["Attends"][label == Y], colour=colour, shape=shape,
                       name=label)
                for label, (colour, shape) in LOOKS.items()]
    if feature == "Time":
        split = [region(x=(None, cut), colour="muted"),
                 handle(rule(x=cut, colour="ink", dashed=False), "threshold", CUTS)]
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


def _curve_panel(feature, parent, after, cut):
    curve = [weighted_gini("Time", place) for place in CUTS]
    if feature == "Time":
        diamond = points([cut], [after], colour="c2", shape="diamond", size=8)
        chosen, place, words = handle(diamond, "threshold", CUTS), cut, f"{after:.3f}"
    else:
        chosen, place = rule(y=after, colour="c2", dashed=False), 85
        words = f"attendance {after:.3f}"
    return panel(rule(y=parent), text(150, parent, f"parent {parent:.3f}", anchor="end",
                                      shift=(0, -9), colour="muted"),
                 line(CUTS, curve, colour="muted"), points(CUTS, curve, colour="muted", size=3),
                 chosen, text(place, after, words, shift=(0, 17), colour="c2"),
                 x=axis(20, 150, "threshold (minutes)"),
                 y=axis(0, 0.6, "weighted Gini of the children"), height=200)
