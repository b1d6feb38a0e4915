"""Real data sets, included with their licences: nothing is downloaded.

The CSV files hold what their source holds; numbers stand for no and yes (0, 1) and for ordered
grades (1, 2, 3). Each function returns a `Table`, which unpacks: ``X, y = concrete()``.
README.md beside this file says where each table comes from and under which terms it is passed on.
"""

from pathlib import Path

import pandas as pd

from fi_teach.data.table import Table, read_cells, read_table

FOLDER = Path(__file__).parent


def read_csv(name: str) -> pd.DataFrame:
    """Read the cells of a table as in its source, words as words.

    Raises ValueError for a name that no table has.

    >>> read_csv("gbsg2")["menostat"].unique().tolist()
    ['Post', 'Pre']
    """
    return read_cells(FOLDER, name)


def mtcars() -> Table:
    """Fuel economy of 32 cars of 1973-74 from ten design features.

    >>> X, y = mtcars()
    >>> X.loc["Fiat 128", ["cyl", "wt"]].tolist(), float(y.loc["Fiat 128"])
    ([4.0, 2.2], 32.4)
    """
    return read_table(FOLDER, "mtcars")


def tissues() -> Table:
    """Which of seven tissues is a sample from? 189 samples, expression of 500 genes.

    >>> X, y = tissues()
    >>> X.shape, y.nunique(), y.value_counts().idxmin()
    ((189, 500), 7, 'placenta')
    """
    return read_table(FOLDER, "tissues")


def concrete() -> Table:
    """How strong will it be? 1030 tests of concrete, seven ingredients and the age at test.

    >>> X, y = concrete()
    >>> X.shape, round(float(y.mean()), 2)
    ((1030, 8), 35.82)
    """
    return read_table(FOLDER, "concrete")


def credit_cards() -> Table:
    """Was the application accepted (1) or rejected (0)? 1319 applicants, two leaks in 11 features.

    >>> X, y = credit_cards()
    >>> X.shape, int(y.sum())
    ((1319, 11), 1023)
    >>> float(X.loc[y == 0, "expenditure"].max())
    0.0
    """
    return read_table(FOLDER, "credit_cards")


def mortgages() -> Table:
    """Was the mortgage denied (1) or granted (0)? 2380 applications in Boston in 1990.

    >>> X, y = mortgages()
    >>> y.groupby(X["afam"]).mean().round(3).tolist()
    [0.093, 0.283]
    """
    return read_table(FOLDER, "mortgages")


def gbsg2() -> Table:
    """How long until breast cancer returns? 686 women, eight features; y holds time and event.

    y : DataFrame with `time` in days and `event`, 1 if recurrence or death was seen, 0 if censored

    >>> X, y = gbsg2()
    >>> X.shape, y["event"].sum(), y.columns.tolist()
    ((686, 8), np.int64(299), ['time', 'event'])
    """
    return read_table(FOLDER, "gbsg2")


def meats() -> Table:
    """How much water, fat and protein? 215 samples, absorbance at 100 wavelengths, three outputs.

    y : DataFrame with `water`, `fat`, `protein`, in per cent

    >>> X, y = meats()
    >>> X.shape, y.columns.tolist()
    ((215, 100), ['water', 'fat', 'protein'])
    """
    return read_table(FOLDER, "meats")


def loans() -> Table:
    """Was a loan paid back (0) or not (1)? 4454 consumer loans, with words and gaps as they came.

    >>> X, y = loans()
    >>> X.shape, int(X.isna().any(axis=1).sum()), y.groupby(X["Records"]).mean().round(2).tolist()
    ((4454, 13), 415, [0.22, 0.55])
    """
    return read_table(FOLDER, "loans")


def chicago() -> Table:
    """How many people enter a station today? 5698 days of 2001 to 2016, dated.

    >>> X, y = chicago()
    >>> X.shape, X["date"].iloc[0], round(float(y.mean()), 1)
    ((5698, 5), '2001-01-22', 13.6)
    """
    return read_table(FOLDER, "chicago")
