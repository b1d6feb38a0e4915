"""The instructor's commands: `fi-teach release`, `grade`, `marks` and `export`."""

import os


def add_commands(commands):
    """Add the instructor's commands to the command fi-teach."""
    def command(name, help, description):
        def run(options):
            from fi_grader import command, escaping  # not before: --help costs nothing
            print(*map(escaping.printable, getattr(command, name)(options)), sep="\n")
            return 0
        parser = commands.add_parser(name, help=help, description=description)
        parser.set_defaults(run=run)
        return parser.add_argument

    add = command("release", "make the student's and the instructor's bundle",
                  "Write student.zip, in which no answer can be read, and instructor.zip (all of "
                  "it).")
    add("--out", required=True, metavar="DIR", help="the folder to write them into")
    add("--project", default=".", metavar="DIR",
        help="the folder with exercises/ and solutions/ (default: here)")

    add = command("grade", "grade what a class has handed in",
                  "Grade a class. Start it again with the same words and it goes on where it was; "
                  "nothing is graded twice.")
    add("submissions", nargs="+", metavar="SUBMISSIONS",
        help="each download as it came: a zip file of the whole class, or a folder with a folder "
             "(or a zip file) for each student")
    add("--out", metavar="REPORT",
        help="the folder for results, grades.csv, feedback/ and index.html")
    add("--list", action="store_true",
        help="only say whose each file is, which one counts, and what is left aside and why")
    add("--jobs", type=int, default=os.cpu_count(), metavar="N",
        help="how many to grade at once (default: one a processor)")
    add("--sandbox", default="auto", metavar="KIND",
        help="the sandbox around submitted code: bwrap (bubblewrap), or wasm (WebAssembly) where "
             "there is no Linux (default: auto, the first that works)")
    add("--seed", type=int, metavar="S",
        help="the secret that inputs are drawn from "
             "(default: FI_TEACH_SEED, or a fresh one kept in REPORT/seed)")
    add("--only", nargs="+", default=(), metavar="NAME", help="only these exercises or students")
    add("--marking", action="store_true",
        help="also write marking/, offline pages on which assistants mark the prose")
    add("--assistants", nargs="+", default=(), metavar="NAME",
        help="who marks, if no roster says so")
    add("--gradebook", action="store_true",
        help="also write nbgrader's gradebook, with what is graded by hand")
    add("--time-limit", type=float, metavar="SECONDS",
        help="the longest a question may take, if it allows more itself")
    add("--cluster", metavar="ADDRESS",
        help="a dask scheduler whose workers grade "
             "(needs the cluster extra and a shared course folder)")
    _add_course(add, exercises=None)

    add = command("marks", "take in what assistants have marked, and write the tables anew",
                  "Copy assistants' tables into REPORT/marks/, read REPORT/overrides.csv, and "
                  "write all tables and pages anew. Nothing is graded again.")
    add("report", metavar="REPORT")
    add("files", nargs="*", metavar="FILE",
        help="what a marking page has saved, such as marks-Ben.csv")
    _add_course(add)

    add = command("export", "write the files that Moodle, Canvas and Gradescope import",
                  "Fill in the file that the platform hands out; the filled one lies in "
                  "REPORT/exports/. Without a file one is made from the roster and the names of "
                  "what was handed in.")
    add("report", metavar="REPORT")
    add("--set", dest="exercise", metavar="SET", help="which set, for Moodle and Gradescope")
    add("--moodle", nargs="?", const="", metavar="WORKSHEET",
        help="the grading worksheet of the set, and its feedback as a zip file")
    add("--canvas", nargs="?", const="", metavar="GRADEBOOK",
        help="the gradebook that Canvas exports")
    add("--gradescope", action="store_true", help="an autograder for the set, to upload")
    _add_course(add)


def _add_course(add, exercises="exercises"):
    add("--course", metavar="FILE",
        help="what the course has decided: roster, deadlines, weights (default: course.toml here, "
             "if there is one)")
    add("--exercises", default=exercises, metavar="DIR",
        help="the notebooks as handed out (default: exercises/ here)")
