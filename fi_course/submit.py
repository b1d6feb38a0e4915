"""Run saved notebooks afresh, and pack them into one file to hand in.

Nothing leaves the machine. The last cell of a set calls `hand_in`, `fi-teach submit` does the same.
"""

import hashlib
import json
import platform
import re
import time
from importlib.metadata import version
from pathlib import Path

import fi_teach
from fi_course.questions.cards import Card
from fi_course.questions.cell_runs import CHECKS, RUNS, is_saved, notebook_path
from fi_course.questions.question import QUESTIONS
from fi_course.reproducible_zip import write_zip

MANIFEST = "submission.json"
STATES = ("answered", "unanswered", "missing")
SECONDS_A_CELL = 60
"""A cell that takes longer is interrupted when a notebook is run afresh."""
NO_FILE = ("Which file this notebook is cannot be seen from here. Save it; then, in a terminal:",
           "`python -m fi_teach submit exercises/01_trees.ipynb`, with its own name")


def submit(paths, out):
    """Pack notebooks into one zip file -> its manifest (dict), which lists unanswered questions.

    paths : notebooks, one or more
    out : the file to write; an older one is replaced

    Raises ValueError if a notebook is missing, unreadable or no exercise, if two share a name, or
    if out cannot be written.
    """
    paths, out = [Path(p) for p in paths], Path(out)
    _check_paths(paths, out)
    notebooks = {path.name: path.read_bytes() for path in paths}
    entries = {name: _entry(name, content) for name, content in notebooks.items()}
    manifest = {"versions": versions(), "notebooks": entries}
    written = json.dumps(manifest, indent=1, sort_keys=True).encode("utf-8")
    try:
        write_zip(out, {**notebooks, MANIFEST: written})
    except OSError as error:
        raise ValueError(
            f"cannot write {out}: {error.strerror}. Choose a file in a folder of yours.") from None
    return manifest


def _check_paths(paths, out):
    missing = [f"{p} (a folder)" if p.is_dir() else str(p) for p in paths if not p.is_file()]
    if not paths or missing:
        raise ValueError(f"no such notebook: {', '.join(missing) or '(none was named)'}. "
                         "Name the notebooks to hand in, as in: "
                         "fi-teach submit exercises/01_trees.ipynb --out anna.zip")
    names = [p.name for p in paths]
    if len(set(names)) < len(names):
        raise ValueError(
            f"two notebooks have one name ({', '.join(sorted(names))}): hand in each set once.")
    if out.suffix == ".ipynb" or out.resolve() in {p.resolve() for p in paths}:
        raise ValueError(f"--out {out} would be written over a notebook: "
                         "give it another name, such as submission.zip.")


def versions():
    """Return the versions of Python and the packages in use -> {name: version}."""
    return {"fi-teach": fi_teach.__version__, "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "pandas")}}


def _entry(name, content):
    """Return the manifest's entry of one notebook: its hash, and its questions by state."""
    try:
        states = _states(json.loads(content)["cells"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{name} cannot be read as a notebook: "
                         "open it in JupyterLab, save it again, and hand in that.") from None
    if not states:
        raise ValueError(f"{name} has no cell for an answer, or has lost what marks it: "
                         "copy your answers into a fresh copy of the exercise.")
    asked = [id for id, question in QUESTIONS.items() if f"{question.notebook}.ipynb" == name]
    by_state = {state: [id for id in asked or states if states.get(id, "missing") == state]
                for state in STATES}
    return {"sha256": hashlib.sha256(content).hexdigest(), **by_state}


def _states(cells):
    """Say of each question whether its cell has changed -> {id: "answered" or "unanswered"}."""
    states = {}
    for cell in cells:
        about = cell.get("metadata", {}).get("fi_teach", {})
        if about.get("part") == "answer":
            unchanged = checksum(cell) == cell["metadata"]["nbgrader"].get("checksum")
            states[about["question"]] = "unanswered" if unchanged else "answered"
    return states


def checksum(cell):
    """Compute nbgrader's checksum of an answer cell -> str.

    It covers source, type, id and, where it is graded by hand, points.
    """
    grading = cell["metadata"]["nbgrader"]
    source = "".join(cell["source"])
    flags = f"{grading['grade']}{grading['solution']}False"
    points = str(float(grading["points"])) if grading["grade"] else ""
    return hashlib.md5(
        f"{source}{cell['cell_type']}{flags}{grading['grade_id']}{points}".encode()).hexdigest()


def run_afresh(path):
    """Run the saved notebook in a new kernel -> {question: (state, what its check says)}."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    parts = [cell.metadata.get("fi_teach", {}).get("part") for cell in notebook.cells]
    notebook.cells = [cell for cell, part in zip(notebook.cells, parts, strict=True)
                      if part not in ("play", "hand_in")]
    NotebookClient(notebook, timeout=SECONDS_A_CELL, interrupt_on_timeout=True, allow_errors=True,
                   extra_arguments=["--log-level=ERROR"],
                   resources={"metadata": {"path": str(Path(path).parent)}}).execute()
    errors = {tuple(about.get(key) for key in ("question", "part")): _error_of(cell)
              for cell in notebook.cells if (about := cell.metadata.get("fi_teach"))}
    return {question: _said_by(error, errors.get((question, "answer")))
            for (question, part), error in errors.items() if part == "check"}


def _error_of(cell):
    return next((out for out in cell.get("outputs", []) if out.output_type == "error"), None)


def _said_by(error, before):
    """Return how a check ended -> (state, the mistake, or what it says first).

    error : what it raised, or None; before : the error of the answer's cell, or None
    """
    if error is None or error.evalue.startswith("Not started"):
        return "not started" if error else "right", ""
    if error.ename != "CheckFailed":
        stopped = before or error
        return "wrong", f"Your cell stopped with {stopped.ename}: {stopped.evalue}"
    title, message, *_ = f"{error.evalue}\n".split("\n")
    mistake = re.fullmatch(r"Not yet: (.+) \(.*\)", title)
    return "wrong", mistake[1] if mistake else message


def report(manifest, out, ran):
    """Return the message that a student reads after handing in -> str.

    ran : {name of a notebook: (when it was saved, what `run_afresh` has found)}
    """
    lines = [f"Wrote {out}. Nothing has left this machine: hand the file in yourself."]
    for name, entry in manifest["notebooks"].items():
        asked = [id for state in STATES for id in entry[state]]
        saved, found = ran[name]
        rows = [(id, *_state(id, entry, found)) for id in sorted(asked, key=[*QUESTIONS].index)]
        won = sum(QUESTIONS[id].points for id, state, _ in rows if state == "right")
        most = sum(QUESTIONS[id].points for id in asked)
        lines += [f"{name}, saved at {saved}, run afresh: "
                  f"{won} of {most} points by the checks that you have"]
        lines += [f"  {_worth(id):<9} {id:<28} {state:<11} {words}".rstrip()
                  for id, state, words in rows]
    return "\n".join(lines)


def _worth(id):
    points = QUESTIONS[id].points
    return f"{points} for" if points else "optional:"


def _state(id, entry, found):
    """Return a question's state and what is said of it; a check tells more than the cell's text."""
    given = next(state for state in STATES if id in entry[state])
    if given != "missing" and id in found:
        return found[id]
    is_read = given == "answered" and QUESTIONS[id].kind == "explain"
    return ("to be read" if is_read else "not started" if given == "unanswered" else given), ""


def submit_and_report(paths, out=None):
    """Run notebooks afresh and pack them -> what to say of it.

    out : the file to write; by default it lies beside the notebook and has its name
    """
    out = Path(out or Path(paths[0]).with_suffix(".zip"))
    manifest = submit(paths, out)
    ran = {Path(p).name: (saved_at(p), run_afresh(p)) for p in paths}
    return report(manifest, out.resolve(), ran)


def saved_at(path):
    """Return when a file was saved, as on the clock -> str."""
    return time.strftime("%H:%M:%S", time.localtime(Path(path).stat().st_mtime))


def hand_in():
    """Hand in the notebook that calls this: what was saved, run afresh and packed -> Card."""
    path = notebook_path()
    if path is None:
        return Card("Handing in", NO_FILE)
    names = dict(CHECKS.findall(path.read_text(encoding="utf-8").replace('\\"', '"')))
    differs = [id for id, name in names.items() if not is_saved(RUNS.get(name))]
    if differs:
        return Card("Save first", (
            f"This notebook was saved at {saved_at(path)}, with another text than what ran here in "
            f"{', '.join(differs)}: run what you have changed, save (Ctrl+S), and run this again.",
        ))
    try:
        return Card("To hand in", listing=submit_and_report([path]))
    except ValueError as error:
        return Card("Not handed in", (str(error),), tone="wrong")
