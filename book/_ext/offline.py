"""Nothing from any network: formulas, explorables and icons come with the book.

Jupyter Book's defaults load MathJax, require.js and the widget manager from three foreign hosts.
Here MathJax comes out of an installed package, and the explorables are drawn by one small script
of our own. A browser test with the network blocked counts the outside requests and expects none.

The theme draws 1,400 icons twice, from fonts and from a script of 1.5 MB. The fonts suffice, and
they and the theme's style sheet carry the icons that pages show alone: the rest is a quarter of a
megabyte that every page would ask for.
"""

import re
from importlib.metadata import distribution
from pathlib import Path

import pydata_sphinx_theme
from fontTools import subset
from fontTools.ttLib import TTFont
from myst_nb.sphinx_ext import add_global_html_resources
from sphinx.util.fileutil import copy_asset

HOST = Path(__file__).parents[2] / "fi_course/explorables/host.js"
MATHJAX = ("tex-mml-chtml.js", "output/chtml/fonts/woff-v2", "input/tex/extensions", "a11y", "sre",
           "ui")
"""What a page can ask for: the loader, the fonts, the TeX extensions that it loads on demand,
and the reader's menu."""
THEME = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static"
SHEET, FONTS, SCRIPT = ("styles/pydata-sphinx-theme.css", "vendor/fontawesome/webfonts",
                        "scripts/fontawesome.js")
ADDRESSES = "static/webpack-macros.html"
"""The theme's template with the addresses of its files, and the digest of its release."""
ICON = re.compile(r"((?:\.fa-[\w-]+:before,?)+)\{content:[^}]*\}")
NAME = re.compile(r"fa-[a-z0-9-]+")
SIGN = re.compile(r"\\(f[0-9a-f]{3})\b|([\ue000-\uf8ff])")
"""A sign of the fonts, as style sheets write it: by its number, or itself."""
COMPRESSED = re.compile(r"url\([^)]*/fa-[\w-]+\.woff2\) format\(\"woff2\"\),")


def use_local_scripts(app, config):
    config.mathjax_path = "mathjax/tex-mml-chtml.js"
    config.nb_ipywidgets_js = {HOST.name: {"defer": "defer"}}
    config.html_static_path.append(str(HOST))


def unplug_thebe(app, config):
    """Jupyter Book always loads the extension that would start kernels on a server:
    keep its scripts off the pages."""
    for event in ("env-before-read-docs", "doctree-resolved"):
        app.events.listeners[event] = [listener for listener in app.events.listeners[event]
                                       if not listener.handler.__module__.startswith(
                                           "sphinx_thebe")]


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


def rename(app, config):
    """Give the theme's files another digest when what decides on their icons changes: a browser
    keeps a file for as long as its address stays."""
    folder = Path(app.outdir).parent / ".templates"
    target = folder / ADDRESSES
    target.parent.mkdir(parents=True, exist_ok=True)
    macros = (THEME.parent / ADDRESSES).read_text(encoding="utf-8")
    target.write_text(macros.replace("?digest=", f"?digest={config.pages_written_with}"))
    config.templates_path.append(str(folder))


def carry_few_icons(app, error):
    """Write the theme's style sheet with the icons that pages show alone, and its fonts, which no
    longer come compressed, with the signs that style sheets ask for."""
    out, static = Path(app.outdir), Path(app.outdir, "_static")
    if error is not None or not (static / SHEET).exists():
        return
    (static / SCRIPT).write_text("// Icons come from fonts.\n")
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


def setup(app):
    app.connect("config-inited", use_local_scripts)
    app.connect("config-inited", unplug_thebe)
    app.connect("config-inited", rename, priority=900)  # when the hash of our scripts is known
    app.connect("write-started", copy_assets)
    app.connect("build-finished", carry_few_icons)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
