"""What the build makes of a notebook's own markup: chapter headers, cards, captions, folded code, links
that set an explorable."""

import json
import re

import pytest

from .conftest import ROOT, build_small
from .test_build import TOC, write_notebook

EXTENSIONS = ("cards", "figures", "chapter")
CONFIG = f"""title: A small book
only_build_toc_files: true
exclude_patterns: [_build, fi_teach]
execute: {{execute_notebooks: cache}}
sphinx:
  local_extensions: {{{", ".join(f"{name}: {ROOT}/book/_ext" for name in EXTENSIONS)}}}
"""
TEXT = """# 21 · A small chapter

| | |
|:--|:--|
| **You will be able to** | *count* |
| **Time** | 5 minutes, and 2 more for the proof |
| **You need** | fingers |

## Before you start

**Looking back 1.** What is 1 + 1?

<details><summary>2</summary>

Right.
</details>
<details><summary>3</summary>

Count again.
</details>

This does not wait. Now [set it to 8](#set:together=8), or [to *half*](#set:share=50%20%25,kind=a%2C%20b%3Dc).

## Two

<details><summary>A proof</summary>

It stands alone.
</details>

**Predict.** What is 2 + 2?

<details><summary>$5$</summary>

No.
</details>
<details><summary>4</summary>

Right: $2 + 2$.
</details>

This waits.

### Three

This does not.
"""
DRAWN = """from fi_teach import plots
ax = plots.new_axes()
ax.bar([0], [1])
plots.caption(plots.describe(ax, "One bar."), f"One is *more* than {0}.");"""
BADGE = """from IPython.display import HTML
HTML('<div class="fi-claim" data-claim="X"></div>')"""


def put(root, *texts, cells=()):
    """A book of chapters with these texts, each followed by the same hidden cells."""
    for folder in ("book", "notebooks", "fi_teach"):
        (root / folder).mkdir(exist_ok=True)
    (root / "_config.yml").write_text(CONFIG)
    (root / "book/start.md").write_text("# Start\n\nHere.\n")
    (root / "book/other.md").write_text("# Other\n\nThere.\n")
    names = [f"{number}_small" for number in range(21, 21 + len(texts))]
    (root / "_toc.yml").write_text(TOC + "".join(f"- file: notebooks/{name}\n" for name in names[1:]))
    for name, text in zip(names, texts, strict=True):
        path = root / f"notebooks/{name}.ipynb"
        write_notebook(path, *cells)
        notebook = json.loads(path.read_text())
        notebook["cells"][0] |= {"source": text, "id": "words"}
        for cell in notebook["cells"][1:]:
            cell["metadata"]["tags"] = ["hide-input"]
        path.write_text(json.dumps(notebook))


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    """The page of a small chapter."""
    root = tmp_path_factory.mktemp("small")
    put(root, TEXT, cells=(DRAWN, BADGE, "assert True"))
    done = build_small(root)
    assert done.returncode == 0, done.stdout + done.stderr
    return (root / "_build/html/notebooks/21_small.html").read_text(encoding="utf-8")


def test_the_opening_table_becomes_a_sentence_and_chips(html):
    chips = re.findall(r'<span class="fi-badge">(.*?)</span>', html)
    assert chips == ["5 minutes", "+ 2 more for the proof", "needs fingers"]
    assert "<strong>You will be able to</strong> <em>count</em>" in html and "<table" not in html


def test_details_in_a_row_become_a_card_named_after_its_cell_and_details_alone_stay(html):
    cards = re.findall(r'<div class="fi-card" id="([\w-]+)" data-kind="(\w+)"', html)
    assert cards == [("guess-words", "retrieval"), ("guess-words-2", "prediction")]
    assert len(re.findall(r'<details class="fi-option" data-right>', html)) == 2
    assert "<details><summary>A proof</summary>" in html


def test_what_follows_a_prediction_waits_up_to_the_next_heading(html):
    waits = re.findall(r'<div class="fi-gated" id="after-guess-words-2">\n<p>(.*?)</p>\n</div>', html)
    assert waits == ["This waits."] and html.count('class="fi-gated"') == 1


def test_a_caption_is_numbered_within_its_chapter_and_can_be_linked_to(html):
    assert re.search(r'<figure class="fi-figure" id="figure-cell-1">\s*<picture><source [^>]*max-width[^>]*><img '
                     r'[^>]*alt="One bar."', html)
    caption = re.search(r"<figcaption>\s*<p>(.*?)</p>", html)[1]
    assert re.sub(r"<[^>]*>", "", caption) == "Figure 21.1. One is more than 0."
    assert '<a class="reference internal" href="#figure-cell-1">Figure 21.1.</a>' in caption


def test_hidden_code_is_folded_below_its_output_under_a_name_that_fits(html):
    assert re.findall(r'<details class="fi-code"><summary>(.*?)</summary>', html) == [
        "Code",
        "How it was computed",
        "Checked by code",
    ]
    assert html.index("<figcaption>") < html.index('<details class="fi-code">')


def test_a_link_that_sets_an_explorable_keeps_its_wish(html):
    assert '<a class="fi-set reference internal" href="#set:together=8">set it to 8</a>' in html
    assert 'href="#set:share=50%20%25,kind=a%2C%20b%3Dc">to <em>half</em></a>' in html


def test_a_notebook_whose_cells_have_no_ids_is_read_as_well(tmp_path):
    """As programs older than notebook format 4.5 write it: its cards are named by the cell's number."""
    put(tmp_path, TEXT)
    path = tmp_path / "notebooks/21_small.ipynb"
    notebook = json.loads(path.read_text()) | {"nbformat_minor": 4}
    for cell in notebook["cells"]:
        del cell["id"]
    path.write_text(json.dumps(notebook))
    done = build_small(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "_build/html/notebooks/21_small.html").read_text(encoding="utf-8")
    assert re.findall(r'id="(guess-[\w-]+)" data', page) == ["guess-cell-1", "guess-cell-1-2"]


def test_a_prediction_without_exactly_one_right_answer_and_a_question_fails_the_build(tmp_path):
    """Each of three chapters has its own fault, and is named with it."""
    faults = {
        "no answers to": TEXT.replace("Right: $2", "It is $2"),
        "2 answers to": TEXT.replace("No.\n", "Right, no.\n"),
        "have no question": TEXT.replace("**Predict.** What is 2 + 2?", "- A list."),
    }
    put(tmp_path, *faults.values())
    done = build_small(tmp_path)
    assert done.returncode == 1
    for number, complaint in enumerate(faults, 21):
        named = [line for line in done.stderr.splitlines() if f"{number}_small" in line]
        assert any(complaint in line for line in named), done.stderr
