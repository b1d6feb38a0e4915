"""The references can be found: each has an identifier that is well formed, and the chapters link to the same ones."""

import re

import pytest
from pybtex.database import parse_file

from .conftest import ROOT, prose

ENTRIES = {key: dict(entry.fields) for key, entry in parse_file(ROOT / "book/references.bib").entries.items()}
ON_PAPER_ONLY = {"banzhaf1965": "a law review without identifiers",
                 "greene1992": "a working paper, known by its number"}
IDENTIFIERS = {
    "doi": lambda text: re.fullmatch(r"10\.\d{4,9}/[^\s{}]+", text),
    "eprint": lambda text: re.fullmatch(r"\d{4}\.\d{4,5}", text),
    "isbn": lambda text: is_isbn(text),
    "url": lambda text: re.fullmatch(r"https?://[^\s{}]+\.[^\s{}]+", text),
}


def is_isbn(text):
    """Thirteen digits whose check digit is right: those at even places count three times, and the sum ends in 0."""
    return (bool(re.fullmatch(r"97[89]\d{10}", text))
             and sum(int(digit) * (1, 3)[k % 2] for k, digit in enumerate(text)) % 10 == 0)


def pages():
    """What chapters and prose pages say -> {file: text}."""
    notebooks = {path.name: prose(path) for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
    return notebooks | {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "book").glob("*.md"))}


@pytest.mark.parametrize("key", ENTRIES)
def test_a_reference_has_an_identifier_and_each_is_well_formed(key):
    """A DOI wherever there is one; else the number in a preprint server, an ISBN or an address."""
    found = {kind: ENTRIES[key][kind] for kind in IDENTIFIERS if kind in ENTRIES[key]}
    assert bool(found) != (key in ON_PAPER_ONLY), f"{key}: give it one of {', '.join(IDENTIFIERS)}"
    assert [f"{kind} {text}" for kind, text in found.items() if not IDENTIFIERS[kind](text)] == []


def test_no_two_references_share_an_identifier():
    """The same work under two keys would stand twice in the bibliography."""
    for kind in ("doi", "eprint"):
        known = [fields[kind].lower() for fields in ENTRIES.values() if kind in fields]
        assert sorted(set(known)) == sorted(known)


@pytest.mark.parametrize("pattern, kind",
                         [(r"https://doi\.org/([^\s<>\"]+)", "doi"),
                          (r"https://arxiv\.org/abs/([^\s<>\"]+)", "eprint")])
def test_what_a_chapter_links_to_is_in_the_bibliography(pattern, kind):
    """A mistyped DOI in a chapter differs from the one that the references hold."""
    known = {fields[kind].lower() for fields in ENTRIES.values() if kind in fields}
    links = {(page, target) for page, text in pages().items() for target in re.findall(pattern, text)}
    assert links, "the chapters link to their sources"
    strangers = {(page, target) for page, target in links
                 if not {target.lower().rstrip(".,;"), target.lower().rstrip(").,;")} & known}
    assert strangers == set()


@pytest.mark.parametrize("text, good", [("9781558602380", True), ("9781558602381", False), ("155860238", False)])
def test_a_mistyped_isbn_is_noticed(text, good):
    assert is_isbn(text) is good
