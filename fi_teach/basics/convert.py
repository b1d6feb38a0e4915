"""A fitted tree is a table of questions, whoever fitted it: this module reads other libraries' tables into ours.

Models are recognised by their attributes alone; no other library is imported. Two traps are settled here, once:
libraries that compare in single precision (scikit-learn's trees, xgboost) get thresholds that say the same about doubles,
and a boosting model's constant is whatever the model says less what its trees say.
"""

import json
from dataclasses import replace

import numpy as np
import pandas as pd

from fi_teach.basics.tree import LEAF, UNDEFINED, Forest, Tree

CRITERION = {"log_loss": "entropy", "squared_error": "variance", "friedman_mse": "variance"}

KNOWN = ("a tree, forest, extra-trees, bagging, AdaBoost, gradient-boosting or histogram-boosting model of scikit-learn, "
         "or one of xgboost or lightgbm")


def as_forest(model):
    """Any tree model as a Forest: our Forest as it is, our Tree as a forest of one, all else by from_model.

    >>> from fi_teach.trees.cart import grow_cart
    >>> as_forest(grow_cart([[0], [1]], ["no", "yes"])).kind
    'tree'
    """
    if isinstance(model, Forest):
        return model
    if isinstance(model, Tree):
        return Forest((model,), np.ones(1), np.zeros(model.value.shape[1]), model.names, model.classes, kind="tree")
    return from_model(model)


def from_model(model):
    """Read a fitted model of scikit-learn, xgboost or lightgbm -> Forest.

    raw(x) = base + sum over m of weights[m] * value_m(x) is the library's own figure: class probabilities or the number
    for trees and forests, decision_function for AdaBoost and boosting classifiers, the margin or raw score for xgboost
    and lightgbm. Node counts are kept as the library has them (xgboost: summed Hessians); histogram boosting, xgboost
    and lightgbm keep no impurities (NaN).

    Raises ValueError for a model that is not fitted, is not made of trees, or does not add its trees up.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from_model(DecisionTreeClassifier().fit([[0], [1]], ["no", "yes"])).predict([[0], [1]])
    array(['no', 'yes'], dtype='<U3')
    """
    if isinstance(model, Tree | Forest):
        return as_forest(model)
    for recognises, read in READERS:
        if recognises(model):
            return read(model)
    raise ValueError(_what_to_do(model))


def _what_to_do(model):
    """A sentence for a model that no reader takes."""
    kind = type(model).__name__
    if isinstance(model, type):
        return f"{kind} {model.__name__} came, expected a fitted model: create one and fit it."
    if hasattr(model, "best_estimator_"):
        return f"{kind} is a search, not a model: pass its best_estimator_."
    if hasattr(model, "steps"):
        return f"{kind} is a pipeline: pass its last step, model[-1], and the table as model[:-1].transform(X) gives it."
    if hasattr(model, "fit"):
        return f"{kind} is not fitted, or is not made of trees that add up: expected {KNOWN}, after fit."
    return f"{kind} came, expected a fitted model: {KNOWN}, or our own Tree or Forest."


# --- single precision -------------------------------------------------------------------------------------------------

def double_threshold(threshold, *, strict=False):
    """The threshold that tells doubles apart exactly as a library does that first rounds them to single precision.

    For every double x: x <= result if and only if float32(x) <= threshold (or < threshold, if `strict`).

    Rounding never changes the order, so such a number exists: it is where single precision stops rounding down. A
    threshold merely copied sends some of the library's own training rows to the wrong side.

    threshold (m,) -> (m,) float64

    >>> x = 0.1  # rounds up in single precision
    >>> bool(np.float32(x) <= np.float64(x)), bool(x <= double_threshold(np.array([x]))[0])
    (False, False)
    """
    threshold = np.asarray(threshold, dtype=float)
    below = threshold.astype(np.float32)  # the last single-precision number that goes left
    too_high = below.astype(float) >= threshold if strict else below.astype(float) > threshold
    below = np.where(too_high, np.nextafter(below, np.float32(-np.inf)), below)
    above = np.nextafter(below, np.float32(np.inf))
    middle = below.astype(float) / 2 + above.astype(float) / 2
    rounds_down = middle.astype(np.float32) == below  # the middle itself goes to the even one of its neighbours
    return np.where(rounds_down, middle, np.nextafter(middle, -np.inf))


# --- scikit-learn -----------------------------------------------------------------------------------------------------

def _names(model, p):
    """The columns the model was fitted on, or x0, x1, ..."""
    given = getattr(model, "feature_names_in_", None)
    return tuple(f"x{j}" for j in range(p)) if given is None else tuple(map(str, given))


def _classes(model):
    """The model's labels, or None for numbers."""
    classes = getattr(model, "classes_", None)
    if isinstance(classes, list):
        raise ValueError(f"{type(model).__name__} predicts several columns of classes: fit one model for each column.")
    return None if classes is None else tuple(np.asarray(classes).tolist())


def _is_inner(arrays):
    return arrays.children_left != LEAF


def _tree_of(estimator, names, *, columns=None, takes_nan=True):
    """One of scikit-learn's trees as a Tree that predicts numbers, its value column by column.

    columns : the model's columns that this tree was shown, if not all; takes_nan : does the library let NaN through?
    """
    arrays, inner = estimator.tree_, _is_inner(estimator.tree_)
    feature = arrays.feature if columns is None else np.where(inner, np.asarray(columns)[arrays.feature], UNDEFINED)
    threshold = np.full(len(feature), float(UNDEFINED))
    threshold[inner] = double_threshold(arrays.threshold[inner])
    missing = getattr(arrays, "missing_go_to_left", None)
    return Tree(
        arrays.children_left.copy(), arrays.children_right.copy(), feature.astype(int), threshold, arrays.impurity.copy(),
        arrays.n_node_samples.copy(), arrays.weighted_n_node_samples.copy(), arrays.value[:, :, 0].copy(), names,
        criterion=CRITERION.get(estimator.criterion, estimator.criterion),
        missing_left=missing.astype(bool) if takes_nan and missing is not None else None)


def _class_tree_of(estimator, names, classes, *, columns=None):
    """One of scikit-learn's classification trees: its value becomes class shares, in the order of `classes`."""
    tree = _tree_of(estimator, names, columns=columns)
    value = estimator.tree_.value[:, 0, :]
    shares = np.zeros((tree.n_nodes, len(classes)))
    own = np.asarray(estimator.classes_)
    # Inside a forest a tree numbers the forest's classes 0, 1, 2, ...; a bagged one may have missed some.
    place = own.astype(int) if len(own) < len(classes) else np.arange(len(classes))
    shares[:, place] = value / value.sum(axis=1, keepdims=True)
    return replace(tree, value=shares, classes=classes)


def _own_tree(model, estimator, names, classes, columns=None):
    if classes is None:
        return _tree_of(estimator, names, columns=columns)
    return _class_tree_of(estimator, names, classes, columns=columns)


def _read_tree(model):
    """A decision tree, or an extra tree."""
    names, classes = _names(model, model.n_features_in_), _classes(model)
    return as_forest(_own_tree(model, model, names, classes))


def _read_forest(model):
    """A forest, extra trees, or bagged trees: their mean."""
    names, classes = _names(model, model.n_features_in_), _classes(model)
    shown = getattr(model, "estimators_features_", [None] * len(model.estimators_))
    if not all(hasattr(estimator, "tree_") for estimator in model.estimators_):
        raise ValueError(f"{type(model).__name__} bags {type(model.estimators_[0]).__name__}, expected trees.")
    trees = tuple(_own_tree(model, estimator, names, classes, columns)
                  for estimator, columns in zip(model.estimators_, shown, strict=True))
    weights = np.full(len(trees), 1 / len(trees))
    return Forest(trees, weights, np.zeros(trees[0].value.shape[1]), names, classes, in_bag=_in_bag(model))


def _in_bag(model):
    """How often each tree saw each training row: (M, n) int, or None where the model cannot say."""
    n, samples = getattr(model, "_n_samples", None), getattr(model, "estimators_samples_", None)
    if n is None or samples is None:
        return None
    return np.array([np.bincount(rows, minlength=n) for rows in samples])


def _read_adaboost(model):
    """AdaBoost: each tree votes for one class, with its weight; the other classes share a vote against them."""
    if not hasattr(model, "classes_"):
        raise ValueError("AdaBoostRegressor predicts the weighted median of its trees, which is no sum: "
                         "use a gradient-boosting model, or explain its predict by sampling.")
    if getattr(model, "algorithm", "SAMME") == "SAMME.R":
        raise ValueError('AdaBoost with algorithm="SAMME.R" adds up logarithms, not votes: fit it with algorithm="SAMME".')
    names, classes = _names(model, model.n_features_in_), _classes(model)
    trees = tuple(_vote(_class_tree_of(tree, names, classes)) for tree in model.estimators_)
    weights = np.asarray(model.estimator_weights_[:len(trees)], dtype=float)
    link = "logistic" if len(classes) == 2 else "samme"
    return Forest(trees, weights / weights.sum(), np.zeros(trees[0].value.shape[1]), names, classes, "adaboost", link)


def _vote(tree):
    """A classification tree with each leaf's shares replaced by its vote: 1 for its class, -1 / (K - 1) for the others.

    Two classes need one column: scikit-learn takes the vote for the second less the vote for the first, 2 or -2.
    """
    K = tree.value.shape[1]
    votes = np.where(np.arange(K) == tree.value.argmax(axis=1)[:, None], 1.0, -1 / max(1, K - 1))
    return replace(tree, value=votes[:, 1:] - votes[:, :1] if K == 2 else votes, classes=None)


def _read_boosting(model):
    """Gradient boosting: a constant, and a row of trees a stage, one for each output."""
    names, classes = _names(model, model.n_features_in_), _classes(model)
    outputs = model.estimators_.shape[1]
    trees = tuple(_in_column(_tree_of(tree, names, takes_nan=False), k, outputs)
                  for stage in model.estimators_ for k, tree in enumerate(stage))
    weights = np.full(len(trees), float(model.learning_rate))
    link = "identity" if classes is None else "logistic" if outputs == 1 else "softmax"
    forest = Forest(trees, weights, np.zeros(outputs), names, classes, "boosting", link)
    return _with_base(forest, model.predict if classes is None else model.decision_function, model)


def _in_column(tree, k, outputs):
    """A boosting tree speaks for one of the outputs: its value in column k, zeros elsewhere."""
    value = np.zeros((tree.n_nodes, outputs))
    value[:, k] = tree.value[:, 0]
    return replace(tree, value=value)


def _with_base(forest, predict_raw, model):
    """The forest with its constant: what the model says less what its trees say, which must not depend on the row."""
    rows = np.vstack([np.zeros(forest.n_features), np.ones(forest.n_features)])
    gap = np.reshape(predict_raw(rows), (2, -1)) - forest.raw(rows)
    scale = 1 + np.abs(gap).max() + np.abs(forest.raw(rows)).max()
    if not np.allclose(gap[0], gap[1], rtol=0, atol=1e-4 * scale):
        raise ValueError(f"{type(model).__name__} starts from a model (init), not from a constant, so its trees tell only part "
                         "of the story: fit it with init=None or init='zero'.")
    return replace(forest, base=gap[0])


def _read_histogram_boosting(model):
    """Histogram boosting: double-precision thresholds, gaps and categories, no impurities."""
    classes = _classes(model)
    columns, codes = _histogram_columns(model)
    names = _names(model, model.n_features_in_)
    outputs = len(model._predictors[0])
    trees = tuple(_in_column(_histogram_tree(predictor, names, columns, codes), k, outputs)
                  for stage in model._predictors for k, predictor in enumerate(stage))
    link = "logistic" if outputs == 1 else "softmax"
    if classes is None:
        link = "exp" if model.loss in ("poisson", "gamma") else "identity"
    return Forest(trees, np.ones(len(trees)), np.ravel(model._baseline_prediction).astype(float), names, classes, "boosting", link)


def _histogram_columns(model):
    """Which of our columns each of the library's is, and for categorical ones the values its codes 0, 1, ... stand for.

    The library encodes categories first, and in doing so moves those columns to the front.
    """
    p, categorical = model.n_features_in_, model.is_categorical_
    if categorical is None:
        return np.arange(p), {}
    if getattr(model, "_preprocessor", None) is None:  # before scikit-learn 1.4 codes were taken as they came
        return np.arange(p), {j: np.arange(256.0) for j in np.flatnonzero(categorical)}
    columns = np.concatenate([np.flatnonzero(categorical), np.flatnonzero(~categorical)])
    values = model._preprocessor.named_transformers_["encoder"].categories_
    if any(np.asarray(codes).dtype.kind not in "biuf" for codes in values):
        raise ValueError("the model was fitted on categories that are words, and our tables hold numbers: "
                         "encode the column as 0, 1, 2, ... (pd.factorize) before fitting.")
    codes = {j: np.asarray(v, dtype=float) for j, v in zip(columns, values, strict=False)}
    return columns, {j: v[~np.isnan(v)] for j, v in codes.items()}


def _histogram_tree(predictor, names, columns, codes):
    """One predictor of histogram boosting as a Tree."""
    nodes = predictor.nodes
    leaf, cut = nodes["is_leaf"].astype(bool), nodes["is_categorical"].astype(bool)
    feature = np.where(leaf, UNDEFINED, columns[nodes["feature_idx"]])
    left_categories = {int(t): _members(predictor.raw_left_cat_bitsets[nodes["bitset_idx"][t]], codes[feature[t]])
                       for t in np.flatnonzero(cut & ~leaf)}
    return Tree(
        np.where(leaf, LEAF, nodes["left"].astype(int)), np.where(leaf, LEAF, nodes["right"].astype(int)), feature,
        np.where(leaf | cut, UNDEFINED, nodes["num_threshold"]), np.full(len(nodes), np.nan), nodes["count"].astype(int),
        nodes["count"].astype(float), nodes["value"][:, None].astype(float), names, criterion="none",
        missing_left=nodes["missing_go_to_left"].astype(bool), left_categories=left_categories, known_categories=codes)


def _members(bitset, values):
    """The values whose code's bit is set: bitset (8,) uint32, values by code -> array."""
    code = np.arange(len(values))
    return values[(bitset[code // 32] >> (code % 32).astype(np.uint32)) & 1 == 1]


# --- xgboost ----------------------------------------------------------------------------------------------------------

EXP_OBJECTIVES = ("count:poisson", "reg:gamma", "reg:tweedie", "poisson", "gamma", "tweedie")
IDENTITY_OBJECTIVES = ("reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror", "reg:quantileerror", "reg:squaredlogerror",
                       "rank:pairwise", "rank:ndcg", "rank:map", "regression", "regression_l1", "huber", "fair", "quantile",
                       "mape", "lambdarank")
LOGISTIC_OBJECTIVES = ("binary:logistic", "binary")
SOFTMAX_OBJECTIVES = ("multi:softprob", "multi:softmax", "multiclass")


def _link_of(objective):
    """What an objective's raw score still needs to become a prediction. Raises ValueError for objectives we do not know."""
    links = {"exp": EXP_OBJECTIVES, "identity": IDENTITY_OBJECTIVES, "logistic": LOGISTIC_OBJECTIVES, "softmax": SOFTMAX_OBJECTIVES}
    for link, objectives in links.items():
        if objective in objectives:
            return link
    raise ValueError(f"the objective {objective!r} is not one we can read: fit with a squared-error, logistic, softmax, "
                     "Poisson, gamma or Tweedie objective.")


def _class_labels(model, link, outputs):
    """A booster knows its classes by number; its scikit-learn face knows their names."""
    if link not in ("logistic", "softmax"):
        return None
    given = getattr(model, "classes_", None)
    return tuple(range(max(2, outputs))) if given is None else tuple(np.asarray(given).tolist())


def _read_xgboost(model):
    """xgboost: rows and thresholds in single precision, a row goes left when x < threshold, leaves hold the margin."""
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    gradient_booster = learner["gradient_booster"]
    if gradient_booster["name"] != "gbtree":
        raise ValueError(f"this xgboost model's booster is {gradient_booster['name']!r}, expected 'gbtree': refit with booster='gbtree'.")
    tables, column = gradient_booster["model"]["trees"], gradient_booster["model"]["tree_info"]
    link = _link_of(learner["objective"]["name"])
    outputs = max(1, int(learner["learner_model_param"]["num_class"]))
    p = int(learner["learner_model_param"]["num_feature"])
    names = tuple(learner["feature_names"]) or tuple(f"x{j}" for j in range(p))
    rounds = gradient_booster["model"]["iteration_indptr"]
    used = rounds[min(getattr(model, "best_iteration", len(rounds) - 2) + 1, len(rounds) - 1)]
    trees = tuple(_in_column(_xgboost_tree(table, names), k, outputs)
                  for table, k in zip(tables[:used], column[:used], strict=True))
    forest = Forest(trees, np.ones(used), np.zeros(outputs), names, _class_labels(model, link, outputs), "boosting", link)
    return _with_base(forest, _xgboost_margin(model, booster, names), model)


def _xgboost_margin(model, booster, names):
    """The model's own margin as a function of rows."""
    if booster is model:
        return lambda rows: model.inplace_predict(rows, predict_type="margin", validate_features=False)
    return lambda rows: model.predict(pd.DataFrame(rows, columns=list(names)), output_margin=True, validate_features=False)


def _xgboost_tree(table, names):
    """One tree of xgboost's JSON as a Tree.

    Its category lists say who goes RIGHT: where there is one, the children change places.
    """
    left, right = np.array(table["left_children"]), np.array(table["right_children"])
    leaf, condition = left == LEAF, np.array(table["split_conditions"], dtype=np.float32).astype(float)
    swapped = (np.array(table["split_type"]) == 1) & ~leaf
    threshold = np.full(len(leaf), float(UNDEFINED))
    threshold[~leaf] = double_threshold(condition[~leaf], strict=True)
    lists = zip(table["categories_nodes"], table["categories_segments"], table["categories_sizes"], strict=True)
    cover = np.array(table["sum_hessian"], dtype=float)
    tree = Tree(
        np.where(swapped, right, left), np.where(swapped, left, right), np.where(leaf, UNDEFINED, table["split_indices"]),
        np.where(swapped, UNDEFINED, threshold), np.full(len(leaf), np.nan), np.rint(cover).astype(int), cover,
        np.where(leaf, condition, np.array(table["base_weights"], dtype=float))[:, None], names, criterion="none",
        missing_left=(np.array(table["default_left"]) == 1) ^ swapped,
        left_categories={t: np.array(table["categories"][a:a + size], dtype=float) for t, a, size in lists})
    return _parents_first(tree)


def _parents_first(tree):
    """The same tree with nodes renumbered from the root down; nodes that were pruned away are dropped."""
    order, old = [0], 0
    while old < len(order):
        t = order[old]
        order += [] if tree.children_left[t] == LEAF else [tree.children_left[t], tree.children_right[t]]
        old += 1
    new = np.full(tree.n_nodes + 1, LEAF)
    new[order] = np.arange(len(order))
    fields = {key: getattr(tree, key)[order] for key in ("feature", "threshold", "impurity", "n_node_samples",
                                                         "weighted_n_node_samples", "value", "missing_left")}
    return replace(tree, **fields, children_left=new[tree.children_left[order]], children_right=new[tree.children_right[order]],
                   left_categories={int(new[t]): codes for t, codes in tree.left_categories.items()})


# --- lightgbm ---------------------------------------------------------------------------------------------------------

def _read_lightgbm(model):
    """lightgbm: double precision, x <= threshold, gaps and zeros by each node's own rule, leaves hold the raw score."""
    booster = model.booster_ if hasattr(model, "booster_") else model
    dump = booster.dump_model()
    link = _link_of(dump["objective"].split()[0] if "sqrt" not in dump["objective"] else dump["objective"])
    outputs, names = dump["num_tree_per_iteration"], tuple(map(str, dump["feature_names"]))
    names = names if getattr(model, "feature_names_in_", None) is None else tuple(map(str, model.feature_names_in_))
    names = tuple(f"x{j}" for j in range(len(names))) if names[0] == "Column_0" else names
    tables = dump["tree_info"]
    trees = tuple(_in_column(_lightgbm_tree(table["tree_structure"], names), m % outputs, outputs) for m, table in enumerate(tables))
    weights = np.full(len(trees), outputs / len(trees) if dump["average_output"] else 1.0)
    return Forest(trees, weights, np.zeros(outputs), names, _class_labels(model, link, outputs), "boosting", link)


def _lightgbm_tree(root, names):
    """One tree of lightgbm's nested dictionaries as a Tree."""
    nodes, children = [root], []
    for node in nodes:  # grows while it is read: children join the end of the queue
        inner = "split_feature" in node
        children.append((len(nodes), len(nodes) + 1) if inner else (LEAF, LEAF))
        nodes += [node["left_child"], node["right_child"]] if inner else []
    if any("leaf_coeff" in node for node in nodes):
        raise ValueError("this lightgbm model has a linear model in each leaf: refit with linear_tree=False.")
    left, right = np.array(children).T
    lists = {t: [float(code) for code in node["threshold"].split("||")]
             for t, node in enumerate(nodes) if node.get("decision_type") == "=="}
    count = np.array([node.get("leaf_count", node.get("internal_count", 0)) for node in nodes])
    threshold = [UNDEFINED if t in lists else node.get("threshold", UNDEFINED) for t, node in enumerate(nodes)]
    return Tree(
        left, right, np.array([node.get("split_feature", UNDEFINED) for node in nodes]), np.array(threshold, dtype=float),
        np.full(len(nodes), np.nan), count, count.astype(float),
        np.array([[node.get("leaf_value", node.get("internal_value", 0.0))] for node in nodes], dtype=float), names,
        criterion="none", left_categories=lists,
        missing_left=np.array([_lightgbm_missing_left(node, lists.get(t)) for t, node in enumerate(nodes)]),
        zero_missing=np.array([node.get("missing_type") == "Zero" and t not in lists for t, node in enumerate(nodes)]))


def _lightgbm_missing_left(node, codes):
    """Where NaN goes at a node of lightgbm: unless it treats gaps as such, NaN is read as 0."""
    kind = node.get("missing_type")
    if kind is None:  # a leaf
        return False
    if codes is not None:
        return kind != "NaN" and 0.0 in codes
    return bool(node["default_left"]) if kind in ("NaN", "Zero") else node["threshold"] >= 0


# --- who reads what ---------------------------------------------------------------------------------------------------

def _has(*names):
    return lambda model: not isinstance(model, type) and all(hasattr(model, name) for name in names)


def _adds_up(model):
    """A forest or a bag: an isolation forest (offset_) scores paths, and a forest that cannot predict has no value."""
    return _has("estimators_", "bootstrap", "predict")(model) and not hasattr(model, "offset_")


READERS = (
    (_has("tree_", "criterion"), _read_tree),
    (_has("estimators_", "estimator_weights_"), _read_adaboost),
    (_has("estimators_", "learning_rate", "init_"), _read_boosting),
    (_has("_predictors", "_baseline_prediction"), _read_histogram_boosting),
    (_adds_up, _read_forest),
    (_has("get_booster", "n_features_in_"), _read_xgboost),
    (_has("inplace_predict", "save_raw"), _read_xgboost),
    (_has("booster_", "n_features_in_"), _read_lightgbm),
    (_has("dump_model", "num_trees"), _read_lightgbm),
)
