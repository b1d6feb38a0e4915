"""Describe a scene as panels of marks (bars, points, lines, text) that JavaScript draws.

Every function returns plain dicts. Places are in the units of the panel's axes;
lengths such as `size` are in pixels.
A colour is a name of the palette: "c0" to "c7" (told apart by the colour-blind, in light and
in dark), "ink", "muted", "good", "bad". Never let colour alone carry a meaning:
give points a `shape`, bars a `hatch`, and both a `name`, which puts them into the legend.
"""

import numpy as np

COLOURS = ("c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "ink", "muted", "good", "bad", "paper")
SHAPES = ("circle", "square", "triangle", "diamond", "cross")


def signed(value, form="{:+.3g}"):
    """Return a number in words with a true minus sign, and zero without any sign.

    >>> signed(0.5), signed(-0.25), signed(-0.001, "{:.2f}")
    ('+0.5', '−0.25', '0.00')
    """
    words = form.format(round(value, 9))
    if not words.strip("+-0.%"):
        return words.lstrip("+-")
    return words.replace("-", "−")


def listed(numbers, form="{:+.3g}"):
    """Return named numbers in words: numbers is a Series, or {name: number}.

    >>> listed({"x1": 0.5, "x2": -0.25})
    'x1 +0.5, x2 −0.25'
    """
    return ", ".join(f"{name} {signed(number, form)}" for name, number in numbers.items())


def axis(low, high, label="", *, ticks=None, format="{:.4g}"):
    """Return an axis from low to high; `ticks` is None, a list of places, or {place: words}.

    None gives about five round ticks.

    >>> axis(0, 1, "share")["ticks"][1]
    [0.2, '0.2']
    """
    if not np.isfinite([low, high]).all() or low == high:
        raise ValueError(
            f"an axis from {low} to {high} has no length: give two different finite numbers.")
    ticks = _round_ticks(low, high) if ticks is None else ticks
    words = ticks if isinstance(ticks, dict) else {place: signed(place, format) for place in ticks}
    return {"low": _short(low), "high": _short(high), "label": label,
            "ticks": [[_short(place), str(word)] for place, word in words.items()]}


def categories(names, label=""):
    """Return an axis of names at places 0, 1, 2, ...; on a y axis the first name is on top.

    >>> categories(["a", "b"])["ticks"]
    [[0.0, 'a'], [1.0, 'b']]
    """
    if len(names) == 0:
        raise ValueError("categories got no names: an axis needs at least one.")
    return axis(-0.5, len(names) - 0.5, label,
                ticks=dict(enumerate(names))) | {"first_on_top": True}


def panel(*marks, x=None, y=None, title="", height=220, min_width=260):
    """Return a frame of the scene with its marks; x and y are axes (None: 0 to 1, not drawn).

    Panels stand side by side while each gets its min_width, and below one another on a phone.
    height in pixels. Marks may come in nested lists; points without a place are left out.

    >>> panel(points([1], [2]), x=axis(0, 2), y=axis(0, 3))["marks"][0]["x"]
    [1.0]
    """
    hidden = {"low": 0.0, "high": 1.0, "label": "", "ticks": []}
    y = dict(y or hidden)
    if y.pop("first_on_top", False):
        y["low"], y["high"] = y["high"], y["low"]
    x = {key: value for key, value in (x or hidden).items() if key != "first_on_top"}
    frame = {"title": title, "x": x, "y": y, "height": height, "min_width": min_width}
    return {"frame": frame, "marks": [mark for mark in _flat(marks) if mark["x"] != []]}


def points(x, y, *, colour="c0", shape="circle", name="", size=6):
    """Return points at (x, y), size their radius; a `name` puts them into the legend."""
    if shape not in SHAPES:
        raise ValueError(f"unknown shape {shape!r}: expected one of {', '.join(SHAPES)}.")
    return _mark("points", x=_places(x), y=_places(y), colour=colour, shape=shape, name=name,
                 size=size)


def line(x, y, *, colour="c0", name="", dashed=False, step=False, width=2):
    """Return a line through the points (x, y); with `step` it keeps each y until the next x."""
    x, y = _places(x), _places(y)
    if step:
        x, y = np.repeat(x, 2)[1:].tolist(), np.repeat(y, 2)[:-1].tolist()
    return _mark("line", x=x, y=y, colour=colour, name=name, dashed=dashed, width=width)


def curve(x, y, here, *, colour="c0", shape="circle", name="", dashed=False):
    """Return a line through the points (x, y), with a marker at x = here if that is one of them.

    >>> [mark["kind"] for mark in curve([1, 2], [3, 4], 2)]
    ['line', 'points']
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    at = np.isclose(x, here)
    return [line(x, y, colour=colour, dashed=dashed),
            points(x[at], y[at], colour=colour, shape=shape, name=name)]


def rule(*, x=None, y=None, colour="muted", name="", dashed=True):
    """Return a reference line across the whole panel, at x or at y."""
    if (x is None) == (y is None):
        raise ValueError("a rule stands at one place: give either x or y.")
    ends = ({"x": [None, None], "y": _places([y, y])} if x is None
            else {"x": _places([x, x]), "y": [None, None]})
    return _mark("line", **ends, colour=colour, name=name, dashed=dashed, width=1.5)


def region(*, x=None, y=None, colour="c0", hatch=False, name=""):
    """Return a tinted rectangle from x[0] to x[1] and y[0] to y[1].

    None reaches from edge to edge of the panel.
    """
    edges = {key: [None if end is None else _short(end) for end in span or (None, None)]
             for key, span in (("x", x), ("y", y))}
    return _mark("rect", **edges, colour=colour, hatch=hatch, name=name, tint=True)


def handle(mark, control, places, *, positions=None, along="x"):
    """Make a mark draggable, to move a slider or choice of the explorable.

    control : the control's name. places : where the mark stands on the axis `along` ("x" or "y")
        at each position of the control, in its order; with `positions`, where it can be dropped,
        and the control's position for each of these places.
    Keys and screen readers use the control itself; a handle is for mice and fingers.

    >>> handle(rule(x=2), "t", [1, 2, 3])["handle"]
    {'control': 't', 'places': [1.0, 2.0, 3.0], 'along': 'x'}
    """
    dropped = {} if positions is None else {"positions": [int(at) for at in positions]}
    return mark | {"handle": {"control": control, "places": _places(places), **dropped,
                              "along": along}}


def bars(values, *, at=None, start=0, labels="", horizontal=False, width=0.7, colour="c0",
         hatch=False, name=""):
    """Return bars from `start` to start + value at the places `at`, without it at 0, 1, 2, ...

    values (k,). labels : words at the bars' ends, or a format such as "{:.2f}". width : of the
    room from bar to bar. start, colour, hatch (True to stripe) and name : one for all bars,
    or as many as there are bars. Striped names come first, so that a legend keeps its order.

    >>> bars([3, 1], colour=["c0", "c1"], horizontal=True)[1]
    {'kind': 'rect', 'colour': 'c1', 'x': [0.0, 1.0], 'y': [0.65, 1.35]}
    """
    values = np.asarray(values, dtype=float)
    if isinstance(labels, str):
        labels = [signed(value, labels) for value in values]
    looks = [np.broadcast_to(part, values.shape) for part in (start, colour, hatch, name)]
    at = range(len(values)) if at is None else at
    drawn = []
    for place, value, words, begin, *look in zip(at, values, labels, *looks, strict=True):
        end, (colour, hatch, name) = begin + value, look
        x, y = _places([place - width / 2, place + width / 2]), _places([begin, end])
        label = text(place, end, words, shift=(0, -10))
        if horizontal:
            x, y = y, x
            label = text(end, place, words, anchor="start", shift=(5, 0))
        drawn.append(_mark("rect", x=x, y=y, colour=str(colour), hatch=bool(hatch), name=str(name)))
        drawn += [label] if words else []
    return sorted(drawn, key=lambda mark: not (mark.get("hatch") and mark.get("name")))


def grouped_bars(table, looks=(("c0", False), ("c1", True)), *, labels=""):
    """Return horizontal bars in groups: a group for each row of the table, a bar for each column.

    looks : (colour, hatch) of each column, whose name goes into the legend. A bar of no length is
    a dot.

    >>> import pandas as pd
    >>> marks = grouped_bars(pd.DataFrame({"a": [1, 0], "b": [2, 3]}))
    >>> [mark["kind"] for mark in marks]
    ['rect', 'rect', 'points', 'rect', 'rect', 'points']
    """
    room, drawn = 0.72 / len(looks), []
    for k, (column, (colour, hatch)) in enumerate(zip(table, looks, strict=True)):
        values = table[column].to_numpy()
        at = np.arange(len(values)) + room * (k - (len(looks) - 1) / 2)
        drawn += bars(values, at=at, width=room - 0.02, labels=labels, horizontal=True,
                      colour=colour, hatch=hatch, name=column)
        nothing = abs(values) < 1e-9
        drawn.append(points(values[nothing], at[nothing], colour=colour, size=3))
    return drawn


def text(x, y, words, *, colour="ink", anchor="middle", shift=(0, 0)):
    """Return text at (x, y), shifted right and down by so many pixels.

    anchor "start", "middle" or "end" says which part stands at x.
    """
    if anchor not in ("start", "middle", "end"):
        raise ValueError(f"unknown anchor {anchor!r}: expected 'start', 'middle' or 'end'.")
    return _mark("text", x=_short(x), y=_short(y), words=str(words), colour=colour, anchor=anchor,
                 dx=shift[0], dy=shift[1])


def box(x, y, lines, *, colour="ink", rounded=False):
    """Return a small box with lines of text, centred at (x, y): a node of a tree or graph."""
    return _mark("box", x=_short(x), y=_short(y), lines=[str(words) for words in lines],
                 colour=colour, rounded=rounded)


def arrow(start, end, *, cut=False):
    """Return an arrow from box to box of a graph, in a panel without axes.

    start, end : (x, y) of the boxes. A cut arrow is grey, dashed and labelled.

    >>> [mark["kind"] for mark in arrow((0.2, 0.2), (0.8, 0.2))]
    ['line', 'line']
    """
    a, b = np.array(start), np.array(end)
    along = (b - a) / np.hypot(*(b - a))
    room = np.hypot(*(along * (0.2, 0.12)))  # boxes are wider than high
    a, b = a + room * along, b - room * along
    if cut:
        return [line(*zip(a, b, strict=True), colour="muted", dashed=True),
                text(*(a + b) / 2, "cut", colour="bad")]
    across = np.array([-along[1], along[0]])
    head = np.array([b - 0.06 * along + 0.03 * across, b, b - 0.06 * along - 0.03 * across])
    return [line(*zip(a, b, strict=True), colour="ink"), line(*head.T, colour="ink")]


def _mark(kind, *, colour, **fields):
    """Return a mark without its empty fields, to keep the page small."""
    if colour not in COLOURS:
        raise ValueError(f"unknown colour {colour!r}: expected one of {', '.join(COLOURS)}.")
    sizes = [len(fields[key]) for key in ("x", "y") if isinstance(fields[key], list)]
    if len(set(sizes)) > 1:
        raise ValueError(
            f"a mark has {sizes[0]} places on x and {sizes[1]} on y: give one y for each x.")
    said = {key: value for key, value in fields.items()
            if (value is not False and value not in ("", 0)) or key in ("x", "y")}
    return {"kind": kind, "colour": colour} | said


def _flat(marks):
    for mark in marks:
        yield from [mark] if isinstance(mark, dict) else _flat(mark)


def _places(values):
    return [_short(value) for value in np.asarray(values, dtype=float).ravel()]


def _short(value):
    """Round to five significant digits, to keep the page small."""
    if not np.isfinite(float(value)):
        raise ValueError(
            f"a mark stands at {value}: leave out what is missing, a screen cannot show it.")
    return float(f"{float(value):.5g}")


def _round_ticks(low, high, about=5):
    """Return ticks between low and high: multiples of 1, 2 or 5 times a power of ten."""
    low, high = sorted((low, high))
    rough = (high - low) / about
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * min((1, 2, 5, 10), key=lambda factor: abs(np.log(factor * power / rough)))
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    return [float(f"{k * step:.10g}") + 0.0 for k in np.arange(first, last + 1)]
