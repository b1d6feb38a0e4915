"""What links to a page can be reached from it too."""

import re

import pytest
from chapter import chapter_of

from .accessibility import PAGES
from .conftest import ROOT

ARTICLE = re.compile(r'<article class="bd-article".*?</article>', re.DOTALL)
EXERCISES = [page for page in PAGES if page.startswith("exercises/")]
ON_THE_MAP = sorted({page for page in PAGES
                     if f"{page}.ipynb" in (ROOT / "book/method_map.md").read_text(encoding="utf-8")})


def links(built_book, page):
    """The pages that a page's text leads to; the sidebars and the bar below do not count."""
    article = ARTICLE.search((built_book / f"{page}.html").read_text(encoding="utf-8"))[0]
    folder = page.rpartition("/")[0]
    found = re.findall(r'href="([^":#]+)\.html(?:#[^"]*)?"', article)
    return {link.removeprefix("../") if link.startswith("../") else f"{folder}/{link}" for link in found}


@pytest.mark.parametrize("page", EXERCISES)
def test_exercises_and_their_chapter_lead_to_each_other(built_book, page):
    chapter = chapter_of(page, PAGES)
    assert chapter in links(built_book, page)
    assert any(page in links(built_book, other) for other in PAGES if other.startswith(chapter.split("_")[0]))


@pytest.mark.parametrize("page", ON_THE_MAP)
def test_the_method_map_and_its_chapters_lead_to_each_other(built_book, page):
    assert page in links(built_book, "book/method_map") and "book/method_map" in links(built_book, page)


def test_a_set_without_a_chapter_has_no_backlink():
    assert chapter_of("exercises/99_nothing", PAGES) is None
