"""The build: strict, quick when little changed, and clear about which cell failed."""

import ast
import re
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from build import SOURCES
from chapter_cache import fingerprint

from .conftest import REAL, ROOT, notebook, put, run_tool, small_book


def test_the_book_builds_without_a_warning(building, request):
    """Every warning is an error, and what is built is the whole table of contents."""
    assert building.returncode == 0, building.stdout + building.stderr
    built_book = request.getfixturevalue("built_book")
    assert (built_book / "index.html").exists()
    assert (built_book / "book/ledger.html").exists()


def test_there_are_few_extensions_and_each_says_what_it_puts_on_the_page():
    """Every module of book/_ext is one, so that the list in _config.yml is the whole of it."""
    modules = {path.stem: ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
               for path in (ROOT / "book/_ext").glob("*.py")}
    assert set(modules) == set(REAL["sphinx"]["local_extensions"]) and len(modules) <= 14
    assert [name for name, words in modules.items() if len((words or "").split("\n\n")[0]) < 40] == []


def test_what_did_not_change_is_not_built_again(tmp_path):
    """A second `make book` takes a moment; editing prose runs no chapter and writes one page; editing fi_teach runs
    every chapter and keeps few old caches. Hidden folders, as programs beside the book make them, are not read."""
    book, html = small_book(tmp_path, notebook("1 + 1")), tmp_path / "_build/html"
    caches = put(tmp_path / "_build/.jupyter_cache", {"old/a": "", "older/a": ""})
    for name in (".tox/lib/broken", ".direnv/broken"):
        put(book, {f"{name}.ipynb": "no notebook", f"{name}.md": "# Broken\n\n```{nothing}\n```\n"})

    def said(files):
        done = run_tool("build", "--root", put(book, files))
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    assert "21_small" in said({})
    before = (html / "notebooks/21_small.html").stat().st_mtime_ns
    assert "up to date" in said({})
    assert "21_small" not in said({"book/other.md": "# Other\n\nElsewhere.\n"})
    assert "Elsewhere" in (html / "book/other.html").read_text()
    assert (html / "notebooks/21_small.html").stat().st_mtime_ns == before
    assert "21_small" in said({"fi_teach/code.py": "x = 2\n"})
    assert {path.name for path in caches.iterdir()}.isdisjoint({"old", "older"}) and len(list(caches.iterdir())) == 2


def test_the_cache_knows_everything_that_outputs_depend_on(tmp_path):
    """Python, data, styles, scripts and the ledger count; prose and compiled files do not. The pages depend on prose,
    too, and on model answers."""
    seen = {fingerprint(tmp_path)}
    for name in ("fi_teach/a.py", "fi_teach/a.js", "fi_teach/a.csv", "fi_teach/a.css", "book/claims.yaml"):
        put(tmp_path, {name: "new"})
        assert fingerprint(tmp_path) not in seen, name
        seen.add(fingerprint(tmp_path))
    put(tmp_path, {"fi_teach/__pycache__/a.py": "new"})
    assert fingerprint(tmp_path) in seen
    for name in ("book/prose.md", "solutions/a.ipynb"):
        before = fingerprint(tmp_path, SOURCES)
        put(tmp_path, {name: "new"})
        assert fingerprint(tmp_path) in seen and fingerprint(tmp_path, SOURCES) != before, name


DRAWING = "from fi_teach import plots\nax = plots.new_axes()\nax.bar([0, 1], [0.6, 0.4])"
CLAIM = ('decrease = 4 * 0.811\nfrom fi_course.claims import claim\nclaim("GLF-04", holds=decrease > 3, '
         'figure=decrease)')
WORDS = """# A small chapter

**Predict.** What is 2 + 2?

<details><summary>5</summary>

No.
</details>
<details><summary>4</summary>

Right: four.
</details>
"""
STOPPED = {
    "chapters: a false claim, a kernel that dies, as of one that asks for too much memory": (
        [notebook("1 + 1", CLAIM), notebook("1 + 1", "import os\nos._exit(3)"), notebook("1 + 1", "2")], {},
        ["notebooks/21_small.ipynb: cell cell-2", r"decrease = 4 \* 0.811", "AssertionError", "the ledger says 'fails'",
         "notebooks/22_small.ipynb: cell cell-2 failed", "Kernel died"]),
    "pages: a link to nowhere, a figure that is gone, predictions without exactly one right answer and a question, a "
    "figure without words": (
        [notebook(words=WORDS.replace("Right:", "It is")), notebook(words=WORDS.replace("No.", "Right, no.")),
         notebook(DRAWING, words=WORDS.replace("**Predict.** What is 2 + 2?", "- A list."))],
        {"book/other.md": "# Other\n\n[Nowhere](nowhere.md).\n\n```{figure-of} notebooks/21_small cell-9\n```\n"},
        ["nowhere.md", "notebooks/21_small has no figure in a cell 'cell-9'", "21_small.ipynb:.* no answers to",
         "22_small.ipynb:.* 2 answers to", "23_small.ipynb:.* have no question", "no alt text"]),
}
"""What stops a build -> chapters, other files, and what is said of each."""


@pytest.mark.parametrize("what", STOPPED)
def test_what_is_wrong_stops_the_build_and_is_named(tmp_path, what):
    """The second time too: a page that was read once does not keep quiet about its warning."""
    chapters, files, parts = STOPPED[what]
    extensions = ("chapter_cache", "figures", "claims_ledger", "cards", "start_page")
    book = small_book(tmp_path, *chapters, extensions=extensions, files=files)
    for _ in range(2 if files else 1):
        done = run_tool("build", "--root", book, "--jobs", "2")
        assert done.returncode == 1
        assert [part for part in parts if not re.search(part, done.stdout + done.stderr)] == []
        assert "unknown node" not in done.stderr and "23_small.ipynb: cell" not in done.stderr
    assert files or not (book / "_build/html/book/start.html").exists()


SAME = ("import os, sys\nassert os.getcwd().endswith('notebooks') and '' in sys.path\n"
        "assert not [path for path in sys.path if path.endswith(('book/tools', 'book/_ext'))]\n"
        "assert not [name for name in sys.modules if name.startswith('fi_teach')] and __name__ == '__main__'")
"""What a chapter finds where it runs: its own folder, and nothing of the build's."""


@pytest.mark.parametrize("n_chapters", [1, 3])
def test_a_chapter_runs_as_a_reader_runs_it(tmp_path, n_chapters):
    """One begins in a new Python; of several, each in a fork of a kernel that has imported libraries."""
    forked = n_chapters > 2 and sys.platform == "linux"
    chapter = notebook(SAME, "assert sys.modules['__main__'].os is os",
                       f"assert ('sklearn' in sys.modules) is {forked}\nassert not hasattr(os, 'seen')\nos.seen = True")
    result = run_tool("build", "--root", small_book(tmp_path, *[chapter] * n_chapters), "--jobs", "2")
    assert result.returncode == 0, result.stdout + result.stderr


def runs(number):
    """Whether a process is there and is more than a dead one's entry."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(number).status() != psutil.STATUS_ZOMBIE


def waited_for(happens, seconds=60):
    """Whether it happens within so many seconds."""
    until = time.monotonic() + seconds
    while not happens() and time.monotonic() < until:
        time.sleep(0.1)
    return happens()


@pytest.mark.skipif(sys.platform != "linux", reason="kernels are forks on Linux alone")
def test_a_killed_build_leaves_no_kernel_running_and_no_file_through_which_they_talked(tmp_path):
    """Even if it had no time to end them itself."""
    told = tmp_path / "told"
    told.mkdir()
    chapter = notebook("import os\nfrom ipykernel.kernelapp import IPKernelApp\n"
                       f"with open(f'{told}/{{os.getpid()}}', 'w') as file:\n    file.write(IPKernelApp.instance().ip)",
                       "import time\ntime.sleep(600)")
    book = small_book(tmp_path, chapter, chapter.replace("sleep(600)", "sleep(601)"), chapter.replace("600", "602"))
    command = [sys.executable, str(ROOT / "book/tools/build.py"), "--root", str(book), "--jobs", "2"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        assert waited_for(lambda: sum(bool(path.read_text()) for path in told.iterdir()) == 2)
        kernels = [int(path.name) for path in told.iterdir()]
        files = [Path(path.read_text()) for path in told.iterdir()]
        assert all(map(runs, kernels)) and all(list(one.parent.glob(f"{one.name}-*")) for one in files)
        running.kill()
    assert waited_for(lambda: not any(map(runs, kernels)))
    assert not [left for one in files for left in one.parent.glob(f"{one.name}-*")]


def test_the_tools_say_what_is_wrong_when_the_port_is_taken(built_book):
    """`make book` beside another copy of the book names the way out."""
    from serve import serve, server_of

    with server_of(built_book) as other, pytest.raises(SystemExit, match="make book PORT="):
        serve(other.server_port)


def test_make_without_python_says_so_in_a_line(tmp_path):
    """No traceback and no half-made environment: one line that names the versions."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    locks = [*ROOT.glob("requirements*.lock"), ROOT / "pyproject.toml", ROOT / "fi_course/pyproject.toml"]
    put(tmp_path, {str(path.relative_to(ROOT)): "" for path in locks} | {"bin/none": ""})
    tools = tmp_path / "bin"
    for name in ("sh", "cat", "cksum", "cut", "rm"):
        (tools / name).symlink_to(Path(shutil.which(name)))
    result = subprocess.run([shutil.which("make"), "-C", str(tmp_path), "book", "SERVE=0", f"SHELL={tools}/sh"],
                            env={"PATH": str(tools)}, capture_output=True, text=True, check=False)
    complaint = [line for line in result.stderr.splitlines() if not line.startswith("make")]
    assert result.returncode != 0 and len(complaint) == 1 and "Python 3.11" in complaint[0]
    assert not (tmp_path / ".venv").exists()


def test_the_api_page_has_the_methods_of_what_a_package_exports(built_book):
    """Each with its own address; what a package does not export is not offered."""
    page = (built_book / "book/api.html").read_text(encoding="utf-8")
    names = set(re.findall(r'<dt class="sig sig-object py" id="([^"]+)"', page))
    assert names >= {"fi_teach.trees.cart.grow_cart", "fi_teach.basics.results.Importance.to_frame",
                     "fi_teach.basics.forest.Forest.predict"}
    assert len(names) > 230 and not [name for name in names if "._" in name]


def test_no_page_shows_an_address_of_this_computers_memory_or_what_python_warned_of(built_book):
    """A rebuilt book would show another: functions are shown by their names. A warning names the file of the kernel
    that gave it."""
    found = [page.name for page in built_book.rglob("*.html")
             if re.search(r"\bat\b(<[^>]+>|\s)*0x[0-9a-f]{6}|ipykernel_\d+/", page.read_text(encoding="utf-8"))]
    assert found == []
