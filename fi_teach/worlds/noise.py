"""Worlds without any signal: every importance found there is chance or bias."""

import numpy as np
import pandas as pd

from fi_teach.basics.seeds import Seed, plain_stream
from fi_teach.basics.tables import check_count
from fi_teach.worlds.linear import linear_world
from fi_teach.worlds.world import World, truth_table


def null(n: int = 400, *, p: int = 5, rng: Seed = 0) -> World:
    """Nothing matters: p independent standard normal features, and such a target.

    True: every importance is 0, whatever a model makes of the noise.

    >>> null(50, p=3).truth["importance"].tolist()
    [0.0, 0.0, 0.0]
    """
    features = [f"x{j + 1}" for j in range(check_count(p, "p"))]
    return linear_world(
        n,
        rng,
        dict.fromkeys([*features, "y"], lambda noise: noise),
        shown=features,
        name="null",
        description="Nothing matters: features and target are independent noise.",
    )


def cardinality(n: int = 120, *, rng: Seed = 0) -> World:
    """Five noise features with 2, 4, 10, 20 and n distinct values, and a fair coin as target.

    True: every importance is 0. A measure that ranks them by their number of values shows its bias
    (Strobl et al. 2007, simulation study).

    >>> cardinality(1000).X.nunique().tolist()
    [2, 4, 10, 20, 1000]
    """
    n = check_count(n, "n")
    rng = plain_stream(rng)
    levels = {"binary": 2, "levels_4": 4, "levels_10": 10, "levels_20": 20}
    columns = {}
    for name, n_values in levels.items():
        columns[name] = rng.integers(0, n_values, n).astype(float)
    columns["continuous"] = rng.uniform(size=n)
    return World(
        X=pd.DataFrame(columns),
        y=pd.Series(rng.integers(0, 2, n), name="y"),
        truth=truth_table(columns, importance=np.zeros(5)),
        name="cardinality",
        description="Five noise features that differ only in their number of distinct values.",
        task="classification",
        ideal=lambda X: np.full(len(X), 0.5),
    )
