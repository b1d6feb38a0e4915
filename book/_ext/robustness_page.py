"""Write the page "How sure is this book?" and the marks at the claims from the results
of `make luck`.

    ```{seed-robustness} summary
    ```

Parts: summary, chapters (a table), weak (the statements below 19 of 20), one-draw, run.
The mark at a claim is put in when a page is written, so that a chapter's remembered output does not
depend on it; a chapter that has changed since it was run gets none.
"""

import re
from itertools import groupby
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from robustness_results import FOLDER, current_results, general, marks, share, short_hash, weak
from sphinx.util.docutils import SphinxDirective

PAGE = "book/sure"
BADGE = re.compile(r'(<div class="fi-claim"[^>]* data-claim="([^"]+)".*?)(</div></div>)', re.DOTALL)
HEAD = ("| chapter | statements | on numbers that vary | about one draw | held | below 19 of 20 |",
        "|:--|--:|--:|--:|--:|--:|")


def chapters(env):
    """Return the pages of the book that are chapters."""
    return [page for page in sorted(env.found_docs) if page.startswith("notebooks/")]


# --- the page's parts, as lines of Markdown ---

def percent(value):
    """A share as the page prints it: 100 % only if it is.

    >>> percent(1.0), percent(0.9996), percent(0.934), percent(None)
    ('100\\xa0%', '99.9\\xa0%', '93.4\\xa0%', 'nothing to count')
    """
    if value is None:
        return "nothing to count"
    return "100\xa0%" if value == 1 else f"{min(value * 100, 99.9):.1f}\xa0%"


def summary(found, pages):
    """Summarise the whole book in a paragraph."""
    counted = [(one, result["draws"]) for result in found for one in general(result)]
    if not counted:
        return ["No chapter has a result yet: `make luck` makes them."]
    held, asked = sum(one["held"] for one, _ in counted), sum(n for _, n in counted)
    always = sum(one["held"] == n for one, n in counted)
    below, draws = sum(len(weak(result)) for result in found), min(one["draws"] for one in found)
    return [f"**{percent(held / asked)}** of {asked:,} answers were yes: {len(counted)} statements "
            f"from {len(found)} of {len(pages)} notebooks, {draws} draws each. "
            f"{always} statements held in every draw, {below} in fewer than 19 of 20."]


def chapter_table(found, pages):
    """Return one row a chapter; a chapter without a current result says so."""
    known = {result["chapter"]: result for result in found}
    return [*HEAD, *(chapter_row(page, known.get(Path(page).name)) for page in pages)]


def chapter_row(page, result):
    link = f"[](../{page}.ipynb)"
    if result is None:
        return f"| {link} | not run since it changed | | | | |"
    counted = general(result)
    return (f"| {link} | {len(counted)} | {sum(one['varies'] for one in counted)} | "
            f"{len(result['statements']) - len(counted)} | {percent(share(result))} | "
            f"{len(weak(result)) or 'none'} |")


def listed(found, pick, nothing):
    """List the statements that `pick` finds, under the names of their chapters."""
    lines = []
    for result in found:
        chosen = pick(result)
        if chosen:
            lines += ["", f"**[](../notebooks/{result['chapter']}.ipynb)**", ""]
            lines += [statement_line(one, result["draws"]) for one in chosen]
    return lines or [nothing]


def statement_line(one, draws):
    """- **14 of 20**: `a > b`; draw 3: `(1, 2)`"""
    source = one["source"].removeprefix("assert ")
    words = f"claim {one['claim']}" if one["claim"] else code(source)
    draw, _, why = (one["lost"] or [""])[0].partition(": ")
    met = why.removeprefix(source).strip() or "false"  # the numbers alone, if it is not a part
    return f"- **{one['held']} of {draws}**: {words}" + (f"; {draw}: {code(met)}" if why else "")


def code(text):
    """Format text as inline code, also if it contains backticks."""
    text = " ".join(text.split())
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def one_seed(result):
    return [one for one in result["statements"] if one["one draw"]]


def what_was_run(found, pages):
    """List the versions of the package and the libraries, each with the chapters that used it."""
    def state(result):
        package, names = result["package"], result["versions"].items()
        return (f"fi_teach {package['version']} (state {package['hash']}), "
                + ", ".join(f"{name} {number}" for name, number in names))

    groups = groupby(sorted(found, key=state), key=state)
    lines = [f"- {words}: {', '.join(number(result) for result in some)}" for words, some in groups]
    seconds = sum(result["seconds"] * (result["draws"] + 1) for result in found)
    time = f"One after the other the runs took {round(seconds / 60)} minutes of one processor."
    return [*lines, "", time]


def number(result):
    """03_mdi -> 3, 12a_genes -> 12a."""
    return result["chapter"].partition("_")[0].removeprefix("0")


PARTS = {
    "summary": summary,
    "chapters": chapter_table,
    "weak": lambda found, pages: listed(found, weak, "None."),
    "one-draw": lambda found, pages: listed(found, one_seed, "None."),
    "run": what_was_run,
}


class SeedRobustness(SphinxDirective):
    """`{seed-robustness} part`."""

    required_arguments = 1

    def run(self):
        part, pages = self.arguments[0], chapters(self.env)
        for page in pages:
            self.env.note_dependency(self.env.doc2path(page, base=False))
        lines = PARTS[part](current_results(self.env.srcdir), pages)
        parsed = nodes.container(classes=["wide"] if part == "chapters" else [])
        self.state.nested_parse(StringList(lines, source=FOLDER), self.content_offset, parsed)
        return [parsed]


# --- the marks, and what must be written again ---

def mark_claims(app, doctree, page):
    """Put the mark into each badge of a page."""
    badges = [raw for raw in doctree.findall(nodes.raw) if 'class="fi-claim"' in raw.astext()]
    if not badges or PAGE not in app.env.found_docs:
        return
    known, address = marks(app.srcdir), app.builder.get_relative_uri(page, PAGE)
    for raw in badges:
        html = BADGE.sub(lambda badge: marked(badge, known, address), raw.astext())
        raw.rawsource, raw[:] = html, [nodes.Text(html)]


def marked(badge, known, address):
    """Return a badge with its mark, or unchanged if it has none."""
    words = known.get(badge[2])
    return badge[0] if words is None else \
        f'{badge[1]}</div><div class="fi-robustness"><a href="{address}">{words}</a>{badge[3]}'


def state_of(root, page):
    """Hash the result that a page's marks come from; for the page of all results, hash them all."""
    name = "*" if page == PAGE else Path(page).name
    paths = sorted((Path(root) / FOLDER).glob(f"{name}.json"))
    return short_hash(path.read_bytes() for path in paths)


def renewed(app, env):
    """Return the pages whose result has changed since they were written; store the new hashes."""
    pages = [page for page in (PAGE, *chapters(env)) if page in env.found_docs]
    now = {page: state_of(app.srcdir, page) for page in pages}
    before, env.fi_robustness = getattr(env, "fi_robustness", {}), now
    return [page for page in now if now[page] != before.get(page)]


def outdated(app, env, added, changed, removed):
    """The page of all results is read again if any of them changed."""
    changed_now = state_of(app.srcdir, PAGE) != getattr(env, "fi_robustness", {}).get(PAGE)
    return [PAGE] if changed_now and PAGE in env.found_docs else []


def setup(app):
    app.add_directive("seed-robustness", SeedRobustness)
    app.connect("env-get-outdated", outdated)
    app.connect("env-updated", renewed)
    app.connect("doctree-resolved", mark_claims)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
