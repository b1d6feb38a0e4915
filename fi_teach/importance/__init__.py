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
from fi_teach.importance.conditional import (
    conditional_importance,
    conditional_importance_by_definition,
    subgroups,
)
from fi_teach.importance.conditional_randomization import conditional_randomization_test
from fi_teach.importance.debiased_mdi import debiased_mdi
from fi_teach.importance.drop_column import (
    drop_column_importance,
)
from fi_teach.importance.exact_permutation import (
    exact_permutation_importance,
    exact_permutation_importance_by_definition,
    pair_differences,
)
from fi_teach.importance.fairness import group_gap, proxies
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
from fi_teach.importance.oob import (
    oob_importance,
    oob_importance_by_definition,
    oob_importance_per_tree,
    oob_importance_per_tree_by_definition,
)
from fi_teach.importance.permutation import (
    columnwise_permutation_importance,
    grouped_permutation_importance,
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

__all__ = [
    "CausalModel",
    "backdoor_adjustment",
    "backdoor_mean",
    "benjamini_hochberg",
    "boruta",
    "collider_model",
    "columnwise_permutation_importance",
    "conditional_importance",
    "conditional_importance_by_definition",
    "conditional_mean",
    "conditional_randomization_test",
    "confounder_model",
    "debiased_mdi",
    "decrease_by_feature",
    "descendants",
    "do",
    "drop_column_importance",
    "equicorrelated_s",
    "exact_permutation_importance",
    "exact_permutation_importance_by_definition",
    "gaussian_knockoffs",
    "group_gap",
    "grouped_permutation_importance",
    "holm",
    "interventional_mean",
    "kernel_shap",
    "knockoff_filter",
    "knockoff_law",
    "knockoff_statistics",
    "knockoff_threshold",
    "leak_suspects",
    "mdi",
    "mediator_model",
    "mvr_s",
    "naive_interval",
    "observe",
    "oob_importance",
    "oob_importance_by_definition",
    "oob_importance_per_tree",
    "oob_importance_per_tree_by_definition",
    "pair_differences",
    "parents",
    "permutation_importance",
    "permutation_importance_by_definition",
    "proxies",
    "receiver_donor_interval",
    "regression_adjustment",
    "row_bootstrap_interval",
    "sage",
    "sage_by_definition",
    "sampled_shapley_values",
    "satisfies_backdoor",
    "score_permutation_importance",
    "shapley_values",
    "shuffle_differences",
    "subgroups",
    "target_permutation_test",
    "tree_explainer",
    "tree_shap",
    "tree_shap_by_definition",
    "tree_shap_by_recursion",
    "tree_shap_interactions",
    "tree_shap_interactions_by_definition",
]
