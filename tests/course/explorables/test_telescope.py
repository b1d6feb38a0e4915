import json

import numpy as np
import pytest

from fi_course.explorables.telescope import (
    CRITERIA,
    LABELS,
    explore_telescope,
    grown,
    order_of_splits,
    steps_of,
    telescope_state,
)
from fi_teach.importance import mdi

PAIRS = [(labels, criterion) for labels in LABELS for criterion in CRITERIA]


@pytest.fixture(scope="module")
def seen():
    return explore_telescope()


@pytest.mark.parametrize(("labels", "criterion"), PAIRS)
def test_what_is_credited_and_what_is_left_make_the_root_after_every_split(labels, criterion):
    """Decreases telescope: root = sum of the splits' weighted decreases + what the leaves keep."""
    tree = grown(labels, criterion)
    for splits in range(len(steps_of(tree)) + 1):
        *parts, root = telescope_state(labels, criterion, splits).table["credit"]
        assert sum(parts) == pytest.approx(root, abs=1e-12)
        assert root == pytest.approx(tree.impurity[0])


@pytest.mark.parametrize(("labels", "criterion"), PAIRS)
def test_after_the_last_split_the_credit_is_the_mdi(labels, criterion):
    tree = grown(labels, criterion)
    credit = telescope_state(labels, criterion, len(steps_of(tree))).table["credit"]
    assert credit[: tree.n_features].to_numpy() == pytest.approx(mdi(tree, normalize=False).mean)


def test_shuffled_labels_hand_out_as_much_credit_as_measured_ones():
    real, noise = (mdi(grown(labels, "gini"), normalize=False).mean for labels in LABELS)
    assert real.sum() == pytest.approx(noise.sum())
    assert len(steps_of(grown("shuffled", "gini"))) > len(steps_of(grown("measured", "gini")))


@pytest.mark.parametrize(("labels", "criterion"), PAIRS)
def test_every_split_comes_after_its_parent_and_once(labels, criterion):
    tree = grown(labels, criterion)
    order = order_of_splits(tree)
    assert sorted(order) == np.flatnonzero(~tree.is_leaf).tolist()
    place = {t: k for k, t in enumerate(order)}
    for t in order:
        for child in (tree.children_left[t], tree.children_right[t]):
            assert tree.is_leaf[child] or place[child] > place[t]


@pytest.mark.parametrize(("labels", "criterion"), PAIRS)
def test_each_bar_begins_where_the_next_one_ends(labels, criterion):
    steps = steps_of(grown(labels, criterion))
    drawn = telescope_state(labels, criterion, len(steps)).panels[0]["marks"][1:]
    ends = [mark["x"] for mark in drawn]
    assert len(ends) == len(steps)
    assert [low for low, _ in ends[:-1]] == pytest.approx([high for _, high in ends[1:]], abs=1e-5)
    assert min(map(min, ends)) == pytest.approx(0, abs=1e-9)


def test_a_split_that_the_tree_does_not_have_is_no_state(seen):
    assert telescope_state("measured", "gini", len(steps_of(grown("measured", "gini"))) + 1) is None
    assert sum(state is not None for state in seen.states) == sum(1 + len(steps_of(grown(*pair))) for pair in PAIRS)


def test_the_page_carries_less_than_60_kB(seen):
    assert len(json.dumps([seen.states, seen.pool])) < 60_000


def test_the_telescope_is_drawn_and_moves(seen, show):
    page = show(seen)
    before = page.locator(".explorable").inner_text()
    page.locator(".explorable input[type=range]").press("ArrowRight")
    page.wait_for_function("before => document.querySelector('.explorable').innerText !== before", arg=before)
    assert "3 splits" in page.locator(".explorable").inner_text()
    assert page.errors == []
