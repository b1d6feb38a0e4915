"""The grand table: every pair is there, the truth beside it, the figures are the methods' own."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fi_course.compare import (
    APART,
    CONTROLS,
    METHODS,
    OUTCOMES,
    QUESTIONS,
    SETTINGS,
    TRUTH,
    UNSEEN,
    Trial,
    clear_of_zero,
    compare,
    outcomes,
    stored,
    verdicts,
)
from fi_teach.basics.results import Importance
from fi_teach.importance.drop_column import drop_column_importance
from fi_teach.importance.mdi import mdi
from fi_teach.trees.cart import grow_cart
from fi_teach.worlds import WORLDS, and_gate

QUICK = ["MDI", "permutation, held out", "SHAP, interventional"]


@pytest.fixture(scope="module")
def table():
    return compare(methods=QUICK, n=300, n_trees=20)


def test_every_method_meets_every_world_once_for_each_feature(table):
    for name in WORLDS:
        rows = table[table["world"] == name]
        p = rows["feature"].nunique()
        assert len(rows) == 3 * p and not rows.duplicated(["method", "feature"]).any()


def test_the_truth_in_the_table_is_the_worlds_own():
    rows = compare(["and_gate"], ["MDI"], n=100, n_trees=3)
    asked = ["associated", "relevant", "causal"]
    assert rows[asked].values.tolist() == and_gate(100).truth[asked].values.tolist()


def test_an_importance_in_the_table_is_the_one_the_method_gives_by_hand():
    """And one name is a list of one."""
    seed = int(np.random.default_rng(5).integers(2**31))
    trial = Trial(and_gate(200, rng=seed), 7, seed)
    found = compare("and_gate", "MDI", n=200, n_trees=7, rng=5)["importance"]
    assert found.tolist() == mdi(trial.model).mean.tolist()


def test_a_target_of_several_columns_is_refused_before_anything_is_grown():
    """A censored time has no squared error, and several targets have several."""
    for columns in (2, 3):
        y = pd.DataFrame(np.random.default_rng(0).normal(size=(60, columns)))
        with pytest.raises(ValueError, match=f"target of {columns} columns .*expected one number or class"):
            compare({"mine": lambda n, rng, y=y: replace(and_gate(n, rng=rng), y=y)}, ["MDI"], n=60)


def test_a_method_of_ones_own_stands_beside_the_others():
    found = compare(["null"], {"MDI": METHODS["MDI"], "mine": lambda trial: mdi(trial.model)}, n=60, n_trees=2)
    importances = found.pivot(index="feature", columns="method", values="importance")
    assert importances["mine"].tolist() == importances["MDI"].tolist()


def made(world, importances, yes, copies=None, question="relevant"):
    """A table of one method on one world: importances (n_repeats, p), answers (p,)."""
    rows = []
    for repeat, of_draw in enumerate(importances):
        for j, (number, answer) in enumerate(zip(of_draw, yes, strict=True)):
            row = dict.fromkeys(QUESTIONS, True) | {question: answer}
            of = (copies or range(len(yes)))[j]
            names = {"feature": f"x{j}", "copy_of": f"x{of}", "world": world, "method": "mine"}
            rows.append({**row, **names, "repeat": repeat, "importance": number})
    return pd.DataFrame(rows)


def judged(*tables, question="relevant"):
    """The outcomes of the one measure, world by world."""
    return outcomes(pd.concat(tables), question).set_index("world")["mine"].to_dict()


def test_what_is_named_is_more_than_two_standard_deviations_over_the_draws():
    """3 and 5 have standard deviation sqrt(2): both clear. 1 and 4: 2 * 2.1 is more than both."""
    table = made("one", [[3, 1, 0], [5, 4, 0]], [True, False, False])
    assert clear_of_zero(table).tolist() == [True, False, False] * 2
    assert judged(table) == {"one": "aa"}


def test_the_three_outcomes_by_hand():
    """The same in all draws: all yes and no other, one yes of two, none, a no beside both, a no alone."""
    cases = {"all": [2, 1, 0], "one": [2, 0, 0], "none": [0, 0, 0], "both and a no": [3, 2, 1], "a no": [0, 0, 1]}
    tables = [made(world, [numbers] * 3, [True, True, False]) for world, numbers in cases.items()]
    assert judged(*tables) == {"all": "aaa", "one": "sss", "none": "sss", "both and a no": "mmm", "a no": "mmm"}


def test_where_every_answer_is_no_the_truth_itself_is_silent():
    found = outcomes(made("noise", [[0, 0], [0, 0]], [False, False]), "relevant")
    assert found[["mine", TRUTH]].values.tolist() == [["ss", "ss"]]


def test_copies_are_judged_only_where_their_answers_agree():
    """No table can tell which of two identical columns is the cause; a model reads one or both."""
    numbers, yes, copies = [[2, 1, 0]] * 2, [True, False, False], [0, 0, 2]
    assert judged(made("twins", numbers, yes, copies, "causal"), question="causal") == {"twins": "ss"}
    assert judged(made("twins", numbers, yes, copies, "used"), question="used") == {"twins": "mm"}


def verdict(worlds, truth=None):
    """The verdict on outcomes by hand: {world: letters}; the truth answers wherever it may."""
    rows = [{"question": "used", "world": world, "mine": letters, TRUTH: (truth or {}).get(world, "a" * len(letters))}
            for world, letters in worlds.items()]
    return verdicts(pd.DataFrame(rows)).set_index("measure").loc["mine"]


@pytest.mark.parametrize("worlds, word, worst", [
    ({"one": "aaaa", "two": "mmaa"}, "answers", "one"),  # a half is not more than a half
    ({"one": "aaaa", "two": "mmma", "three": "mmmm"}, "misleads", "three"),  # one world is enough
    ({"one": "asss", "two": "asss", "three": "aass"}, "answers", "one"),  # a third as often as the truth
    ({"one": "asss", "two": "asss", "three": "asss"}, "silent", "one"),  # no false word, and hardly a true one
    ({"one": "ssss", "two": "ssss"}, "silent", "one"),
])
def test_the_word_follows_the_rule(worlds, word, worst):
    found = verdict(worlds)
    assert (found["word"], found["worst_world"]) == (word, worst)


def test_a_world_without_a_yes_asks_for_nothing_and_may_mislead():
    """Who is silent in pure noise misses nothing there; who names something is misled by it."""
    noise = {"noise": "ssss"}
    assert verdict({"one": "aaas", "noise": "ssss"}, noise)[["word", "worst_world"]].tolist() == ["answers", "one"]
    assert verdict({"one": "aaaa", "noise": "mmms"}, noise)[["word", "worst_world"]].tolist() == ["misleads", "noise"]
    assert verdict(noise, noise)["word"] == "silent"


def test_misses_count_as_failures_of_a_world():
    found = verdict({"one": "aaaa", "two": "assm"})
    assert (found["worst_world"], found["worst"]) == ("two", 1 / 2)


def test_shares_add_up_to_one_and_their_error_is_that_of_a_mean_over_draws():
    """Means over the worlds, draw by draw: 1, 1/2, 1/2, 0 have standard deviation 0.41; over 2 for four draws."""
    found = verdict({"one": "aass", "two": "asas"})
    assert found[list(OUTCOMES)].tolist() == [1 / 2, 0, 1 / 2]
    assert np.isclose(found["error"], np.std([1, 1 / 2, 1 / 2, 0], ddof=1) / 2)


# --- the stored comparison ---


@pytest.fixture(scope="module")
def words():
    return verdicts(stored()).pivot(index="measure", columns="question", values="word")[list(QUESTIONS)]


def test_zeros_are_silent_four_times_random_numbers_never_answer_and_the_truth_always(words):
    assert words.loc["all zeros"].tolist() == ["silent"] * 4
    assert "answers" not in set(words.loc["random numbers"])
    assert words.loc[TRUTH].tolist() == ["answers"] * 4
    assert words.loc["feature alone", "associated"] == "answers"


def test_no_measure_answers_what_causes_what(words):
    assert set(words.loc[list(METHODS), "causal"]) == {"misleads"}


def test_each_world_has_80_draws_of_every_measure_for_each_question():
    found = stored()
    assert list(found["question"].unique()) == list(QUESTIONS) and sorted(found["seed"].unique()) == [0, 1]
    letters = found.drop(columns=["question", "world", "seed"])
    assert list(letters) == [*METHODS, *CONTROLS, TRUTH]
    assert letters.map(lambda of_world: len(of_world) == 40 and set(of_world) <= set("ams")).all(axis=None)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_word_is_the_same_whichever_seed_drew_the_worlds(words, seed):
    """Each seed's 40 draws, judged alone."""
    found = stored()
    alone = verdicts(found[found["seed"] == seed])
    pd.testing.assert_frame_equal(alone.pivot(index="measure", columns="question", values="word"), words,
                                  check_like=True)


@pytest.mark.slow
def test_the_stored_outcomes_come_out_again_and_under_a_seed_that_is_not_stored(words):
    """One world in full from its stored seed; then the worlds that tell the words apart, in draws never seen."""
    found, measures = stored(), {**METHODS, **CONTROLS}
    again = outcomes(compare(["twins"], measures, **SETTINGS, rng=1), "relevant")
    kept = found.query("question == 'relevant' and world == 'twins' and seed == 1")
    assert again.iloc[0].tolist() == kept.drop(columns="seed").iloc[0].tolist()
    other = compare(["null", "correlated_proxy", "confounder"], measures, **SETTINGS | {"n_repeats": 20}, rng=7)
    for question in ("relevant", "causal"):
        letters = outcomes(other, question)
        stored_shares = found[(found["question"] == question) & found["world"].isin(letters["world"])]
        fresh, old = (verdicts(rows).set_index("measure") for rows in (letters, stored_shares))
        bound = 4 * np.hypot(fresh["error"], old["error"]) + 0.02
        assert ((fresh[list(OUTCOMES)] - old[list(OUTCOMES)]).abs().max(axis=1) < bound).all()


def lucky(draw):
    """A measure that looks at nothing: draw(rng, p) gives its numbers, anew in each draw of each world."""
    def measure(trial):
        rng = np.random.default_rng([trial.seed, *trial.world.name.encode()])
        return Importance(trial.world.names, draw(rng, len(trial.world.names)))
    return measure


LUCKY = {
    "uniform": lucky(lambda rng, p: rng.random(p)),
    "normal": lucky(lambda rng, p: rng.normal(size=p)),
    "rare": lucky(lambda rng, p: (rng.random(p) < 0.1).astype(float)),
    "one at random": lucky(lambda rng, p: np.eye(p)[rng.integers(p)]),
    "the first, mostly": lucky(lambda rng, p: np.eye(p)[0 if rng.random() < 0.6 else p - 1]),
    "all alike": lucky(lambda rng, p: np.ones(p)),
}


@pytest.mark.slow
def test_no_measure_that_looks_at_nothing_answers_any_question():
    """On the comparison's own worlds, with as many draws: neither luck nor constancy gets the word."""
    worlds, settings = [name for name in WORLDS if name not in APART], {"n": 100, "n_trees": 1, "n_repeats": 40}
    seen = compare(worlds, LUCKY, **settings, rng=3)
    blind = compare(list(UNSEEN), LUCKY, **settings, without=UNSEEN, rng=3)
    found = verdicts(pd.concat([outcomes(blind if asked == "used" else seen, asked) for asked in QUESTIONS]))
    words = found.pivot(index="measure", columns="question", values="word")
    assert "answers" not in set(words.loc[list(LUCKY)].to_numpy().ravel())
    assert set(words.loc["all alike"]) == {"misleads"} and set(words.loc["normal"]) == {"silent"}
    assert set(words.loc[TRUTH]) == {"answers"}


# --- the trial ---


def test_what_a_forest_never_saw_it_does_not_use():
    """And what it did see it splits on: read off the trees, whatever the world's truth says."""
    table = compare(["twins", "confounder"], ["MDI"], n=100, n_trees=5, without={"twins": "x1"}, rng=2)
    rows = table.set_index(["world", "feature"])
    assert rows["used"].tolist() == [False, True, True, True]
    assert rows.loc[("twins", "x1"), "importance"] == 0
    assert rows.loc["twins", "copy_of"].tolist() == ["x1", "x1"]


def test_drop_column_is_the_same_whether_the_whole_forest_is_grown_again_or_not():
    """The trial hands its own forest back; grown again from the same seed it is the same."""
    trial = Trial(WORLDS["friedman"](100, rng=3), 5, 3)
    again = drop_column_importance(trial.grow, *trial.train, test=trial.test)
    assert METHODS["drop column"](trial).mean.tolist() == again.mean.tolist()


def test_a_feature_alone_saves_the_error_of_the_mean_less_that_of_a_tree():
    trial = Trial(WORLDS["twins"](200, rng=1), 5, 1)
    (X, y), (X_new, y_new) = trial.train, trial.test
    tree = grow_cart(X[["x1"]], y, criterion="variance", max_depth=3, min_samples_leaf=5)
    saved = (y_new - y.mean()) ** 2 - (y_new - tree.predict(X_new[["x1"]])) ** 2
    assert np.allclose(METHODS["feature alone"](trial).mean, saved.mean())
