"""Compare all methods on all worlds whose truth is known.

A measure is not right or wrong: it answers one of four questions, and may mislead about the other
three.

Every world is met by a forest that predicts numbers, also where the target is a class (then the
number is the chance of class 1), so that all measures speak of squared error. Half of the rows grow
the forest, the other half are held out. `compare` makes the table, `grade` reads it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_teach.basics.forest import Forest
from fi_teach.basics.refit import with_progress
from fi_teach.basics.results import Importance
from fi_teach.basics.seeds import Seed, plain_stream
from fi_teach.basics.tables import check_count
from fi_teach.importance.boruta import boruta
from fi_teach.importance.conditional import conditional_importance
from fi_teach.importance.debiased_mdi import debiased_mdi
from fi_teach.importance.drop_column import drop_column_importance
from fi_teach.importance.exact_permutation import exact_permutation_importance
from fi_teach.importance.knockoffs import knockoff_filter
from fi_teach.importance.mdi import mdi
from fi_teach.importance.oob import oob_importance
from fi_teach.importance.permutation import permutation_importance
from fi_teach.importance.sage import sage
from fi_teach.importance.target_permutation import target_permutation_test
from fi_teach.importance.tree_shap import tree_shap
from fi_teach.trees.cart import grow_cart
from fi_teach.trees.forest import grow_forest
from fi_teach.worlds import WORLDS, World
from fi_teach.worlds.world import check_at_least

__all__ = ["GRADES", "METHODS", "QUESTIONS", "Trial", "clear_of_zero", "compare", "grade",
           "misled_by"]

QUESTIONS = ("associated", "relevant", "used", "causal")
"""What may be asked of a feature: told by the feature alone; told given all the others; used, that
is read by *this* forest; a cause. The first, second and fourth are the world's, the third is read
off the trees."""

GRADES = ("in order", "no, clear of zero", "yes, not clear")
"""How `grade` judges: the share of (yes, no) pairs in which the yes is higher; of the features with
the answer no, the share that stand clear of zero; of those with a yes, the share that do not."""

NEGLIGIBLE = 1e-12
OF_A_DRAW = ("world", "method", "feature", "importance")
OF_A_GRADE = ("method", "grade", "worst", "worst_world")
COLUMNS = ["world", "method", "repeat", "feature", "importance", "standard_error", "rank",
           *QUESTIONS, "true_importance", "copy_of"]
Table = tuple[pd.DataFrame, pd.Series]


@dataclass(frozen=True)
class Trial:
    """A world split into training and test rows, with a way to grow a forest on it.

    n_trees : trees a forest; seed : of the forests and the methods
    without : a column that `model` has never seen, so that it cannot read it; else None
    """

    world: World
    n_trees: int = 50
    seed: int = 0
    without: str | None = None

    @cached_property
    def train(self) -> Table:
        """Return the training X, y: every second row, or all if the world has its own test rows."""
        X, y = self.world.X, self.world.y.astype(float)
        return (X[::2], y[::2]) if self.world.test is None else (X, y)

    @cached_property
    def test(self) -> Table:
        """Return the test X, y: the other rows, or the world's own test rows."""
        if self.world.test is not None:
            return self.world.test.X, self.world.test.y.astype(float)
        return self.world.X[1::2], self.world.y[1::2].astype(float)

    def grow(self, X: pd.DataFrame, y: pd.Series) -> Forest:
        """Grow a forest on these rows."""
        return grow_forest(X, np.asarray(y, dtype=float), n_trees=self.n_trees,
                           criterion="variance", min_samples_leaf=5, rng=self.seed)

    @cached_property
    def model(self) -> Forest:
        """Return the forest of the training rows; a column it must not see is blank there."""
        X, y = self.train
        return self.grow(X if self.without is None else X.assign(**{self.without: 0.0}), y)

    @cached_property
    def truth(self) -> pd.DataFrame:
        """Return the world's truth, with `used` for this model, and which columns are copies."""
        X = self.world.X
        values = X.to_numpy()
        alike = [X.columns[(values == column[:, None]).all(axis=0)][0] for column in values.T]
        truth = self.world.truth.assign(used=self.used, copy_of=alike)
        return truth[[*QUESTIONS, "importance", "copy_of"]]

    @property
    def used(self) -> NDArray:
        """Return which columns at least one tree splits on -> (p,) bool."""
        asked = np.concatenate([tree.feature for tree in self.model.trees])
        return np.isin(np.arange(len(self.world.names)), asked)

    def importance_of(self, X: pd.DataFrame, y: pd.Series) -> Importance:
        """Return what refitting methods compare: out-of-bag MDI of a forest grown on these rows."""
        return debiased_mdi(self.grow(X, y), X, y)


# --- the methods, each a function of a trial ---


def _alone(trial):
    """Return the loss of the training mean less that of a small tree grown on this column alone."""
    (X, y), (X_new, y_new) = trial.train, trial.test
    before = (y_new - y.mean()) ** 2
    saved = []
    for name in X:
        tree = grow_cart(X[[name]], y, criterion="variance", max_depth=3, min_samples_leaf=5)
        saved.append(before - (y_new - tree.predict(X_new[[name]])) ** 2)
    return Importance(trial.world.names, np.array(saved), "feature alone", "squared error")


def _drop_column(trial):
    whole = len(trial.world.names)

    def grow(X, y):
        known = X.shape[1] == whole and trial.without is None
        return trial.model if known else trial.grow(X, y)

    return drop_column_importance(grow, *trial.train, test=trial.test)


def _knockoffs(trial):
    found = knockoff_filter(trial.importance_of, *trial.train, rng=trial.seed)
    return Importance(found.names, found.statistics, method="knockoff statistic",
                      unit="out-of-bag MDI, feature less knockoff")


def _target_permutation(trial):
    test = target_permutation_test(trial.importance_of, *trial.train, n_repeats=19, rng=trial.seed)
    return Importance(test.names, 1 - test.p_values, "target permutation test", "1 - p")


def _boruta(trial):
    n_rounds = 20
    result = boruta(trial.importance_of, *trial.train, n_repeats=n_rounds, rng=trial.seed)
    return Importance(result.names, result.hits / n_rounds, method="Boruta",
                      unit=f"share of {n_rounds} rounds won against the best shadow")


METHODS = {
    "feature alone": _alone,
    "MDI": lambda trial: mdi(trial.model),
    "out-of-bag MDI": lambda trial: debiased_mdi(trial.model, *trial.train),
    "permutation, held out": lambda trial: permutation_importance(
        trial.model.predict, *trial.test, n_repeats=5, rng=trial.seed),
    "permutation, all pairings": lambda trial: exact_permutation_importance(
        trial.model, *trial.test),
    "permutation, out of bag": lambda trial: oob_importance(
        trial.model, *trial.train, n_repeats=3, rng=trial.seed),
    "conditional permutation": lambda trial: conditional_importance(
        trial.model.predict, *trial.test, n_repeats=3, rng=trial.seed),
    "drop column": _drop_column,
    "SHAP, path-dependent": lambda trial: tree_shap(trial.model, trial.test[0]).to_importance(),
    "SHAP, interventional": lambda trial: tree_shap(
        trial.model, trial.test[0], background=trial.train[0]).to_importance(),
    "SAGE": lambda trial: sage(trial.model.predict, *trial.test, background=trial.train[0][:20],
                               n_repeats=32, rng=trial.seed),
    "knockoff statistic": _knockoffs,
    "target permutation test": _target_permutation,
    "Boruta": _boruta,
}
"""Every method as a function of a Trial; add your own by {**METHODS, "mine": function}."""


# --- the table ---


def compare(worlds: Mapping[str, Callable] | Iterable[str] = WORLDS,
            methods: Mapping[str, Callable] | Iterable[str] = METHODS, *, n: int = 400,
            n_trees: int = 50, n_repeats: int = 1, without: Mapping[str, str] | None = None,
            rng: Seed = 0, progress: Callable | None = None) -> pd.DataFrame:
    """Run every method on every world -> one row for each feature and draw, with the truth.

    worlds : {name: function (n, rng=) -> World}, or a list of names from WORLDS
    methods : {name: function of a Trial}, or a list of names from METHODS
    n : rows a world; n_trees : trees a forest; n_repeats : draws of each world, forests and all
    without : {world: column}, a column that this world's forests have never seen
    progress : wraps the list of (trial, method) pairs, such as tqdm.tqdm
    -> DataFrame: world, method, repeat, feature, importance, standard_error, rank; associated,
       relevant, causal and true_importance from the world's truth, used from the forest; copy_of,
       the first column with the same values (itself, if there is none)

    Raises ValueError for unknown names, for what is no world or no method, for a world whose
    target is not one number or class a row, for less than one tree or repeat, and for fewer than
    20 rows: forests are grown on one half and judged on the other.

    >>> table = compare(["and_gate"], ["MDI"], n=100, n_trees=5)
    >>> table[["world", "method", "feature", "relevant"]].values.tolist()[0]
    ['and_gate', 'MDI', 'x1', True]
    """
    draws = _chosen(worlds, WORLDS, "world")
    measures = _chosen(methods, METHODS, "method")
    unseen = _check_unseen(without, draws)
    check_at_least(n, 20, "n")
    check_count(n_trees, "n_trees")
    check_count(n_repeats, "n_repeats")
    seeds = plain_stream(rng).integers(2**31, size=n_repeats)
    pairs = []
    for repeat, seed in enumerate(seeds.tolist()):
        for name, draw in draws.items():
            trial = Trial(_world(draw, n, seed, unseen.get(name)), n_trees, seed, unseen.get(name))
            pairs += [(name, repeat, trial, method) for method in measures]
    rows = []
    for world, repeat, trial, method in with_progress(pairs, progress):
        found = _beside_the_truth(measures[method](trial), trial)
        rows += [(world, method, repeat, *row) for row in found]
    return pd.DataFrame(rows, columns=COLUMNS)


def _chosen(asked, known, what) -> Mapping[str, Callable]:
    """Return what was asked for as {name: function}; raises ValueError for what is no name."""
    if isinstance(asked, Mapping):
        wrong = [name for name, function in asked.items() if not callable(function)]
        if wrong or not asked:
            came = f"{what} {wrong[0]!r} is {asked[wrong[0]]!r}" if wrong else f"no {what} is named"
            raise ValueError(f"{came}: expected a function for each name.")
        return asked
    one = isinstance(asked, str) or not isinstance(asked, Iterable)
    names = [asked] if one else list(asked)
    unknown = [name for name in names if name not in list(known)]
    if unknown or not names:
        came = f"unknown {what} {unknown[0]!r}" if unknown else f"no {what} is named"
        raise ValueError(f"{came}: expected some of {', '.join(known)}.")
    return {name: known[name] for name in names}


def _check_unseen(without, draws) -> Mapping[str, str]:
    """Check {world: column}; raises ValueError for a world that is not drawn."""
    if without is None:
        return {}
    if not isinstance(without, Mapping):
        raise ValueError(
            f"without is {without!r}, expected a column for each world that does without one, "
            "such as {'twins': 'x1'}.")
    unknown = [name for name in without if name not in draws]
    if unknown:
        raise ValueError(
            f"without names the world {unknown[0]!r}, which is not compared: "
            f"expected some of {', '.join(draws)}.")
    return without


def _world(draw, n, seed, without):
    """Draw the world, with one number or class a row to predict and the column to hide."""
    world = draw(n, rng=seed)
    if not isinstance(world, World):
        raise ValueError(
            f"a function of worlds returned what is of type {type(world).__name__}, "
            "expected a World: take one of WORLDS, or return a World.")
    if world.y.ndim > 1:
        raise ValueError(
            f"{world.name} has a target of {world.y.shape[1]} columns ({world.task}), expected one "
            "number or class a row: all measures must speak of the same squared error.")
    if without is not None and without not in world.names:
        raise ValueError(f"{world.name} has no column {without!r} that its forests could do "
                         f"without: expected one of {', '.join(world.names)}.")
    return world


def _beside_the_truth(found, trial):
    """Put a method's importances beside the truth, one row for each feature."""
    if not isinstance(found, Importance):
        raise ValueError(
            f"a method returned what is of type {type(found).__name__}, "
            "expected an Importance: build one from the names and the numbers.")
    measured = zip(found.mean, found.standard_error, found.rank, strict=True)
    truth = trial.truth.itertuples(name=None)
    return [(feature, *numbers, *answers)
            for numbers, (feature, *answers) in zip(measured, truth, strict=True)]


# --- which question a method answers ---


def grade(table: pd.DataFrame, question: str) -> pd.DataFrame:
    """Grade how well each method answers a question, by the three GRADES.

    A pair is a feature for which the answer is yes and one of the same draw of the same world for
    which it is no; a pair that is level counts half. An importance is clear of zero if it is
    larger than twice its own standard deviation over the draws of its world. Each draw of a world
    gives a share, their mean is the world's, and every world has one vote, however many features.

    table : what `compare` returned, with at least two repeats
    -> DataFrame, one row for each method and grade: share; error, its standard error over draws;
       worlds and cases (pairs or features a draw) behind it; worst and worst_world, the share of
       the world that does worst (NaN and "" where no world has a case)

    Copies of one column are judged only where their answers agree, unless it is `used` that is
    asked: which of two identical columns is the cause no table can tell.
    Raises ValueError for an unknown question, a table without these columns, and for one repeat.

    >>> found = grade(compare(["null"], ["MDI"], n=100, n_repeats=6), "relevant")
    >>> found.query("grade == 'no, clear of zero'")[["share", "worlds", "cases"]].values.tolist()
    [[1.0, 1.0, 5.0]]
    """
    _check_columns(table, "table", [*OF_A_DRAW, *QUESTIONS, "repeat", "copy_of"], "compare")
    if question not in QUESTIONS:
        raise ValueError(f"unknown question {question!r}: expected one of {', '.join(QUESTIONS)}.")
    if table["repeat"].nunique() < 2:
        raise ValueError(
            "the table has less than two repeats, and what is clear of zero takes at least two: "
            "ask compare for n_repeats=2 or more.")
    judged = _decided(table.dropna(subset="importance"), question)
    judged = judged.assign(yes=judged[question].astype(bool), clear=clear_of_zero(judged))
    rows = []
    for method, of_method in judged.groupby("method", sort=False):
        cases = _cases(of_method)
        rows += [{"method": method, "grade": name, **_graded(cases, name)} for name in GRADES]
    return pd.DataFrame(rows)


def misled_by(graded: pd.DataFrame) -> pd.Series:
    """Return the world that misleads each method most about a question, "" if there is none.

    A world misleads if fewer than a third of its pairs are in order, or if more than half of its
    features with the answer no stand clear of zero. A yes that is not clear is no counterexample:
    silence misleads nobody who does not take it for a no.

    graded : what `grade` returned -> Series of world names by method

    Raises ValueError for a table that `grade` did not return.

    >>> found = grade(compare(["null"], ["MDI"], n=100, n_repeats=6), "relevant")
    >>> misled_by(found)["MDI"]
    'null'
    """
    _check_columns(graded, "graded", OF_A_GRADE, "grade")
    found = {}
    for method, of_method in graded.groupby("method", sort=False):
        by_grade = of_method.set_index("grade")
        if sorted(map(str, by_grade.index)) != sorted(GRADES):
            raise ValueError(
                f"graded has not all grades of {method!r} once, expected {'; '.join(GRADES)}: "
                "give it as grade returned it.")
        order, alarms, _ = (by_grade.loc[name] for name in GRADES)
        found[method] = (order["worst_world"] if order["worst"] < 1 / 3
                         else alarms["worst_world"] if alarms["worst"] > 1 / 2 else "")
    return pd.Series(found, name="misled by", dtype=object)


def clear_of_zero(table: pd.DataFrame) -> pd.Series:
    """Return whether an importance exceeds twice its standard deviation over the draws -> bool.

    Raises ValueError for a table that `compare` did not return.
    """
    _check_columns(table, "table", OF_A_DRAW, "compare")
    same = table.groupby(["world", "method", "feature"])["importance"]
    return table["importance"] > 2 * same.transform("std") + NEGLIGIBLE


def _check_columns(table, what, needed, maker):
    """Check that the table has these columns, and numbers where they belong."""
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"{what} is of type {type(table).__name__}, expected a DataFrame: "
                         f"give what {maker} returned.")
    missing = [column for column in needed if column not in table.columns]
    if missing:
        raise ValueError(f"{what} has no column {missing[0]!r}: give what {maker} returned.")
    for column in {"importance", "worst"} & set(needed):
        if not pd.api.types.is_numeric_dtype(table[column]):
            raise ValueError(f"{what} holds something that is no number in column {column!r}: "
                             f"give what {maker} returned.")


def _decided(table, question):
    """Return the rows whose answer is determined: not those of copies with different answers."""
    if question == "used":
        return table
    copies = table.groupby(["world", "method", "repeat", "copy_of"])[question]
    return table[copies.transform("nunique") == 1]


def _cases(of_method):
    """Return the three shares of each draw of each world, and the number of cases behind them."""
    rows = []
    for (world, repeat), draw in of_method.groupby(["world", "repeat"], sort=False):
        yes, clear = draw["yes"].to_numpy(), draw["clear"].to_numpy()
        shares = (_told_apart(draw["importance"].to_numpy(), yes),
                  clear[~yes].mean() if not yes.all() else np.nan,
                  1 - clear[yes].mean() if yes.any() else np.nan)
        counts = (yes.sum() * (~yes).sum(), (~yes).sum(), yes.sum())
        for name, share, count in zip(GRADES, shares, counts, strict=True):
            rows.append((world, repeat, name, share, count))
    return pd.DataFrame(rows, columns=["world", "repeat", "grade", "share", "count"])


def _graded(cases, name):
    """Average one method's grade; every world counts once."""
    of_grade = cases[(cases["grade"] == name) & (cases["count"] > 0)]
    if of_grade.empty:
        return {"share": np.nan, "error": np.nan, "worlds": 0, "cases": 0, "worst": np.nan,
                "worst_world": ""}
    shares = of_grade.pivot(index="world", columns="repeat", values="share")
    by_world = shares.mean(axis=1)
    worst = by_world.idxmin() if name == GRADES[0] else by_world.idxmax()
    counts = of_grade.groupby("world")["count"].mean()
    return {"share": by_world.mean(), "error": shares.mean(axis=0).sem(), "worlds": len(by_world),
            "cases": round(counts.sum()), "worst": by_world[worst], "worst_world": worst}


def _told_apart(importance, yes):
    """Return the share of (yes, no) pairs with the higher value at yes; ties count half (AUC)."""
    if yes.all() or not yes.any():
        return np.nan
    higher = importance[yes][:, None] - importance[~yes][None, :]
    higher[np.abs(higher) < NEGLIGIBLE] = 0
    return float((np.sign(higher) + 1).mean() / 2)
