"""Worlds of practice: a leak, a faulty pipeline, a biased decision."""

from collections.abc import Collection, Iterable

import numpy as np
import pandas as pd

from fi_teach.basics.seeds import Seed, plain_stream
from fi_teach.basics.shuffles import take
from fi_teach.basics.tables import check_count
from fi_teach.worlds.world import (
    World,
    check_at_least,
    check_between_or_at,
    check_number,
    truth_table,
)

FAULTS = ("shift", "duplicates", "id")


def leak(n: int = 400, *, rng: Seed = 0) -> World:
    """A column written after the outcome: P(y = 1) = sigmoid(x1 + 0.5 x2),
    spent = y * (1 + Exp(1)).

    True: x1 and x2 cause y; `spent` is its consequence and gives it away, so that given `spent`
    nothing else is relevant, and shuffling it costs 2 P(y=0) P(y=1) = 1/2. `extra["available"]`
    says when each column is known (0 at the decision, 1 after it).

    >>> world = leak(100)
    >>> bool(((world.X["spent"] > 0) == (world.y == 1)).all()), world.extra["available"]["spent"]
    (True, 1)
    """
    n = check_count(n, "n")
    rng = plain_stream(rng)
    x1, x2 = rng.standard_normal((2, n))
    y = (rng.uniform(size=n) < _sigmoid(x1 + 0.5 * x2)).astype(int)
    spent = y * (1 + rng.exponential(size=n))
    columns = {"x1": x1, "x2": x2, "spent": spent}
    return World(
        X=pd.DataFrame(columns),
        y=pd.Series(y, name="y"),
        truth=truth_table(
            columns,
            associated=columns,
            relevant=("spent",),
            used=("spent",),
            causal=("x1", "x2"),
            importance=[0, 0, 0.5],
        ),
        name="leak",
        description="spent is recorded after the outcome and gives it away.",
        task="classification",
        ideal=lambda X: (np.asarray(X, float)[:, 2] > 0).astype(float),
        extra={"available": {"x1": 0, "x2": 0, "spent": 1}},
    )


def _sigmoid(score):
    """basics/links.logistic, but by the plain formula: its last digit is part of the data."""
    return 1 / (1 + np.exp(-score))


# --- a careless pipeline ---


def pipeline_faults(n: int = 400, *, faults: Collection[str] = FAULTS, rng: Seed = 0) -> World:
    """y = x1 + x2 + 0.5 x3 + 0.5 e, in a table with the faults of a careless pipeline.

    "shift": column x2 has slipped down by one row. The first row shows the reading before the
        table begins, and the last reading is lost.
    "duplicates": one row in five (rounded down) is appended a second time at the end.
    "id": a column of numbers that were given out in the order of the outcome.

    True: a slipped x2 is worthless to any predictor although the quantity it should hold is a
    cause; the id predicts and causes nothing. `extra` holds the list of faults and `copy_of`, for
    every row the row it copies (or itself).

    >>> world = pipeline_faults(100)
    >>> world.X.shape, world.truth.loc["x2", "associated"].item()
    ((120, 4), False)
    """
    n = check_at_least(n, 2, "n")
    faults = _check_faults(faults)
    rng = plain_stream(rng)
    X = pd.DataFrame(rng.standard_normal((n, 3)), columns=["x1", "x2", "x3"])
    signal = X["x1"] + X["x2"] + 0.5 * X["x3"]
    y = pd.Series(signal + 0.5 * rng.standard_normal(n), name="y")
    copy_of = np.arange(n)
    if "duplicates" in faults:
        repeated = rng.choice(n, n // 5, replace=False)
        copy_of = np.concatenate([copy_of, repeated])
    earlier, broken = rng.standard_normal(), X
    if "shift" in faults:  # x2 slips down, the reading before the table begins on top
        broken = broken.assign(x2=[earlier, *X["x2"].iloc[:-1]])
    if "id" in faults:
        broken = broken.assign(id=1000 + y.rank().astype(int))
    table = take(broken.assign(y=y), copy_of)
    coefficients = np.array([1.0, 0.0 if "shift" in faults else 1.0, 0.5])
    return World(
        X=table.drop(columns="y"),
        y=table["y"],
        truth=_fault_truth(list(broken), coefficients),
        name="pipeline_faults",
        description="Good data after a careless pipeline.",
        task="regression",
        ideal=None if "id" in faults else lambda X: np.asarray(X, float) @ coefficients,
        hidden=take(X, copy_of),
        extra={"faults": faults, "copy_of": copy_of},
    )


def _check_faults(faults):
    """Check the faults and return them as a tuple."""
    if isinstance(faults, str) or not isinstance(faults, Iterable):
        raise ValueError(
            f"faults is {faults!r}, expected a list of some of {', '.join(FAULTS)}: "
            "write one fault as a list of one, none as an empty list.")
    faults = tuple(faults)
    unknown = [fault for fault in faults if fault not in FAULTS]
    if unknown:
        raise ValueError(f"unknown fault {unknown[0]!r}: choose among {', '.join(FAULTS)}.")
    return faults


def _fault_truth(names, coefficients):
    """Truth of the broken table; no importance has a formula once the id is in it."""
    causes = ("x1", "x2", "x3")
    useless = [name for name, b in zip(causes, coefficients, strict=True) if not b]
    good = [name for name in names if name not in useless]
    return truth_table(
        names,
        associated=good,
        relevant=good,
        used=good,
        causal=causes,
        importance=None if "id" in names else 2 * coefficients**2,
    )


# --- a biased decision ---


def fairness(
    n: int = 400, *, bias: float = 1.0, agreement: float = 0.9, shown: bool = True, rng: Seed = 0
) -> World:
    """Decisions with a bias: P(y = 1) = sigmoid(2 skill - bias * (protected - 1/2)).

    protected is a fair bit, skill ~ N(0, 1) in both groups, proxy equals protected with
    probability `agreement`, noise ~ N(0, 1). `shown=False` drops the protected column from X (it
    stays in `hidden`).

    True: the groups differ in nothing but the decision. proxy causes nothing; it is irrelevant
    while protected is shown, and carries the bias on once protected is dropped (unless agreement
    is 1/2 or bias is 0).

    >>> fairness(50).truth.loc["proxy", "relevant"]
    np.False_
    >>> fairness(50, shown=False).truth.loc["proxy", "relevant"]
    np.True_
    """
    n = check_count(n, "n")
    bias = check_number(bias, "bias")
    agreement = check_between_or_at(agreement, 0, 1, "agreement")
    rng = plain_stream(rng)
    protected = rng.integers(0, 2, n)
    skill = rng.standard_normal(n)
    noise = rng.standard_normal(n)
    agrees = rng.uniform(size=n) < agreement
    proxy = np.where(agrees, protected, 1 - protected)
    chance = _decision(skill, protected, bias)
    y = (rng.uniform(size=n) < chance).astype(int)
    columns = {"skill": skill, "proxy": proxy, "noise": noise}
    if shown:
        columns["protected"] = protected
    return World(
        X=pd.DataFrame(columns),
        y=pd.Series(y, name="y"),
        truth=_fairness_truth(tuple(columns), bias, agreement),
        name="fairness",
        description="A biased decision, and a harmless-looking column that stands for the "
        "protected one.",
        task="classification",
        ideal=_fairness_ideal(bias, agreement, shown),
        hidden=pd.DataFrame({"protected": protected}),
        extra={"protected": "protected", "proxy": "proxy"},
    )


def _decision(skill, protected, bias):
    """P(y = 1 | skill, protected)."""
    return _sigmoid(2 * skill - bias * (protected - 0.5))


def _fairness_truth(names, bias, agreement):
    """Which columns carry the bias; if the proxy is exact, neither it nor protected is relevant."""
    carriers = {"protected"} if bias else set()
    proxy_tells = bool(bias) and agreement != 0.5
    telling = {"proxy"} if proxy_tells else set()
    if "protected" in names:
        used = {"skill"} | carriers
        relevant = {"skill"} if agreement in (0, 1) else used
    else:
        used = relevant = {"skill"} | telling
    return truth_table(
        names,
        associated={"skill"} | carriers | telling,
        relevant=relevant,
        used=used,
        causal={"skill"} | carriers,
    )


def _fairness_ideal(bias, agreement, shown):
    """P(y = 1 | X): by its formula, or averaged over P(protected | proxy)."""

    def ideal(X):
        X = np.asarray(X, float)
        skill = X[:, 0]
        if shown:
            likely = X[:, 3]
        else:
            likely = np.where(X[:, 1] == 1, agreement, 1 - agreement)
        treated = _decision(skill, 1, bias)
        spared = _decision(skill, 0, bias)
        return likely * treated + (1 - likely) * spared

    return ideal
