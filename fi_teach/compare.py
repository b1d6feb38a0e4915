"""Every method on every world, with the truth beside it: a measure is not right or wrong, it answers one of four questions.

Every world is met by a forest that predicts numbers, also where the target is a class (then the number is the chance of
class 1), so that all measures speak of squared error. Half of the rows grow the forest, the other half are held out.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from fi_teach.basics.results import Importance
from fi_teach.importance.conditional import conditional_importance
from fi_teach.importance.drop_column import drop_column_importance
from fi_teach.importance.exact_permutation import exact_permutation_importance
from fi_teach.importance.knockoffs import knockoff_filter
from fi_teach.importance.mdi import debiased_mdi, mdi
from fi_teach.importance.null_tests import boruta, target_permutation_test
from fi_teach.importance.oob import oob_importance
from fi_teach.importance.permutation import permutation_importance, score_permutation_importance
from fi_teach.importance.sage import sage
from fi_teach.importance.tree_shap import tree_shap
from fi_teach.trees.forest import grow_forest
from fi_teach.trees.survival import as_risk, grow_survival_forest
from fi_teach.worlds import WORLDS, World

QUESTIONS = ("associated", "relevant", "used", "causal")
"""The columns of a world's truth: told by the feature alone, told given the others, read by the ideal predictor, a cause."""


@dataclass(frozen=True)
class Trial:
    """One world, split in two, and a way to grow a forest on it.

    world : World; n_trees : trees a forest; seed : int
    """

    world: World
    n_trees: int = 50
    seed: int = 0

    @cached_property
    def halves(self):
        """(X_train, y_train), (X_test, y_test): a world's own test rows where it has some, else every second row."""
        X, y = self.world.X, self.world.y.astype(float)
        if self.world.test is not None:
            return (X, y), (self.world.test.X, self.world.test.y.astype(float))
        return (X[::2], y[::2]), (X[1::2], y[1::2])

    def grow(self, X, y):
        """A forest on these rows: of numbers, or for survival one whose number is the risk."""
        if self.world.task == "survival":
            return as_risk(grow_survival_forest(X, y, n_trees=self.n_trees, rng=self.seed))
        y = np.asarray(y, dtype=float)
        return grow_forest(X, y, n_trees=self.n_trees, criterion="variance", min_samples_leaf=3, rng=self.seed)

    @cached_property
    def model(self):
        """The forest of the training half."""
        return self.grow(*self.halves[0])

    def importance_of(self, X, y):
        """What the methods that refit measure: the out-of-bag MDI of a forest on these rows -> (p,)."""
        return debiased_mdi(self.grow(X, y), X, y).mean


def _held_out(trial):
    if trial.world.task == "survival":
        return score_permutation_importance(trial.model.predict, *trial.halves[1], score="concordance", n_repeats=10, rng=trial.seed)
    return permutation_importance(trial.model.predict, *trial.halves[1], n_repeats=10, rng=trial.seed)


def _boruta(trial):
    result = boruta(trial.importance_of, *trial.halves[0], n_rounds=20, rng=trial.seed)
    return Importance(result.names, result.hits / 20, "Boruta", "share of 20 rounds won against the best shadow")


def _target_permutation(trial):
    test = target_permutation_test(trial.importance_of, *trial.halves[0], n_permutations=19, rng=trial.seed)
    return Importance(test.names, 1 - test.p_values, "target permutation test", "1 - p")


def _knockoffs(trial):
    X, y = trial.halves[0]
    return Importance(trial.world.names, knockoff_filter(trial.importance_of, X, y, rng=trial.seed)[1],
                      "knockoff statistic", "out-of-bag MDI, feature less knockoff")


METHODS = {
    "MDI": lambda t: mdi(t.model),
    "out-of-bag MDI": lambda t: debiased_mdi(t.model, *t.halves[0]),
    "permutation, held out": _held_out,
    "permutation, all pairings": lambda t: exact_permutation_importance(t.model, *t.halves[1]),
    "permutation, out of bag": lambda t: oob_importance(t.model, *t.halves[0], n_repeats=3, rng=t.seed),
    "conditional permutation": lambda t: conditional_importance(t.model.predict, *t.halves[1], n_repeats=10, rng=t.seed),
    "drop column": lambda t: drop_column_importance(t.grow, *t.halves[0], test=t.halves[1]),
    "SHAP, path-dependent": lambda t: tree_shap(t.model, t.halves[1][0]).to_importance(),
    "SHAP, interventional": lambda t: tree_shap(t.model, t.halves[1][0], background=t.halves[0][0]).to_importance(),
    "SAGE": lambda t: sage(t.model.predict, *t.halves[1], background=t.halves[0][0][:20], n_repeats=32, rng=t.seed),
    "knockoff statistic": _knockoffs,
    "target permutation test": _target_permutation,
    "Boruta": _boruta,
}
"""Every method as a function of a Trial; a name of your own may be added by {**METHODS, "mine": function}."""

NEED_A_LOSS = set(METHODS) - {"MDI", "permutation, held out", "SHAP, path-dependent", "SHAP, interventional"}


def compare(worlds=WORLDS, methods=METHODS, *, n=400, n_trees=50, rng=0, progress=None):
    """Every method on every world, one row for each feature, with the truth beside it.

    worlds : {name: function (n, rng=) -> World}, or a list of names from WORLDS; methods : {name: function of a Trial}, or a
        list of names from METHODS
    n : rows a world; n_trees : trees a forest; progress : wraps the list of pairs, such as tqdm.tqdm
    -> DataFrame: world, method, feature, importance, standard_error, rank; associated, relevant, used, causal and
       true_importance from the world's truth; note, why a method does not apply (its importances are then NaN)

    A method does not apply where it says so itself by a ValueError (MDI of a survival forest, knockoffs of exact copies).
    Raises ValueError for unknown names and for fewer than 20 rows.

    >>> table = compare(["and_gate"], ["MDI"], n=100, n_trees=5)
    >>> table[["world", "method", "feature", "relevant"]].values.tolist()[0]
    ['and_gate', 'MDI', 'x1', True]
    """
    worlds, methods = _chosen(worlds, WORLDS, "world"), _chosen(methods, METHODS, "method")
    if n < 20:
        raise ValueError(f"n is {n}, too few rows to grow forests on one half and judge them on the other: take at least 20.")
    seed = int(np.random.default_rng(rng).integers(2**31))
    trials = {name: Trial(draw(n, rng=seed), n_trees, seed) for name, draw in worlds.items()}
    pairs = [(world, method) for world in trials for method in methods]
    tables = [_one(world, method, trials[world], methods[method]) for world, method in (progress(pairs) if progress else pairs)]
    return pd.concat(tables, ignore_index=True)


def _chosen(asked, known, what):
    """What was asked for as {name: function}. Raises ValueError for a name that is not known."""
    if isinstance(asked, dict):
        return asked
    unknown = [name for name in asked if name not in known]
    if unknown:
        raise ValueError(f"unknown {what} {unknown[0]!r}: expected some of {', '.join(known)}.")
    return {name: known[name] for name in asked}


def _one(world, method, trial, measure):
    """One method on one world -> its rows of the table."""
    names = list(trial.world.names)
    try:
        if trial.world.task == "survival" and method in NEED_A_LOSS:
            raise ValueError("a censored time has no squared error: here only measures of the prediction itself, or a concordance, apply.")
        found, note = measure(trial), ""
    except ValueError as refusal:
        found, note = Importance(names, np.full(len(names), np.nan)), str(refusal)
    truth = trial.world.truth.rename(columns={"importance": "true_importance"}).reset_index(drop=True)
    head = pd.DataFrame({"world": world, "method": method, "feature": names, "importance": found.mean,
                         "standard_error": found.standard_error, "rank": np.where(note, np.nan, found.rank), "note": note})
    return pd.concat([head.drop(columns="note"), truth, head[["note"]]], axis=1)


def answers(table):
    """Which question does each method's ranking answer best? The AUC with which it tells yes from no, mean over worlds.

    table : what `compare` returned -> DataFrame, one row a method, one column a question (associated, relevant, used,
    causal): the chance that a feature for which the answer is yes gets a higher importance than one for which it is no
    (ties count half), averaged over the worlds that have both. 1 answers the question, 1/2 is a coin.

    >>> answers(compare(["null", "and_gate"], ["MDI"], n=100, n_trees=5)).index.tolist()
    ['MDI']
    """
    found = table.dropna(subset="importance")
    rows = {(method, question): np.mean([_told_apart(world["importance"], world[question])
                                         for _, world in part.groupby("world", sort=False) if world[question].nunique() == 2] or [np.nan])
            for method, part in found.groupby("method", sort=False) for question in QUESTIONS}
    return pd.Series(rows).unstack()[list(QUESTIONS)].reindex(found["method"].unique())


def _told_apart(importance, yes):
    yes, importance = yes.to_numpy(dtype=bool), importance.to_numpy()
    higher = importance[yes][:, None] - importance[~yes][None, :]
    return float((np.sign(np.where(np.abs(higher) < 1e-12, 0, higher)) + 1).mean() / 2)
