import json

import numpy as np

from fi_course.explorables.negative_null import DEPTHS, WORLDS, cut_off, explore_negative_null, runs_of
from fi_teach.trees import grow_cart


def summary(world):
    """Mean, standard error and share of negatives of x1's importance, one row a depth."""
    groups = runs_of(world).groupby("depth")["importance"]
    return groups.mean(), groups.std() / np.sqrt(groups.size()), groups.agg(lambda found: (found < 0).mean())


def test_a_deep_tree_cut_off_is_the_shallow_tree():
    rng = np.random.default_rng(0)
    X, y, new = rng.standard_normal((60, 3)), rng.standard_normal(60), rng.standard_normal((50, 3))
    deep = grow_cart(X, y, criterion="variance")
    for depth in DEPTHS:
        shallow = grow_cart(X, y, criterion="variance", max_depth=depth)
        np.testing.assert_allclose(cut_off(deep, depth)(new), shallow.predict(new))


def test_on_pure_noise_the_mean_importance_is_zero_at_every_depth():
    """The expectation is exactly 0; 150 fits allow 3.5 standard errors, which one in 300 sets of seven would exceed."""
    mean, error, negative = summary("noise")
    assert (abs(mean) < 3.5 * error).all()
    assert (negative.loc[3:] > 0.35).all() and (negative.loc[3:] < 0.65).all()


def test_trees_do_overfit_as_they_grow():
    errors = runs_of("noise").groupby("depth")[["train", "test", "mean alone"]].mean()
    assert errors["train"].is_monotonic_decreasing and errors["train"].iloc[-1] < 0.01
    assert errors["test"].iloc[-1] > 1.7 * errors["mean alone"].iloc[-1]


def test_a_signal_is_positive_and_the_same_signal_turned_round_is_negative():
    (signal, error, _), (turned, turned_error, _) = summary("signal"), summary("turned")
    assert (signal > 5 * error).all()
    assert (turned < -5 * turned_error).all()


def test_it_is_small_and_every_state_has_its_own_sentence():
    widget = explore_negative_null()
    assert len(json.dumps([widget.states, widget.pool])) < 60_000
    assert len({state["sentence"] for state in widget.states}) == len(DEPTHS) * len(WORLDS)


def test_no_bar_leaves_the_panel():
    widget = explore_negative_null()
    for state in widget.states:
        frame = widget.pool[state["panels"][0]["frame"]]
        tops = [max(mark["y"]) for mark in (widget.pool[m] for m in state["panels"][0]["marks"])
                if mark["kind"] == "rect"]
        assert max(tops) <= frame["y"]["high"]
