"""The package is built in floors: an import points down, never up, and the lower floors need NumPy and pandas only."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "fi_teach"
FLOORS = {
    "basics": 0, "data": 0, "worlds": 0,        # what everything stands on: to read first
    "fast": 1,                                  # what makes it fast: no learner need open it
    "trees": 2,                                 # to read: one file an algorithm
    "importance": 3,                            # to read: one file a method
    "compare": 4, "plots": 4,
    "auditing": 5,                              # a reader's own model: all of the above in one call
    "course.claims": 5, "course.explorables": 5,  # what runs the course
    "course.questions": 6,
    "course.grading": 7,
    "course.cli": 8, "course": 8, "__main__": 9,
}
DOORS = {"", "basics", "fast", "trees", "importance", "plots", "data", "auditing", "course", "course.explorables", "course.questions",
         "course.grading"}
"""Packages whose __init__ gathers what lies inside."""
GROWERS = {"trees.cart", "trees.forest"}
"""What the other growers build on: one tree, and many trees from bootstrap samples."""
LOWER = 4
"""Up to this floor, plots apart, NumPy and pandas are enough."""
HEAVY = ("sklearn", "matplotlib", "ipywidgets", "anywidget", "IPython", "scipy", "shap", "xgboost", "lightgbm", "yaml")
MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(path):
    """fi_teach/trees/cart.py -> trees.cart; a package's __init__ has the package's name."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(path): path for path in MODULES}


def floor_of(name):
    """The floor of the longest known beginning of the name."""
    parts = name.split(".")
    known = [".".join(parts[:k]) for k in range(len(parts), 0, -1) if ".".join(parts[:k]) in FLOORS]
    assert known, f"fi_teach.{name} is on no floor: give it one in tests/test_floors.py, or a place inside a package"
    return FLOORS[known[0]]


def imported(path):
    """The modules of fi_teach that a file imports, wherever in the file, as names without the package's own."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "fi_teach":
            base = ".".join(node.module.split(".")[1:])
            for alias in node.names:
                inner = f"{base}.{alias.name}".strip(".")
                yield inner if inner in NAMES else base
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[2] for alias in node.names if alias.name.split(".")[0] == "fi_teach")


def allowed(name, target):
    """Whether module `name` may import module `target`."""
    if name in DOORS and target.startswith(name):
        return True
    here, there = floor_of(name), floor_of(target)
    if here != there:
        return there < here
    if name.split(".")[0] == "trees":
        return target in GROWERS or target == name
    return name.split(".")[0] != "importance" or name.split(".")[:2] == target.split(".")[:2]


@pytest.mark.parametrize("name", [name for name in NAMES if name])
def test_imports_point_down(name):
    """Down a floor, or beside on it; importance methods do not import one another; inside trees all may import cart and forest."""
    wrong = [target for target in imported(NAMES[name]) if target and not allowed(name, target)]
    assert wrong == [], f"fi_teach.{name} imports {wrong}"


def test_the_rules_refuse_what_they_are_there_to_refuse():
    """Up a floor, across between methods, and from trees to importance; and they let pass what is meant to pass."""
    assert not allowed("importance.mdi", "plots") and not allowed("basics.losses", "trees.cart")
    assert not allowed("fast.growing", "trees.cart") and not allowed("basics.tree", "fast.growing")
    assert not allowed("importance.sage", "importance.shapley") and not allowed("trees.forest", "importance.mdi")
    assert not allowed("trees.cart", "trees.boosting")
    assert allowed("importance.mdi", "basics.convert") and allowed("trees.forest", "trees.cart")
    assert allowed("course.questions.checks", "course.explorables") and allowed("importance.mdi", "basics.results")


def test_the_lower_floors_import_without_the_libraries_of_the_upper():
    """The lower floors load where scikit-learn, matplotlib and the widgets are missing."""
    lower = [f"fi_teach.{name}".rstrip(".") for name in NAMES if not name or (floor_of(name) <= LOWER and "plots" not in name)]
    script = (f"import sys, importlib\nfor name in {HEAVY!r}: sys.modules[name] = None\n"
              f"for name in {lower!r}: importlib.import_module(name)")
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
