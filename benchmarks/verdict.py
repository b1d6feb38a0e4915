"""What the figures say about the goals, in words, and how fast time grows with size."""

import numpy as np

MEMORY, TIME = "our memory", "our time"


def goals(row):
    """Return the goals of a measured row -> list of (goal, verdict):
    'met', 'met, and the aim', 'missed', 'missed, within the spread'.

    Within the spread is a ratio whose median misses the goal while one of its repeats reaches it.

    >>> goals({"must": 2, "aim": 5, "ratio": 3.0, "lowest": 2.9, "highest": 3.1})
    [('at least 2, aim 5', 'met')]
    """
    found = []
    must, aim = row.get("must"), row.get("aim")
    if must is not None or aim is not None:
        words = [f"{name} {value:,g}" for name, value in (("at least", must), ("aim", aim))
                 if value is not None]
        least = aim if must is None else must
        verdict = ("missed" if row["highest"] < least else "missed, within the spread"
                   if row["ratio"] < least else "met")
        found.append((", ".join(words),
                      verdict + ", and the aim" * (must is not None and aim is not None
                                                   and row["ratio"] >= aim)))
    for most, figure, unit, name in (("most MB", "peak (MB)", "MB", MEMORY),
                                     ("most s", "ours (s)", "s", TIME)):
        if row.get(most) is not None:
            found.append((f"{name} under {row[most]:g} {unit}",
                          "met" if row[figure] < row[most] else "missed"))
    return found


def missed(row):
    """Return whether the row was measured and misses one of its goals."""
    return "ratio" in row and any(verdict.startswith("missed") for _, verdict in goals(row))


def exponent(points):
    """Return the slope of log time on log size, by least squares over the points
    that were measured whole.

    points : list of {"size", "seconds", "part"} -> number, or None for fewer than two

    >>> exponent([{"size": n, "seconds": 3 * n**2, "part": 1.0} for n in (1, 10, 100)])
    2.0
    """
    whole = [point for point in points if point["part"] == 1]
    if len(whole) < 2:
        return None
    x, y = (np.log([point[name] for point in whole]) for name in ("size", "seconds"))
    x = x - x.mean()
    return float(round((x @ y) / (x @ x), 12))
