"""Data whose truth is known: in a world that we made ourselves an importance can be right or wrong.

Every world is drawn by one function, seeded by `rng`, and carries its truth: which features are associated with the
target, relevant given the others, read by the ideal predictor, causal, and, where a formula exists, how important.
`WORLDS` lists them all. The linear worlds are written as their equations: every variable is a weighted sum of
independent standard normal noises, held as the vector of its weights.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import pandas as pd


@dataclass(frozen=True, repr=False, eq=False)
class World:
    """One data set with the truth beside it.

    X : DataFrame (n, p), all numbers
    y : Series (n,), or DataFrame (n, n_outputs); for survival its columns are time and event
    truth : DataFrame (p, 5), one row a feature:
        associated : the target depends on the feature, taken alone
        relevant : the target depends on it given all the other features of X (the knockoff filter's question)
        used : the ideal predictor reads it
        causal : setting its column's variable to another value would change the target
        importance : by how much the expected squared error of `ideal` rises when this column is replaced by an
            independent copy, E[(y - ideal(X with x_j'))^2] - E[(y - ideal(X))^2]; NaN where no formula is known
    name, description, task : what it is; task is "classification", "regression", "survival" or "several outputs"
    ideal : the best prediction of y from X (for classes P(y = 1), for survival the log hazard ratio), or None
    hidden : DataFrame of what exists and is not shown
    test : a second World to evaluate on, where that one follows another law; else None
    extra : dict, facts of one world only

    >>> world = xor_gate(100, rng=0)
    >>> world.truth.loc["x1", ["associated", "relevant"]].tolist()
    [False, True]
    """

    X: pd.DataFrame
    y: pd.Series | pd.DataFrame
    truth: pd.DataFrame
    name: str
    description: str
    task: str
    ideal: Callable | None = None
    hidden: pd.DataFrame = field(default_factory=pd.DataFrame)
    test: "World | None" = None
    extra: dict = field(default_factory=dict)

    @property
    def names(self):
        """The features' names -> tuple of p str."""
        return tuple(self.X.columns)

    def __repr__(self):
        return f"<World {self.name}: {len(self.X)} rows, {self.X.shape[1]} features, {self.task}>"


def _truth(names, *, associated=(), relevant=(), causal=(), used=(), importance=None):
    """The truth table from the names of the features that have each property -> DataFrame (p, 5)."""
    columns = {"associated": associated, "relevant": relevant, "used": used, "causal": causal}
    table = pd.DataFrame({c: [name in members for name in names] for c, members in columns.items()}, index=list(names))
    return table.assign(importance=np.nan if importance is None else np.asarray(importance, float))


# --- what may be asked for: checked at the door ---

def _check_rows(n, least=1):
    if not isinstance(n, int | np.integer) or isinstance(n, bool) or n < least:
        raise ValueError(f"n is {n!r}, expected a whole number of rows, at least {least}.")


def _check_not_negative(**amounts):
    for name, amount in amounts.items():
        if not (np.isfinite(amount) and amount >= 0):
            raise ValueError(f"{name} is {amount}, expected a finite number >= 0: it is a standard deviation or a rate.")


def _check_finite(**amounts):
    for name, amount in amounts.items():
        if not np.isfinite(amount):
            raise ValueError(f"{name} is {amount}, expected a finite number.")


def _check_between(low, high, **amounts):
    for name, amount in amounts.items():
        if not low <= amount <= high:
            raise ValueError(f"{name} is {amount}, expected a number from {low} to {high}.")


def _check_count(least, **counts):
    for name, count in counts.items():
        if not isinstance(count, int | np.integer) or isinstance(count, bool) or count < least:
            raise ValueError(f"{name} is {count!r}, expected a whole number, at least {least}.")


# --- linear worlds: a variable is the vector of its weights on independent standard normal noises ---

def _independent_columns(weights):
    """Indices of the columns that no earlier column determines; of two copies only the first -> list of int."""
    kept = []
    for j in range(weights.shape[1]):
        if np.linalg.matrix_rank(weights[:, [*kept, j]]) > len(kept):
            kept.append(j)
    return kept


def _ideal_coefficients(features, target):
    """Coefficients of E[y | x] in a linear Gaussian world -> (p,); of copies the first is read, the others get 0."""
    kept = _independent_columns(features)
    coefficients = np.zeros(features.shape[1])
    coefficients[kept] = np.linalg.lstsq(features[:, kept], target, rcond=None)[0]
    return np.where(np.abs(coefficients) < 1e-12, 0.0, coefficients)


def _own_part(features, j):
    """What feature j holds that the other features do not determine: its residual on them -> weights (n_noises,)."""
    others = np.delete(features, j, axis=1)
    return features[:, j] - others @ np.linalg.lstsq(others, features[:, j], rcond=None)[0]


def _linear_truth(names, features, target, causal):
    """Truth of a linear Gaussian world: an independent copy of x_j costs 2 b_j^2 Var(x_j) -> DataFrame."""
    coefficients = _ideal_coefficients(features, target)
    shared = np.array([_own_part(features, j) @ target for j in range(len(names))])
    pick = [np.abs(features.T @ target) > 1e-12, np.abs(shared) > 1e-9, coefficients != 0]
    associated, relevant, used = ([name for name, yes in zip(names, flags, strict=True) if yes] for flags in pick)
    return _truth(names, associated=associated, relevant=relevant, used=used, causal=causal,
                  importance=2 * coefficients**2 * (features**2).sum(axis=0))


def _linear_world(n, rng, shown, target, **about):
    """Draw a linear Gaussian world. shown: dict name -> weights; target: weights; hidden: a dict like shown."""
    rng = np.random.default_rng(rng)
    noises = rng.standard_normal((n, len(target)))
    features = np.column_stack(list(shown.values()))
    hidden = {name: noises @ weights for name, weights in about.pop("hidden", {}).items()}
    truth = _linear_truth(tuple(shown), features, target, about.pop("causal"))
    coefficients = _ideal_coefficients(features, target)
    return World(pd.DataFrame(noises @ features, columns=list(shown)), pd.Series(noises @ target, name="y"), truth,
                 task="regression", ideal=lambda X: np.asarray(X, float) @ coefficients,
                 hidden=pd.DataFrame(hidden), **about)


# --- noise ---

def null(n=400, *, p=5, rng=0):
    """Nothing matters: p independent standard normal features and an independent standard normal target.

    True: every importance is 0, whatever a model makes of the noise.

    Raises ValueError for n < 1 or p < 1.

    >>> null(50, p=3).truth["importance"].tolist()
    [0.0, 0.0, 0.0]
    """
    _check_rows(n)
    _check_count(1, p=p)
    *features, target = np.eye(p + 1)
    shown = {f"x{j + 1}": weights for j, weights in enumerate(features)}
    return _linear_world(n, rng, shown, target, causal=(), name="null",
                         description="Nothing matters: features and target are independent noise.")


def cardinality(n=120, *, rng=0):
    """Five noise features with 2, 4, 10, 20 and n distinct values, and a fair coin as target.

    True: every importance is 0. A measure that ranks them by their number of values shows its bias
    (Strobl et al. 2007, simulation study).

    Raises ValueError for n < 1.

    >>> cardinality(1000).X.nunique().tolist()
    [2, 4, 10, 20, 1000]
    """
    _check_rows(n)
    rng = np.random.default_rng(rng)
    levels = {"binary": 2, "levels_4": 4, "levels_10": 10, "levels_20": 20}
    columns = {name: rng.integers(0, k, n).astype(float) for name, k in levels.items()}
    X = pd.DataFrame(columns | {"continuous": rng.uniform(size=n)})
    y = pd.Series(rng.integers(0, 2, n), name="y")
    return World(X, y, _truth(X.columns, importance=np.zeros(5)), "cardinality",
                 "Five noise features that differ only in their number of distinct values.", "classification",
                 ideal=lambda X: np.full(len(X), 0.5))


# --- correlation ---

def twins(n=400, *, copies=2, jitter=0.0, noise=0.1, rng=0):
    """One predictor and its copies: x1 ~ N(0, 1), x_k = x1 + jitter * e_k, y = x1 + noise * e.

    True: x1 alone would cost 2 Var(x1) = 2 to shuffle. With exact copies (jitter 0) none is relevant given the
    others, and any one will do: the ideal predictor written here reads x1. With jitter x1 is relevant, the others not.

    Raises ValueError for n < 1, copies < 1 or a negative jitter or noise.

    >>> twins(50).X.eval("x1 == x2").all(), twins(50).truth["relevant"].any()
    (np.True_, np.False_)
    """
    _check_rows(n)
    _check_count(1, copies=copies)
    _check_not_negative(jitter=jitter, noise=noise)
    x1, *jitters, e = np.eye(copies + 1)
    shown = {"x1": x1} | {f"x{k + 2}": x1 + jitter * e_k for k, e_k in enumerate(jitters)}
    return _linear_world(n, rng, shown, x1 + noise * e, causal=("x1",), name="twins",
                         description="One predictor and copies of it: which of them gets the credit?")


def correlated_proxy(n=400, *, rho=0.9, noise=0.3, rng=0):
    """A cause and a proxy: x1 ~ N(0, 1), x2 = rho x1 + sqrt(1 - rho^2) e2, y = x1 + noise * e.

    True: x2 has correlation rho with x1, is associated with y unless rho = 0, and tells nothing beyond x1.

    Raises ValueError for n < 1, rho outside [-1, 1] or a negative noise.

    >>> correlated_proxy().truth[["associated", "relevant"]].to_numpy().tolist()
    [[True, True], [True, False]]
    """
    _check_rows(n)
    _check_between(-1, 1, rho=rho)
    _check_not_negative(noise=noise)
    x1, e2, e = np.eye(3)
    return _linear_world(n, rng, {"x1": x1, "x2": rho * x1 + np.sqrt(1 - rho**2) * e2}, x1 + noise * e,
                         causal=("x1",), name="correlated_proxy",
                         description="x1 drives the target, x2 only looks like x1.")


# --- gates: two bits and what they make of each other ---

def bit_cells(rates=(0.5, 0.5), rho=0.0):
    """Joint probabilities of two bits with P(x1 = 1), P(x2 = 1) = rates and correlation rho.

    P(1, 1) = p1 p2 + rho sqrt(p1 (1 - p1) p2 (1 - p2)); the others follow from the rates.

    Returns an array (2, 2), row x1, column x2.

    Raises ValueError for rates outside (0, 1), rho outside [-1, 1], or a rho that these rates cannot have.

    >>> bit_cells(rho=0.8)
    array([[0.45, 0.05],
           [0.05, 0.45]])
    """
    if np.shape(rates) != (2,):
        raise ValueError(f"rates is {rates}, expected two probabilities, one a bit, such as (0.5, 0.5).")
    p1, p2 = rates
    if not (0 < p1 < 1 and 0 < p2 < 1):
        raise ValueError(f"rates are {p1} and {p2}, expected two probabilities strictly between 0 and 1: "
                         "a bit that never changes has no importance.")
    _check_between(-1, 1, rho=rho)
    both = p1 * p2 + rho * np.sqrt(p1 * (1 - p1) * p2 * (1 - p2))
    cells = np.array([[1 - p1 - p2 + both, p2 - both], [p1 - both, both]])
    if cells.min() < -1e-12:
        raise ValueError(f"bits with rates {p1} and {p2} cannot have correlation {rho}: "
                         "a cell would have a negative probability. Take rates closer to each other or rho closer to 0.")
    return np.round(np.clip(cells, 0, 1), 15)


def _shuffling_cost(cells, output, axis):
    """E[(f(x) - f(x with bit `axis` drawn afresh))^2] over the cells -> number."""
    cells, output = (np.moveaxis(a, axis, 0) for a in (cells, output))
    fresh = cells.sum(axis=1)
    return sum(cells[a, b] * fresh[c] * (output[a, b] - output[c, b]) ** 2 for a, b, c in product(range(2), repeat=3))


def _bit_matters_alone(cells, chance, axis):
    """Is P(y = 1 | bit) different for the bit's two values? -> bool"""
    cells, chance = (np.moveaxis(a, axis, 0) for a in (cells, chance))
    rate = (cells * chance).sum(axis=1) / cells.sum(axis=1)
    return abs(rate[1] - rate[0]) > 1e-12


def _bit_matters_given_other(cells, output, axis):
    """Is there a value of the other bit at which both values of this one occur and the output differs? -> bool"""
    cells, output = (np.moveaxis(a, axis, 0) for a in (cells, output))
    return bool(((cells.min(axis=0) > 0) & (output[0] != output[1])).any())


def _gate_truth(cells, chance):
    """Truth of a two-bit world with P(y = 1 | x1, x2) = chance (2, 2) -> DataFrame."""
    names = ("x1", "x2")
    associated = [name for j, name in enumerate(names) if _bit_matters_alone(cells, chance, j)]
    relevant = [name for j, name in enumerate(names) if _bit_matters_given_other(cells, chance, j)]
    causal = names if np.ptp(chance) > 0 else ()
    return _truth(names, associated=associated, relevant=relevant, used=causal, causal=causal,
                  importance=[_shuffling_cost(cells, chance, j) for j in range(2)])


def _gate(name, output, n, cells, flip, rng):
    """Two bits drawn by their cell probabilities; y is the gate's output, flipped with probability `flip`."""
    _check_rows(n)
    _check_between(0, 1, flip=flip)
    output = np.array(output)
    rng = np.random.default_rng(rng)
    x1, x2 = np.divmod(rng.choice(4, size=n, p=cells.ravel() / cells.sum()), 2)
    y = np.where(rng.uniform(size=n) < flip, 1 - output[x1, x2], output[x1, x2])
    chance = flip + (1 - 2 * flip) * output
    return World(pd.DataFrame({"x1": x1, "x2": x2}), pd.Series(y, name="y"), _gate_truth(cells, chance),
                 f"{name.lower()}_gate", f"y is x1 {name} x2, two bits that need each other.", "classification",
                 ideal=lambda X: chance[tuple(np.asarray(X, int).T)], extra={"cells": cells})


def and_gate(n=400, *, rates=(0.5, 0.5), rho=0.0, flip=0.0, rng=0):
    """y = x1 AND x2, flipped with probability `flip`; bits with the given rates and correlation rho.

    True: both matter alike when their rates are equal; shuffling one of two fair independent bits costs 1/4.

    Raises ValueError for n < 1, rates outside (0, 1), an impossible rho, or flip outside [0, 1].

    >>> and_gate().truth["importance"].tolist()
    [0.25, 0.25]
    """
    return _gate("AND", [[0, 0], [0, 1]], n, bit_cells(rates, rho), flip, rng)


def or_gate(n=400, *, rates=(0.5, 0.5), rho=0.0, flip=0.0, rng=0):
    """y = x1 OR x2, flipped with probability `flip`; bits with the given rates and correlation rho.

    True: OR is AND with all bits turned round: fair independent bits cost 1/4 each.

    Raises ValueError as `and_gate`.

    >>> or_gate(flip=0.5).truth["importance"].tolist()
    [0.0, 0.0]
    """
    return _gate("OR", [[0, 1], [1, 1]], n, bit_cells(rates, rho), flip, rng)


def xor_gate(n=400, *, rates=(0.5, 0.5), rho=0.0, flip=0.0, rng=0):
    """y = x1 XOR x2, flipped with probability `flip`; bits with the given rates and correlation rho.

    True: with fair bits neither is associated with y alone (whatever rho), both are relevant given the other,
    and shuffling either costs 1/2.

    Raises ValueError as `and_gate`.

    >>> xor_gate().truth["importance"].tolist()
    [0.5, 0.5]
    """
    return _gate("XOR", [[0, 1], [1, 0]], n, bit_cells(rates, rho), flip, rng)


# --- causes ---

def confounder(n=400, *, shown=False, measurement_error=0.0, effect=0.0, rng=0):
    """A common cause: z ~ N(0, 1), x1 = z + 0.3 e1, x2 ~ N(0, 1), y = 2 z + 0.5 x2 + effect * x1 + 0.3 e.

    `shown` adds the column z + measurement_error * e_z to X; z itself is always in `hidden`.

    True (effect 0): x1 is associated with y, E[y | x1 = x] = 2x / 1.09 = 1.835 x, and setting it changes nothing,
    E[y | do(x1 = x)] = 0. Once z is shown without error x1 is irrelevant; shown with error, relevant again.
    A column measured with error is not the cause itself: changing the record changes nothing.

    Raises ValueError for n < 1 or a negative measurement_error. Source: Pearl (2009), section 3.3.

    >>> confounder(50).truth.loc["x1", ["relevant", "causal"]].tolist()
    [True, False]
    >>> confounder(50, shown=True).truth["relevant"].tolist()
    [False, True, True]
    """
    _check_rows(n)
    _check_not_negative(measurement_error=measurement_error)
    _check_finite(effect=effect)
    z, e1, x2, e_z, e = np.eye(5)
    x1 = z + 0.3 * e1
    columns = {"x1": x1, "x2": x2} | ({"z": z + measurement_error * e_z} if shown else {})
    causal = {"x2"} | ({"x1"} if effect else set()) | ({"z"} if measurement_error == 0 else set())
    return _linear_world(n, rng, columns, 2 * z + 0.5 * x2 + effect * x1 + 0.3 * e, causal=causal, hidden={"z": z},
                         name="confounder", description="A common cause moves x1 and the target; x2 is a small real cause.")


def mediator(n=400, *, direct=0.0, rng=0):
    """A chain: x1 ~ N(0, 1), m = x1 + 0.5 e_m, y = 2 m + direct * x1 + 0.5 e.

    True: changing x1 by one changes y by 2 + direct. Without a direct path x1 is irrelevant given m, and causal.

    Raises ValueError for n < 1 or a direct effect that is not finite.

    >>> mediator(50).truth.loc["x1", ["relevant", "causal"]].tolist()
    [False, True]
    """
    _check_rows(n)
    _check_finite(direct=direct)
    x1, e_m, e = np.eye(3)
    m = x1 + 0.5 * e_m
    causal = ("m", "x1") if direct != -2 else ("m",)
    return _linear_world(n, rng, {"x1": x1, "m": m}, 2 * m + direct * x1 + 0.5 * e, causal=causal, name="mediator",
                         description="x1 acts on the target through m.")


def collider(n=400, *, effect=0.0, rng=0):
    """A common consequence: x1 ~ N(0, 1), y = effect * x1 + e, c = x1 + y + 0.5 e_c.

    True (effect 0): x1 is unrelated to y, and relevant once its and y's consequence c is among the features.
    Changing c changes nothing.

    Raises ValueError for n < 1 or an effect that is not finite.

    >>> collider(50).truth.loc["x1", ["associated", "relevant", "causal"]].tolist()
    [False, True, False]
    """
    _check_rows(n)
    _check_finite(effect=effect)
    x1, e, e_c = np.eye(3)
    y = effect * x1 + e
    return _linear_world(n, rng, {"x1": x1, "c": x1 + y + 0.5 * e_c}, y, causal=("x1",) if effect else (),
                         name="collider", description="x1 and the target both act on c, a consequence.")


def shift(n=400, *, before=1.0, after=-1.0, rng=0):
    """A relation that turns: y = x1 + before * x2 + 0.3 e in X, and y = x1 + after * x2 + 0.3 e in `test`.

    True: on the test data the predictor learned before has importance 2 * before * after Var(x2) for x2:
    negative when the sign turned. Shuffling x2 there makes predictions better.

    Raises ValueError for n < 1 or coefficients that are not finite.

    >>> shift(50).test.truth["importance"].tolist()
    [2.0, -2.0]
    """
    _check_rows(n)
    _check_finite(before=before, after=after)
    rng = np.random.default_rng(rng)
    train, test = (_shift_half(n, rng, coefficient) for coefficient in (before, after))
    truth = test.truth.assign(used=train.truth["used"], importance=[2.0, 2.0 * before * after])
    test = World(test.X, test.y, truth, "shift", "The world after x2 has changed its meaning; the predictor has not.",
                 "regression", ideal=train.ideal)
    return World(train.X, train.y, train.truth, "shift", "x2 changes its meaning between training and test.",
                 "regression", ideal=train.ideal, test=test)


def _shift_half(n, rng, coefficient):
    x1, x2, e = np.eye(3)
    return _linear_world(n, rng, {"x1": x1, "x2": x2}, x1 + coefficient * x2 + 0.3 * e,
                         causal=("x1", "x2") if coefficient else ("x1",), name="shift", description="")


# --- what goes wrong in practice ---

def _sigmoid(score):
    return 1 / (1 + np.exp(-score))


def leak(n=400, *, rng=0):
    """A column written after the outcome: P(y = 1) = sigmoid(x1 + 0.5 x2), spent = y * (1 + Exp(1)).

    True: x1 and x2 cause y; `spent` is its consequence and gives it away, so that given `spent` nothing else is
    relevant, and shuffling it costs 2 P(y=0) P(y=1) = 1/2. `extra["available"]` says when each column is known
    (0 at the decision, 1 after it).

    Raises ValueError for n < 1.

    >>> world = leak(100)
    >>> bool(((world.X["spent"] > 0) == (world.y == 1)).all()), world.extra["available"]["spent"]
    (True, 1)
    """
    _check_rows(n)
    rng = np.random.default_rng(rng)
    x1, x2 = rng.standard_normal((2, n))
    y = (rng.uniform(size=n) < _sigmoid(x1 + 0.5 * x2)).astype(int)
    X = pd.DataFrame({"x1": x1, "x2": x2, "spent": y * (1 + rng.exponential(size=n))})
    truth = _truth(X.columns, associated=X.columns, relevant=("spent",), used=("spent",), causal=("x1", "x2"),
                   importance=[0, 0, 0.5])
    return World(X, pd.Series(y, name="y"), truth, "leak", "spent is recorded after the outcome and gives it away.",
                 "classification", ideal=lambda X: (np.asarray(X, float)[:, 2] > 0).astype(float),
                 extra={"available": {"x1": 0, "x2": 0, "spent": 1}})


FAULTS = ("shift", "duplicates", "id")


def pipeline_faults(n=400, *, faults=FAULTS, rng=0):
    """y = x1 + x2 + 0.5 x3 + 0.5 e, and what a careless pipeline does to the table.

    "shift": column x2 has slipped down by one row (the last value comes first).
    "duplicates": one row in five (rounded down) is appended a second time at the end.
    "id": a column of numbers that were given out in the order of the outcome.

    True: a slipped x2 is worthless to any predictor although the quantity it should hold is a cause; the id predicts
    and causes nothing. `extra` holds the list of faults and `copy_of`, for every row the row it copies (or itself).

    Raises ValueError for n < 2 or an unknown fault.

    >>> world = pipeline_faults(100)
    >>> world.X.shape, world.truth.loc["x2", "associated"].item()
    ((120, 4), False)
    """
    _check_rows(n, least=2)
    unknown = [fault for fault in faults if fault not in FAULTS]
    if unknown:
        raise ValueError(f"unknown fault {unknown[0]!r}: choose among {', '.join(FAULTS)}.")
    rng = np.random.default_rng(rng)
    X = pd.DataFrame(rng.standard_normal((n, 3)), columns=["x1", "x2", "x3"])
    y = pd.Series(X["x1"] + X["x2"] + 0.5 * X["x3"] + 0.5 * rng.standard_normal(n), name="y")
    broken = _break_table(X, y, faults)
    copy_of = np.r_[np.arange(n), rng.choice(n, n // 5, replace=False) if "duplicates" in faults else []].astype(int)
    return World(broken.iloc[copy_of].reset_index(drop=True), y.iloc[copy_of].reset_index(drop=True),
                 _fault_truth(faults), "pipeline_faults", "Good data after a careless pipeline.", "regression",
                 ideal=_fault_ideal(faults), hidden=X.iloc[copy_of].reset_index(drop=True),
                 extra={"faults": tuple(faults), "copy_of": copy_of})


def _break_table(X, y, faults):
    """X with a slipped column and a telling id, as the faults say -> DataFrame."""
    if "shift" in faults:
        X = X.assign(x2=np.roll(X["x2"], 1))
    return X.assign(id=1000 + y.rank().astype(int)) if "id" in faults else X


def _fault_coefficients(faults):
    return np.array([1.0, 0.0 if "shift" in faults else 1.0, 0.5])


def _fault_ideal(faults):
    """The ideal predictor of the broken table; none is written down where the id gives ranks away."""
    coefficients = _fault_coefficients(faults)
    return None if "id" in faults else lambda X: np.asarray(X, float) @ coefficients


def _fault_truth(faults):
    """Truth of the broken table; no importance has a formula once the id is in it -> DataFrame."""
    coefficients = _fault_coefficients(faults)
    good = [name for name, b in zip(("x1", "x2", "x3"), coefficients, strict=True) if b]
    if "id" not in faults:
        return _truth(("x1", "x2", "x3"), associated=good, relevant=good, used=good, causal=("x1", "x2", "x3"),
                      importance=2 * coefficients**2)
    return _truth(("x1", "x2", "x3", "id"), associated=[*good, "id"], relevant=[*good, "id"], used=[*good, "id"],
                  causal=("x1", "x2", "x3"))


def fairness(n=400, *, bias=1.0, agreement=0.9, shown=True, rng=0):
    """Decisions with a bias: P(y = 1) = sigmoid(2 skill - bias * (protected - 1/2)); proxy = protected, mostly.

    protected is a fair bit, skill ~ N(0, 1) in both groups, proxy equals protected with probability `agreement`,
    noise ~ N(0, 1). `shown=False` drops the protected column from X (it stays in `hidden`).

    True: the groups differ in nothing but the decision. proxy causes nothing; it is irrelevant while protected is
    shown, and carries the bias on once protected is dropped (unless agreement is 1/2 or bias is 0).

    Raises ValueError for n < 1, agreement outside [0, 1], or a bias that is not finite.

    >>> fairness(50).truth.loc["proxy", "relevant"], fairness(50, shown=False).truth.loc["proxy", "relevant"]
    (np.False_, np.True_)
    """
    _check_rows(n)
    _check_finite(bias=bias)
    _check_between(0, 1, agreement=agreement)
    rng = np.random.default_rng(rng)
    protected, skill, noise = rng.integers(0, 2, n), rng.standard_normal(n), rng.standard_normal(n)
    proxy = np.where(rng.uniform(size=n) < agreement, protected, 1 - protected)
    y = pd.Series((rng.uniform(size=n) < _sigmoid(2 * skill - bias * (protected - 0.5))).astype(int), name="y")
    X = pd.DataFrame({"skill": skill, "proxy": proxy, "noise": noise} | ({"protected": protected} if shown else {}))
    return World(X, y, _fairness_truth(tuple(X.columns), bias, agreement), "fairness",
                 "A biased decision, and a harmless-looking column that stands for the protected one.",
                 "classification", ideal=_fairness_ideal(bias, agreement, shown),
                 hidden=pd.DataFrame({"protected": protected}), extra={"protected": "protected", "proxy": "proxy"})


def _fairness_truth(names, bias, agreement):
    """Which columns carry the bias -> DataFrame; if the proxy is exact, neither it nor protected is relevant."""
    telling = bool(bias) and agreement != 0.5
    carriers = {"protected"} if bias else set()
    associated = {"skill"} | carriers | ({"proxy"} if telling else set())
    if "protected" not in names:
        relevant = used = {"skill"} | ({"proxy"} if telling else set())
    else:
        used = {"skill"} | carriers
        relevant = used if agreement not in (0, 1) else {"skill"}
    return _truth(names, associated=associated, relevant=relevant, used=used, causal={"skill"} | carriers)


def _fairness_ideal(bias, agreement, shown):
    """P(y = 1 | X): with protected by its formula, without it averaged over P(protected | proxy)."""
    def ideal(X):
        X = np.asarray(X, float)
        likely = X[:, 3] if shown else np.where(X[:, 1] == 1, agreement, 1 - agreement)
        treated, spared = _sigmoid(2 * X[:, 0] - bias / 2), _sigmoid(2 * X[:, 0] + bias / 2)
        return likely * treated + (1 - likely) * spared
    return ideal


# --- other targets ---

def _product_sine_cost():
    """E[(10 sin(pi u v) - 10 sin(pi u' v))^2] for independent uniform u, u', v, by Gauss-Legendre quadrature."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    u, w = (nodes + 1) / 2, weights / 2
    sine = 10 * np.sin(np.pi * np.outer(u, u))
    return 2 * (w @ (w @ sine**2 - (w @ sine) ** 2))


def friedman(n=400, *, p=10, noise=1.0, rng=0):
    """A known surface: y = 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 + noise * e, x uniform on [0, 1]^p.

    True: x6 to x_p are noise. Shuffling costs twice the variance of a feature's own term: 2 * 400/180 for x3,
    2 * 100/12 for x4, 2 * 25/12 for x5; for x1 and x2 the mean over the partner, by quadrature.
    Source: the first of three artificial surfaces in Breiman (1996), section 3.

    Raises ValueError for n < 1, p < 5 or a negative noise.

    >>> friedman(50).truth["importance"].head(6).round(2).tolist()
    [12.97, 12.97, 4.44, 16.67, 4.17, 0.0]
    """
    _check_rows(n)
    _check_count(5, p=p)
    _check_not_negative(noise=noise)
    rng = np.random.default_rng(rng)
    names = [f"x{j + 1}" for j in range(p)]
    X = pd.DataFrame(rng.uniform(size=(n, p)), columns=names)
    y = pd.Series(_friedman_surface(X) + noise * rng.standard_normal(n), name="y")
    pair, real = _product_sine_cost(), names[:5]
    truth = _truth(names, associated=real, relevant=real, used=real, causal=real,
                   importance=[pair, pair, 800 / 180, 200 / 12, 50 / 12, *[0.0] * (p - 5)])
    return World(X, y, truth, "friedman", "A known smooth surface of five features among noise.", "regression",
                 ideal=_friedman_surface)


def _friedman_surface(X):
    x1, x2, x3, x4, x5 = np.asarray(X, float).T[:5]
    return 10 * np.sin(np.pi * x1 * x2) + 20 * (x3 - 0.5) ** 2 + 10 * x4 + 5 * x5


def survival(n=400, *, log_hazard_ratios=(1.0, -0.5, 0.0, 0.0), censoring=0.5, rng=0):
    """Proportional hazards: time ~ Exp(exp(sum_j b_j x_j)), x ~ N(0, 1), observed until an independent Exp(censoring).

    y : DataFrame with time = min(event time, censoring time) and event = 1 if the event came first
    True: a feature matters iff its log hazard ratio b_j is not 0; `ideal` is the log hazard sum_j b_j x_j, and
    the event times without censoring are in `hidden`.

    Raises ValueError for n < 1, no or infinite log hazard ratios, or a negative censoring rate (0: nobody is censored).

    >>> survival(200, censoring=0).y["event"].mean()
    np.float64(1.0)
    """
    _check_rows(n)
    _check_not_negative(censoring=censoring)
    b = np.asarray(log_hazard_ratios, float)
    if b.ndim != 1 or len(b) == 0 or not np.isfinite(b).all():
        raise ValueError(f"log_hazard_ratios is {log_hazard_ratios}, expected one finite number for each feature.")
    rng = np.random.default_rng(rng)
    X = pd.DataFrame(rng.standard_normal((n, len(b))), columns=[f"x{j + 1}" for j in range(len(b))])
    due = rng.exponential(size=n) * np.exp(-X.to_numpy() @ b)
    lost = rng.exponential(size=n) / censoring if censoring else np.full(n, np.inf)
    y = pd.DataFrame({"time": np.minimum(due, lost), "event": (due <= lost).astype(int)})
    real = X.columns[b != 0]
    truth = _truth(X.columns, associated=real, relevant=real, used=real, causal=real)
    return World(X, y, truth, "survival", "Times to an event under proportional hazards, partly censored.", "survival",
                 ideal=lambda X: np.asarray(X, float) @ b, hidden=pd.DataFrame({"event_time": due}),
                 extra={"log_hazard_ratios": b})


OUTPUT_COEFFICIENTS = np.array([[2.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, -1.0, 3.0], [0.0, 0.0, 0.0]])


def several_outputs(n=400, *, noise=0.5, rng=0):
    """Three targets at once: y1 = 2 x1 + x2, y2 = x2 - x3, y3 = 3 x3, each + noise * e; x ~ N(0, 1), x4 is noise.

    True: `importance` adds the squared errors of the outputs; `extra["per_output"]` (p, 3) has them one by one,
    2 b_jk^2 for feature j and output k. x1 matters for y1 alone, x2 for two outputs.

    Raises ValueError for n < 1 or a negative noise.

    >>> several_outputs(50).extra["per_output"].loc["x2"].tolist()
    [2.0, 2.0, 0.0]
    """
    _check_rows(n)
    _check_not_negative(noise=noise)
    rng = np.random.default_rng(rng)
    names, outputs = ["x1", "x2", "x3", "x4"], ["y1", "y2", "y3"]
    X = pd.DataFrame(rng.standard_normal((n, 4)), columns=names)
    signal = X.to_numpy() @ OUTPUT_COEFFICIENTS
    y = pd.DataFrame(signal + noise * rng.standard_normal(signal.shape), columns=outputs)
    per_output = pd.DataFrame(2 * OUTPUT_COEFFICIENTS**2, index=names, columns=outputs)
    truth = _truth(names, associated=names[:3], relevant=names[:3], used=names[:3], causal=names[:3],
                   importance=per_output.sum(axis=1))
    return World(X, y, truth, "several_outputs", "Three targets that share features.", "several outputs",
                 ideal=lambda X: np.asarray(X, float) @ OUTPUT_COEFFICIENTS, extra={"per_output": per_output})


WORLDS = {draw.__name__: draw for draw in (
    null, cardinality, twins, correlated_proxy, and_gate, or_gate, xor_gate, confounder, mediator, collider, shift,
    leak, pipeline_faults, fairness, friedman, survival, several_outputs)}
"""Every world by its name: WORLDS["twins"](n, rng=1)."""
