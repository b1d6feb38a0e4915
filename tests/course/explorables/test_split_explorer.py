import re

import pytest
from definitions import every_split, tied_splits

from fi_course.explorables import explore_splits
from fi_course.explorables.split_explorer import children_of, weighted_gini
from fi_teach.basics.impurity import class_counts
from fi_teach.data import midterm
from fi_teach.trees import gini


@pytest.fixture(scope="module")
def seen():
    return explore_splits()


def decrease_in(sentence):
    return float(re.search(r"a decrease of ([\d.]+)", sentence)[1])


def test_every_split_of_the_table_can_be_seen_with_its_decrease(seen):
    told = [decrease_in(state["sentence"]) for state in seen.states if state is not None]
    splits = every_split(*midterm())
    assert told == [round(split.decrease, 3) for split in splits]


def test_the_best_split_is_named_so_and_no_other(seen):
    best = [state["sentence"] for state in seen.states if state and "of all splits" in state["sentence"]]
    (split,) = tied_splits(*midterm())
    assert best == [seen.sentence_at(feature=midterm().X.columns[split.feature])]


def test_the_weighted_gini_is_the_parents_less_the_decrease():
    X, y = midterm()
    for split in every_split(X, y):
        after = weighted_gini(children_of(X, y, X.columns[split.feature], split.threshold))
        assert after == pytest.approx(gini(class_counts(y)) - split.decrease, abs=1e-12)


def test_the_bars_hold_every_student(seen):
    for state in seen.states:
        if state is not None:
            bars = [mark for mark in (seen.pool[k] for k in state["panels"][1]["marks"]) if mark["kind"] == "rect"]
            assert sum(mark["x"][1] - mark["x"][0] for mark in bars) == 8


def test_attendance_has_no_threshold_to_choose(seen):
    attends = [state for state in seen.states[7:] if state is not None]
    assert [state["options"] for state in attends] == [{"threshold": "not asked: this split is on Attends"}]
