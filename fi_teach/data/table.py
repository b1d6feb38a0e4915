"""A data set with its target, units, words and source, read from a CSV and a JSON file."""

import json
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import pandas as pd


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


def read_table(folder: Path, name: str) -> Table:
    """Read the table `name` from its two files in a folder.

    NAME.csv holds the cells as their source has them. NAME.json says what they are: title, index
    column, target, units ("*" for the columns not listed), the numbers for words (`codes`), source
    and licence. A column of words that has codes is written in numbers.

    The files are read once; each call returns a table of its own.

    Raises ValueError for a name that has no files in the folder.
    """
    table = _stored_table(folder, name)
    codes = {column: dict(words) for column, words in table.codes.items()}
    return replace(
        table, X=table.X.copy(), y=table.y.copy(), units=dict(table.units), codes=codes
    )


@cache
def _stored_table(folder, name):
    cells = read_cells(folder, name)
    about = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    codes = {
        column: {int(number): word for number, word in words.items()}
        for column, words in about.get("codes", {}).items()
    }
    if "index" in about:
        cells = cells.set_index(about["index"])
    cells = cells.rename(columns=about.get("renamed", {}))
    for column, words in codes.items():
        if not pd.api.types.is_numeric_dtype(cells[column]):
            cells[column] = encode(cells[column], words)
    target = about["target"]
    X = cells.drop(columns=target)
    units = dict(about["units"])
    others = units.pop("*", None)
    if others:
        units = dict.fromkeys(X.columns.difference(list(units), sort=False), others) | units
    return Table(
        X=X,
        y=cells[target],
        name=name,
        title=about["title"],
        description=about["description"],
        source=about["source"],
        licence=about["licence"],
        units=units,
        codes={column: words for column, words in codes.items() if column in X},
    )


def read_cells(folder: Path, name: str) -> pd.DataFrame:
    """Read NAME.csv of a folder, cell by cell as its source has it.

    Raises ValueError for a name that has no file there.
    """
    names = sorted(path.stem for path in folder.glob("*.csv"))
    if name not in names:
        raise ValueError(f"unknown table {name!r}: expected one of {', '.join(names)}.")
    return pd.read_csv(folder / f"{name}.csv", keep_default_na=False, na_values=[""])


def encode(column: pd.Series, code: dict) -> pd.Series:
    """Words to numbers by {number: word}, exactly.

    >>> encode(pd.Series(["no", "yes"]), {0: "no", 1: "yes"}).tolist()
    [0, 1]
    """
    return column.map({word: number for number, word in code.items()}).astype(int)
