"""Seeing against doing: planted effects are recovered exactly where theory says so, and missed
where it says so."""

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


# --- seeing and doing ---


def test_confounded_feature_predicts_with_slope_two_over_one_point_zero_nine(confounded):
    """Cov(x1, y) / Var(x1) = 2 / 1.09 = 1.835 in the confounded world without an effect."""
    assert regression_adjustment(confounded, "x1", "y") == pytest.approx(2 / 1.09, abs=0.02)


def test_setting_the_confounded_feature_changes_nothing_at_all():
    means = interventional_mean(confounder_model(), "x1", [-2, 0, 2], "y", n=500, rng=0)
    assert np.ptp(means) < 1e-12


def test_seen_means_follow_the_feature_and_done_means_stay(confounded):
    x = np.array([-1.0, 0.0, 1.0])
    assert conditional_mean(confounded, "x1", x, "y") == pytest.approx(2 / 1.09 * x, abs=0.2)
    assert interventional_mean(confounder_model(), "x1", x, "y", n=N, rng=0) == pytest.approx(
        0 * x, abs=0.05
    )


def test_conditional_mean_averages_as_many_neighbours_as_asked_for():
    data = pd.DataFrame({"x": [0.0, 1, 2, 3, 9], "y": [1.0, 2, 6, 100, 1000]})
    for n_neighbours, mean in [(1, 1), (2, 3 / 2), (3, 9 / 3), (5, 1109 / 5)]:
        assert conditional_mean(data, "x", [0], "y", n_neighbours=n_neighbours) == pytest.approx([mean])


def test_a_mediated_cause_has_its_whole_effect_when_set():
    means = interventional_mean(mediator_model(direct=0.5), "x1", [0, 1], "y", n=100)
    assert means[1] - means[0] == pytest.approx(2.5)


def test_one_seed_shows_the_same_individuals_in_both_worlds():
    """y - y' of the same row is its own effect: 1.5 for everyone, and the causes of x1 are
    untouched."""
    model = confounder_model(effect=1.5)
    before, after = (observe(do(model, x1=x), 50, rng=3) for x in (0, 1))
    assert (after["y"] - before["y"]).to_numpy() == pytest.approx(np.full(50, 1.5))
    assert before["z"].equals(after["z"])


def test_setting_a_consequence_leaves_its_causes_alone():
    model = collider_model(effect=1.0)
    assert observe(do(model, c=9), 40, rng=1)[["x1", "y"]].equals(
        observe(model, 40, rng=1)[["x1", "y"]]
    )


def test_surgery_cuts_the_arrows_into_the_variable_and_leaves_the_model_it_was_done_on():
    model = confounder_model()
    cut = do(model, x1=1)
    assert parents(cut, "x1") == () and parents(model, "x1") == ("z",)
    assert descendants(cut, "z") == {"y", "z_seen"} and descendants(model, "z") == {
        "x1",
        "y",
        "z_seen",
    }
    assert model.fixed == {}


@pytest.mark.parametrize(
    ("world", "model"),
    [
        (
            worlds.confounder(N, shown=True, measurement_error=0.4, effect=1.0, rng=5),
            confounder_model(1.0, 0.4),
        ),
        (worlds.mediator(N, direct=0.5, rng=5), mediator_model(0.5)),
        (worlds.collider(N, effect=0.5, rng=5), collider_model(0.5)),
    ],
)
def test_each_model_has_the_law_of_the_world_of_its_name(world, model):
    """Covariances of two large samples agree (entries up to 15, standard errors under 0.1).

    One statement of the equations serves both, so the truth of the one is the truth of the other.
    """
    ours = observe(model, N, rng=6)
    if "z_seen" in ours:
        ours = ours.drop(columns="z").rename(columns={"z_seen": "z"})
    theirs = world.X.assign(y=world.y)
    assert ours[theirs.columns].cov().to_numpy() == pytest.approx(
        theirs.cov().to_numpy(), rel=0.05, abs=0.05
    )


# --- the back door ---


def by_fine_strata(*question):
    return backdoor_adjustment(*question, n_strata=400)


@pytest.mark.parametrize("adjustment", [regression_adjustment, by_fine_strata])
@pytest.mark.parametrize("effect", [-1.0, 0.0, 2.0])
def test_adjusting_for_the_confounder_recovers_the_planted_effect(adjustment, effect):
    """Within 0.03: sampling error 0.005; strata of 100 rows leave a little of z unadjusted (bias
    0.01)."""
    sample = observe(confounder_model(effect), N, rng=1)
    assert adjustment(sample, "x1", "y", ["z"]) == pytest.approx(effect, abs=0.03)


def test_finer_strata_leave_less_bias(confounded):
    coarse, fine = (
        abs(backdoor_adjustment(confounded, "x1", "y", ["z"], n_strata=k)) for k in (5, 100)
    )
    assert fine < coarse / 3


@pytest.mark.parametrize("error", [0.3, 0.5, 1.0])
def test_a_confounder_seen_with_error_leaves_the_bias_that_algebra_predicts(error):
    """Coefficient of x1 given z_seen: 2 (1/0.09) / (1 + 1/0.09 + 1/error^2)."""
    sample = observe(confounder_model(measurement_error=error), N, rng=2)
    expected = 2 / 0.09 / (1 + 1 / 0.09 + 1 / error**2)
    assert regression_adjustment(sample, "x1", "y", ["z_seen"]) == pytest.approx(expected, abs=0.03)


def test_adjusting_for_a_mediator_takes_the_effect_away():
    sample = observe(mediator_model(direct=0.5), N, rng=3)
    assert regression_adjustment(sample, "x1", "y") == pytest.approx(2.5, abs=0.03)
    assert regression_adjustment(sample, "x1", "y", ["m"]) == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("effect", [0.0, 1.0])
def test_adjusting_for_a_collider_biases_an_unbiased_estimate(effect):
    """b without c, (b - 4) / 5 with it: an effect of 1 looks like -0.6."""
    sample = observe(collider_model(effect), N, rng=4)
    assert regression_adjustment(sample, "x1", "y") == pytest.approx(effect, abs=0.03)
    assert regression_adjustment(sample, "x1", "y", ["c"]) == pytest.approx(
        (effect - 4) / 5, abs=0.03
    )


def test_strata_survive_a_bent_confounder_and_regression_does_not():
    """z acts through z^2 on both sides: a straight line in z removes nothing."""
    model = CausalModel(
        {
            "z": lambda noise: noise,
            "x": lambda z, noise: z**2 + noise,
            "y": lambda z, x, noise: 3 * z**2 + x + noise,
        }
    )
    sample = observe(model, N, rng=5)
    assert by_fine_strata(sample, "x", "y", ["z"]) == pytest.approx(1, abs=0.05)
    assert regression_adjustment(sample, "x", "y", ["z"]) == pytest.approx(3, abs=0.1)


def coins():
    """Binary z -> x, z -> y, x -> y: P(y = 1) = .2 + .3 x + .4 z; the true effect of x is .3."""
    return CausalModel(
        {
            "z": lambda noise: noise > 0,
            "x": lambda z, noise: noise > 1 - 2 * z,
            "y": lambda z, x, noise: (
                noise
                > np.select([x + 2 * z == k for k in range(4)], [0.8416, 0.0, -0.2533, -1.2816])
            ),
        }
    )


def test_backdoor_formula_is_the_interventional_mean_for_columns_with_few_values():
    """sum_z P(z) E[y | x, z] against do(x) on the same law, to 0.015; the plain conditional mean
    misses by 0.1."""
    sample = observe(coins(), N, rng=6)
    for x, truth in zip(
        (0, 1), interventional_mean(coins(), "x", [0, 1], "y", n=N, rng=7), strict=True
    ):
        assert backdoor_mean(sample, "x", x, "y", ["z"]) == pytest.approx(truth, abs=0.015)
        assert abs(backdoor_mean(sample, "x", x, "y", []) - truth) > 0.05


def test_backdoor_formula_without_columns_is_the_conditional_mean():
    data = pd.DataFrame({"x": [0, 1, 1], "y": [5.0, 1.0, 2.0]})
    assert backdoor_mean(data, "x", 1, "y", []) == 1.5


def test_backdoor_mean_by_hand():
    """Two strata of 3 and 1 rows: 3/4 * mean(2, 4) + 1/4 * 10 = 4.75."""
    data = pd.DataFrame({"z": ["a", "a", "a", "b"], "x": [1, 1, 0, 1], "y": [2.0, 4.0, 99.0, 10.0]})
    assert backdoor_mean(data, "x", 1, "y", ["z"]) == 4.75


def test_adjustments_agree_on_a_single_binary_confounder_without_interaction():
    sample = observe(coins(), N, rng=8)
    difference = backdoor_mean(sample, "x", 1, "y", ["z"]) - backdoor_mean(
        sample, "x", 0, "y", ["z"]
    )
    assert difference == pytest.approx(0.3, abs=0.02)
    assert backdoor_adjustment(sample, "x", "y", ["z"]) == pytest.approx(difference, abs=0.02)
    assert regression_adjustment(sample, "x", "y", ["z"]) == pytest.approx(difference, abs=0.02)


def test_two_adjusted_columns_make_joint_strata():
    model = CausalModel(
        {
            "u": lambda noise: noise > 0,
            "v": lambda noise: noise > 0,
            "x": lambda u, v, noise: u * v + noise,
            "y": lambda u, v, x, noise: x + 4 * u * v + noise,
        }
    )
    sample = observe(model, N, rng=9)
    assert backdoor_adjustment(sample, "x", "y", ["u", "v"]) == pytest.approx(1, abs=0.03)
    assert abs(backdoor_adjustment(sample, "x", "y", ["u"]) - 1) > 0.2


# --- the criterion ---


def graph(**arrows):
    """A model with the given arrows, child = "parents": its equations only matter by their
    arguments."""

    def equation(names):
        def total(**values):
            return sum(values.values())

        total.__signature__ = inspect.Signature(
            [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in names]
        )
        return total

    return CausalModel(
        {child: equation([*names.split(), "noise"]) for child, names in arrows.items()}
    )


M_BIAS = graph(u="", w="", x="u", c="u w", y="w x")
NAPKIN = graph(a="", b="", w="a b", z="w", x="z a", y="x b")


@pytest.mark.parametrize(
    ("model", "cause", "adjust", "answer"),
    [
        (confounder_model(), "x1", [], False),
        (confounder_model(), "x1", ["z"], True),
        (confounder_model(), "x1", ["z_seen"], False),
        (confounder_model(), "x1", ["z", "x2"], True),
        (confounder_model(), "x2", [], True),
        (mediator_model(), "x1", [], True),
        (mediator_model(), "x1", ["m"], False),
        (mediator_model(), "m", [], False),
        (mediator_model(), "m", ["x1"], True),
        (collider_model(), "x1", ["c"], False),
        (M_BIAS, "x", [], True),
        (M_BIAS, "x", ["c"], False),
        (M_BIAS, "x", ["c", "u"], True),
        (M_BIAS, "x", ["c", "w"], True),
        (NAPKIN, "x", ["z"], False),
        (NAPKIN, "x", ["w"], False),
        (NAPKIN, "x", ["a", "z"], True),
        (NAPKIN, "x", ["b"], True),
    ],
)
def test_the_backdoor_criterion_answers_as_the_textbook_graphs_do(model, cause, adjust, answer):
    assert satisfies_backdoor(model, cause, "y", adjust) == answer


@pytest.mark.parametrize("adjust", [["x1"], ["y"], ["z", "x1"], "x1"])
def test_neither_cause_nor_outcome_can_be_adjusted_for(adjust):
    """The criterion is about sets that hold neither: with the cause held fixed, nothing is left to
    see."""
    assert not satisfies_backdoor(confounder_model(), "x1", "y", adjust)


def test_one_name_is_a_name_and_not_its_letters(confounded):
    """adjust="z_seen" is ["z_seen"], in the criterion and in all three adjustments."""
    assert not satisfies_backdoor(confounder_model(), "x1", "y", "z_seen")
    assert satisfies_backdoor(graph(z_1="", x="z_1", y="x z_1"), "x", "y", "z_1")
    for adjustment in (regression_adjustment, backdoor_adjustment):
        assert adjustment(confounded, "x1", "y", "z_seen") == adjustment(
            confounded, "x1", "y", ["z_seen"]
        )
    coarse = pd.DataFrame({"group": ["a", "a", "b"], "x": [1, 0, 1], "y": [1.0, 2.0, 4.0]})
    assert backdoor_mean(coarse, "x", 1, "y", "group") == backdoor_mean(
        coarse, "x", 1, "y", ["group"]
    )


@pytest.mark.parametrize(
    ("model", "cause"),
    [(confounder_model(), "x1"), (mediator_model(), "m"), (M_BIAS, "x"), (NAPKIN, "x")],
)
def test_the_direct_causes_of_the_cause_always_close_the_back_door(model, cause):
    """Adjustment for direct causes (Pearl 2009, theorem 3.2.2)."""
    assert satisfies_backdoor(model, cause, "y", parents(model, cause))


@pytest.mark.parametrize(("adjust", "bias"), [((), 0), (("c",), -1 / 5), (("c", "u"), 0)])
def test_a_variable_recorded_before_the_cause_can_open_a_back_door(adjust, bias):
    """M-bias, all coefficients 1: given c, Cov(x, w) = -1/3 and Var(x) = 5/3, so that c alone
    biases by -1/5."""
    sample = observe(M_BIAS, N, rng=10)
    assert regression_adjustment(sample, "x", "y", adjust) == pytest.approx(1 + bias, abs=0.03)


# --- purity ---


def test_arguments_are_left_alone(confounded):
    before = confounded.copy()
    backdoor_adjustment(confounded, "x1", "y", ["z"])
    regression_adjustment(confounded, "x1", "y", ["z"])
    conditional_mean(confounded, "x1", [0], "y")
    assert confounded.equals(before)


def test_the_same_seed_draws_the_same_sample():
    assert observe(collider_model(), 20, rng=1).equals(observe(collider_model(), 20, rng=1))
    assert not observe(collider_model(), 20, rng=1).equals(observe(collider_model(), 20, rng=2))


# --- bad input ---


@pytest.mark.parametrize(
    ("equations", "words"),
    [
        ({}, "without equations"),
        ({"x": 3}, "expected a function"),
        ({"noise": lambda: 1}, "'noise'"),
        ({"x": lambda y: y, "y": lambda noise: noise}, "no earlier variable"),
        ({"x": lambda x: x}, "no earlier variable"),
    ],
)
def test_models_that_are_none_are_refused(equations, words):
    with pytest.raises(ValueError, match=words):
        CausalModel(equations)


@pytest.mark.parametrize(
    "call",
    [
        lambda m: do(m, nobody=1),
        lambda m: parents(m, "nobody"),
        lambda m: descendants(m, "nobody"),
        lambda m: interventional_mean(m, "nobody", [1], "y"),
        lambda m: interventional_mean(m, "x1", [1], "nobody"),
        lambda m: satisfies_backdoor(m, "x1", "y", ["nobody"]),
    ],
)
def test_unknown_variables_are_named(call):
    with pytest.raises(ValueError, match="unknown variable 'nobody'"):
        call(confounder_model())


@pytest.mark.parametrize("value", [np.nan, np.inf, "high", [1, 2], None])
def test_only_a_finite_number_can_be_done(value):
    with pytest.raises(ValueError, match="one finite number"):
        do(confounder_model(), x1=value)


@pytest.mark.parametrize("n", [0, -1, 2.5, True, None])
def test_samples_without_rows_are_refused(n):
    with pytest.raises(ValueError, match="whole number of at least 1"):
        observe(confounder_model(), n)


def test_an_equation_of_the_wrong_length_is_named():
    with pytest.raises(ValueError, match="equation of 'x' returned shape"):
        observe(CausalModel({"x": lambda noise: noise[:2]}), 5)


FOUR = pd.DataFrame(
    {
        "x": [0.0, 1, 2, 3],
        "y": [1.0, 2, 2, 4],
        "z": [0, 0, 1, 1],
        "w": [0.0, 1, 2, 3],
        "gap": [1, np.nan, 2, 3],
    }
)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: regression_adjustment(FOUR, "nobody", "y"), "no column 'nobody'"),
        (lambda: backdoor_adjustment(FOUR, "x", "nobody"), "no column 'nobody'"),
        (lambda: backdoor_mean(FOUR, "x", 1, "y", ["nobody"]), "no column 'nobody'"),
        (lambda: conditional_mean(FOUR, "x", [0], "nobody"), "no column 'nobody'"),
        (lambda: regression_adjustment(FOUR, "x", "y", ["x"]), "names a column twice"),
        (lambda: regression_adjustment(FOUR, "x", "y", ["gap"]), "missing values"),
        (lambda: regression_adjustment(FOUR.iloc[:0], "x", "y"), "with rows"),
        (lambda: regression_adjustment(FOUR.to_numpy(), "x", "y"), "expected a DataFrame"),
        (lambda: regression_adjustment(FOUR, "x", "y", ["w"]), "does not vary once"),
        (lambda: backdoor_adjustment(FOUR, "x", "y", ["w"]), "does not vary in a stratum"),
        (lambda: backdoor_adjustment(FOUR, "x", "y", ["z"], n_strata=0), "n_strata is 0"),
        (lambda: backdoor_mean(FOUR, "x", 0, "y", ["z"]), "without overlap"),
        (lambda: backdoor_mean(FOUR, "x", 7, "y", []), "without overlap"),
        (lambda: conditional_mean(FOUR, "x", [0], "y", n_neighbours=5), "from 1 to the 4 rows"),
        (lambda: conditional_mean(FOUR, "x", [0], "y", n_neighbours=0), "whole number"),
    ],
)
def test_data_that_cannot_answer_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_direct_effect_that_cancels_the_mediated_one_leaves_no_cause():
    """x1 acts on y by 2 + direct: at direct = -2 nothing is left, and the world's truth says so."""
    low, high = interventional_mean(mediator_model(direct=-2), "x1", [0, 1], "y", n=100)
    assert high == pytest.approx(low)
    assert not worlds.mediator(50, direct=-2).truth.loc["x1", "causal"]
