"""A definition calls no engine, and the methods need NumPy and pandas only.

Which package may import which stands in pyproject.toml ([tool.importlinter]); test_style.py runs it.
"""

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
HEAVY = ("sklearn", "matplotlib", "ipywidgets", "anywidget", "IPython", "scipy", "shap", "xgboost", "lightgbm", "yaml")


def name_of(path):
    """fi_teach/trees/cart.py -> trees.cart; a package's __init__ has the package's name."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}
SLOW = ("_by_definition", "_by_orderings", "_by_recursion")
"""How the names of the slow, sentence-like versions end."""


def definitions():
    """(module, name) of every public function that is a slow version, wherever it stands:
    found in the source, not in a list."""
    places = {f"fi_teach.{module}".rstrip("."): path for module, path in NAMES.items()}
    places["definitions"] = Path(__file__).with_name("definitions.py")
    for module, path in places.items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.endswith(SLOW) and not node.name.startswith("_"):
                yield module, node.name


def test_the_methods_import_without_scikit_learn_matplotlib_and_widgets():
    """All of fi_teach but the plots and the command line."""
    lower = [f"fi_teach.{name}".rstrip(".") for name in NAMES if "plots" not in name and name != "__main__"]
    script = (f"import sys, importlib\nfor name in {HEAVY!r}: sys.modules[name] = None\n"
              f"for name in {lower!r}: importlib.import_module(name)")
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


# --- a definition rests on nothing that it is compared with ---


@pytest.fixture(scope="module")
def arguments():
    """What each definition is called with.

    Models are grown here, before the engines are taken away: to be explained, by whomever.
    """
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
        # Not by subgroups: they are the leaves of a tree that grow_cart grows inside the method, as much
        # in the definition as in the fast version.
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
        "threshold_gains_by_definition": {"column": X[:, 0],
                                          "onehot": (labels[:, None] == ["no", "yes"]).astype(float)},
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
