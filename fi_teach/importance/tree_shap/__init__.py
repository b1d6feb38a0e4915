"""TreeSHAP: Shapley values of tree models, exact and fast.

door      tree_shap, tree_shap_interactions
patterns  a leaf sees of a row only which features it fails: all 2^d answers in one table (the algorithm the book derives)
deep      Owen's integral, and pairs of rows that share no failure, for paths that test too many features for tables
slowly    the definition, the sum over leaves, and the published recursion, to which the others are held
"""

from fi_teach.importance.tree_shap.door import tree_shap, tree_shap_interactions
from fi_teach.importance.tree_shap.slowly import (
    leaf_shapley,
    row_passes,
    tree_shap_by_definition,
    tree_shap_by_leaves,
    tree_shap_by_recursion,
    tree_shap_interactions_by_definition,
)

__all__ = [
    "leaf_shapley",
    "row_passes",
    "tree_shap",
    "tree_shap_by_definition",
    "tree_shap_by_leaves",
    "tree_shap_by_recursion",
    "tree_shap_interactions",
    "tree_shap_interactions_by_definition",
]
