"""Pack the notebooks into one file to hand in, with their hashes and package versions.

Nothing leaves the machine.
"""

import hashlib
import json
import platform
from importlib.metadata import version
from pathlib import Path

import fi_teach
from fi_course.questions.question import QUESTIONS
from fi_course.reproducible_zip import write_zip

MANIFEST = "submission.json"


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
    missing = [str(p) for p in paths if not p.is_file()]
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
                for state in ("answered", "unanswered", "missing")}
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


def report(manifest, out):
    """Return the message that a student reads after handing in -> str."""
    lines = [f"Wrote {out}. Nothing has left this machine: hand the file in yourself."]
    for name, entry in manifest["notebooks"].items():
        asked = sum(len(entry[state]) for state in ("answered", "unanswered", "missing"))
        lines.append(f"  {name}: {len(entry['answered'])} of {asked} questions answered")
        lines += [f"    {state}: {', '.join(entry[state])}" for state in ("unanswered", "missing")
                  if entry[state]]
    return "\n".join(lines)
