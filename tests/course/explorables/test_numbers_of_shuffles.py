"""The explorables of shuffles, knockoffs and resampling show the numbers of fi_teach: chapters 5 to 7, 10 and 12."""

import json

import numpy as np
import pandas as pd
import pytest
from definitions import oob_importance_by_definition, oob_importance_per_tree_by_definition

from fi_course.explorables import banana_shuffler, correlated_leak, knockoff_scan, negative_null, shortlist
from fi_course.explorables.held_out_units import SHOWN, explore_held_out
from fi_teach.data import BANANA_LENGTH_PERMUTED, BANANA_OUT_OF_BAG, bananas
from fi_teach.importance import knockoff_threshold

# --- bananas ---


def test_the_trees_answer_and_the_bags_are_as_drawn():
    """Fruit 2: yes at 11, no at 19 (tree 1). Fruits 3 and 4: yes at 19 and 14, then yes at 14 and no at 10 (tree M)."""
    X, forest = bananas().X, banana_shuffler.drawn_forest()
    dealt = X.assign(Length=BANANA_LENGTH_PERMUTED)
    first, last = forest.trees
    assert [first.predict(table)[1] for table in (X, dealt)] == ["yes", "no"]
    assert [list(last.predict(table)[2:]) for table in (X, dealt)] == [["yes", "yes"], ["yes", "no"]]
    assert [tuple(np.flatnonzero(row == 0) + 1) for row in forest.in_bag] == list(BANANA_OUT_OF_BAG.values())


def test_it_opens_with_the_drawn_shuffle_and_its_bars_count_24():
    seen = banana_shuffler.explore_bananas()
    assert seen.sentence.startswith(f"Fruits 1 to 4 get the lengths {', '.join(map(str, BANANA_LENGTH_PERMUTED))}.")
    assert "2 of 3 votes wrong, none before: importance 0.667" in seen.sentence
    assert "importance 0.750 for this shuffle" in seen.sentence_at(aggregate=False, shuffle=(1, 2, 3, 0))
    assert len(seen.states) == 2 * 24
    for state in seen.states:
        marks = [seen.pool[mark] for mark in state["panels"][1]["marks"]]
        assert sum(max(mark["y"]) for mark in marks if mark["kind"] == "rect") == 24


@pytest.mark.parametrize("aggregate, mean", [(True, 1 / 3), (False, 3 / 8)])
def test_every_shuffle_is_worth_what_the_definition_says_and_the_mean_what_a_pencil_finds(aggregate, mean):
    """Fruit 2 goes wrong with 2 of 4 lengths, fruits 3 and 4 with 1 of 4: (1/2 + 1/4 + 1/4) / 3, or (1/2 + 1/4) / 2."""
    X, y = bananas()
    measure = oob_importance_by_definition if aggregate else oob_importance_per_tree_by_definition
    found = banana_shuffler.importances(aggregate)
    for shuffle, worth in found.items():
        by_definition = measure(banana_shuffler.drawn_forest(), X, y, donors=np.array(shuffle)[:, None]).mean
        assert by_definition.tolist() == pytest.approx([0, 0, 0, worth], abs=1e-9)
    assert np.mean([*found.values()]) == pytest.approx(mean, abs=1e-9)


# --- does overfitting make an importance negative? ---


def summary(world):
    """Mean, standard error and share of negatives of x1's importance, one row a depth."""
    groups = negative_null.runs_of(world).groupby("depth")["importance"]
    return groups.mean(), groups.std() / np.sqrt(groups.size()), groups.agg(lambda found: (found < 0).mean())


def test_on_pure_noise_trees_overfit_and_the_mean_importance_is_zero_at_every_depth():
    """The expectation is exactly 0; 150 fits allow 3.5 standard errors, which one in 300 sets of seven would exceed."""
    mean, error, negative = summary("noise")
    assert (abs(mean) < 3.5 * error).all()
    assert negative.loc[3:].between(0.35, 0.65).all()
    errors = negative_null.runs_of("noise").groupby("depth")[["train", "test", "mean alone"]].mean()
    assert errors["train"].is_monotonic_decreasing and errors["train"].iloc[-1] < 0.01
    assert errors["test"].iloc[-1] > 1.7 * errors["mean alone"].iloc[-1]


def test_a_signal_is_positive_and_the_same_signal_turned_round_is_negative():
    (signal, error, _), (turned, turned_error, _) = summary("signal"), summary("turned")
    assert (signal > 5 * error).all() and (turned < -5 * turned_error).all()


# --- does the proxy get the credit? ---


def test_a_forest_that_may_choose_gives_the_proxy_nothing_and_one_that_may_not_leaks_with_the_correlation():
    for rho in (0.8, 0.9, 0.95):
        leaks, none = (correlated_leak.four_measures(rho, who)["x2"] for who in ("one", "both"))
        assert leaks["permutation"] > 0.1 and leaks["impurity"] > 0.3
        assert abs(none["permutation"]) < 0.02 and none["impurity"] < 0.05
    leak = [correlated_leak.four_measures(rho, "one").at["permutation", "x2"] for rho in correlated_leak.RHOS]
    assert abs(leak[0]) < 0.02 and (np.diff(leak[1:]) > 0).all()


def test_conditional_and_drop_column_give_the_proxy_nothing_in_either_forest():
    for rho in correlated_leak.RHOS:
        for who in correlated_leak.CANDIDATES:
            assert correlated_leak.four_measures(rho, who).loc[["conditional", "drop column"], "x2"].max() < 0.02


@pytest.mark.parametrize("rho", [0.6, 0.8, 0.9, 0.95])
def test_the_cause_is_worth_what_its_own_part_is_worth(rho):
    """The ideal predictor loses 2 (1 - rho^2) when x1 is drawn given x2, and half of that, the variance left,
    when x1 is left out."""
    x1 = correlated_leak.four_measures(rho, "both")["x1"]
    assert x1["conditional"] == pytest.approx(2 * (1 - rho**2), rel=0.25)
    assert 1.5 < x1["conditional"] / x1["drop column"] < 2.1


def test_rows_shuffled_out_of_their_line_are_counted():
    """x2' - rho x1 has variance 1 + rho^2: at correlation 0 one row in a hundred is rare, at .9 about 40 %,
    for twins all."""
    shares = [correlated_leak.shuffled_rows(rho)[2].mean() for rho in (0.0, 0.9, 1.0)]
    assert shares[0] < 0.03 and abs(shares[1] - 0.404) < 0.08 and shares[2] > 0.99


# --- where does knockoff+ stop? ---


def announced(study, q):
    statistics, cause = knockoff_scan.statistics_of(study)
    won, _, false, _ = knockoff_scan.counts_at(statistics, cause, knockoff_threshold(statistics, q))
    return won, false


def test_four_causes_can_be_announced_at_thirty_percent_and_not_at_twenty_and_nothing_where_nothing_is():
    """Five or none: (1 + 0) / 4 = .25 lies above .2."""
    assert (announced("four", 0.2), announced("four", 0.3)) == ((0, 0), (4, 0))
    assert [announced("none", q) for q in (0.1, 0.2, 0.3)] == [(0, 0)] * 3


@pytest.mark.parametrize("study", ["strong", "weak"])
def test_twelve_causes_are_mostly_found_at_twenty_percent(study):
    won, false = announced(study, 0.2)
    assert won - false >= 9 and false / won <= 0.2


@pytest.mark.parametrize("study", knockoff_scan.STUDIES)
def test_a_study_is_as_declared_and_its_sentence_says_passes_where_the_estimate_is_at_most_q(study):
    statistics, cause = knockoff_scan.statistics_of(study)
    assert cause.sum() == knockoff_scan.CAUSES[study]
    assert abs(statistics).max() < knockoff_scan.SIZES[-1] + 0.015
    for t in knockoff_scan.SIZES:
        won, _, _, estimate = knockoff_scan.counts_at(statistics, cause, t)
        for q in (0.1, 0.2, 0.3):
            passes = ": t passes" in knockoff_scan.scan_state(study, q, t).sentence
            assert passes == (won > 0 and estimate <= q)


# --- where does the shortlist end? ---

NAMES = [f"g{j}" for j in range(60)]


def noisy(noise):
    """Sixty features of falling strength, measured on forty halves."""
    return np.linspace(6, 0, 60) + noise * np.random.default_rng(0).normal(size=(40, 60))


def test_the_bound_holds_where_lists_are_drawn_blindly():
    """All features are of low chance then, and what is named of them stays below the bound."""
    rng = np.random.default_rng(1)
    found = [(shortlist.frequency(rng.random((10, 60)), 20) >= 0.6).sum() for _ in range(200)]
    assert 0 < np.mean(found) <= shortlist.bound(20, 60, 0.6)
    assert shortlist.bound(20, 500, 1.0) == pytest.approx(0.8)  # 400 / 500 / 1


def test_a_higher_threshold_and_more_noise_never_name_more_and_one_half_promises_nothing():
    seen = shortlist.explore_shortlist({"calm": noisy(0.1), "wild": noisy(3.0)}, NAMES)

    def named(scorer, k, threshold):
        return int(seen.sentence_at(scorer=scorer, k=k, threshold=threshold).split("%: ")[1].split(" of ")[0])

    for scorer in ("calm", "wild"):
        counts = [named(scorer, 20, at) for at in shortlist.THRESHOLDS]
        assert counts == sorted(counts, reverse=True)
    assert named("calm", 10, 0.9) >= 8 and named("wild", 10, 0.9) <= 3
    assert "the bound promises nothing here" in seen.sentence_at(scorer="calm", k=10, threshold=0.5)
    assert "the bound lets 3.3 of them be there by luck" in seen.sentence_at(scorer="calm", k=10, threshold=0.75)
    assert seen.sentence.startswith("Lists of 20 by calm, threshold 75%: ")
    for k in shortlist.LENGTHS:
        assert shortlist.frequency(noisy(1.0), k).sum() == pytest.approx(k)


@pytest.mark.parametrize("halves, names", [
    ({"s": noisy(1.0)}, NAMES[:59]), ({"s": noisy(1.0)[0]}, NAMES), ({"s": noisy(1.0)[:, :20]}, NAMES[:20])])
def test_importances_that_do_not_fit_the_names_are_refused(halves, names):
    with pytest.raises(ValueError, match="one row a half and one column a name"):
        shortlist.explore_shortlist(halves, names)


# --- who has a sister in training? ---

SISTERS = np.repeat(np.arange(6), 2)
PLACES = pd.DataFrame({"water": 180.0 + SISTERS, "cement": 300.0 - 10 * SISTERS})
SPLITS = {"rows": [np.arange(12) % 3 == k % 3 for k in range(5)], "pours": [k % 3 == SISTERS % 3 for k in range(5)]}
ERRORS = {"rows": [3.0, 4.0, 5.0, 4.0, 4.0], "pours": [6.0, 7.0, 8.0, 7.0, 7.0]}


def test_whole_units_have_no_sister_left_and_every_pour_is_drawn_once():
    seen = explore_held_out(PLACES, SISTERS, SPLITS, pd.DataFrame(ERRORS), unit="MPa")
    assert "4 with a sister in training" in seen.sentence_at(kind="rows", split=1)
    assert "0 with a sister in training. Error 6.0 MPa here" in seen.sentence_at(kind="pours", split=1)
    assert "Error 7.0 MPa here, 7.0 MPa on average over 5 splits" in seen.sentence_at(kind="pours", split=2)
    for at, state in enumerate(seen.states):
        drawn = [seen.pool[mark] for mark in state["panels"][0]["marks"]]
        assert sum(len(mark["x"]) for mark in drawn) == 6
        assert ("held out, a sister in training" in {mark["name"] for mark in drawn}) == (at < SHOWN)


def test_a_thousand_rows_stay_small():
    rng = np.random.default_rng(0)
    places = pd.DataFrame(rng.normal(size=(1000, 2)), columns=["water", "cement"])
    splits = {f"kind {k}": [rng.random(1000) < 0.3 for _ in range(20)] for k in range(5)}
    seen = explore_held_out(places, np.arange(1000) // 3, splits, {kind: rng.random(20) for kind in splits})
    assert len(json.dumps([seen.states, seen.pool])) < 120_000


@pytest.mark.parametrize("splits, errors, said", [
    ({}, {}, "same kinds"),
    (SPLITS, {"rows": [1.0] * 5}, "same kinds"),
    (SPLITS, ERRORS | {"pours": [1.0]}, "one mask for each error"),
    (SPLITS | {"rows": [np.ones(3, bool)] * 5}, ERRORS, "one entry a row"),
])
def test_splits_that_do_not_fit_are_refused(splits, errors, said):
    with pytest.raises(ValueError, match=said):
        explore_held_out(PLACES, SISTERS, splits, errors)
