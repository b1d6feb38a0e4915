"""Where the course's packages are installed, and which of their files a sandbox shows."""

from functools import lru_cache
from pathlib import Path

import fi_audit
import fi_course
import fi_grader
import fi_teach
from fi_course.questions.blocked_calls import functions_at

PACKAGES = {module.__name__: Path(module.__path__[0]).resolve()
            for module in (fi_teach, fi_audit, fi_course, fi_grader)}
HIDDEN = ("fi_course/questions", "fi_grader")  # hidden, but for `visible_files`


def visible_files():
    """List the files of hidden folders that student code needs -> list of str."""
    inside = sorted(path.name for path in (PACKAGES["fi_grader"] / "sandbox/inside").glob("*.py"))
    return ["fi_course/questions/plain_values.py", "fi_course/questions/blocked_calls.py",
            "fi_grader/__init__.py", "fi_grader/sandbox/__init__.py",
            *(f"fi_grader/sandbox/inside/{name}" for name in inside)]


@lru_cache
def files_of(names):
    """List the files that define these functions, such as "fi_teach/trees/cart.py" -> list."""
    paths = {Path(function.__code__.co_filename).resolve()
             for name in names for function in functions_at(name)}
    return sorted(f"{package}/{path.relative_to(folder).as_posix()}" for path in paths
                  for package, folder in PACKAGES.items() if path.is_relative_to(folder))


def source_of(path):
    """Return where a file such as "fi_course/questions/plain_values.py" is installed -> Path."""
    package, _, rest = path.partition("/")
    return PACKAGES[package] / rest
