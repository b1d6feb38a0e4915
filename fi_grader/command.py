"""Run the instructor's commands: from a class's files to grades, feedback and exports."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from difflib import get_close_matches
from glob import glob
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from fi_grader import installed
from fi_grader.escaping import name
from fi_grader.judging import worker
from fi_grader.notebooks.exercise import load
from fi_grader.release import release as write_bundles
from fi_grader.report import course, results, views
from fi_grader.report.report import Report, read_marks
from fi_grader.sandbox import choose
from fi_grader.submissions import finding

PATIENCE_WITH_A_CLUSTER = 20  # seconds in which a dask scheduler must answer


def release(options):
    """Write the two bundles -> lines for the instructor, as all of these commands."""
    return [f"Wrote {path} ({files} files)."
            for path, files in write_bundles(options.out, options.project).items()]


def grade(options):
    """Grade a class by the options of cli.py -> lines. Raises ValueError, saying what to do."""
    options.submissions = [  # a pattern such as downloads/* is expanded where no shell has done it
        place for name in options.submissions
        for place in ([name] if Path(name).exists() else sorted(glob(name)) or [name])]
    _check(options)
    here, beside = Path("exercises"), installed.PACKAGES["fi_grader"].parent / "exercises"
    exercises = options.exercises or (
        beside if beside.is_dir() and not here.is_dir() else here.resolve())
    assignments = load(exercises)
    decided = _course(options, assignments)
    found = finding.find(options.submissions, assignments, decided.roster)
    if options.list:
        return listing(found)
    is_wanted = _selection(options.only, found, assignments)
    level = choose.level(options.sandbox)
    submissions = found.submissions()
    first = next(submissions)  # before a report is begun: raises ValueError if there is nothing
    sources = list(map(os.path.abspath, found.sources))  # as they are kept
    with results.opened(options.out) as records:
        seed = results.seed_of(records.folder, _seed(options.seed, decided.seed))
        settings = {"exercises": str(exercises), "seed": seed, "limit": options.time_limit,
                    "sandbox": level}
        seen = _grade(chain([first], submissions), is_wanted, len(found.files), assignments,
                      records, settings, options)
        for student, exercise in [place for place in records if place not in seen
                                  and records.found[place].get("source") in sources]:
            del records.places[student, exercise]
            (records.folder / "feedback" / student / f"{exercise}.html").unlink(missing_ok=True)
        records.sort()
        report = Report(records, decided)
        views.write_files(report, found.skipped, sources)
        summary = _summary(report, views.write_views(report))
        if options.marking:
            paths = views.write_marking(report, options.assistants)
            summary += [f"To be marked: {path}" for path in paths]
        if options.gradebook:
            from fi_grader.exports.gradebook import export
            export(report, assignments)
    summary += [f"Left aside: {words}" for words in finding.describe_skipped(found.skipped)]
    return [*summary, f"The report: {options.out}/index.html, grades.csv, students.csv, "
                      "files.csv, feedback/"]


def _check(options):
    """Raise ValueError for options that make no sense."""
    if options.jobs < 1:
        raise ValueError(f"--jobs {options.jobs}: at least 1 must be at work.")
    if options.time_limit is not None and not options.time_limit > 0:
        raise ValueError(f"--time-limit {options.time_limit:g}: it is in seconds, and more than 0.")
    if options.seed is not None and options.seed < 0:
        raise ValueError(f"--seed {options.seed}: a seed is a whole number from 0 on.")
    if options.out is None and not options.list:
        raise ValueError(
            "say where the report goes: --out REPORT (or --list to see what is there).")
    for folder in map(Path, options.submissions if options.out else ()):
        if Path(options.out).resolve().is_relative_to(folder.resolve()) and folder.is_dir():
            raise ValueError(f"--out {options.out} lies in {folder}, where it would be taken for "
                             "a student: choose a folder beside it, such as "
                             f"{folder.resolve().parent / 'report'}")


def _course(options, assignments):
    """Load the course file that is named, or ./course.toml -> Course, empty if there is none."""
    if options.course is None and not Path("course.toml").is_file():
        return course.Course()
    return course.load(options.course or "course.toml", list(assignments))


def _seed(wanted, of_the_course=None):
    set_outside = os.environ.get("FI_TEACH_SEED")
    if wanted is not None or not set_outside:
        return of_the_course if wanted is None else wanted
    return results.whole_number(set_outside, "FI_TEACH_SEED")


def _selection(names, found, assignments):
    """Return which submissions are selected -> function of a Submission."""
    unknown = sorted(set(names) - set(found.files) - set(assignments))
    if unknown:
        here = [*sorted(found.files), *assignments]
        near = [one for name in unknown for one in get_close_matches(name, here, 2, 0.4)]
        raise ValueError(f"--only {' '.join(unknown)}: no student and no exercise here has that "
                         f"name. Names here are {', '.join(near or here[:8])}.")
    students, exercises = set(names) & set(found.files), set(names) & set(assignments)
    return lambda submission: ((not students or submission.student in students)
                               and (not exercises or submission.exercise in exercises))


# Grading

def _grade(submissions, is_wanted, n_students, assignments, records, settings, options):
    """Grade the submissions that have no valid result yet -> set of (student, exercise) found."""
    from tqdm import tqdm
    seen, students = set(), set()

    def jobs():
        for one in submissions:
            place = one.student, one.exercise
            key = results.key_of(one, assignments[one.exercise], settings["seed"])
            seen.add(place)
            bar.total += (one.student in students) - (not is_wanted(one))
            students.add(one.student)
            if records.has(place, key) and is_wanted(one):
                if records.found[place] != one.found:
                    records.add({**records[place], "found": one.found})
                bar.update()
            elif is_wanted(one):
                yield {**vars(one), "key": key}
    with (tqdm(total=n_students, unit=" submissions", smoothing=0.1, dynamic_ncols=True) as bar,
          _pool(options) as pool):
        for job, reply in worker.grade_all(jobs(), settings, pool, 2 * options.jobs):
            records.add(worker.named_record(job, reply, assignments, settings["sandbox"]))
            bar.update()
    return seen


@contextmanager
def _pool(options):
    """Yield the executor that grades: threads here, or a dask cluster; its workers end with it."""
    if not options.cluster:
        pool = ThreadPoolExecutor(options.jobs)
        try:
            yield pool
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            worker.close_workers()
        return
    if not find_spec("distributed"):
        raise ValueError('--cluster needs dask: pip install "fi-teach[cluster]"')
    from distributed import Client
    try:
        client = Client(options.cluster, timeout=PATIENCE_WITH_A_CLUSTER)
    except (OSError, ValueError) as error:
        raise ValueError(f"there is no dask scheduler at {options.cluster}: {error}. "
                         "Start one with `dask scheduler`.") from None
    with client:
        try:
            yield client.get_executor(pure=False)
        finally:
            client.run(worker.close_workers)


# What the instructor reads

def _summary(report, class_page):
    """Summarize for the instructor: who needs attention, what waits -> list of lines."""
    review, n_students = class_page.review, len({student for student, _ in report.records})
    return [f"{_count(len(report.records), 'submission')} of {_count(n_students, 'student')} "
            "graded.",
            f"Wants a person ({len(review)}):" if review else "No submission wants a person.",
            *(f"  {student}, {exercise}: {'; '.join(reasons)}"
              for student, exercise, reasons in review),
            *(f"To be read by you: {question}, {_count(count, 'answer')} "
              "(pages to mark on: --marking; nbgrader's Formgrader: --gradebook)"
              for (_, question, status), count in class_page.statuses.items()
              if status == "by hand"),
            *_marks_summary(report, class_page)]


def _marks_summary(report, class_page):
    """Summarize what people have added -> list of lines."""
    waiting = sum(count for (*_, status), count in class_page.statuses.items()
                  if status == "by hand")
    return [f"{len(report.marks)} marked by assistants, {len(report.overrides)} corrected, "
            f"{waiting} still to be read.",
            *(f"Nobody here is called: {words}" for words in report.unknown_students())]


def _count(number, noun):
    return f"{number} {noun}{'s' * (number != 1)}"


def listing(found):
    """List whose each file is and what is left aside, before anything is graded -> lines."""
    theirs = {}
    for submission in found.submissions():
        theirs.setdefault(submission.student, []).append(submission)
    n_notebooks = sum(bool(one.found["file"]) for ones in theirs.values() for one in ones)
    n_skipped = sum(not one.is_junk for one in found.skipped)
    lines = [f"{_count(len(theirs), 'student')}, {_count(n_notebooks, 'notebook')}, "
             f"{_count(n_skipped, 'file')} left aside."]
    for student, ones in sorted(theirs.items()):
        called = ones[0].found["name"]
        lines.append(name(student) + f" ({name(called)})" * (called not in ("", student)))
        for one in ones if ones[0].found["file"] else ones[:1]:
            file, flags = one.found["file"], "; ".join(one.found["flags"])
            when = "late " * one.found["is_late"] + one.found["time"][:16].replace("T", " ")
            words = f"{one.exercise:14} {when}{'  ' * bool(when)}{file}"
            lines.append("    " + (words if file else "nothing handed in")
                         + f"  [{flags}]" * bool(flags))
    lines += ["Left aside:"] * bool(found.skipped)
    return lines + [f"    {words}" for words in finding.describe_skipped(found.skipped)]


# Later commands

def _records(options):
    """Open the report that `fi-teach grade` has written -> Records, for a `with` block."""
    place = Path(options.report)
    if not (place / "results.jsonl").exists():
        raise ValueError(f"{place} is no report: name the folder that fi-teach grade has written.")
    return results.opened(place)


def marks(options):
    """Take in assistants' files, and write tables and pages anew -> lines for the instructor."""
    files = {Path(file).name: (Path(file).read_bytes(), read_marks(file)) for file in options.files}
    for file, (_, given) in files.items():
        if not given:
            raise ValueError(f"{file} has no marks yet: nothing was taken in.")
    decided = _course(options, load(options.exercises))
    with _records(options) as records:
        for file, (content, _) in files.items():
            results.write(records.folder / "marks" / file, content)
        report = Report(records, decided)
        class_page = views.write_views(report)
    return [*_marks_summary(report, class_page),
            *(f"Look at {student}, {exercise}: {reason}"
              for student, exercise, reasons in class_page.review
              for reason in reasons if "marked" in reason)]


def export(options):
    """Write the files that platforms import -> lines for the instructor."""
    from fi_grader.exports import gradescope, sheets
    assignments, lines = load(options.exercises), []
    has_sheets = options.moodle is not None or options.canvas is not None
    if not has_sheets and not options.gradescope:
        raise ValueError("say what for: --moodle, --canvas or --gradescope.")
    if options.gradescope:
        if options.exercise not in assignments:
            raise ValueError("Gradescope has an autograder for each set: "
                             f"say --set and one of {', '.join(assignments)}.")
        project, folder = assignments[options.exercise].path.resolve().parents[1], options.report
        seed = results.seed_of(Path(folder)) if (Path(folder) / "seed").exists() else 0
        lines.append(f"Wrote {gradescope.export(folder, options.exercise, project, seed)}")
    if has_sheets:
        decided = _course(options, assignments)
        with _records(options) as records:
            report = Report(records, decided)
            if options.moodle is not None:
                lines += sheets.to_moodle(report, options.exercise, options.moodle)
            if options.canvas is not None:
                lines += sheets.to_canvas(report, options.canvas)
    return lines
