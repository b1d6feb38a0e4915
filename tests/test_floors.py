"""The package is built in floors: an import points down, never up, and the lower floors need NumPy and pandas only."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fi_teach.importance.oob import oob_importance
from fi_teach.importance.permutation import permutation_importance
from fi_teach.importance.tree_shap import tree_shap
from fi_teach.trees.cart import grow_cart
from fi_teach.trees.forest import grow_forest

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
SLOW = ("_by_definition", "_by_orderings", "_by_recursion")
"""How the names of the slow, sentence-like versions end."""


def definitions():
    """(module, name) of every public function that is a slow version, wherever it stands: found in the source, not in a list."""
    places = {f"fi_teach.{module}".rstrip("."): path for module, path in NAMES.items()}
    places["definitions"] = Path(__file__).with_name("definitions.py")
    for module, path in places.items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.endswith(SLOW) and not node.name.startswith("_"):
                yield module, node.name


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
    assert not allowed("fast.cart", "trees.cart") and not allowed("basics.tree", "fast.cart")
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


# --- a definition rests on nothing that it is compared with ---


@pytest.fixture(scope="module")
def arguments():
    """What each definition is called with. Models are grown here, before the engines are taken away: to be explained, by whomever."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(12, 2)), 1)
    y, labels = X[:, 0] + X[:, 1] ** 2, np.where(X[:, 0] > 0, "yes", "no")
    time, event = np.arange(12.0), np.arange(12) % 3 > 0
    tree, forest = grow_cart(X, y, criterion="variance", max_depth=3), grow_forest(X, y, n_trees=5, max_depth=3)
    judged = {"model": forest, "X": X, "y": y}
    return {
        "auc_by_definition": {"y": labels, "score": y},
        "benjamini_hochberg_by_definition": {"p_values": [0.01, 0.04, 0.5]},
        "best_split_by_definition": {"X": X, "y": labels},
        "concordance_by_definition": {"time": time, "event": event, "risk": y},
        # Not by subgroups: they are the leaves of a tree that grow_cart grows inside the method, as much in the definition as in the fast version.
        "conditional_importance_by_definition": {**judged, "method": "gaussian", "n_repeats": 2},
        "cut_statistics_by_definition": {"column": X[:, 0], "time": time, "event": event},
        "debiased_mdi_by_definition": judged,
        "decrease_by_definition": {"tree": tree},
        "exact_permutation_importance_by_definition": judged,
        "grow_cart_by_definition": {"X": X, "y": labels, "criterion": "entropy"},
        "grow_forest_by_definition": {"X": X, "y": y, "n_trees": 2},
        "holm_by_definition": {"p_values": [0.01, 0.04, 0.5]},
        "mvr_s_by_definition": {"covariance": [[1.0, 0.5], [0.5, 1.0]]},
        "oob_importance_by_definition": {**judged, "n_repeats": 2},
        "oob_importance_per_tree_by_definition": {**judged, "n_repeats": 2},
        "oob_prediction_by_definition": {"forest": forest, "X": X},
        "permutation_importance_by_definition": {**judged, "n_repeats": 2},
        "sage_by_definition": judged,
        "shapley_by_orderings": {"v": len, "n_players": 3},
        "threshold_gains_by_definition": {"column": X[:, 0], "onehot": (labels[:, None] == ["no", "yes"]).astype(float)},
        "tree_shap_by_definition": {"model": tree, "X": X},
        "tree_shap_by_recursion": {"model": tree, "X": X},
        "tree_shap_interactions_by_definition": {"model": tree, "X": X, "background": X},
    }


@pytest.fixture
def without_engines(arguments, monkeypatch):
    """Every function and class of fi_teach.fast raises, under whatever name a module of fi_teach has it."""
    def refuse(*_, **__):
        raise AssertionError("an engine was called")

    for name in NAMES:
        if name.split(".")[0] == "fast":
            importlib.import_module(f"fi_teach.{name}")
    ours = [module for name, module in sys.modules.items() if name.split(".")[0] in ("fi_teach", "definitions")]
    for module in ours:
        for name, value in list(vars(module).items()):
            if callable(value) and str(getattr(value, "__module__", "")).startswith("fi_teach.fast"):
                monkeypatch.setattr(module, name, refuse)


@pytest.mark.parametrize(("module", "name"), list(definitions()))
def test_a_definition_calls_no_engine(module, name, arguments, request):
    """An error of an engine that both sides call would be on both sides of the test that holds them equal."""
    assert name in arguments, f"{module}.{name} has no arguments in this file: give it some"
    definition = getattr(importlib.import_module(module), name)
    request.getfixturevalue("without_engines")
    result = definition(**arguments[name])
    assert not inspect.isgenerator(result) or list(result)


def test_no_arguments_are_left_of_definitions_that_are_gone(arguments):
    assert set(arguments) == {name for _, name in definitions()}


@pytest.mark.parametrize("fast", [oob_importance, permutation_importance, tree_shap, grow_cart])
def test_without_engines_the_fast_versions_fail(fast, arguments, without_engines):
    """So the engines are really gone."""
    with pytest.raises(AssertionError, match="an engine was called"):
        fast(**arguments[f"{fast.__name__}_by_definition"])
