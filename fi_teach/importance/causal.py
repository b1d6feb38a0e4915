"""Causal models: E[Y | X = x] is not E[Y | do(X = x)], unless the right columns are adjusted for.

A causal model is a dict of equations in causal order; a function's arguments are the arrows into
its variable. `observe` draws from it, `do` replaces an equation by a constant, and the back-door
formula recovers what `do` shows from what `observe` gives, if the columns that it adjusts for block
every back door. Importance measures see only what `observe` gives.
Source: Pearl (2009), sections 1.4 (models), 3.2 (do) and 3.3 (back door).
"""

from collections.abc import Hashable, Iterable
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.equations import NOISE, CausalModel, arguments_of, solve
from fi_teach.basics.seeds import Seed, plain_stream
from fi_teach.basics.tables import as_floats, check_count
from fi_teach.worlds.causes import collider_model, confounder_model, mediator_model  # noqa: F401
from fi_teach.worlds.world import check_number


def parents(model: CausalModel, name: str) -> tuple[str, ...]:
    """The direct causes of a variable: its equation's arguments; none if `do` has set it.

    name : one of the model's variables -> names, in the order of the equation's arguments

    Source: Pearl (2009), section 1.4.

    >>> parents(confounder_model(), "y")
    ('z', 'x1', 'x2')
    >>> parents(do(confounder_model(), y=0), "y")
    ()
    """
    _check_variables(model, name)
    if name in model.fixed:
        return ()
    return tuple(cause for cause in arguments_of(model.equations[name]) if cause != NOISE)


def descendants(model: CausalModel, name: str) -> set[str]:
    """The variables that a change of this one can affect, without itself.

    name : one of the model's variables -> set of names

    Source: Pearl (2009), section 1.4.

    >>> sorted(descendants(mediator_model(), "x1"))
    ['m', 'y']
    """
    _check_variables(model, name)
    reached = {name}
    for child in model.equations:  # causal order: parents come first
        if reached & set(parents(model, child)):
            reached.add(child)
    return reached - {name}


def do(model: CausalModel, **values: float) -> CausalModel:
    """Intervene: return the model in which each named variable is set to a number.

    Source: Pearl (2009), section 3.2.

    >>> observe(do(confounder_model(), x1=3), 2)["x1"].tolist()
    [3.0, 3.0]
    """
    _check_variables(model, *values)
    for name, value in values.items():
        check_number(value, f"do(...): {name}")
    return replace(model, fixed=model.fixed | values)


def observe(model: CausalModel, n: int, rng: Seed = 0) -> pd.DataFrame:
    """Draw n rows of all variables, causes first -> DataFrame (n, n_variables).

    Noise is drawn for fixed variables too: with one seed, `observe(model, n, 1)` and
    `observe(do(model, x=0), n, 1)` show the same n individuals in two worlds.

    Source: Pearl (2009), section 1.4.

    >>> observe(collider_model(), 3).columns.tolist()
    ['x1', 'y', 'c']
    """
    _check_variables(model)
    n, rng = check_count(n, "n"), plain_stream(rng)
    noises = {name: rng.standard_normal(n) for name in model.equations}
    return pd.DataFrame(solve(model.equations, noises, model.fixed))


# --- interventional and conditional means ---


def interventional_mean(
    model: CausalModel, cause: str, values: ArrayLike, outcome: str, n: int = 10_000, rng: Seed = 0
) -> NDArray:
    """E[Y | do(X = x)] for each x: set the cause for everybody and average the outcome.

    values (n_values,) -> (n_values,). The same n individuals are used for every x, so that
    differences between values carry little chance.

    Source: Pearl (2009), section 3.2.

    >>> low, high = interventional_mean(mediator_model(), "x1", [0, 1], "y")
    >>> round(float(high - low), 6)
    2.0
    """
    _check_variables(model, cause, outcome)
    seed = int(plain_stream(rng).integers(2**32))
    worlds = (do(model, **{cause: x}) for x in np.atleast_1d(values))
    return np.array([observe(world, n, seed)[outcome].mean() for world in worlds])


def conditional_mean(
    data: pd.DataFrame, cause: str, values: ArrayLike, outcome: str, *, n_neighbours: int = 200
) -> NDArray:
    """E[Y | X = x] for each x: the mean outcome of the rows whose X is nearest to x.

    values (n_values,) -> (n_values,)
    n_neighbours : how many rows are near; fewer follow the curve closer and jump more

    Source: as in `interventional_mean`, with seeing in place of doing.

    >>> sample = observe(confounder_model(), 20_000)
    >>> conditional_mean(sample, "x1", [-1, 1], "y", n_neighbours=1000).round(1).tolist()
    [-1.8, 1.8]
    """
    _check_columns(data, cause, outcome)
    if check_count(n_neighbours, "n_neighbours") > len(data):
        raise ValueError(
            f"n_neighbours is {n_neighbours}, expected a number from 1 to the {len(data)} rows.")
    x, y = _numbers(data, cause, outcome)
    means = []
    for value in np.atleast_1d(as_floats(values, "values")):
        check_number(value, "values")
        distance = np.abs(x - value)
        nearest = np.argpartition(distance, n_neighbours - 1)[:n_neighbours]
        means.append(y[nearest].mean())
    return np.array(means)


# --- the back door ---


def satisfies_backdoor(
    model: CausalModel, cause: str, outcome: str, adjust: str | Iterable[str] = ()
) -> bool:
    """Test the back-door criterion: does adjusting for these variables identify the effect?

    (i) None of them is the cause, the outcome or a descendant of the cause. (ii) They block every
    path from cause to outcome that starts with an arrow into the cause: with the arrows out of
    the cause removed, they separate the two.

    adjust : names, or one name
    Source: Pearl (2009), definition 3.3.1.

    >>> satisfies_backdoor(confounder_model(), "x1", "y", "z")
    True
    >>> satisfies_backdoor(confounder_model(), "x1", "y")
    False
    >>> satisfies_backdoor(collider_model(), "x1", "y", "c")
    False
    """
    adjusted = set(_as_names(adjust))
    _check_variables(model, cause, outcome, *adjusted)
    if cause == outcome:
        raise ValueError(f"cause and outcome are both {cause!r}: expected two variables.")
    forbidden = {cause, outcome} | descendants(model, cause)
    if adjusted & forbidden:
        return False
    arrows = {child: set(parents(model, child)) - {cause} for child in model.equations}
    return _separated(arrows, cause, outcome, adjusted)


def _separated(arrows, a, b, given):
    """Test d-separation: `given` separates a from b in the moral graph of their ancestors.

    arrows : {child: its parents}, causes before effects
    """
    ancestors = {a, b, *given}
    for child in reversed(list(arrows)):  # effects first: every ancestor is met after its child
        if child in ancestors:
            ancestors |= arrows[child]
    families = [{child} | arrows[child] for child in ancestors]
    reached, before = {a}, set()
    while reached != before:
        before = reached
        for family in families:
            if family & before:
                reached = reached | (family - given)
    return b not in reached


def backdoor_mean(
    data: pd.DataFrame, cause: str, value: object, outcome: str, adjust: str | Iterable[str]
) -> float:
    """E[Y | do(X = x)] = sum over z of P(Z = z) E[Y | X = x, Z = z], for columns with few values.

    Each stratum of the adjusted columns has its share of ALL rows, not of the rows with X = x.

    Source: Pearl (2009), theorem 3.3.2.

    >>> data = pd.DataFrame({"z": [0, 0, 1, 1], "x": [0, 1, 1, 1], "y": [0.0, 1.0, 5.0, 7.0]})
    >>> backdoor_mean(data, "x", 1, "y", ["z"])
    3.5
    """
    adjust = _as_names(adjust)
    _check_columns(data, cause, outcome, *adjust)
    strata = data.groupby(adjust) if adjust else [((), data)]
    total = 0.0
    for stratum, rows in strata:
        seen = rows.loc[rows[cause] == value, outcome]
        if seen.empty:
            where = dict(zip(adjust, stratum, strict=True))
            raise ValueError(
                f"no row has {cause} = {value} in the stratum {where}: "
                "without overlap its outcome there is unknown. Use coarser strata.")
        total += len(rows) / len(data) * seen.mean()
    return float(total)


def backdoor_adjustment(
    data: pd.DataFrame,
    cause: str,
    outcome: str,
    adjust: str | Iterable[str] = (),
    *,
    n_strata: int = 50,
) -> float:
    """Estimate the effect of one unit of the cause: its slope within strata, averaged.

    effect = sum over s of (n_s / n) * slope of outcome on cause among the rows of stratum s. Every
    adjusted column is cut into `n_strata` classes of equal size (fewer if it has fewer values).
    Their variation within a stratum stays unadjusted, so that many rows allow finer, better strata.
    Without `adjust` it is the plain regression slope, which confounding biases.

    Source: Pearl (2009), section 3.3.1.

    >>> sample = observe(confounder_model(effect=1), 20_000)
    >>> round(backdoor_adjustment(sample, "x1", "y"), 1)
    2.8
    >>> round(backdoor_adjustment(sample, "x1", "y", "z", n_strata=200), 1)
    1.0
    """
    adjust = _as_names(adjust)
    _check_columns(data, cause, outcome, *adjust)
    total = 0.0
    for _, rows in data.groupby(_strata(data, adjust, check_count(n_strata, "n_strata"))):
        x, y = _numbers(rows, cause, outcome)
        total += len(rows) * _slope(x, y)
    return float(total / len(data))


def _strata(data, adjust, n_strata):
    """One label a row: its class in every adjusted column -> int array (n,)."""
    labels = np.zeros(len(data), int)
    for column in adjust:
        values = data[column]
        if values.nunique() <= n_strata:
            classes = pd.factorize(values)[0]
        else:
            classes = pd.qcut(values, n_strata, labels=False, duplicates="drop")
        labels = labels * (int(np.max(classes)) + 1) + np.asarray(classes)
    return labels


def _slope(x, y):
    x = x - x.mean()
    if not (x**2).sum() > 0:
        raise ValueError(
            f"the cause does not vary in a stratum of {len(x)} rows, "
            "so that its effect there is unknown: use fewer strata.")
    return x @ y / (x @ x)


def regression_adjustment(
    data: pd.DataFrame, cause: str, outcome: str, adjust: str | Iterable[str] = ()
) -> float:
    """Estimate the effect of one unit of the cause: its coefficient in a linear regression.

    effect  =  sum of own_i y_i / sum of own_i^2,
    own the residuals of the cause after least squares on 1 and adjust

    Exact if everything is linear, biased if the adjusted columns act otherwise.

    Source: Pearl (2009), section 3.3; the slope on the residuals: Greene (2003), ch. 3.

    >>> sample = observe(confounder_model(effect=1), 20_000)
    >>> round(regression_adjustment(sample, "x1", "y", "z"), 1)
    1.0
    """
    adjust = _as_names(adjust)
    _check_columns(data, cause, outcome, *adjust)
    others = np.column_stack([np.ones(len(data)), *_numbers(data, *adjust)])
    x, y = _numbers(data, cause, outcome)
    own = x - others @ np.linalg.lstsq(others, x, rcond=None)[0]
    if own @ own <= 1e-12 * (x @ x):
        raise ValueError(
            f"{cause!r} does not vary once {adjust} are held fixed: "
            "no effect can be told from the data.")
    return float(own @ y / (own @ own))


# --- checks ---


def _as_names(adjust):
    """Names as a list; a string is one name."""
    if not isinstance(adjust, Iterable):
        raise ValueError(f"adjust is {adjust!r}, expected a name or a list of them, () for none.")
    return [adjust] if isinstance(adjust, str) else list(adjust)


def _check_variables(model, *names):
    if not isinstance(model, CausalModel):
        raise ValueError(f"the model is of type {type(model).__name__}, expected a CausalModel.")
    for name in names:
        if not isinstance(name, str) or name not in model.equations:
            known = ", ".join(model.equations)
            raise ValueError(f"unknown variable {name!r}: the model has {known}.")


def _check_columns(data, *names):
    if not isinstance(data, pd.DataFrame) or len(data) == 0:
        came = type(data).__name__
        raise ValueError(f"data is an empty or foreign {came}, expected a DataFrame with rows.")
    missing = [
        name for name in names if not isinstance(name, Hashable) or name not in data.columns]
    if missing:
        known = ", ".join(map(str, data.columns))
        raise ValueError(f"no column {missing[0]!r} in the data, which has {known}.")
    if len(set(names)) < len(names):
        raise ValueError(
            f"{names} names a column twice: cause, outcome and adjusted columns must differ.")
    if data[list(names)].isna().any(axis=None):
        raise ValueError(
            "the data have missing values in the columns asked for: drop those rows first.")


def _numbers(data, *names):
    """The named columns as float arrays."""
    return [as_floats(data[name], f"column {name!r}") for name in names]
