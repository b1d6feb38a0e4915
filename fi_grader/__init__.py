"""Grade a folder of submissions: read, align, run in a sandbox, judge elsewhere, report.

The student's code runs in `inside/`, the only part of this package a sandbox contains. Everything else never runs it.
"""


def main(arguments=None):
    """The command `fi-teach grade` -> exit code. Raises ValueError for wrong use and for a report that cannot be written."""
    from fi_grader.command import main
    return main(arguments)
