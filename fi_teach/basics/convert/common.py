"""What all libraries' models have in common: attributes, outputs, constants and objectives."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.forest import Forest
from fi_teach.basics.tree import Tree

LINKS = {
    "identity": (
        "reg:squarederror",
        "reg:absoluteerror",
        "reg:pseudohubererror",
        "reg:quantileerror",
        "reg:expectileerror",
        "reg:squaredlogerror",
        "rank:pairwise",
        "rank:ndcg",
        "rank:map",
        "regression",
        "regression_l1",
        "huber",
        "fair",
        "quantile",
        "mape",
        "lambdarank",
        "rank_xendcg",
    ),
    "exp": (
        "count:poisson",
        "reg:gamma",
        "reg:tweedie",
        "survival:cox",
        "survival:aft",
        "poisson",
        "gamma",
        "tweedie",
    ),
    "logistic": (
        "reg:logistic",
        "binary:logistic",
        "binary:logitraw",
        "binary",
        "multiclassova",
        "cross_entropy",
    ),
    "softmax": ("multi:softprob", "multi:softmax", "multiclass"),
}
SHARES = ("reg:logistic", "cross_entropy")  # their target is a share, not a class


def has(*names: str) -> Callable[[object], bool]:
    """A question to a model: has it all these attributes?"""
    return lambda model: all(hasattr(model, name) for name in names)


def names_of(model: object, p: int) -> tuple:
    """The columns that the model was fitted on, or x0, x1, ..."""
    given = getattr(model, "feature_names_in_", None)
    if given is None:
        return tuple(f"x{j}" for j in range(p))
    return tuple(map(str, given))


def link_of(objective: str) -> str:
    """What a raw score of this objective still needs to become a prediction."""
    for link, objectives in LINKS.items():
        if objective in objectives:
            return link
    raise ValueError(
        f"the objective {objective!r} is not one we can read: fit with a squared-error, logistic, "
        "softmax, Poisson, gamma or Tweedie objective.")


def class_labels(model: object, objective: str, n_outputs: int) -> tuple | None:
    """A booster knows its classes by number; its scikit-learn face knows their names."""
    if link_of(objective) not in ("logistic", "softmax") or objective in SHARES:
        return None
    given = getattr(model, "classes_", None)
    if given is None:
        return tuple(range(max(2, n_outputs)))
    return tuple(np.asarray(given).tolist())


def is_set(bitset: NDArray, n_bits: int) -> NDArray:
    """Which of the first bits are set in a row of 32-bit words -> (n_bits,) bool."""
    bit = np.arange(n_bits)
    return bitset[bit // 32].astype(np.int64) >> bit % 32 & 1 == 1


def several_classes(model: object) -> ValueError:
    """The refusal of a classifier that predicts several columns of classes."""
    return ValueError(
        f"{type(model).__name__} predicts several columns of classes: "
        "fit one model for each column.")


def in_column(tree: Tree, k: int, n_outputs: int) -> Tree:
    """Put a boosting tree's value into column k, zeros elsewhere; a vector has its columns."""
    if tree.value.shape[1] > 1:
        return tree
    value = np.zeros((tree.n_nodes, n_outputs))
    value[:, k] = tree.value[:, 0]
    return replace(tree, value=value)


def with_base(forest: Forest, raw_of: Callable, model: object) -> Forest:
    """The forest with its constant: what the model says less what its trees say."""
    rows = np.zeros((2, forest.n_features))
    rows[1] = 1.0
    trees_say = forest.raw(rows)
    gap = np.reshape(raw_of(rows), (2, -1)) - trees_say
    scale = 1 + np.abs(gap).max() + np.abs(trees_say).max()
    if np.abs(gap[0] - gap[1]).max() > 1e-4 * scale:
        raise ValueError(
            f"{type(model).__name__} starts from a model (init), not from a constant, so its trees "
            "tell only part of the story: fit it with init=None or init='zero'.")
    return replace(forest, base=gap[0])
