"""Trees: the classes Tree and Forest, impurities, and functions that grow or read trees.

Tables, targets and limits that cannot be used are refused by a ValueError that says what to do.
"""
# ruff: noqa: F401

from fi_teach.basics.convert import as_forest, from_model
from fi_teach.basics.exports import public_names as _public_names
from fi_teach.basics.forest import Forest
from fi_teach.basics.impurity import entropy, entropy_nats, gini, variance
from fi_teach.basics.nominal import NominalTree
from fi_teach.basics.thresholds import midpoints
from fi_teach.basics.tree import Tree
from fi_teach.trees.boosting import grow_adaboost, grow_boosting
from fi_teach.trees.c45 import every_c45_tree, gain, gain_ratio, grow_c45, grow_cut_once
from fi_teach.trees.cart import (
    Split,
    best_split,
    best_split_by_definition,
    every_greedy_tree,
    grow_cart,
    grow_cart_by_definition,
    split_decrease,
)
from fi_teach.trees.chaid import ChaidSplit, chaid_splits, chi_square, chi_square_p_value
from fi_teach.trees.explain import WhatIf, rules, what_if
from fi_teach.trees.forest import bootstrap_counts, grow_forest, oob_prediction
from fi_teach.trees.survival import as_risk, grow_survival_forest, log_rank, nelson_aalen

__all__ = _public_names(globals())
