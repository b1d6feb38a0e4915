"""Every sentence of the five sources has its claim or the reason why it has none, and a page shows them
in their order."""

import json
import re

import pytest
from claims_ledger import REASONS, STATEMENTS, chapter_of, lines_of, plain, read_statements

from fi_course.claims import VERDICTS, read_ledger

from .conftest import ROOT, sphinx_pages

SOURCES = read_statements(ROOT / STATEMENTS)
LEDGER = read_ledger()
PLACES = [(source, place) for source in SOURCES.values() for place in source["places"]]
NAMES = [f"{source['source']}: {place['place']}" for source, place in PLACES]


def headings(page):
    """The headings of a chapter, letters and digits only."""
    cells = json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return {plain(heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def test_there_are_five_sources_with_title_author_and_what_was_lost():
    named = {name for entry in LEDGER.values() for name in entry["source"]}
    assert set(SOURCES) == named and len(SOURCES) == 5
    assert all(source[key] for source in SOURCES.values() for key in ("title", "author", "published", "lost"))


@pytest.mark.parametrize(("source", "place"), PLACES, ids=NAMES)
def test_every_sentence_of_a_place_is_listed_with_a_claim_or_a_reason(source, place):
    """The lines cover as many sentences as the place has, and each says why it has no claim if it has none."""
    lines = lines_of({"places": [place]})
    assert sum(many for *_, many in lines) == place["sentences"]
    for words, ids, reasons, _ in lines:
        assert words and (ids or reasons) and set(reasons) <= set(REASONS)
        for id in ids:
            assert source["source"] in LEDGER[id]["source"], f"{id} is not said to come from the {source['source']}"


@pytest.mark.parametrize("name", SOURCES)
def test_every_claim_of_a_source_has_its_place_there(name):
    """A claim that no sentence makes would be an invention of ours."""
    placed = {id for _, ids, _, _ in lines_of(SOURCES[name]) for id in ids}
    assert placed == {id for id, entry in LEDGER.items() if name in entry["source"]}


@pytest.mark.parametrize(("source", "place"), PLACES, ids=NAMES)
def test_a_place_with_a_claim_that_a_chapter_settles_says_where_it_is_taught(source, place):
    settled = [id for _, ids, _, _ in lines_of({"places": [place]}) for id in ids
               if LEDGER[id]["verdict"] != "open"]
    assert place.get("taught") or not settled
    for target in place.get("taught", []):
        page, heading = chapter_of(target, ROOT)
        assert page and (heading is None or plain(heading) in headings(page)), target


def test_our_words_stay_short():
    """They tell what a sentence is about; they do not replace the source, nor copy it."""
    assert all(len(words) <= 100 for source in SOURCES.values() for words, *_ in lines_of(source))


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_has_its_page_in_the_book(name):
    page = SOURCES[name]["page"]
    assert f"{{source-page}} {name}\n" in (ROOT / f"book/{page}.md").read_text(encoding="utf-8")
    assert f"file: book/{page}\n" in (ROOT / "_toc.yml").read_text(encoding="utf-8")
    assert f"({page}.md)" in (ROOT / "book/sources.md").read_text(encoding="utf-8")


SMALL = """
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
CLAIMS = "- {id: AAA-01, source: [golf post], claim: First, verdict: fails, chapter: trees}\n"


@pytest.fixture
def book(tmp_path):
    """A folder with one source of two lines, its page, a ledger and a chapter."""
    for folder in ("book", "notebooks"):
        (tmp_path / folder).mkdir()
    (tmp_path / "book/claims.yaml").write_text(CLAIMS)
    (tmp_path / "book/statements.yaml").write_text(SMALL)
    (tmp_path / "index.rst").write_text("Index\n=====\n\n.. toctree::\n   :glob:\n\n   book/*\n   notebooks/*\n")
    (tmp_path / "book/ledger.rst").write_text("Ledger\n======\n\n.. claims-ledger::\n")
    (tmp_path / "book/source.rst").write_text("Source\n======\n\n.. source-page:: golf post\n")
    (tmp_path / "notebooks/01_trees.rst").write_text("Trees\n=====\n\nGrowing\n-------\n\nThey grow.\n")
    (tmp_path / "notebooks/01_trees.ipynb").write_text("{}")
    (tmp_path / "conf.py").write_text("extensions = ['claims_ledger']\n")
    return tmp_path


def make(book):
    """Build -> (warnings about sources, the source's page)."""
    warnings, page = sphinx_pages(book, "book/source")
    return [line for line in warnings.splitlines() if "statements.yaml" in line], page


def test_a_page_has_the_places_the_verdicts_and_the_ways_to_chapter_and_ledger(book):
    warnings, page = make(book)
    assert not warnings
    for part in ("A title", "An author", "The drawings are lost.", "First slide", VERDICTS["fails"],
                 "It goes on. (2 sentences)",
                 'href="ledger.html#aaa-01"', 'href="../notebooks/01_trees.html#growing"', REASONS["step"],
                 "3 sentences, 1 of which claim something", "1 do not hold"):
        assert part in page


def test_a_section_that_no_chapter_has_is_a_warning(book):
    (book / "book/statements.yaml").write_text(SMALL.replace("01 Growing", "01 Felling"))
    assert "no chapter has that section" in make(book)[0][0]
