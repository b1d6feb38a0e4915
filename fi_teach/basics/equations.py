"""Structural equations: each variable is a function of its causes and of its own noise.

A dict in causal order is the whole model, and a function's arguments are the arrows into its
variable:

    {"z": lambda noise: noise, "x": lambda z, noise: 2 * z + 0.3 * noise}

The same equations are solved for rows (`noise` holds one number a row) and, if they are linear,
for the weights that a variable has on all the noises (the k-th noise is the k-th unit vector).
Source: Pearl (2009), section 1.4.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Equations = dict[str, Callable]
NOISE = "noise"


@dataclass(frozen=True)
class CausalModel:
    """Structural equations x_k = f_k(parents, noise), in causal order, with independent standard
    normal noises.

    equations : dict, name -> function whose arguments are earlier names and, if it has chance in
        it, `noise`; it gets arrays (n,) and returns an array (n,)
    fixed : dict, name -> number, what `do` has set

    Source: Pearl (2009), section 1.4.

    >>> list(CausalModel({"z": lambda noise: noise, "x": lambda z: 2 * z}).equations)
    ['z', 'x']
    """

    equations: Equations
    fixed: dict = field(default_factory=dict)

    def __post_init__(self):
        if not self.equations:
            raise ValueError(
                "a causal model without equations has no variables: "
                "give a dict of name -> function.")
        known = {NOISE}
        for name, equation in self.equations.items():
            _check_equation(name, equation, known)
            known.add(name)


def arguments_of(equation: Callable) -> tuple[str, ...]:
    """The argument names of an equation: its variable's direct causes, and perhaps `noise`.

    >>> arguments_of(lambda z, noise: 2 * z + noise)
    ('z', 'noise')
    """
    return tuple(inspect.signature(equation).parameters)


def _check_equation(name, equation, known):
    if not callable(equation):
        raise ValueError(
            f"the equation of {name!r} is {equation!r}, "
            "expected a function of its parents and noise.")
    if name == NOISE:
        raise ValueError(
            "no variable may be called 'noise': that argument is an equation's own chance.")
    unknown = [cause for cause in arguments_of(equation) if cause not in known]
    if unknown:
        raise ValueError(
            f"the equation of {name!r} asks for {unknown[0]!r}, which is no earlier variable: "
            "write the equations in causal order, causes first.")


def solve(equations: Equations, noises: dict, fixed: dict | None = None) -> dict[str, NDArray]:
    """Compute every variable from its equation, causes first; those in `fixed` are set to a number.

    noises : {name: array (n,)} -> {name: array (n,)}

    >>> model = {"z": lambda noise: noise, "x": lambda z, noise: 2 * z + noise}
    >>> z, x = np.eye(2)
    >>> solve(model, {"z": z, "x": x})["x"]
    array([2., 1.])
    """
    fixed = fixed or {}
    values: dict[str, NDArray] = {}
    for name, equation in equations.items():
        noise = noises[name]
        if name in fixed:
            values[name] = np.full(len(noise), float(fixed[name]))
        else:
            values[name] = _solve_one(name, equation, values, noise)
    return values


def _solve_one(name, equation, values, noise):
    """One equation at its parents' values -> array (n,)."""
    given = values | {NOISE: noise}
    asked = {cause: given[cause] for cause in arguments_of(equation)}
    result = np.asarray(equation(**asked), dtype=float)
    if result.shape not in ((), noise.shape):
        raise ValueError(
            f"the equation of {name!r} returned shape {result.shape}, "
            f"expected one number a row, {noise.shape}.")
    return np.broadcast_to(result, noise.shape).copy()
