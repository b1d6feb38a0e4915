"""By what answers are known that two have written alike; who is told is in transcripts/deciding.txt."""

from fi_grader.judging.judge import GradingRun, plan_of, record_of
from notebooks import ESSAY, TREES, filled, handed_out, to_bytes

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


def written(notebook):
    """What is kept of the answers in a notebook -> {question: digest}."""
    return record_of(GradingRun(TREES, plan_of(TREES, to_bytes(notebook)), 1))["written"]


def of_code(code, prose=""):
    return written(filled({"trees.decrease": code}, prose=prose))


def test_a_copy_with_other_names_layout_and_comments_has_the_same_digest():
    own, copied, otherwise = (of_code(code)["trees.decrease"] for code in (OWN, COPIED, OTHERWISE))
    assert own == copied != otherwise


def test_what_was_handed_out_short_answers_and_code_that_cannot_be_read_have_none():
    assert written(handed_out()) == {}
    assert "trees.recall_mean" not in of_code(OWN)
    for code in ("def decrease(:", "x = " + "(" * 5000 + ")" * 5000, "x = '" + "y" * 10**6 + "'", "\0"):
        assert "trees.decrease" not in of_code(code)


def test_prose_is_known_by_its_words():
    assert of_code(OWN, PROSE)[ESSAY] == of_code(OTHERWISE, PROSE.upper() + "!")[ESSAY]
