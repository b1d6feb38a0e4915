"""Python in the page: the place of the button on every chapter and exercise page, and the files that it fetches.

`make book LIVE=1` makes these files (book/tools/live.py) before the pages; the button's words say how much will be fetched.
A book made without them says in the same place how to get the button. Nothing is loaded before somebody presses it.
"""

import json
import os
import shutil
from pathlib import Path

from docutils import nodes

KINDS = {"notebooks/": "chapters", "exercises/": "exercises"}
ALWAYS = ("python.wasm.gz", "library.zip", "course.zip")
SOME_SETS = {"exercises/13_choosing": ["learn"]}
"""What answers to a set may want beside NumPy and pandas: its proof ranks with SciPy."""
IMPORTED = Path(__file__).parents[1] / "live/imported.json"
WITHOUT = """<details class="fi-live"><summary>Run Python in this page</summary>
<p>The code of this page can run in your browser, with nothing to install, if the book is made with
<code class="docutils literal notranslate">make book LIVE=1</code>. This copy was made without: <code class="docutils literal notranslate">make lab</code>
opens the notebook in JupyterLab.</p></details>
"""


def kind_of(page):
    """What the button of a page does -> "chapters", "exercises" or None."""
    return next((kind for start, kind in KINDS.items() if page.startswith(start)), None)


def parts_of(page):
    """Which libraries a page fetches beside NumPy and pandas, as live_check.py saw it -> list; all of them for a page it never saw."""
    usual = [] if kind_of(page) == "exercises" else ["plots", "learn"]
    return json.loads(IMPORTED.read_text(encoding="utf-8"))["parts"].get(page, SOME_SETS.get(page, usual))


def button(page, sizes):
    """The button's place as HTML, with how much it fetches. sizes : {file: bytes}"""
    parts = parts_of(page)
    size = sum(sizes[name] for name in (*ALWAYS, *(f"{part}.zip" for part in parts)))
    return f'<div class="fi-live" data-kind="{kind_of(page)}" data-parts="{" ".join(parts)}" data-bytes="{size}"></div>\n'


def place(app, doctree, page):
    """Put the button's place below the opener, or below the title."""
    if not kind_of(page) or app.builder.format != "html":
        return
    title = next(iter(doctree.findall(nodes.title)))
    openers = (box for box in doctree.findall(nodes.container) if "fi-opener" in box["classes"])
    above = next(openers, title)
    words = button(page, app.config.live["bytes"]) if app.config.live else WITHOUT
    above.parent.insert(above.parent.index(above) + 1, nodes.raw("", words, format="html"))


def copy(app, error):
    """Put the files beside the pages, or away if the book is now made without them."""
    if error is not None or app.builder.format != "html":
        return
    target = Path(app.outdir, "_static/live")
    if not app.config.live:
        shutil.rmtree(target, ignore_errors=True)
        return
    target.mkdir(parents=True, exist_ok=True)
    for source in Path(app.config.live["folder"]).iterdir():
        if not source.name.startswith("."):
            _link(source, target / source.name)


def _link(source, target):
    """The same file at another place, without a second copy where the disk allows that."""
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def setup(app):
    app.add_config_value("live", {}, "html")  # {"folder": where the files lie, "bytes": {file: size}}
    app.connect("doctree-resolved", place)
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
