"""lightgbm: double precision, x <= threshold, gaps and zeros by each node's own rule.

A model's text has a paragraph a tree, a line a field. Splits are numbered 0, 1, 2, ...; a child
-1, -2, ... is leaf 0, 1, ... . Here the leaves follow the splits.

    num_leaves=3        left_child=1 -1      nodes 0 1 | 2 3 4    left  1 2
    split_feature=0 2   right_child=-3 -2    feature 0 2          right 4 3
"""

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.convert.common import class_labels, has, in_column, is_set, link_of, names_of
from fi_teach.basics.forest import Forest
from fi_teach.basics.tree import LEAF, UNDEFINED, Tree

BY_CATEGORY, DEFAULT_LEFT = 1, 2  # two bits of decision_type; the next two say what is missing
ZERO, NAN = 1, 2
SPLIT_FIELDS = (
    "split_feature",
    "threshold",
    "decision_type",
    "left_child",
    "right_child",
    "internal_value",
    "internal_count",
)


def read(model) -> Forest:
    """A booster, or its scikit-learn face."""
    booster = model.booster_ if hasattr(model, "booster_") else model
    head, *rest = booster.model_to_string().split("\n\n")
    header = _fields(head)
    tables = [_fields(paragraph) for paragraph in rest if "Tree=" in paragraph]
    objective = _objective(header)
    n_outputs = int(header["num_tree_per_iteration"])
    names = _names(model, booster)

    trees = []
    for m, table in enumerate(tables):
        trees.append(in_column(_tree_of(table, names), m % n_outputs, n_outputs))
    weight = n_outputs / len(trees) if "average_output" in header else 1.0
    return Forest(
        tuple(trees),
        weights=np.full(len(trees), weight),
        base=np.zeros(n_outputs),
        names=names,
        classes=class_labels(model, objective, n_outputs),
        kind="boosting",
        link=link_of(objective),
        words=_words(booster, header["feature_infos"].split()),
    )


def _fields(paragraph: str) -> dict[str, str]:
    """The lines name=value of a paragraph; a line without "=" is a name with an empty value."""
    lines = [line.partition("=") for line in paragraph.strip().split("\n")]
    return {name: value for name, _, value in lines}


def _objective(header: dict) -> str:
    """The objective's name, without settings that change nothing in how a score is read."""
    words = header.get("objective", "custom").split()
    scaled = [word for word in words if word.startswith("sigmoid:") and word != "sigmoid:1"]
    return " ".join(words) if scaled or "sqrt" in words else words[0]


def _names(model, booster) -> tuple:
    """The columns that the model was fitted on, or x0, x1, ..."""
    given = booster.feature_name()
    if given[0] == "Column_0" or hasattr(model, "feature_names_in_"):
        return names_of(model, len(given))
    return tuple(given)


def _words(booster, infos: list[str]) -> dict:
    """{feature: {category: its code}} of the columns of kind category, empty where nobody knows.

    LightGBM keeps the lists without saying whose they are. Its categorical columns are those whose
    info is no range [low:high]; an ordered category is one of the others.
    """
    lists = booster.pandas_categorical or []
    used = [j for j, info in enumerate(infos) if info[0] != "[" and info != "none"]
    with_unused = [j for j, info in enumerate(infos) if info[0] != "["]
    columns = used if len(used) == len(lists) else with_unused
    if lists and len(columns) != len(lists):
        return {j: {} for j in range(len(infos))}
    return {
        j: {word: float(code) for code, word in enumerate(words)}
        for j, words in zip(columns, lists, strict=False)
    }


def _tree_of(table: dict, names: tuple) -> Tree:
    """One paragraph as a Tree."""
    if table.get("is_linear") == "1":
        raise ValueError(
            "this lightgbm model has a linear model in each leaf: refit with linear_tree=False.")

    split = {field: _numbers(table, field) for field in SPLIT_FIELDS}
    n_leaves = int(table["num_leaves"])
    n_splits = n_leaves - 1
    kind = split["decision_type"].astype(int)
    by_category = kind & BY_CATEGORY > 0
    left_categories = _categories(table, np.flatnonzero(by_category), split["threshold"])
    missing_left = _missing_left(kind, split["threshold"]) & ~by_category
    zero_missing = (kind >> 2 == ZERO) & ~by_category
    count = np.zeros(n_splits + n_leaves, dtype=int)
    counts = np.concatenate([split["internal_count"], _numbers(table, "leaf_count")])
    count[:len(counts)] = counts

    def and_leaves(of_splits, of_leaf):
        return np.concatenate([of_splits, np.full(n_leaves, of_leaf)])

    return Tree(
        and_leaves(_children(split["left_child"], n_splits), LEAF),
        and_leaves(_children(split["right_child"], n_splits), LEAF),
        and_leaves(split["split_feature"].astype(int), UNDEFINED),
        and_leaves(np.where(by_category, UNDEFINED, split["threshold"]), UNDEFINED),
        impurity=np.full(len(count), np.nan),
        n_node_samples=count,
        weighted_n_node_samples=count.astype(float),
        value=np.concatenate([split["internal_value"], _numbers(table, "leaf_value")])[:, None],
        names=names,
        criterion="none",
        missing_left=and_leaves(missing_left, False),
        left_categories=left_categories,
        zero_missing=and_leaves(zero_missing, False),
    )


def _numbers(table: dict, field: str) -> NDArray:
    """A field's numbers, separated by blanks; none where there is no such field."""
    return np.array(table.get(field, "").split(), dtype=float)


def _children(child: NDArray, n_splits: int) -> NDArray:
    """Our numbers of children: those of leaves -1, -2, ... follow those of the splits."""
    child = child.astype(int)
    return np.where(child < 0, n_splits - 1 - child, child)


def _categories(table: dict, nodes: NDArray, threshold: NDArray) -> dict:
    """{node: codes that go left}: the threshold says which of the bitsets, of 32-bit words."""
    border = _numbers(table, "cat_boundaries").astype(int)
    words = _numbers(table, "cat_threshold").astype(np.int64)
    codes = {}
    for t in nodes.tolist():
        which = int(threshold[t])
        bitset = words[border[which]:border[which + 1]]
        codes[t] = np.flatnonzero(is_set(bitset, 32 * len(bitset))).astype(float)
    return codes


def _missing_left(kind: NDArray, threshold: NDArray) -> NDArray:
    """Where NaN goes at each threshold: unless gaps are treated as such, NaN is read as 0."""
    missing = kind >> 2
    by_rule = (missing == ZERO) | (missing == NAN)
    return np.where(by_rule, kind & DEFAULT_LEFT > 0, threshold >= 0)


READERS = (
    (has("booster_", "n_features_in_"), read),
    (has("dump_model", "num_trees"), read),
)
