"""How many submissions a minute: with the sandbox, without, and nbgrader on the same files; and how much memory.

    python -m benchmarks.grading [--many 400] [--jobs 2] [--nbgrader 6]

A submission has ten cells: the imports, and the text, answer and check of three questions (a number, a function, a test).
Two of three students are right, the third makes a named mistake.
"""

import argparse
import contextlib
import csv
import io
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from fi_teach.grading import main as grade
from fi_teach.grading.gradebook import opened
from fi_teach.questions import QUESTIONS
from fi_teach.questions.release import NBGRADER_CONFIG

ROOT = Path(__file__).resolve().parents[1]
ASKED = ("trees.recall_mean", "trees.decrease", "trees.test_decrease")
MISTAKES = {"trees.recall_mean": "average_of_all = 55",
            "trees.decrease": "def decrease(left, right):\n    gini = lambda c: 1 - sum((k / sum(c)) ** 2 for k in c)\n"
                              "    return gini([a + b for a, b in zip(left, right)]) - gini(left) / 2 - gini(right) / 2"}


def ten_cells(folder):
    """The first cells and the three questions of a stored notebook -> notebook of ten cells."""
    notebook = json.loads((ROOT / folder / "01_trees.ipynb").read_text(encoding="utf-8"))
    about = [c["metadata"].get("fi_teach", {}).get("question") for c in notebook["cells"]]
    notebook["cells"] = [c for c, q in zip(notebook["cells"], about, strict=True) if q in ASKED or c["id"] == "cell-002"]
    return notebook


def answered(number):
    """The submission of student number so-and-so -> bytes of a notebook of its own."""
    notebook = ten_cells("exercises")
    solved = {c["id"]: c["source"] for c in ten_cells("solutions")["cells"]}
    for cell in notebook["cells"]:
        about = cell["metadata"].get("fi_teach", {})
        if about.get("part") == "answer":
            wrong = MISTAKES.get(about["question"]) if number % 3 == 2 else None
            cell["source"] = f"{wrong or ''.join(solved[cell['id']])}\n# {number}"
    return json.dumps(notebook).encode()


def prepare(base, many):
    """Write the exercise and so many submissions -> (exercises, submissions)."""
    exercises, submissions = base / "exercises", base / "submitted"
    exercises.mkdir()
    (exercises / "01_trees.ipynb").write_text(json.dumps(ten_cells("exercises")))
    for k in range(many):
        place = submissions / f"s{k:05d}" / "01_trees"
        place.mkdir(parents=True)
        (place / "01_trees.ipynb").write_bytes(answered(k))
    return exercises, submissions


class Memory(threading.Thread):
    """Samples what this process and its descendants hold for themselves; `peaks` has one value a second, in MB."""

    def __init__(self):
        super().__init__(daemon=True)
        self.peaks, self.over = [], threading.Event()

    def run(self):
        import psutil
        while not self.over.wait(1):
            family = [psutil.Process(), *psutil.Process().children(recursive=True)]
            self.peaks.append(sum(self._held(p) for p in family) / 2**20)

    @staticmethod
    def _held(process):
        with contextlib.suppress(Exception):
            memory = process.memory_info()
            return memory.rss - memory.shared
        return 0


def ours(base, exercises, submissions, *, sandbox, jobs):
    """Grade all of it with fi_teach -> (submissions a minute, memory in MB, {student: points})."""
    report, memory = base / f"report-{sandbox}", Memory()
    memory.start()
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        grade([str(submissions), "--out", str(report), "--exercises", str(exercises), "--sandbox", sandbox, "--jobs", str(jobs), "--seed", "1"])
    taken = time.perf_counter() - start
    memory.over.set()
    with open(report / "students.csv", newline="") as file:
        points = {row["student"]: float(row["points"]) for row in csv.DictReader(file)}
    return 60 * len(points) / taken, memory.peaks, points


def nbgraders(base, few):
    """Generate the assignment and autograde a few of the same submissions with nbgrader -> (submissions a minute, {student: points})."""
    source = base / "source" / "01_trees"
    source.mkdir(parents=True)
    (source / "01_trees.ipynb").write_text(json.dumps(ten_cells("solutions")))
    (base / "nbgrader_config.py").write_text(NBGRADER_CONFIG + "c.ExecutePreprocessor.timeout = 60\nc.Execute.iopub_timeout = 60\n")
    _nbgrader(base, "generate_assignment", "01_trees")
    students = [f"s{k:05d}" for k in range(few)]
    start = time.perf_counter()
    _nbgrader(base, "autograde", "01_trees", f"--CourseDirectory.student_id_exclude={','.join(_others(base, students))}")
    taken = time.perf_counter() - start
    with opened(base) as book:
        points = {s: book.find_submission("01_trees", s).score for s in students}
    return 60 * few / taken, points


def _others(base, students):
    return [p.name for p in (base / "submitted").iterdir() if p.name not in students]


def _nbgrader(base, *words):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    subprocess.run([sys.executable, "-m", "nbgrader", *words], cwd=base, check=True, capture_output=True,
                   env={**os.environ, "PATH": path, "FI_TEACH_SEED": "1"})


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--many", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--nbgrader", type=int, default=6, metavar="FEW", help="how many of them nbgrader gets (0: none)")
    parser.add_argument("--sandboxes", nargs="+", default=["bwrap", "none"])
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        exercises, submissions = prepare(base, options.many)
        print(f"{options.many} submissions of ten cells ({sum(QUESTIONS[q].points for q in ASKED)} points), {options.jobs} at once; "
              f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}, {time.strftime('%Y-%m-%d')}")
        for sandbox in options.sandboxes:
            rate, peaks, points = ours(base, exercises, submissions, sandbox=sandbox, jobs=options.jobs)
            early, late = max(peaks[:len(peaks) // 4 + 1], default=0), max(peaks[-(len(peaks) // 4 + 1):], default=0)
            print(f"fi_teach, sandbox {sandbox:5}: {rate:6.0f} a minute; memory {early:.0f} MB in the first quarter, {late:.0f} MB in the last")
        if options.nbgrader:
            few = min(options.nbgrader, options.many)
            slow, theirs = nbgraders(base, few)
            alike = sum(points[s] == theirs[s] for s in theirs)
            print(f"nbgrader autograde:      {slow:6.1f} a minute on {few} of them; same points for {alike} of {few}")


if __name__ == "__main__":
    main()
