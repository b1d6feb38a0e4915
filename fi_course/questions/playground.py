"""Let sliders move a picture of the student's own function, once its check has passed.

An exercise writes a *picture*, a function of the sliders that calls the student's function and
returns what is to be drawn:

    {"A": 8, "B": 11}             names and numbers: a bar each
    ({0: 0.5, 1: 0.3}, 1)         a line through the numbers, with a dot where the slider stands

The first line of its docstring is the title; "the gain, by the weight" names the axes as well.
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

from fi_course.questions.cards import Card
from fi_course.questions.cell_runs import in_notebook


def play(id, function, verdict, picture, sliders):
    """Show sliders and a picture for a function that is right -> a widget, or a Card.

    verdict : of the question of that id, on the function
    sliders : {name of an argument of `picture`: (least, most) or (least, most, step)}
    """
    name = getattr(function, "__name__", "answer")
    if verdict.status != "right":
        first = f"First `Q({id!r}).check({name})` must say Right; then run this cell again."
        return Card(f"Sliders wait here for your `{name}`", (_title(picture), first))
    if not in_notebook() or find_spec("ipywidgets") is None:  # a page's Python has no sliders
        return Card(f"Your `{name}` moves this picture in a notebook", (_title(picture),))
    return _sliders(picture, sliders)


def _title(picture):
    return (picture.__doc__ or picture.__name__).strip().split("\n")[0]


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
        control.value = getattr(control, "min", control.value)  # the middle may give it away
        control.observe(move, "value")
    move(None)
    return VBox([*controls, shown])


def _as_html(picture, values, seen):
    """Return the picture for these values as HTML, with what the function prints or raises.

    seen : ends of the scale so far, which may grow
    """
    import matplotlib.pyplot as plt

    from fi_teach.plots.alt_text import alt_text, render

    printed, others = io.StringIO(), plt.get_fignums()
    with redirect_stdout(printed):
        try:
            ax = draw_picture(picture(**values), _title(picture), values)
            seen.extend(ax.get_ylim())
            ax.set_ylim(min(seen), max(seen))
            svg = base64.b64encode(render(ax.figure, "svg")).decode()
            drawn = (f'<img alt="{escape(alt_text(ax.figure))}" '
                     f'src="data:image/svg+xml;base64,{svg}">')
        except Exception as error:
            drawn = f"<pre>{escape(f'{type(error).__name__}: {error}')}</pre>"
    for number in set(plt.get_fignums()).difference(others):  # half a picture, too
        plt.close(number)
    words = printed.getvalue()
    return drawn + (f"<pre>{escape(words)}</pre>" if words else "")


def draw_picture(found, title, values):
    """Draw what a picture returned for these values of its sliders -> axes.

    Raises ValueError for anything but numbers by name, or numbers and where the slider stands.
    """
    numbers, at = found if isinstance(found, tuple) and len(found) == 2 else (found, None)
    if not isinstance(numbers, dict) or not numbers:
        raise ValueError(
            f"a picture returns a dictionary of numbers, or (dictionary, place), not {found!r}")
    from fi_teach.plots import INK, PALETTE, describe, new_axes, number

    ax = new_axes()
    ax.axhline(0, color=INK, linewidth=0.8)
    told = {place: number(np.float64(value)) for place, value in numbers.items()}
    if at is None:
        bars = ax.bar(list(numbers), list(numbers.values()), color=PALETTE[0], width=0.6)
        ax.bar_label(bars, list(told.values()), padding=3)
        ax.margins(y=0.15)
    else:
        near = min(numbers, key=lambda place: abs(place - at))
        told = {near: told[near]}
        ax.plot(list(numbers), list(numbers.values()), color=PALETTE[0])
        ax.plot([near], [numbers[near]], "o", color=PALETTE[1], markersize=9)
        ax.annotate(told[near], (near, numbers[near]), xytext=(8, 8), textcoords="offset points",
                    color=INK)
        ax.margins(x=0.08, y=0.2)
    ax.set_title(title, loc="left", fontweight="bold")
    upward, by, onward = title.partition(", by ")
    if by:
        ax.set(xlabel=onward, ylabel=upward)
    set_to = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())
    seen = ", ".join(f"{place}: {value}" for place, value in told.items())
    return describe(ax, f"{title}. With {set_to}: {seen}.")
