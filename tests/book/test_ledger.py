"""The ledger page is made from what the build ran, and the build fails where page and ledger differ."""

import pytest

from fi_course.claims import settle

from .conftest import sphinx_pages

CLAIMS = """
- {id: AAA-01, source: [golf post], claim: First, verdict: holds, chapter: trees}
- {id: AAA-02, source: [golf post], claim: Second, verdict: fails, chapter: trees}
- {id: BBB-01, source: [golf post], claim: Third, verdict: conditional, chapter: golf}
"""
FIRST = ("AAA-01", {"holds": True, "figure": 0.25})
SECOND = ("AAA-02", {"fails": True, "figure": "no, 7"})


@pytest.fixture
def book(tmp_path):
    """A folder with a ledger of three claims and its page; chapters are to be written."""
    for folder in ("book", "notebooks"):
        (tmp_path / folder).mkdir()
    (tmp_path / "book/claims.yaml").write_text(CLAIMS)
    (tmp_path / "index.rst").write_text("Index\n=====\n\n.. toctree::\n   :glob:\n\n   book/*\n   notebooks/*\n")
    (tmp_path / "book/ledger.rst").write_text("Ledger\n======\n\n.. claims-ledger::\n")
    (tmp_path / "conf.py").write_text("extensions = ['claims_ledger']\n")
    return tmp_path


def write_chapter(book, *claims, name="01_trees"):
    """A page that shows the badges of these claims, as an executed chapter does."""
    badges = [settle(id, **arguments, ledger=book / "book/claims.yaml")._repr_html_() for id, arguments in claims]
    raw = "".join(f".. raw:: html\n\n   {badge}\n\n" for badge in badges)
    (book / f"notebooks/{name}.rst").write_text(f"Chapter\n=======\n\n{raw}")


def make(book):
    """Build what changed -> (warnings, the ledger page)."""
    return sphinx_pages(book, "book/ledger")


def test_settled_claims_show_verdict_figure_and_a_link_to_their_cell(book):
    """What the chapters computed is on the page; the other claims are to come; the counts say so."""
    write_chapter(book, FIRST, SECOND)
    warnings, page = make(book)
    assert warnings == ""
    for part in ("✓ holds", "0.25", "no, 7", 'href="../notebooks/01_trees.html#claim-aaa-02"', 'id="aaa-02"', "to come",
                 "Of 3 claims 1 hold as stated, 1 hold", "settle 2", "1 are to come"):
        assert part in page
    chapter = (book / "_build/html/notebooks/01_trees.html").read_text()
    assert 'href="../book/ledger.html#aaa-01"' in chapter


def test_the_page_follows_the_chapters_when_only_a_chapter_changes(book):
    """An incremental build renews the ledger, which itself has not changed."""
    write_chapter(book, FIRST, SECOND)
    make(book)
    write_chapter(book, ("AAA-01", {"holds": True, "figure": 0.75}), SECOND)
    warnings, page = make(book)
    assert warnings == "" and "0.75" in page and "0.25" not in page


def test_a_claim_without_a_cell_is_a_warning_once_its_chapter_is_in_the_book(book):
    """Warnings fail the build. Claims of chapters still to come are left in peace."""
    write_chapter(book, FIRST)
    warnings, _ = make(book)
    assert "claim AAA-02 belongs to this chapter, but no cell settles it" in warnings and "BBB-01" not in warnings


@pytest.mark.parametrize(("chapter", "ledger", "said"), [
    ((FIRST, SECOND, FIRST), CLAIMS, "claim AAA-01 is settled 2 times"),
    ((FIRST, SECOND), "\n".join(CLAIMS.splitlines()[:2]), "claim AAA-02 is settled here but is not in book/"),
    ((FIRST, SECOND), CLAIMS.replace("Second, verdict: fails", "Second, verdict: holds"),
     "this cell shows 'fails', book/claims.yaml says 'holds'")])
def test_what_cells_and_ledger_do_not_share_is_a_warning(book, chapter, ledger, said):
    """Two cells could disagree, an entry may have been lost after the chapter ran, a verdict may have changed."""
    write_chapter(book, *chapter)
    (book / "book/claims.yaml").write_text(ledger)
    assert said in make(book)[0]


def test_prose_takes_its_counts_from_the_ledger(book):
    """All claims, and those of one verdict; a verdict that does not exist is a warning."""
    (book / "book/reading.rst").write_text(
        "Reading\n=======\n\nOf :ledger-count:`all` claims :ledger-count:`fails` slipped.\n")
    write_chapter(book, FIRST, SECOND)
    assert make(book)[0] == ""
    assert "Of 3 claims 1 slipped." in (book / "_build/html/book/reading.html").read_text()
    (book / "book/reading.rst").write_text("Reading\n=======\n\n:ledger-count:`false`\n")
    assert "'false' is not all" in make(book)[0]


def test_what_code_cannot_settle_stands_apart_with_the_reason(book):
    """It asks for no cell, is counted by itself, and is not told to come."""
    open_claim = "- {id: OPN-01, source: [golf post], claim: Fourth, verdict: open, because: it counts people}\n"
    (book / "book/claims.yaml").write_text(CLAIMS + open_claim)
    write_chapter(book, FIRST, SECOND)
    warnings, page = make(book)
    assert warnings == ""
    for part in ("What code cannot settle", "○ not for code to settle", "it counts people.", "1 no code can settle",
                 "settle 2", "1 are to come"):
        assert part in page
