"""Exercise pages that answer: fields to fill in where the notebook has cells that would wait for
a kernel.

A question whose answer is a letter or numbers becomes a field;
`exercises.js` judges what is typed by the specification
that `fi_course.questions.specification` writes, the one from which a student's own copy is judged.
A question whose answer is code keeps its cell and says how to run it.
Prose gets room to write, and then a model answer out of solutions/.
Cells that show the data of the set are run as the page is made;
cells that only prepare stay in the notebook.
"""

import ast
import contextlib
import io
import json
import re
from functools import cache
from pathlib import Path

import nbformat
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from fi_course.questions.reference_solution import without_markers
from fi_course.questions.specification import page_specification

FOLDER = "exercises/"
JUDGED = ("choice", "number")
UNSCRIPTED = {
    "choice": "Where scripts run, this page judges your choice.",
    "number": "Where scripts run, this page judges your answer.",
    "function": "This one is code.",
    "test": "This one is code.",
    "prose": "This one is prose.",
}
"""What stands in a field's place; under code it stays."""
DIRECTIONS = """

{here} of the {all} questions answer on this page, at once and with no kernel.
Try as many values as you like: it is a self-test, and grading draws inputs of its own.
Decimals, fractions, percentages, a number with its unit: any will do.
The rest is code and prose. Code is checked by Python: in this page, if it offers that above,
or in JupyterLab, where `make lab` opens `{notebook}`.
*Download my notebook* puts what you have answered here into that notebook,
to be handed in or gone on with; *Load a notebook* brings one back.

<p class="fi-points" role="status"></p>
"""
PLAY = """**To play with, in JupyterLab.** {hints}

Once its check says *Right*, your own `{function}` moves a picture there,
with sliders for {sliders}:
*{picture}*.
"""
LEADING_COMMENT = re.compile(r"(?:#.*\n)*")
OF_CELLS = re.compile(
    r"\s*(?:Each has a cell for your answer|As before: replace|Replace the dots|Run a check)[^\n]*"
)
ABOUT_CELLS = re.compile(r"^- (?:A check says|Stuck\?|Arrays, lists).*\n?", re.MULTILINE)
LETTER_AND_REASON = re.compile(r"\n*^Answer with the letter[^\n]*$", re.MULTILINE)
AS_A_DICTIONARY = re.compile(r" Answer (?:with a dictionary, )?as(?: in)? `\{[^`]*`[^.]*\."
                             r"|, as in `\{[^`]*`| Give a dictionary with the keys `[^.]*\.")
COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)


@cache
def specifications(name):
    """What the page of a set carries -> {question id: specification}."""
    return {question["id"]: question for question in page_specification(name)["questions"]}


# The notebook of the page -------------------------------------------------------------------------


def page_of(notebook, name):
    """The notebook that the page is made from:
    fields for cells, an introduction to fields, data shown."""
    asked, cells = specifications(name), []
    for cell, outputs in zip(notebook.cells, shown(notebook.cells), strict=True):
        about = cell.metadata.get("fi_teach", {})
        question = asked.get(about.get("question"))
        if about:
            cells += PARTS.get(about["part"], lambda *_: [])(cell, question)
        elif cell.cell_type == "markdown":
            cells.append(cell if cells else introduction(cell, name, asked))
        elif outputs:
            cell.outputs, cell.metadata["tags"] = outputs, ["hide-input"]
            cells.append(cell)
    notebook.cells = cells
    return notebook


def introduction(cell, name, asked):
    """The set's first cell, with the page's directions in place of the notebook's."""
    here = sum(question["asks"] in JUDGED for question in asked.values())
    cell.source = ABOUT_CELLS.sub("", OF_CELLS.sub("", cell.source)).rstrip()
    cell.source += DIRECTIONS.format(here=here, all=len(asked), notebook=f"{FOLDER}{name}.ipynb")
    return cell


def text(cell, question):
    """A question's words without how its cell is filled in: its fields say that."""
    about_the_cell = {"choice": LETTER_AND_REASON, "number": AS_A_DICTIONARY}
    if question["asks"] in about_the_cell:
        cell.source = about_the_cell[question["asks"]].sub("", cell.source)
    return [cell]


def answer(cell, question):
    cell.metadata.pop("tags", None)  # nbval's
    kept = [cell] if question["asks"] not in (*JUDGED, "prose") else []
    return [*kept, nbformat.v4.new_markdown_cell(f"```{{question}} {question['id']}\n```")]


def play(cell, question):
    """What the cell would be with a kernel, in words:
    what to look for, and what there is to move."""
    hints = [line.removeprefix("#").strip()
             for line in LEADING_COMMENT.match(cell.source)[0].splitlines()]
    *_, drawn, last = ast.parse(cell.source).body
    names = [f"*{one.arg.replace('_', ' ')}*" for one in last.value.keywords]
    words = PLAY.format(
        function=ast.unparse(last.value.args[0]), picture=ast.get_docstring(drawn).split("\n")[0],
        sliders=" and ".join(filter(None, [", ".join(names[:-1]), names[-1]])),
        hints=" ".join(hints))
    return [nbformat.v4.new_markdown_cell(words)]


PARTS = {"text": text, "answer": answer, "play": play}
"""What becomes of a question's cells; the others stay in the notebook."""


def shown(cells):
    """What each cell that belongs to no question puts out, run in order as far as the last
    that shows something -> list of lists."""
    outputs, space = [[] for _ in cells], {"__name__": "exercise"}
    ours = [k for k, cell in enumerate(cells)
            if cell.cell_type == "code" and not cell.metadata.get("fi_teach")]
    last = max((k for k in ours if shows(cells[k].source)), default=-1)
    for k in ours:
        if k <= last:
            outputs[k] = run(cells[k].source, space)
    return outputs


def shows(source):
    """Does the cell end in a value, or print?"""
    return isinstance(ast.parse(source).body[-1], ast.Expr) or "print(" in source


def run(source, space):
    """Run a cell -> its outputs as a notebook stores them."""
    tree, value = ast.parse(source), None
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(compile(tree, "<exercise>", "exec"), space)
        if last:
            value = eval(compile(ast.Expression(last.value), "<exercise>", "eval"), space)
    outputs = []
    if said.getvalue():
        outputs.append(nbformat.v4.new_output("stream", name="stdout", text=said.getvalue()))
    if value is not None:
        html = getattr(value, "_repr_html_", lambda: None)()
        data = {"text/plain": repr(value), **({"text/html": html} if html else {})}
        outputs.append(nbformat.v4.new_output("execute_result", data=data))
    return outputs


def replace(app, page, content):
    """Give Sphinx the page's notebook instead of the student's."""
    if page.startswith(FOLDER):
        notebook = nbformat.reads(content[0], as_version=4)
        content[0] = nbformat.writes(page_of(notebook, page.removeprefix(FOLDER)))


# The fields of the page ---------------------------------------------------------------------------


@cache
def model_answers(path):
    """The prose of a solutions notebook -> {question id: Markdown}."""
    about = [(cell.metadata.get("fi_teach", {}), cell) for cell in nbformat.read(path, 4).cells]
    return {one["question"]: COMMENT.sub("", without_markers(cell.source)).strip()
            for one, cell in about if cell.cell_type == "markdown" and one.get("part") == "answer"}


class Question(SphinxDirective):
    """`{question} trees.recall_mean`: the place of the question's field, with its specification."""

    required_arguments = 1

    def run(self):
        id, name = self.arguments[0], self.env.docname.removeprefix(FOLDER)
        question = specifications(name)[id]
        data = json.dumps(question, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
        beginning = (f'<div class="fi-exercise" id="q-{id.replace(".", "-")}" '
                     f'data-question="{id}" data-asks="{question["asks"]}">\n'
                     f'<script type="application/json">{data}</script>\n')
        [how] = self.parse_text_to_nodes(f"{UNSCRIPTED[question['asks']]} In JupyterLab: "
                                         f"`make lab`, then `{FOLDER}{name}.ipynb`.")
        how["classes"].append("fi-how")
        return [raw(beginning), how, *self.model(id, name), raw("</div>\n")]

    def model(self, id, name):
        """The model answer to prose, folded."""
        path = Path(self.env.srcdir) / "solutions" / f"{name}.ipynb"
        source = model_answers(str(path)).get(id) if path.exists() else None
        if source is None:
            return []
        self.env.note_dependency(str(path))
        return [raw('<details class="fi-model"><summary>A model answer</summary>\n'),
                *self.parse_text_to_nodes(source), raw("</details>\n")]


def put_notebooks(app, error):
    """Beside each page its notebook as handed out:
    a script, since a page opened from disk loads nothing else."""
    if error is None and app.builder.format == "html":
        for path in sorted(Path(app.srcdir, FOLDER).glob("*.ipynb")):
            notebook = json.dumps(json.loads(path.read_text(encoding="utf-8")), ensure_ascii=False)
            page = Path(app.outdir, FOLDER, f"{path.stem}.js")
            if page.parent.exists():
                page.write_text(f"fi.notebook = {notebook};\n", encoding="utf-8")


def raw(html):
    return nodes.raw("", html, format="html")


def setup(app):
    app.add_directive("question", Question)
    app.connect("source-read", replace)
    app.connect("build-finished", put_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
