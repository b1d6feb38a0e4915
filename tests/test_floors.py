"""The package is built in floors: an import points down, never up, and the lower floors need NumPy and pandas only."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "fi_teach"
FLOORS = {
    "importance.result": 0, "trees.tree": 0, "trees.nominal": 0, "trees.impurity": 0, "trees.frontier": 0,
    "inputs": 0, "games": 0, "scores": 0, "worlds": 0, "data": 0,
    "removal": 0, "shuffles": 0,
    "trees": 1, "importance": 1,
    "compare": 2,
    "plots": 3, "alt_text": 3,
    "widgets": 4, "claims": 4,
    "questions": 5,
    "grading": 6, "cli": 6,
}
DOORS = {"", "trees", "importance", "widgets", "questions", "data", "grading"}
"""Packages whose __init__ gathers what lies inside."""
GROWERS = {"trees.cart", "trees.forest"}
"""What the other growers build on: one tree, and many trees from bootstrap samples."""
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


def unit_of(name):
    """The piece of floor 1 that a module belongs to: its first two names, trees.cart or importance.tree_shap."""
    return ".".join(name.split(".")[:2])


def allowed(name, target):
    """Whether module `name` may import module `target`."""
    if name in DOORS:
        return target.startswith(name) or floor_of(target) < floor_of(name)
    if floor_of(target) != 1 or floor_of(name) != 1:
        return floor_of(target) <= floor_of(name)
    if unit_of(name) == unit_of(target):
        return True
    if target.startswith("trees"):
        return name.startswith("importance") or target in GROWERS
    return False


@pytest.mark.parametrize("name", [name for name in NAMES if name])
def test_imports_point_down(name):
    """Down a floor, or beside on it; importance methods do not import one another; inside trees all may import cart and forest."""
    wrong = [target for target in imported(NAMES[name]) if target and not allowed(name, target)]
    assert wrong == [], f"fi_teach.{name} imports {wrong}"


def test_the_rules_refuse_what_they_are_there_to_refuse():
    """Up a floor, across between methods, and from trees to importance; and they let pass what is meant to pass."""
    assert not allowed("importance.mdi", "plots") and not allowed("scores", "trees.cart")
    assert not allowed("importance.sage", "importance.shapley") and not allowed("trees.forest", "importance.mdi")
    assert not allowed("trees.cart", "trees.boosting")
    assert allowed("importance.mdi", "trees.convert") and allowed("trees.forest", "trees.cart")
    assert allowed("questions.checks", "widgets") and allowed("importance.mdi", "importance.result")


def test_the_lower_floors_import_without_the_libraries_of_the_upper():
    """Floors 0 to 2 load where scikit-learn, matplotlib and the widgets are missing."""
    lower = [f"fi_teach.{name}".rstrip(".") for name in NAMES if not name or floor_of(name) <= 2]
    script = (f"import sys, importlib\nfor name in {HEAVY!r}: sys.modules[name] = None\n"
              f"for name in {lower!r}: importlib.import_module(name)")
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
