"""The ledger and the pages of the sources are made from what the build ran, and the build fails where they differ."""

import pytest

from fi_course.claims import settle

from .conftest import put, sphinx_pages

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
        "notebooks/01_trees.ipynb": "{}"})


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


WRONG = {
    "claim AAA-02 belongs to this chapter, but no cell settles it": ([FIRST], {}),
    "claim AAA-01 is settled 2 times": ([FIRST, SECOND, FIRST], {}),
    "claim AAA-02 is settled here but is not in book/": (
        [FIRST, SECOND], {"book/claims.yaml": CLAIMS.replace("AAA-02", "AAA-03")}),
    "this cell shows 'fails', book/claims.yaml says 'holds'": (
        [FIRST, SECOND], {"book/claims.yaml": CLAIMS.replace("Second, verdict: fails", "Second, verdict: holds")}),
    "'false' is not all": (
        [FIRST, SECOND], {"book/reading.rst": "Reading\n=======\n\n:ledger-count:`false`\n"}),
    "claim OPN-02: the ledger's page has no table of the chapter 'bias'": (
        [FIRST, SECOND], {"book/claims.yaml": CLAIMS + CLAIMS.splitlines()[3].replace("BBB-01", "OPN-02").replace(
            "chapter: golf", "chapter: bias")}),
    "sends the reader to '01 Felling', and no chapter has that section": (
        [FIRST, SECOND], {"book/statements.yaml": STATEMENTS.replace("01 Growing", "01 Felling")}),
}
"""A warning -> the claims that the chapter settles, and what is written after it ran."""


@pytest.mark.parametrize("said", WRONG)
def test_what_pages_and_ledger_do_not_share_is_a_warning(book, said):
    """And warnings fail the build. Claims of chapters still to come, and what is open, are left in peace."""
    chapter, files = WRONG[said]
    write_chapter(book, *chapter)
    warnings = sphinx_pages(put(book, files))[0]
    assert said in warnings and "BBB-01" not in warnings and "OPN-01" not in warnings
