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
FEW = 9  # values of a feature; more leave many places to split
MOSTLY = 9  # of ten splits: less often, two measures do not differ


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


def first(k):
    """'1st', '2nd', '11th'."""
    ending = "th" if k in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(k % 10, "th")
    return f"{k}{ending}"


def why(rank, in_each, n_values):
    """One sentence or two on a feature: where two measures differ most about it, and why.

    rank : measure -> rank; in_each (splits, measures); n_values : how many values the feature has
    """
    high, low = rank.idxmin(), rank.idxmax()
    if high == low:
        return f"{first(rank[high])} by every measure."
    above = in_each[:, rank.index.get_loc(high)] < in_each[:, rank.index.get_loc(low)]
    if above.sum() < MOSTLY:
        return (f"{first(rank.min())} to {first(rank.max())}. Even the two measures that are "
                f"furthest apart keep that order in only {above.sum()} of {len(in_each)} splits: "
                "they agree as far as we can tell.")
    told = (f"{first(rank[high])} by {high}, only {first(rank[low])} by {low}, "
            f"and lower there in {above.sum()} of {len(in_each)} splits. ")
    if high == "MDI" and n_values > FEW:
        return told + (f"Its {n_values:,} values leave {n_values - 1:,} places to split, and MDI "
                       "also counts what a lucky split gains on the rows that chose it.")
    if low == "MDI" and n_values <= FEW:
        return told + (f"With {n_values} values a path can split on it at most "
                       f"{times(n_values - 1)}; MDI favours columns that can be split again and "
                       "again.")
    return told + f"The first asks: {MEASURES[high]} The second: {MEASURES[low]}"


def times(k):
    return "once" if k == 1 else f"{k} times"


def told_first(rank):
    """The feature that stands first for one measure and furthest down for another."""
    return (rank.max(axis=1) - rank.min(axis=1))[rank.min(axis=1) == 1].idxmax()


def feature(j, name, X, meaning, rank, in_each):
    """What the picture (ranks.html) shows of the feature in place j -> dict."""
    from fi_teach.plots.colours import HUES, hues_of

    ranks, spans = rank.loc[name], (in_each[:, j].min(axis=0), in_each[:, j].max(axis=0))
    return {"name": name, "meaning": meaning, "chosen": name == told_first(rank),
            "hue": ",".join(HUES[hues_of(rank.index)[name]]), "path": path(ranks),
            "marks": list(zip(ranks, *spans, strict=True)),
            "said": why(ranks, in_each[:, j], X[name].nunique())}


def path(rank):
    """A feature's way from measure to measure."""
    x, y = range(len(rank)), rank.to_numpy() - 0.5
    bends = (f"C{k + 0.5} {y[k]} {k + 0.5} {y[k + 1]} {k + 1} {y[k + 1]}" for k in x[:-1])
    return f"M0 {y[0]}{''.join(bends)}"


def table(rank, in_each):
    """The ranks with the lowest and the highest of the splits, as HTML."""
    cells = rank.astype(str) + " (" + in_each.min(axis=0).astype(str) + "–" + in_each.max(
        axis=0).astype(str) + ")"
    shown = cells.loc[rank.mean(axis=1).sort_values().index].rename_axis("column").reset_index()
    return shown.to_html(index=False, border=0, classes="table")


def page_part():
    """Compute and draw everything -> HTML."""
    from fi_course.tables import mortgages

    data = mortgages()
    rank, in_each = ranks_of([importances(*data, seed) for seed in range(SPLITS)])
    features = [feature(j, name, data.X, re.split("[:,]", data.units[name])[0], rank, in_each)
                for j, name in enumerate(rank.index)]
    template = Environment(autoescape=True).from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(features=features, rank=rank, measures=MEASURES,
                           table=table(rank, in_each))


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
