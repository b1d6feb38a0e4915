"""Seeing against doing: planted effects are recovered where theory says so, and missed where it says so."""

import inspect

import numpy as np
import pandas as pd
import pytest

from fi_teach import worlds
from fi_teach.importance.causal import (
    CausalModel,
    backdoor_adjustment,
    backdoor_mean,
    collider_model,
    conditional_mean,
    confounder_model,
    descendants,
    do,
    interventional_mean,
    mediator_model,
    observe,
    parents,
    regression_adjustment,
    satisfies_backdoor,
)

N = 40_000  # standard errors of the slopes below are under 0.005


@pytest.fixture(scope="module")
def confounded():
    return observe(confounder_model(), N, rng=0)


def by_fine_strata(*question):
    return backdoor_adjustment(*question, n_strata=400)


def graph(**arrows):
    """A model with the given arrows, child = "parents": its equations only matter by their arguments."""
    def equation(names):
        def total(**values):
            return sum(values.values())

        total.__signature__ = inspect.Signature([
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names])
        return total

    return CausalModel({child: equation([*names.split(), "noise"]) for child, names in arrows.items()})


CONFOUNDER, MEDIATOR, COLLIDER = confounder_model(), mediator_model(), collider_model()
M_BIAS = graph(u="", w="", x="u", c="u w", y="w x")
NAPKIN = graph(a="", b="", w="a b", z="w", x="z a", y="x b")
LONG_NAME = graph(z_1="", x="z_1", y="x z_1")


# --- seeing and doing ---


def test_seen_means_follow_the_feature_and_done_means_stay(confounded):
    """Cov(x1, y) / Var(x1) = 2 / 1.09 in the confounded world without an effect; setting x1 moves nothing at all."""
    x = np.array([-1.0, 0.0, 1.0])
    assert regression_adjustment(confounded, "x1", "y") == pytest.approx(2 / 1.09, abs=0.02)
    assert conditional_mean(confounded, "x1", x, "y") == pytest.approx(2 / 1.09 * x, abs=0.2)
    means = interventional_mean(confounder_model(), "x1", x, "y", n=N, rng=0)
    assert means == pytest.approx(0 * x, abs=0.05)
    assert np.ptp(means) < 1e-12


def test_conditional_mean_averages_as_many_neighbours_as_asked_for():
    data = pd.DataFrame({"x": [0.0, 1, 2, 3, 9], "y": [1.0, 2, 6, 100, 1000]})
    for n_neighbours, mean in [(1, 1), (2, 3 / 2), (3, 9 / 3), (5, 1109 / 5)]:
        assert conditional_mean(data, "x", [0], "y", n_neighbours=n_neighbours) == pytest.approx([mean])


@pytest.mark.parametrize("direct", [0.5, -2.0])
def test_a_mediated_cause_has_its_whole_effect_when_set(direct):
    """x1 acts on y by 2 + direct; at -2 nothing is left, and the world's truth says so."""
    low, high = interventional_mean(mediator_model(direct), "x1", [0, 1], "y", n=100)
    assert high - low == pytest.approx(2 + direct)
    assert worlds.mediator(50, direct=direct).truth.loc["x1", "causal"] == (direct != -2)


def test_one_seed_shows_the_same_individuals_in_both_worlds():
    """y - y' of the same row is its own effect: 1.5 for everyone, and the causes of x1 are untouched."""
    model = confounder_model(effect=1.5)
    before, after = (observe(do(model, x1=x), 50, rng=3) for x in (0, 1))
    assert (after["y"] - before["y"]).to_numpy() == pytest.approx(np.full(50, 1.5))
    assert before["z"].equals(after["z"])


def test_interventions_cut_the_arrows_into_each_variable_and_leave_the_model_alone():
    model = confounder_model()
    cut = do(model, x1=1)
    assert parents(cut, "x1") == () and parents(model, "x1") == ("z",)
    assert descendants(cut, "z") == {"y", "z_seen"} and descendants(model, "z") == {"x1", "y", "z_seen"}
    assert do(cut, x2=5).fixed == {"x1": 1, "x2": 5}
    assert model.fixed == {}


# --- the back door ---


@pytest.mark.parametrize("adjustment", [regression_adjustment, by_fine_strata])
@pytest.mark.parametrize("effect", [-1.0, 0.0, 2.0])
def test_adjusting_for_the_confounder_recovers_the_planted_effect(adjustment, effect):
    """Within 0.03: sampling error 0.005; strata of 100 rows leave a little of z unadjusted (bias 0.01)."""
    sample = observe(confounder_model(effect), N, rng=1)
    assert adjustment(sample, "x1", "y", ["z"]) == pytest.approx(effect, abs=0.03)


def test_strata_survive_a_bent_confounder_and_regression_does_not():
    """z acts through z^2 on both sides: a straight line in z removes nothing."""
    model = CausalModel({
        "z": lambda noise: noise,
        "x": lambda z, noise: z**2 + noise,
        "y": lambda z, x, noise: 3 * z**2 + x + noise,
    })
    sample = observe(model, N, rng=5)
    assert by_fine_strata(sample, "x", "y", ["z"]) == pytest.approx(1, abs=0.05)
    assert regression_adjustment(sample, "x", "y", ["z"]) == pytest.approx(3, abs=0.1)


def coins():
    """Binary z -> x, z -> y, x -> y: P(y = 1) = 0.2 + 0.3 x + 0.4 z; the true effect of x is 0.3."""
    normal_quantiles = [0.8416, 0.0, -0.2533, -1.2816]
    return CausalModel({
        "z": lambda noise: noise > 0,
        "x": lambda z, noise: noise > 1 - 2 * z,
        "y": lambda z, x, noise: noise > np.select([x + 2 * z == k for k in range(4)], normal_quantiles),
    })


def test_backdoor_formula_is_the_interventional_mean_for_columns_with_few_values():
    """sum_z P(z) E[y | x, z] against do(x), to 0.015; the conditional mean misses. All adjustments find 0.3."""
    sample = observe(coins(), N, rng=6)
    truth = interventional_mean(coins(), "x", [0, 1], "y", n=N, rng=7)
    adjusted = [backdoor_mean(sample, "x", x, "y", ["z"]) for x in (0, 1)]
    plain = np.array([backdoor_mean(sample, "x", x, "y", []) for x in (0, 1)])
    assert adjusted == pytest.approx(truth, abs=0.015)
    assert (np.abs(plain - truth) > 0.05).all()
    for effect in (adjusted[1] - adjusted[0],
                   backdoor_adjustment(sample, "x", "y", ["z"]), regression_adjustment(sample, "x", "y", ["z"])):
        assert effect == pytest.approx(0.3, abs=0.02)


def test_backdoor_mean_by_hand():
    """Two strata of 3 and 1 rows: 3/4 * mean(2, 4) + 1/4 * 10 = 4.75; without columns the conditional mean."""
    data = pd.DataFrame({"group": ["a", "a", "a", "b"], "x": [1, 1, 0, 1], "y": [2.0, 4.0, 99.0, 10.0]})
    assert backdoor_mean(data, "x", 1, "y", ["group"]) == backdoor_mean(data, "x", 1, "y", "group") == 4.75
    assert backdoor_mean(data, "x", 1, "y", []) == pytest.approx(16 / 3)


def test_two_adjusted_columns_make_joint_strata():
    model = CausalModel({
        "u": lambda noise: noise > 0,
        "v": lambda noise: noise > 0,
        "x": lambda u, v, noise: u * v + noise,
        "y": lambda u, v, x, noise: x + 4 * u * v + noise,
    })
    sample = observe(model, N, rng=9)
    assert backdoor_adjustment(sample, "x", "y", ["u", "v"]) == pytest.approx(1, abs=0.03)
    assert abs(backdoor_adjustment(sample, "x", "y", ["u"]) - 1) > 0.2


@pytest.mark.parametrize(("model", "cause", "adjust", "expected"), [
    # seen with error: 2 (1/0.09) / (1 + 1/0.09 + 1/error^2)
    *[(confounder_model(measurement_error=error), "x1", ["z_seen"], 2 / 0.09 / (1 + 1 / 0.09 + 1 / error**2))
      for error in (0.3, 0.5, 1.0)],
    (mediator_model(direct=0.5), "x1", [], 2.5),  # a mediator takes its part of the effect away
    (mediator_model(direct=0.5), "x1", ["m"], 0.5),
    *[(collider_model(effect), "x1", [], effect) for effect in (0.0, 1.0)],
    *[(collider_model(effect), "x1", ["c"], (effect - 4) / 5) for effect in (0.0, 1.0)],  # 1 looks like -0.6
    # M-bias: given c, Cov(x, w) = -1/3 and Var(x) = 5/3, so that c, recorded before x, biases by -1/5
    (M_BIAS, "x", [], 1),
    (M_BIAS, "x", ["c"], 1 - 1 / 5),
    (M_BIAS, "x", ["c", "u"], 1),
])
def test_what_is_adjusted_for_makes_the_bias_that_algebra_predicts(model, cause, adjust, expected):
    assert regression_adjustment(observe(model, N, rng=2), cause, "y", adjust) == pytest.approx(expected, abs=0.03)


# --- the criterion ---


@pytest.mark.parametrize(("model", "cause", "closes", "leaves_open"), [
    (CONFOUNDER, "x1", [["z"], ["z", "x2"]], [[], ["z_seen"], "z_seen"]),
    (CONFOUNDER, "x2", [[]], []),
    (CONFOUNDER, "x1", [], [["x1"], ["y"], ["z", "x1"], "x1"]),  # neither cause nor outcome can be adjusted for
    (MEDIATOR, "x1", [[]], [["m"]]),
    (MEDIATOR, "m", [["x1"]], [[]]),
    (COLLIDER, "x1", [[]], [["c"]]),
    (M_BIAS, "x", [[], ["c", "u"], ["c", "w"]], [["c"]]),
    (NAPKIN, "x", [["a", "z"], ["b"]], [["z"], ["w"]]),
    (LONG_NAME, "x", [["z_1"], "z_1"], [[]]),
])
def test_the_backdoor_criterion_answers_as_the_textbook_graphs_do(model, cause, closes, leaves_open):
    """Direct causes always close it (Pearl 2009, theorem 3.2.2)."""
    for adjust in [*closes, *([parents(model, cause)] if closes else [])]:
        assert satisfies_backdoor(model, cause, "y", adjust), adjust
    for adjust in leaves_open:
        assert not satisfies_backdoor(model, cause, "y", adjust), adjust


def test_one_name_is_a_name_and_not_its_letters(confounded):
    for adjustment in (regression_adjustment, backdoor_adjustment):
        assert adjustment(confounded, "x1", "y", "z_seen") == adjustment(confounded, "x1", "y", ["z_seen"])


# --- what the sweep of test_bad_input.py cannot say ---


@pytest.mark.parametrize(("equations", "says"), [
    ({}, "without equations"),
    ({"x": 3}, "expected a function"),
    ({"noise": lambda: 1}, "'noise'"),
    ({"x": lambda y: y, "y": lambda noise: noise}, "no earlier variable"),
    ({"x": lambda x: x}, "no earlier variable"),
    ({"x": lambda noise: noise[:2]}, "equation of 'x' returned shape"),
])
def test_models_that_are_none_are_refused(equations, says):
    with pytest.raises(ValueError, match=says):
        observe(CausalModel(equations), 5)


FOUR = pd.DataFrame({
    "x": [0.0, 1, 2, 3], "y": [1.0, 2, 2, 4], "z": [0, 0, 1, 1], "w": [0.0, 1, 2, 3], "gap": [1, np.nan, 2, 3]})


@pytest.mark.parametrize(("answer", "question", "says"), [
    (regression_adjustment, ("x", "y", ["x"]), "names a column twice"),
    (regression_adjustment, ("x", "y", ["gap"]), "missing values"),
    (regression_adjustment, ("x", "y", ["w"]), "does not vary once"),
    (backdoor_adjustment, ("x", "y", ["w"]), "does not vary in a stratum"),
    (backdoor_mean, ("x", 0, "y", ["z"]), "without overlap"),
    (backdoor_mean, ("x", 7, "y", []), "without overlap"),
])
def test_data_that_cannot_answer_are_refused(answer, question, says):
    with pytest.raises(ValueError, match=says):
        answer(FOUR, *question)
