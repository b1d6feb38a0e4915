"""The book as the tests see it: built once, served on localhost, looked at in one browser with the network blocked."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import in_a_fork
import pytest
import yaml
from browser import served
from claims_ledger import plain, read_statements
from live import make
from live_pages import KINDS, WITHOUT, button, put_offline
from sphinx.testing.util import SphinxTestApp

from fi_course.claims import read_ledger

ROOT = Path(__file__).resolve().parents[2]
REAL = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))


def run_tool(name, *arguments, settings=None):
    """Run a tool of the book, without importing for it what another has imported -> the finished process."""
    tool, arguments, settings = str(ROOT / f"book/tools/{name}.py"), list(map(str, arguments)), settings or {}
    if sys.platform != "linux":  # macOS forbids forks with its libraries loaded
        return subprocess.run([sys.executable, tool, *arguments], capture_output=True, text=True, check=False,
                              env={**os.environ, **settings})
    with tempfile.TemporaryDirectory() as folder:
        said = [Path(folder, name) for name in ("out", "err")]
        status = in_a_fork.run(tool, arguments, settings, *said)
        return subprocess.CompletedProcess(arguments, status, *(path.read_text(encoding="utf-8") for path in said))


def put(folder, files):
    """Write files {path in the folder: text} -> the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def prose(path):
    """The words of a notebook: its Markdown cells."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def headings(page):
    """The headings of a chapter, letters and digits only."""
    return {plain(heading) for heading in re.findall(r"^#+ (.*)$", prose(ROOT / f"{page}.ipynb"), re.MULTILINE)}


def notebook(*sources, words="# A small chapter", **more):
    """The text of a notebook: words, then code cells with the ids cell-1, cell-2, ... and whatever else they have."""
    cells = [{"cell_type": "markdown", "id": "words", "metadata": {}, "source": words}]
    cells += [{"cell_type": "code", "id": f"cell-{number}", "metadata": {}, "source": source, "outputs": [],
               "execution_count": None} | more for number, source in enumerate(sources, 1)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


def small_book(folder, *chapters, extensions=("chapter_cache", "figures", "claims_ledger"), files=None):
    """A book of two pages of prose, these chapters, whose numbers begin with 21, and a package -> its folder."""
    names = [f"notebooks/{number}_small" for number in range(21, 21 + len(chapters))]
    config = {"title": "A small book", "only_build_toc_files": True, "execute": {"execute_notebooks": "cache"},
              "exclude_patterns": REAL["exclude_patterns"],
              "sphinx": {"local_extensions": dict.fromkeys(extensions, f"{ROOT}/book/_ext")}}
    files = {"book/start.md": "# Start\n\nHere.\n", "book/other.md": "# Other\n\nThere.\n"} | (files or {})
    pages = [*names, *(name.removesuffix(".md") for name in files if name != "book/start.md")]
    toc = {"format": "jb-book", "root": "book/start", "chapters": [{"file": page} for page in pages]}
    return put(folder, {"_config.yml": yaml.safe_dump(config), "_toc.yml": yaml.safe_dump(toc),
                        "fi_teach/code.py": "x = 1\n"} | files
               | {f"{name}.ipynb": text for name, text in zip(names, chapters, strict=True)})


def sphinx_pages(folder, *names):
    """Build with Sphinx alone what changed in a folder -> [the warnings, each of these pages]."""
    read_ledger.cache_clear(), read_statements.cache_clear()  # a new process would read the files anew
    app = SphinxTestApp(srcdir=folder)
    app.build()
    found = [app.warning.getvalue(), *((app.outdir / f"{name}.html").read_text() for name in names)]
    app.cleanup()
    return found


@pytest.fixture(scope="session")
def building():
    """The book's build as it ended, well or not, as `make book` does it."""
    command = [sys.executable, str(ROOT / "book/tools/build.py")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def built_book(building):
    """The folder of the built pages. If there is none, one test shows why and the others point to it."""
    if building.returncode:
        pytest.fail("there is no book: see test_the_book_builds_without_a_warning", pytrace=False)
    return ROOT / "_build/html"


@pytest.fixture(scope="session")
def live_folder(built_book, tmp_path_factory):
    """The book as `make book LIVE=1` makes it: its pages with the button, and what that fetches.

    The files are made in _build/live, where the next build finds them.
    """
    files = make(ROOT / "_build/live")
    folder = tmp_path_factory.mktemp("live") / "html"
    shutil.copytree(built_book, folder, ignore=shutil.ignore_patterns("live"))
    shutil.copytree(ROOT / "_build/live", folder / "_static/live")
    for path in (*folder.glob("notebooks/*.html"), *folder.glob("exercises/*.html")):
        page, words = path.relative_to(folder).with_suffix("").as_posix(), path.read_text(encoding="utf-8")
        asked = button(page, {name: file["bytes"] for name, file in files.items()})
        path.write_text(words.replace(WITHOUT, asked), encoding="utf-8")
        assert f'data-kind="{KINDS[page.partition("/")[0]]}"' in path.read_text(encoding="utf-8")
    put_offline(folder)
    return folder


@pytest.fixture(scope="session")
def live_book(live_folder):
    """Where that book is served."""
    with served(live_folder) as address:
        yield address


@pytest.fixture(scope="session")
def address(built_book, tmp_path_factory):
    """Where the book is served: copied to another place and left to Python's own server, as a reader without a network
    would."""
    with served(shutil.copytree(built_book, tmp_path_factory.mktemp("elsewhere") / "html")) as address:
        yield address
