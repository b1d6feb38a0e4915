"""Explorables: pictures with controls, whose every state was computed by Python.

`explorable` says how to make one; `marks` and `tree_marks` hold what a picture is made of; the other modules are one
explorable each. explorable.js draws all of them, and host.js shows them in a built page without a kernel.
"""

from fi_teach.widgets.explorable import Explorable, State, choice, explore, slider, switch
from fi_teach.widgets.golf_tree import explore_golf_trees
from fi_teach.widgets.impurity_curves import explore_impurity
from fi_teach.widgets.marks import axis, band, bars, box, categories, line, panel, points, region, rule, text
from fi_teach.widgets.split_explorer import explore_splits
from fi_teach.widgets.telescope import explore_telescope
from fi_teach.widgets.tree_marks import tree_panel

__all__ = [
    "Explorable",
    "State",
    "axis",
    "band",
    "bars",
    "box",
    "categories",
    "choice",
    "explore",
    "explore_golf_trees",
    "explore_impurity",
    "explore_splits",
    "explore_telescope",
    "line",
    "panel",
    "points",
    "region",
    "rule",
    "slider",
    "switch",
    "text",
    "tree_panel",
]
