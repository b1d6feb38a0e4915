"""Check that Python, the packages and Jupyter are ready for the exercises.

One screen: what was found, what is missing, and how to mend it.
"""

import os
import shutil
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path

OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 14)
ROLES = {"": "the package", "lab": "to work in Jupyter"}
if find_spec("fi_grader"):  # not in a student's copy, which needs nothing that only a grader needs
    ROLES["grade"] = "only to grade"


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
    folder = Path(folder)
    return [_python(), *_packages(), _kernel(), _exercises(folder), _writable(folder), *_sandbox()]


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
    """Check what the package itself requires on this machine, by the role it has there."""
    try:
        from packaging.requirements import Requirement  # comes with jupyterlab

        wanted = sorted(map(Requirement, requires("fi-teach")), key=lambda one: one.name.lower())
    except ModuleNotFoundError as missing:  # the package or `packaging`
        return [Finding(str(missing.name), False, "not installed",
                        "in the course's folder: pip install \".[lab]\" ./fi_course")]
    found = {}
    for role in ROLES:
        for one in wanted:
            if one.name != "fi-teach" and (not one.marker or one.marker.evaluate({"extra": role})):
                found.setdefault(one.name, _package(one, role))
    return list(found.values())


def _package(one, role):
    mend, needed = f'pip install "{one.name}{one.specifier}"', role != "grade"
    try:
        here = version(one.name)
    except PackageNotFoundError:
        return Finding(one.name, False, f"not installed ({ROLES[role]})", mend, needed)
    fits = one.specifier.contains(here, prereleases=True)
    return Finding(one.name, fits, here if fits else f"{here}, expected {one.specifier}", mend,
                   needed)


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
    well = os.access(folder, os.W_OK)
    return Finding("this folder", well, f"can{'' if well else 'not'} be written to",
                   "copy the course into a folder of your own")


def _sandbox():
    if "grade" not in ROLES:
        return []
    found = shutil.which("bwrap")
    return [Finding("bubblewrap", bool(found), found or "not found (only to grade)",
                    "Linux: apt install bubblewrap", needed=False)]
