"""Escape what students wrote for terminals, pages, tables and notebooks.

Each function takes any text and gives one that the place it is meant for shows and never obeys.
"""

import hashlib
import os
import re
import site
import socket
import sys
import unicodedata
from functools import cache
from pathlib import Path
from textwrap import TextWrapper
from unicodedata import category

from fi_grader.installed import PACKAGES

LONGEST_LINE = 100
LONGEST_ID = 80  # bytes of a name in nbgrader: it is a folder's, too
JOINERS = "\u200c\u200d"  # invisible; Persian and Indic spelling needs them
FORMULA_SIGNS = "=+@\u2212\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b-"
"""What begins a formula in some spreadsheet: ordinary, fullwidth and small signs."""
LOOK_ALIKES = str.maketrans("асеорхуіјѕһԁԛԝаΑΒΕΖΗΙΚΜΝΟΡΤΥΧονАВСЕНІЈКМОРЅТХУ",
                            "aceopxyijshdqwaABEZHIKMNOPTYXovABCEHIJKMOPSTXY")
"""Cyrillic and Greek letters that are drawn like Latin ones."""


def printable(text):
    """Escape all characters that are not printable.

    >>> printable("a\\x1b[1m \\u202e")
    'a\\\\x1b[1m \\\\u202e'
    """
    return "".join(c if c.isprintable() else _spelled(c) for c in text)


def lines(text):
    """Escape a text of several lines, which stay lines -> str."""
    return "\n".join(printable(line.expandtabs(4)) for line in text.splitlines())


def _spelled(c):
    return c.encode("unicode_escape").decode()


def name(text):
    """Escape the characters of a name that are invisible or imitate other letters.

    Imitations are the fullwidth and ornamental forms of ASCII, and letters of another alphabet in a
    word that has Latin ones.

    >>> name("\\u0430nna"), name("Анна \\u202e") == "Анна \\\\u202e"
    ('\\\\u0430nna', True)
    """
    words = re.split(r"([\s\d_.,:;'()+@-]+)", " ".join(text.split()))
    return "".join(_seen(word, k) for word in words for k in range(len(word)))


def _seen(word, k):
    """Escape the letter at this place of a word if it is odd there -> str."""
    c = word[k]
    if _joins(word, k):
        return c
    is_odd = category(c) in ("Lu", "Ll") and not _is_latin(c) and any(map(_is_latin, word))
    is_ornament = ord(c) > 255 and unicodedata.normalize("NFKC", c).isascii()
    return _spelled(c) if c in JOINERS or is_odd or is_ornament else printable(c)


def _joins(word, k):
    """Return whether this letter is a joiner as Persian and Indic spelling use it."""
    inside = word[k] in JOINERS and 0 < k < len(word) - 1
    return inside and {category(word[k - 1]), category(word[k + 1])} <= {"Lo", "Mn", "Mc"}


@cache
def _is_latin(c):
    return unicodedata.name(c, "").startswith("LATIN")


def skeleton(text):
    """Reduce a name to what it looks like: names with the same skeleton look alike -> str."""
    seen = "".join(c for c in unicodedata.normalize("NFKC", text) if c.isprintable())
    return " ".join(seen.translate(LOOK_ALIKES).split()).casefold()


def nbgrader_id(student):
    """Return an id that is safe in nbgrader's pages and scripts, and unique by a hash -> str."""
    digest = hashlib.sha256(os.fsencode(student)).hexdigest()[:12]
    safe = re.sub(r"[^\w .,+@()-]|^\.+", "_", name(student))
    is_other = (safe != student or len(os.fsencode(safe)) > LONGEST_ID
                or re.search("-[0-9a-f]{12}$", safe))
    return f"{safe[:40]}-{digest}" if is_other else safe


def field(value):
    """Escape a field so that no spreadsheet takes it for a formula; numbers stay numbers.

    A sign after a semicolon is defused too: where commas are decimal, semicolons part the fields.
    """
    if not isinstance(value, str):
        return value
    text = " ".join(value.split())
    text = "".join(c if _joins(text, k) else printable(c) for k, c in enumerate(text))
    return re.sub(rf"(^|;\s*)(?=[{FORMULA_SIGNS}]\s*\S)", r"\1'", text)


def listing(text):
    """Return text as a Markdown listing that shows it unrendered; "" stays "".

    A fence keeps formulas from being set. Each line inside is indented, so that none can close it.
    """
    fold = TextWrapper(LONGEST_LINE, expand_tabs=False, replace_whitespace=False,
                       break_on_hyphens=False).wrap
    folded = [part for line in lines(text).split("\n") for part in fold(line) or [""]]
    return "\n".join(["```", *(f"    {line}" for line in folded), "```"]) if text.strip() else ""


def without_places(text):
    """Replace the folders of this machine's user, and the machine's name -> str."""
    for place, word in _folders():
        text = text.replace(place, word)
    return re.sub(rf"(?<!\w){re.escape(socket.gethostname() or ' ')}(?!\w)", "(host)", text)


@cache
def _folders():
    """List the folders that reveal where and for whom this runs -> [(path, replacement), ...]."""
    libraries = [*site.getsitepackages(), site.getusersitepackages()]
    named = {str(Path.home()): "~", sys.prefix: "(python)", sys.base_prefix: "(python)",
             **{str(folder.parent): "(course)" for folder in PACKAGES.values()},
             **dict.fromkeys(libraries, "(libraries)")}
    return sorted(((p, w) for p, w in named.items() if len(p) > 1), key=lambda pair: -len(pair[0]))
