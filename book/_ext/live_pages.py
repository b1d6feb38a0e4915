"""Python in the page: the button's place on chapters and exercise pages, and the files
that it fetches.

`make book LIVE=1` makes these files (book/tools/live.py) before the pages;
the button's words say how much will be fetched.
A book made without them says in the same place how to get the button.
Nothing is loaded before somebody presses it.
"""

import ast
import hashlib
import json
import os
import shutil
import symtable
from copy import deepcopy
from html import escape
from pathlib import Path

from docutils import nodes
from rjsmin import jsmin

KINDS = {"notebooks/": "chapters", "exercises/": "exercises"}
ALWAYS = ("python.wasm.gz", "library.zip", "course.zip")
SOME_SETS = {"exercises/13_choosing": ["learn"]}
"""What answers to a set may want beside NumPy and pandas: its proof ranks with SciPy."""
ROOT = Path(__file__).resolve().parents[2]
IMPORTED = ROOT / "book/live/imported.json"
OFFLINE = ROOT / "book/live/offline.js"
ABSENT = {"xgboost": "XGBoost", "lightgbm": "LightGBM", "shap": "shap", "sksurv": "scikit-survival",
          "lifelines": "lifelines"}
"""What has no build for browsers, by the name it is imported by."""
WITHOUT = """<details class="fi-live"><summary>Run Python in this page</summary>
<p>The code of this page can run in your browser, with nothing to install, if the book is made with
<code class="docutils literal notranslate">make book LIVE=1</code>. This copy was made without:
<code class="docutils literal notranslate">make lab</code>
opens the notebook in JupyterLab.</p></details>
"""


def kind_of(page):
    """What the button of a page does -> "chapters", "exercises" or None."""
    return next((kind for start, kind in KINDS.items() if page.startswith(start)), None)


def parts_of(page):
    """Which libraries a page fetches beside NumPy and pandas, as live_check.py saw it -> list.

    A chapter that it never saw fetches all of them.
    """
    usual = SOME_SETS.get(page, []) if kind_of(page) == "exercises" else ["plots", "learn"]
    return json.loads(IMPORTED.read_text(encoding="utf-8"))["parts"].get(page, usual)


def absent_cells(sources):
    """Which cells cannot run in a browser -> {index: [why, what of the cell runs all the same]}.

    A cell cannot that imports what has no build for browsers, or uses a name that is made with it.
    Its other statements run all the same, but for those that only show or check something,
    since cells below may need what they make.
    """
    lost, found = {}, {}
    for index, source in enumerate(sources):
        kept, why = [], None
        for one in ast.parse(source).body:
            used, made = _names(one)
            reason = _reason(one, used, lost)
            if (not reason and not isinstance(one, ast.Expr | ast.Assert)) or _defines(one):
                kept.append(one)
            why = why or (None if _defines(one) else reason)
            lost = {name: whose for name, whose in lost.items() if name not in made}
            lost |= dict.fromkeys(made if reason else (), reason)
        if why:
            found[index] = [why, "\n".join(map(ast.unparse, kept))]
    return found


def _defines(statement):
    return isinstance(statement, ast.FunctionDef | ast.ClassDef)


def _reason(statement, used, lost):
    """Why a statement cannot run: what it imports, or what one of the names was made with."""
    modules = [getattr(statement, "module", None) or ""]
    if isinstance(statement, ast.Import):
        modules = [alias.name for alias in statement.names]
    imported = (ABSENT.get(module.split(".")[0]) for module in modules)
    return next(filter(None, (*imported, *(lost.get(name) for name in sorted(used)))), None)


class _AsGenerators(ast.NodeTransformer):
    """Comprehensions as generators, whose variables are their own under every Python: from 3.12 on
    those of the others are listed among the names around them."""

    def visit_ListComp(self, node):
        self.generic_visit(node)
        return ast.GeneratorExp(node.elt, node.generators)

    visit_SetComp = visit_ListComp

    def visit_DictComp(self, node):
        self.generic_visit(node)
        return ast.GeneratorExp(ast.Tuple([node.key, node.value], ast.Load()), node.generators)


def _names(statement):
    """The names that a statement takes from before it, for its functions' bodies too,
    and those that it makes -> two sets"""
    parts = list(ast.iter_child_nodes(statement))
    inner = [part for part in parts if isinstance(part, ast.stmt | ast.ExceptHandler)]
    if inner and not _defines(statement):
        heads = [one for part in parts if part not in inner
                 for one in ast.walk(part) if isinstance(one, ast.Name)]
        made = {one.id for one in heads if isinstance(one.ctx, ast.Store)}
        used = {one.id for one in heads} - made
        for part in inner:
            more, new = _names(part)
            used, made = used | more - made, made | new
        return used, made
    alone = _AsGenerators().visit(deepcopy(statement))
    whole = symtable.symtable(ast.unparse(alone), "cell", "exec")
    made = {one.get_name() for one in whole.get_symbols() if one.is_assigned() or one.is_imported()}
    used = {one.get_name() for one in whole.get_symbols() if one.is_referenced()}
    scopes = list(whole.get_children())
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        used |= {one.get_name() for one in scope.get_symbols() if one.is_global()}
    return used, made


def cells_of(page):
    """The sources of a chapter's code cells."""
    cells = json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def button(page, sizes):
    """The button's place as HTML, with how much it fetches and which cells cannot run.

    sizes : {file: bytes}
    """
    parts = parts_of(page)
    size = sum(sizes[name] for name in (*ALWAYS, *(f"{part}.zip" for part in parts)))
    absent = absent_cells(cells_of(page)) if kind_of(page) == "chapters" else {}
    data = {"kind": kind_of(page), "parts": " ".join(parts), "bytes": size}
    if absent:
        data["absent"] = json.dumps(absent)
    said = " ".join(f'data-{name}="{escape(str(value))}"' for name, value in data.items())
    return f'<div class="fi-live" {said}></div>\n'


def place(app, doctree, page):
    """Put the button's place below the chapter header, or below the title."""
    if not kind_of(page) or app.builder.format != "html":
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
    if not app.config.live:
        shutil.rmtree(target, ignore_errors=True)
        (html / OFFLINE.name).unlink(missing_ok=True)
        return
    target.mkdir(parents=True, exist_ok=True)
    for source in Path(app.config.live["folder"]).iterdir():
        if not source.name.startswith("."):
            _link(source, target / source.name)
    put_offline(html)


def put_offline(html):
    """Put the script that keeps opened pages at the book's root,
    since it reaches no further than its folder.

    It carries a hash of the pages and of what they load, so that a new build is a new script
    to the browser.
    """
    mine, digest = html / OFFLINE.name, hashlib.sha256()
    for path in sorted(html.rglob("*")):
        if path.suffix in (".html", ".js", ".css", ".json") and path != mine:
            digest.update(path.read_bytes())
    script = OFFLINE.read_text(encoding="utf-8").replace("BUILD", digest.hexdigest()[:16])
    mine.write_text(jsmin(script), encoding="utf-8")


def _link(source, target):
    """The same file at another place, without a second copy where the disk allows that."""
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def setup(app):
    # {"folder": where the files lie, "bytes": {file: size}}
    app.add_config_value("live", {}, "html")
    app.connect("doctree-resolved", place)
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
