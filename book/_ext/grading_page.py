"""Show the grader's speed in the guide for instructors, as `make bench-grade` measured it.

    ```{grading-speed}
    ```
"""

import json
from datetime import date
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

RESULTS = "benchmarks/grading.json"
SPEED_HEAD = ("| what grades | submissions | a minute |", "|:--|--:|--:|")
MEMORY_HEAD = ("| submissions done | held by all processes | with shared pages counted in each |",
               "|--:|--:|--:|")
NAMES = {"bwrap": "`fi-teach grade`, with the sandbox", "none": "`fi-teach grade --sandbox none`"}


def speed(results):
    """The table of submissions a minute -> lines."""
    rows = [(NAMES[run["sandbox"]], run["submissions"], f"{run['rate']:,}")
            for run in results["runs"]]
    rows.append(("nbgrader's `autograde`", results["nbgrader"]["submissions"],
                 f"{results['nbgrader']['rate']:g}"))
    return [*SPEED_HEAD, *(f"| {name} | {many:,} | {rate} |" for name, many, rate in rows)]


def memory(results):
    """The table of the memory of the longest run -> lines."""
    longest = max(results["runs"], key=lambda run: run["submissions"])
    return [*MEMORY_HEAD, *(f"| {row['submissions']:,} | {row['own']} MB | {row['rss']} MB |"
                            for row in longest["memory"])]


def where_and_when(results):
    """A sentence on the date, the machine and nbgrader's points -> str."""
    machine, theirs = results["machine"], results["nbgrader"]
    day = date.fromisoformat(machine["date"])
    return (f"Measured on {day.day} {day:%B %Y} with {results['jobs']} graders at once on "
            f"{machine['processors']} processors ({machine['processor']}; load "
            f"{machine['load']:g} at the start), Python {machine['python']}, {machine['system']}; "
            f"a submission has ten cells and {results['points']} points. "
            "nbgrader, on the same files, "
            f"gave {theirs['alike']} of {theirs['submissions']} the same points.")


class GradingSpeed(SphinxDirective):
    """`{grading-speed}`: submissions a minute, memory, and where and when that was measured."""

    def run(self):
        path = Path(self.env.srcdir) / RESULTS
        self.env.note_dependency(str(path))
        results = json.loads(path.read_text(encoding="utf-8"))
        container = nodes.container(classes=["fi-grading-speed"])
        lines = [*speed(results), "", where_and_when(results), "",
                 "The memory of the longest run, at its highest until then:", "", *memory(results)]
        self.state.nested_parse(StringList(lines, source=RESULTS), self.content_offset, container)
        return [container]


def setup(app):
    app.add_directive("grading-speed", GradingSpeed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
