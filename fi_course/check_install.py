"""Check that Python, the packages and Jupyter are ready for the exercises.

One screen: what was found, what is missing, and how to mend it.
"""

import os
import re
import shutil
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path

OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 14)
GRADES = find_spec("fi_grader") is not None
"""A student's copy has no grader, and needs nothing that only a grader needs."""
ROLES = {"": "the package", "lab": "to work in Jupyter", "grade": "only to grade"}


@dataclass(frozen=True)
class Finding:
    """One check of the installation: its name, its outcome, what was found and how to mend it."""

    name: str
    well: bool
    found: str
    mend: str = ""
    needed: bool = True

    def __str__(self):
        mark = "ok     " if self.well else "MISSING" if self.needed else "absent "
        mend = "" if self.well else f"\n           -> {self.mend}"
        return f"  {mark}  {self.name:<16} {self.found}{mend}"


def examine(folder="."):
    """Check Python, the packages, Jupyter's kernel and the folder -> list of Finding."""
    return [_python(), *_packages(), _kernel(), _exercises(Path(folder)), _writable(Path(folder)),
            *([_sandbox()] if GRADES else [])]


def report(findings):
    """Format the findings; the last line says what to do -> str."""
    missing = [f for f in findings if f.needed and not f.well]
    last = ("All is well: start with `python -m jupyterlab`." if not missing
            else f"{len(missing)} thing{'s' * (len(missing) > 1)} to mend; "
                 "then run `fi-teach doctor` again.")
    return "\n".join(["fi-teach doctor", *map(str, findings), last])


def _python():
    here = ".".join(map(str, sys.version_info[:3]))
    return Finding("Python", OLDEST_PYTHON <= sys.version_info[:2] <= NEWEST_PYTHON, here,
                   "install Python 3.11, 3.12, 3.13 or 3.14 and make a new environment with it")


def _packages():
    """Check each package of the course's own list against its oldest accepted version."""
    try:
        wanted = requires("fi-teach") or []
    except PackageNotFoundError:
        return [Finding("fi-teach", False, "not installed",
                        "in the course's folder: pip install \".[lab]\" ./fi_course")]
    parsed = [re.match(r"([\w.-]+)(?:\[.*?\])?\s*([^;]*?)\s*(?:;\s*extra == ['\"](\w+)['\"])?$",
                       line) for line in wanted]
    ours = {(m[1].lower(), m[2], m[3] or "") for m in parsed if m and (m[3] or "") in ROLES
            and m[1] != "fi-teach" and (GRADES or m[3] != "grade")}
    once = {}
    for name, condition, extra in sorted(ours, key=lambda one: (list(ROLES).index(one[2]), one[0])):
        once.setdefault(name, _package(name, condition, extra))
    return list(once.values())


def _package(name, condition, extra):
    oldest = re.search(r">=\s*([\d.]+)", condition)
    mend = f'pip install "{name}{condition}"'
    try:
        found = version(name)
    except PackageNotFoundError:
        return Finding(name, False, f"not installed ({ROLES[extra]})", mend,
                       needed=extra != "grade")
    new_enough = oldest is None or _numbers(found) >= _numbers(oldest[1])
    return Finding(name, new_enough, found if new_enough else f"{found} is too old", mend,
                   needed=extra != "grade")


def _numbers(text):
    """Read a version as numbers: "2.3.0rc1" -> (2, 3)."""
    numbers = [int(n) for n in re.match(r"\d+(?:\.\d+)*", text)[0].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _kernel():
    try:
        from jupyter_client.kernelspec import KernelSpecManager
    except ImportError:
        return Finding("Jupyter kernel", False, "Jupyter is not installed",
                       'pip install "ipykernel"')
    kernels = KernelSpecManager().find_kernel_specs()
    return Finding("Jupyter kernel", "python3" in kernels, ", ".join(kernels) or "none",
                   "python -m ipykernel install --user --name python3")


def _exercises(folder):
    here = sorted(folder.glob("exercises/*.ipynb")) or sorted(folder.glob("[0-9][0-9]_*.ipynb"))
    return Finding("exercises", bool(here),
                   f"{len(here)} notebooks" if here else f"none in {folder.resolve()}",
                   "go to the course's folder, the one that holds exercises/")


def _writable(folder):
    return Finding("this folder", os.access(folder, os.W_OK),
                   "can be written to" if os.access(folder, os.W_OK) else "cannot be written to",
                   "copy the course into a folder of your own")


def _sandbox():
    found = shutil.which("bwrap")
    return Finding("bubblewrap", bool(found), found or "not found (only to grade)",
                   "Linux: apt install bubblewrap", needed=False)
