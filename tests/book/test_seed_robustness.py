"""`make luck`: the switch shifts every seed, the machine finds what is only luck, and its results
are of the book as it is."""

import doctest
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import nbformat
import numpy as np
import pytest
from robustness import DRAWS, code_hash, is_current, read_result, result_path, weak
from sphinx_external_toc.parsing import parse_toc_yaml

from fi_course.claims import settle
from fi_teach.worlds import twins

from .conftest import ROOT, sphinx_pages

PAGES = parse_toc_yaml(ROOT / "_toc.yml")
CHAPTERS = sorted(Path(page).name for page in PAGES if page.startswith("notebooks/"))
TOOL = str(ROOT / "book/tools/seed_robustness.py")


# --- the book's own results ---

@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_has_a_result_of_its_code_cells_as_they_are(chapter):
    """Twenty draws or more of these cells, and every statement true in the book's own draw.

    A chapter that has no result yet is said to have none on the page; a stale one is not allowed to stand.
    """
    result, mend = read_result(ROOT, chapter), f"run make luck ONLY={chapter}"
    if result is None:
        pytest.skip(f"{chapter} has no result yet: {mend}")
    assert is_current(ROOT, result), f"code cells of {chapter} changed since its result: {mend}"
    assert result["draws"] >= DRAWS
    assert [one["source"] for one in result["statements"] if not one["in the book"]] == []


def test_no_result_is_left_of_a_chapter_that_is_gone():
    """A renamed chapter takes its result along."""
    assert {path.stem for path in (ROOT / "book/luck").glob("*.json")} <= set(CHAPTERS)


def test_after_a_change_of_the_package_two_chapters_still_state_what_they_stated():
    """Under another draw; which chapters and which draw changes with the package."""
    result = run("--probe")
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_chapter_can_be_one_of_the_two():
    """Beside the shortest, the longest still fits into the seconds that the tests may take."""
    from seed_robustness import QUICK

    results = [read_result(ROOT, chapter) for chapter in CHAPTERS]
    seconds = sorted(result["seconds"] for result in results if result)
    assert seconds[0] + seconds[-1] <= QUICK


def test_twenty_of_twenty_is_no_proof_as_the_page_says():
    """What holds in 86 of 100 draws passes all twenty once in twenty times."""
    assert abs(0.86**20 - 1 / 20) < 0.002


# --- the switch ---

def apart(function):
    """What a function returns in a process of its own: the switch cannot be taken out again."""
    def body(pipe):
        import shifted_seeds

        shifted_seeds.install()
        pipe.send(function(shifted_seeds))

    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=body, args=(theirs,))
    process.start()
    theirs.close()
    try:
        return ours.recv()
    finally:
        process.join()


def forest_seeds():
    from sklearn.ensemble import ExtraTreesRegressor

    X = np.arange(40.0).reshape(20, 2) % 7
    model = ExtraTreesRegressor(5, random_state=0).fit(X, X[:, 0])
    return [tree.tree_.threshold[0] for tree in model]


def booster_seeds():
    from lightgbm import LGBMRegressor
    from xgboost import XGBRegressor

    X, y = np.sin(np.arange(400.0)).reshape(200, 2), np.cos(np.arange(200.0)**2)
    seeded = XGBRegressor(n_estimators=3, subsample=0.5, random_state=1, n_jobs=1)
    unseeded = LGBMRegressor(n_estimators=3, subsample=0.5, subsample_freq=1, n_jobs=1, verbose=-1)
    return [model.fit(X, y).predict(X).tolist() for model in (seeded, unseeded)]


def global_numbers():
    import random

    np.random.seed(5)  # noqa: NPY002 - this is the generator that is tested
    random.seed(5)
    return np.random.random(), random.random()  # noqa: NPY002


def numbers_of_pandas():
    import pandas as pd

    return pd.Series(range(100)).sample(5, random_state=0).tolist()


SOURCES = {
    "an integer": lambda: np.random.default_rng(3).random(),
    "a list of integers": lambda: np.random.default_rng([3, 4]).random(),
    "an array of integers": lambda: np.random.default_rng(np.array([3, 4])).random(),
    "an integer of NumPy's": lambda: np.random.default_rng(np.int64(3)).random(),
    "a seed by name": lambda: np.random.default_rng(seed=3).random(),
    "a seed sequence": lambda: np.random.default_rng(np.random.SeedSequence(3)).random(),
    "a bit generator": lambda: np.random.Generator(np.random.PCG64(3)).random(),
    "the legacy generator": lambda: np.random.RandomState(3).rand(),
    "global generators": global_numbers,
    "a random_state of scikit-learn's": forest_seeds,
    "a random_state of pandas": numbers_of_pandas,
    "the boosters": booster_seeds,
    "an rng of ours": lambda: twins(5, rng=0).y.tolist(),
}


@pytest.mark.parametrize("source", SOURCES)
def test_every_seed_is_another_in_another_draw_and_the_same_within_a_draw(source):
    """Draw 0 is the book's own: what comes out without the switch."""
    def numbers(shifted_seeds):
        found = []
        for draw in (0, 1, 2, 1):
            shifted_seeds.use(draw)
            found.append(SOURCES[source]())
        return found

    own, one, two, again = apart(numbers)
    assert own == SOURCES[source]()
    flat = [np.ravel(np.array(part, dtype=object)).tolist() for part in (own, one, two)]
    assert one == again and flat[0] != flat[1] != flat[2] != flat[0]
    if source == "the boosters":  # each of them, not only one
        assert all(a != b for a, b in zip(own, one, strict=True))


def test_seeds_in_a_row_stay_different_and_share_nothing_with_those_of_other_draws():
    """Were the draw's number added, seeds 0 to 19 would have 19 numbers in common with draw 0."""
    def numbers(shifted_seeds):
        found = []
        for draw in range(5):
            shifted_seeds.use(draw)
            found += [np.random.default_rng(seed).random() for seed in range(20)]
            found += [np.random.RandomState(seed).rand() for seed in range(20)]
        return found

    found = apart(numbers)
    assert len(set(found)) == len(found) == 200


def test_a_generator_that_is_handed_on_is_left_alone():
    """It was made from a seed that was shifted already."""
    def numbers(shifted_seeds):
        shifted_seeds.use(3)
        rng = np.random.default_rng(0)
        legacy = np.random.RandomState(0), np.random.mtrand._rand
        known = (isinstance(one, np.random.RandomState) for one in legacy)
        return np.random.default_rng(rng) is rng, *known

    assert apart(numbers) == (True, True, True)


def test_a_module_of_the_package_that_draws_while_it_is_imported_is_refused(tmp_path):
    """Its numbers would be the same in every draw."""
    text = "import numpy as np\nx = np.random.default_rng(0).random()\n"
    (tmp_path / "fi_teach_early.py").write_text(text)

    def warm(shifted_seeds):
        sys.path.insert(0, str(tmp_path))
        try:
            shifted_seeds.warm_up(["fi_teach_early"])
        except RuntimeError as error:
            return str(error)

    assert "draws from a seed while it is imported" in apart(warm)


def test_the_package_does_not_know_of_the_switch():
    """In normal use there is none."""
    sources = [path.read_text(encoding="utf-8") for path in ROOT.glob("fi_*/**/*.py")]
    assert not [text for text in sources if "shifted_seeds" in text or "seed_robustness" in text]


# --- statements ---

def run(*arguments):
    """The command, finished."""
    command = [sys.executable, TOOL, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write(folder, *sources, name="21_small"):
    """A notebook of these code cells, cell-1, cell-2, ..., in a folder of its own -> its path."""
    cells = [nbformat.v4.new_code_cell(text, id=f"cell-{k}") for k, text in enumerate(sources, 1)]
    path = folder / f"notebooks/{name}.ipynb"
    path.parent.mkdir(exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def result_of(folder):
    """Run a folder's only chapter -> its result."""
    run("--root", folder)
    return read_result(folder, "21_small")


def lucky(cell):
    """The cell with the first seed for which it holds: a writer who tries until it is true."""
    for seed in count():
        source = cell.replace("SEED", str(seed))
        try:
            exec(source, {})
        except AssertionError:
            continue
        return source


PLANTED = {
    "a lucky seed": """
import numpy as np
assert np.random.default_rng(SEED).normal() > .5
""",
    "a reversed order: x2 has twice the effect of x1": """
import numpy as np
rng = np.random.default_rng(SEED)
x1, x2 = rng.normal(size=(2, 12))
y = x1 + 2 * x2 + 3 * rng.normal(size=12)
assert np.corrcoef(x1, y)[0, 1] > np.corrcoef(x2, y)[0, 1]
""",
    "a figure off by a tenth: the mean is .5": """
import numpy as np
assert abs(np.random.default_rng(SEED).random(100).mean() - .55) < .02
""",
    "one shuffle taken for the rule": """
import numpy as np
from fi_teach.importance import permutation_importance
X = np.random.default_rng([7, 7]).normal(size=(60, 2))
y = X[:, 0] + np.random.default_rng([8, 7]).normal(size=60)
useless = permutation_importance(lambda Z: Z @ [1, .3], X, y, n_repeats=1, rng=SEED)
assert useless.mean[1] < 0
""",
    "one forest taken for the ranking": """
import numpy as np
from sklearn.ensemble import ExtraTreesRegressor
X = np.random.default_rng(11).normal(size=(50, 4))
forest = ExtraTreesRegressor(5, random_state=SEED).fit(X, X[:, 0])
assert forest.feature_importances_[1:].argmax() == 2
""",
}
TRUE = """
import numpy as np
sample = np.random.default_rng(0).random(100_000)
assert abs(sample.mean() - .5) < .01
assert 2 + 2 == 4
"""


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Half a chapter with five wrong statements, true in its own draw -> (its result, the report)."""
    folder, name = tmp_path_factory.mktemp("scratch"), "notebooks/02_golf.ipynb"
    notebook = nbformat.read(ROOT / name, as_version=4)
    added = [nbformat.v4.new_code_cell(source, id=f"planted-{k}")
             for k, source in enumerate([*map(lucky, PLANTED.values()), TRUE])]
    notebook.cells = notebook.cells[:len(notebook.cells) // 2] + added
    (folder / "notebooks").mkdir()
    nbformat.write(notebook, folder / name)
    done = run("--root", folder)
    return read_result(folder, "02_golf"), done


def test_five_wrong_statements_that_the_books_own_draw_bears_out_are_found(planted):
    """Each of them, none of the true ones beside them, and each with the numbers that it met."""
    result, _ = planted
    *wrong, vague, sure = [one for one in result["statements"] if one["cell"].startswith("planted")]
    assert len(wrong) == 5 and all(one["in the book"] and one["varies"] for one in wrong)
    assert all(one in weak(result) and " (" in one["lost"][0] for one in wrong)
    assert vague["held"] == sure["held"] == DRAWS and vague["varies"] and not sure["varies"]


def test_the_report_names_what_is_weak_and_its_place(planted):
    """Cell, statement, how often, and the comparison that failed."""
    result, done = planted
    one = next(one for one in result["statements"] if one["cell"] == "planted-0")
    assert done.returncode == 0 and "02_golf: " in done.stdout and one["lost"][0] in done.stdout
    assert f"{one['held']:2d} of 20  planted-0 (1): assert np.random.default_rng(" in done.stdout


COIN = lucky("import numpy as np\nx = np.random.default_rng(SEED).random()\nassert x < .5")
SOME = range(1, DRAWS)  # of the draws, but not all
STATED = {
    "a statement that does not hold lets its cell go on, so does one that cannot be evaluated": (
        "assert 1 > 2\nassert 2 > 1\nassert [][0] == 1\nassert 3 > 2",
        [(0, "draw 1: 1 > 2"), (DRAWS, ""), (0, "IndexError"), (DRAWS, "")]),
    "an error elsewhere ends the cell and what it states": (
        "x = 1\nassert x == 1\n1 / 0\nassert x == 1", [(DRAWS, ""), (0, "ZeroDivision")]),
    "but not the next": ("assert x == 1", [(DRAWS, "")]),
    "a statement in a loop holds if it holds each time": (
        "for k in range(5):\n    assert k < 4", [(0, "draw 1: k < 4 (4)")]),
    "what a function asserts belongs to the function": ("def test(x):\n    assert x > 1", []),
    "a test that a reader writes still raises": (
        "try:\n    test(0)\nexcept AssertionError:\n    raised = True", []),
    "so does a statement that a cell expects to fail": (
        "try:\n    assert 1 > 2\nexcept AssertionError:\n    caught = True", []),
    "as these show": ("assert raised and caught", [(DRAWS, "")]),
    "claims are statements": (
        f'{COIN}\nfrom fi_course.claims import claim\nclaim("MID-01", holds=[True, x < .5], figure=x)\n'
        'claim("GLF-04", fails=x > -1, figure=x)', [(SOME, "x < .5 (0."), (SOME, "x < .5 (0."), (DRAWS, "")]),
    "cells may say that they are about one draw": (f"# this draw: heads\n{COIN}", [(SOME, "")]),
    "and lines": (f"{COIN}  # this draw", [(SOME, "")]),
}
"""What a cell shows -> the cell, and of each of its statements in how many draws it holds and how it is lost."""


@pytest.fixture(scope="module")
def stated(tmp_path_factory):
    """A chapter of all these cells, run -> (result, report)."""
    folder = tmp_path_factory.mktemp("stated")
    write(folder, *(source for source, _ in STATED.values()))
    done = run("--root", folder)
    return read_result(folder, "21_small"), done


@pytest.mark.parametrize("what", STATED)
def test_statements_are_found_counted_and_told_with_what_they_met(stated, what):
    cell = f"cell-{list(STATED).index(what) + 1}"
    found = [one for one in stated[0]["statements"] if one["cell"] == cell]
    for one, (held, words) in zip(found, STATED[what][1], strict=True):
        assert one["held"] in held if held is SOME else one["held"] == held
        assert words in "".join(one["lost"][:1]) and one["one draw"] == ("# this draw" in STATED[what][0])


def test_errors_claims_and_what_is_not_weak_are_told(stated):
    """What the book's own draw does not bear out ends in failure; what is about one draw is not weak."""
    result, done = stated
    assert list(result["errors"]) == ["cell-2"] and "ZeroDivision" in result["errors"]["cell-2"]
    assert [one["claim"] for one in result["statements"] if one["claim"]] == ["MID-01", "GLF-04"]
    assert done.returncode == 1 and "NOT IN THE BOOK'S OWN DRAW: cell-1 (1): assert 1 > 2" in done.stdout
    assert not [one for one in weak(result) if one["one draw"]]


# --- runs ---

def stamps(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("_build/luck/*/*/*.json")}


def test_draws_that_were_run_are_not_run_again_until_a_code_cell_changes(tmp_path):
    """More draws only add; another cell, or `--again`, starts anew."""
    write(tmp_path, "x = 1\nassert x == 1")
    run("--root", tmp_path, "--draws", 1)
    before = stamps(tmp_path)
    run("--root", tmp_path, "--draws", 2)
    after = stamps(tmp_path)
    assert len(before) == 2 and len(after) == 3 and before.items() <= after.items()
    run("--root", tmp_path, "--draws", 2, "--again")
    assert not stamps(tmp_path).items() & after.items()
    for x in (2, 3):
        write(tmp_path, f"x = {x}\nassert x == {x}")
        run("--root", tmp_path, "--draws", 1)
    assert len(list(tmp_path.glob("_build/luck/*/*/*.json"))) == 2 + 2  # the two newest states


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    """What it had done is kept whole; no process stays behind."""
    write(tmp_path, "import time\ntime.sleep(.3)\nassert True")
    command = [sys.executable, TOOL, "--root", str(tmp_path), "--jobs", "1"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **quiet, start_new_session=True) as running:
        while not stamps(tmp_path):
            time.sleep(0.05)
        os.killpg(running.pid, signal.SIGKILL)
    before = stamps(tmp_path)
    assert 0 < len(before) < DRAWS
    assert result_of(tmp_path)["draws"] == DRAWS
    assert before.items() <= stamps(tmp_path).items()


def test_a_run_that_is_stopped_stops_its_processes(tmp_path):
    """No draw goes on in the background."""
    write(tmp_path, f"import os, time\nopen('{tmp_path}/pid', 'w').write(str(os.getpid()))\n"
                    "time.sleep(60)")
    with subprocess.Popen([sys.executable, TOOL, "--root", str(tmp_path), "--jobs", "1"]) as running:
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            time.sleep(0.05)
        running.terminate()
    assert running.returncode != 0
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_nothing_leaks_from_one_draw_to_the_next(tmp_path):
    """What a cached function of the package remembers is forgotten with its process."""
    write(tmp_path, "from fi_course.explorables.telescope import grown\n"
                    "print(grown('shuffled', 'gini').impurity[1])")
    done = run("--root", tmp_path, "21", "--draws", 3, "--cell", "cell-1")
    printed = [line for line in done.stdout.splitlines() if not line.startswith("---")]
    assert len(printed) == len(set(printed)) == 4


def test_a_result_is_of_enough_draws_knows_its_code_cells_and_can_be_had_again(tmp_path):
    """A quick look does not take the place of twenty draws; prose may change, a code cell may not; no date, and
    draws that can be had again, of unseeded generators too."""
    path, kept = write(tmp_path, "import numpy as np\nx = np.random.random()\nassert x > .3"), result_path(
        tmp_path, "21_small")
    run("--root", tmp_path, "--draws", 2)
    assert not kept.exists()
    result, first = result_of(tmp_path), kept.read_bytes()
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_markdown_cell("Words"))
    nbformat.write(notebook, path)
    assert result["draws"] == DRAWS and is_current(tmp_path, result)
    run("--root", tmp_path, "21", "--again")
    assert kept.read_bytes() == first
    write(tmp_path, "assert 1 == 1")
    assert not is_current(tmp_path, result)


def test_a_chapter_that_does_not_exist_is_refused(tmp_path):
    write(tmp_path, "assert True")
    done = run("--root", tmp_path, "99")
    assert done.returncode == 1 and "no chapter begins with 99; there are 21_small" in done.stderr


def test_after_a_change_of_the_package_a_statement_that_turned_is_found(tmp_path):
    """What did not turn passes; then it is as if the package now computed something else: the kept result says that
    it always held."""
    write(tmp_path, "import numpy as np\nx = np.random.default_rng(0).random()\nassert x < 2")
    result_of(tmp_path)
    (tmp_path / "fi_teach").mkdir()
    (tmp_path / "fi_teach/new.py").write_text("x = 1\n")
    done = run("--root", tmp_path, "--probe")
    assert done.returncode == 0 and "Run again: 21_small. No statement is lost." in done.stdout
    path, target = write(tmp_path, "x = 1\nassert x > 2"), result_path(tmp_path, "21_small")
    target.write_text(json.dumps(json.loads(target.read_text()) | {"code": code_hash(path)}))
    done = run("--root", tmp_path, "--probe")
    assert done.returncode == 1 and "assert x < 2: x > 2 (1); run make luck ONLY=21_small" in done.stdout


@pytest.mark.parametrize("name", ["assertions", "robustness", "records", "claims_ledger"])
def test_the_examples_in_the_docstrings_are_true(name):
    """They are read by those who change the machine."""
    result = doctest.testmod(__import__(name))
    assert result.attempted > 0 and result.failed == 0


# --- the page and the marks ---

CONFIGURATION = """
extensions = ["myst_parser", "claims_ledger", "robustness"]
root_doc = "book/sure"
suppress_warnings = ["toc", "myst.xref_missing"]
source_suffix = {".md": "markdown"}
"""
CLAIM = "- {id: AAA-01, source: [golf post], claim: First, verdict: holds, chapter: trees}\n"


@pytest.fixture
def book(tmp_path):
    """A chapter that settles a claim, its result, the ledger and the page."""
    for folder in ("book/luck", "notebooks"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "conf.py").write_text(CONFIGURATION)
    (tmp_path / "book/claims.yaml").write_text(CLAIM)
    (tmp_path / "book/ledger.md").write_text("# Ledger\n\n```{claims-ledger}\n```\n")
    shutil.copy(ROOT / "book/sure.md", tmp_path / "book/sure.md")
    badge = settle("AAA-01", holds=True, figure=1, ledger=tmp_path / "book/claims.yaml")
    text = f"# Trees\n\n```{{raw}} html\n{badge._repr_html_()}\n```\n"
    (tmp_path / "notebooks/01_trees.md").write_text(text)
    write(tmp_path, "x = 1", name="01_trees")
    return tmp_path


def keep(book, held, **more):
    """A result of 20 draws with one claim and one weak statement."""
    one = {"cell": "a", "number": 1, "claim": "AAA-01", "source": "claim(...)", "one draw": False,
           "in the book": True, "held": held, "varies": True, "lost": []}
    lost = {"held": 14, "lost": ["draw 3: a > b (1)"]}
    other = one | {"claim": "", "source": "assert a > `b`"} | lost
    example = one | {"claim": "", "source": "assert c", "one draw": True, "held": 3}
    result = {"chapter": "01_trees", "code": code_hash(book / "notebooks/01_trees.ipynb"),
              "package": {"version": "0.1.0", "hash": "abc"}, "versions": {"python": "3.11"},
              "draws": 20, "seconds": 3, "errors": {}, "statements": [one, other, example]} | more
    result_path(book, "01_trees").write_text(json.dumps(result))


def pages(book):
    """Build what changed -> [chapter, ledger, page]."""
    return sphinx_pages(book, "notebooks/01_trees", "book/ledger", "book/sure")[1:]


def test_claim_ledger_and_page_say_in_how_many_draws_it_held(book):
    """The mark links to the page and follows the result; the chapter's own output stays. The page counts and lists:
    share, weak statements with what they met, what is about one draw, package and versions."""
    mark = '<div class="fi-robustness"><a href="../book/sure.html">held in {} of 20 draws</a></div></div>'
    for held, share in ((20, "85.0"), (19, "82.5")):
        keep(book, held)
        chapter, ledger, page = pages(book)
        assert mark.format(held) in chapter and f"held in {held} of 20 draws" in ledger
        for part in (f"{share}\xa0%", "of 40 answers", "2 statements", "14 of 20", "`b`", "draw 3",
                     "3 of 20", "0.1.0", "abc", "python 3.11"):
            assert part in page, part
    assert not [text for text in (chapter, ledger, page) if "20 of 20" in text]


def test_a_chapter_that_changed_since_gets_no_mark_and_the_page_says_so(book):
    """An old count is not shown as if it were of the text beside it."""
    keep(book, 20, code="another")
    chapter, ledger, page = pages(book)
    assert "fi-robustness" not in chapter and "held in" not in ledger
    assert "not run since it changed" in page


def test_without_any_result_the_page_says_what_to_do(book):
    result = pages(book)
    assert "fi-robustness" not in result[0] and "No chapter has a result yet" in result[2]
