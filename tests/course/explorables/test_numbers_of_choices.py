"""The explorables of decisions show the numbers of the data and of `compare`: chapters 12 to 14."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from fi_course.compare import METHODS, QUESTIONS, TRUTH, stored, verdicts
from fi_course.explorables import cost_threshold, explore_printed_charts, group_rates, method_chooser

# --- where to cut? ---


@pytest.fixture(scope="module")
def calibrated():
    """Forecasts that keep their word: whoever gets p is accepted with chance p."""
    rng = np.random.default_rng(0)
    chance = rng.random(40_000)
    return chance, rng.random(40_000) < chance


@pytest.mark.parametrize("ratio", cost_threshold.RATIOS)
def test_of_forecasts_that_keep_their_word_the_cheapest_cut_follows_from_the_costs(calibrated, ratio):
    """Closed form: accepting costs ratio (1 - p), refusing p, so the least lies at ratio / (1 + ratio)."""
    costs = [cost_threshold.cost_at(*calibrated, ratio, cut) for cut in cost_threshold.CUTS]
    assert abs(cost_threshold.CUTS[int(np.argmin(costs))] - ratio / (1 + ratio)) <= 0.05


@pytest.mark.parametrize("chance, accepted, message", [
    ([0.1, 0.2], [True], "one decision for each chance"),
    ([0.1, 0.2], [True, True], "decisions are alike"),
])
def test_forecasts_that_cannot_be_judged_are_refused(chance, accepted, message):
    with pytest.raises(ValueError, match=message):
        cost_threshold.explore_costs(chance, accepted)


# --- two groups, one model ---

LINE = {"denials": 0, "alarms": 1, "catches": 2}  # which rate each way makes equal


@pytest.fixture(scope="module")
def lenders():
    """Two groups of unlike risk, and risks that keep their word in both."""
    rng = np.random.default_rng(0)
    group = rng.random(12_000) < 0.3
    risk = rng.beta(np.where(group, 2, 1), 6)
    return risk, rng.random(12_000) < risk, group


def rates_with(lenders, way, share):
    risk, denied, group = lenders
    denials = risk > np.where(group, *group_rates.cuts_for(*lenders, way, share))
    return denials.mean(), np.array([group_rates.rates_of(denials[rows], denied[rows]) for rows in (group, ~group)])


@pytest.mark.parametrize("way", group_rates.WAYS)
@pytest.mark.parametrize("share", group_rates.SHARES)
def test_every_way_to_cut_denies_as_many(lenders, way, share):
    assert rates_with(lenders, way, share)[0] == pytest.approx(share, abs=0.002)


@pytest.mark.parametrize("way", LINE)
def test_what_is_to_be_equal_is_equal_and_another_line_is_not(lenders, way):
    """Planted: the groups' shares of denials differ, so no cuts can make all lines equal."""
    _, (first, second) = rates_with(lenders, way, 0.2)
    apart = abs(first - second)
    assert apart[LINE[way]] < 0.003 and apart.max() > 0.02


@pytest.mark.parametrize("denied, group, message", [
    ([True, False, True], [True, True, False, False], "one value a row"),
    ([True, True, True, False], [True, True, False, False], "no granted ones"),
])
def test_groups_that_cannot_be_compared_are_refused(denied, group, message):
    with pytest.raises(ValueError, match=message):
        group_rates.explore_group_rates([0.1, 0.2, 0.3, 0.4], denied, group)


# --- which measure should I use? ---


def test_every_set_of_answers_gets_advice_and_no_measure_is_advised_for_what_a_change_would_do():
    assert tuple(method_chooser.AIMS) == QUESTIONS
    for asked in product(method_chooser.AIMS, method_chooser.SCOPES, method_chooser.COMPANY, method_chooser.PROMISES):
        advice = method_chooser.advise(*asked)
        assert advice.method and advice.why and advice.beware and 5 <= advice.chapter <= 13
        assert advice.shown is None or advice.shown in METHODS
        assert (advice.chapter == 11) == (asked[0] == "causal")


def test_a_measure_that_misleads_about_the_question_is_not_advised():
    """Neither chapter 13's table nor the chooser can change without the other."""
    words = verdicts(stored()).set_index(["question", "measure"])["word"]
    for asked in product(method_chooser.AIMS, method_chooser.SCOPES, method_chooser.COMPANY, method_chooser.PROMISES):
        advice = method_chooser.advise(*asked)
        least = {"answers", "silent"} if advice is method_chooser.KNOCKOFFS else {"answers"}
        assert advice.shown is None or words[asked[0], advice.shown] in least, asked


def test_the_figures_in_the_sentence_are_the_comparisons():
    found = verdicts(stored()).query("question == 'used'").set_index("measure")
    sentence = method_chooser.explore_methods().sentence_at(aim="used", scope="all", company="each", promise="interval")
    of = found.loc["SHAP, interventional"]
    assert f"answers what is used in {of['answers']:.0%} of the draws" in sentence
    assert sentence.endswith(f"the truth itself answers in {found.loc[TRUTH, 'answers']:.0%}.")


# --- one model, many charts ---

PRINTED = pd.DataFrame({"split": [10, 30, 60], "gain": [80.0, 15, 5]}, index=["a", "b", "ticket"])
COUNTED = {"split": "how often", "gain": "how well"}


def test_a_chart_is_shown_in_shares_of_its_sum_longest_first():
    seen = explore_printed_charts(PRINTED, watched=["ticket", "a"], told=COUNTED)
    assert seen.sentence == ("split, how often: ticket leads with 60%. Of 3 columns ticket stands on place 1 with 60%, "
                             "a stands on place 3 with 10%.")
    assert seen.sentence_at(chart="gain").startswith(
        "gain, how well: a leads with 80%. Of 3 columns ticket stands on place 3 with 5%")


@pytest.mark.parametrize("watched, told, said", [
    ([], COUNTED, "one to 4"), (["nobody"], COUNTED, "nobody"), (list("abcde"), COUNTED, "one to 4"),
    (["a"], {"gain": "how well"}, "tell of each")])
def test_what_cannot_be_watched_or_told_is_refused(watched, told, said):
    with pytest.raises(ValueError, match=said):
        explore_printed_charts(PRINTED, watched=watched, told=told)
