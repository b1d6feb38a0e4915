"""The build: strict, quick when little changed, and clear about which cell failed."""

import ast
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from .conftest import ROOT, build, build_small

REAL = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
CONFIG = f"""title: A small book
only_build_toc_files: true
exclude_patterns: {REAL["exclude_patterns"]}
execute: {{execute_notebooks: cache}}
sphinx:
  local_extensions: {{chapter_cache: {ROOT}/book/_ext, figures: {ROOT}/book/_ext, claims_ledger: {ROOT}/book/_ext}}
"""
EVERY_EXTENSION = "".join(f"    {name}: {ROOT}/book/_ext\n" for name in REAL["sphinx"]["local_extensions"])
TOC = "format: jb-book\nroot: book/start\nchapters:\n- file: notebooks/21_small\n- file: book/other\n"


def write_notebook(path, *sources):
    """A notebook of code cells with the ids cell-1, cell-2, ..., under a title."""
    cells = [{"cell_type": "markdown", "id": "title", "metadata": {}, "source": "# A small chapter"}]
    cells += [{"cell_type": "code", "id": f"cell-{number}", "metadata": {}, "source": source, "outputs": [],
               "execution_count": None} for number, source in enumerate(sources, 1)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    path.write_text(json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}))


@pytest.fixture
def small_book(tmp_path):
    """A book of two prose pages and one chapter, in a folder of its own, with a package beside it."""
    for folder in ("book", "notebooks", "fi_teach"):
        (tmp_path / folder).mkdir()
    (tmp_path / "_config.yml").write_text(CONFIG)
    (tmp_path / "_toc.yml").write_text(TOC)
    (tmp_path / "book/start.md").write_text("# Start\n\nHere.\n")
    (tmp_path / "book/other.md").write_text("# Other\n\nThere.\n")
    (tmp_path / "fi_teach/code.py").write_text("x = 1\n")
    write_notebook(tmp_path / "notebooks/21_small.ipynb", "1 + 1")
    return tmp_path


def test_the_book_builds_without_a_warning(building, request):
    """Every warning is an error, and what is built is the whole table of contents."""
    assert building.returncode == 0, building.stdout + building.stderr
    built_book = request.getfixturevalue("built_book")
    assert (built_book / "index.html").exists()
    assert (built_book / "book/ledger.html").exists()


def test_a_figure_that_is_gone_from_its_chapter_is_a_warning_and_no_crash(small_book):
    config = small_book / "_config.yml"
    config.write_text(config.read_text().replace("claims_ledger:", f"start_page: {ROOT}/book/_ext, claims_ledger:"))
    (small_book / "book/start.md").write_text("# Start\n\n```{figure-of} notebooks/21_small cell-9\n```\n")
    done = build_small(small_book)
    assert done.returncode and "notebooks/21_small has no figure in a cell 'cell-9'" in done.stdout + done.stderr
    assert "unknown node" not in done.stdout + done.stderr


def test_there_are_few_extensions_and_each_says_what_it_puts_on_the_page():
    """Every module of book/_ext is one, so that the list in _config.yml is the whole of it."""
    modules = {path.stem: ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
               for path in (ROOT / "book/_ext").glob("*.py")}
    assert set(modules) == set(REAL["sphinx"]["local_extensions"]) and len(modules) <= 14
    assert [name for name, words in modules.items() if len((words or "").split("\n\n")[0]) < 40] == []


def test_an_unchanged_book_is_not_built_again(small_book):
    """A second `make book` takes a moment; a model answer is a part of a page, too."""
    assert "up to date" not in build_small(small_book).stdout
    assert "up to date" in build_small(small_book).stdout
    (small_book / "solutions").mkdir()
    (small_book / "solutions/21_small.ipynb").write_text("{}")
    assert "up to date" not in build_small(small_book).stdout


def test_hidden_folders_are_not_read(small_book):
    """Such as those that programs beside the book make, whatever their names."""
    for name in (".tox/lib", ".direnv"):
        (small_book / name).mkdir(parents=True)
        (small_book / name / "broken.ipynb").write_text("no notebook")
        (small_book / name / "broken.md").write_text("# Broken\n\n```{nothing}\n```\n")
    done = build_small(small_book)
    assert done.returncode == 0, done.stdout + done.stderr


def built_files(root):
    """What a reader's browser may ask for -> {path: bytes}."""
    html = root / "_build/html"
    return {path.relative_to(html).as_posix(): path.read_bytes() for path in sorted(html.rglob("*"))
            if path.suffix in (".html", ".js", ".css", ".svg", ".png")}


def test_pages_do_not_depend_on_what_was_built_before(small_book):
    """With all extensions, whose data come from two processes that read: byte for byte the same, out of nothing,
    after an edit that was taken back, which went through every page's sidebar, and with one process."""
    config = CONFIG.partition("  local_extensions")[0] + "  local_extensions:\n" + EVERY_EXTENSION
    (small_book / "_config.yml").write_text(config)
    chapter, other = small_book / "notebooks/21_small.ipynb", small_book / "book/other.md"
    card = "# A small chapter\n\nGuess.\n\n<details><summary>A</summary>\n\nRight: $1$.\n</details>\n" \
           "<details><summary>B</summary>\n\nNo.\n</details>\n"
    texts = chapter.read_text().replace("# A small chapter", json.dumps(card)[1:-1]), "# Other\n\n```{recall}\n```\n"
    for more in range(7):  # Sphinx reads in parallel from six pages on
        (small_book / f"book/more{more}.md").write_text(f"# More {more}\n\n$x$\n")
    (small_book / "_toc.yml").write_text(TOC + "".join(f"- file: book/more{more}\n" for more in range(7)))
    chapter.write_text(texts[0]), other.write_text(texts[1])
    found = []
    for edited, jobs in ((False, 2), (True, 2), (False, 2), (None, 1)):
        if edited is None:
            shutil.rmtree(small_book / "_build/html"), shutil.rmtree(small_book / "_build/.doctrees")
        chapter.write_text(texts[0].replace("small chapter", "big chapter") if edited else texts[0])
        other.write_text(texts[1].replace("Other", "Changed") if edited else texts[1])
        done = build_small(small_book, "--jobs", str(jobs))
        assert done.returncode == 0, done.stdout + done.stderr
        found.append(built_files(small_book))
    clean, changed, back, alone = found
    assert b"fi-card" in clean["book/other.html"] and b"course.js?v=" in clean["book/start.html"]
    assert all(b"course.js?v=" in clean[name] and clean[name] != changed[name] for name in clean
               if name.startswith("book/") and name.endswith(".html"))
    for again in (back, alone):
        assert set(again) ^ set(clean) == set()
        assert [name for name in clean if clean[name] != again[name]] == []


def test_a_false_claim_stops_the_build_and_names_its_cell(small_book):
    """File, cell id, the cell's first line and the reason stand in the output, and no page is written."""
    lie = ('decrease = 4 * 0.811\nfrom fi_course.claims import claim\nclaim("GLF-04", holds=decrease > 3, '
           'figure=decrease)')
    write_notebook(small_book / "notebooks/21_small.ipynb", "1 + 1", lie)
    result = build_small(small_book)
    assert result.returncode == 1
    for part in ("notebooks/21_small.ipynb", "cell-2", "decrease = 4 * 0.811", "AssertionError",
                 "the ledger says 'fails'"):
        assert part in result.stderr
    assert not (small_book / "_build/html/book/start.html").exists()


SAME = ("import os, sys\nassert os.getcwd().endswith('notebooks') and '' in sys.path\n"
        "assert not [path for path in sys.path if path.endswith(('book/tools', 'book/_ext'))]\n"
        "assert not [name for name in sys.modules if name.startswith('fi_teach')] and __name__ == '__main__'")
"""What a chapter finds where it runs: its own folder, and nothing of the build's."""


@pytest.mark.parametrize("n_chapters", [1, 3])
def test_a_chapter_runs_as_a_reader_runs_it(small_book, n_chapters):
    """One begins in a new Python; of several, each in a fork of a kernel that has imported libraries."""
    names, forked = [f"{number}_small"
                     for number in range(21, 21 + n_chapters)], n_chapters > 2 and sys.platform == "linux"
    for name in names:
        write_notebook(small_book / f"notebooks/{name}.ipynb", SAME, "assert sys.modules['__main__'].os is os",
                       f"assert ('sklearn' in sys.modules) is {forked}\nassert not hasattr(os, 'seen')\nos.seen = True")
    (small_book / "_toc.yml").write_text(TOC + "".join(f"- file: notebooks/{name}\n" for name in names[1:]))
    result = build(small_book, "--jobs", "2")
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_kernel_that_dies_stops_the_build_and_names_its_cell(small_book):
    """A cell that ends its own process, as one that asks for too much memory does, is told like one that fails."""
    for name in ("21_small", "22_small", "23_small"):
        write_notebook(small_book / f"notebooks/{name}.ipynb", "1 + 1",
                       "import os\nos._exit(3)" if name == "22_small" else "2")
    (small_book / "_toc.yml").write_text(TOC + "- file: notebooks/22_small\n- file: notebooks/23_small\n")
    result = build(small_book, "--jobs", "2")
    assert result.returncode == 1 and "Kernel died" in result.stderr
    assert ("notebooks/22_small.ipynb: cell cell-2 failed" in result.stderr
            and "23_small.ipynb: cell" not in result.stderr)


def runs(number):
    """Whether a process is there and is more than a dead one's entry."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] not in "XZ"
    except FileNotFoundError:
        return False


def waited_for(happens, seconds=60):
    """Whether it happens within so many seconds."""
    until = time.monotonic() + seconds
    while not happens() and time.monotonic() < until:
        time.sleep(0.1)
    return happens()


@pytest.mark.skipif(sys.platform != "linux", reason="kernels are forks on Linux alone")
def test_a_killed_build_leaves_no_kernel_running(small_book):
    """Even if it had no time to end them itself."""
    names, told = ["21_small", "22_small", "23_small"], small_book / "told"
    told.mkdir()
    for name in names:
        write_notebook(small_book / f"notebooks/{name}.ipynb",
                       f"import os\nopen(f'{told}/{{os.getpid()}}', 'w').close()",
                       "import time\ntime.sleep(600)")
    (small_book / "_toc.yml").write_text(TOC + "".join(f"- file: notebooks/{name}\n" for name in names[1:]))
    command = [sys.executable, str(ROOT / "book/tools/build.py"), "--root", str(small_book), "--jobs", "2"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        assert waited_for(lambda: len(list(told.iterdir())) == 2)
        kernels = [int(path.name) for path in told.iterdir()]
        assert all(map(runs, kernels))
        running.kill()
    assert waited_for(lambda: not any(map(runs, kernels)))


def test_a_warning_fails_the_build_and_fails_it_again(small_book):
    """A page that was read once does not keep quiet about its warning the second time."""
    (small_book / "book/other.md").write_text("# Other\n\nSee [nowhere](nowhere.md).\n")
    assert [build_small(small_book).returncode for _ in range(2)] == [1, 1]


def test_a_figure_keeps_its_words_and_one_without_words_fails_the_build(small_book):
    """The sentence given to `describe` is the image's alt text on the page, out of the execution cache too."""
    drawing = "from fi_teach import plots\nax = plots.new_axes()\nax.bar([0, 1], [0.6, 0.4])"
    chapter, page = small_book / "notebooks/21_small.ipynb", small_book / "_build/html/notebooks/21_small.html"
    write_notebook(chapter, drawing + '\nplots.describe(ax, "Two bars, 0.6 & 0.4.");')
    assert build_small(small_book).returncode == 0
    assert 'alt="Two bars, 0.6 &amp; 0.4."' in page.read_text()
    write_notebook(chapter, drawing)
    result = build_small(small_book)
    assert result.returncode == 1 and "no alt text" in result.stderr


def test_prose_renews_its_page_and_the_package_renews_the_chapters(small_book):
    """Editing prose runs no chapter and writes one page;
    editing fi_teach runs every chapter and keeps few old caches."""
    pages = small_book / "_build/html"
    first = build_small(small_book)
    assert "21_small" in first.stdout + first.stderr
    before = (pages / "notebooks/21_small.html").stat().st_mtime_ns
    (small_book / "book/other.md").write_text("# Other\n\nElsewhere.\n")
    edited = build_small(small_book)
    assert "21_small" not in edited.stdout + edited.stderr
    assert "Elsewhere" in (pages / "book/other.html").read_text()
    assert (pages / "notebooks/21_small.html").stat().st_mtime_ns == before
    for line in ("x = 2\n", "x = 3\n"):
        (small_book / "fi_teach/code.py").write_text(line)
        again = build_small(small_book)
        assert "21_small" in again.stdout + again.stderr
    assert len(list((small_book / "_build/.jupyter_cache").iterdir())) == 2


def test_the_cache_knows_everything_that_outputs_depend_on(tmp_path):
    """Python, data, styles, scripts and the ledger count; prose and compiled files do not."""
    from chapter_cache import fingerprint

    (tmp_path / "fi_teach/__pycache__").mkdir(parents=True)
    (tmp_path / "book").mkdir()
    seen = {fingerprint(tmp_path)}
    for name in ("fi_teach/a.py", "fi_teach/a.js", "fi_teach/a.csv", "fi_teach/a.css", "book/claims.yaml"):
        (tmp_path / name).write_text("new")
        assert fingerprint(tmp_path) not in seen, name
        seen.add(fingerprint(tmp_path))
    (tmp_path / "book/prose.md").write_text("new")
    (tmp_path / "fi_teach/__pycache__/a.py").write_text("new")
    assert fingerprint(tmp_path) in seen


def test_the_tools_say_what_is_wrong_when_the_port_is_taken(built_book):
    """`make book` beside another copy of the book names the way out."""
    from serve import serve, server_of

    with server_of(built_book) as other, pytest.raises(SystemExit, match="make book PORT="):
        serve(other.server_port)


def test_make_without_python_says_so_in_a_line(tmp_path):
    """No traceback and no half-made environment: one line that names the versions."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "fi_course").mkdir()
    for path in [*ROOT.glob("requirements*.lock"), ROOT / "pyproject.toml", ROOT / "fi_course/pyproject.toml"]:
        (tmp_path / path.relative_to(ROOT)).touch()
    tools = tmp_path / "bin"
    tools.mkdir()
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


def test_no_page_shows_an_address_of_this_computers_memory(built_book):
    """A rebuilt book would show another: functions are shown by their names."""
    found = [page.name for page in built_book.rglob("*.html")
             if re.search(r"\bat\b(<[^>]+>|\s)*0x[0-9a-f]{6}", page.read_text(encoding="utf-8"))]
    assert not found
