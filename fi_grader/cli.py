"""The instructor's commands: `fi-teach release`, `collect`, `grade`, `marks` and `export`.

What a command needs is imported when it runs, so that --help costs nothing.
"""

import argparse


def add_commands(commands):
    """Add the instructor's commands to the command fi-teach."""
    _add_release(commands)
    _add_collect(commands)
    _add_grade(commands)
    _add_marks(commands)
    _add_export(commands)


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


def release(options):
    from fi_grader.release import release
    for path, files in release(options.out, options.project).items():
        print(f"Wrote {path} ({files} files).")
    return 0


def collect(options):
    from fi_grader import instructor_commands

    print(instructor_commands.collect(
        options.folder, options.out, options.exercises, options.course))
    return 0


def marks(options):
    from fi_grader import instructor_commands
    from fi_grader.notebooks import exercise as assignment

    course = instructor_commands.course_of(options.course, assignment.load(options.exercises))
    print(instructor_commands.take_in(options.report, options.files, course))
    return 0


def export(options):
    from fi_grader import instructor_commands
    from fi_grader.notebooks import exercise as assignment

    assignments = assignment.load(options.exercises)
    wants = [name for name in ("moodle", "canvas") if getattr(options, name) is not None]
    if not wants and not options.gradescope:
        raise ValueError("say what for: --moodle, --canvas or --gradescope.")
    if options.gradescope:
        print(instructor_commands.export_autograder(options.report, options.exercise, assignments))
    if wants:
        course = instructor_commands.course_of(options.course, assignments)
        print(instructor_commands.export(
            options.report, course, moodle=options.moodle, canvas=options.canvas,
            exercise=options.exercise, wants=wants))
    return 0


def grade(options):
    from fi_grader import main as grading
    return grading(options.rest)
