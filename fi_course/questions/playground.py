"""Let sliders move a picture of the student's own function, once its check has passed.

An exercise writes a *picture*, a function of the sliders that calls the student's function and
returns what is to be drawn:

    {"A": 8, "B": 11}             names and numbers: a bar each
    ({0: 0.5, 1: 0.3}, 1)         a line through the numbers, with a dot where the slider stands

The first line of its docstring is the title.
`Q("trees.decrease").play(decrease, picture, cut=(1, 7))` shows a slider from 1 to 7.
This needs a kernel, so it is for notebooks only;
a page says in words what would be there, with or without Python in it.
"""

import base64
import io
from contextlib import redirect_stdout
from html import escape
from importlib.util import find_spec

import numpy as np

from fi_course.questions.cards import Card, in_notebook


def play(id, function, verdict, picture, sliders):
    """Show sliders and a picture for a function that is right -> a widget, or a Card.

    verdict : of the question of that id, on the function
    sliders : {name of an argument of `picture`: (least, most) or (least, most, step), or options}
    """
    name = getattr(function, "__name__", "answer")
    if verdict.status != "right":
        first = (
            f"First `Q({id!r}).check({name})` must say Right; then run this cell again.")
        return Card(f"Sliders wait here for your `{name}`", (_title(picture), first))
    if not in_notebook() or find_spec("ipywidgets") is None:  # a page's Python has no sliders
        return Card(f"Your `{name}` moves this picture in a notebook", (_title(picture),))
    return _sliders(picture, sliders)


def _sliders(picture, sliders):
    """Return a widget with a slider for each argument above the picture; its scale never shrinks.

    The picture is the value of a widget of its own. The output of a cell inside a widget would be
    sent back by what runs notebooks (nbclient), which can then miss that the cell has ended.
    """
    from ipywidgets import HTML, VBox, interactive

    controls = interactive(lambda **values: None, **sliders).kwargs_widgets
    shown, seen = HTML(), []

    def move(_):
        values = {name: c.value for name, c in zip(sliders, controls, strict=True)}
        shown.value = _as_html(picture, values, seen)

    for control in controls:
        control.description = control.description.replace("_", " ")
        control.style.description_width = "initial"
        control.layout.width = "26em"
        control.observe(move, "value")
    move(None)
    return VBox([*controls, shown])


def _as_html(picture, values, seen):
    """Return the picture for these values as HTML, with what the function prints or raises.

    seen : ends of the scale so far, which may grow
    """
    import matplotlib.pyplot as plt

    printed, others = io.StringIO(), plt.get_fignums()
    with redirect_stdout(printed):
        try:
            ax = draw_picture(picture(**values), _title(picture), values)
            seen.extend(ax.get_ylim())
            ax.set_ylim(min(seen), max(seen))
            drawn = _drawn(ax.figure)
        except Exception as error:
            drawn = _said(f"{type(error).__name__}: {error}")
    for number in set(plt.get_fignums()).difference(others):  # half a picture, too
        plt.close(number)
    return drawn + (_said(printed.getvalue()) if printed.getvalue() else "")


def _drawn(figure):
    """Return the figure with its alternative text as an HTML image."""
    from fi_teach.plots.alt_text import alt_text, render

    svg = base64.b64encode(render(figure, "svg")).decode()
    return f'<img alt="{escape(alt_text(figure))}" src="data:image/svg+xml;base64,{svg}">'


def _said(words):
    return f"<pre>{escape(words)}</pre>"


def _title(picture):
    return (picture.__doc__ or picture.__name__).strip().split("\n")[0]


def draw_picture(found, title, values):
    """Draw what a picture returned for these values of its sliders -> axes.

    Raises ValueError for anything but numbers by name, or numbers and where the slider stands.
    """
    numbers, at = found if isinstance(found, tuple) and len(found) == 2 else (found, None)
    if not isinstance(numbers, dict) or not numbers:
        raise ValueError(
            f"a picture returns a dictionary of numbers, or (dictionary, place), not {found!r}")
    from fi_teach.plots import describe, new_axes

    ax = new_axes()
    (_draw_bars if at is None else _draw_line)(ax, numbers, at)
    ax.set_title(title, loc="left", fontweight="bold")
    return describe(ax, _sentence(numbers, at, title, values))


def _draw_bars(ax, numbers, _):
    from fi_teach.plots import INK, PALETTE, number

    bars = ax.bar(list(numbers), list(numbers.values()), color=PALETTE[0], width=0.6)
    ax.bar_label(bars, [number(value) for value in numbers.values()], padding=3)
    ax.axhline(0, color=INK, linewidth=0.8)
    ax.margins(y=0.15)


def _draw_line(ax, numbers, at):
    from fi_teach.plots import INK, PALETTE, number

    near = min(numbers, key=lambda place: abs(place - at))
    ax.axhline(0, color=INK, linewidth=0.8)
    ax.plot(list(numbers), list(numbers.values()), color=PALETTE[0])
    ax.plot([near], [numbers[near]], "o", color=PALETTE[1], markersize=9)
    ax.annotate(number(numbers[near]), (near, numbers[near]), xytext=(8, 8),
                textcoords="offset points", color=INK)
    ax.margins(x=0.08, y=0.2)


def _sentence(numbers, at, title, values):
    from fi_teach.plots import number

    set_to = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())
    places = numbers if at is None else [min(numbers, key=lambda place: abs(place - at))]
    said = ", ".join(f"{place}: {number(np.float64(numbers[place]))}" for place in places)
    return f"{title}. With {set_to}: {said}."
