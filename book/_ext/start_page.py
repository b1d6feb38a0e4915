"""The start page's explorable: one forest, four charts.

    ```{four-charts}
    ```

A page of prose has no kernel to compute it, so the build does, and remembers the states for as long
as the package stays the same (chapter_cache.py says how that is known).
"""

import json

from chapter_cache import cache_folder
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

VIEW = '<script type="application/vnd.jupyter.widget-view+json">{}</script>'
STATE = '<script type="application/vnd.jupyter.widget-state+json">{}</script>'
HOST = '<script src="{}_static/host.js" defer></script>'


def states():
    """The explorable as a page carries it: a view, its saved state, and its sentence
    where no script runs."""
    from html import escape

    from ipywidgets.embed import dependency_state, embed_data

    from fi_course.explorables import explore_four_charts

    seen = explore_four_charts()
    data = embed_data(views=[seen], state=dependency_state([seen], drop_defaults=False))
    state = json.dumps(data["manager_state"]).replace("</", "<\\/")
    words = f"<noscript><p>{escape(repr(seen))}</p></noscript>"
    return f"{words}\n{VIEW.format(json.dumps({'model_id': seen.model_id}))}\n{STATE.format(state)}"


class FourCharts(SphinxDirective):
    def run(self):
        kept = cache_folder(self.env.srcdir, self.env.app.outdir.parent) / "four_charts.html"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(states(), encoding="utf-8")
        up = "../" * self.env.docname.count("/")
        return [nodes.raw("", f"{kept.read_text(encoding='utf-8')}\n{HOST.format(up)}",
                          format="html")]


def setup(app):
    app.add_directive("four-charts", FourCharts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
