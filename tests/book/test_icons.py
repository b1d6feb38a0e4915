"""A page asks for the icons that it shows, and for no others."""

import re

import pytest
from chapter_cache import BOOK, fingerprint
from fontTools.ttLib import TTFont
from offline import FONTS, ICON, SHEET, THEME

from .accessibility import opened


def test_the_style_sheet_and_the_fonts_carry_the_icons_that_pages_show_and_few_others(built_book):
    sheet = (built_book / "_static" / SHEET).read_text(encoding="utf-8")
    shown = set(re.findall(r'class="[^"]*\b(fa-(?:sun|moon|bars|list|chevron-down|magnifying-glass))\b',
                           (built_book / "book/start.html").read_text(encoding="utf-8")))
    assert len(shown) == 6 and all(f".{name}:before" in sheet for name in shown)
    assert len(ICON.findall(sheet)) < 60 < len(ICON.findall((THEME / SHEET).read_text(encoding="utf-8"))) / 10
    signs = TTFont(built_book / "_static" / FONTS / "fa-solid-900.ttf").getBestCmap()
    assert {0xF185, 0xF0C9, 0xF078, 0xF002} <= set(signs) and len(signs) < 100
    assert ".woff2" not in sheet


def test_the_themes_files_have_another_address_when_our_scripts_and_templates_change(built_book):
    """They decide which icons there are; a browser keeps a file for as long as its address stays."""
    page = (built_book / "book/publish.html").read_text(encoding="utf-8")
    [digest] = re.findall(r'/pydata-sphinx-theme\.css\?digest=(\w+)"', page)
    assert digest.startswith(fingerprint(BOOK, ("style/**/*", "script/*", "templates/*")))


@pytest.mark.parametrize("page", ["book/start", "notebooks/01_trees"])
def test_icons_are_drawn(browser, address, page):
    """In a font that the page has loaded; an icon without a glyph would be as wide as an empty box."""
    with opened(browser, address, page) as (tab, *_):
        assert tab.evaluate("document.fonts.check('900 16px \"Font Awesome 6 Free\"', '\\uf0c9')")
        assert tab.evaluate(
            "[...document.fonts].some(font => font.family.includes('Awesome') && font.status === 'loaded')")
        empty = """[...document.querySelectorAll('.fa-solid')].filter(icon => icon.getClientRects().length
                   && getComputedStyle(icon, '::before').content === 'none').map(icon => icon.className)"""
        assert tab.evaluate(empty) == []
