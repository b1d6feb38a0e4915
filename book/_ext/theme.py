"""What stands round the text: the book's own styles and scripts on top of its theme, light or dark
as the reader has it, and nothing from any network: formulas, explorables and icons come along.

Jupyter Book's defaults load MathJax, require.js and the widget manager from three foreign hosts.
Here MathJax comes out of an installed package, and the explorables are drawn by one small script
of our own. A browser test with the network blocked counts the outside requests and expects none.

The theme draws 1,400 icons twice, from fonts and from a script of 1.5 MB. The fonts suffice, and
they and the theme's style sheet carry the icons that pages show alone: the rest is a quarter of a
megabyte that every page would ask for.

Our style sheets and scripts lie outside any folder named `_static`, because Jupyter Book would put
every script found there on every page.
"""

import json
import re
from importlib.metadata import distribution
from pathlib import Path

import pydata_sphinx_theme
from chapter_cache import BOOK
from docutils import nodes
from fontTools import subset
from fontTools.ttLib import TTFont
from myst_nb.sphinx_ext import add_global_html_resources
from rjsmin import jsmin
from sphinx.util.fileutil import copy_asset

from fi_course.questions.answer_forms import FORMS

STYLE, SCRIPT, TEMPLATES = (BOOK / name for name in ("style", "script", "templates"))
SHEETS = ("type.css", "cards.css", "book.css")
SCRIPTS = ("reader.js", "course.js", "progress.js")
SOME = {"notebooks/": ("cards.js", "runhere.js"),
        "exercises/": ("judge.js", "exercises.js", "notebook.js", "runhere.js"),
        "book/recall": ("cards.js", "recall.js")}
"""Scripts of some pages only, by how these pages' names begin."""
HOST = BOOK.parent / "fi_course/explorables/host.js"
MATHJAX = ("tex-mml-chtml.js", "output/chtml/fonts/woff-v2", "input/tex/extensions", "a11y", "sre",
           "ui")
"""What a page can ask for: the loader, the fonts, the TeX extensions that it loads on demand,
and the reader's menu."""
THEME = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static"
SHEET, FONTS, ICONS_SCRIPT = ("styles/pydata-sphinx-theme.css", "vendor/fontawesome/webfonts",
                              "scripts/fontawesome.js")
ADDRESSES = "static/webpack-macros.html"
"""The theme's template with the addresses of its files, and the digest of its release."""
ICON = re.compile(r"((?:\.fa-[\w-]+:before,?)+)\{content:[^}]*\}")
NAME = re.compile(r"fa-[a-z0-9-]+")
SIGN = re.compile(r"\\(f[0-9a-f]{3})\b|([\ue000-\uf8ff])")
"""A sign of the fonts, as style sheets write it: by its number, or itself."""
COMPRESSED = re.compile(r"url\([^)]*/fa-[\w-]+\.woff2\) format\(\"woff2\"\),")


def dress(app, config):
    config.mathjax_path = "mathjax/tex-mml-chtml.js"
    config.nb_ipywidgets_js = {HOST.name: {"defer": "defer"}}
    config.html_static_path += [str(HOST), str(STYLE), str(SCRIPT)]
    config.html_css_files += SHEETS
    config.html_js_files += [(name, {"defer": "defer"}) for name in SCRIPTS]
    config.templates_path.append(str(TEMPLATES))
    config.html_sidebars = {
        "**": ["home.html", "search-button-field.html", "map.html", "reader.html"]}
    # no second search field in a bar above the page, and one map: the page's headings stand in it
    config.html_theme_options |= {"navbar_persistent": [], "secondary_sidebar_items": []}
    # as the reader's system has it, until they choose
    config.html_context.setdefault("default_mode", "auto")


def unplug_thebe(app, config):
    """Jupyter Book always loads the extension that would start kernels on a server:
    keep its scripts off the pages."""
    for event in ("env-before-read-docs", "doctree-resolved"):
        app.events.listeners[event] = [listener for listener in app.events.listeners[event]
                                       if not listener.handler.__module__.startswith(
                                           "sphinx_thebe")]


def rename(app, config):
    """Give the theme's files another digest when what decides on their icons changes: a browser
    keeps a file for as long as its address stays."""
    folder = Path(app.outdir).parent / ".templates"
    target = folder / ADDRESSES
    target.parent.mkdir(parents=True, exist_ok=True)
    macros = (THEME.parent / ADDRESSES).read_text(encoding="utf-8")
    target.write_text(macros.replace("?digest=", f"?digest={config.pages_written_with}"))
    config.templates_path.append(str(folder))


def copy_assets(app, builder):
    """Put MathJax and myst-nb's style sheet there before pages are written, which carry their
    checksums: at the end, as myst-nb would, is too late for the first build."""
    if builder.format == "html":
        source = Path(distribution("sphinx-mathjax-offline").locate_file(
            "sphinx-mathjax-offline/static/mathjax"))
        for part in MATHJAX:
            target = Path(app.outdir, "_static/mathjax", part)
            if not target.exists():
                copy_asset(str(source / part),
                           str(target if (source / part).is_dir() else target.parent))
        add_global_html_resources(app, None)


def add_scripts(app, page, template, context, doctree):
    """What only some pages need."""
    for start, names in SOME.items():
        for name in names if page.startswith(start) else ():
            app.add_js_file(name, priority=900, defer="defer")  # after those that every page has


def script_text(script):
    """What a script says; the judge reads answers by the course's own table."""
    text = script.read_text(encoding="utf-8")
    return f"fi.forms = {json.dumps(FORMS)};\n{text}" if script.name == "judge.js" else text


def thin_scripts(app, error):
    """A page carries our scripts without comments and needless space;
    whoever wants to read them reads book/script."""
    for script in SCRIPT.glob("*.js"):
        served = Path(app.outdir, "_static", script.name)
        if served.exists():
            served.write_text(jsmin(script_text(script)), encoding="utf-8")


def carry_few_icons(app, error):
    """Write the theme's style sheet with the icons that pages show alone, and its fonts, which no
    longer come compressed, with the signs that style sheets ask for."""
    out, static = Path(app.outdir), Path(app.outdir, "_static")
    if error is not None or not (static / SHEET).exists():
        return
    (static / ICONS_SCRIPT).write_text("// Icons come from fonts.\n")
    used = {name for path in (*out.rglob("*.html"), *static.rglob("*.js"))
            for name in NAME.findall(path.read_text(encoding="utf-8"))}
    sheet = ICON.sub(lambda rule: rule[0] if used & set(NAME.findall(rule[1])) else "",
                     (THEME / SHEET).read_text(encoding="utf-8"))
    (static / SHEET).write_text(COMPRESSED.sub("", sheet), encoding="utf-8")
    signs = {int(digits, 16) if digits else ord(sign) for path in static.rglob("*.css")
             for digits, sign in SIGN.findall(path.read_text(encoding="utf-8"))}
    for path in (THEME / FONTS).glob("*.ttf"):
        font, few = TTFont(path, recalcTimestamp=False), subset.Subsetter()
        few.populate(unicodes=signs)
        few.subset(font)
        font.save(static / FONTS / path.name)
        (static / FONTS / f"{path.stem}.woff2").unlink(missing_ok=True)


def visit_citation(writer, node):
    """A reference without the list roles that docutils gives it,
    which screen readers no longer know."""
    writer.body.append(writer.starttag(node, "div", classes=["citation"]))


def depart_citation(writer, node):
    writer.body.append("</div>\n")


def setup(app):
    app.add_node(nodes.citation, override=True, html=(visit_citation, depart_citation))
    app.connect("config-inited", dress)
    app.connect("config-inited", unplug_thebe)
    app.connect("config-inited", rename, priority=900)  # when the hash of our scripts is known
    app.connect("write-started", copy_assets)
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", thin_scripts)
    app.connect("build-finished", carry_few_icons)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
