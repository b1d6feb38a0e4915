"""Two who write alike are told; many who do, short answers and what was handed out are not."""

import json

import pytest

from fi_grader.notebooks import exercise as assignment
from fi_grader.notebooks.similarity import digests, pairs
from notebooks import EXERCISE, ROOT, filled, grade, handed_out, lay_course

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


@pytest.fixture(scope="module")
def set_one():
    return assignment.load(ROOT / "exercises")[EXERCISE]


def written(set_one, notebook):
    answers = {place: "".join(cell["source"]) for place, cell in enumerate(notebook["cells"])
               if cell["metadata"].get("fi_teach", {}).get("part") == "answer"}
    return digests(set_one, answers)


def record(student, set_one, code, prose=""):
    return {"student": student, "exercise": EXERCISE,
            "written": written(set_one, filled({"trees.decrease": code}, prose=prose))}


def test_a_copy_with_other_names_layout_and_comments_has_the_same_digest(set_one):
    own, copied, otherwise = (record("x", set_one, code)["written"]["trees.decrease"]
                              for code in (OWN, COPIED, OTHERWISE))
    assert own == copied != otherwise


def test_what_was_handed_out_and_short_answers_have_none(set_one):
    assert written(set_one, handed_out()) == {}
    assert "trees.recall_mean" not in record("x", set_one, OWN)["written"]


@pytest.mark.parametrize("code", ["def decrease(:", "x = " + "(" * 5000 + ")" * 5000, "x = '" + "y" * 10**6 + "'",
                                  "\0"])
def test_code_that_cannot_be_read_has_no_digest(code, set_one):
    assert "trees.decrease" not in record("x", set_one, code)["written"]


def test_prose_that_two_share_is_told_with_its_question(set_one):
    others = [record(name, set_one, OTHERWISE) for name in ("cy", "dee", "eve", "fay")]
    records = [record("ann", set_one, OWN, PROSE), record("bob", set_one, OTHERWISE, PROSE.upper() + "!"), *others]
    assert pairs(records) == [(EXERCISE, "ann", "bob", ["trees.what_sixty_means"])]


def test_one_answer_in_code_is_no_pair_and_three_are():
    def with_answers(student, *digests):
        return {"student": student, "exercise": EXERCISE,
                "written": {f"q{k}": f"code {d}" for k, d in enumerate(digests)}}
    others = [with_answers(name) for name in ("cy", "dee", "eve", "fay")]
    assert pairs([with_answers("ann", "a", "b"), with_answers("bob", "a", "b"), *others]) == []
    assert pairs([with_answers("ann", "a", "b", "c"), with_answers("bob", "a", "b", "c"),
                  *others]) == [(EXERCISE, "ann", "bob", ["q0", "q1", "q2"])]


def test_what_many_have_written_is_nobodys_own(set_one):
    assert pairs([record(name, set_one, OWN, PROSE) for name in ("ann", "bob", "cy", "dee")]) == []
    assert pairs([record(name, set_one, OWN, PROSE) for name in ("ann", "bob")]) == []


def test_the_class_page_names_them_and_grades_stay(tmp_path):
    prose = {"ann": PROSE, "bob": PROSE.replace("sixty in a hundred", "Sixty in a hundred"),
             **dict.fromkeys(("cy", "dee", "eve", "fay"), "")}
    out = grade(lay_course(tmp_path, **{name: filled(prose=words) for name, words in prose.items()}), "--jobs", 2)
    page = (out / "index.html").read_text()
    assert "Written alike" in page and "not a verdict" in page
    row = page.split("Written alike")[1].split("</table>")[0]
    assert "ann" in row and "bob" in row and "cy" not in row and "trees.what_sixty_means" in row
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    assert len({json.dumps([r["points"] for r in line["rows"][:5]]) for line in lines}) == 1
