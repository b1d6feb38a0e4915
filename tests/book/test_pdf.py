"""The book on paper: `make pdf` in small, two pages and their contents."""

import pdf
import pytest
from pypdf import PdfReader

PAGES = ("notebooks/01_trees", "book/cheatsheet")


@pytest.fixture(scope="module")
def printed(built_book, browser, tmp_path_factory):
    """The PDF of two pages -> PdfReader."""
    target = tmp_path_factory.mktemp("paper") / "book.pdf"
    pdf.make(browser, PAGES, target)
    return PdfReader(target)


def test_the_contents_name_the_sheet_on_which_a_page_begins(printed):
    contents = printed.pages[0].extract_text()
    for title, number in (("Trees that explain", 1), ("Cheat sheet", len(printed.pages) - 1)):
        assert title in contents and title in printed.pages[number].extract_text()
        assert str(number + 1) in contents


def test_every_sheet_carries_its_number(printed):
    for k, page in enumerate(printed.pages[:-1]):  # the cheat sheet has a format of its own
        assert page.extract_text().strip().splitlines()[0].strip() == str(k + 1)


def test_answers_are_open_on_paper(printed):
    text = " ".join(page.extract_text() for page in printed.pages)
    assert "Lock in my guess" not in text and text.count("Right") >= 5


def test_a_link_inside_the_book_leads_to_a_sheet_and_none_to_the_builder(printed):
    notes = [note.get_object() for page in printed.pages for note in page.get("/Annots") or []]
    assert [note for note in notes if "localhost" in str((note.get("/A") or {}).get("/URI"))] == []
    assert printed.outline[0]["/Title"].startswith("1 ·")
