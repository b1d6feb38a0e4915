"""Importance methods, one file a method; each takes any model that `basics.model` reads.

What a method cannot use, it refuses by a ValueError that says what came, what was expected and
what to do.
"""
# ruff: noqa: F401

from fi_teach.basics.exports import public_names as _public_names
from fi_teach.basics.multiple_testing import benjamini_hochberg, holm
from fi_teach.importance.boruta import boruta
from fi_teach.importance.causal import (
    CausalModel,
    backdoor_adjustment,
    backdoor_mean,
    collider_model,
    conditional_mean,
    confounder_model,
    descendants,
    do,
    interventional_mean,
    mediator_model,
    observe,
    parents,
    regression_adjustment,
    satisfies_backdoor,
)
from fi_teach.importance.conditional import conditional_importance, subgroups
from fi_teach.importance.conditional_randomization import conditional_randomization_test
from fi_teach.importance.debiased_mdi import debiased_mdi
from fi_teach.importance.drop_column import drop_column_importance
from fi_teach.importance.exact_permutation import (
    exact_permutation_importance,
    exact_permutation_importance_by_definition,
    pair_differences,
)
from fi_teach.importance.fairness import Proxies, group_gap, proxies
from fi_teach.importance.intervals import (
    naive_interval,
    receiver_donor_interval,
    row_bootstrap_interval,
    shuffle_differences,
)
from fi_teach.importance.kernel_shap import kernel_shap
from fi_teach.importance.knockoffs import (
    equicorrelated_s,
    gaussian_knockoffs,
    knockoff_filter,
    knockoff_law,
    knockoff_statistics,
    knockoff_threshold,
    mvr_s,
)
from fi_teach.importance.leakage import leak_suspects
from fi_teach.importance.mdi import decrease_by_feature, mdi
from fi_teach.importance.oob import oob_importance, oob_importance_per_tree
from fi_teach.importance.permutation import (
    permutation_importance,
    permutation_importance_by_definition,
    score_permutation_importance,
)
from fi_teach.importance.sage import sage, sage_by_definition
from fi_teach.importance.shapley import sampled_shapley_values, shapley_values
from fi_teach.importance.target_permutation import target_permutation_test
from fi_teach.importance.tree_explainer import tree_explainer
from fi_teach.importance.tree_shap import (
    tree_shap,
    tree_shap_by_definition,
    tree_shap_by_recursion,
    tree_shap_interactions,
    tree_shap_interactions_by_definition,
)

__all__ = _public_names(globals())
