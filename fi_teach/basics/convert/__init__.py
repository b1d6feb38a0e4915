"""A fitted tree is a table of questions, whoever fitted it: here other libraries' become ours.

Models are recognised by their attributes alone; no other library is imported. Each library has a
file of its own. Two traps are settled once: libraries that compare in single precision get
thresholds that say the same about doubles (basics/thresholds.py), and a boosting model's constant
is whatever the model says less what its trees say (common.py).
"""

import numpy as np

from fi_teach.basics.convert import lightgbm, scikit_learn, xgboost
from fi_teach.basics.forest import Forest
from fi_teach.basics.tree import Tree

__all__ = ["as_forest", "from_model"]

KNOWN = (
    "a tree, forest, extra-trees, bagging, AdaBoost, gradient-boosting, histogram-boosting or "
    "voting model of scikit-learn, or one of xgboost or lightgbm")
READERS = (*scikit_learn.READERS, *xgboost.READERS, *lightgbm.READERS)


def as_forest(model: object) -> Forest:
    """Any tree model as a Forest: ours as it is, a Tree as a forest of one, else by from_model.

    >>> from fi_teach.trees.cart import grow_cart
    >>> as_forest(grow_cart([[0], [1]], ["no", "yes"])).kind
    'tree'
    """
    if isinstance(model, Forest):
        return model
    if not isinstance(model, Tree):
        return from_model(model)
    return Forest(
        (model,),
        weights=np.ones(1),
        base=np.zeros(model.value.shape[1]),
        names=model.names,
        classes=model.classes,
        kind="tree",
    )


def from_model(model: object) -> Forest:
    """Read a fitted model of scikit-learn, xgboost or lightgbm.

    raw(x) = base + sum over m of weights[m] * value_m(x) is the library's own figure: class
    probabilities or the number for trees and forests, decision_function for AdaBoost and boosting
    classifiers, the margin or raw score for xgboost and lightgbm. Node counts are kept as the
    library has them (xgboost: summed Hessians); histogram boosting, xgboost and lightgbm keep no
    impurities (NaN). Columns of categories may hold words in a DataFrame, and codes in an array.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from_model(DecisionTreeClassifier().fit([[0], [1]], ["no", "yes"])).predict([[0], [1]])
    array(['no', 'yes'], dtype='<U3')
    """
    if isinstance(model, Tree | Forest):
        return as_forest(model)
    if not isinstance(model, type):
        for recognises, read in READERS:
            if recognises(model):
                return read(model)
    raise ValueError(_what_to_do(model))


def _what_to_do(model: object) -> str:
    """A sentence for a model that no reader takes."""
    if isinstance(model, type):
        return f"the class {model.__name__} came, expected a fitted model: create one and fit it."
    kind = type(model).__name__
    if hasattr(model, "best_estimator_"):
        return f"{kind} is a search, not a model: pass its best_estimator_."
    if hasattr(model, "steps"):
        return (
            f"{kind} is a pipeline, and trees in it ask about what the earlier steps make of a "
            f"table: pass its last step, model[-1], a {type(model.steps[-1][1]).__name__}, "
            "and the table as model[:-1].transform(X) gives it.")
    if hasattr(model, "fit"):
        return (
            f"{kind} is not fitted, or is not made of trees that add up: "
            f"expected {KNOWN}, after fit.")
    return f"{kind} came, expected a fitted model: {KNOWN}, or our own Tree or Forest."
