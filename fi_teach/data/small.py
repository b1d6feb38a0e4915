"""The tables small enough for paper: every number computed from them can be checked by hand."""

from dataclasses import replace

from fi_teach.data.table import Table, as_table, encode, read_csv

GOLF_CODES = {
    "Outlook": {1: "sunny", 2: "overcast", 3: "rain"},
    "Temperature": {1: "hot", 2: "mild", 3: "cool"},
    "Humidity": {1: "high", 2: "normal"},
    "Wind": {1: "weak", 2: "strong"},
}
MIDTERM_CODES = {"Attends": {0: "No", 1: "Yes"}}
BANANA_CODES = {
    "Color": {0: "brown", 1: "green", 2: "yellow"},
    "Form": {0: "oblong", 1: "round"},
    "Origin": {0: "domestic", 1: "imported"},
}

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
    raw = read_csv("golf").set_index("row")
    return as_table(
        "golf",
        raw.drop(columns="Decision"),
        raw["Decision"],
        codes=GOLF_CODES,
        description=(
            "Fourteen days and whether golf was played, the weather coded as small integers. "
            "The rows are numbered from 1, as on paper."
        ),
        units={
            "Outlook": "code 1 sunny, 2 overcast, 3 rain",
            "Temperature": "code 1 hot, 2 mild, 3 cool",
            "Humidity": "code 1 high, 2 normal",
            "Wind": "code 1 weak, 2 strong",
            "Decision": "Yes: golf was played",
        },
    )


def golf_nominal() -> Table:
    """The same fourteen days in words: categories without an order.

    >>> X, y = golf_nominal()
    >>> X.loc[6].tolist(), y.loc[6]
    (['rain', 'cool', 'normal', 'strong'], 'No')
    """
    units = {
        "Outlook": "category",
        "Temperature": "category",
        "Humidity": "category",
        "Wind": "category",
        "Decision": "Yes: golf was played",
    }
    return replace(golf().in_words(), name="golf_nominal", units=units)


def midterm() -> Table:
    """Who passes the midterm? Eight students, minutes on social media, attendance (1 yes, 0 no).

    `midterm().in_words()` writes attendance as Yes and No.

    >>> X, y = midterm()
    >>> X.loc[5].tolist(), y.loc[5]
    ([110, 0], 'Fail')
    """
    raw = read_csv("midterm").set_index("row")
    features = raw[["Time", "Attends"]].assign(
        Attends=encode(raw["Attends"], MIDTERM_CODES["Attends"])
    )
    return as_table(
        "midterm",
        features,
        raw["Midterm"],
        codes=MIDTERM_CODES,
        description=(
            "Eight students: time on social media, whether they attend class, and the result. "
            "The rows are numbered from 1, in the order of the slide."
        ),
        units={
            "Time": "minutes on social media",
            "Attends": "1 yes, 0 no",
            "Midterm": "Pass or Fail",
        },
    )


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
    raw = read_csv("bananas").set_index("ID")
    features = raw.drop(columns="Banana").assign(
        **{c: encode(raw[c], code) for c, code in BANANA_CODES.items()}
    )
    return as_table(
        "bananas",
        features,
        raw["Banana"],
        codes=BANANA_CODES,
        description=(
            "Four fruits, three of them bananas. Two of many trees were drawn: fruit 2 is out "
            "of bag in the first, fruits 3 and 4 in the last, fruit 1 in neither."
        ),
        units={
            "Color": "code 0 brown, 1 green, 2 yellow",
            "Form": "code 0 oblong, 1 round",
            "Origin": "code 0 domestic, 1 imported",
            "Length": "no unit given (centimetres would fit)",
            "Banana": "yes or no",
        },
    )


def mtcars() -> Table:
    """Fuel economy of 32 cars of 1973-74 from ten design features.

    >>> X, y = mtcars()
    >>> X.loc["Fiat 128", ["cyl", "wt"]].tolist(), float(y.loc["Fiat 128"])
    ([4.0, 2.2], 32.4)
    """
    raw = read_csv("mtcars").set_index("model")
    return as_table(
        "mtcars",
        raw.drop(columns="mpg"),
        raw["mpg"],
        description=(
            "32 cars of the model years 1973-74. Engine size, power, weight and cylinders all "
            "grow together: a table where importance must be shared among correlated features."
        ),
        units={
            "mpg": "miles per US gallon",
            "cyl": "cylinders",
            "disp": "cubic inches",
            "hp": "gross horsepower",
            "drat": "rear axle ratio",
            "wt": "1000 pounds",
            "qsec": "seconds for a quarter mile",
            "vs": "0 V-shaped engine, 1 straight",
            "am": "0 automatic, 1 manual",
            "gear": "forward gears",
            "carb": "carburettors",
        },
    )
