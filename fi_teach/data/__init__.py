"""Small real tables, vendored with the package: nothing is ever downloaded.

Each loader returns a `Table`, which unpacks into its features and its target: ``X, y = golf()``.
"""

from fi_teach.data.real import concrete, credit_cards, gbsg2, loans, meats, mortgages, tissues
from fi_teach.data.small import (
    BANANA_LENGTH_PERMUTED,
    BANANA_OUT_OF_BAG,
    bananas,
    golf,
    golf_nominal,
    midterm,
    mtcars,
)
from fi_teach.data.table import Table

__all__ = [
    "BANANA_LENGTH_PERMUTED",
    "BANANA_OUT_OF_BAG",
    "Table",
    "bananas",
    "concrete",
    "credit_cards",
    "gbsg2",
    "golf",
    "golf_nominal",
    "loans",
    "meats",
    "midterm",
    "mortgages",
    "mtcars",
    "tissues",
]
