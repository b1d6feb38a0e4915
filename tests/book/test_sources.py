"""Every sentence of the five sources has its claim or the reason why it has none, and a page shows them
in their order."""

import pytest
from claims_ledger import REASONS, STATEMENTS, chapter_of, lines_of, plain, read_statements

from fi_course.claims import read_ledger

from .conftest import ROOT, headings

SOURCES = read_statements(ROOT / STATEMENTS)
LEDGER = read_ledger()
PLACES = [(source, place) for source in SOURCES.values() for place in source["places"]]
NAMES = [f"{source['source']}: {place['place']}" for source, place in PLACES]


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
