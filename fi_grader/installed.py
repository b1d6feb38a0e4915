"""Where the course's packages are installed, and which of their files a sandbox shows."""

from pathlib import Path

import fi_audit
import fi_course
import fi_grader
import fi_teach

PACKAGES = {module.__name__: Path(module.__path__[0]).resolve()
            for module in (fi_teach, fi_audit, fi_course, fi_grader)}
"""The packages and their folders."""
HIDDEN = ("fi_course/questions", "fi_grader")
"""What a sandbox shows as empty folders, but for the files of `visible_files`."""


def visible_files():
    """List the files of hidden folders that student code needs -> list of str."""
    inside = sorted(path.name for path in (PACKAGES["fi_grader"] / "sandbox/inside").glob("*.py"))
    return ["fi_course/questions/plain_values.py", "fi_course/questions/blocked_calls.py",
            "fi_grader/__init__.py", "fi_grader/sandbox/__init__.py",
            *(f"fi_grader/sandbox/inside/{name}" for name in inside)]


def source_of(path):
    """Return where a file such as "fi_course/questions/plain_values.py" is installed -> Path."""
    package, _, rest = path.partition("/")
    return PACKAGES[package] / rest
