"""Encode messages between judge and student process: tagged JSON, each with its length first.

No pickle: decoding builds data and nothing else, so that neither side can make the other run code.
Nothing is believed about a message: what `encode` never writes is a ValueError.
"""

import base64
import json
import math
import re
import struct

import numpy as np
import pandas as pd

LARGEST = 16_000_000  # bytes of a message, elements of an array or range that it describes
MOST_PARTS = 2_000_000  # brackets and commas of an answer: each takes some 100 bytes once read
HEAD = struct.Struct("!I")
NUMBERS = re.compile(r"[<>|][biufc]\d{1,2}")  # types whose elements are numbers
GENERATORS = {"PCG64": np.random.PCG64, "PCG64DXSM": np.random.PCG64DXSM, "SFC64": np.random.SFC64}
"""Bit generators whose whole state can be validated. MT19937 and Philox keep a position in a
buffer, which NumPy believes: they do not cross."""
NOTHING_HIDDEN: dict[str, list] = {"names": [], "files": []}
"""The first message to a student process: names of functions and files that it must not know."""


def send(channel, message, largest=LARGEST):
    """Write one message to a socket. Raises ValueError if it is too long or no JSON."""
    body = json.dumps(message).encode()
    if len(body) > largest:
        raise ValueError(f"{len(body)} bytes are more than the {largest} that an answer may have.")
    channel.sendall(HEAD.pack(len(body)) + body)


def receive(channel, largest=LARGEST, most_parts=math.inf):
    """Read one message -> JSON value. Raises EOFError at the end, ValueError for no message."""
    (size,) = HEAD.unpack(exactly(channel, HEAD.size))
    if size > largest:
        raise ValueError(f"{size} bytes are more than the {largest} that an answer may have.")
    body = exactly(channel, size)
    if sum(map(body.count, (b",", b"[", b"{"))) > most_parts:
        raise ValueError(f"the answer has more than {most_parts:,} parts.")
    try:
        return json.loads(body)
    except RecursionError:
        raise ValueError("the answer is nested too deeply to be read.") from None


def exactly(channel, size):
    """Read exactly this many bytes from a socket. Raises EOFError at the end."""
    parts = []
    while size:
        part = channel.recv(min(size, 1 << 20))
        if not part:
            raise EOFError("the other side has gone.")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def encode(value, handle=None):
    """Encode a value as tagged JSON; `handle(function)` encodes functions.

    Raises ValueError for what is no data.

    >>> encode((1, [2.5, "x"]))
    {'tuple': [1, [2.5, 'x']]}
    """
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, list):
        return [encode(part, handle) for part in value]
    for tag, (types, written, _) in _KINDS.items():
        if isinstance(value, types):
            return {tag: written(value, lambda part: encode(part, handle))}
    if callable(value) and handle:
        return {"function": handle(value)}
    raise ValueError(f"a {type(value).__name__} is no data: "
                     "give numbers, words, lists, dictionaries, arrays or frames.")


def decode(message, function=None):
    """Decode what `encode` wrote; `function(handle)` makes the functions.

    Raises ValueError for what `encode` never writes.

    >>> decode(encode({"a": np.array([1, 2])}))
    {'a': array([1, 2])}
    """
    if isinstance(message, list):
        return [decode(part, function) for part in message]
    if not isinstance(message, dict):
        return message
    if len(message) != 1:
        raise ValueError("this is no encoded value.")
    (tag, content), = message.items()
    if tag == "function" and function:
        return function(content)
    if tag not in _KINDS:
        raise ValueError(f"no value is encoded as {tag!r}.")
    try:
        return _KINDS[tag][2](content, lambda part: decode(part, function))
    except (TypeError, KeyError, OverflowError):
        raise ValueError(f"this is no encoded {tag}.") from None


def _demand(condition):
    """Raise ValueError unless a message is what `encode` writes."""
    if not condition:
        raise ValueError("this is no encoded value.")


def _scalar(value):
    _demand(value is None or isinstance(value, bool | int | float | str))
    return value


def _whole(value, least, most):
    """Return a whole number that lies between two others, both included."""
    _demand(type(value) is int and least <= value <= most)
    return value


def _list(content, length=None):
    _demand(isinstance(content, list) and length in (None, len(content)))
    return content


def _many(values, part):
    return [part(v) for v in values]


def _of_array(array, part):
    array = np.asarray(array)
    if array.dtype.kind in "biufc":
        return [array.dtype.str, list(array.shape), base64.b64encode(array.tobytes()).decode()]
    return ["O" if array.dtype.kind == "O" else "U", list(array.shape),
            _many(array.ravel().tolist(), part)]


def _to_array(content, part):
    kind, shape, data = _list(content, 3)
    shape = [_whole(size, 0, LARGEST) for size in _list(shape)]
    if kind not in ("O", "U"):
        if not (isinstance(kind, str) and NUMBERS.fullmatch(kind)):
            raise ValueError(f"no array of dtype {str(kind)[:20]} is data.")
        data = base64.b64decode(data)
        # a bool is 0 or 1: NumPy believes that it is
        array = np.frombuffer(data, "u1") != 0 if "b" in kind else np.frombuffer(data, kind).copy()
        return array.reshape(shape)
    array = np.empty(len(_list(data)), object)
    for k, v in enumerate(data):
        array[k] = part(v)
    if kind == "U":
        longest = max((len(v) for v in array if isinstance(v, str)), default=0)
        _demand(all(isinstance(v, str) for v in array) and longest * len(array) <= LARGEST)
        array = array.astype(str)
    return array.reshape(shape)


def _of_column(values, part):
    """Write a column, or the labels of rows, as an array; None for numbers that count rows."""
    return None if isinstance(values, pd.RangeIndex) else part(values.to_numpy())


def _to_column(content, part, length=None):
    """Rebuild a column: an array of one dimension, or a list of words and numbers."""
    if content is None:
        return pd.RangeIndex(length)
    column = part(content)
    _demand(isinstance(column, np.ndarray) and column.ndim == 1 and length in (None, len(column)))
    return column if column.dtype.kind != "O" else _many(column, _scalar)


def _to_series(content, part):
    values, index, name = _list(content, 3)
    values = _to_column(values, part)
    index = _to_column(index, part, len(values))
    return pd.Series(values, index=index, name=_scalar(part(name)))


def _of_frame(frame, part):
    columns = [_of_column(frame.iloc[:, k], part) for k in range(frame.shape[1])]
    return [list(map(part, frame.columns)), columns, _of_column(frame.index, part), len(frame)]


def _to_frame(content, part):
    columns, data, index, rows = _list(content, 4)
    rows = _whole(rows, 0, LARGEST)
    frame = pd.DataFrame({k: _to_column(column, part, rows)
                          for k, column in enumerate(_list(data, len(_list(columns))))},
                         index=_to_column(index, part, rows))
    frame.columns = [_scalar(part(column)) for column in columns]
    return frame


def _to_range(content, part):
    start, stop, step = (_whole(n, -2**62, 2**62) for n in _list(content, 3))
    if abs(stop - start) > LARGEST * abs(step):
        raise ValueError("a range that long is no data.")
    return range(start, stop, step)


def _of_generator(generator, part):
    state = generator.bit_generator.state
    name, own = state["bit_generator"], state["state"]
    if name not in GENERATORS:
        raise ValueError(f"a generator with {name} is no data: use np.random.default_rng.")
    words = own["state"].tolist() if name == "SFC64" else [own["state"], own["inc"]]
    return [name, words, state["has_uint32"], state["uinteger"]]


def _to_generator(content, part):
    name, words, has_half, half = _list(content, 4)
    if name not in GENERATORS:
        raise ValueError(f"no generator of numbers is called {str(name)[:20]!r}.")
    if name == "SFC64":
        words = [_whole(word, 0, 2**64 - 1) for word in _list(words, 4)]
        state = {"state": np.array(words, np.uint64)}
    else:
        state, increment = (_whole(word, 0, 2**128 - 1) for word in _list(words, 2))
        _demand(increment % 2)  # an even one may draw the same number for ever
        state = {"state": state, "inc": increment}
    bits = GENERATORS[name](0)
    bits.state = {"bit_generator": name, "state": state, "has_uint32": _whole(has_half, 0, 1),
                  "uinteger": _whole(half, 0, 2**32 - 1)}
    return np.random.Generator(bits)


_KINDS: dict[str, tuple] = {
    "scalar": (np.generic, _of_array, lambda content, part: _to_array(content, part)[()]),
    "plain": (bool | int | float | str,
              lambda v, part: next(t(v) for t in (bool, int, float, str) if isinstance(v, t)),
              lambda content, part: _scalar(content)),
    "array": (np.ndarray, _of_array, _to_array),
    "tuple": (tuple, _many, lambda content, part: tuple(map(part, _list(content)))),
    "set": (set | frozenset, _many, lambda content, part: set(map(part, _list(content)))),
    "dict": (dict, lambda v, part: [[part(k), part(x)] for k, x in v.items()],
             lambda content, part: {part(k): part(v) for k, v in (
                 _list(pair, 2) for pair in _list(content))}),
    "series": (pd.Series,
               lambda s, part: [_of_column(s, part), _of_column(s.index, part), part(s.name)],
               _to_series),
    "frame": (pd.DataFrame, _of_frame, _to_frame),
    "ellipsis": (type(...), lambda v, part: None, lambda content, part: ...),
    "generator": (np.random.Generator, _of_generator, _to_generator),
    "range": (range, lambda v, part: [v.start, v.stop, v.step], _to_range)}
"""Each kind of value by its tag: its types, how it is written, how it is rebuilt."""
