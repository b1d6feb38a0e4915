"""xgboost: rows and thresholds in single precision, left when x < threshold, leaves add margins."""

import json
from dataclasses import fields, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.convert.common import (
    class_labels,
    has,
    in_column,
    link_of,
    several_classes,
    with_base,
)
from fi_teach.basics.forest import Forest
from fi_teach.basics.thresholds import double_threshold
from fi_teach.basics.tree import LEAF, UNDEFINED, Tree


def read(model) -> Forest:
    """A booster, or its scikit-learn face."""
    _check_missing(model)
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    content, weight_drop = _trees_of(learner["gradient_booster"])
    settings = learner["learner_model_param"]
    objective = learner["objective"]["name"]
    n_targets = int(settings.get("num_target", 1))
    n_outputs = max(1, int(settings["num_class"]), n_targets)
    names = tuple(learner["feature_names"])
    names = names or tuple(f"x{j}" for j in range(int(settings["num_feature"])))
    classes = class_labels(model, objective, n_outputs)
    if classes and n_targets > 1:
        raise several_classes(model)

    n_rounds, n_used = _n_used(model, content["iteration_indptr"])
    trees = [_tree_of(table, names) for table in content["trees"][:n_used]]
    outputs = content["tree_info"][:n_used]
    forest = Forest(
        tuple(in_column(tree, k, n_outputs) for tree, k in zip(trees, outputs, strict=True)),
        weights=np.array(weight_drop[:n_used] or [1.0] * n_used, dtype=float),
        base=np.zeros(n_outputs),
        names=names,
        classes=classes,
        kind="boosting",
        link=link_of(objective),
        words=_words(content.get("cats", {})),
        takes_new_words=False,
    )

    settings = {"iteration_range": (0, n_rounds), "predict_type": "margin"}
    margin = partial(booster.inplace_predict, validate_features=False, **settings)
    return with_base(forest, margin, model)


def _check_missing(model) -> None:
    mark = getattr(model, "missing", None)
    if mark is not None and not np.isnan(mark):
        raise ValueError(
            f"this xgboost model reads {mark:g} as a missing value, and our trees read NaN: "
            "replace it by NaN in the table and refit without `missing`.")


def _trees_of(gradient_booster: dict) -> tuple[dict, list]:
    """The trees, and what each of them counts: DART shrinks those that it once dropped."""
    kind = gradient_booster["name"]
    if kind == "gbtree":
        return gradient_booster["model"], []
    if kind == "dart":
        return gradient_booster["gbtree"]["model"], gradient_booster["weight_drop"]
    raise ValueError(
        f"this xgboost model's booster is {kind!r}, expected 'gbtree' or 'dart': "
        "refit with booster='gbtree'.")


def _words(cats: dict) -> dict:
    """{feature: {category: its code}}, empty where letters beyond ASCII spoil the categories.

    XGBoost 3.2 counts letters where it should count bytes, and cuts such words off.
    """
    words = {}
    for j, column in enumerate(cats.get("enc", [])):
        values = column["values"]
        if not values:
            continue
        if "offsets" in column:  # words, as bytes one after the other
            is_ascii = all(0 <= byte < 128 for byte in values)
            letters = bytes(values).decode() if is_ascii else ""
            ends = column["offsets"] if is_ascii else []
            values = [letters[start:end] for start, end in pairwise(ends)]
        words[j] = {value: float(code) for code, value in enumerate(values)}
    return words


def _n_used(model, first_tree_of_round: list[int]) -> tuple[int, int]:
    """How many rounds and trees count: up to the best round, where fitting stopped early."""
    n_rounds = len(first_tree_of_round) - 1
    best = getattr(model, "best_iteration", n_rounds - 1)
    n_rounds = min(best + 1, n_rounds)
    return n_rounds, first_tree_of_round[n_rounds]


def _tree_of(table: dict, names: tuple) -> Tree:
    """One tree of xgboost's JSON as a Tree.

    Its category lists say who goes RIGHT: where there is one, the children change places.
    """
    left, right = np.array(table["left_children"]), np.array(table["right_children"])
    leaf = left == LEAF
    condition = np.array(table["split_conditions"], dtype=np.float32).astype(float)
    by_category = (np.array(table["split_type"]) == 1) & ~leaf
    cover = np.array(table["sum_hessian"], dtype=float)
    value = np.array(table["base_weights"], dtype=float).reshape(len(leaf), -1)
    if value.shape[1] == 1:
        value[leaf, 0] = condition[leaf]
    else:
        value[leaf] = _leaf_vectors(table, right[leaf])
        left, right = np.where(leaf, LEAF, left), np.where(leaf, LEAF, right)
    tree = Tree(
        np.where(by_category, right, left),
        np.where(by_category, left, right),
        np.where(leaf, UNDEFINED, table["split_indices"]),
        np.where(leaf | by_category, UNDEFINED, double_threshold(condition, strict=True)),
        impurity=np.full(len(leaf), np.nan),
        n_node_samples=np.rint(cover).astype(int),
        weighted_n_node_samples=cover,
        value=value,
        names=names,
        criterion="none",
        missing_left=(np.array(table["default_left"]) == 1) ^ by_category,
        left_categories=_categories(table),
    )
    return _parents_first(tree)


def _leaf_vectors(table: dict, which: NDArray) -> NDArray:
    """A value for each output in each leaf, `which` numbers the leaves -> (leaves, n_outputs)."""
    if "leaf_weights" not in table:
        raise ValueError(
            "this xgboost model has a vector in each leaf, stored in the way of an older version: "
            "refit with multi_strategy='one_output_per_tree', or with xgboost 3.2 or newer.")
    weights = np.array(table["leaf_weights"], dtype=np.float32).astype(float)
    return weights.reshape(len(which), -1)[which]


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
    values = {field.name: getattr(tree, field.name) for field in fields(tree)}
    kept: dict[str, Any] = {
        name: of[order] for name, of in values.items() if isinstance(of, np.ndarray)}
    for side in ("children_left", "children_right"):
        kept[side] = number[kept[side]]
    codes = {int(number[t]): codes for t, codes in tree.left_categories.items()}
    return replace(tree, **kept, left_categories=codes)


READERS = (
    (has("get_booster", "n_features_in_"), read),
    (has("inplace_predict", "save_raw"), read),
)
