"""What comes out of the printer: the browser makes the PDF, and its pages are counted."""

import re

import pytest

from .accessibility import opened

LETTER = "@page cheatsheet { size: letter landscape; }"


def pages_printed(browser, address, page, style=""):
    """How many pages the browser prints, at the page's own size: the page objects of the PDF."""
    with opened(browser, address, page) as (tab, *_):
        if style:
            tab.add_style_tag(content=style)
        pdf = tab.pdf(prefer_css_page_size=True)
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.parametrize("style", ["", LETTER], ids=["A4", "US letter"])
def test_the_cheat_sheet_prints_on_one_page(browser, address, style):
    assert pages_printed(browser, address, "book/cheatsheet", style) == 1


def test_a_page_that_is_longer_prints_on_more(browser, address):
    """The count counts: the bibliography does not fit on one sheet."""
    assert pages_printed(browser, address, "book/bibliography") > 1
