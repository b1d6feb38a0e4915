"""scikit-learn's trees, forests and boosting: rows are rounded to single precision before a test.

scikit-survival's are built on them. Histogram boosting alone compares doubles; it also knows gaps
and categories.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_teach.basics.convert.common import (
    has,
    in_column,
    is_set,
    names_of,
    several_classes,
    with_base,
)
from fi_teach.basics.forest import Forest
from fi_teach.basics.thresholds import double_threshold
from fi_teach.basics.tree import LEAF, UNDEFINED, Tree

CRITERION = {"log_loss": "entropy", "squared_error": "variance", "friedman_mse": "variance"}


# --- one tree ---------------------------------------------------------------------------------

def _tree_of(estimator, names: tuple, columns=None, *, takes_nan: bool = True) -> Tree:
    """One tree that predicts numbers, its value column by column.

    columns : the model's columns that this tree was shown, if not all
    takes_nan : does the library let NaN through?
    """
    is_marked = getattr(estimator, "categorical_features", None) is not None
    if np.any(getattr(estimator, "is_categorical_", is_marked)):
        raise ValueError(
            f"{type(estimator).__name__} splits on categories, which we read of histogram boosting "
            "alone: fit with categorical_features=None on codes, or use histogram boosting.")
    arrays = estimator.tree_
    inner = arrays.children_left != LEAF
    feature = arrays.feature.astype(int)
    if columns is not None:
        feature[inner] = np.asarray(columns)[feature[inner]]
    threshold = np.full(len(feature), float(UNDEFINED))
    threshold[inner] = double_threshold(arrays.threshold[inner])
    missing = getattr(arrays, "missing_go_to_left", None) if takes_nan else None
    return Tree(
        arrays.children_left.copy(),
        arrays.children_right.copy(),
        feature,
        threshold,
        impurity=arrays.impurity.copy(),
        n_node_samples=arrays.n_node_samples.copy(),
        weighted_n_node_samples=arrays.weighted_n_node_samples.copy(),
        value=_values(estimator),
        names=names,
        criterion=CRITERION.get(estimator.criterion, estimator.criterion),
        missing_left=None if missing is None else missing.astype(bool),
    )


def _values(estimator) -> NDArray:
    """Each node's numbers; a survival tree's risk, the sum of its cumulative hazards at events."""
    values = estimator.tree_.value[:, :, 0]
    at_events = getattr(estimator, "is_event_time_", None)
    if at_events is None or values.shape[1] != len(at_events):
        return values.copy()
    return values[:, at_events].sum(axis=1, keepdims=True)


def _class_tree_of(estimator, names: tuple, classes: tuple, columns=None) -> Tree:
    """One classification tree: its value becomes class shares, in the order of `classes`."""
    tree = _tree_of(estimator, names, columns)
    weight = estimator.tree_.value[:, 0, :]
    n_classes, own = len(classes), np.asarray(estimator.classes_)
    # Inside a forest a tree numbers the classes 0, 1, 2, ...; a bagged one may have missed some.
    place = own.astype(int) if len(own) < n_classes else np.arange(n_classes)
    shares = np.zeros((tree.n_nodes, n_classes))
    shares[:, place] = weight / weight.sum(axis=1, keepdims=True)
    return replace(tree, value=shares, classes=classes)


def _own_tree(estimator, names: tuple, classes: tuple | None, columns=None) -> Tree:
    """A tree of the kind that the model is."""
    if classes is None:
        return _tree_of(estimator, names, columns)
    return _class_tree_of(estimator, names, classes, columns)


def _classes(model) -> tuple | None:
    """The model's labels, or None for numbers."""
    classes = getattr(model, "classes_", None)
    if isinstance(classes, list):
        raise several_classes(model)
    return None if classes is None else tuple(np.asarray(classes).tolist())


# --- trees and forests ------------------------------------------------------------------------

def read_tree(model) -> Forest:
    """A decision tree, or an extra tree."""
    names, classes = names_of(model, model.n_features_in_), _classes(model)
    tree = _own_tree(model, names, classes)
    return _forest((tree,), np.ones(1), kind="tree")


def read_forest(model) -> Forest:
    """A forest, extra trees, or bagged trees: their mean."""
    estimators = model.estimators_
    _check_trees(model, "bags")
    names, classes = names_of(model, model.n_features_in_), _classes(model)
    shown = getattr(model, "estimators_features_", [None] * len(estimators))
    trees = tuple(
        _own_tree(estimator, names, classes, columns)
        for estimator, columns in zip(estimators, shown, strict=True)
    )
    weights = np.full(len(trees), 1 / len(trees))
    return _forest(trees, weights, in_bag=_in_bag(model))


def _check_trees(model, what_it_does: str) -> None:
    first = model.estimators_[0] if len(model.estimators_) else None
    if not hasattr(first, "tree_"):
        raise ValueError(
            f"{type(model).__name__} {what_it_does} {type(first).__name__}, expected trees.")


def _forest(trees: tuple, weights: NDArray, **others) -> Forest:
    """A Forest without a constant, its names and classes the trees'."""
    first = trees[0]
    meaning = {"names": first.names, "classes": first.classes} | others
    return Forest(trees, weights, np.zeros(first.value.shape[1]), **meaning)


def _in_bag(model) -> NDArray | None:
    """How often each tree saw each training row: (M, n) int, or None where nobody knows."""
    n_rows = getattr(model, "_n_samples", None)
    samples = getattr(model, "estimators_samples_", None)
    if n_rows is None or samples is None:
        return None
    return np.array([np.bincount(rows, minlength=n_rows) for rows in samples])


# --- AdaBoost and gradient boosting -----------------------------------------------------------

def read_adaboost(model) -> Forest:
    """AdaBoost: each tree votes for one class, with its weight; the others share a vote against."""
    if not hasattr(model, "classes_"):
        raise ValueError(
            "AdaBoostRegressor predicts the weighted median of its trees, which is no sum: "
            "use a gradient-boosting model, or explain its predict by sampling.")
    if getattr(model, "algorithm", "SAMME") == "SAMME.R":
        raise ValueError(
            'AdaBoost with algorithm="SAMME.R" adds up logarithms, not votes: '
            'fit it with algorithm="SAMME".')
    names, classes = names_of(model, model.n_features_in_), _classes(model) or ()
    _check_trees(model, "boosts")
    trees = tuple(_with_votes(_class_tree_of(tree, names, classes)) for tree in model.estimators_)
    weights = np.asarray(model.estimator_weights_[:len(trees)], dtype=float)
    return _forest(
        trees,
        weights / weights.sum(),
        classes=classes,
        kind="adaboost",
        link="logistic" if len(classes) == 2 else "samme",
    )


def _with_votes(tree: Tree) -> Tree:
    """Each leaf's shares replaced by its vote: 1 for its class, -1 / (K - 1) for the others.

    Two classes need one column: the vote for the second less the vote for the first, 2 or -2.
    """
    n_classes = tree.value.shape[1]
    largest = tree.value.argmax(axis=1)[:, None]
    against = -1 / max(1, n_classes - 1)
    votes = np.where(np.arange(n_classes) == largest, 1.0, against)
    if n_classes == 2:
        votes = votes[:, 1:] - votes[:, :1]
    return replace(tree, value=votes, classes=None)


def read_boosting(model) -> Forest:
    """Gradient boosting: a constant, and a row of trees a stage, one for each output."""
    names, classes = names_of(model, model.n_features_in_), _classes(model)
    n_outputs = model.estimators_.shape[1]
    trees = _in_stages(model.estimators_, partial(_tree_of, names=names, takes_nan=False))
    forest = _forest(
        trees,
        np.full(len(trees), float(model.learning_rate)),
        classes=classes,
        kind="boosting",
        link="exponential" if model.loss == "exponential" else _boosting_link(classes, n_outputs),
    )
    raw_of = model.predict if classes is None else model.decision_function
    return with_base(forest, raw_of, model)


def _in_stages(stages, read_one) -> tuple:
    """The trees of all stages, each stage's k-th for the output k."""
    return tuple(
        in_column(read_one(tree), k, len(stage))
        for stage in stages
        for k, tree in enumerate(stage)
    )


def _boosting_link(classes: tuple | None, n_outputs: int) -> str:
    if classes is None:
        return "identity"
    return "logistic" if n_outputs == 1 else "softmax"


# --- histogram boosting -----------------------------------------------------------------------

def read_histogram_boosting(model) -> Forest:
    """Histogram boosting: double-precision thresholds, gaps and categories, no impurities."""
    names, classes = names_of(model, model.n_features_in_), _classes(model)
    columns, codes, words = _histogram_columns(model)
    read_one = partial(_histogram_tree, names=names, columns=columns, codes=codes)
    trees = _in_stages(model._predictors, read_one)
    link = _boosting_link(classes, len(model._predictors[0]))
    if model.loss in ("poisson", "gamma"):
        link = "exp"
    base = np.ravel(model._baseline_prediction).astype(float)
    forest = _forest(trees, np.ones(len(trees)), classes=classes, kind="boosting", link=link)
    return replace(forest, base=base, words=words)


def _histogram_columns(model) -> tuple[NDArray, dict, dict]:
    """Which of our columns each of the library's is, and what its codes 0, 1, ... stand for.

    -> columns, {column: values that the trees compare}, {column: {category: its value}}; numbers
    are their own values, words are numbered

    The library encodes categories first, and in doing so moves those columns to the front.
    """
    p, categorical = model.n_features_in_, model.is_categorical_
    if categorical is None:
        return np.arange(p), {}, {}
    if getattr(model, "_preprocessor", None) is None:  # before scikit-learn 1.4: codes as they came
        return np.arange(p), {j: np.arange(256.0) for j in np.flatnonzero(categorical)}, {}
    columns = np.concatenate([np.flatnonzero(categorical), np.flatnonzero(~categorical)])
    categories = model._preprocessor.named_transformers_["encoder"].categories_
    codes, words = {}, {}
    for j, values in zip(columns.tolist(), categories, strict=False):
        known = np.asarray(values)[~pd.isna(values)]
        has_numbers = known.dtype.kind in "biuf"
        codes[j] = known.astype(float) if has_numbers else np.arange(float(len(known)))
        words[j] = dict(zip(known.tolist(), codes[j].tolist(), strict=True))
    return columns, codes, words


def _histogram_tree(predictor, names: tuple, columns: NDArray, codes: dict) -> Tree:
    """One predictor of histogram boosting as a Tree."""
    nodes = predictor.nodes
    leaf = nodes["is_leaf"].astype(bool)
    by_category = nodes["is_categorical"].astype(bool) & ~leaf
    feature = np.where(leaf, UNDEFINED, columns[nodes["feature_idx"]])
    left_categories = {}
    for t in np.flatnonzero(by_category):
        bitset = predictor.raw_left_cat_bitsets[nodes["bitset_idx"][t]]
        values = codes[feature[t]]
        left_categories[int(t)] = values[is_set(bitset, len(values))]
    return Tree(
        np.where(leaf, LEAF, nodes["left"].astype(int)),
        np.where(leaf, LEAF, nodes["right"].astype(int)),
        feature,
        np.where(leaf | by_category, UNDEFINED, nodes["num_threshold"]),
        impurity=np.full(len(nodes), np.nan),
        n_node_samples=nodes["count"].astype(int),
        weighted_n_node_samples=nodes["count"].astype(float),
        value=nodes["value"][:, None].astype(float),
        names=names,
        criterion="none",
        missing_left=nodes["missing_go_to_left"].astype(bool),
        left_categories=left_categories,
        known_categories=codes,
    )


# --- votes ------------------------------------------------------------------------------------

def read_voting(model) -> Forest:
    """A vote: the weighted mean of what its members predict, where these are trees and forests.

    A member of VotingRegressor may be any model whose raw score is its prediction, of
    VotingClassifier any whose raw score is class probabilities.
    """
    classes = _classes(model)
    if classes and model.voting != "soft":
        raise ValueError(
            "VotingClassifier with voting='hard' counts votes for labels, which is no sum of "
            "trees: fit it with voting='soft', or explain a member.")
    members = []
    for member in model.estimators_:
        read = next((read for recognises, read in MEMBERS if recognises(member)), None)
        if read is None:
            raise ValueError(
                f"the vote's member {type(member).__name__} is not made of trees of scikit-learn: "
                "vote with trees, forests and boosting of scikit-learn, or explain each member.")
        members.append(read(member))
    shares = np.array(model._weights_not_none or np.ones(len(members)), dtype=float)
    shares /= shares.sum()
    for forest, member in zip(members, model.estimators_, strict=True):
        if forest.link != "identity" or forest.n_outputs != members[0].n_outputs:
            raise ValueError(
                f"{type(model).__name__} averages predictions, and those of its "
                f"{type(member).__name__} are no sum of trees (link {forest.link!r}): vote with "
                "trees and forests, or explain the member.")
    trees = [replace(tree, classes=classes) for forest in members for tree in forest.trees]
    weights = [
        share * forest.weights for share, forest in zip(shares, members, strict=True)]
    base = sum(share * forest.base for share, forest in zip(shares, members, strict=True))
    forest = _forest(tuple(trees), np.concatenate(weights), classes=classes, kind="voting")
    return replace(forest, base=base, names=names_of(model, forest.n_features))


# --- who reads what ---------------------------------------------------------------------------

def _adds_up(model) -> bool:
    """A forest or a bag; not an isolation forest (offset_), which scores paths."""
    is_ensemble = has("estimators_", "bootstrap", "predict")
    return is_ensemble(model) and not hasattr(model, "offset_")


MEMBERS = (
    (has("tree_", "criterion"), read_tree),
    (has("estimators_", "estimator_weights_"), read_adaboost),
    (has("estimators_", "learning_rate", "init_"), read_boosting),
    (has("_predictors", "_baseline_prediction"), read_histogram_boosting),
    (_adds_up, read_forest),
)
READERS = (*MEMBERS, (has("estimators_", "named_estimators_", "_weights_not_none"), read_voting))
