"""What the build makes of a notebook's own markup: chapter headers, cards, captions, folded code, links
that set an explorable, words of the glossary; whatever was built before."""

import json
import re
import shutil

import pytest

from .conftest import REAL, notebook, put, run_tool, small_book

GLOSSARY = "# Other\n\n```{glossary}\ncoin\n  What is *tossed*. It has two sides.\n```\n\n```{recall}\n```\n"
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

## Two coins

Coins, and another coin.

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
plots.caption(plots.describe(ax, "One bar & no other."), f"One is *more* than {0}.");"""
BADGE = """from IPython.display import HTML
HTML('<div class="fi-claim" data-claim="X"></div>')"""


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book of a small chapter, and of one whose cells have no ids, as programs older than notebook format 4.5
    write it, with all extensions, whose data come from two processes that read."""
    chapter = notebook(DRAWN, BADGE, "assert True", words=TEXT, metadata={"tags": ["hide-input"]})
    old = json.loads(notebook(words=TEXT)) | {"nbformat_minor": 4}
    for cell in old["cells"]:
        del cell["id"]
    more = {f"book/more{k}.md": f"# More {k}\n\n$x$\n" for k in range(6)}  # Sphinx reads in parallel from six pages on
    return small_book(tmp_path_factory.mktemp("small"), chapter, json.dumps(old),
                      extensions=REAL["sphinx"]["local_extensions"], files={"book/other.md": GLOSSARY, **more})


def built(book, files, jobs=2):
    """What a reader's browser may ask for, after these files have changed -> {path: its content}."""
    done = run_tool("build", "--root", put(book, files), "--jobs", jobs)
    assert done.returncode == 0, done.stdout + done.stderr
    html = book / "_build/html"
    return {path.relative_to(html).as_posix(): path.read_bytes() for path in html.rglob("*")
            if path.suffix in (".html", ".js", ".css", ".svg", ".png")}


@pytest.fixture(scope="module")
def clean(book):
    """The book, out of nothing."""
    return built(book, {})


@pytest.fixture(scope="module")
def pages(clean):
    return [clean[f"notebooks/{number}_small.html"].decode() for number in (21, 22)]


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
        r'<figure class="fi-figure" id="([\w-]+)">\s*<a [^>]*><picture><source [^>]*max-width[^>]*>'
        r'<img [^>]*alt="(.*?)"',
        [("figure-cell-1", "One bar &amp; no other.")]),
    "its caption is numbered within its chapter and leads to it": (
        r'<a class="reference internal" href="#figure-cell-1">(.*?)</a></strong> (.*?)</p>',
        [("Figure 21.1.", "One is <em>more</em> than 0.")]),
    "hidden code is folded under a name that fits": (
        r'<details class="fi-code"><summary>(.*?)</summary>', ["Code", "How it was computed", "Checked by code"]),
    "below its output": (
        r'</figcaption>\s*</figure>[\s</div>]*(<details class="fi-code">)', ['<details class="fi-code">']),
    "the first use of a term links to the glossary, not in a heading, and not the second time": (
        r'<a class="fi-term[^"]*" href="([^"]*)">(\w+)</a>', [("../book/other.html#term-coin", "Coins")]),
    "beside it stands what the term means": (
        r'<div class="fi-gloss" aria-hidden="true">(.*?)</div>', ["<b>coin</b> What is tossed."]),
    "a link that sets an explorable keeps its wish": (
        r'<a class="fi-set reference internal" href="#set:(.*?)">(.*?)</a>',
        [("together=8", "set it to 8"), ("share=50%20%25,kind=a%2C%20b%3Dc", "to <em>half</em>")]),
}


@pytest.mark.parametrize("what", MADE)
def test_what_a_notebook_says_becomes_of_the_page(pages, what):
    pattern, found = MADE[what]
    assert re.findall(pattern, pages[0]) == found


def test_cards_of_cells_without_ids_are_named_by_the_cells_number(pages):
    assert re.findall(r'id="(guess-[\w-]+)" data', pages[1]) == ["guess-cell-1", "guess-cell-1-2"]


def test_pages_do_not_depend_on_what_was_built_before(book, clean):
    """Byte for byte the same after an edit that was taken back, which went through every page's sidebar, and with one
    process. A figure keeps its words, out of the execution cache too."""
    texts = {name: (book / name).read_text() for name in ("notebooks/21_small.ipynb", "book/other.md")}
    assert b"fi-card" in clean["book/other.html"]
    edited = built(book, {name: text.replace("A small", "A big").replace("Other", "Changed")
                          for name, text in texts.items()})
    assert all(b"course.js?v=" in clean[name] and clean[name] != edited[name] for name in clean
               if name.startswith("book/") and name.endswith(".html"))
    back = built(book, texts)
    shutil.rmtree(book / "_build/html"), shutil.rmtree(book / "_build/.doctrees")
    for again in (back, built(book, {}, jobs=1)):
        assert set(again) == set(clean) and [name for name in clean if clean[name] != again[name]] == []
