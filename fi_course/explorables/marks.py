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
    words = ticks if isinstance(ticks, dict) else {place: format.format(place) for place in ticks}
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
    height in pixels.

    >>> panel(points([1], [2]), x=axis(0, 2), y=axis(0, 3))["marks"][0]["x"]
    [1.0]
    """
    hidden = {"low": 0.0, "high": 1.0, "label": "", "ticks": []}
    y = dict(y or hidden)
    if y.pop("first_on_top", False):
        y["low"], y["high"] = y["high"], y["low"]
    x = {key: value for key, value in (x or hidden).items() if key != "first_on_top"}
    frame = {"title": title, "x": x, "y": y, "height": height, "min_width": min_width}
    return {"frame": frame, "marks": list(_flat(marks))}


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


def band(x, low, high, *, colour="c0", name=""):
    """Return the area between low and high along x: a spread, an interval."""
    x = _places(x)
    return _mark("area", x=x + x[::-1], y=_places(low) + _places(high)[::-1], colour=colour,
                 name=name)


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


def handle(mark, control, places, *, along="x"):
    """Make a mark draggable along x or y, to move a slider or choice of the explorable.

    control : the control's name. places : where the mark stands at each position of the control,
        in its order.
    Keys and screen readers use the control itself; a handle is for mice and fingers.

    >>> handle(rule(x=2), "t", [1, 2, 3])["handle"]
    {'control': 't', 'along': 'x', 'places': [1.0, 2.0, 3.0]}
    """
    if along not in ("x", "y"):
        raise ValueError(f"a handle moves along {along!r}: expected 'x' or 'y'.")
    return mark | {"handle": {"control": control, "along": along, "places": _places(places)}}


def bars(values, *, start=0, error=None, labels=None, horizontal=False, **look):
    """Return bars from `start` to start + value at places 0, 1, 2, ...

    Waterfalls and stacked bars set `start`.

    values (k,); start a number or (k,); error (k,) half-lengths of error bars, NaN for none;
    labels: words at the bars' ends, a list or a format such as "{:.2f}";
    look: colour, hatch (True to stripe), name, width (0.7 of the room from bar to bar),
    at (k,) other places

    >>> bars([3], horizontal=True)[0]["x"]
    [0.0, 3.0]
    """
    values = np.asarray(values, dtype=float)
    low = np.broadcast_to(np.asarray(start, dtype=float), values.shape)
    error = np.full(len(values), np.nan) if error is None else np.asarray(error, dtype=float)
    words = ([labels.format(v) for v in values] if isinstance(labels, str) else labels
             or [""] * len(values))
    drawn = []
    at, width = look.pop("at", range(len(values))), look.pop("width", 0.7)
    for place, begin, end, half, word in zip(at, low, low + values, error, words, strict=True):
        ends = {"across": [place - width / 2, place + width / 2], "along": [begin, end]}
        drawn.append(_bar(ends, horizontal, **look))
        drawn += _error_bar(place, end, half, horizontal)
        drawn += _bar_label(place, end + np.nan_to_num(half), word, horizontal)
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


def _bar(ends, horizontal, *, colour="c0", hatch=False, name=""):
    return _mark("rect", **_turn(ends, horizontal), colour=colour, hatch=hatch, name=name)


def _error_bar(place, end, half, horizontal):
    if not half > 0:
        return []
    whisker = {"across": [place, place], "along": [end - half, end + half]}
    caps = [{"across": [place - 0.1, place + 0.1], "along": [edge, edge]}
            for edge in whisker["along"]]
    return [_mark("line", **_turn(ends, horizontal), colour="ink", width=1.5)
            for ends in (whisker, *caps)]


def _bar_label(place, end, words, horizontal):
    if not words:
        return []
    if horizontal:
        return [text(end, place, words, anchor="start", shift=(5, 0))]
    return [text(place, end, words, shift=(0, -10))]


def _turn(ends, horizontal):
    across, along = _places(ends["across"]), _places(ends["along"])
    return {"x": along, "y": across} if horizontal else {"x": across, "y": along}


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
