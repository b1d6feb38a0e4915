"""Grade what a class has handed in: find, match, run in a sandbox, judge outside of it, report.

The student's code runs in `sandbox/inside/`, the only part of this package a sandbox contains.
Everything else never runs it. README.md follows a submission from step to step.
"""


def main(arguments):
    """Run the command `fi-teach grade` -> exit code. Raises ValueError, saying what to do."""
    import argparse

    from fi_grader.cli import add_commands
    parser = argparse.ArgumentParser(prog="fi-teach")
    add_commands(parser.add_subparsers())
    options = parser.parse_args(["grade", *arguments])
    return options.run(options)
