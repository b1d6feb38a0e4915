"""Every method on every world, with the truth beside it: a measure is not right or wrong, it
answers one of four questions.

Every world is met by a forest that predicts numbers, also where the target is a class (then the
number is the chance of class 1), so that all measures speak of squared error. Half of the rows grow
the forest, the other half are held out.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from fi_teach.basics.results import Importance
from fi_teach.basics.seeds import Seed
from fi_teach.basics.tree import Forest, Tree
from fi_teach.importance.boruta import boruta
from fi_teach.importance.conditional import conditional_importance
from fi_teach.importance.debiased_mdi import debiased_mdi
from fi_teach.importance.drop_column import drop_column_importance
from fi_teach.importance.exact_permutation import exact_permutation_importance
from fi_teach.importance.knockoffs import knockoff_filter
from fi_teach.importance.mdi import mdi
from fi_teach.importance.oob import oob_importance
from fi_teach.importance.permutation import permutation_importance, score_permutation_importance
from fi_teach.importance.sage import sage
from fi_teach.importance.target_permutation import target_permutation_test
from fi_teach.importance.tree_shap import tree_shap
from fi_teach.trees.forest import grow_forest
from fi_teach.trees.survival import as_risk, grow_survival_forest
from fi_teach.worlds import WORLDS, World

QUESTIONS = ("associated", "relevant", "used", "causal")
"""The columns of a world's truth: told by the feature alone, told given the others, read by the
ideal predictor, a cause."""

Table = tuple[pd.DataFrame, pd.Series | pd.DataFrame]


class DoesNotApply(ValueError):
    """A method says that it has no answer in a world: its importances are NaN there, with the
    reason. Any other error is an error."""


@dataclass(frozen=True)
class Trial:
    """One world, split in two, and a way to grow a forest on it.

    n_trees : trees a forest; seed : of the forests and the methods
    """

    world: World
    n_trees: int = 50
    seed: int = 0

    @property
    def train(self) -> Table:
        """X, y to grow on: every second row, or all where the world has test rows of its own."""
        X, y = self.world.X, self.world.y.astype(float)
        return (X[::2], y[::2]) if self.world.test is None else (X, y)

    @property
    def test(self) -> Table:
        """X, y to judge on: the other rows, or the world's test rows."""
        if self.world.test is not None:
            return self.world.test.X, self.world.test.y.astype(float)
        return self.world.X[1::2], self.world.y[1::2].astype(float)

    def grow(self, X: pd.DataFrame, y: pd.Series | pd.DataFrame) -> Forest | Tree:
        """A forest on these rows: of numbers, or for survival one whose number is the risk."""
        if self.world.task == "survival":
            return as_risk(grow_survival_forest(X, y, n_trees=self.n_trees, rng=self.seed))
        return grow_forest(
            X,
            np.asarray(y, dtype=float),
            n_trees=self.n_trees,
            criterion="variance",
            min_samples_leaf=3,
            rng=self.seed,
        )

    @cached_property
    def model(self) -> Forest | Tree:
        """The forest of the training half."""
        return self.grow(*self.train)

    def importance_of(self, X: pd.DataFrame, y: pd.Series | pd.DataFrame) -> Importance:
        """What the methods that refit measure: the out-of-bag MDI of a forest on these rows."""
        return debiased_mdi(self.grow(X, y), X, y)


# --- the methods, each a function of a trial ---


def _mdi(trial):
    if trial.world.task == "survival":
        raise DoesNotApply("the splits of a survival tree keep no impurity that could decrease.")
    return mdi(trial.model)


def _out_of_bag_mdi(trial):
    _check_has_a_loss(trial)
    return debiased_mdi(trial.model, *trial.train)


def _held_out(trial):
    settings = {"n_repeats": 10, "rng": trial.seed}
    if trial.world.task == "survival":
        return score_permutation_importance(
            trial.model.predict, *trial.test, score="concordance", **settings
        )
    return permutation_importance(trial.model.predict, *trial.test, **settings)


def _all_pairings(trial):
    _check_has_a_loss(trial)
    return exact_permutation_importance(trial.model, *trial.test)


def _out_of_bag(trial):
    _check_has_a_loss(trial)
    return oob_importance(trial.model, *trial.train, n_repeats=3, rng=trial.seed)


def _conditional(trial):
    _check_has_a_loss(trial)
    return conditional_importance(trial.model.predict, *trial.test, n_repeats=10, rng=trial.seed)


def _drop_column(trial):
    _check_has_a_loss(trial)
    return drop_column_importance(trial.grow, *trial.train, test=trial.test)


def _shap_by_paths(trial):
    X, _ = trial.test
    return tree_shap(trial.model, X).to_importance()


def _shap_by_background(trial):
    X, _ = trial.test
    background, _ = trial.train
    return tree_shap(trial.model, X, background=background).to_importance()


def _sage(trial):
    _check_has_a_loss(trial)
    X, _ = trial.train
    return sage(
        trial.model.predict, *trial.test, background=X[:20], n_repeats=32, rng=trial.seed
    )


def _knockoffs(trial):
    _check_has_a_loss(trial)
    if trial.world.task == "several outputs":
        raise DoesNotApply("the knockoff filter takes one target at a time.")
    found = knockoff_filter(trial.importance_of, *trial.train, rng=trial.seed)
    return Importance(
        found.names,
        found.statistics,
        method="knockoff statistic",
        unit="out-of-bag MDI, feature less knockoff",
    )


def _target_permutation(trial):
    _check_has_a_loss(trial)
    test = target_permutation_test(trial.importance_of, *trial.train, n_repeats=19, rng=trial.seed)
    return Importance(test.names, 1 - test.p_values, "target permutation test", "1 - p")


def _boruta(trial):
    _check_has_a_loss(trial)
    n_rounds = 20
    result = boruta(trial.importance_of, *trial.train, n_repeats=n_rounds, rng=trial.seed)
    return Importance(
        result.names,
        result.hits / n_rounds,
        method="Boruta",
        unit=f"share of {n_rounds} rounds won against the best shadow",
    )


def _check_has_a_loss(trial):
    if trial.world.task == "survival":
        raise DoesNotApply(
            "a censored time has no squared error: here only measures of the prediction itself, "
            "or a concordance, apply."
        )


METHODS = {
    "MDI": _mdi,
    "out-of-bag MDI": _out_of_bag_mdi,
    "permutation, held out": _held_out,
    "permutation, all pairings": _all_pairings,
    "permutation, out of bag": _out_of_bag,
    "conditional permutation": _conditional,
    "drop column": _drop_column,
    "SHAP, path-dependent": _shap_by_paths,
    "SHAP, interventional": _shap_by_background,
    "SAGE": _sage,
    "knockoff statistic": _knockoffs,
    "target permutation test": _target_permutation,
    "Boruta": _boruta,
}
"""Every method as a function of a Trial; add your own by {**METHODS, "mine": function}."""


# --- the table ---


def compare(
    worlds: Mapping[str, Callable] | Iterable[str] = WORLDS,
    methods: Mapping[str, Callable] | Iterable[str] = METHODS,
    *,
    n: int = 400,
    n_trees: int = 50,
    rng: Seed = 0,
    progress: Callable | None = None,
) -> pd.DataFrame:
    """Every method on every world, one row for each feature, with the truth beside it.

    worlds : {name: function (n, rng=) -> World}, or a list of names from WORLDS
    methods : {name: function of a Trial}, or a list of names from METHODS
    n : rows a world; n_trees : trees a forest
    progress : wraps the list of pairs, such as tqdm.tqdm
    -> DataFrame: world, method, feature, importance, standard_error, rank; associated, relevant,
       used, causal and true_importance from the world's truth; note, why a method does not apply
       (its importances are then NaN)

    A method does not apply where it raises DoesNotApply (MDI of a survival forest, say).
    Raises ValueError for unknown names and for fewer than 20 rows.

    >>> table = compare(["and_gate"], ["MDI"], n=100, n_trees=5)
    >>> table[["world", "method", "feature", "relevant"]].values.tolist()[0]
    ['and_gate', 'MDI', 'x1', True]
    """
    draws = _chosen(worlds, WORLDS, "world")
    measures = _chosen(methods, METHODS, "method")
    if n < 20:
        raise ValueError(
            f"n is {n}, too few rows to grow forests on one half and judge them on the other: "
            "take at least 20."
        )
    seed = int(np.random.default_rng(rng).integers(2**31))
    trials = {name: Trial(draw(n, rng=seed), n_trees, seed) for name, draw in draws.items()}
    pairs = [(world, method) for world in trials for method in measures]
    tables = []
    for world, method in progress(pairs) if progress else pairs:
        found, note = _asked(measures[method], trials[world])
        table = _beside_the_truth(found, trials[world].world.truth, note)
        table.insert(0, "world", world)
        table.insert(1, "method", method)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _chosen(asked, known, what) -> Mapping[str, Callable]:
    """What was asked for as {name: function}. Raises ValueError for a name that is not known."""
    if isinstance(asked, Mapping):
        return asked
    names = [asked] if isinstance(asked, str) else list(asked)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"unknown {what} {unknown[0]!r}: expected some of {', '.join(known)}.")
    return {name: known[name] for name in names}


def _asked(measure, trial):
    """One method on one world -> its Importance, and why it is empty."""
    try:
        return measure(trial), ""
    except DoesNotApply as refusal:
        names = trial.world.names
        return Importance(names, np.full(len(names), np.nan)), str(refusal)


def _beside_the_truth(found, truth, note):
    """What a method found, a row a feature, and what is true of it."""
    table = pd.DataFrame({"feature": truth.index})
    table["importance"] = found.mean
    table["standard_error"] = found.standard_error
    table["rank"] = np.nan if note else found.rank
    for question in QUESTIONS:
        table[question] = truth[question].to_numpy()
    table["true_importance"] = truth["importance"].to_numpy()
    table["note"] = note
    return table


# --- which question a method answers ---


def answers(table: pd.DataFrame) -> pd.DataFrame:
    """Which question does each method's ranking answer best? The AUC with which it tells yes from
    no, mean over worlds.

    table : what `compare` returned -> DataFrame, one row a method, one column a question
    (associated, relevant, used, causal): the chance that a feature for which the answer is yes gets
    a higher importance than one for which it is no (ties count half), averaged over the worlds that
    have both. 1 answers the question, 1/2 is a coin.

    >>> answers(compare(["null", "and_gate"], ["MDI"], n=100, n_trees=5)).index.tolist()
    ['MDI']
    """
    found = table.dropna(subset="importance")
    rows = {}
    for method, of_method in found.groupby("method", sort=False):
        rows[method] = [_mean_auc(of_method, question) for question in QUESTIONS]
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(QUESTIONS))


def _mean_auc(of_method, question):
    """Mean over the worlds that have features of both answers; NaN if there is none."""
    aucs = []
    for _, world in of_method.groupby("world", sort=False):
        yes = world[question].to_numpy(dtype=bool)
        if 0 < yes.sum() < len(yes):
            aucs.append(_told_apart(world["importance"].to_numpy(), yes))
    return np.mean(aucs) if aucs else np.nan


def _told_apart(importance, yes):
    """Share of the pairs of a yes and a no in which the yes is higher, ties counting half."""
    higher = importance[yes][:, None] - importance[~yes][None, :]
    higher[np.abs(higher) < 1e-12] = 0
    return float((np.sign(higher) + 1).mean() / 2)
