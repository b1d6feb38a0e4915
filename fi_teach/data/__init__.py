"""Tables small enough for paper: every number computed from them can be checked by hand.

Each function returns a `Table`, which unpacks into its features and its target: ``X, y = golf()``.
The larger tables of the field cases are in `fi_course.tables`.
"""

from dataclasses import replace
from pathlib import Path

from fi_teach.data.table import Table, read_table

FOLDER = Path(__file__).parent

BANANA_OUT_OF_BAG = {"tree 1": (2,), "tree M": (3, 4)}
"""IDs of the fruits that each of the two drawn trees never saw."""

BANANA_LENGTH_PERMUTED = (11, 19, 14, 10)
"""Length after the drawn permutation, fruits 1 to 4: every fruit gets the next one's length."""


def golf() -> Table:
    """Play golf today? Fourteen days, four features written as codes 1, 2, 3.

    The codes impose an order (sunny < overcast < rain) that the words do not have: see
    `golf_nominal`.

    >>> X, y = golf()
    >>> X.loc[6].tolist(), y.loc[6]
    ([3, 3, 2, 2], 'No')
    """
    return read_table(FOLDER, "golf")


def golf_nominal() -> Table:
    """The same fourteen days in words: categories without an order.

    >>> X, y = golf_nominal()
    >>> X.loc[6].tolist(), y.loc[6]
    (['rain', 'cool', 'normal', 'strong'], 'No')
    """
    coded = golf()
    units = dict.fromkeys(coded.X, "category") | {"Decision": coded.units["Decision"]}
    return replace(coded.in_words(), name="golf_nominal", units=units)


def midterm() -> Table:
    """Who passes the midterm? Eight students, minutes on social media, attendance (1 yes, 0 no).

    `midterm().in_words()` writes attendance as Yes and No.

    >>> X, y = midterm()
    >>> X.loc[5].tolist(), y.loc[5]
    ([110, 0], 'Fail')
    """
    return read_table(FOLDER, "midterm")


def bananas() -> Table:
    """Is it a banana? Four fruits, as in the drawing of out-of-bag permutation.

    `BANANA_OUT_OF_BAG` holds the fruits each drawn tree never saw, `BANANA_LENGTH_PERMUTED` the
    shuffled column; `bananas().in_words()` writes the categories out.

    >>> X, y = bananas()
    >>> X["Length"].tolist(), y.tolist()
    ([10, 11, 19, 14], ['no', 'yes', 'yes', 'yes'])
    >>> bananas().in_words().X.loc[2, ["Color", "Form", "Origin"]].tolist()
    ['brown', 'oblong', 'imported']
    """
    return read_table(FOLDER, "bananas")


__all__ = [
    "BANANA_LENGTH_PERMUTED",
    "BANANA_OUT_OF_BAG",
    "Table",
    "bananas",
    "golf",
    "golf_nominal",
    "midterm",
]
