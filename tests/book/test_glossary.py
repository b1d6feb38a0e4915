"""The chapters link to the glossary, and the glossary to the chapters."""

import re

import pytest
from docutils import nodes
from glossary_links import first_sentence, first_use

from .conftest import ROOT

ENTRIES = re.findall(r"^(\S.*)\n  (.*)$",
                     (ROOT / "book/glossary.md").read_text(encoding="utf-8").partition("```{glossary}")[2],
                     re.MULTILINE)


@pytest.mark.parametrize(("text", "terms", "found"), [
    ("Two twins.", ["twins"], (4, 9, "twins")), ("Proxies and a Proxy", ["proxy"], (14, 19, "proxy")),
    ("Shapley values", ["Shapley value"], (0, 14, "Shapley value")), ("the forests", ["forest"], (4, 11, "forest")),
    ("deforestation, mdi", ["forest", "MDI"], None),
    ("conditional permutation", ["conditional", "conditional permutation"], (0, 23, "conditional permutation"))])
def test_a_term_is_found_as_a_word_of_its_own(text, terms, found):
    """In the plural and at the beginning of a sentence, never inside another word; of two at one place the longer."""
    assert first_use(text, terms) == found


def test_the_margin_has_a_definitions_first_sentence_unless_a_formula_stands_in_it():
    words = nodes.paragraph("", "", nodes.Text("What 3.5 coins say. Not all of it."))
    assert first_sentence(words) == "What 3.5 coins say."
    assert first_sentence(nodes.paragraph("", "", nodes.Text("The sum "), nodes.math("", "x"), nodes.Text("."))) == ""


def test_every_entry_leads_to_the_chapter_that_teaches_it():
    """The second way of the link; the first is made by the build."""
    assert len(ENTRIES) > 50
    assert [term for term, words in ENTRIES if not re.search(r"\]\(\.\./notebooks/[\da]\d\w*\.ipynb\)", words)] == []


def test_the_entries_stand_in_the_order_of_the_alphabet():
    terms = [term.lower() for term, _ in ENTRIES]
    assert terms == sorted(terms)
