"""What all tests share: the order of work, and one browser.

Tests run on two workers, each file and each notebook on one of them; the longest go first.
A test may hand up a table, `record_property("table", text)`, to be printed under the results.
"""

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("book/tools", "book/_ext")]
collect_ignore_glob = ["*.ipynb"]  # notebooks under tests/ are material for tests, not chapters to run


def needs_book(item):
    return bool({"building", "built_book"} & set(getattr(item, "fixturenames", ())))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """The longest work first: the book and its pages, then the notebooks, then the rest, whole files together."""
    book = {item.path for item in items if needs_book(item)}
    items.sort(key=lambda item: (item.path not in book, item.path.suffix != ".ipynb"))


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
