"""What all tests share: the order of work, and one browser.

Tests run on several workers, each file and each notebook on one of them; the longest go first.
A test may hand up a table, `record_property("table", text)`, to be printed under the results.
"""

import sys
from pathlib import Path

import pytest

FOLDERS = ("tests", "tests/importance", "tests/audit", "tests/course/questions", "tests/grader/submissions",
           "book/tools", "book/_ext")
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in FOLDERS]
collect_ignore_glob = ["*.ipynb"]  # notebooks under tests/ are material for tests, not chapters to run


def pytest_configure(config):
    """Notebooks run in forks of a kernel that has imported what they import, as the book's chapters do."""
    if config.pluginmanager.hasplugin("nbval") and sys.platform == "linux":
        from kernels import forking
        from nbval import kernel

        plain = kernel.KernelManager
        kernel.KernelManager = lambda **settings: forking(plain(**settings))


def turn_of(item):
    """The longest work first: building the book, types, notebooks, pages, then the rest -> int."""
    if item.path.name in ("test_build.py", "test_style.py"):
        return 0
    if item.path.suffix == ".ipynb":
        return 1
    return 2 if "book" in item.path.parts[-2:] else 3


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    items.sort(key=turn_of)


@pytest.fixture(scope="session")
def browser():
    """The system's Chromium, once a worker: two drivers in one process would not get along."""
    from browser import browser

    with browser() as running:
        yield running


def pytest_terminal_summary(terminalreporter):
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, text in report.user_properties:
            if name == "table" and report.when == "call":
                terminalreporter.section(report.nodeid.rpartition("::")[2].removeprefix("test_").replace("_", " "))
                terminalreporter.write_line(text)
