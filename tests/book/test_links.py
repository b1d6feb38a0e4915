"""What links to a page can be reached from it too; each question and figure can be linked to, by a name that
edits around it leave alone."""

import json
import re

import pytest
from chapter import chapter_of

from fi_course.questions import QUESTIONS

from .accessibility import PAGES
from .conftest import ROOT

ARTICLE = re.compile(r'<article class="bd-article".*?</article>', re.DOTALL)
EXERCISES = [page for page in PAGES if page.startswith("exercises/")]
ON_THE_MAP = sorted({page for page in PAGES
                     if f"{page}.ipynb" in (ROOT / "book/method_map.md").read_text(encoding="utf-8")})


def html_of(built_book, page):
    return (built_book / f"{page}.html").read_text(encoding="utf-8")


def test_every_question_has_its_address_on_its_exercise_page(built_book):
    pages = "".join(html_of(built_book, page) for page in PAGES if page.startswith("exercises/"))
    names = ["q-" + id.replace(".", "-") for id in QUESTIONS]
    assert len(names) > 100 and [name for name in names if pages.count(f'id="{name}"') != 1] == []


def test_every_figure_is_called_after_its_cell(built_book):
    """A number shifts when a figure comes before it; the name of a cell does not."""
    for page in (page for page in PAGES if page.startswith("notebooks/")):
        cells = {cell["id"] for cell in json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]}
        names = re.findall(r'<figure class="fi-figure" id="figure-([^"]*)">', html_of(built_book, page))
        assert len(set(names)) == len(names)
        assert [name for name in names if name not in cells and name.rpartition("-")[0] not in cells] == [], page


def links(built_book, page):
    """The pages that a page's text leads to; the sidebars and the bar below do not count."""
    article = ARTICLE.search(html_of(built_book, page))[0]
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
