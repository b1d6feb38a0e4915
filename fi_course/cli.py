"""The student's commands: `fi-teach doctor` and `fi-teach submit`.

What a command needs is imported when it runs, so that --help costs nothing.
"""


def add_commands(commands):
    """Add `doctor` and `submit` to the command fi-teach."""
    command = commands.add_parser(
        "doctor", help="say what is missing here and how to mend it",
        description="Look at Python, the packages, Jupyter and this folder: what is missing, and "
                    "how to mend it.")
    command.set_defaults(run=doctor)

    command = commands.add_parser(
        "submit", help="make one file to hand in",
        description="Run exercise notebooks afresh, say how each question stands, and pack them "
                    "into one zip file with versions and hashes. Nothing leaves this machine.")
    command.add_argument(
        "notebooks", nargs="+", metavar="NOTEBOOK", help="such as exercises/01_trees.ipynb")
    command.add_argument(
        "--out", metavar="FILE",
        help="the zip file to write (default: beside the first notebook, with its name)")
    command.set_defaults(run=submit)


def doctor(options):
    from fi_course.check_install import examine, report
    findings = examine()
    print(report(findings))
    return int(any(f.needed and not f.well for f in findings))


def submit(options):
    from fi_course.submit import submit_and_report
    print(submit_and_report(options.notebooks, options.out))
    return 0
