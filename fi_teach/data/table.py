"""A table is a question with its data: features, target, units, and where they come from."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from fi_teach.data.provenance import PROVENANCE, check_name

FOLDER = Path(__file__).parent


@dataclass(frozen=True, repr=False, eq=False)
class Table:
    """Features X and target y of one data set, with what a reader must know about them.

    X : DataFrame (n, p)
    y : Series (n,), or DataFrame (n, n_outputs) where the target has several columns
    name, title, description : what to call it, what it is, what to beware of
    source, licence : where it comes from and under which terms it is passed on
    units : dict, column -> unit, for the columns of X and of y
    codes : dict, column -> {code: word}, for columns of X that hold words written as numbers

    It unpacks into its two halves:

    >>> from fi_teach.data import golf
    >>> X, y = golf()
    >>> X.shape, y.name
    ((14, 4), 'Decision')
    """

    X: pd.DataFrame
    y: pd.Series | pd.DataFrame
    name: str
    title: str
    description: str
    source: str
    licence: str
    units: dict
    codes: dict = field(default_factory=dict)

    def __iter__(self):
        return iter((self.X, self.y))

    def __repr__(self):
        target = ", ".join(self.y.columns) if isinstance(self.y, pd.DataFrame) else self.y.name
        return f"<{self.title}: {len(self.X)} rows, {self.X.shape[1]} features, target {target}>"

    def in_words(self) -> "Table":
        """The same table with every coded column written out in words.

        >>> from fi_teach.data import golf
        >>> golf().in_words().X.loc[1].tolist()
        ['sunny', 'hot', 'high', 'weak']
        """
        words = self.X.assign(**{c: self.X[c].map(code) for c, code in self.codes.items()})
        return replace(self, X=words, codes={})

    def to_frame(self) -> pd.DataFrame:
        """Features and target side by side, the target last (n, p + n_outputs).

        >>> from fi_teach.data import midterm
        >>> midterm().to_frame().columns.tolist()
        ['Time', 'Attends', 'Midterm']
        """
        return pd.concat([self.X, self.y], axis=1)


def read_csv(name: str) -> pd.DataFrame:
    """The vendored file of that name, cell by cell as its source has it.

    Raises ValueError for a name that no file has.
    """
    check_name(name)
    return pd.read_csv(FOLDER / f"{name}.csv", keep_default_na=False, na_values=[""])


def encode(column: pd.Series, code: dict) -> pd.Series:
    """Words to numbers by {number: word}, exactly.

    >>> encode(pd.Series(["no", "yes"]), {0: "no", 1: "yes"}).tolist()
    [0, 1]
    """
    return column.map({word: number for number, word in code.items()}).astype(int)


def as_table(
    name: str,
    features: pd.DataFrame,
    target: pd.Series | pd.DataFrame,
    *,
    description: str,
    units: dict,
    codes: dict | None = None,
) -> Table:
    """A Table from its columns, with title, source and licence from the provenance list."""
    record = PROVENANCE[name]
    return Table(
        X=features,
        y=target,
        name=name,
        title=record["title"],
        description=description,
        source=record["source"],
        licence=record["licence"],
        units=units,
        codes=codes or {},
    )
