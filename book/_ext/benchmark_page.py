"""The benchmark page, from the JSON that `make bench` wrote:
every figure, verdict and exponent on it was measured.

    ```{benchmark} summary
    ```

Parts: picture (what was asked for, before and now), asked (the same as a table),
better (where the other library is quicker), summary (goals in numbers), goals (a table a method),
missed (each missed goal with its reason), growth (log-log plots and fitted exponents), machine.
Reasons are in benchmarks/reasons.yaml; one is printed only while its goal is missed.
"""

import base64
import json
import sys
import textwrap
from itertools import groupby
from pathlib import Path

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.verdict import exponent, goals, missed

BUILDING = "Clean build of the book"
RESULTS, REASONS, BUILD = ("benchmarks/results.json", "benchmarks/reasons.yaml",
                           "benchmarks/build.json")
ASKED_HEAD = ("| work | against | it was | now | goal | verdict |", "|:--|:--|--:|--:|--:|:--|")
NO_REASON = "We do not know the reason yet."
GOAL_HEAD = (
    "| setting | against | their time / ours | goal | our time | largest difference | our "
    "memory |", "|:--|:--|--:|:--|--:|:--|--:|")
GROWTH_HEAD = ("| what is timed | by whom | over which sizes | exponent | exponent at the end |",
               "|:--|:--|:--|--:|--:|")


def short(value):
    """Format a number: two digits below a hundred, whole above.

    >>> short(0.1234), short(3.14159), short(25.4), short(1234.5)
    ('0.12', '3.1', '25', '1,234')
    """
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def seconds(value):
    """Format a time with its unit.

    >>> seconds(0.01234), seconds(2.5)
    ('12\\xa0ms', '2.5\\xa0s')
    """
    return f"{short(value * 1000)}\xa0ms" if value < 1 else f"{short(value)}\xa0s"


def count(number, one, many):
    """'1 goal', '2 goals', 'no goals'."""
    return f"{number or 'no'} {one if number == 1 else many}"


# --- what was asked for ---

def asked_rows(results):
    """The measured rows that the picture and the first table show."""
    return [row for row in results["rows"] if row.get("work") and "ratio" in row]


def asked(results, build=None):
    """The table that the picture draws, and below it how long the book takes to build, if
    that was timed."""
    lines = [f"| {row['method']}: {row['work']} | {row['against']} | {short(row['before'])} | "
             f"**{short(row['ratio'])}** "
             f"({short(row['lowest'])} to {short(row['highest'])}) | {short(row['must'])}, "
             f"then {short(row['aim'])} | {verdict(row)} |"
             for row in asked_rows(results) if row["must"] is not None]
    if build:
        lines.append(f"| clean build of {build['chapters']} chapters | the clock | "
                     f"{build['before']:.0f}\xa0s | **{build['seconds']:.0f}\xa0s** | "
                     f"{build['must']:.0f}\xa0s | "
                     f"{'met' if build['seconds'] <= build['must'] else 'missed'} |")
    return [*ASKED_HEAD, *lines]


def verdict(row):
    """Return the verdict on the goal for the ratio."""
    words = goals(row)[0][1]
    return "met, and the second step" if words.endswith("aim") else words


def better(results):
    """Where the other side was quicker in this run, a line each."""
    lines = [f"- {row['method']}, {row['setting']}: "
             f"**{row['against']}** takes {short(row['ratio'])} of our time."
             for row in results["rows"] if row.get("ratio", 1) < 1]
    return lines or ["Nowhere in this run."]


def draw_asked(results):
    """A line for each work: the ratio before (hollow), now (filled) and the goal (a stroke),
    against 1 -> axes.

    On phones the words stand above their lines: beside them they would be too small to read.
    """
    from fi_teach.plots.phone import WIDTH, on_phones

    ax = draw_ratios(results, 7, 0.4, beside=True)
    on_phones(ax.figure, lambda: draw_ratios(results, WIDTH, 0.66, beside=False).figure)
    return ax


def draw_ratios(results, width, height, beside):
    """The picture so many inches wide, each line so many high; its words beside or above it."""
    from fi_teach.plots import INK, PALETTE, PAPER, describe, new_axes

    rows = [row for row in asked_rows(results) if row["must"] is not None][::-1]
    ax = new_axes(width, 0.9 + height * len(rows))
    ax.axvline(1, color=INK, lw=1, zorder=0.5)
    for k, row in enumerate(rows):
        now = PALETTE[0] if row["ratio"] >= 1 else PALETTE[1]
        ax.plot([row["before"], row["ratio"]], [k, k], color=now, lw=2, zorder=1)
        ax.plot(row["before"], k, "o", ms=7, mec=now, mfc=PAPER, label="before" if k == 0 else None)
        ax.plot(row["ratio"], k, "o" if row["ratio"] >= 1 else "s", ms=8, color=now,
                label="now" if k == 0 else None)
        ax.plot(row["must"], k, "|", ms=13, mew=2, color=INK, label="goal" if k == 0 else None)
    ax.set(xscale="log", xlabel="their time / ours: to the right of 1 we are faster",
           ylim=(-0.7, len(rows) - 0.3))
    names = [f"{row['method'].removeprefix('TreeSHAP, ')}: {row['work']}" for row in rows]
    peers = [f"against {row['against'].split(',')[0]}" for row in rows]
    if beside:
        ax.set_yticks(range(len(rows)),
                      [f"{name}\n{peer}" for name, peer in zip(names, peers, strict=True)],
                      fontsize=9)
    else:
        ax.set_yticks([])
        for k, words in enumerate(f"{name}, {peer}"
                                  for name, peer in zip(names, peers, strict=True)):
            ax.text(0.01, k + 0.2, wrapped(words), transform=ax.get_yaxis_transform(), va="bottom",
                    fontsize=9, color=INK,
                    bbox={"fc": PAPER, "lw": 0, "pad": 1}, zorder=0.9)
    ax.set_xticks([0.01, 0.1, 1, 10, 100], ["0.01", "0.1", "1", "10", "100"])
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=3, frameon=False, fontsize=9)
    said = "; ".join(f"{row['method']}, {row['work']}: "
                     f"{short(row['before'])} before, {short(row['ratio'])} now, "
                     f"goal {short(row['must'])}" for row in rows[::-1])
    return describe(ax, "Their time divided by ours, on a logarithmic axis, before and now, "
                        f"with the goal. {said}.")


def wrapped(words):
    """In lines as long as a phone's picture is wide."""
    return textwrap.fill(words, 54)


# --- the goals ---

def verdicts(rows):
    """All verdicts of the measured rows."""
    return [verdict for row in rows if "ratio" in row for _, verdict in goals(row)]


def summary(results):
    """How many goals are met, in one paragraph."""
    found = verdicts(results["rows"])
    absent = sum("why" in row for row in results["rows"])
    met, aims, lost = (sum(test(v) for v in found)
                       for test in (lambda v: v.startswith("met"), lambda v: v.endswith("aim"),
                                    lambda v: "missed" in v))
    words = (f"Of {count(len(found), 'goal', 'goals')}, {met} {'is' if met == 1 else 'are'} met, "
             f"and at {aims} of them the aim as well; "
             f"{lost or 'none'} {'is' if lost < 2 else 'are'} missed.")
    return [words + (f" {count(absent, 'comparison', 'comparisons').capitalize()} could not be "
                     "made; the table says why." if absent else "")]


def table(results):
    """One table a method."""
    lines = []
    for method, rows in groupby(sorted(results["rows"], key=lambda row: method_order(results, row)),
                                key=lambda row: row["method"]):
        lines += ["", f"**{method}**", "", *GOAL_HEAD, *map(line, rows)]
    return lines


def method_order(results, row):
    """Methods in the order in which they were first measured."""
    return [other["method"] for other in results["rows"]].index(row["method"])


def line(row):
    """A row of the page's table."""
    if "why" in row:
        return (f"| {row['setting']} | {row['against']} | not measured: "
                f"{row['why'].replace('|', ' ')} | | | | |")
    goal = "; ".join(f"{words}: **{verdict}**" for words, verdict in goals(row)) or "none set"
    ratio = f"**{short(row['ratio'])}** ({short(row['lowest'])} to {short(row['highest'])})"
    if row.get("before") is not None:
        goal += f" (it was {short(row['before'])})"
    return (f"| {row['setting']} | {row['against']} | {ratio} | {goal} | "
            f"{seconds(row['ours (s)'])} | {difference(row)} | "
            f"{short(row['peak (MB)'])}\xa0MB |")


def difference(row):
    """What was compared with the result, and how far apart the two are."""
    found = [f"{row[key]:.0e} from {whom}"
             for key, whom in (("difference", "the peer"), ("from definition", "the definition"))
             if row.get(key) is not None]
    return ", ".join(found) or "random, or ties: not comparable"


def reasons_for(results, reasons, build=None):
    """A line for each missed goal: what was missed by how much, and why."""
    lines = [f"- **{name_of(row)}**: {'; '.join(lost(row))}. {reason(name_of(row), reasons)}"
             for row in results["rows"] if missed(row)]
    if build and build["seconds"] > build["must"]:
        lines.append(f"- **{BUILDING}**: at most {build['must']}\xa0s, "
                     f"measured {build['seconds']:.0f}\xa0s on {build['cores']} cores. "
                     f"{reason(BUILDING, reasons)}")
    return lines or ["No goal is missed."]


def lost(row):
    """The missed goals of a row, each with the figure that was measured."""
    found = []
    for words, verdict in goals(row):
        if verdict.startswith("missed"):
            figure = (short(row["ratio"]) if words.startswith(("at least", "aim"))
                      else seconds(row["ours (s)"]) if "time" in words
                      else f"{short(row['peak (MB)'])}\xa0MB")
            found.append(f"{words}, measured {figure}"
                         + ", which is within the spread of the repeats" * verdict.endswith(
                             "spread"))
    return found


def name_of(row):
    """What a missed goal is called."""
    return f"{row['method']}, {row['setting']}, against {row['against']}"


def reason(name, reasons):
    """The first reviewed reason whose words all occur in the name."""
    return next((r["reason"].strip() for r in reasons if all(word in name for word in r["about"])),
                NO_REASON)


# --- growth ---

def draw(growth):
    """The log-log plot of one growth, with its sentence -> axes."""
    from fi_teach.plots import INK, MARKERS, PALETTE, PAPER, describe, new_axes

    ax = new_axes(4.7, 3.2)  # as wide as a phone: one picture for all
    slowest = max(one["points"][-1]["seconds"] for one in growth["lines"])
    for k, one in enumerate(growth["lines"]):
        points = one["points"]
        x, y = ([point[name] for point in points] for name in ("size", "seconds"))
        ax.plot(x, y, color=PALETTE[k], ls=("-", "--")[k], lw=2)
        for point in points:
            ax.plot(point["size"], point["seconds"], marker=MARKERS[k], ms=7, mec=PALETTE[k],
                    mfc=PALETTE[k] if point["part"] == 1 else PAPER)
        # lines may end together; their names must not
        side = "bottom" if y[-1] == slowest else "top"
        ax.annotate(one["name"], (x[-1], y[-1]), xytext=(9, 0), textcoords="offset points", va=side,
                    color=INK)
    ax.set(xscale="log", yscale="log", xlabel=growth["variable"], ylabel="seconds")
    ax.set_title(f"{growth['title']}:\n{growth['setting']}", loc="left", fontsize=11)
    return describe(ax, in_words(growth))


def in_words(growth):
    """What the plot shows, from the data."""
    said = []
    for one in growth["lines"]:
        first, last = one["points"][0], one["points"][-1]
        part = [point["size"] for point in one["points"] if point["part"] < 1]
        said.append(f"{one['name']} {seconds(first['seconds'])} at {first['size']:,} and "
                    f"{seconds(last['seconds'])} at {last['size']:,}"
                    + (f" (hollow from {part[0]:,}: computed from a part)" if part else ""))
    return (f"Log-log plot of seconds against {growth['variable']}, {growth['title']}, "
            f"{growth['setting']}: {'; '.join(said)}.")


def picture(axes):
    """A plot as an image node that carries its words."""
    import matplotlib.pyplot as plt

    from fi_teach.plots.alt_text import alt_text, render
    from fi_teach.plots.phone import on_a_phone

    def drawn(figure):
        return f"data:image/svg+xml;base64,{base64.b64encode(render(figure, 'svg')).decode()}"

    figure = axes.figure
    image = nodes.image(uri=drawn(figure), alt=alt_text(figure))
    for_phones = on_a_phone(figure, drawn)
    if for_phones is not None:
        image += nodes.image(uri=for_phones, alt="", classes=["fi-phone"])
    plt.close("all")
    # as a chapter's figures: in the dark they are shown as a negative
    box = nodes.container(classes=["cell_output"])
    box += image
    return box


def exponents(results):
    """Return the table of fitted exponents."""
    return [*GROWTH_HEAD,
            *(growth_line(growth, one) for growth in results["scaling"] for one in growth["lines"])]


def growth_line(growth, one):
    """One line's exponent, over all sizes that were measured whole and between the two largest
    of them."""
    whole = [point for point in one["points"] if point["part"] == 1]
    fitted, at_end = (f"{value:.2f}" if (value := exponent(points)) is not None else "too few"
                      for points in (whole, whole[-2:]))
    return (f"| {growth['title']} | {one['name']} | {whole[0]['size']:,} to {whole[-1]['size']:,} "
            f"{growth['variable']} | {fitted} | {at_end} |")


def machine(results):
    """The machine and the versions; the first table may have been measured later than the rest."""
    if "asked" not in results:
        return run_of(results)
    return ["The first table and its picture:", "", *run_of(results["asked"]), "",
            "Everything else:", "", *run_of(results)]


def run_of(results):
    """When, where and with what a run was made."""
    told = results["machine"]
    load = ("" if told.get("load") is None else " The machine's load average at the end of the "
                                                f"run was {told['load']:.1f}; "
                                                "1 is this benchmark alone.")
    words = (f"{told['processor']}, {told['cores']} cores of which one was used, {told['system']}, "
             f"Python {told['python']}. Measured on {told['date']}, "
             f"in {results['minutes']:g} minutes.")
    return [words + load, "", "| package | version |", "|:--|:--|",
            *(f"| {name} | {number} |" for name, number in told["versions"].items())]


# --- the directive ---

class Benchmark(SphinxDirective):
    """`{benchmark} part`."""

    required_arguments = 1

    def run(self):
        results, reasons = json.loads(self.read(RESULTS)), yaml.safe_load(self.read(REASONS))
        part = self.arguments[0]
        if part == "growth":
            return [*(picture(draw(growth)) for growth in results["scaling"]),
                    self.parsed(exponents(results))]
        if part == "picture":
            return [picture(draw_asked(results))] if asked_rows(results) else []
        lines = {"summary": lambda: summary(results), "goals": lambda: table(results),
                 "machine": lambda: machine(results),
                 "asked": lambda: asked(results, self.build_time()),
                 "better": lambda: better(results),
                 "missed": lambda: reasons_for(results, reasons, self.build_time())}[part]()
        return [self.parsed(lines)]

    def build_time(self):
        """What `make bench-book` wrote, or None."""
        return json.loads(self.read(BUILD)) if (Path(self.env.srcdir) / BUILD).exists() else None

    def read(self, name):
        path = Path(self.env.srcdir) / name
        self.env.note_dependency(str(path))
        return path.read_text(encoding="utf-8")

    def parsed(self, lines):
        """Markdown lines as nodes, each table in a frame that scrolls where it is too narrow."""
        parsed = nodes.container()
        self.state.nested_parse(StringList(lines, source=RESULTS), self.content_offset, parsed)
        for table in list(parsed.findall(nodes.table)):
            table.replace_self(nodes.container("", table.deepcopy(),
                                               classes=["wide", "fi-benchmark"]))
        return parsed


def setup(app):
    app.add_directive("benchmark", Benchmark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
