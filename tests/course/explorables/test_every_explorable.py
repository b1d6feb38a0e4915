"""What every explorable of the course keeps: own words for each state, marks inside their panels, a light page,
and in a browser controls that answer to the keyboard, no word cut off, and axe-core's rules in both themes."""

import ast
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from explorable_pages import cut_off, sentence, silent_controls

from fi_course import explorables
from fi_course.explorables import Explorable

rng = np.random.default_rng(0)
CHANCE = rng.random(4000)
GROUP = rng.random(12_000) < 0.3
RISK = rng.beta(np.where(GROUP, 2, 1), 6)
SISTERS = np.repeat(np.arange(6), 2)
PLACES = pd.DataFrame({"water": 180.0 + SISTERS, "cement": 300.0 - 10 * SISTERS})
SPLITS = {"rows": [np.arange(12) % 3 == k for k in range(3)], "pours": [k == SISTERS % 3 for k in range(3)]}
ERRORS = {"rows": [3.0, 4.0, 5.0], "pours": [6.0, 7.0, 8.0]}
HALVES = {name: np.linspace(6, 0, 60) + noise * rng.normal(size=(40, 60))
          for name, noise in (("calm", 0.1), ("wild", 3))}
PRINTED = pd.DataFrame({"split": [10, 30, 60], "gain": [80.0, 15, 5]}, index=["a", "b", "ticket"])

INPUTS = {
    "explore_costs": (CHANCE, rng.random(4000) < CHANCE),
    "explore_group_rates": (RISK, rng.random(12_000) < RISK, GROUP),
    "explore_held_out": (PLACES, SISTERS, SPLITS, ERRORS),
    "explore_shortlist": (HALVES, [f"g{j}" for j in range(60)]),
    "explore_printed_charts": (PRINTED,),
}
SETTINGS = {
    "explore_held_out": {"unit": "MPa"},
    "explore_printed_charts": {"watched": ["a"], "told": {"split": "how often", "gain": "how well"}},
}
MOST_KB = {  # half of what a page may carry, unless said otherwise
    "explore_impurity": 160, "explore_knockoffs": 180, "explore_leaf_pattern": 120, "explore_do_operator": 110,
    "explore_cardinality_race": 115}
NAMES = [name for name in explorables.__all__ if name.startswith("explore_")]


@pytest.fixture(scope="module", params=NAMES)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def seen(name) -> Explorable:
    return getattr(explorables, name)(*INPUTS.get(name, ()), **SETTINGS.get(name, {}))


def test_the_sweep_takes_every_explorable_that_is_written():
    modules = [path.read_text(encoding="utf-8") for path in Path(explorables.__file__).parent.glob("*.py")]
    assert sorted(re.findall(r"(?m)^def (explore_\w+)", "\n".join(modules))) == sorted(NAMES)


def test_every_state_has_its_own_sentence(seen):
    said = [state["sentence"] for state in seen.states if state is not None]
    assert len(set(said)) == len(said) > 1
    assert not [words for words in said if "nan" in words.lower().split() or "-0.000" in words]


def test_it_has_a_task_that_some_states_fulfil(seen):
    """Not the first, and not all."""
    reached = [bool(state.get("reached")) for state in seen.states if state]
    assert seen.goal.endswith(".") and 0 < sum(reached) < len(reached)


def test_nothing_leaves_its_panel(seen):
    for part in (part for state in seen.states if state for part in state["panels"]):
        frame, marks = seen.pool[part["frame"]], [seen.pool[mark] for mark in part["marks"]]
        for side in "xy":
            low, high = sorted((frame[side]["low"], frame[side]["high"]))
            places = [at for mark in marks for at in np.ravel(mark[side]) if at is not None]
            assert [at for at in places if not low <= at <= high] == [], (frame["title"], side)


def test_a_page_carries_it_easily(name, seen):
    assert len(json.dumps([seen.states, seen.pool])) < 1000 * MOST_KB.get(name, 100)


def test_a_reader_without_a_mouse_or_with_a_small_screen_misses_nothing(seen, show):
    page = show(seen)
    explorable = page.locator(".explorable")
    assert cut_off(page) == []
    assert silent_controls(explorable) == [], "moving this says nothing new"
    assert explorable.locator(".explorable-scene svg").get_attribute("aria-label") == sentence(explorable)
    page.get_by_text("Show as a table").click()
    for theme in ("dark", "light"):
        page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
        broken = Axe().run(page).response["violations"]
        assert [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in broken] == []
    page.set_viewport_size({"width": 360, "height": 800})
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    assert cut_off(page) == []
    assert page.errors == [] and page.outside == []


def test_the_explorable_of_contributing_is_written_as_it_stands_there(show):
    """Its lines are run as a cell; the last one is what the cell shows."""
    guide = (Path(__file__).parents[3] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    code = re.search(r"## Add an explorable\n.*?```python\n(.*?)```", guide, re.S)[1]
    *cell, last = ast.parse(code).body
    names = {}
    exec(compile(ast.Module(cell, []), "CONTRIBUTING.md", "exec"), names)
    page = show(eval(compile(ast.Expression(last.value), "CONTRIBUTING.md", "eval"), names))
    assert sentence(page.locator(".explorable")) == "0 of 10 say yes: Gini 0.00."
    assert silent_controls(page.locator(".explorable")) == [] and cut_off(page) == [] and page.errors == []
    assert len(code.splitlines()) <= 12
