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
from pathlib import Path
from types import MappingProxyType

import nbformat
from jinja2 import Environment

from fi_course.questions.reference_solution import without_markers
from fi_course.questions.specification import page_specification

FOLDER = "exercises/"
JUDGED = ("choice", "number")
WORDS = (Path(__file__).parents[1] / "templates/set.md").read_text(encoding="utf-8")
LEADING_COMMENT = re.compile(r"(?:#.*\n)*")
OF_CELLS = re.compile(
    r"\s*(?:Each has a cell for your answer|As before: replace|Replace the dots|Run a check)[^\n]*"
)
ABOUT_CELLS = re.compile(r"^- (?:A check says|Stuck\?|Arrays, lists).*\n?", re.MULTILINE)
ABOUT_THE_CELL = {
    "choice": re.compile(r"\n*^Answer with the letter[^\n]*$", re.MULTILINE),
    "number": re.compile(r" Answer (?:with a dictionary, )?as(?: in)? `\{[^`]*`[^.]*\."
                         r"|, as in `\{[^`]*`| Give a dictionary with the keys `[^.]*\.")}
"""How a question's cell is filled in, which its fields say themselves."""
COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)


def page_of(notebook, name, answers=MappingProxyType({})):
    """The notebook that the page is made from:
    fields for cells, an introduction to fields, data shown.

    answers : {question id: the model answer to prose}
    """
    asked = {question["id"]: question for question in page_specification(name)["questions"]}
    cells, file, space = [], f"{FOLDER}{name}.ipynb", {"__name__": "exercise"}
    words = Environment(trim_blocks=True).from_string(WORDS).module
    for cell in notebook.cells:
        about = cell.metadata.get("fi_teach", {})
        outputs = run(cell.source, space) if cell.cell_type == "code" and not about else []
        part, question = about.get("part"), asked.get(about.get("question"))
        if part == "text":
            about_the_cell = ABOUT_THE_CELL.get(question["asks"])
            cell.source = about_the_cell.sub("", cell.source) if about_the_cell else cell.source
        elif part == "play":
            cell = nbformat.v4.new_markdown_cell(words.play(**played(cell.source)))
        elif part == "answer":
            cell.metadata.pop("tags", None)  # nbval's
            cells += [cell] if question["asks"] not in (*JUDGED, "prose") else []
            data = json.dumps(question, ensure_ascii=False, separators=(",", ":"))
            cell = nbformat.v4.new_markdown_cell(words.question(
                question, data.replace("</", "<\\/"), answers.get(question["id"]), file))
        elif part:
            continue  # it stays in the notebook
        elif outputs:
            cell.outputs, cell.metadata["tags"] = outputs, ["hide-input"]
        elif cell.cell_type == "code":
            continue
        elif not cells:
            here = sum(question["asks"] in JUDGED for question in asked.values())
            cell.source = ABOUT_CELLS.sub("", OF_CELLS.sub("", cell.source)).rstrip()
            cell.source += words.directions(here, len(asked), file)
        cells.append(cell)
    notebook.cells = cells
    return notebook


def played(source):
    """What a cell would be with a kernel: what to look for, and what there is to move -> dict."""
    hints = LEADING_COMMENT.match(source)[0].splitlines()
    *_, drawn, last = ast.parse(source).body
    return {"hints": " ".join(line.removeprefix("#").strip() for line in hints),
            "function": ast.unparse(last.value.args[0]),
            "names": [one.arg.replace("_", " ") for one in last.value.keywords],
            "picture": ast.get_docstring(drawn).split("\n")[0]}


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
    """Give Sphinx the page's notebook instead of the student's, with the prose of solutions/."""
    if not page.startswith(FOLDER):
        return
    name, answers = page.removeprefix(FOLDER), {}
    solutions = Path(app.srcdir) / "solutions" / f"{name}.ipynb"
    for cell in nbformat.read(solutions, 4).cells if solutions.exists() else ():
        about = cell.metadata.get("fi_teach", {})
        if cell.cell_type == "markdown" and about.get("part") == "answer":
            answers[about["question"]] = COMMENT.sub("", without_markers(cell.source)).strip()
            app.env.note_dependency(str(solutions))
    content[0] = nbformat.writes(page_of(nbformat.reads(content[0], 4), name, answers))


def put_notebooks(app, error):
    """Beside each page its notebook as handed out:
    a script, since a page opened from disk loads nothing else."""
    if error is None and app.builder.format == "html":
        for path in sorted(Path(app.srcdir, FOLDER).glob("*.ipynb")):
            notebook = json.dumps(json.loads(path.read_text(encoding="utf-8")), ensure_ascii=False)
            page = Path(app.outdir, FOLDER, f"{path.stem}.js")
            if page.parent.exists():
                page.write_text(f"fi.notebook = {notebook};\n", encoding="utf-8")


def setup(app):
    app.connect("source-read", replace)
    app.connect("build-finished", put_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
