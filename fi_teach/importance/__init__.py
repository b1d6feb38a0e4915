from fi_teach.importance.conditional import (
    conditional_importance,
    conditional_importance_by_definition,
    subgroups,
)
from fi_teach.importance.drop_column import (
    drop_column_importance,
)
from fi_teach.importance.exact_permutation import (
    exact_permutation_importance,
    exact_permutation_importance_by_definition,
    pair_differences,
)
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
    knockoff_statistics,
    knockoff_threshold,
    mvr_s,
)
from fi_teach.importance.mdi import debiased_mdi, decrease_by_feature, mdi
from fi_teach.importance.null_tests import (
    benjamini_hochberg,
    bonferroni,
    boruta,
    holm,
    null_copy_test,
    target_permutation_test,
)
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
from fi_teach.importance.tree_shap import (
    tree_shap,
    tree_shap_by_definition,
    tree_shap_by_leaves,
    tree_shap_by_recursion,
    tree_shap_interactions,
    tree_shap_interactions_by_definition,
)

__all__ = [
    "benjamini_hochberg",
    "bonferroni",
    "boruta",
    "columnwise_permutation_importance",
    "conditional_importance",
    "conditional_importance_by_definition",
    "debiased_mdi",
    "decrease_by_feature",
    "drop_column_importance",
    "equicorrelated_s",
    "exact_permutation_importance",
    "exact_permutation_importance_by_definition",
    "gaussian_knockoffs",
    "holm",
    "grouped_permutation_importance",
    "kernel_shap",
    "knockoff_filter",
    "knockoff_statistics",
    "knockoff_threshold",
    "mdi",
    "mvr_s",
    "naive_interval",
    "null_copy_test",
    "oob_importance",
    "oob_importance_by_definition",
    "oob_importance_per_tree",
    "oob_importance_per_tree_by_definition",
    "pair_differences",
    "permutation_importance",
    "permutation_importance_by_definition",
    "receiver_donor_interval",
    "row_bootstrap_interval",
    "sage",
    "sage_by_definition",
    "sampled_shapley_values",
    "score_permutation_importance",
    "shapley_values",
    "shuffle_differences",
    "subgroups",
    "target_permutation_test",
    "tree_shap",
    "tree_shap_by_definition",
    "tree_shap_by_leaves",
    "tree_shap_by_recursion",
    "tree_shap_interactions",
    "tree_shap_interactions_by_definition",
]
