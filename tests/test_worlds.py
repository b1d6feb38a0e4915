"""Worlds are what their docstrings say: the truth table is checked against large samples and exact enumeration."""

import numpy as np
import pytest

from fi_teach import worlds
from fi_teach.basics.losses import squared_error
from fi_teach.worlds import WORLDS, bit_cells

N = 40_000  # rows of a Monte Carlo check; tolerances below are about four standard errors


def shuffling_cost(world, name, seed):
    """Rise of the ideal predictor's squared error, and its standard error, when one column is shuffled."""
    X = world.X.copy()
    X[name] = np.random.default_rng(seed).permutation(X[name].to_numpy())
    rise = squared_error(world.y, world.ideal(X)) - squared_error(world.y, world.ideal(world.X))
    return rise.mean(), rise.std() / np.sqrt(len(rise))


WITHOUT_FORMULA = ("fairness", "pipeline_faults")
VARIANTS = {name: (name, {}) for name in WORLDS if name not in WITHOUT_FORMULA} | {
    "near twins": ("twins", {"jitter": 0.3}),
    "one copy": ("twins", {"copies": 1}),
    "and, correlated": ("and_gate", {"rho": 0.8}),
    "or, noisy": ("or_gate", {"flip": 0.2}),
    "and, unequal": ("and_gate", {"rates": (0.5, 0.9)}),
    "xor, correlated": ("xor_gate", {"rho": -0.4}),
    "confounder shown": ("confounder", {"shown": True}),
    "confounder with error": ("confounder", {"shown": True, "measurement_error": 0.3}),
    "confounder with effect": ("confounder", {"effect": 1.0}),
    "collider with effect": ("collider", {"effect": 1.0}),
    "mediator with direct path": ("mediator", {"direct": 1.0}),
    "no faults": ("pipeline_faults", {"faults": ()}),
    "slipped": ("pipeline_faults", {"faults": ("shift",)}),
    "negative proxy": ("correlated_proxy", {"rho": -0.9}),
}
"""Label -> (world, settings): every world whose truth names importances, at its defaults and at telling settings."""


@pytest.mark.parametrize("label", VARIANTS)
def test_closed_form_importance_is_what_shuffling_a_large_sample_costs(label):
    """E[(y - f(x_j'))^2] - E[(y - f)^2] within 5 standard errors + 1 per cent (a row is also a donor)."""
    name, settings = VARIANTS[label]
    world = WORLDS[name](N, rng=1, **settings)
    known = world.truth["importance"].dropna()
    for seed, (feature, importance) in enumerate(known.items()):
        cost, error = shuffling_cost(world, feature, seed)
        assert cost == pytest.approx(importance, abs=5 * error + 0.01 * abs(importance)), feature


def test_the_ideal_predictor_leaves_no_residual_that_its_features_explain():
    """E[y - f(X) | X] = 0: the residual is uncorrelated with every feature and with f itself (4
    standard errors)."""
    for name in set(WORLDS) - {"pipeline_faults", "shift"}:
        world = WORLDS[name](N, rng=3)
        ideal = np.asarray(world.ideal(world.X)).reshape(N, -1)
        residual = np.asarray(world.y, float).reshape(N, -1) - ideal
        for column in [*world.X.to_numpy(float).T, ideal[:, 0]]:
            product = (column - column.mean())[:, None] * residual
            bound = 4 * product.std(axis=0) / np.sqrt(N) + 1e-12
            assert (np.abs(product.mean(axis=0)) <= bound).all(), name


def test_every_world_has_one_row_of_truth_a_feature_and_introduces_itself():
    columns = ["associated", "relevant", "used", "causal", "importance"]
    for name, draw in WORLDS.items():
        world = draw(40)
        assert world.name == name
        assert tuple(world.truth.index) == world.names, name
        assert list(world.truth.columns) == columns, name
        assert name in repr(world) and f"{len(world.X)} rows" in repr(world)


# --- gates ---


@pytest.mark.parametrize("rho", [-0.5, 0.0, 0.3, 0.8])
def test_bit_cells_have_the_asked_rates_and_correlation(rho):
    cells = bit_cells((0.5, 0.4), rho)
    p1, p2 = cells[1].sum(), cells[:, 1].sum()
    assert (p1, p2) == pytest.approx((0.5, 0.4))
    assert (cells[1, 1] - p1 * p2) / np.sqrt(p1 * (1 - p1) * p2 * (1 - p2)) == pytest.approx(rho)


@pytest.mark.parametrize(("name", "logic"), [
    ("and_gate", np.logical_and), ("or_gate", np.logical_or), ("xor_gate", np.logical_xor)])
def test_gates_compute_what_they_are_called(name, logic):
    world = WORLDS[name](200, rng=0)
    assert (world.y == logic(world.X["x1"], world.X["x2"])).all()


@pytest.mark.parametrize(("draw", "settings", "associated", "relevant"), [
    (worlds.xor_gate, {"rho": 0.0}, [False, False], [True, True]),
    (worlds.xor_gate, {"rho": 0.6}, [False, False], [True, True]),
    (worlds.xor_gate, {"rates": (0.5, 0.8)}, [True, False], [True, True]),
    (worlds.and_gate, {"rho": 1.0}, [True, True], [False, False]),
])
def test_fair_bits_of_xor_are_useless_alone_and_equal_bits_useless_beside_each_other(
        draw, settings, associated, relevant):
    truth = draw(**settings).truth
    assert (truth["associated"].tolist(), truth["relevant"].tolist()) == (associated, relevant)


def test_rates_that_rule_out_a_correlation_are_refused():
    with pytest.raises(ValueError, match="cannot have correlation"):
        worlds.xor_gate(20, rates=(0.1, 0.9), rho=0.9)


# --- twins, proxies, causes ---


def test_exact_twins_are_equal_columns_and_none_is_relevant_beside_another():
    world = worlds.twins(50, copies=3)
    assert (world.X["x1"] == world.X["x3"]).all()
    assert not world.truth["relevant"].any()
    assert world.truth["used"].tolist() == [True, False, False]
    assert worlds.twins(50, copies=1).truth.loc["x1", "relevant"]


def test_proxy_has_the_asked_correlation():
    for rho in (-0.9, 0.0, 0.5):
        X = worlds.correlated_proxy(N, rho=rho, rng=0).X
        assert X.corr().loc["x1", "x2"] == pytest.approx(rho, abs=0.02)


def test_confounder_stays_hidden_unless_shown_and_is_measured_with_the_asked_error():
    hidden, shown = worlds.confounder(N, rng=0), worlds.confounder(N, shown=True, measurement_error=0.5, rng=0)
    assert "z" not in hidden.X and "z" in hidden.hidden
    assert (shown.X["z"] - shown.hidden["z"]).std() == pytest.approx(0.5, abs=0.01)


def test_a_confounder_seen_with_error_leaves_the_confounded_feature_relevant():
    for error, relevant in ((0, False), (0.3, True)):
        truth = worlds.confounder(9, shown=True, measurement_error=error).truth
        assert truth.loc["x1", "relevant"] == relevant


def test_shifted_relation_makes_the_old_predictor_better_when_shuffled():
    world = worlds.shift(N, rng=0)
    cost, error = shuffling_cost(world.test, "x2", 0)
    assert cost == pytest.approx(-2, abs=5 * error)


# --- practice ---


def test_leak_is_zero_for_every_negative_and_known_only_afterwards():
    world = worlds.leak(500, rng=0)
    assert (world.X.loc[world.y == 0, "spent"] == 0).all() and (world.X.loc[world.y == 1, "spent"] >= 1).all()
    assert [c for c, when in world.extra["available"].items() if when > 0] == ["spent"]


def test_a_slip_moves_a_column_down_by_a_row_and_nothing_else_changes():
    """The last reading is lost: what falls off the table does not come back on top, and no other draw is moved."""
    slipped, sound = (worlds.pipeline_faults(100, faults=faults, rng=0)
                      for faults in (("shift", "duplicates"), ("duplicates",)))
    assert (slipped.X["x2"].to_numpy()[1:100] == slipped.hidden["x2"].to_numpy()[:99]).all()
    assert (slipped.X["x1"] == slipped.hidden["x1"]).all()
    assert sound.X["x2"].iloc[99] not in set(slipped.X["x2"])
    assert slipped.X["x2"].iloc[0] not in set(sound.X["x2"])
    assert slipped.hidden.equals(sound.X) and slipped.y.equals(sound.y)


def test_duplicates_are_one_row_in_five_and_say_whom_they_copy():
    world = worlds.pipeline_faults(100, rng=0)
    copies = world.extra["copy_of"][100:]
    assert world.X.duplicated().sum() == len(copies) == 20
    assert (world.X.to_numpy()[100:] == world.X.to_numpy()[copies]).all()
    assert (world.y.to_numpy()[100:] == world.y.to_numpy()[copies]).all()


def test_leaking_id_is_in_the_order_of_the_outcome():
    world = worlds.pipeline_faults(80, faults=("id",), rng=0)
    assert world.y.iloc[np.argsort(world.X["id"])].is_monotonic_increasing
    assert world.ideal is None and world.truth["importance"].isna().all()


def test_groups_differ_in_decisions_and_not_in_skill():
    world = worlds.fairness(N, rng=0)
    by_group = world.X.assign(y=world.y).groupby("protected")[["skill", "y"]].mean()
    assert by_group.loc[1, "skill"] == pytest.approx(by_group.loc[0, "skill"], abs=0.04)
    assert by_group.loc[0, "y"] - by_group.loc[1, "y"] > 0.1


def test_proxy_carries_the_gap_once_the_protected_column_is_dropped():
    """The ideal predictor without the protected column still treats the groups differently."""
    world = worlds.fairness(N, shown=False, rng=0)
    prediction, protected = world.ideal(world.X), world.hidden["protected"]
    assert "protected" not in world.X
    assert prediction[protected == 0].mean() - prediction[protected == 1].mean() > 0.05


def test_proxy_is_relevant_exactly_when_it_carries_a_bias_that_nothing_else_tells():
    for settings, relevant in [({}, False), ({"shown": False}, True), ({"bias": 0.0, "shown": False}, False),
                               ({"agreement": 0.5, "shown": False}, False)]:
        assert worlds.fairness(20, **settings).truth.loc["proxy", "relevant"] == relevant


def test_an_exact_proxy_makes_the_protected_column_irrelevant_given_it():
    truth = worlds.fairness(20, agreement=1).truth
    assert truth.index[truth["relevant"]].tolist() == ["skill"]
