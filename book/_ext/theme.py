"""The book's own styles on top of its theme: one style sheet, light or dark as the reader has it,
and nothing heavy or mute.

The style sheet lies outside any folder named `_static`,
because Jupyter Book would put every script found there on every page.
"""

import json
import re
from pathlib import Path

from chapter_cache import BOOK
from docutils import nodes
from rjsmin import jsmin

from fi_course.questions.answer_forms import FORMS

STYLE, SCRIPT, TEMPLATES = (BOOK / name for name in ("style", "script", "templates"))
SHEETS = ("type.css", "cards.css", "book.css")
SCRIPTS = ("reader.js", "course.js", "progress.js")
SOME = {"notebooks/": ("cards.js", "runhere.js"),
        "exercises/": ("judge.js", "exercises.js", "notebook.js", "runhere.js"),
        "book/recall": ("cards.js", "recall.js")}
"""Scripts of some pages only, by how these pages' names begin."""
FIGURE = re.compile(r'(<div class="cell_output docutils container">\n|<figure '
                    r'[^>]*>\n)((?:<picture>.*?)?<img '
                    r'[^>]*src="((?!data:)[^"]+)"[^>]*>(?:</picture>)?)')


def dress(app, config):
    config.html_static_path += [str(STYLE), str(SCRIPT)]
    config.html_css_files += SHEETS
    config.html_js_files += [(name, {"defer": "defer"}) for name in SCRIPTS]
    config.templates_path.append(str(TEMPLATES))
    config.html_sidebars = {
        "**": ["home.html", "search-button-field.html", "map.html", "reader.html"]}
    # no second search field in a bar above the page, and one map: the page's headings stand in it
    config.html_theme_options |= {"navbar_persistent": [], "secondary_sidebar_items": []}
    # as the reader's system has it, until they choose
    config.html_context.setdefault("default_mode", "auto")


def link_figures(app, page, template, context, doctree):
    """A figure leads to itself alone, so that it can be enlarged, and reached by keyboard
    where a phone scrolls it."""
    context["body"] = FIGURE.sub(
        r'\1<a class="reference internal image-reference" href="\3">\2</a>',
        context.get("body", ""))


def add_scripts(app, page, template, context, doctree):
    """What only some pages need."""
    for start, names in SOME.items():
        for name in names if page.startswith(start) else ():
            app.add_js_file(name, priority=900, defer="defer")  # after those that every page has


def thin_scripts(app, error):
    """A page carries our scripts without comments and needless space;
    whoever wants to read them reads book/script."""
    for script in SCRIPT.glob("*.js"):
        served = Path(app.outdir, "_static", script.name)
        if served.exists():
            served.write_text(jsmin(script_text(script)), encoding="utf-8")


def script_text(script):
    """What a script says; the judge reads answers by the course's own table."""
    text = script.read_text(encoding="utf-8")
    return f"fi.forms = {json.dumps(FORMS)};\n{text}" if script.name == "judge.js" else text


def visit_citation(writer, node):
    """A reference without the list roles that docutils gives it,
    which screen readers no longer know."""
    writer.body.append(writer.starttag(node, "div", classes=["citation"]))


def depart_citation(writer, node):
    writer.body.append("</div>\n")


def setup(app):
    app.add_node(nodes.citation, override=True, html=(visit_citation, depart_citation))
    app.connect("config-inited", dress)
    app.connect("html-page-context", link_figures)
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", thin_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
