"""Hash answers so that only the right one unlocks its verdict.

Numbers are hashed on the grid of the tolerance; texts are encrypted with a key. Everything is
SHA-256 of short texts, so that a page can do the same in its own script (browsers keep theirs to
https). `tests/course/questions/vectors.json` holds what both give.
"""

import base64
import hashlib
import math
import struct
from itertools import count

TAG = 16


def digest(word):
    """Return the SHA-256 of a text's UTF-8 bytes -> 64 hexadecimal digits."""
    return hashlib.sha256(word.encode("utf-8")).hexdigest()


def tag(word):
    """Return the key under which a word is stored -> the first 16 digits of its digest."""
    return digest(word)[:TAG]


def cell(x, width):
    """Return the index of the grid cell that contains a finite x -> int.

    Cells are as wide as this below 1. Beyond, |x| is halved until it is below 2, and the halvings
    are added to what is left: relative above 1.

    >>> cell(0.25, 0.1), cell(-0.25, 0.1), cell(5.0, 0.1), cell(1.0, 0.1)
    (2, -3, 32, 10)
    """
    size = abs(x)
    if size >= 1:
        part, exponent = math.frexp(size)
        size = exponent - 1 + 2 * part
    return math.floor(math.copysign(size, x) / width)


def width_of(tolerance):
    """Return the cell width for a tolerance: values near x lie in two or three cells."""
    return 4 * max(tolerance, 1e-6)


def cells_near(x, tolerance):
    """Return the cells with any number within the tolerance of x, relative above 1 -> range."""
    near = (tolerance + 1e-12) * max(1, abs(x))
    width = width_of(tolerance)
    return range(cell(x - near, width), cell(x + near, width) + 1)


def pad(word, x):
    """Encrypt a number, 8 bytes, with the second 16 digits of a word's digest -> 16 digits."""
    return _xor(struct.pack(">d", x), _pad_bytes(word)).hex()


def unpad(word, sealed):
    """Decrypt the number that `pad` has encrypted -> float."""
    return struct.unpack(">d", _xor(bytes.fromhex(sealed), _pad_bytes(word)))[0]


def hex_of(x):
    """Return the 8 bytes of a number as 16 hexadecimal digits."""
    return struct.pack(">d", x).hex()


def seal(text, key):
    """Encrypt a text's UTF-8 bytes with the digests of key|0, key|1, ... -> base64."""
    return base64.b64encode(_stream(text.encode("utf-8"), key)).decode("ascii")


def unseal(sealed, key):
    """Decrypt the text that `seal` has encrypted -> str."""
    return _stream(base64.b64decode(sealed), key).decode("utf-8")


def _pad_bytes(word):
    return bytes.fromhex(digest(word)[TAG : 2 * TAG])


def _stream(data, key):
    blocks = (bytes.fromhex(digest(f"{key}|{k}")) for k in count())
    return b"".join(_xor(data[at : at + 32], block)
                    for at, block in zip(range(0, len(data), 32), blocks, strict=False))


def _xor(one, other):
    return bytes(a ^ b for a, b in zip(one, other, strict=False))
