"""The package's own solutions stay closed until the check that closed them is over."""

import functools

import pytest

import fi_teach.basics.impurity as impurity
from fi_course.questions import Q
from fi_course.questions.blocked_calls import BlockedCall, blocked, functions_at
from fi_course.questions.question import CheckFailed

GINI = ("fi_teach.basics.impurity.gini",)


def test_an_alias_a_partial_and_an_earlier_import_are_closed_and_open_again_after():
    alias, partial = impurity.gini, functools.partial(impurity.gini, [1, 1])
    with blocked(GINI):
        for call in (lambda: alias([1, 1]), partial, lambda: impurity.gini(counts=[1, 1])):
            with pytest.raises(BlockedCall, match="gini"):
                call()
        assert impurity.entropy([1, 1]) == 1
    assert partial() == 0.5


def test_a_check_inside_an_answer_opens_nothing():
    """Asked of the same question or of another, finished or not, in whatever order they end."""
    gini = impurity.gini

    def decrease(left, right):
        for other in ("trees.thresholds", "trees.decrease"):
            with pytest.raises(CheckFailed):
                Q(other).check(None)
        n, m = sum(left), sum(right)
        parent = [a + b for a, b in zip(left, right, strict=True)]
        return gini(parent) - (n * gini(left) + m * gini(right)) / (n + m)

    with pytest.raises(CheckFailed, match="borrowed"):
        Q("trees.decrease").check(decrease)
    assert gini([1, 1]) == 0.5


def test_blocks_nest_and_a_name_opens_with_the_one_that_closed_it():
    with blocked(GINI):
        with blocked(("fi_teach.basics.impurity",)), pytest.raises(BlockedCall):
            impurity.entropy([1, 1])
        assert impurity.entropy([1, 1]) == 1
        with pytest.raises(BlockedCall, match="gini"):
            impurity.gini([1, 1])
    assert impurity.gini.__code__.co_name == "gini" and impurity.gini([1, 1]) == 0.5


def test_a_module_closes_all_its_public_functions():
    assert {f.__name__ for f in functions_at("fi_teach.basics.impurity")} >= {
        "gini", "entropy", "variance", "node_impurity"}


def test_names_are_opened_again_after_an_error():
    with pytest.raises(ZeroDivisionError), blocked(("fi_teach.basics.impurity",)):
        1 / 0  # noqa: B018
    assert impurity.gini([1, 1]) == 0.5


@pytest.mark.parametrize("name", ["fi_teach.basics.impurity.ginny", "fi_teach.nowhere", "nowhere"])
def test_a_closed_name_that_does_not_exist_is_refused(name):
    with pytest.raises(ValueError, match="no such function"), blocked((name,)):
        pass
