"""Conditioning and intervening in four causal models with the same joint distribution."""

from functools import cache

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore, slider
from fi_course.explorables.marks import arrow, axis, box, handle, line, panel, points, signed
from fi_teach.importance import causal
from fi_teach.importance.causal import observe
from fi_teach.worlds.causes import same_table_worlds

WORLDS = {"health": "hidden health moves both", "value": "the value moves severity",
          "both": "health moves both, the value protects",
          "severity": "severity moves the value"}
MODES = {"see": "see: look up those who have it", "do": "do: give it to everybody"}
LOOKS = {"see": ("c0", "circle", "those near the value"),
         "do": ("c1", "square", "everybody, value set")}
VALUES = tuple(np.arange(-2, 2.1, 0.5).tolist())
N_DRAWN, N_ROWS, NEAR = 80, 20_000, 0.25


def explore_do_operator():
    """Show the mean of y for one world and one x1, observed or set.

    >>> explore_do_operator().sentence_at(world="health", mode="do", x1=2.0)[:62]
    'Hidden health moves both. Give everybody the value 2.0, and th'
    """
    controls = [choice("world", "What moves what?", WORLDS, kind="select"),
                choice("mode", "The value below: see it, or do it?", MODES),
                slider("x1", "Value x1", VALUES, format="{:.1f}")]
    return explore("See it, or do it?", controls, do_state, start={"x1": 1.0},
                   goal="give everybody the value 2.0, and leave the mean severity at 0.")


def do_state(world, mode, x1):
    curves = two_curves(world)
    (here,) = curves[curves["x1"] == x1].itertuples()
    seen, done = (signed(mean, "{:.2f}") for mean in (here.seen, here.done))
    told = {"see": f"Look up those whose value is near {x1:.1f}, and their mean severity is "
                   f"{seen}; the mean by doing it would be {done}.",
            "do": f"Give everybody the value {x1:.1f}, and the mean severity is {done}; "
                  f"the mean of those who have it unasked is {seen}."}
    mean = here.seen if mode == "see" else here.done
    return State(f"{WORLDS[world].capitalize()}. {told[mode]}",
                 [_graph_panel(world, mode), _cloud_panel(world, mode, x1, curves, mean)],
                 curves.round(3), reached=mode == "do" and x1 == 2 and abs(here.done) < 0.1)


@cache
def two_curves(world):
    """Return E[y | x1] and E[y | do(x1)] at every value, from N_ROWS rows -> DataFrame."""
    model = same_table_worlds()[world]
    table = observe(model, N_ROWS, [0, 1])
    seen = causal.conditional_mean(table, "x1", VALUES, "y", n_neighbours=400)
    done = causal.interventional_mean(model, "x1", VALUES, "y", n=N_ROWS, rng=[0, 2])
    return pd.DataFrame({"x1": VALUES, "seen": seen, "done": done})


@cache
def patients(world):
    """Return the patients to draw, as observed -> DataFrame with columns x1, y and others."""
    return observe(same_table_worlds()[world], N_DRAWN, [0, 3])


def patients_after(world, x1):
    """Return the same patients with x1 set: the seed gives everyone the same noise -> DataFrame."""
    return observe(causal.do(same_table_worlds()[world], x1=x1), N_DRAWN, [0, 3])


def _cloud_panel(world, mode, x1, curves, mean):
    before = patients(world)
    marked = before[abs(before["x1"] - x1) <= NEAR] if mode == "see" else patients_after(world, x1)
    colour, shape, name = LOOKS[mode]
    chosen = points(marked["x1"], marked["y"], colour=colour, shape=shape, name=name, size=4)
    return panel(points(before["x1"], before["y"], colour="muted", size=2.5, name="as they are"),
                 chosen, line(curves["x1"], curves["seen"], colour="c0", name="mean seen"),
                 line(curves["x1"], curves["done"], colour="c1", dashed=True, name="mean done"),
                 handle(points([x1], [mean], colour="ink", shape="diamond", size=7,
                               name="mean here"), "x1", VALUES),
                 x=axis(-3.5, 3.5, "value x1"), y=axis(-9, 9, "severity y"),
                 title=f"{N_DRAWN} patients", height=300, min_width=320)


PLACES = {"z": (0.5, 0.85), "x1": (0.2, 0.2), "y": (0.8, 0.2)}
BOXES = {"z": ["health z", "(hidden)"], "x1": ["value x1"], "y": ["severity y"]}
ARROWS = {"health": [("z", "x1"), ("z", "y")], "value": [("x1", "y")],
          "both": [("z", "x1"), ("z", "y"), ("x1", "y")], "severity": [("y", "x1")]}


def _graph_panel(world, mode):
    drawn = [arrow(PLACES[start], PLACES[end], cut=mode == "do" and end == "x1")
             for start, end in ARROWS[world]]
    boxes = [box(*PLACES[name], BOXES[name] + ["set by hand"] * (name == "x1" and mode == "do"))
             for name in sorted(set().union(*ARROWS[world]))]
    return panel(drawn, boxes, title="What moves what", height=240, min_width=230)
