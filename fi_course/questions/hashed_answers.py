"""Hash answers so that only the right one unlocks its verdict.

Numbers are hashed on the grid of the tolerance; texts are encrypted with a key.

Everything here is SHA-256 of short texts, so that a page can do the same in twenty lines of its own
script (browsers keep theirs to https). `tests/course/questions/vectors.json` holds what both give.

digest(word)
    SHA-256 of the UTF-8 bytes of `word`, 64 small hexadecimal digits
tag(word)
    its first 16 digits, by which a word is looked up
cell(x, width)
    floor(u(x) / width), where u(x) = x for |x| < 1. Beyond, halve |x| until it is below 2, count
    the halvings, and u(x) = sign(x) (halvings + what is left): relative above 1
pad(word, x)
    the 8 bytes of x (IEEE double, the highest first) XOR the digits 17 to 32 of digest(word), in
    16 digits
seal(text, key)
    base64 of the UTF-8 bytes of text XOR the bytes of digest(key|0), digest(key|1), ...
"""

import base64
import hashlib
import math
import struct
from itertools import count

TAG = 16


def digest(word):
    """Return the SHA-256 of a text -> 64 hexadecimal digits."""
    return hashlib.sha256(word.encode("utf-8")).hexdigest()


def tag(word):
    """Return the key under which a word is stored -> 16 hexadecimal digits."""
    return digest(word)[:TAG]


def cell(x, width):
    """Return the index of the grid cell that contains a finite x -> int.

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
    near = tolerance * max(1, abs(x)) + 1e-12 * max(1, abs(x))
    width = width_of(tolerance)
    return range(cell(x - near, width), cell(x + near, width) + 1)


def pad(word, x):
    """Encrypt a number with a word -> 16 hexadecimal digits."""
    return _xor(struct.pack(">d", x), _pad_bytes(word)).hex()


def unpad(word, sealed):
    """Decrypt the number that `pad` has encrypted -> float."""
    return struct.unpack(">d", _xor(bytes.fromhex(sealed), _pad_bytes(word)))[0]


def hex_of(x):
    """Return the 8 bytes of a number as 16 hexadecimal digits."""
    return struct.pack(">d", x).hex()


def seal(text, key):
    """Encrypt a text with a key -> base64."""
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
