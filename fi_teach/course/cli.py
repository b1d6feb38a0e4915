"""fi-teach: the course's command.

For readers `audit`; for students `doctor` and `submit`;
for instructors `release`, `collect`, `grade`, `marks`, `export`.

Each explains itself with --help.
"""

import argparse
import sys
from importlib.util import find_spec

import fi_teach


def main(arguments=None):
    """Run one command -> exit code: 0 well, 1 something to mend, 2 wrong use (said on stderr)."""
    options = parser().parse_args(arguments)
    try:
        return options.run(options)
    except ValueError as error:
        print(f"fi-teach {options.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"fi-teach {options.command}: stopped.", file=sys.stderr)
        return 130


def parser():
    """The commands and their options -> ArgumentParser."""
    top = argparse.ArgumentParser(
        prog="fi-teach", description="Which Features Matter? The course's own command.")
    top.add_argument("--version", action="version", version=f"fi-teach {fi_teach.__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_audit(commands)
    _add_doctor(commands)
    _add_submit(commands)
    _add_release(commands)
    _add_collect(commands)
    _add_grade(commands)
    _add_marks(commands)
    _add_export(commands)
    return top


def _add_audit(commands):
    command = commands.add_parser(
        "audit", help="say what may be said about a model's features",
        description="Take a fitted model and its table: look first for what would make every "
                    "importance worthless, then write what may be said, and what may not.")
    command.add_argument(
        "model", metavar="MODEL",
        help="joblib's .joblib or .pkl (loading one runs its code), XGBoost's .json or .ubj, "
             "LightGBM's .txt")
    command.add_argument("table", metavar="TABLE", help="CSV or Parquet (which keeps dates)")
    command.add_argument("--target", required=True, metavar="Y", help="the column to predict")
    command.add_argument(
        "--test", metavar="ROWS", help="rows the model has not seen: another table, or a column "
        "that is true in them (default: refit on two thirds, judge on the rest)")
    command.add_argument("--groups", metavar="COLUMN", help="rows that belong together")
    command.add_argument("--time", metavar="COLUMN", help="when each row was decided")
    command.add_argument("--protected", metavar="COLUMN", help="whom it concerns")
    command.add_argument("--weight", metavar="COLUMN", help="how much each row counts")
    command.add_argument(
        "--known-from", action="append", default=[], metavar="COLUMN=DATE-OR-COLUMN",
        help="when a column's value came to be; may be given several times")
    command.add_argument("--quick", action="store_true", help="fewer rows, shuffles and refits")
    command.add_argument("--seed", type=int, default=0, metavar="N")
    command.add_argument("--out", required=True, metavar="FOLDER", help="where the report goes")
    command.set_defaults(run=audit)


def _add_doctor(commands):
    command = commands.add_parser(
        "doctor", help="say what is missing here and how to mend it",
        description="Look at Python, the packages, Jupyter and this folder: what is missing, and "
                    "how to mend it.")
    command.set_defaults(run=doctor)


def _add_submit(commands):
    command = commands.add_parser(
        "submit", help="make one file to hand in",
        description="Pack exercise notebooks into one zip file with versions and hashes, and say "
                    "what is unanswered. Nothing leaves this machine.")
    command.add_argument(
        "notebooks", nargs="+", metavar="NOTEBOOK", help="such as exercises/01_trees.ipynb")
    command.add_argument(
        "--out", required=True, metavar="FILE", help="the zip file to write, such as your-name.zip")
    command.set_defaults(run=submit)


def _add_release(commands):
    command = commands.add_parser(
        "release", help="make the student's and the instructor's bundle",
        description="Write student.zip, in which no answer can be read, and instructor.zip (all "
                    "of it).")
    command.add_argument(
        "--out", required=True, metavar="DIR", help="the folder to write them into")
    command.add_argument(
        "--project", default=".", metavar="DIR",
        help="the folder with exercises/ and solutions/ (default: here)")
    command.set_defaults(run=release)


def _add_collect(commands):
    command = commands.add_parser(
        "collect", help="say whose each file in a download is, before grading",
        description="Look through a folder of what Moodle, Canvas, Gradescope or nbgrader hands "
                    "out, or all of it together: who, which set, which file counts, what is left "
                    "aside and why. `fi-teach grade` reads the same folders.")
    command.add_argument("folder", metavar="FOLDER")
    command.add_argument(
        "--out", metavar="CLEAN",
        help="copy the files that count to CLEAN/<student>/<exercise>.ipynb")
    _add_course(command)
    command.set_defaults(run=collect)


def _add_course(command):
    command.add_argument(
        "--course", metavar="FILE",
        help="what the course has decided (default: course.toml here, if there is one)")
    command.add_argument(
        "--exercises", default="exercises", metavar="DIR",
        help="the notebooks as handed out (default: exercises/)")


def _add_marks(commands):
    command = commands.add_parser(
        "marks", help="take in what assistants have marked, and write the tables anew",
        description="Copy assistants' tables into REPORT/marks/, read REPORT/overrides.csv, and "
                    "write all tables and pages anew. Nothing is graded again.")
    command.add_argument("report", metavar="REPORT")
    command.add_argument(
        "files", nargs="*", metavar="FILE",
        help="what a marking page has saved, such as marks-Ben.csv")
    _add_course(command)
    command.set_defaults(run=marks)


def _add_export(commands):
    command = commands.add_parser(
        "export", help="write the files that Moodle, Canvas and Gradescope import",
        description="Fill in the file that the platform hands out; the filled one lies in "
                    "REPORT/exports/. Without a file one is made from the roster and the names of "
                    "what was handed in.")
    command.add_argument("report", metavar="REPORT")
    command.add_argument(
        "--set", dest="exercise", metavar="SET", help="which set, for Moodle and Gradescope")
    command.add_argument(
        "--moodle", nargs="?", const="", metavar="WORKSHEET",
        help="the grading worksheet of the set, and its feedback as a zip file")
    command.add_argument(
        "--canvas", nargs="?", const="", metavar="GRADEBOOK",
        help="the gradebook that Canvas exports")
    command.add_argument(
        "--gradescope", action="store_true", help="an autograder for the set, to upload")
    _add_course(command)
    command.set_defaults(run=export)


def _add_grade(commands):
    # Everything after `grade` is the grader's own to read, options included:
    # no character begins an option here.
    command = commands.add_parser(
        "grade", help="grade a folder of submissions", add_help=False, prefix_chars="\0")
    command.add_argument("rest", nargs=argparse.REMAINDER)
    command.set_defaults(run=grade)


def audit(options):
    from fi_teach.auditing.command import audit_files
    return audit_files(options)


def doctor(options):
    from fi_teach.course.questions.doctor import examine, report
    findings = examine()
    print(report(findings))
    return int(any(f.needed and not f.well for f in findings))


def submit(options):
    from fi_teach.course.questions.submit import report, submit
    print(report(submit(options.notebooks, options.out), options.out))
    return 0


def release(options):
    if find_spec("fi_teach.course.questions.release") is None:
        raise ValueError("this is a student's copy, which has nothing to release.")
    from fi_teach.course.questions.release import release
    for path, files in release(options.out, options.project).items():
        print(f"Wrote {path} ({files} files).")
    return 0


def _desk():
    if find_spec("fi_teach.course.grading") is None:
        raise ValueError("this copy has no grader: it comes with the instructor's bundle.")
    from fi_teach.course.grading import assignment, desk
    return assignment, desk


def collect(options):
    _, desk = _desk()
    print(desk.collect(options.folder, options.out, options.exercises, options.course))
    return 0


def marks(options):
    assignment, desk = _desk()
    course = desk.course_of(options.course, assignment.load(options.exercises))
    print(desk.take_in(options.report, options.files, course))
    return 0


def export(options):
    assignment, desk = _desk()
    assignments = assignment.load(options.exercises)
    wants = [name for name in ("moodle", "canvas") if getattr(options, name) is not None]
    if not wants and not options.gradescope:
        raise ValueError("say what for: --moodle, --canvas or --gradescope.")
    if options.gradescope:
        print(desk.export_autograder(options.report, options.exercise, assignments))
    if wants:
        course = desk.course_of(options.course, assignments)
        print(desk.export(
            options.report, course, moodle=options.moodle, canvas=options.canvas,
            exercise=options.exercise, wants=wants))
    return 0


def grade(options):
    if find_spec("fi_teach.course.grading") is None:
        raise ValueError("this copy has no grader: it comes with the instructor's bundle.")
    from fi_teach.course.grading import main as grading
    return grading(options.rest)


if __name__ == "__main__":
    sys.exit(main())
