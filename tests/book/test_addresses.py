"""Each claim, question and figure can be linked to, by a name that edits around it leave alone."""

import json
import re

from fi_course.claims import read_ledger
from fi_course.questions import QUESTIONS

from .accessibility import PAGES
from .conftest import ROOT


def html_of(built_book, page):
    return (built_book / f"{page}.html").read_text(encoding="utf-8")


def test_every_claim_has_its_address_in_the_ledger(built_book):
    ledger = html_of(built_book, "book/ledger")
    claims = read_ledger(ROOT / "book/claims.yaml")
    assert len(claims) > 100 and [id for id in claims if f'id="{id.lower()}"' not in ledger] == []


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
