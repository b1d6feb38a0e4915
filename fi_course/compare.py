"""Compare measures on worlds whose truth is known: do they answer, mislead, or stay silent?

Four questions may be asked of a feature, and a measure that answers one may mislead about another.
`compare` runs the measures on many draws of the worlds, `outcomes` judges each draw, `verdicts`
sums up by a rule, and `stored` reads what

    python -m fi_course.compare

wrote to comparison.csv: chapter 13, the chooser and the reference pages take all they say of a
measure from that file.

Every world is met by a forest that predicts numbers, also where the target is a class (then the
number is the chance of class 1), so that all measures speak of squared error. Half of the rows grow
the forest, the other half are held out.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_teach.basics.forest import Forest
from fi_teach.basics.results import Importance
from fi_teach.basics.seeds import Seed, own_stream, plain_stream
from fi_teach.basics.tables import check_count
from fi_teach.importance.conditional import conditional_importance
from fi_teach.importance.debiased_mdi import debiased_mdi
from fi_teach.importance.drop_column import drop_column_importance
from fi_teach.importance.knockoffs import knockoff_filter
from fi_teach.importance.mdi import mdi
from fi_teach.importance.permutation import permutation_importance
from fi_teach.importance.tree_shap import tree_shap
from fi_teach.trees.cart import grow_cart
from fi_teach.trees.forest import grow_forest
from fi_teach.worlds import WORLDS, World
from fi_teach.worlds.world import check_at_least

__all__ = ["CONTROLS", "METHODS", "OUTCOMES", "QUESTIONS", "TRUTH", "Trial", "clear_of_zero",
           "compare", "outcomes", "stored", "verdicts"]

QUESTIONS = ("associated", "relevant", "used", "causal")
"""What may be asked of a feature: told by the feature alone; told given all the others; used, that
is read by *this* forest; a cause. The first, second and fourth are the world's, the third is read
off the trees."""

OUTCOMES = ("answers", "misleads", "silent")
"""What a measure does in one draw of a world: `outcomes` defines the three."""

TRUTH = "the truth itself"
"""The control measure of `outcomes`: 1 where the answer is yes, 0 where it is no."""

UNSEEN = {"twins": "x1", "correlated_proxy": "x1", "confounder": "x1", "mediator": "m",
          "collider": "c"}
"""For the question `used`: the column that the forests of a world have never seen."""

APART = ("or_gate", "pipeline_faults", "shift")
"""Worlds that the stored comparison leaves out: the AND gate turned round, one that repeats rows,
and one whose held-out rows have another distribution than those the forest was grown on."""

FILE = Path(__file__).with_name("comparison.csv")
SEEDS = (0, 1)
SETTINGS: dict = {"n": 800, "n_trees": 20, "n_repeats": 40}
NEGLIGIBLE = 1e-12
OF_A_DRAW = ("world", "method", "feature", "importance")
COLUMNS = ["world", "method", "repeat", "feature", "importance", *QUESTIONS, "copy_of"]
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
        return self.world.truth.assign(used=self.used, copy_of=alike)[[*QUESTIONS, "copy_of"]]

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


METHODS = {
    "feature alone": _alone,
    "MDI": lambda trial: mdi(trial.model),
    "out-of-bag MDI": lambda trial: debiased_mdi(trial.model, *trial.train),
    "permutation, held out": lambda trial: permutation_importance(
        trial.model.predict, *trial.test, n_repeats=5, rng=trial.seed),
    "conditional permutation": lambda trial: conditional_importance(
        trial.model.predict, *trial.test, n_repeats=3, rng=trial.seed),
    "drop column": _drop_column,
    "SHAP, interventional": lambda trial: tree_shap(
        trial.model, trial.test[0], background=trial.train[0]).to_importance(),
    "knockoff statistic": _knockoffs,
}
"""Every measure as a function of a Trial; add your own by {**METHODS, "mine": function}."""


def _random(trial):
    rng = own_stream(trial.seed, f"random, {trial.world.name}")
    return Importance(trial.world.names, np.abs(rng.normal(size=len(trial.world.names))))


CONTROLS = {
    "all zeros": lambda trial: Importance(trial.world.names, np.zeros(len(trial.world.names))),
    "random numbers": _random,
}
"""Measures that know nothing: bars of no length, and bars of random lengths."""


# --- the table ---


def compare(worlds: Mapping[str, Callable] | Iterable[str] = WORLDS,
            methods: Mapping[str, Callable] | Iterable[str] = METHODS, *, n: int = 400,
            n_trees: int = 50, n_repeats: int = 1, without: Mapping[str, str] | None = None,
            rng: Seed = 0) -> pd.DataFrame:
    """Run every method on every world -> one row for each feature and draw, with the truth.

    worlds : {name: function (n, rng=) -> World}, or a list of names from WORLDS
    methods : {name: function of a Trial}, or a list of names from METHODS
    n : rows a world; n_trees : trees a forest; n_repeats : draws of each world, forests and all
    without : {world: column}, a column that this world's forests have never seen
    -> DataFrame: world, method, repeat, feature, importance; associated, relevant and causal from
       the world's truth, used from the forest; copy_of, the first column with the same values

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
    rows = []
    for (repeat, seed), (name, draw) in product(enumerate(seeds.tolist()), draws.items()):
        trial = Trial(_world(draw, n, seed, unseen.get(name)), n_trees, seed, unseen.get(name))
        for method, measure in measures.items():
            found = _beside_the_truth(measure(trial), trial)
            rows += [(name, method, repeat, *row) for row in found]
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
    without = {} if without is None else without
    is_mapping = isinstance(without, Mapping)
    unknown = [name for name in without if name not in draws] if is_mapping else [without]
    if unknown:
        raise ValueError(
            f"without names the world {unknown[0]!r}, which is not compared: expected a column "
            f"for some of {', '.join(draws)}, such as {{'twins': 'x1'}}.")
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
    return [(feature, importance, *answers) for importance, (feature, *answers)
            in zip(found.mean, trial.truth.itertuples(name=None), strict=True)]


# --- which question a measure answers ---


def outcomes(table: pd.DataFrame, question: str) -> pd.DataFrame:
    """Judge every draw of every world: does the measure answer, mislead, or stay silent?

    A measure *names* a feature if its importance is clear of zero. In one draw of one world it

    misleads : if it names a feature for which the answer is no
    answers : if it names all features for which the answer is yes, and no other
    silent : else: it names none, or names no false one and leaves out a true one

    table : what `compare` returned, with at least two repeats
    -> DataFrame, one row a world: question, world, and for each measure a string with one letter a
       draw, the outcome's first; the last measure is the truth, which has nothing to name, and is
       silent, in a world where every answer is no

    Copies of one column are judged only where their answers agree, unless it is `used` that is
    asked: which of two identical columns is the cause no table can tell.
    Raises ValueError for an unknown question, a table without these columns, and for one repeat.

    >>> outcomes(compare(["null"], ["MDI"], n=100, n_repeats=4), "relevant").values.tolist()
    [['relevant', 'null', 'mmmm', 'ssss']]
    """
    if question not in QUESTIONS:
        raise ValueError(f"unknown question {question!r}: expected one of {', '.join(QUESTIONS)}.")
    _check_columns(table, [*OF_A_DRAW, *QUESTIONS, "repeat", "copy_of"])
    if table["repeat"].nunique() < 2:
        raise ValueError(
            "the table has less than two repeats, and what is clear of zero takes at least two: "
            "ask compare for n_repeats=2 or more.")
    one = table[table["method"] == table["method"].iloc[0]]
    truth = one.assign(method=TRUTH, importance=one[question].astype(float))
    judged = _decided(pd.concat([table, truth]).dropna(subset="importance"), question)
    yes, named = judged[question].astype(bool), clear_of_zero(judged)
    said = pd.DataFrame({"named": named, "false": named & ~yes, "missed": yes & ~named})
    keys = [judged[key] for key in ("world", "method", "repeat")]
    of = said.groupby(keys, sort=False).any()
    letters = np.where(of["false"], "m", np.where(of["missed"] | ~of["named"], "s", "a"))
    by_world = pd.Series(letters, of.index).groupby(["world", "method"], sort=False).agg("".join)
    found = by_world.unstack(sort=False).rename_axis(columns=None).reset_index()
    found.insert(0, "question", question)
    return found


def verdicts(found: pd.DataFrame) -> pd.DataFrame:
    """Sum up each measure's outcomes for each question, and give its word by a rule.

    The rule: a measure *misleads* if in some world it misleads in more than half of the draws.
    Otherwise it *answers* if it does so at least a third as often as the truth itself.
    Otherwise it is *silent*. One counterexample is enough, and silence wins nothing; luck does not
    either: who names each feature with chance p, independently, names exactly the right one of two
    in p (1 - p) of the draws, a quarter at most.

    found : what `outcomes` or `stored` returned, or several of them, one below the other
    -> DataFrame, one row for each question and measure: word; answers, misleads and silent, shares
       of the draws that add up to 1 and in which every world counts once; error, the largest of
       their three Monte Carlo errors; worst_world and worst, the world in which most draws mislead
       or else most are silent although there is something to name, and their share

    Raises ValueError for a table that `outcomes` did not return.

    >>> table = compare(["null"], ["MDI"], n=100, n_repeats=4)
    >>> verdicts(outcomes(table, "relevant"))[["measure", "word"]].values.tolist()
    [['MDI', 'misleads'], ['the truth itself', 'silent']]
    """
    _check_columns(found, ["question", "world", TRUTH], "outcomes")
    measures = [name for name in found if name not in ("question", "world", "seed")]
    rows = []
    for question, of_question in found.groupby("question", sort=False):
        strings = of_question.groupby("world", sort=False)[measures].sum()
        letters = {name: np.array([*map(list, strings[name])]) for name in measures}
        rows += [{"question": question, "measure": name,
                  **_verdict(letters[name], letters[TRUTH] == "a", strings.index)}
                 for name in measures]
    return pd.DataFrame(rows)


def _verdict(letters, answerable, worlds):
    """Sum up one measure: letters (worlds, draws), and where the truth answers."""
    is_outcome = {name: letters == name[0] for name in OUTCOMES}
    shares = {name: where.mean() for name, where in is_outcome.items()}
    errors = [where.mean(axis=0).std(ddof=1) / np.sqrt(letters.shape[1])
              for where in is_outcome.values()]
    misled = is_outcome["misleads"].mean(axis=1)
    missed = (is_outcome["silent"] & answerable).mean(axis=1)
    word = ("misleads" if misled.max() > 1 / 2 else
            "answers" if shares["answers"] >= answerable.mean() / 3 > 0 else "silent")
    failed = misled if word == "misleads" else missed
    return {"word": word, **shares, "error": max(errors), "worst_world": worlds[failed.argmax()],
            "worst": failed.max()}


def stored() -> pd.DataFrame:
    """Read the stored outcomes: 40 draws of each world from each of the seeds 0 and 1 -> DataFrame.

    >>> stored()["question"].unique().tolist()
    ['associated', 'relevant', 'used', 'causal']
    """
    return pd.read_csv(FILE, keep_default_na=False)  # "null" is a world


def clear_of_zero(table: pd.DataFrame) -> pd.Series:
    """Return whether an importance exceeds twice its standard deviation over the draws -> bool.

    That is the spread of the study: rows, forest and the measure's own chance are drawn anew.
    Raises ValueError for a table that `compare` did not return.
    """
    _check_columns(table, OF_A_DRAW)
    same = table.groupby(["world", "method", "feature"])["importance"]
    return table["importance"] > 2 * same.transform("std") + NEGLIGIBLE


def _check_columns(table, needed, maker="compare"):
    """Check that the table has these columns, and numbers where they belong."""
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"expected a DataFrame, not what is of type {type(table).__name__}: "
                         f"give what {maker} returned.")
    missing = [column for column in needed if column not in table.columns]
    if missing:
        raise ValueError(f"the table has no column {missing[0]!r}: give what {maker} returned.")
    if "importance" in needed and not pd.api.types.is_numeric_dtype(table["importance"]):
        raise ValueError("the column 'importance' holds something that is no number: "
                         f"give what {maker} returned.")


def _decided(table, question):
    """Return the rows whose answer is determined: not those of copies with different answers."""
    if question == "used":
        return table
    copies = table.groupby(["world", "method", "repeat", "copy_of"])[question]
    return table[copies.transform("nunique") == 1]


def main() -> None:
    """Draw and judge everything again, and write comparison.csv; it takes minutes."""
    worlds, measures = [name for name in WORLDS if name not in APART], {**METHODS, **CONTROLS}
    found = []
    for seed in SEEDS:
        seen = compare(worlds, measures, **SETTINGS, rng=seed)
        blind = compare(list(UNSEEN), measures, **SETTINGS, without=UNSEEN, rng=seed)
        found += [outcomes(blind if question == "used" else seen, question).assign(seed=seed)
                  for question in QUESTIONS]
    pd.concat(found).to_csv(FILE, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
