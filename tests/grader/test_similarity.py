"""Two who write alike are told; many who do, short answers and what was handed out are not."""

import pytest

from fi_grader.judging.judge import GradingRun, plan_of, record_of
from fi_grader.notebooks.exercise import load
from fi_grader.notebooks.similarity import pairs
from notebooks import EXERCISE, ROOT, filled, handed_out, to_bytes

OWN = """def decrease(left, right):
    both = [l + r for l, r in zip(left, right)]
    total = sum(both)
    def spread(c):
        return 1 - sum((k / sum(c)) ** 2 for k in c)
    return spread(both) - (sum(left) * spread(left) + sum(right) * spread(right)) / total
"""
COPIED = OWN.replace("both", "everyone").replace("spread", "g").replace("    total", "    # all of them\n    total")
OTHERWISE = """def decrease(left, right):
    n, parts = sum(left) + sum(right), (left, right)
    gini = lambda c: sum(k * (sum(c) - k) for k in c) / sum(c) ** 2
    return gini([a + b for a, b in zip(*parts)]) - sum(gini(p) * sum(p) for p in parts) / n
"""
PROSE = ("Of all the Gini impurity that this tree removes from its eight rows, "
         "sixty in a hundred is removed by questions about attendance.")


TREES = load(ROOT / "exercises")[EXERCISE]
OTHERS = ("cy", "dee", "eve", "fay")


def written(notebook):
    """What is kept of the answers in a notebook -> {question: digest}."""
    return record_of(GradingRun(TREES, plan_of(TREES, to_bytes(notebook)), 1))["written"]


def of_code(code, prose=""):
    return written(filled({"trees.decrease": code}, prose=prose))


def pairs_of(**students):
    """The pairs in a class, by what each student has written -> [(one, other, questions)]."""
    records = [{"student": student, "exercise": EXERCISE, "written": found} for student, found in students.items()]
    assert all(exercise == EXERCISE for exercise, *_ in pairs(records))
    return [tuple(rest) for _, *rest in pairs(records)]


def test_a_copy_with_other_names_layout_and_comments_has_the_same_digest():
    own, copied, otherwise = (of_code(code)["trees.decrease"] for code in (OWN, COPIED, OTHERWISE))
    assert own == copied != otherwise


def test_what_was_handed_out_short_answers_and_code_that_cannot_be_read_have_none():
    assert written(handed_out()) == {}
    assert "trees.recall_mean" not in of_code(OWN)
    for code in ("def decrease(:", "x = " + "(" * 5000 + ")" * 5000, "x = '" + "y" * 10**6 + "'", "\0"):
        assert "trees.decrease" not in of_code(code)


def test_prose_that_two_share_is_told_with_its_question_and_what_many_have_is_nobodys_own():
    own, alike = of_code(OWN, PROSE), of_code(OTHERWISE, PROSE.upper() + "!")
    others = dict.fromkeys(OTHERS, of_code(OTHERWISE))
    assert pairs_of(ann=own, bob=alike, **others) == [("ann", "bob", ["trees.what_sixty_means"])]
    assert pairs_of(**dict.fromkeys(("ann", "bob", "cy", "dee"), own)) == []
    assert pairs_of(ann=own, bob=own) == []


@pytest.mark.parametrize(("many", "found"), [(2, []), (3, [("ann", "bob", ["q0", "q1", "q2"])])])
def test_two_answers_in_code_are_no_pair_and_three_are(many, found):
    shared = {f"q{k}": f"code {k}" for k in range(many)}
    assert pairs_of(ann=shared, bob=shared, **{name: {} for name in OTHERS}) == found
