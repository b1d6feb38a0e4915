"""Run `fi-teach collect`, `fi-teach marks` and `fi-teach export`."""

import json
from collections import defaultdict
from contextlib import closing
from pathlib import Path

from fi_grader import collecting, course_file, escaping, results
from fi_grader.collecting import HANDED_IN
from fi_grader.notebooks import exercise as assignment
from fi_grader.report import load_report
from fi_grader.submissions import reading as read


def course_of(path, assignments):
    """Load the course file that is named, or ./course.toml -> Course, empty if there is none."""
    if path is None and not Path("course.toml").is_file():
        return course_file.Course()
    return course_file.load(path or "course.toml", list(assignments))


# Before grading

def collect(folder, out=None, exercises="exercises", course=None):
    """List whose each file is, and copy those that count to out/<student>/<exercise>.ipynb.

    -> text for the instructor

    Raises ValueError if the folder cannot be understood, or out is not empty or lies in it.
    """
    assignments = assignment.load(exercises)
    found, skipped = collecting.find(folder, list(assignments),
                                     cell_ids=collecting.cell_ids_of(assignments),
                                     roster=course_of(course, assignments).roster)
    lines = _listing(found, skipped)
    if out is not None:
        _check_out(folder, out)
        kept = _copy(found, Path(out))
        lines.append(f"Copied {kept} files to {out}: fi-teach grade {out} --out report")
    return "\n".join(lines)


def _listing(found, skipped):
    theirs = defaultdict(list)
    for s in found:
        theirs[s.student].append(s)
    lines = [f"{len(theirs)} students, {sum(bool(s.path) for s in found)} notebooks, "
             f"{sum(not a.is_junk for a in skipped)} files left aside."]
    for student, ones in theirs.items():
        called = f" ({escaping.name(ones[0].name)})" * (ones[0].name not in ("", student))
        lines.append(f"{escaping.name(student)}{called}")
        lines += [f"    {s.exercise:14} {_when(s)}{escaping.printable(s.file)}{_flag(s)}"
                  for s in ones if s.path] or [f"    nothing handed in{_flag(ones[0])}"]
    return lines + ["Left aside:", *(f"    {escaping.printable(words)}"
                                     for words in collecting.describe_skipped(skipped))] * bool(
                                         skipped)


def _flag(submission):
    return f"  [{submission.flag}]" * bool(submission.flag)


def _when(s):
    late = "late " * s.is_late
    return f"{late}{s.time[:16].replace('T', ' ')}  " if s.time or late else ""


def _check_out(folder, out):
    folder, out = Path(folder).resolve(), Path(out).resolve()
    if out.is_relative_to(folder):
        raise ValueError(f"{out} lies in {folder}, where it would be taken for a student: "
                         "choose a folder beside it.")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"{out} is there already: "
                         "choose a fresh folder, so that nothing of yours is written over.")


def _copy(found, out):
    """Copy what counts, and write down what is known of it -> how many."""
    from tqdm import tqdm
    facts, kept = [], 0
    for s in tqdm(found, unit=" files", disable=len(found) < 100):
        folder = out / s.student
        if s.path:
            try:
                content = read.content_of(s)
            except ValueError as error:
                content = f"{error}\n".encode()
            results.write(folder / f"{s.exercise}.ipynb", content)
            kept += 1
            facts.append({name: getattr(s, name)
                          for name in ("student", "exercise", "name", "platform", "number", "time",
                                       "is_late")})
        folder.mkdir(parents=True, exist_ok=True)
    results.write(out / HANDED_IN, json.dumps(facts, indent=1))
    return kept


# After grading

def take_in(report, files=(), course=None):
    """Copy assistants' files into the report, and write its tables and pages anew.

    -> text for the instructor
    """
    from fi_grader.marks import read_marks
    report = Path(report)
    _check_report(report)
    for file in map(Path, files):
        given = read_marks(file)
        if not given:
            raise ValueError(f"{file} has no marks yet: nothing was taken in.")
        results.write(report / "marks" / file.name, file.read_bytes())
    with results.opened(report) as folder, closing(results.Records(folder)) as records:
        return write_report(folder, records, course or course_file.Course())


def _check_report(report):
    if not (report / "results.jsonl").exists():
        raise ValueError(f"{report} is no report: name the folder that fi-teach grade has written.")


def write_report(folder, records, course):
    """Write all tables and pages of a report -> a summary of marks and corrections."""
    from fi_grader import class_page, pages, tables
    whole = load_report(folder, records, course)
    tables.write_tables(whole)
    pages.write_feedback(whole)
    class_page.write_class_page(whole, results.times(folder, records))
    waiting = sum(row["status"] == "by hand" for record in whole.values() for row in record["rows"])
    lines = [f"{len(whole.marks.marks)} marked by assistants, "
             f"{len(whole.marks.overrides)} corrected, {waiting} still to be read."]
    lines += [f"Nobody here is called: {words}" for words in whole.marks.unknown_students]
    lines += [f"Look at {r['student']}, {r['exercise']}: {flag}" for r in whole.values()
              for flag in r["human"] if "marked" in flag]
    return "\n".join(map(escaping.printable, lines))


def export(report, course, *, moodle=None, canvas=None, exercise=None, wants=()):
    """Write the files that platforms import -> text for the instructor.

    moodle, canvas : the files that they hand out, or "" to make them from what is known
    wants : which of "moodle" and "canvas"
    """
    from fi_grader.exports import canvas as to_canvas
    from fi_grader.exports import moodle as to_moodle
    _check_report(Path(report))
    with results.opened(report) as folder, closing(results.Records(folder)) as records:
        whole = load_report(folder, records, course)
        paths, notes = [], []
        for name in wants:
            if name == "moodle":
                _check_set(exercise, whole)
                new, words = to_moodle.export(whole, exercise, moodle)
            else:
                new, words = to_canvas.export(whole, canvas)
            paths += new
            notes += words
    return "\n".join([f"Wrote {path}" for path in paths] + list(map(escaping.printable, notes)))


def _check_set(exercise, whole):
    if exercise not in whole.seen:
        raise ValueError("Moodle has a worksheet for each set: "
                         f"say --set and one of {', '.join(whole.seen)}.")



def export_autograder(report, exercise, assignments):
    """Write a set's autograder for Gradescope -> text for the instructor."""
    from fi_grader.exports.gradescope import export
    if exercise not in assignments:
        raise ValueError("Gradescope has an autograder for each set: "
                         f"say --set and one of {', '.join(assignments)}.")
    project = next(iter(assignments.values())).path.resolve().parents[1]
    seed = results.seed_of(Path(report)) if (Path(report) / "seed").exists() else 0
    return f"Wrote {export(report, exercise, project, seed)}"
