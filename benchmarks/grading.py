"""Measure submissions a minute with the sandbox and with nbgrader, and memory.

    python -m benchmarks.grading [--many 10000] [--jobs 2] [--nbgrader 4]

`--many` go through the sandbox in one run, and nbgrader gets a handful.
The figures of a full run are written to benchmarks/grading.json, from which the guide for
instructors shows them.

A submission has ten cells: the imports, and the text, answer and check of three questions (a
number, a function, a test). Two of three students are right, the third makes a named mistake.
"""

import argparse
import contextlib
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

from benchmarks.machine import machine
from fi_course.questions import QUESTIONS
from fi_grader.exports.gradebook import opened
from fi_grader.release import NBGRADER_CONFIG
from fi_teach.__main__ import main as fi_teach

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).with_name("grading.json")
MARKS = (1000, 5000, 10_000)
"""Memory is reported up to so many submissions."""
ASKED = ("trees.recall_mean", "trees.decrease", "trees.test_decrease")
MISTAKES = {"trees.recall_mean": "average_of_all = 55",
            "trees.decrease": """def decrease(left, right):
    gini = lambda c: 1 - sum((k / sum(c)) ** 2 for k in c)
    return gini([a + b for a, b in zip(left, right)]) - gini(left) / 2 - gini(right) / 2"""}


def ten_cells(folder):
    """The first cells and the three questions of a stored notebook -> notebook of ten cells."""
    notebook = json.loads((ROOT / folder / "01_trees.ipynb").read_text(encoding="utf-8"))
    about = [c["metadata"].get("fi_teach", {}).get("question") for c in notebook["cells"]]
    notebook["cells"] = [c for c, q in zip(notebook["cells"], about, strict=True)
                         if q in ASKED or c["id"] == "cell-002"]
    return notebook


def answered(number, handed_out, solved):
    """The submission of student number so-and-so -> bytes of a notebook of its own."""
    notebook = json.loads(handed_out)
    for cell in notebook["cells"]:
        about = cell["metadata"].get("fi_teach", {})
        if about.get("part") == "answer":
            wrong = MISTAKES.get(about["question"]) if number % 3 == 2 else None
            cell["source"] = f"{wrong or ''.join(solved[cell['id']])}\n# {number}"
    return json.dumps(notebook).encode()


def prepare(base, many):
    """Write the exercise and so many submissions -> (exercises, submissions)."""
    exercises, submissions = base / "exercises", base / "submitted"
    exercises.mkdir(parents=True)
    handed_out = json.dumps(ten_cells("exercises"))
    solved = {c["id"]: c["source"] for c in ten_cells("solutions")["cells"]}
    (exercises / "01_trees.ipynb").write_text(handed_out)
    for k in range(many):
        place = submissions / f"s{k:05d}" / "01_trees"
        place.mkdir(parents=True)
        (place / "01_trees.ipynb").write_bytes(answered(k, handed_out, solved))
    return exercises, submissions


class Memory(threading.Thread):
    """Looks twice a second at what this process and its descendants hold while results.jsonl grows.

    seen : (submissions done, MB they hold for themselves, MB with every shared page counted in each
        of them)
    """

    def __init__(self, results):
        super().__init__(daemon=True)
        self.results, self.done, self.place = results, 0, 0
        self.seen, self.over = [], threading.Event()

    def run(self):
        while not self.over.wait(0.5):
            held = [self._held(p)
                    for p in (psutil.Process(), *psutil.Process().children(recursive=True))]
            self.seen.append((self._count(),
                              *(sum(part) / 2**20 for part in zip(*held, strict=True))))

    def _count(self):
        with contextlib.suppress(FileNotFoundError), open(self.results, "rb") as file:
            file.seek(self.place)
            fresh = file.read()
            self.place, self.done = self.place + len(fresh), self.done + fresh.count(b"\n")
        return self.done

    @staticmethod
    def _held(process):
        try:
            memory = process.memory_info()
        except psutil.Error:
            return 0, 0
        return memory.rss - memory.shared, memory.rss

    def peaks(self, most):
        """Return the most memory held until each mark of submissions done -> list of dicts."""
        marks = [mark for mark in MARKS if mark < most] + [most]
        until = {mark: [(own, rss) for done, own, rss in self.seen if done <= mark] or [(0, 0)]
                 for mark in marks}
        return [{"submissions": mark, "own": round(max(o for o, _ in held)),
                 "rss": round(max(r for _, r in held))} for mark, held in until.items()]


def ours(base, exercises, submissions, *, jobs):
    """Grade all of it with fi_grader -> (submissions a minute, memory, {student: points})."""
    report = base / "report"
    memory = Memory(report / "results.jsonl")
    memory.start()
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        fi_teach(["grade", str(submissions), "--out", str(report), "--exercises", str(exercises),
                  "--sandbox", "bwrap", "--jobs", str(jobs), "--seed", "1"])
    taken = time.perf_counter() - start
    memory.over.set()
    memory.join()
    with open(report / "students.csv", newline="") as file:
        points = {row["student"]: float(row["points"]) for row in csv.DictReader(file)}
    return 60 * len(points) / taken, memory.peaks(len(points)), points


def nbgraders(base, few):
    """Autograde a few of them with nbgrader -> (submissions a minute, {student: points})."""
    source = base / "source" / "01_trees"
    source.mkdir(parents=True)
    (source / "01_trees.ipynb").write_text(json.dumps(ten_cells("solutions")))
    (base / "nbgrader_config.py").write_text(NBGRADER_CONFIG
                                             + "c.ExecutePreprocessor.timeout = 60\n"
                                             "c.Execute.iopub_timeout = 60\n")
    _nbgrader(base, "generate_assignment", "01_trees")
    students = [f"s{k:05d}" for k in range(few)]
    start = time.perf_counter()
    _nbgrader(base, "autograde", "01_trees")
    taken = time.perf_counter() - start
    with opened(base) as book:
        points = {s: book.find_submission("01_trees", s).score for s in students}
    return 60 * few / taken, points


def _nbgrader(base, *words):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    subprocess.run([sys.executable, "-m", "nbgrader", *words], cwd=base, check=True,
                   capture_output=True, env={**os.environ, "PATH": path, "FI_TEACH_SEED": "1"})


def measured(base, options):
    """Measure everything -> dict of figures, printed as they come."""
    exercises, submissions = prepare(base / "many", options.many)
    figures = {"machine": machine(), "jobs": options.jobs,
               "points": sum(QUESTIONS[q].points for q in ASKED), "runs": []}
    print(json.dumps(figures["machine"]), flush=True)
    rate, memory, points = ours(base, exercises, submissions, jobs=options.jobs)
    figures["runs"].append({"sandbox": "bwrap", "submissions": options.many, "rate": round(rate),
                            "memory": memory})
    print(f"fi_teach: {rate:.0f} a minute on {options.many}", flush=True)
    for row in memory:
        print(f"  after {row['submissions']:6}: at most {row['own']} MB held, "
              f"{row['rss']} MB with shared pages counted in each process", flush=True)
    if options.nbgrader:
        prepare(base / "few", options.nbgrader)
        slow, theirs = nbgraders(base / "few", options.nbgrader)
        alike = sum(points[s] == theirs[s] for s in theirs)
        figures["nbgrader"] = {"submissions": options.nbgrader, "rate": round(slow, 1),
                               "alike": alike}
        print(f"nbgrader autograde: {slow:.1f} a minute on {options.nbgrader}; "
              f"same points for {alike}")
    return figures


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--many", type=int, default=10_000, help="how many go through the sandbox")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--nbgrader", type=int, default=4, metavar="N",
                        help="how many nbgrader gets (0: none)")
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        figures = measured(Path(name), options)
    figures["minutes"] = round((time.perf_counter() - start) / 60, 1)
    if options.many >= MARKS[-1] and options.nbgrader:
        RESULTS.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        print(f"Written to {RESULTS} after {figures['minutes']} minutes.")


if __name__ == "__main__":
    main()
