"""Trees: the noun (Tree, Forest), the impurities, and ways to grow or borrow trees."""

from fi_teach.basics.convert import as_forest, from_model
from fi_teach.basics.forest import Forest
from fi_teach.basics.impurity import entropy, entropy_nats, gini, impurity_of, variance
from fi_teach.basics.nominal import NominalTree
from fi_teach.basics.tree import Tree
from fi_teach.trees.boosting import grow_adaboost, grow_boosting
from fi_teach.trees.c45 import (
    every_c45_tree,
    gain,
    gain_ratio,
    grow_c45,
    grow_cut_once,
)
from fi_teach.trees.cart import (
    Split,
    best_split,
    best_split_by_definition,
    every_greedy_tree,
    every_split,
    grow_cart,
    grow_cart_by_definition,
    midpoints,
    split_decrease,
    tied_splits,
)
from fi_teach.trees.chaid import ChaidSplit, chaid_splits, chi_square, chi_square_p_value
from fi_teach.trees.explain import WhatIf, rules, what_if
from fi_teach.trees.forest import (
    bootstrap_counts,
    grow_forest,
    grow_forest_by_definition,
    oob_prediction,
    oob_prediction_by_definition,
)
from fi_teach.trees.survival import (
    as_risk,
    grow_survival_forest,
    grow_survival_tree,
    log_rank,
    nelson_aalen,
)

__all__ = [
    "ChaidSplit",
    "Forest",
    "NominalTree",
    "Split",
    "Tree",
    "WhatIf",
    "as_forest",
    "as_risk",
    "best_split",
    "best_split_by_definition",
    "bootstrap_counts",
    "chaid_splits",
    "chi_square",
    "chi_square_p_value",
    "entropy",
    "entropy_nats",
    "every_c45_tree",
    "every_greedy_tree",
    "every_split",
    "from_model",
    "gain",
    "gain_ratio",
    "gini",
    "grow_adaboost",
    "grow_boosting",
    "grow_c45",
    "grow_cart",
    "grow_cart_by_definition",
    "grow_cut_once",
    "grow_forest",
    "grow_forest_by_definition",
    "grow_survival_forest",
    "grow_survival_tree",
    "impurity_of",
    "log_rank",
    "midpoints",
    "nelson_aalen",
    "oob_prediction",
    "oob_prediction_by_definition",
    "rules",
    "split_decrease",
    "tied_splits",
    "variance",
    "what_if",
]
