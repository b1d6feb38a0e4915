"""Python in the page: the button's place on chapters and exercise pages, and the files
that it fetches.

`make book LIVE=1` makes these files (book/tools/live.py) before the pages; the button's words say
how much will be fetched. A book made without them says in the same place how to get the button.
Nothing is loaded before somebody presses it. A cell that needs what no browser has carries a tag
in its notebook, such as needs-XGBoost, which the page's scripts find as a class.
"""

import shutil
from pathlib import Path

from chapter_cache import BOOK, fingerprint
from docutils import nodes
from rjsmin import jsmin

KINDS = {"notebooks": "chapters", "exercises": "exercises"}
"""The folder of a page -> what its button does."""
AT_ONCE = ("python.wasm.bin", "library.zip", "course.zip")
OFFLINE = BOOK / "live/offline.js"
WITHOUT = (BOOK / "templates/without_live.html").read_text(encoding="utf-8")


def button(page, sizes):
    """The button's place as HTML, with how many bytes it fetches at once, and how many more
    when cells need them.

    sizes : {file: bytes}
    """
    at_once = sum(sizes[name] for name in AT_ONCE)
    kind, later = KINDS[page.partition("/")[0]], sum(sizes.values()) - at_once
    return (f'<div class="fi-live" data-kind="{kind}" data-bytes="{at_once}" '
            f'data-later="{later}"></div>\n')


def place(app, doctree, page):
    """Put the button's place below the chapter header, or below the title."""
    if page.partition("/")[0] not in KINDS or app.builder.format != "html":
        return
    title = next(iter(doctree.findall(nodes.title)))
    headers = (box for box in doctree.findall(nodes.container) if "fi-header" in box["classes"])
    above = next(headers, title)
    words = button(page, app.config.live["bytes"]) if app.config.live else WITHOUT
    above.parent.insert(above.parent.index(above) + 1, nodes.raw("", words, format="html"))


def copy(app, error):
    """Put the files beside the pages, or away if the book is now made without them."""
    if error is not None or app.builder.format != "html":
        return
    html = Path(app.outdir)
    target = html / "_static/live"
    shutil.rmtree(target, ignore_errors=True)
    if not app.config.live:
        (html / OFFLINE.name).unlink(missing_ok=True)
        return
    shutil.copytree(app.config.live["folder"], target, ignore=shutil.ignore_patterns(".*"))
    put_offline(html)


def put_offline(html):
    """Put the script that keeps opened pages at the book's root,
    since it reaches no further than its folder.

    It carries a hash of the pages and of what they load, so that a new build is a new script
    to the browser.
    """
    mine = html / OFFLINE.name
    mine.unlink(missing_ok=True)
    build = fingerprint(html, [f"**/*.{kind}" for kind in ("html", "js", "css", "json")])
    script = OFFLINE.read_text(encoding="utf-8").replace("BUILD", build)
    mine.write_text(jsmin(script), encoding="utf-8")


def setup(app):
    # {"folder": where the files lie, "bytes": {file: size}}
    app.add_config_value("live", {}, "html")
    app.connect("doctree-resolved", place)
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
