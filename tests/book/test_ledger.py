"""The ledger and the pages of the sources are made from what the build ran, and the build fails where they differ;
beside a claim stands in how many draws it held."""

import json
import shutil

import pytest
from robustness import code_hash, result_path

from fi_course.claims import settle

from .conftest import ROOT, notebook, put, sphinx_pages

CLAIMS = """
- {id: AAA-01, source: [golf post], claim: First, verdict: holds, chapter: trees}
- {id: AAA-02, source: [golf post], claim: Second, verdict: fails, chapter: trees}
- {id: BBB-01, source: [golf post], claim: Third, verdict: conditional, chapter: golf}
- {id: OPN-01, source: [golf post], claim: Fourth, verdict: open, because: it counts people}
"""
STATEMENTS = """
- source: golf post
  page: source_golf
  title: A title
  author: An author
  published: A blog
  lost: The drawings are lost.
  places:
  - place: First slide
    taught: ["01 Growing"]
    sentences: 3
    says:
    - [It claims., AAA-01]
    - [It goes on., step, 2]
"""
TABLES = """Ledger
======

.. claims-ledger::
.. claims-ledger:: notebooks/01_ trees
.. claims-ledger:: notebooks/02_ golf
.. claims-ledger:: nowhere open
"""
FIRST = ("AAA-01", {"holds": True, "figure": 0.25})
SECOND = ("AAA-02", {"fails": True, "figure": "no, 7"})
PARTS = {
    "book/ledger": (
        "✓ holds", "0.25", "no, 7", 'href="../notebooks/01_trees.html#claim-aaa-02"', 'id="aaa-02"', "to come",
        "Of 4 claims 1 hold as stated, 1 hold under a condition, and 1 do not hold", "1 no code can settle",
        "settle 2", "1 are to come", "○ not for code to settle", "it counts people."),
    "notebooks/01_trees": ('href="../book/ledger.html#aaa-01"',),
    "book/reading": ("Of 4 claims 1 slipped.",),
    "book/source": (
        "A title", "An author", "The drawings are lost.", "First slide", "✓ holds", "It goes on. (2 sentences)",
        'href="ledger.html#aaa-01"', 'href="../notebooks/01_trees.html#growing"', "a step",
        "3 sentences, 1 of which claim something", "1 entries of the ledger: 1 hold, 0 hold"),
}
"""What stands on each page, whole."""


@pytest.fixture
def book(tmp_path):
    """A folder with a ledger of four claims, a source and their pages; the chapter is to be written."""
    return put(tmp_path, {
        "conf.py": "extensions = ['claims_ledger']\n",
        "index.rst": "Index\n=====\n\n.. toctree::\n   :glob:\n\n   book/*\n   notebooks/*\n",
        "book/claims.yaml": CLAIMS,
        "book/statements.yaml": STATEMENTS,
        "book/ledger.rst": TABLES,
        "book/source.rst": "Source\n======\n\n.. source-page:: golf post\n",
        "book/reading.rst": "Reading\n=======\n\nOf :ledger-count:`all` claims :ledger-count:`fails` slipped.\n",
        "notebooks/01_trees.ipynb": notebook("x = 1")})


def write_chapter(book, *claims):
    """A page that shows the badges of these claims, as an executed chapter does."""
    badges = [settle(id, **arguments, ledger=book / "book/claims.yaml")._repr_html_() for id, arguments in claims]
    raw = "".join(f".. raw:: html\n\n   {badge}\n\n" for badge in badges)
    put(book, {"notebooks/01_trees.rst": f"Trees\n=====\n\nGrowing\n-------\n\n{raw}"})


def test_pages_show_verdicts_figures_counts_and_links_and_follow_the_chapters(book):
    """What the chapters computed, the other claims to come, what no cell can settle with the reason, a source in its
    order. An incremental build renews the ledger, which itself has not changed."""
    write_chapter(book, FIRST, SECOND)
    warnings, *pages = sphinx_pages(book, *PARTS)
    assert warnings == ""
    for page, (name, parts) in zip(pages, PARTS.items(), strict=True):
        assert [part for part in parts if part not in page] == [], name
    write_chapter(book, ("AAA-01", {"holds": True, "figure": 0.75}), SECOND)
    warnings, page = sphinx_pages(book, "book/ledger")
    assert warnings == "" and "0.75" in page and "0.25" not in page


APART = {
    "a claim that no cell settles, and one that the ledger does not have": (
        [FIRST, SECOND], {"book/claims.yaml": CLAIMS.replace("AAA-02", "AAA-03")}, [
            "claim AAA-03 belongs to this chapter, but no cell settles it",
            "claim AAA-02 is settled here but is not in book/"]),
    "a claim settled twice or otherwise, a count, a table and a section that are not there": (
        [FIRST, SECOND, FIRST], {
            "book/claims.yaml": CLAIMS.replace("Second, verdict: fails", "Second, verdict: holds")
            + CLAIMS.splitlines()[3].replace("BBB-01", "OPN-02").replace("golf}", "bias}"),
            "book/reading.rst": "Reading\n=======\n\n:ledger-count:`false`\n",
            "book/statements.yaml": STATEMENTS.replace("01 Growing", "01 Felling")}, [
            "claim AAA-01 is settled 2 times",
            "this cell shows 'fails', book/claims.yaml says 'holds'",
            "'false' is not all",
            "claim OPN-02: the ledger's page has no table of the chapter 'bias'",
            "sends the reader to '01 Felling', and no chapter has that section"]),
}
"""What does not fit -> the claims that the chapter settles, what is written after it ran, the warnings."""


@pytest.mark.parametrize("what", APART)
def test_what_pages_and_ledger_do_not_share_is_a_warning(book, what):
    """And warnings fail the build. Claims of chapters still to come, and what is open, are left in peace."""
    chapter, files, said = APART[what]
    write_chapter(book, *chapter)
    warnings = sphinx_pages(put(book, files))[0]
    assert [words for words in said if words not in warnings] == []
    assert "BBB-01" not in warnings and "OPN-01" not in warnings


CONFIGURATION = """extensions = ["myst_parser", "claims_ledger", "robustness"]
suppress_warnings = ["toc", "myst.xref_missing"]
"""


def keep(book, held, **more):
    """A result of 20 draws with one claim and one weak statement."""
    one = {"cell": "a", "number": 1, "claim": "AAA-01", "source": "claim(...)", "one draw": False,
           "in the book": True, "held": held, "varies": True, "lost": []}
    other = one | {"claim": "", "source": "assert a > `b`", "held": 14, "lost": ["draw 3: a > b (1)"]}
    example = one | {"claim": "", "source": "assert c", "one draw": True, "held": 3}
    result = {"chapter": "01_trees", "code": code_hash(book / "notebooks/01_trees.ipynb"),
              "package": {"version": "0.1.0", "hash": "abc"}, "versions": {"python": "3.11"},
              "draws": 20, "seconds": 3, "errors": {}, "statements": [one, other, example]} | more
    put(book, {result_path(book, "01_trees"): json.dumps(result)})


def test_claim_ledger_and_page_say_in_how_many_draws_it_held(book):
    """The mark links to the page and follows the result; the chapter's own output stays. The page counts and lists:
    share, weak statements with what they met, what is about one draw, package and versions.
    Before there is a result it says what to do, and an old count is not shown as if it were of the text beside it."""
    def pages():
        return sphinx_pages(book, "notebooks/01_trees", "book/ledger", "book/sure")[1:]

    write_chapter(book, FIRST, SECOND)
    shutil.copy(ROOT / "book/sure.md", put(book, {"conf.py": CONFIGURATION}) / "book/sure.md")
    chapter, _, page = pages()
    assert "fi-robustness" not in chapter and "No chapter has a result yet" in page
    keep(book, 19)
    chapter, ledger, page = pages()
    mark = '<div class="fi-robustness"><a href="../book/sure.html">held in 19 of 20 draws</a></div></div>'
    assert mark in chapter and "held in 19 of 20 draws" in ledger
    for part in ("82.5\xa0%", "of 40 answers", "2 statements", "14 of 20", "`b`", "draw 3", "3 of 20", "0.1.0", "abc",
                 "python 3.11"):
        assert part in page, part
    keep(book, 19, code="another")
    chapter, ledger, page = pages()
    assert "fi-robustness" not in chapter and "held in" not in ledger
    assert "not run since it changed" in page
