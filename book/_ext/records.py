"""Tables of what was measured, out of the JSON that wrote it down: benchmark, conformity, the
grader's speed, and how long the packages are. No figure on these pages is typed.

    ```{benchmark} summary
    ```

and likewise `{conformity}` and `{conformity} models` (from two tests), `{grading-speed}` (from
`make bench-grade`) and `{sizes}`. Parts of the benchmark (from `make bench`): asked (what was asked
for, before and now), better (where the other library is quicker), summary (goals in numbers), goals
(a table a method), missed (each missed goal with its reason from benchmarks/reasons.yaml),
growth (fitted exponents), machine.
"""

import ast
import json
import sys
from datetime import date
from itertools import groupby
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.verdict import exponent, goals, missed  # noqa: E402 - lies in the project's root

CONFORMITY, GRADING = "book/conformity.json", "benchmarks/grading.json"
BENCHMARK, REASONS = "benchmarks/results.json", "benchmarks/reasons.yaml"
NO_REASON = "We do not know the reason yet."
PACKAGES = ("fi_teach", "fi_audit", "fi_course", "fi_grader")


def table(head, rows):
    """A Markdown table -> lines.

    head : the names of the columns, those of numbers with a colon behind

    >>> table(("what", "seconds:"), [("it", 3)])
    ['| what | seconds |', '|:--|--:|', '| it | 3 |']
    """
    rules = "|".join("--:" if name.endswith(":") else ":--" for name in head)
    return [f"| {' | '.join(name.removesuffix(':') for name in head)} |", f"|{rules}|",
            *(f"| {' | '.join(map(str, row))} |" for row in rows)]


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


# --- conformity ---


def conformity_row(row):
    """A pair of methods, with the unit where it is not that of the values themselves."""
    theirs = row["packages"][0] if row["packages"] else "fi_teach"
    unit = "" if row["unit"] == "absolute" else f" {row['unit']}"
    return (row["method"], f"{theirs}, {row['reference']}",
            ", ".join(row["versions"]) if row["packages"] else "this one",
            f"{row['difference']:.1e}",
            f"{row['tolerance']:.3g}{unit}" if row["tolerance"] else "exactly equal")


def model_row(row):
    """A fitted model: the largest difference, or the sentence that refuses."""
    said = f"refused: {row['refused']}" if "refused" in row else f"equal, {row['difference']:.1e}"
    return f"{row['library']} {row['version']}", row["configuration"], said


CONFORMITY_TABLES = {
    "rows": (("ours", "held against", "version", "largest difference:", "tolerance:"),
             conformity_row),
    "models": (("library", "fitted model", "from_model"), model_row),
}


def conformity(results, part="rows"):
    head, row = CONFORMITY_TABLES[part]
    return table(head, map(row, results[part]))


# --- the grader ---

GRADERS = {"bwrap": "`fi-teach grade`"}


def speed(results):
    """The table of submissions a minute -> lines."""
    theirs = results["nbgrader"]
    ours = [(GRADERS[run["sandbox"]], f"{run['submissions']:,}", f"{run['rate']:,}")
            for run in results["runs"]]
    return table(("what grades", "submissions:", "a minute:"),
                 [*ours, ("nbgrader's `autograde`", f"{theirs['submissions']:,}",
                          f"{theirs['rate']:g}")])


def memory(results):
    """The table of the memory of the longest run -> lines."""
    longest = max(results["runs"], key=lambda run: run["submissions"])
    head = ("submissions done:", "held by all processes:", "with shared pages counted in each:")
    return table(head, [(f"{row['submissions']:,}", f"{row['own']} MB", f"{row['rss']} MB")
                        for row in longest["memory"]])


def where_and_when(results):
    """A sentence on the date, the machine and nbgrader's points -> str."""
    machine, theirs = results["machine"], results["nbgrader"]
    day = date.fromisoformat(machine["date"])
    return (f"Measured on {day.day} {day:%B %Y} with {results['jobs']} graders at once on "
            f"{machine['processors']} processors ({machine['processor']}; load "
            f"{machine['load']:g} at the start), Python {machine['python']}, {machine['system']}; "
            f"a submission has ten cells and {results['points']} points. "
            f"nbgrader, on the same files, gave {theirs['alike']} of {theirs['submissions']} "
            "the same points.")


def grading(results):
    return [*speed(results), "", where_and_when(results), "",
            "The memory of the longest run, at its highest until then:", "", *memory(results)]


# --- the packages ---


def lines_of_code(source):
    """How many lines of a module hold code: neither blank, nor comment, nor docstring -> int."""
    docstrings = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr)
                  and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)]
    spoken = {k for node in docstrings for k in range(node.lineno, node.end_lineno + 1)}
    return sum(1 for k, line in enumerate(source.splitlines(), 1)
               if line.strip() and not line.strip().startswith("#") and k not in spoken)


def sizes():
    """The table of the packages and their lines of code -> lines."""
    def size(package):
        return sum(lines_of_code(path.read_text(encoding="utf-8"))
                   for path in (ROOT / package).rglob("*.py"))

    return table(("package", "lines:"), [(f"`{name}`", f"{size(name):,}") for name in PACKAGES])


# --- the benchmark ---


def asked(results):
    """What was asked for, before and now -> lines."""
    head = ("work", "against", "it was:", "now:", "goal:", "verdict")
    rows = [row for row in results["rows"] if row.get("work") and "ratio" in row]
    return table(head, [
        (f"{row['method']}: {row['work']}", row["against"], short(row["before"]),
         f"**{short(row['ratio'])}** ({short(row['lowest'])} to {short(row['highest'])})",
         f"{short(row['must'])}, then {short(row['aim'])}", second_step(goals(row)[0][1]))
        for row in rows if row["must"] is not None])


def second_step(verdict):
    """The verdict in the words of the first table."""
    return "met, and the second step" if verdict.endswith("aim") else verdict


def better(results):
    """Where the other side was quicker in this run, a line each."""
    lines = [f"- {row['method']}, {row['setting']}: "
             f"**{row['against']}** takes {short(row['ratio'])} of our time."
             for row in results["rows"] if row.get("ratio", 1) < 1]
    return lines or ["Nowhere in this run."]


def summary(results):
    """How many goals are met, in one paragraph."""
    found = [verdict for row in results["rows"] if "ratio" in row for _, verdict in goals(row)]
    absent = sum("why" in row for row in results["rows"])
    met = sum(verdict.startswith("met") for verdict in found)
    aims = sum(verdict.endswith("aim") for verdict in found)
    lost = sum("missed" in verdict for verdict in found)
    words = (f"Of {count(len(found), 'goal', 'goals')}, {met} {'is' if met == 1 else 'are'} met, "
             f"and at {aims} of them the aim as well; "
             f"{lost or 'none'} {'is' if lost < 2 else 'are'} missed.")
    return [words + (f" {count(absent, 'comparison', 'comparisons').capitalize()} could not be "
                     "made; the table says why." if absent else "")]


def count(number, one, many):
    """'1 goal', '2 goals', 'no goals'."""
    return f"{number or 'no'} {one if number == 1 else many}"


def all_goals(results):
    """One table a method, in the order in which the results have the methods."""
    order = {}
    for row in results["rows"]:
        order.setdefault(row["method"], len(order))
    rows = sorted(results["rows"], key=lambda row: order[row["method"]])
    head = ("setting", "against", "their time / ours:", "goal", "our time:", "largest difference:",
            "our memory:")
    return [line for method, some in groupby(rows, key=lambda row: row["method"])
            for line in ("", f"**{method}**", "", *table(head, map(goal_row, some)))]


def goal_row(row):
    """Ratio with its spread, goal with its verdict, time, difference and memory."""
    if "why" in row:
        return (row["setting"], row["against"], f"not measured: {row['why'].replace('|', ' ')}",
                "", "", "", "")
    goal = "; ".join(f"{words}: **{verdict}**" for words, verdict in goals(row)) or "none set"
    if row.get("before") is not None:
        goal += f" (it was {short(row['before'])})"
    apart = [f"{row[key]:.0e} from {whom}"
             for key, whom in (("difference", "the peer"), ("from definition", "the definition"))
             if row.get(key) is not None]
    return (row["setting"], row["against"],
            f"**{short(row['ratio'])}** ({short(row['lowest'])} to {short(row['highest'])})", goal,
            seconds(row["ours (s)"]), ", ".join(apart) or "random, or ties: not comparable",
            f"{short(row['peak (MB)'])}\xa0MB")


def reasons_for(results, reasons):
    """A line for each missed goal: what was missed by how much, and why."""
    lines = [f"- **{name_of(row)}**: {'; '.join(lost(row))}. {reason(name_of(row), reasons)}"
             for row in results["rows"] if missed(row)]
    return lines or ["No goal is missed."]


def lost(row):
    """The missed goals of a row, each with the figure that was measured."""
    found = []
    for words, verdict in goals(row):
        if verdict.startswith("missed"):
            figure = (short(row["ratio"]) if words.startswith(("at least", "aim"))
                      else seconds(row["ours (s)"]) if "time" in words
                      else f"{short(row['peak (MB)'])}\xa0MB")
            spread = ", which is within the spread of the repeats"
            found.append(f"{words}, measured {figure}" + spread * verdict.endswith("spread"))
    return found


def name_of(row):
    """What a missed goal is called."""
    return f"{row['method']}, {row['setting']}, against {row['against']}"


def reason(name, reasons):
    """The first reviewed reason whose words all occur in the name."""
    return next((r["reason"].strip() for r in reasons if all(word in name for word in r["about"])),
                NO_REASON)


def growth(results):
    """The fitted exponents -> lines."""
    head = ("what is timed", "by whom", "over which sizes", "time:", "exponent:",
            "exponent at the end:")
    return table(head, [growth_row(growth, one) for growth in results["scaling"]
                        for one in growth["lines"]])


def growth_row(growth, one):
    """One exponent, over all sizes that were measured whole and between the two largest of them,
    with the times at both ends."""
    whole = [point for point in one["points"] if point["part"] == 1]
    fitted, at_end = (f"{value:.2f}" if (value := exponent(points)) is not None else "too few"
                      for points in (whole, whole[-2:]))
    sizes = f"{whole[0]['size']:,} to {whole[-1]['size']:,} {growth['variable']}"
    times = f"{seconds(whole[0]['seconds'])} to {seconds(whole[-1]['seconds'])}"
    return growth["title"], one["name"], sizes, times, fitted, at_end


def machine(results):
    """The machine and the versions; the first table may have been measured later than the rest."""
    if "asked" not in results:
        return run_of(results)
    return ["The first table:", "", *run_of(results["asked"]), "",
            "Everything else:", "", *run_of(results)]


def run_of(results):
    """When, where and with what a run was made."""
    told = results["machine"]
    load = ("" if told.get("load") is None else
            " The machine's load average at the end of the run was "
            f"{told['load']:.1f}; 1 is this benchmark alone.")
    words = (f"{told['processor']}, {told['cores']} cores of which one was used, {told['system']}, "
             f"Python {told['python']}. Measured on {told['date']}, "
             f"in {results['minutes']:g} minutes.")
    return [words + load, "", *table(("package", "version"), told["versions"].items())]


BENCHMARK_PARTS = {"asked": asked, "better": better, "summary": summary, "goals": all_goals,
                   "growth": growth, "machine": machine}


# --- the directives ---


class Record(SphinxDirective):
    """Lines of Markdown from a record, in a container that may have a class."""

    style = ()

    def run(self):
        return [nodes.container("", *self.parse_text_to_nodes("\n".join(self.lines())),
                                classes=list(self.style))]

    def read(self, name):
        path = Path(self.env.srcdir) / name
        self.env.note_dependency(str(path))
        read = json.loads if path.suffix == ".json" else yaml.safe_load
        return read(path.read_text(encoding="utf-8"))


class Conformity(Record):
    optional_arguments, style = 1, ("fi-conformity",)

    def lines(self):
        return conformity(self.read(CONFORMITY), *self.arguments)


class GradingSpeed(Record):
    style = ("fi-grading-speed",)

    def lines(self):
        return grading(self.read(GRADING))


class Sizes(Record):
    def lines(self):
        return sizes()


class Benchmark(Record):
    """Each table in a frame that scrolls where it is too narrow."""

    required_arguments = 1

    def lines(self):
        results, [part] = self.read(BENCHMARK), self.arguments
        if part == "missed":
            return reasons_for(results, self.read(REASONS))
        return BENCHMARK_PARTS[part](results)

    def run(self):
        [parsed] = super().run()
        for table in list(parsed.findall(nodes.table)):
            table.replace_self(nodes.container("", table.deepcopy(),
                                               classes=["wide", "fi-benchmark"]))
        return [parsed]


def setup(app):
    for name, directive in {"conformity": Conformity, "grading-speed": GradingSpeed,
                            "sizes": Sizes, "benchmark": Benchmark}.items():
        app.add_directive(name, directive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
