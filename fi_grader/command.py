"""Run `fi-teach grade SUBMISSIONS --out REPORT`: from notebooks to grades and feedback."""

import argparse
import os
from collections import Counter
from contextlib import closing, contextmanager
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path

from fi_grader import collecting, installed, instructor_commands, prose, results
from fi_grader.escaping import printable
from fi_grader.files_report import FilesReport
from fi_grader.judging import queue as run
from fi_grader.notebooks import exercise as assignment
from fi_grader.report import load_report
from fi_grader.sandbox import choose as sandbox

PATIENCE_WITH_A_CLUSTER = 20
"""Seconds in which a dask scheduler must answer."""


def main(arguments=None):
    """Grade a folder of submissions -> exit code 0.

    Raises ValueError, saying what to do, if that cannot be done.
    """
    options = parser().parse_args(arguments)
    _check(options)
    assignments = assignment.load(options.exercises or _exercises())
    course = instructor_commands.course_of(options.course, assignments)
    everything, skipped = collecting.find(options.submissions, list(assignments),
                                          cell_ids=collecting.cell_ids_of(assignments),
                                          roster=course.roster)
    submissions = _only(everything, options.only)
    level = sandbox.level(options.sandbox)
    if level == "none":
        print("NO SANDBOX: submitted code can read and change your files, and use your network. "
              "Grade only what you would run yourself.")
    with results.opened(options.out) as report:
        seed = results.seed_of(report, _seed(options.seed, course.seed))
        settings = {"exercises": str(options.exercises or _exercises()), "seed": seed,
                    "limit": options.time_limit, "sandbox": level}
        with closing(results.Records(report)) as records:
            gone = FilesReport(report).update(options.submissions, everything, skipped)
            _remove_missing(report, records, gone)
            _grade(records, submissions, assignments, settings, options)
            files = {(s.student, s.exercise): s for s in submissions}
            added = _write(report, records, assignments, files, course, options)
            print(summary(options.out, records, skipped, added))
    return 0


def parser():
    """Define the command's options -> ArgumentParser."""
    top = argparse.ArgumentParser(prog="fi-teach grade",
                                  description="Grade a folder of submissions. "
                                  "Start it again with the same "
                                  "folders and it goes on where it was; nothing is graded twice.")
    add = top.add_argument
    add("submissions", metavar="SUBMISSIONS",
        help="a folder with a folder (or zip file) for each student, or nbgrader's submitted/")
    add("--out", required=True, metavar="REPORT",
        help="the folder for results, grades.csv, feedback/ and index.html")
    add("--jobs", type=int, default=os.cpu_count(), metavar="N",
        help="how many to grade at once (default: one a processor)")
    add("--sandbox", default="auto", choices=sandbox.LEVELS,
        help="the sandbox around submitted code: "
        "bubblewrap, or WebAssembly where there is no Linux "
        "(default: auto, the first that works; none must be said)")
    add("--seed", type=int, metavar="S",
        help="the secret that inputs are drawn from "
        "(default: FI_TEACH_SEED, or a fresh one kept in REPORT/seed)")
    add("--only", nargs="+", metavar="NAME", help="only these exercises or students")
    add("--course", metavar="FILE", help="what the course has decided: roster, deadlines, weights "
        "(default: course.toml here, if there is one)")
    add("--marking", action="store_true",
        help="also write marking/, offline pages on which assistants mark the prose")
    add("--assistants", nargs="+", default=(), metavar="NAME",
        help="who marks, if no roster says so")
    add("--gradebook", action="store_true",
        help="also write nbgrader's gradebook, with what is graded by hand")
    add("--exercises", metavar="DIR",
        help="the notebooks as handed out (default: exercises/ here, or beside the package)")
    add("--time-limit", type=float, metavar="SECONDS",
        help="the longest a question may take, if it allows more itself")
    add("--cluster", metavar="ADDRESS",
        help="a dask scheduler whose workers grade "
        "(needs the cluster extra and a shared course folder)")
    return top


def _exercises():
    here = Path("exercises")
    beside = installed.PACKAGES["fi_grader"].parent / "exercises"
    return (here if here.is_dir() else beside).resolve()


def _check(options):
    """Raise ValueError for options that make no sense."""
    if options.jobs < 1:
        raise ValueError(f"--jobs {options.jobs}: at least 1 must be at work.")
    if options.time_limit is not None and not options.time_limit > 0:
        raise ValueError(f"--time-limit {options.time_limit:g}: it is in seconds, and more than 0.")
    if options.seed is not None and options.seed < 0:
        raise ValueError(f"--seed {options.seed}: a seed is a whole number from 0 on.")
    out, submissions = Path(options.out).resolve(), Path(options.submissions).resolve()
    if out.is_relative_to(submissions) and submissions.is_dir():
        raise ValueError(f"--out {options.out} lies in {options.submissions}, "
                         "where it would be taken for a student: choose a folder beside it, "
                         f"such as {submissions.parent / 'report'}")


def _seed(wanted, of_the_course=None):
    set_outside = os.environ.get("FI_TEACH_SEED")
    if wanted is not None or not set_outside:
        return of_the_course if wanted is None else wanted
    return results.whole_number(set_outside, "FI_TEACH_SEED")


def _only(submissions, names):
    """Select submissions by student or exercise. Raises ValueError for a name that is neither."""
    if not names:
        return submissions
    unknown = set(names) - {s.student for s in submissions} - {s.exercise for s in submissions}
    if unknown:
        here = sorted({s.exercise for s in submissions}) + sorted({s.student for s in submissions})
        near = ([one for name in sorted(unknown) for one in get_close_matches(name, here, 2, 0.4)]
                or here[:8])
        raise ValueError(f"--only {' '.join(sorted(unknown))}: "
                         "no student and no exercise here has that name. "
                         f"Names here are {', '.join(near)}.")
    students, exercises = ({getattr(s, what) for s in submissions} & set(names)
                           for what in ("student", "exercise"))
    return [s for s in submissions if (not students or s.student in students)
            and (not exercises or s.exercise in exercises)]


def _remove_missing(report, records, gone):
    """Remove the results of files that no longer exist."""
    for student, exercise in gone & set(records.places):
        records.remove((student, exercise))
        (report / "feedback" / student / f"{exercise}.html").unlink(missing_ok=True)


def _write(report, records, assignments, files, course, options):
    """Write tables, pages and optional exports -> a summary of marks and corrections."""
    if options.marking:
        prose.update_answers(report, records, assignments, files)
    added = instructor_commands.write_report(report, records, course)
    if options.marking:
        whole = load_report(report, records, course)
        added += "".join(f"\nTo be marked: {path}"
                         for path in prose.write_marking(whole, options.assistants))
    if options.gradebook:
        from fi_grader.gradebook import export
        export(report, records, assignments, files, load_report(report, records, course).marks)
    return added


def _grade(records, submissions, assignments, settings, options):
    """Grade the submissions that have no valid result yet."""
    with _bar(len(submissions)) as bar, _workers(options.cluster) as backend:
        jobs = run.jobs_of(submissions, assignments, records, settings["seed"], skipped=bar.update)
        graded = run.grade_all(jobs, settings, workers=options.jobs, backend=backend)
        for _ in run.record(records, graded, assignments, settings["sandbox"]):
            bar.update()
    records.sort()


def _bar(total):
    from tqdm import tqdm
    return tqdm(total=total, unit=" submissions", smoothing=0.1, dynamic_ncols=True)


@contextmanager
def _workers(address):
    """Yield joblib's backend: threads here, or a dask cluster; subprocesses end with the block.

    Raises ValueError if dask is missing or the cluster is not there.
    """
    if not address:
        try:
            yield "threading"
        finally:
            run.close_workers()
        return
    with _cluster(address) as client:
        try:
            yield "dask"
        finally:
            client.run(run.close_workers)


def _cluster(address):
    if not find_spec("distributed"):
        raise ValueError('--cluster needs dask: pip install "fi-teach[cluster]"')
    from distributed import Client
    try:
        return Client(address, timeout=PATIENCE_WITH_A_CLUSTER)
    except (OSError, ValueError) as error:
        raise ValueError(f"there is no dask scheduler at {address}: {error}. "
                         "Start one with `dask scheduler`.") from None


def summary(report, records, skipped=(), added=""):
    """Summarize for the instructor: who needs attention, what waits, where to look -> str."""
    wanted = [printable(f"  {r['student']}, {r['exercise']}: {'; '.join(r['human'])}")
              for r in records.values() if r["human"]]
    by_hand = Counter(row["question"] for r in records.values()
                      for row in r["rows"] if row["status"] == "by hand")
    students = {student for student, _ in records}
    lines = [f"{_count(len(records), 'submission')} of {_count(len(students), 'student')} graded.",
             f"Wants a person ({len(wanted)}):" if wanted else "No submission wants a person.",
             *wanted]
    lines += [f"To be read by you: {question}, {_count(n, 'answer')} "
              "(pages to mark on: --marking; nbgrader's Formgrader: --gradebook)"
              for question, n in by_hand.items()]
    lines += added.splitlines()
    lines += [printable(f"Left aside: {words}") for words in collecting.describe_skipped(skipped)]
    return "\n".join([*lines,
                      f"The report: {report}/index.html, grades.csv, students.csv, files.csv, "
                      "feedback/"])


def _count(number, noun):
    return f"{number} {noun}{'s' * (number != 1)}"
