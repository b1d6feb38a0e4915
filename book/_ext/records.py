"""Figures out of the JSON that wrote them down, in tables that the page itself lays out: benchmark,
conformity, the grader's speed, how long the packages are. No figure on these pages is typed.

    ```{measured} book/conformity.json
    :class: wide fi-measured
    | ours | largest difference |
    |:--|--:|
    {% for row in rows %}
    | {{ row.method }} | {{ row.difference | digit }} |
    {% endfor %}
    ```

What stands inside is a Jinja template. It knows the record's own names, the whole as `record`,
further records by their files' names, and the functions and formats at the end of this file.
The role {answering}`relevant` names the measures that answer a question in chapter 13's comparison.
"""

import ast
import json
import sys
from collections import Counter
from pathlib import Path
from types import MappingProxyType

import yaml
from docutils import nodes
from docutils.parsers.rst import directives
from jinja2 import Environment
from sphinx.util.docutils import SphinxDirective, SphinxRole

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.verdict import exponent, goals, missed  # noqa: E402 - lies in the project's root

NO_REASON = "We do not know the reason yet."


def short(value):
    """Format a number: two digits below ten, whole above.

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


def ratio(row):
    """Format the median of a row's ratios, with the smallest and the largest."""
    return f"**{short(row['ratio'])}** ({short(row['lowest'])} to {short(row['highest'])})"


def verdicts(rows):
    """How many goals of the measured rows have each verdict."""
    return Counter(verdict for row in rows if "ratio" in row for _, verdict in goals(row))


def name_of(row):
    """What a missed goal is called."""
    return f"{row['method']}, {row['setting']}, against {row['against']}"


def reason(name, reasons):
    """The first reviewed reason whose words all occur in the name."""
    return next((r["reason"].strip() for r in reasons if all(word in name for word in r["about"])),
                NO_REASON)


def lines_of_code(package):
    """How many lines of a package hold code: neither blank, nor comment, nor docstring -> int."""
    n = 0
    for path in (ROOT / package).rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        spoken = {k for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr)
                  and isinstance(getattr(node.value, "value", None), str)
                  for k in range(node.lineno, node.end_lineno + 1)}
        lines = [line.strip() for line in source.splitlines()]
        n += sum(line[:1] not in ("", "#") for k, line in enumerate(lines, 1) if k not in spoken)
    return n


def compared():
    """The module `fi_course.compare`, for a page that asks; whoever imports this file needs no
    `fi_teach`, which a chapter's kernel must not find imported."""
    from fi_course import compare
    return compare


def comparison(found):
    """The words of each measure for each question, with how often it answers -> [(measure, [str])].

    found : what `fi_course.compare.verdicts` returned
    """
    def word(of):
        return (f"**answers** ({of['answers']:.0%})" if of["word"] == "answers" else "silent" if
                of["word"] == "silent" else f"misled by *{of['worst_world'].replace('_', ' ')}*")

    rows = found.set_index(["measure", "question"])
    measures, questions = compared().METHODS, compared().QUESTIONS
    return [(measure, [word(rows.loc[(measure, question)]) for question in questions])
            for measure in measures]


def answering(found, question):
    """The measures that answer a question, the one that does most often first -> str."""
    answers = found[(found["question"] == question) & (found["word"] == "answers")
                    & found["measure"].isin(list(compared().METHODS))]
    names = answers.sort_values("answers", ascending=False, kind="stable")["measure"]
    return "; ".join(names) or "none of them"


def stored_verdicts():
    return compared().verdicts(compared().stored())


TEMPLATES = Environment(trim_blocks=True, lstrip_blocks=True)
TEMPLATES.globals |= {one.__name__: one for one in (
    goals, missed, verdicts, exponent, name_of, reason, lines_of_code, comparison, stored_verdicts)}
TEMPLATES.filters |= {"short": short, "seconds": seconds, "ratio": ratio,
                      "whole": "{:,}".format, "digit": "{:.1e}".format}


def filled(template, names):
    """A template with a record's figures -> Markdown."""
    return TEMPLATES.from_string(template).render(names)


class Measured(SphinxDirective):
    """A template and the records that fill it; each table in a frame with the classes, if any."""

    has_content, optional_arguments = True, 2
    option_spec = MappingProxyType({"class": directives.class_option})

    def record(self):
        """The names that the template knows -> dict."""
        read = {}
        for path in (Path(self.env.srcdir, name) for name in self.arguments):
            self.env.note_dependency(str(path))
            load = yaml.safe_load if path.suffix == ".yaml" else json.loads
            read[path.stem] = load(path.read_text(encoding="utf-8"))
        first = next(iter(read.values()), {})
        return first | read | {"record": first}

    def run(self):
        text = filled("\n".join(self.content), self.record())
        parsed = nodes.container("", *self.parse_text_to_nodes(text))
        classes = self.options.get("class", [])
        for table in list(parsed.findall(nodes.table)) if classes else []:
            table.replace_self(nodes.container("", table.deepcopy(), classes=classes))
        return [parsed]


class Answering(SphinxRole):
    """The measures that answer a question, as text."""

    def run(self):
        self.env.note_dependency(str(compared().FILE))
        return [nodes.Text(answering(stored_verdicts(), self.text))], []


def setup(app):
    app.add_directive("measured", Measured)
    app.add_role("answering", Answering())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
