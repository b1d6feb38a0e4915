"""Encode messages between judge and student process: tagged JSON, each with its length first.

No pickle: decoding builds data and nothing else, so that neither side can make the other run code.
"""

import base64
import json
import struct

import numpy as np
import pandas as pd

LARGEST = 16_000_000
"""No message is longer than this (bytes)."""
HEAD = struct.Struct("!I")


class TooLarge(ValueError):
    """A message that is longer than LARGEST."""


def send(channel, message, largest=LARGEST):
    """Write one message, a JSON value, to a socket.

    Raises TooLarge, or ValueError for what JSON cannot hold.
    """
    body = json.dumps(message).encode()
    if len(body) > largest:
        raise TooLarge(f"{len(body)} bytes are more than the {largest} that an answer may have.")
    channel.sendall(HEAD.pack(len(body)) + body)


def receive(channel, largest=LARGEST):
    """Read one message from a socket -> JSON value.

    Raises EOFError at the end, ValueError for what is no message.
    """
    (size,) = HEAD.unpack(exactly(channel, HEAD.size))
    if size > largest:
        raise TooLarge(f"{size} bytes are more than the {largest} that an answer may have.")
    try:
        return json.loads(exactly(channel, size))
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
    for types, tag, parts in _KINDS:
        if isinstance(value, types):
            return {tag: parts(value, lambda part: encode(part, handle))}
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
    if tag not in _BUILDERS:
        raise ValueError(f"no value is encoded as {tag!r}.")
    return _BUILDERS[tag](content, lambda part: decode(part, function))


def _of_array(array, part):
    array = np.asarray(array)
    if array.dtype.kind in "biufc":
        return [array.dtype.str, array.shape,
                base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()]
    return ["O" if array.dtype.kind == "O" else "U", array.shape,
            [part(v) for v in array.ravel().tolist()]]


def _to_array(content, part):
    kind, shape, data = content
    if kind in ("O", "U"):
        array = np.empty(len(data), object)
        array[:] = [part(v) for v in data]
        return (array if kind == "O" else array.astype(str)).reshape(shape)
    dtype = np.dtype(str(kind))
    if dtype.kind not in "biufc":
        raise ValueError(f"no array of dtype {kind} is data.")
    return np.frombuffer(base64.b64decode(data), dtype).reshape(shape).copy()


def _of_index(index, part):
    return None if isinstance(index, pd.RangeIndex) else [part(v) for v in index.tolist()]


def _of_column(series, part):
    values = series.to_numpy()
    return part(values) if values.dtype.kind in "biufc" else [part(v) for v in series.tolist()]


def _of_series(series, part):
    return [_of_column(series, part), _of_index(series.index, part), part(series.name)]


def _to_series(content, part):
    values, index, name = map(part, content)
    return pd.Series(values, index=index, name=name)


def _of_frame(frame, part):
    return [[part(c) for c in frame.columns], [_of_column(frame.iloc[:, k], part)
                                               for k in range(frame.shape[1])],
            _of_index(frame.index, part), len(frame)]


def _to_frame(content, part):
    columns, data, index, rows = map(part, content)
    frame = pd.DataFrame(dict(enumerate(data)), index=range(int(rows)) if index is None else index)
    frame.columns = columns
    return frame


def _to_range(start, stop, step):
    if abs(stop - start) > LARGEST * abs(step):
        raise ValueError("a range that long is no data.")
    return range(start, stop, step)


def _of_generator(generator, part):
    return part(generator.bit_generator.state)


def _to_generator(content, part):
    state = part(content)
    name = state.get("bit_generator") if isinstance(state, dict) else None
    if name not in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"):
        raise ValueError(f"no generator of numbers is called {name!r}.")
    generator = np.random.Generator(getattr(np.random, name)(0))
    generator.bit_generator.state = state
    return generator


def _many(values, part):
    return [part(v) for v in values]


_KINDS = (
    (np.generic, "scalar", lambda v, part: _of_array(v, part)),
    (bool | int | float | str, "plain",
     lambda v, part: next(t(v) for t in (bool, int, float, str) if isinstance(v, t))),
    (np.ndarray, "array", _of_array),
    (tuple, "tuple", _many),
    (set | frozenset, "set", _many),
    (dict, "dict", lambda v, part: [[part(k), part(x)] for k, x in v.items()]),
    (pd.Series, "series", _of_series),
    (pd.DataFrame, "frame", _of_frame),
    (type(...), "ellipsis", lambda v, part: None),
    (np.random.Generator, "generator", _of_generator),
    (range, "range", lambda v, part: [v.start, v.stop, v.step]),
)
_BUILDERS = {
    "plain": lambda content, part: content,
    "scalar": lambda content, part: _to_array(content, part)[()],
    "array": _to_array,
    "tuple": lambda content, part: tuple(map(part, content)),
    "set": lambda content, part: set(map(part, content)),
    "dict": lambda content, part: {part(k): part(v) for k, v in content},
    "series": _to_series,
    "frame": _to_frame,
    "ellipsis": lambda content, part: ...,
    "generator": _to_generator,
    "range": lambda content, part: _to_range(*map(int, content)),
}
