"""Run the instructor's commands: from a class's files to grades, feedback and exports."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from difflib import get_close_matches
from glob import glob
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from fi_grader import installed
from fi_grader.escaping import name, printable
from fi_grader.judging import worker
from fi_grader.judging.judge import blank_record
from fi_grader.notebooks.exercise import load
from fi_grader.report import course, pages, results, tables
from fi_grader.report.class_page import ClassPage
from fi_grader.report.marks import read_marks
from fi_grader.report.report import Report
from fi_grader.report.spreadsheets import Table
from fi_grader.sandbox import choose
from fi_grader.submissions import finding

PATIENCE_WITH_A_CLUSTER = 20
"""Seconds in which a dask scheduler must answer."""


def release(options):
    """Write the two bundles -> text for the instructor."""
    from fi_grader.release import release
    bundles = release(options.out, options.project)
    return "\n".join(f"Wrote {path} ({files} files)." for path, files in bundles.items())


def grade(options):
    """Grade a class -> text for the instructor.

    options : what the command line says (cli.py)

    Raises ValueError, saying what to do, if that cannot be done.
    """
    options.submissions = [  # a pattern such as downloads/* is expanded where no shell has done it
        place for name in options.submissions
        for place in ([name] if Path(name).exists() else sorted(glob(name)) or [name])]
    _check(options)
    here, beside = Path("exercises"), installed.PACKAGES["fi_grader"].parent / "exercises"
    exercises = options.exercises or (
        beside if beside.is_dir() and not here.is_dir() else here.resolve())
    assignments = load(exercises)
    decided = course_of(options.course, assignments)
    found = finding.find(options.submissions, list(assignments), roster=decided.roster,
                         cell_ids=finding.cell_ids_of(assignments))
    if options.list:
        return listing(found)
    is_wanted = _selection(options.only, found, assignments)
    level = choose.level(options.sandbox)
    submissions = found.submissions()
    first = next(submissions)  # before a report is begun: raises ValueError if there is nothing
    with results.opened(options.out) as folder, closing(results.Records(folder)) as records:
        seed = results.seed_of(folder, _seed(options.seed, decided.seed))
        settings = {"exercises": str(exercises), "seed": seed, "limit": options.time_limit,
                    "sandbox": level}
        seen = _grade(chain([first], submissions), is_wanted, len(found.files), assignments,
                      records, settings, options)
        _remove_missing(folder, records, set(map(str, found.sources)), seen)
        records.sort()
        report = Report(folder, records, decided)
        tables.write_files(report, found.skipped, list(map(str, found.sources)))
        summary = _summary(report, write_views(report))
        if options.marking:
            paths = pages.write_marking(report, options.assistants)
            summary += [f"To be marked: {path}" for path in paths]
        if options.gradebook:
            from fi_grader.exports.gradebook import export
            export(report, assignments)
    summary += [f"Left aside: {words}" for words in finding.describe_skipped(found.skipped)]
    summary.append(f"The report: {options.out}/index.html, grades.csv, students.csv, files.csv, "
                   "feedback/")
    return "\n".join(map(printable, summary))


def _check(options):
    """Raise ValueError for options that make no sense."""
    if options.jobs < 1:
        raise ValueError(f"--jobs {options.jobs}: at least 1 must be at work.")
    if options.time_limit is not None and not options.time_limit > 0:
        raise ValueError(f"--time-limit {options.time_limit:g}: it is in seconds, and more than 0.")
    if options.seed is not None and options.seed < 0:
        raise ValueError(f"--seed {options.seed}: a seed is a whole number from 0 on.")
    if options.out is None and not options.list:
        raise ValueError("say where the report goes: --out REPORT (or --list to see what is "
                         "there).")
    for folder in map(Path, options.submissions if options.out else ()):
        if Path(options.out).resolve().is_relative_to(folder.resolve()) and folder.is_dir():
            raise ValueError(f"--out {options.out} lies in {folder}, "
                             "where it would be taken for a student: choose a folder beside it, "
                             f"such as {folder.resolve().parent / 'report'}")


def course_of(path, assignments):
    """Load the course file that is named, or ./course.toml -> Course, empty if there is none."""
    if path is None and not Path("course.toml").is_file():
        return course.Course()
    return course.load(path or "course.toml", list(assignments))


def _seed(wanted, of_the_course=None):
    set_outside = os.environ.get("FI_TEACH_SEED")
    if wanted is not None or not set_outside:
        return of_the_course if wanted is None else wanted
    return results.whole_number(set_outside, "FI_TEACH_SEED")


def _selection(names, found, assignments):
    """Return which submissions are selected -> function of a Submission.

    Raises ValueError for a name that is neither a student's nor an exercise's.
    """
    unknown = sorted(set(names) - set(found.files) - set(assignments))
    if unknown:
        here = [*sorted(found.files), *assignments]
        near = [one for name in unknown for one in get_close_matches(name, here, 2, 0.4)]
        raise ValueError(f"--only {' '.join(unknown)}: "
                         "no student and no exercise here has that name. "
                         f"Names here are {', '.join(near or here[:8])}.")
    students, exercises = set(names) & set(found.files), set(names) & set(assignments)
    return lambda submission: ((not students or submission.student in students)
                               and (not exercises or submission.exercise in exercises))


# Grading

def _grade(submissions, is_wanted, n_students, assignments, records, settings, options):
    """Grade the submissions that have no valid result yet -> set of (student, exercise) found."""
    from tqdm import tqdm
    seen, students, facts = set(), set(), {}
    with (tqdm(total=n_students, unit=" submissions", smoothing=0.1, dynamic_ncols=True) as bar,
          _pool(options) as pool):

        def jobs():
            for submission in submissions:
                place = submission.student, submission.exercise
                seen.add(place)
                bar.total += submission.student in students
                students.add(submission.student)
                job = _job(submission, assignments, settings["seed"])
                if not is_wanted(submission):
                    bar.total -= 1
                elif records.has(place, job["key"]):
                    facts[place] = job["found"]
                    bar.update()
                else:
                    yield job
        for job, reply in worker.grade_all(jobs(), settings, pool, 2 * options.jobs):
            records.add(record_of(job, reply, assignments, settings["sandbox"]))
            bar.update()
    for place, found in facts.items():
        records.update_facts(place, found)
    return seen


def _job(submission, assignments, seed):
    """Describe a submission for the graders: what to grade, and the key of its result -> dict."""
    content = submission.content
    key = results.key_of(submission.student, submission.exercise,
                         submission.problem.encode() if content is None else content,
                         assignments[submission.exercise], seed)
    return {"student": submission.student, "exercise": submission.exercise, "key": key,
            "found": submission.found, "problem": submission.problem if content is None else "",
            "content": content or b""}


def record_of(job, reply, assignments, sandbox):
    """Make the record of a graded job, or of one that could not be graded -> dict."""
    record = {name: job[name] for name in ("student", "exercise", "key", "found")}
    problem = job["problem"] or reply.get("problem", "")
    if not problem:
        return {**record, **reply["record"], "sandbox": sandbox}
    flag = "no notebook" if job["found"]["file"] else "nothing handed in"
    if reply.get("problem"):
        # the grader's own failure is no result: the next run tries once more
        flag, record["key"] = "given up", f"{job['key']} (again)"
    blank = blank_record(assignments[job["exercise"]], flag, f"Nothing was graded: {problem}")
    return {**record, **blank, "sandbox": sandbox}


def _remove_missing(folder, records, sources, seen):
    """Remove the results of files that lay in these sources and lie there no more."""
    gone = {place for place, (_, _, source) in records.places.items()
            if source in sources and place not in seen}
    for student, exercise in gone:
        records.remove((student, exercise))
        (folder / "feedback" / student / f"{exercise}.html").unlink(missing_ok=True)


@contextmanager
def _pool(options):
    """Yield the executor that grades: threads here, or a dask cluster; its workers end with it.

    Raises ValueError if dask is missing or the cluster is not there.
    """
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


# Reports

def write_views(report):
    """Write all tables and pages of a report, in one pass -> ClassPage, what was counted."""
    class_page = ClassPage(report)
    grades, students = Table(tables.GRADES), Table(tables.head_of_students(report))
    for student in report.students():
        for row in tables.grades_of(student):
            grades.add(row)
        students.add(tables.row_of_student(report, student))
        pages.write_feedback(report.folder, student)
        class_page.add(student)
    tables.write_ours(report.folder / "grades.csv", grades.text())
    tables.write_ours(report.folder / "students.csv", students.text())
    class_page.write()
    return class_page


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
    marks, waiting = report.marks, sum(
        count for (*_, status), count in class_page.statuses.items() if status == "by hand")
    return [f"{len(marks.marks)} marked by assistants, {len(marks.overrides)} corrected, "
            f"{waiting} still to be read.",
            *(f"Nobody here is called: {words}" for words in marks.unknown_students(report.ids))]


def _count(number, noun):
    return f"{number} {noun}{'s' * (number != 1)}"


def listing(found):
    """List whose each file is and what is left aside, before anything is graded -> text."""
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
    if found.skipped:
        lines += ["Left aside:", *(f"    {words}" for words
                                   in finding.describe_skipped(found.skipped))]
    return "\n".join(map(printable, lines))


@contextmanager
def _records(folder):
    """Open a report that `fi-teach grade` has written -> (its folder, Records), for a `with`."""
    if not (Path(folder) / "results.jsonl").exists():
        raise ValueError(f"{folder} is no report: name the folder that fi-teach grade has written.")
    with results.opened(folder) as place, closing(results.Records(place)) as records:
        yield place, records


def marks(options):
    """Take in assistants' files, and write tables and pages anew -> text for the instructor."""
    decided = course_of(options.course, load(options.exercises))
    files = {Path(file).name: (Path(file).read_bytes(), read_marks(file)) for file in options.files}
    for file, (_, given) in files.items():
        if not given:
            raise ValueError(f"{file} has no marks yet: nothing was taken in.")
    with _records(options.report) as (folder, records):
        for file, (content, _) in files.items():
            results.write(folder / "marks" / file, content)
        report = Report(folder, records, decided)
        class_page = write_views(report)
    lines = _marks_summary(report, class_page)
    lines += [f"Look at {student}, {exercise}: {reason}"
              for student, exercise, reasons in class_page.review
              for reason in reasons if "marked" in reason]
    return "\n".join(map(printable, lines))


def export(options):
    """Write the files that platforms import -> text for the instructor."""
    from fi_grader.exports import sheets
    assignments, lines = load(options.exercises), []
    wants = [name for name in ("moodle", "canvas") if getattr(options, name) is not None]
    if not wants and not options.gradescope:
        raise ValueError("say what for: --moodle, --canvas or --gradescope.")
    if options.gradescope:
        from fi_grader.exports import gradescope
        if options.exercise not in assignments:
            raise ValueError("Gradescope has an autograder for each set: "
                             f"say --set and one of {', '.join(assignments)}.")
        project = assignments[options.exercise].path.resolve().parents[1]
        kept = Path(options.report) / "seed"
        seed = results.seed_of(Path(options.report)) if kept.exists() else 0
        lines.append(
            f"Wrote {gradescope.export(options.report, options.exercise, project, seed)}")
    if wants:
        decided = course_of(options.course, assignments)
        with _records(options.report) as (folder, records):
            report = Report(folder, records, decided)
            done = [sheets.to_moodle(report, options.exercise, options.moodle)
                    if name == "moodle" else sheets.to_canvas(report, options.canvas)
                    for name in wants]
        lines += [f"Wrote {path}" for paths, _ in done for path in paths]
        lines += [note for _, notes in done for note in notes]
    return "\n".join(map(printable, lines))
