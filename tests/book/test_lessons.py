"""The lesson plan in the instructor's guide: twelve weeks and one more, whose pages, minutes and sections are those
of the chapters."""

import re

import pytest
from chapter import minutes_of
from claims_ledger import plain

from .conftest import ROOT, headings

PAGE = (ROOT / "book/teaching.md").read_text(encoding="utf-8")
WEEKS = {int(number): line for line in PAGE.splitlines() for number in re.findall(r"^\| \[(\d+)\]\(#lesson-", line)}


def test_weeks_are_numbered_through_and_each_has_wrong_answers_to_expect():
    assert WEEKS and list(WEEKS) == list(range(1, len(WEEKS) + 1))
    for week in WEEKS:
        [part] = re.findall(rf"\(lesson-{week}\)=\n### Week {week}: .*\n\n((?:- .*\n)+)", PAGE)
        assert part.count("\n") >= 2, week


@pytest.mark.parametrize("week", WEEKS)
def test_a_weeks_minutes_are_those_of_its_chapter(week):
    """Week 12 has a case of 25 to 40 minutes and the last chapter."""
    page, minutes = re.findall(r"\((\.\./notebooks/[^)]*)\)",
                               WEEKS[week])[-1], re.findall(r"\| (?:30 \+ )?(\d+) \|", WEEKS[week])
    assert [int(one) for one in minutes] == [minutes_of((ROOT / "book" / page).resolve())[0]]


def test_every_section_that_the_plan_names_is_in_a_chapter():
    """Sections are set in italics, without quotation marks; the name of a column is not one."""
    named = re.findall(r"(?<!\*)\*([A-Z][^*]*)\*(?!\*)", PAGE)
    known = {heading for path in ROOT.glob("notebooks/*.ipynb") for heading in headings(f"notebooks/{path.stem}")}
    assert len(named) > 15
    assert [words for words in named if plain(words) not in known] == []
