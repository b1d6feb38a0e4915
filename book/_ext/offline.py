"""The built book asks nothing of any network.

Jupyter Book's defaults load MathJax, require.js and the widget manager from three foreign hosts.
Here MathJax comes out of an installed package, and the explorables are drawn by one small script
of our own. A browser test with the network blocked counts the outside requests and expects none.
"""

from importlib.metadata import distribution
from pathlib import Path

from sphinx.util.fileutil import copy_asset

HOST = Path("fi_course/explorables/host.js")
# What a page can ask for: the loader, the fonts, the TeX extensions that it loads on demand,
# and the reader's menu.
MATHJAX = ("tex-mml-chtml.js", "output/chtml/fonts/woff-v2", "input/tex/extensions", "a11y", "sre",
           "ui")


def use_local_scripts(app, config):
    config.mathjax_path = "mathjax/tex-mml-chtml.js"
    host = Path(app.srcdir) / HOST
    config.nb_ipywidgets_js = {host.name: {"defer": "defer"}} if host.exists() else {}
    if host.exists():
        config.html_static_path.append(str(host))


def unplug_thebe(app, config):
    """Jupyter Book always loads the extension that would start kernels on a server:
    keep its scripts off the pages."""
    for event in ("env-before-read-docs", "doctree-resolved"):
        app.events.listeners[event] = [listener for listener in app.events.listeners[event]
                                       if not listener.handler.__module__.startswith(
                                           "sphinx_thebe")]


def copy_mathjax(app, error):
    if error is None and app.builder.format == "html":
        source = Path(distribution("sphinx-mathjax-offline").locate_file(
            "sphinx-mathjax-offline/static/mathjax"))
        for part in MATHJAX:
            target = Path(app.outdir, "_static/mathjax", part)
            if not target.exists():
                copy_asset(str(source / part),
                           str(target if (source / part).is_dir() else target.parent))


def setup(app):
    app.connect("config-inited", use_local_scripts)
    app.connect("config-inited", unplug_thebe)
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
