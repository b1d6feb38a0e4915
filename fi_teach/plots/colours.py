"""Colours: a feature has the same colour in every figure and explorable.

Eight hues, each with a value for white and one for dark paper. They reach a contrast of 3:1 on
their paper and stay apart for most of the colour-blind; a mark, a dash or a stripe says the same
thing again. Grey is no hue: it is for what is not asked about.
"""

from collections.abc import Collection

HUES = {
    "c0": ("#1478be", "#56b4e9"),  # blue
    "c1": ("#d2520a", "#f28a45"),  # vermilion
    "c2": ("#129a86", "#3ad1ae"),  # sea green
    "c3": ("#72197f", "#f0b0ff"),  # purple
    "c4": ("#414a08", "#c9d17c"),  # olive
    "c5": ("#1a35c8", "#7b90ff"),  # ultramarine
    "c6": ("#8a4c5e", "#d08aa0"),  # rose
    "c7": ("#a855f0", "#c77dff"),  # violet
}
"""Name of a hue -> (on white, on dark)."""

PALETTE = tuple(light for light, _ in HUES.values())

FEATURES = {
    # the midterm, golf, the bananas, the icy mornings, the taxi
    "Attends": 0, "Time": 1,
    "Outlook": 0, "Temperature": 1, "Humidity": 2, "Wind": 6,
    "Color": 0, "Form": 1, "Origin": 2, "Length": 6,
    "cold": 0, "wet": 1,
    "Ada": 0, "Ben": 1, "Cleo": 2,
    # worlds whose truth is known
    "x1": 0, "x2": 1, "x3": 2, "x4": 3, "x5": 4,
    "x6": 5, "x7": 6, "x8": 7, "x9": 4, "x10": 5,
    "z": 2, "m": 2, "c": 2, "spent": 2, "id": 7,
    "skill": 0, "proxy": 1, "noise": 4, "protected": 3,
    "binary": 0, "levels_4": 1, "levels_10": 2, "levels_20": 6, "continuous": 3,
    # mtcars
    "wt": 0, "hp": 1, "disp": 2, "cyl": 3, "qsec": 4,
    "drat": 5, "am": 6, "vs": 7, "gear": 5, "carb": 7,
    # concrete
    "cement": 0, "water": 1, "superplasticizer": 2, "age": 3,
    "blast_furnace_slag": 4, "fly_ash": 5, "coarse_aggregate": 6, "fine_aggregate": 7,
    # credit cards
    "reports": 0, "share": 1, "income": 2, "selfemp": 4, "owner": 5,
    "dependents": 6, "expenditure": 7, "months": 5, "majorcards": 6, "active": 4,
    # mortgages
    "pirat": 0, "afam": 1, "lvrat": 2, "insurance": 3, "chist": 4, "mhist": 5,
    "phist": 6, "unemp": 7, "hirat": 1, "condomin": 3, "single": 5, "hschool": 6,
    # breast cancer
    "estrec": 0, "horTh": 1, "menostat": 2, "pnodes": 4, "progrec": 5, "tgrade": 6, "tsize": 7,
    # consumer loans
    "Records": 0, "Income": 1, "ticket": 3, "Seniority": 2, "Job": 4, "Amount": 5, "Home": 6,
    "Price": 7, "Assets": 5, "street": 7,
    # meat, by its parts
    "fat": 0, "protein": 2,
}
"""Feature -> number of its hue. Names that stand in one figure differ, up to eight of them."""

CLASSES = {"Pass": 4, "Fail": 3, "Yes": 4, "No": 3, "yes": 4, "no": 3}
"""What a tree predicts -> number of its hue; none that the features of the same chapter have."""


def hues_of(names: Collection[str]) -> dict[str, str]:
    """The hue of each name -> {name: "c0" to "c7"}.

    A name of FEATURES or CLASSES has its own, whatever it stands beside; others take the first that
    are free, in their order.
    """
    known = {**FEATURES, **CLASSES}
    taken = {known[name] for name in names if name in known}
    everything = list(range(len(HUES)))
    free = [k for k in everything if k not in taken] or everything
    others = [name for name in dict.fromkeys(names) if name not in known]
    given = {name: free[k % len(free)] for k, name in enumerate(others)}
    number = known | given
    return {name: f"c{number[name]}" for name in names}


def colours_of(names: Collection[str]) -> dict[str, str]:
    """The colour of each name on white paper, so that a feature keeps its colour through a chapter.

    >>> colours_of(["Time", "Attends"])
    {'Time': '#d2520a', 'Attends': '#1478be'}
    """
    return {name: HUES[hue][0] for name, hue in hues_of(names).items()}
