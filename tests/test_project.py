"""What the project says about itself in several places, it says alike."""

import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import fi_teach

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCKS = {"requirements.lock": ("lab", "book", "grade"), "requirements-test.lock": ("lab", "book", "grade", "test"),
         "requirements-bench.lock": ("bench",), "requirements-wasm.lock": ("wasm",)}
REQUIREMENT = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[a-z]+\])?(.*)")


def tracked():
    """The files of the project, as git knows them; without git, those that are there."""
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode:
        return [path for path in ROOT.rglob("*") if path.is_file() and not {".venv", "_build"} & set(path.parts)]
    return [ROOT / line for line in listing.stdout.splitlines() if (ROOT / line).exists()]


def pins(name):
    """Package -> the versions that a lock file pins (several where they depend on the Python version)."""
    found = {}
    for line in (ROOT / name).read_text().splitlines():
        if match := re.match(r"([A-Za-z0-9_.-]+)==([^ ;]+)", line):
            found.setdefault(match[1].lower().replace("_", "-"), []).append(match[2])
    return found


def requirements(extras):
    """(package, specifier) of the package's own dependencies and those of the extras."""
    wanted = [*PROJECT["dependencies"], *(line for extra in extras for line in PROJECT["optional-dependencies"][extra])]
    for line in wanted:
        name, specifier = REQUIREMENT.fullmatch(line.partition(";")[0].strip()).groups()  # on whichever system
        if name != "fi-teach":
            yield name.lower().replace("_", "-"), specifier


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_what_the_project_asks_for_as_the_others_do_and_names_no_address(lock):
    """What the book is built with, and what is timed, is what is tested; where packages come from is the user's
    business."""
    from packaging.specifiers import SpecifierSet

    pinned, test = pins(lock), pins("requirements-test.lock")
    for name, specifier in requirements(LOCKS[lock]):
        assert name in pinned, f"{name} is missing from {lock}: run make lock"
        assert all(version in SpecifierSet(specifier) for version in pinned[name]), f"{name} in {lock}: run make lock"
    assert {name: versions for name, versions in pinned.items() if test.get(name) != versions} == {}
    assert not re.search(r"https?://|--(index|find-links|extra-index)|@ ", (ROOT / lock).read_text())


def test_conda_users_get_the_same_packages():
    """environment.yml takes Python from the range that the project declares, and the packages from the lock."""
    from packaging.specifiers import SpecifierSet

    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    python = next(line for line in environment["dependencies"] if isinstance(line, str) and line.startswith("python="))
    assert python.removeprefix("python=") in SpecifierSet(PROJECT["requires-python"])
    assert {"pip": ["-r requirements.lock", "-e .", "-e ./fi_course"]} in environment["dependencies"]


def test_the_version_is_the_same_everywhere():
    """Package, project file, citation and changelog."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    course = tomllib.loads((ROOT / "fi_course/pyproject.toml").read_text())["project"]
    assert fi_teach.__version__ == PROJECT["version"] == course["version"] == citation["version"]
    assert f"## {fi_teach.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_the_methods_import_without_scikit_learn_matplotlib_and_widgets():
    """All of fi_teach but the plots and the command line need NumPy and pandas only."""
    heavy = ("sklearn", "scipy", "matplotlib", "ipywidgets", "anywidget", "IPython", "shap", "xgboost", "lightgbm",
             "yaml")
    lower = [found.name for found in pkgutil.walk_packages(fi_teach.__path__, "fi_teach.")
             if "plots" not in found.name and not found.name.endswith("__main__")]
    script = (f"import sys, importlib\nfor name in {heavy!r}: sys.modules[name] = None\n"
              f"for name in {lower!r}: importlib.import_module(name)")
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert lower and result.returncode == 0, result.stderr


def test_make_help_lists_every_target_with_a_line():
    """A target that is not explained does not exist for its users."""
    makefile = (ROOT / "Makefile").read_text()
    targets = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split()
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert [line.split()[1] for line in shown.splitlines() if line.startswith("  make")] == targets
    assert all(len(line.split()) > 3 for line in shown.splitlines() if line.startswith("  make"))


def test_continuous_integration_runs_make_test_and_nothing_else():
    """What passes here passes there."""
    lines = [line for line in (ROOT / ".ci/run").read_text().splitlines() if line and not line.startswith("#")]
    assert len(lines) == 1 and lines[0].endswith("exec make test")


def test_no_script_of_others_and_no_heavy_file_is_stored():
    """The only JavaScript is our own and what book/live/vendor holds; nothing is larger than what git is good at."""
    scripts = [path.relative_to(ROOT).as_posix() for path in tracked() if path.suffix in {".js", ".mjs"}]
    assert [path for path in scripts
            if not path.startswith(("fi_course/explorables/", "fi_grader/report/marking.js", "book/script/",
                                    "book/live/"))] == []
    assert [path for path in tracked() if path.stat().st_size > 3_000_000] == []
    assert not [path for path in tracked() if path.name in {"uv.lock", "package-lock.json"}]


def test_every_chapter_is_in_the_table_of_contents_and_every_entry_exists():
    """A chapter that is written is shown, and an entry leads somewhere."""
    from sphinx_external_toc.parsing import parse_toc_yaml

    listed = set(parse_toc_yaml(ROOT / "_toc.yml"))
    written = {path.relative_to(ROOT).with_suffix("").as_posix() for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert written <= listed, f"not in _toc.yml: {sorted(written - listed)}"
    assert [page for page in listed
            if not any((ROOT / f"{page}{suffix}").exists() for suffix in (".md", ".ipynb"))] == []


def test_readme_and_contributing_name_paths_that_exist():
    """Their links, and the map of "where do I change ...?" and all else that CONTRIBUTING names in code."""
    for page in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(r"\]\((?!http)([^)#]+)", (ROOT / page).read_text()):
            assert (ROOT / target).exists(), f"{page} links to {target}"
    text = (ROOT / "CONTRIBUTING.md").read_text()
    paths = set(re.findall(r"`((?:fi_\w+|book|tests|solutions|exercises|notebooks)/[\w/.-]*)`", text))
    rows = text.partition("## Where do I change")[2].partition("\n## ")[0].splitlines()
    assert sum(row.startswith("| ") and "`" in row for row in rows) >= 10
    missing = [path for path in paths if not (ROOT / path).exists() and not re.search(r"NN|chNN", path)]
    assert missing == []
