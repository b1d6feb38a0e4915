"""Worlds of two bits: AND, OR and XOR."""

from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_teach.basics.seeds import Seed, plain_stream
from fi_teach.basics.tables import check_between, check_count
from fi_teach.worlds.world import World, check_between_or_at, truth_table

AND = [[0, 0], [0, 1]]  # y by row x1 and column x2
OR = [[0, 1], [1, 1]]
XOR = [[0, 1], [1, 0]]


def bit_cells(rates: tuple[float, float] = (0.5, 0.5), rho: float = 0.0) -> NDArray:
    """Joint probabilities of two bits with P(x1 = 1), P(x2 = 1) = rates and correlation rho.

    P(1, 1) = p1 p2 + rho sqrt(p1 (1 - p1) p2 (1 - p2)); the others follow from the rates.

    Returns an array (2, 2), row x1, column x2.

    >>> bit_cells(rho=0.8)
    array([[0.45, 0.05],
           [0.05, 0.45]])
    """
    try:
        p1, p2 = rates
    except (TypeError, ValueError):
        raise ValueError(
            f"rates is {rates!r}, expected two probabilities, one a bit, such as (0.5, 0.5)."
        ) from None
    p1, p2 = check_between(p1, 0, 1, "the first rate"), check_between(p2, 0, 1, "the second rate")
    rho = check_between_or_at(rho, -1, 1, "rho")
    both = p1 * p2 + rho * np.sqrt(p1 * (1 - p1) * p2 * (1 - p2))
    neither = 1 - p1 - p2 + both
    cells = np.array([[neither, p2 - both], [p1 - both, both]])
    if cells.min() < -1e-12:
        raise ValueError(
            f"bits with rates {p1} and {p2} cannot have correlation {rho}: "
            "a cell would have a negative probability. "
            "Take rates closer to each other or rho closer to 0.")
    return np.round(np.clip(cells, 0, 1), 15)


def and_gate(
    n: int = 400,
    *,
    rates: tuple[float, float] = (0.5, 0.5),
    rho: float = 0.0,
    flip: float = 0.0,
    rng: Seed = 0,
) -> World:
    """y = x1 AND x2, flipped with probability `flip`; bits with these rates and correlation rho.

    True: both matter alike when their rates are equal; shuffling one of two fair independent bits
    costs 1/4.

    >>> and_gate().truth["importance"].tolist()
    [0.25, 0.25]
    """
    return _gate("AND", AND, n, bit_cells(rates, rho), flip, rng)


def or_gate(
    n: int = 400,
    *,
    rates: tuple[float, float] = (0.5, 0.5),
    rho: float = 0.0,
    flip: float = 0.0,
    rng: Seed = 0,
) -> World:
    """y = x1 OR x2, flipped with probability `flip`; bits with these rates and correlation rho.

    True: OR is AND with all bits turned round: fair independent bits cost 1/4 each.

    >>> or_gate(flip=0.5).truth["importance"].tolist()
    [0.0, 0.0]
    """
    return _gate("OR", OR, n, bit_cells(rates, rho), flip, rng)


def xor_gate(
    n: int = 400,
    *,
    rates: tuple[float, float] = (0.5, 0.5),
    rho: float = 0.0,
    flip: float = 0.0,
    rng: Seed = 0,
) -> World:
    """y = x1 XOR x2, flipped with probability `flip`; bits with these rates and correlation rho.

    True: with fair bits neither is associated with y alone (whatever rho), both are relevant given
    the other, and shuffling either costs 1/2.

    >>> xor_gate().truth["importance"].tolist()
    [0.5, 0.5]
    """
    return _gate("XOR", XOR, n, bit_cells(rates, rho), flip, rng)


def _gate(name, output, n, cells, flip, rng):
    """Two bits drawn by their cell probabilities; y is the gate's output, sometimes flipped."""
    n = check_count(n, "n")
    check_between_or_at(flip, 0, 1, "flip")  # and stays as it came: `ideal` has its type
    rng = plain_stream(rng)
    output = np.array(output)
    cell = rng.choice(4, size=n, p=cells.ravel() / cells.sum())
    x1, x2 = np.divmod(cell, 2)
    right = output[x1, x2]
    flipped = rng.uniform(size=n) < flip
    chance = flip + (1 - 2 * flip) * output
    return World(
        X=pd.DataFrame({"x1": x1, "x2": x2}),
        y=pd.Series(np.where(flipped, 1 - right, right), name="y"),
        truth=_gate_truth(cells, chance),
        name=f"{name.lower()}_gate",
        description=f"y is x1 {name} x2, two bits that need each other.",
        task="classification",
        ideal=lambda X: chance[tuple(np.asarray(X, int).T)],
        extra={"cells": cells},
    )


def _gate_truth(cells, chance):
    """Truth of a two-bit world with P(y = 1 | x1, x2) = chance (2, 2)."""
    names = ("x1", "x2")
    associated, relevant, importance = [], [], []
    for name, bit in zip(names, (0, 1), strict=True):
        here = np.moveaxis(cells, bit, 0)  # row: this bit, column: the other
        given = np.moveaxis(chance, bit, 0)
        importance.append(_shuffling_cost(here, given))
        rate = (here * given).sum(axis=1) / here.sum(axis=1)  # P(y = 1 | this bit)
        if abs(rate[1] - rate[0]) > 1e-12:
            associated.append(name)
        both_occur = here.min(axis=0) > 0  # at each value of the other bit
        if (both_occur & (given[0] != given[1])).any():
            relevant.append(name)
    causal = names if np.ptp(chance) > 0 else ()
    return truth_table(
        names,
        associated=associated,
        relevant=relevant,
        used=causal,
        causal=causal,
        importance=importance,
    )


def _shuffling_cost(cells, chance):
    """E[(f(x) - f(x with this bit drawn afresh))^2] over the cells."""
    fresh = cells.sum(axis=1)
    cost = 0.0
    for old, other, new in product((0, 1), repeat=3):
        change = chance[old, other] - chance[new, other]
        cost += cells[old, other] * fresh[new] * change**2
    return cost
