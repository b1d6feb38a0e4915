"""The chapters link to the glossary, and the glossary to the chapters."""

import re

import pytest
from docutils import nodes
from glossary_links import first_sentence, first_use

from .conftest import ROOT, build_small
from .test_build import small_book, write_notebook  # noqa: F401  (the fixture)

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


def test_a_chapter_links_the_first_use_of_a_term_only(small_book):  # noqa: F811
    """Not in a heading, and not the second time."""
    config = (small_book / "_config.yml").read_text().replace("claims_ledger:",
                                                              f"glossary_links: {ROOT}/book/_ext, claims_ledger:")
    (small_book / "_config.yml").write_text(config)
    (small_book / "book/other.md").write_text(
        "# Other\n\n```{glossary}\ncoin\n  What is *tossed*. It has two sides.\n```\n")
    write_notebook(small_book / "notebooks/21_small.ipynb", "1 + 1")
    page = small_book / "notebooks/21_small.ipynb"
    page.write_text(page.read_text().replace("# A small chapter", "# Coins\\n\\nCoins, and another coin."))
    done = build_small(small_book)
    assert done.returncode == 0, done.stdout + done.stderr
    html = (small_book / "_build/html/notebooks/21_small.html").read_text()
    assert re.findall(r'<a class="fi-term[^"]*" href="([^"]*)">(\w+)</a>',
                      html) == [("../book/other.html#term-coin", "Coins")]
    assert re.findall(r'<div class="fi-gloss" aria-hidden="true">(.*?)</div>',
                      html) == ["<b>coin</b> What is tossed."]
