"""The start page: the columns of one table, ranked by four measures of one forest,

    ```{four-rankings}
    ```

and figures that chapters computed, as pictures of what they lead to:

    ```{figure-of} notebooks/04_bias ch04-022
    ```

A page of prose has no kernel to compute it, so the build does, and remembers the page's part for as
long as this file and the package stay the same (chapter_cache.py says how that is known).
Each feature is a radio and the label of its own path, so that it lights up where it is touched
with no script at all (ranks.html).
"""

import re
from html import escape

import numpy as np
import pandas as pd
from cards import cell_ids
from chapter_cache import BOOK, cache_folder, fingerprint
from docutils import nodes
from jinja2 import Environment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

logger = getLogger(__name__)

MEASURES = {"MDI": "who sorted the training rows?",
            "MDI out of bag": "and judged by other rows?",
            "SHAP": "what moves the predictions?",
            "permutation": "what would the model lose?"}
"""Measure -> the question that it answers."""
TEMPLATE = BOOK / "templates/ranks.html"
SPLITS, TRAIN, SHAP_ROWS = 10, 1600, 200  # rows


def importances(X, y, seed):
    """What the measures say of one forest, in one random split -> features x MEASURES."""
    from fi_teach.importance import debiased_mdi, mdi, permutation_importance, tree_shap
    from fi_teach.trees import grow_forest

    order = np.random.default_rng(seed).permutation(len(X))
    train, test = order[:TRAIN], order[TRAIN:]
    forest = grow_forest(X.iloc[train], y.iloc[train], n_trees=40, rng=seed)
    pushes = tree_shap(forest, X.iloc[test[:SHAP_ROWS]]).values[..., -1]
    lost = permutation_importance(forest, X.iloc[test], y.iloc[test], loss="brier", n_repeats=5,
                                  rng=seed)
    return pd.DataFrame([mdi(forest).mean, debiased_mdi(forest, X.iloc[train], y.iloc[train]).mean,
                         np.abs(pushes).mean(axis=0), lost.mean], list(MEASURES), X.columns).T


def ranks_of(tables):
    """Ranks, 1 for the most important: of the mean over the splits, and in each split ->
    (features x measures, the same for each split)."""
    in_each = np.array([table.rank(ascending=False) for table in tables]).round().astype(int)
    return sum(tables).rank(ascending=False).astype(int), in_each


def nth(k):
    """'1st', '2nd', '11th'."""
    ending = "th" if k in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(k % 10, "th")
    return f"{k}{ending}"


def told_first(rank):
    """The feature that stands first for one measure and furthest down for another."""
    return (rank.max(axis=1) - rank.min(axis=1))[rank.min(axis=1) == 1].idxmax()


def differing(rank, in_each):
    """The two measures that differ most about a feature, and in how many splits they do so
    -> (the higher, the lower, how many)."""
    high, low = rank.idxmin(), rank.idxmax()
    above = in_each[:, rank.index.get_loc(high)] < in_each[:, rank.index.get_loc(low)]
    return high, low, above.sum()


def template():
    """The picture, its table, and what is said of a feature (ranks.html)."""
    templates = Environment(autoescape=True)
    templates.filters["nth"] = nth
    return templates.from_string(TEMPLATE.read_text(encoding="utf-8"), {
        "measures": MEASURES, "splits": SPLITS})


def page_part():
    """Compute and draw everything -> HTML."""
    from fi_course.tables import mortgages
    from fi_teach.plots.colours import HUES, hues_of

    data = mortgages()
    rank, in_each = ranks_of([importances(*data, seed) for seed in range(SPLITS)])
    lows, highs, hues = in_each.min(axis=0), in_each.max(axis=0), hues_of(rank.index)
    features = [{"name": name, "meaning": re.split("[:,]", data.units[name])[0],
                 "chosen": name == told_first(rank), "hue": ",".join(HUES[hues[name]]),
                 "rank": rank.loc[name], "mean": rank.loc[name].mean(),
                 "marks": list(zip(rank.loc[name], lows[j], highs[j], strict=True)),
                 "differing": differing(rank.loc[name], in_each[:, j]),
                 "n_values": data.X[name].nunique()} for j, name in enumerate(rank.index)]
    return template().render(features=features)


class FourRankings(SphinxDirective):
    def run(self):
        folder = cache_folder(self.env.srcdir, self.env.app.outdir.parent)
        mine = fingerprint(BOOK, ["_ext/start_page.py", "templates/ranks.html"])
        kept = folder / f"rankings-{mine}.html"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(page_part(), encoding="utf-8")
        self.env.note_dependency(__file__)
        self.env.note_dependency(str(TEMPLATE))
        return [nodes.raw("", kept.read_text(encoding="utf-8"), format="html")]


class FigureOf(SphinxDirective):
    """The first figure of a chapter's cell, without its caption, as phones show it."""

    required_arguments = 2

    def run(self):
        self.env.note_dependency(__file__)
        place = FigureElsewhere(page=self.arguments[0], cell=self.arguments[1])
        self.set_source_info(place)
        return [place]


class FigureElsewhere(nodes.General, nodes.Element):
    """The place of a figure that another page computes."""


def fetch_figures(app, doctree, docname):
    """When all chapters are read, put their figures in their places."""
    for place in list(doctree.findall(FigureElsewhere)):
        page, cell = place["page"], place["cell"]
        ids = cell_ids(app.env.doc2path(page))
        drawn = {ids[part["cell_index"]]: list(part.findall(nodes.image))
                 for part in app.env.get_doctree(page).findall(nodes.container)
                 if "cell_index" in part}
        images = drawn.get(cell)
        if not images:
            logger.warning("%s has no figure in a cell %r: it has some in %s", page, cell,
                           ", ".join(name for name in drawn if drawn[name]), location=place)
            place.parent.remove(place)
            continue
        name = app.env.images[images[-1]["uri"]][1]
        words = escape(images[0]["alt"])
        html = f'<img class="fi-elsewhere" src="../_images/{name}" alt="{words}">'
        place.replace_self(nodes.raw("", html, format="html"))


def setup(app):
    app.add_directive("four-rankings", FourRankings)
    app.add_directive("figure-of", FigureOf)
    app.connect("doctree-resolved", fetch_figures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
