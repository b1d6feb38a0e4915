"""What `book/tools/lengths.py` counts, and that every chapter keeps its bounds."""

import json

import pytest
from lengths import NOTEBOOKS, Bounds, bounds_of, lengths, runs, sentences


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_chapter_keeps_its_bounds(path):
    assert lengths(path).beyond(bounds_of(path.stem)) == {}


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.parent.glob("exercises/*.ipynb")), ids=lambda path: path.stem)
def test_code_of_a_set_fits_into_the_column_of_its_page(path):
    assert lengths(path).letters <= Bounds(0, 0).letters


def markdown(text):
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def code(text, *tags):
    return {"cell_type": "code", "metadata": {"tags": list(tags)}, "source": text}


def test_words_are_those_of_prose_and_an_optional_section_ends_at_the_next_of_its_rank(tmp_path):
    path = tmp_path / "chapter.ipynb"
    cells = [markdown("# A title\n\n| **Time** | 50 minutes |\n\nFour [words with](x.md) link $a + b$ `code`.\n\n"
                      "```python\nx\n```"),
             code("a = 1\nb = 2"), code("assert a"), code("c = 3", "hide-input"),
             markdown("## More (optional)\n\nSix words.\n\n### Deeper\n\nTwo more.\n\n## Main again\n\nOne.\n\n"
                      "### References\n\nNot these.")]
    path.write_text(json.dumps({"cells": cells}))
    found = lengths(path)
    assert (found.words, found.optional, found.sections, found.minutes) == (2 + 4 + 2 + 1, 2 + 2 + 1 + 2, 1, 50)
    assert (found.run, found.cell, found.letters, found.sentence) == (2, 2, 8, 4)
    assert found.beyond(Bounds(8, 50)) == {"words": (9, 8)}


def test_a_sentence_ends_at_its_mark_a_heading_or_an_item():
    assert sentences("One two three. Four five!\n\n- six seven\n- eight nine (0.5 ten)") == [3, 2, 2, 4]


def test_a_cell_that_only_checks_is_in_no_run():
    checks = code("assert x == 1\nassert all(\n    [x])")
    assert runs([code("x = 1"), checks, code("y = 2"), markdown("so"), code("z = 3")]) == [2, 1]
