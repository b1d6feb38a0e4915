"""An interactive picture: Python computes every state in advance, a small script draws them.

So it works with no kernel and no network. To make one, say what can be moved and what is then seen:

>>> from fi_teach.trees import gini
>>> from fi_course.explorables import State, axis, bars, categories, explore, panel, slider
>>> def node(n_yes):
...     counts = [n_yes, 10 - n_yes]
...     impurity = gini(counts)  # fi_teach computes, never the author
...     scene = panel(bars(counts, labels="{:.0f}"), x=categories(["yes", "no"], "class"),
...                   y=axis(0, 12, "rows"))
...     table = pd.DataFrame({"class": ["yes", "no"], "rows": counts})
...     return State(f"{n_yes} yes and {10 - n_yes} no: Gini {impurity:.2f}.", [scene], table)
>>> mixed = explore("How mixed?", [slider("n_yes", "Rows that say yes", range(11))], node,
...                 start={"n_yes": 5})
>>> mixed.sentence
'5 yes and 5 no: Gini 0.50.'

`node` is called once for every combination of control positions, with the values as keywords.
Its sentence is read out as the control moves, so it must say what the picture shows.
As the last line of a cell, `mixed` draws itself. Marks, frames and table rows that states share
are stored once; the whole may take 200 kB of the page.
"""

import itertools
import json
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import anywidget
import numpy as np
import pandas as pd
import traitlets
from IPython.display import display

SIZE_LIMIT = 200_000  # bytes of states that a page carries for one explorable
STILL = """<p class="explorable-still" style="display: none">Run this cell to bring the controls
back.</p>
<style>.jp-OutputArea:not(:has(.explorable)) .explorable-still { display: block !important }
.jp-OutputArea:not(:has(.explorable)) > :has(.explorable-still) + * { display: none }</style>"""
"""What JupyterLab shows where the kernel that made an explorable is gone, instead of its error."""
KINDS = ("slider", "select", "radio", "checkbox")


@dataclass(frozen=True)
class State:
    """The picture at one combination of control positions.

    sentence : plain text that says what the picture shows, with its numbers
    panels : list of panel(...), the picture
    table : DataFrame, the same as numbers; or {what: value}
    options : {control name: its option labels in this state}, only for controls whose options
        depend on *earlier* controls. A shorter list than declared means that the rest is
        impossible (return None there); a string instead of a list stands where the options
        would, and says why there is nothing to choose.
    reached : whether this state fulfils the explorable's task
    """

    sentence: str
    panels: list
    table: pd.DataFrame | dict
    options: dict = field(default_factory=dict)
    reached: bool = False


def slider(name, label, values, *, format="{}"):
    """Return a slider over `values`; `name` is its keyword in the state function.

    >>> slider("q", "Target rate", [0.1, 0.2], format="{:.0%}")["labels"]
    ['10%', '20%']
    """
    values = list(values)
    return _control("slider", name, label, values, [format.format(value) for value in values])


def choice(name, label, options, *, kind="radio"):
    """Return "radio" buttons or a "select" list; options: a list, or {value: label}.

    >>> choice("criterion", "Impurity", {"gini": "Gini", "entropy": "entropy"})["values"]
    ['gini', 'entropy']
    """
    labels = options if isinstance(options, dict) else {value: str(value) for value in options}
    return _control(kind, name, label, list(labels), list(labels.values()))


def switch(name, label):
    """Return a checkbox: False, then True."""
    return _control("checkbox", name, label, [False, True], ["off", "on"])


def explore(title, controls, state_of, *, start=None, goal=""):
    """Compute every state that the controls can reach -> Explorable.

    title : one line. controls : list of slider(...), choice(...), switch(...).
    state_of(**values) -> State, or None at a position that does not exist (see State.options).
    start : {name: value} where controls stand at first; those left out stand at their first value.
    goal : a task for the reader in one sentence; states say whether they fulfil it (State.reached).

    Raises ValueError when a name is used twice, when no state fulfils the task or the first does,
    when a state cannot be reached or says too little (no sentence, or the same sentence for two
    different pictures), when a control is left with an empty list of options, and when the states
    hold more than 200 kB.

    >>> def square(k):
    ...     return State(f"{k} squared is {k * k}.", [], pd.DataFrame({"k": [k]}))
    >>> seen = explore("Squares", [slider("k", "Number", [1, 2])], square)
    >>> seen.sentence_at(k=2)
    '2 squared is 4.'
    """
    _check_controls(controls)
    pool, states = {}, {}
    for at in itertools.product(*(range(len(control["values"])) for control in controls)):
        values = {control["name"]: control["values"][k]
                  for control, k in zip(controls, at, strict=True)}
        states[at] = _as_json(state_of(**values), pool)
    _check_states(states, title)
    positions = _positions(controls, start or {})
    _check_goal(goal, states, tuple(positions), title)
    shown = [{key: control[key] for key in ("kind", "name", "label", "labels")}
             for control in controls]
    embedded = {"controls": shown, "states": list(states.values()),
                "pool": [json.loads(part) for part in pool]}
    _check_size(embedded, title)
    return Explorable(asked=controls, title=title, goal=goal, positions=positions, **embedded)


class Explorable(anywidget.AnyWidget):
    """The widget that `explore` returns: shown as the last line of a cell, it draws itself.

    positions : where the controls stand, as indices into their values; moving a control moves it,
        and setting it moves the control.
    """

    _esm = Path(__file__).with_name("explorable.js")
    _css = Path(__file__).with_name("explorable.css")
    title = traitlets.Unicode().tag(sync=True)
    goal = traitlets.Unicode().tag(sync=True)
    controls: traitlets.List = traitlets.List().tag(sync=True)
    states: traitlets.List = traitlets.List().tag(sync=True)
    pool: traitlets.List = traitlets.List().tag(sync=True)
    positions: traitlets.List = traitlets.List().tag(sync=True)

    def __init__(self, *, asked, **traits):
        super().__init__(**traits)
        self._asked = asked

    @property
    def sentence(self):
        """Return the sentence of the current state."""
        return self._sentence(self.positions)

    def sentence_at(self, **values):
        """Return the sentence for these control values, as in sentence_at(threshold=70).

        Omitted controls take their first value.
        """
        return self._sentence(_positions(self._asked, values))

    def _sentence(self, positions):
        shape = [len(control["labels"]) for control in self.controls]
        return self.states[np.ravel_multi_index(positions, shape)]["sentence"]

    def __repr__(self):
        return f"{self.title} – {self.sentence}"

    def _ipython_display_(self):
        """Display the widget, and what stands there without scripts, and without a kernel."""
        display({"text/html": f"<noscript><p>{escape(repr(self))}</p></noscript>{STILL}",
                 "text/plain": repr(self)}, raw=True)
        data, metadata = self._repr_mimebundle_()
        display(data, metadata=metadata, raw=True)


def _control(kind, name, label, values, labels):
    if kind not in KINDS:
        raise ValueError(f"unknown kind of control {kind!r}: expected one of {', '.join(KINDS)}.")
    if not values:
        raise ValueError(f"control {name!r} has no values: give at least one.")
    return {"kind": kind, "name": name, "label": label, "values": values, "labels": labels}


def _positions(controls, values):
    """Return where the controls stand for {name: value}; those left out stand at their first."""
    known = {control["name"]: control["values"] for control in controls}
    for name, value in values.items():
        if value not in known.get(name, []):
            raise ValueError(f"{name}={value!r} came, expected a control among "
                             f"{', '.join(known)} and one of its values.")
    return [known[name].index(values[name]) if name in values else 0 for name in known]


def _as_json(state, pool):
    """Return a state as lists and dicts; parts that states share become indices into the pool."""
    if state is None:
        return None
    if not isinstance(state, State):
        raise ValueError(f"the state function returned {type(state).__name__}, "
                         "expected a State (or None where there is no such position).")

    def store(part):
        return pool.setdefault(json.dumps(part), len(pool))

    panels = [{"frame": store(part["frame"]), "marks": [store(mark) for mark in part["marks"]]}
              for part in state.panels]
    table = (pd.DataFrame(state.table.items(), columns=["what", "value"])
             if isinstance(state.table, dict) else state.table)
    table = {"columns": store([str(name) for name in table.columns]),
             "rows": [store(row) for row in _rows(table)]}
    options = {"options": state.options} if state.options else {}
    reached = {"reached": True} if state.reached else {}
    return {"sentence": state.sentence, "panels": panels, "table": table} | options | reached


def _rows(table):
    columns = [_column(table[name]) for name in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def _column(values):
    """Write numbers with three decimals, and with none where a whole column needs none."""
    if not pd.api.types.is_float_dtype(values):
        return [str(value) for value in values]
    whole = (values == values.round()).all()
    return [f"{value:.0f}" if whole else f"{value:.3f}" for value in values + 0.0]


def _check_controls(controls):
    names = [control["name"] for control in controls]
    if not names:
        raise ValueError("an explorable needs at least one control: "
                         "a picture that cannot move belongs to fi_teach.plots.")
    if len(set(names)) < len(names):
        raise ValueError(f"two controls share a name among {', '.join(names)}: "
                         "each is a keyword of the state function, rename one.")


def _check_states(states, title):
    """Check that every state can be reached, and that different pictures differ in words, too."""
    pictures = {}
    for at, state in states.items():
        if state is None and any(at):
            continue
        for k in range(len(at)):  # a control that moves resets the later ones to their first option
            start = at[:k] + (0,) * (len(at) - k)
            if states[start] is None:
                raise ValueError(f"{title!r} has no state at positions {list(start)}, so "
                                 f"{list(at)} cannot be reached: options may depend on earlier "
                                 "controls only, and the first option must always exist.")
        picture, said = [state["panels"], state["table"]], state["sentence"]
        if not said.strip() or pictures.setdefault(said, picture) != picture:
            raise ValueError(f"{title!r} at positions {list(at)} has no sentence of its own "
                             f"({said!r}): whoever cannot see the picture must hear what "
                             "it shows, so put in the numbers that differ.")
        empty = [name for name, options in state.get("options", {}).items() if not options]
        if empty:
            raise ValueError(f"{title!r} at positions {list(at)} offers nothing for {empty[0]!r}: "
                             "instead of an empty list, give words that say why.")


def _check_goal(goal, states, start, title):
    reached = [at for at, state in states.items() if state and "reached" in state]
    if goal and not reached:
        raise ValueError(f"{title!r} has the task {goal!r}, which no state fulfils: "
                         "expected states with reached=True.")
    if goal and start in reached:
        raise ValueError(f"{title!r} starts where its task is fulfilled: start elsewhere.")


def _check_size(embedded, title):
    size = len(json.dumps(embedded))
    if size > SIZE_LIMIT:
        raise ValueError(f"{title!r} embeds {len(embedded['states'])} states of {size / 1000:.0f} "
                         f"kB in the page, more than {SIZE_LIMIT / 1000:.0f} kB: "
                         "take fewer slider steps, or draw shared marks alike in every state so "
                         "that they are stored once.")
