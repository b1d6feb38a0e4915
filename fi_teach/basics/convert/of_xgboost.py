"""xgboost: rows and thresholds in single precision, left when x < threshold, leaves add margins."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from fi_teach.basics.convert.shared import class_labels, has, in_column, link_of, with_base
from fi_teach.basics.forest import Forest
from fi_teach.basics.thresholds import double_threshold
from fi_teach.basics.tree import LEAF, UNDEFINED, Tree


def read(model) -> Forest:
    """A booster, or its scikit-learn face."""
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    kind = learner["gradient_booster"]["name"]
    if kind != "gbtree":
        raise ValueError(
            f"this xgboost model's booster is {kind!r}, expected 'gbtree': "
            "refit with booster='gbtree'.")
    content = learner["gradient_booster"]["model"]
    settings = learner["learner_model_param"]
    link = link_of(learner["objective"]["name"])
    n_outputs = max(1, int(settings["num_class"]))
    p = int(settings["num_feature"])
    names = tuple(learner["feature_names"]) or tuple(f"x{j}" for j in range(p))

    trees = []
    n_rounds, n_used = _n_used(model, content["iteration_indptr"])
    for m in range(n_used):
        tree = _tree_of(content["trees"][m], names)
        trees.append(in_column(tree, content["tree_info"][m], n_outputs))
    forest = Forest(
        tuple(trees),
        weights=np.ones(len(trees)),
        base=np.zeros(n_outputs),
        names=names,
        classes=class_labels(model, link, n_outputs),
        kind="boosting",
        link=link,
    )
    return with_base(forest, _margin(model, booster, names, n_rounds), model)


def _n_used(model, first_tree_of_round: list[int]) -> tuple[int, int]:
    """How many rounds and trees count: up to the best round, where fitting stopped early."""
    n_rounds = len(first_tree_of_round) - 1
    best = getattr(model, "best_iteration", n_rounds - 1)
    n_rounds = min(best + 1, n_rounds)
    return n_rounds, first_tree_of_round[n_rounds]


def _margin(model, booster, names: tuple, n_rounds: int) -> Callable:
    """The model's own margin as a function of rows; of categories, rows hold the codes."""
    if "c" in (booster.feature_types or ()):
        xgboost = sys.modules[type(booster).__module__.partition(".")[0]]
        return lambda rows: booster.predict(
            xgboost.DMatrix(rows, feature_types=booster.feature_types, enable_categorical=True),
            output_margin=True,
            validate_features=False,
            iteration_range=(0, n_rounds),
        )
    if booster is model:
        return lambda rows: model.inplace_predict(
            rows,
            predict_type="margin",
            validate_features=False,
        )
    return lambda rows: model.predict(
        pd.DataFrame(rows, columns=list(names)),
        output_margin=True,
        validate_features=False,
    )


def _tree_of(table: dict, names: tuple) -> Tree:
    """One tree of xgboost's JSON as a Tree.

    Its category lists say who goes RIGHT: where there is one, the children change places.
    """
    left, right = np.array(table["left_children"]), np.array(table["right_children"])
    leaf = left == LEAF
    condition = np.array(table["split_conditions"], dtype=np.float32).astype(float)
    by_category = (np.array(table["split_type"]) == 1) & ~leaf
    cover = np.array(table["sum_hessian"], dtype=float)
    inner_value = np.array(table["base_weights"], dtype=float)
    tree = Tree(
        np.where(by_category, right, left),
        np.where(by_category, left, right),
        np.where(leaf, UNDEFINED, table["split_indices"]),
        np.where(leaf | by_category, UNDEFINED, double_threshold(condition, strict=True)),
        impurity=np.full(len(leaf), np.nan),
        n_node_samples=np.rint(cover).astype(int),
        weighted_n_node_samples=cover,
        value=np.where(leaf, condition, inner_value)[:, None],
        names=names,
        criterion="none",
        missing_left=(np.array(table["default_left"]) == 1) ^ by_category,
        left_categories=_categories(table),
    )
    return _parents_first(tree)


def _categories(table: dict) -> dict:
    """{node: codes} for the splits on categories."""
    lists = zip(
        table["categories_nodes"],
        table["categories_segments"],
        table["categories_sizes"],
        strict=True,
    )
    codes = np.array(table["categories"], dtype=float)
    return {t: codes[start:start + size] for t, start, size in lists}


def _parents_first(tree: Tree) -> Tree:
    """The same tree with nodes renumbered from the root down; pruned nodes are dropped."""
    order = [0]
    for t in order:  # grows while it is read: children join the end of the queue
        if tree.children_left[t] != LEAF:
            order += [tree.children_left[t], tree.children_right[t]]
    number = np.full(tree.n_nodes + 1, LEAF)  # number[-1] stays -1: no child
    number[order] = np.arange(len(order))
    kept = {
        field: getattr(tree, field)[order]
        for field in (
            "feature",
            "threshold",
            "impurity",
            "n_node_samples",
            "weighted_n_node_samples",
            "value",
            "missing_left",
        )
    }
    return replace(
        tree,
        **kept,
        children_left=number[tree.children_left[order]],
        children_right=number[tree.children_right[order]],
        left_categories={int(number[t]): codes for t, codes in tree.left_categories.items()},
    )


READERS = (
    (has("get_booster", "n_features_in_"), read),
    (has("inplace_predict", "save_raw"), read),
)
