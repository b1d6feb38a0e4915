"""The book on paper: what comes out of the printer, and `make pdf` in small, three pages and their contents."""

import pdf
import pytest
from pypdf import PdfReader

from .accessibility import opened

LETTER = "@page cheatsheet { size: letter landscape; }"
IN_SMALL = ("notebooks/01_trees", "exercises/01_trees", "book/cheatsheet")


def test_the_book_in_small_has_contents_numbers_open_answers_and_links(built_book, browser, tmp_path):
    """The contents name the sheet on which a page begins, and every sheet carries its number; answers are open; a link
    inside the book leads to a sheet, and none to the builder."""
    pdf.make(browser, IN_SMALL, tmp_path / "book.pdf")
    printed = PdfReader(tmp_path / "book.pdf")
    words = [page.extract_text() for page in printed.pages]
    for title, number in (("Trees that explain", 1), ("Cheat sheet", len(words) - 1)):
        assert title in words[0] and title in words[number]
        assert str(number + 1) in words[0]
    for k, said in enumerate(words[:-1]):  # the cheat sheet has a format of its own
        assert said.strip().splitlines()[0].strip() == str(k + 1)
    text = " ".join(words)
    assert "Lock in my guess" not in text and text.count("Right") >= 5
    notes = [note.get_object() for page in printed.pages for note in page.get("/Annots") or []]
    assert [note for note in notes if "localhost" in str((note.get("/A") or {}).get("/URI"))] == []
    assert [note for note in notes if isinstance(note.get("/Dest"), list)]
    assert printed.outline[0]["/Title"].startswith("1 ·")


@pytest.mark.parametrize(("page", "style", "fits"), [
    ("book/cheatsheet", "", True), ("book/cheatsheet", LETTER, True), ("book/bibliography", "", False)])
def test_the_cheat_sheet_prints_on_one_page(browser, address, tmp_path, page, style, fits):
    """On A4 and US letter; what is longer prints on more."""
    with opened(browser, address, page) as (tab, *_):
        if style:
            tab.add_style_tag(content=style)
        tab.pdf(path=tmp_path / "sheet.pdf", prefer_css_page_size=True)
    assert (len(PdfReader(tmp_path / "sheet.pdf").pages) == 1) == fits
