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


MADE = {
    "the opening table becomes badges": (
        r'<span class="fi-badge">(.*?)</span>', ["5 minutes", "+ 2 more for the proof", "needs fingers"]),
    "and a sentence": (r"<strong>(.*?)</strong> <em>count</em>", ["You will be able to"]),
    "and is gone": (r"<table", []),
    "details in a row become a card that is called after its cell": (
        r'<div class="fi-card" id="([\w-]+)" data-kind="(\w+)"',
        [("guess-words", "retrieval"), ("guess-words-2", "prediction")]),
    "one option of each is right": (r'<details class="fi-option" (data-right)>', ["data-right"] * 2),
    "details alone stay": (r"<details><summary>(.*?)</summary>", ["A proof"]),
    "what follows a prediction waits up to the next heading": (
        r'<div class="fi-gated" id="(.*?)">\n<p>(.*?)</p>\n</div>', [("after-guess-words-2", "This waits.")]),
    "a figure is named after its cell, and has another picture for phones": (
        r'<figure class="fi-figure" id="([\w-]+)">\s*<picture><source [^>]*max-width[^>]*><img [^>]*alt="(.*?)"',
        [("figure-cell-1", "One bar.")]),
    "its caption is numbered within its chapter and leads to it": (
        r'<a class="reference internal" href="#figure-cell-1">(.*?)</a></strong> (.*?)</p>',
        [("Figure 21.1.", "One is <em>more</em> than 0.")]),
    "hidden code is folded under a name that fits": (
        r'<details class="fi-code"><summary>(.*?)</summary>', ["Code", "How it was computed", "Checked by code"]),
    "below its output": (r'<figcaption>[\s\S]*?(<details class="fi-code">)', ['<details class="fi-code">']),
    "a link that sets an explorable keeps its wish": (
        r'<a class="fi-set reference internal" href="#set:(.*?)">(.*?)</a>',
        [("together=8", "set it to 8"), ("share=50%20%25,kind=a%2C%20b%3Dc", "to <em>half</em>")]),
}


@pytest.mark.parametrize("what", MADE)
def test_what_a_notebook_says_becomes_of_the_page(html, what):
    pattern, found = MADE[what]
    assert re.findall(pattern, html) == found


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
