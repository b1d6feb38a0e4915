"""Grade a folder of submissions: read, match, run in a sandbox, judge in another process, report.

The student's code runs in `sandbox/inside/`, the only part of this package a sandbox contains.
Everything else never runs it.
"""


def main(arguments=None):
    """Run the command `fi-teach grade` -> exit code.

    Raises ValueError for wrong use and for a report that cannot be written.
    """
    from fi_grader.command import main
    return main(arguments)
