"""Seeing is not doing: the same data answer E[Y | X = x] and, only with the right columns, E[Y | do(X = x)].

A causal model is a dict of equations in causal order; a function's arguments are the arrows into its variable.
`observe` draws from it, `do` replaces an equation by a constant, and the back-door formula recovers what `do` shows
from what `observe` gives, if it is fed a set of columns that blocks every back door. Importance measures see only
what `observe` gives. Source: Pearl (2009), sections 1.4 (models), 3.2 (do) and 3.3 (back door).
"""

import inspect
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class CausalModel:
    """Structural equations x_k = f_k(parents, noise), in causal order, with independent standard normal noises.

    equations : dict, name -> function whose arguments are earlier names and, if it has chance in it, `noise`;
        it gets arrays (n,) and returns an array (n,)
    fixed : dict, name -> number, what `do` has set

    Raises ValueError for no equations, an equation that is no function, or an argument that is no earlier variable.

    >>> model = CausalModel({"z": lambda noise: noise, "x": lambda z: 2 * z})
    >>> sample = observe(model, 100)
    >>> bool((sample["x"] == 2 * sample["z"]).all())
    True
    """

    equations: dict
    fixed: dict = field(default_factory=dict)

    def __post_init__(self):
        if not self.equations:
            raise ValueError("a causal model without equations has no variables: give a dict of name -> function.")
        earlier = set()
        for name, equation in self.equations.items():
            _check_equation(name, equation, earlier)
            earlier.add(name)


def _check_equation(name, equation, earlier):
    if not callable(equation):
        raise ValueError(f"the equation of {name!r} is {equation!r}, expected a function of its parents and noise.")
    if name == "noise":
        raise ValueError("no variable may be called 'noise': that argument is an equation's own chance.")
    unknown = [argument for argument in inspect.signature(equation).parameters if argument not in earlier | {"noise"}]
    if unknown:
        raise ValueError(f"the equation of {name!r} asks for {unknown[0]!r}, which is no earlier variable: "
                         "write the equations in causal order, causes first.")


def _check_variables(model, *names):
    for name in names:
        if name not in model.equations:
            raise ValueError(f"unknown variable {name!r}: the model has {', '.join(model.equations)}.")


def parents(model, name):
    """The direct causes of a variable: its equation's arguments; none once `do` has set it -> tuple of names.

    >>> parents(confounder_model(), "y")
    ('z', 'x1', 'x2')
    >>> parents(do(confounder_model(), y=0), "y")
    ()
    """
    _check_variables(model, name)
    if name in model.fixed:
        return ()
    return tuple(a for a in inspect.signature(model.equations[name]).parameters if a != "noise")


def descendants(model, name):
    """All variables that a change of this one can reach -> set of names, without itself.

    >>> sorted(descendants(mediator_model(), "x1"))
    ['m', 'y']
    """
    _check_variables(model, name)
    reached = {name}
    for child in model.equations:  # causal order: parents come first
        if reached & set(parents(model, child)):
            reached.add(child)
    return reached - {name}


def do(model, **values):
    """The model after surgery: each named variable is set to a number, whatever its causes say -> CausalModel.

    Raises ValueError for a variable the model does not have, or a value that is not a finite number.

    >>> observe(do(confounder_model(), x1=3), 2)["x1"].tolist()
    [3.0, 3.0]
    """
    _check_variables(model, *values)
    for name, value in values.items():
        if not (np.isscalar(value) and np.isreal(value) and np.isfinite(value)):
            raise ValueError(f"do({name}={value!r}): expected one finite number to set it to.")
    return replace(model, fixed=model.fixed | values)


def observe(model, n, rng=0):
    """Draw n rows of all variables, causes first -> DataFrame (n, n_variables).

    Every variable's noise is drawn whether it is fixed or not. So with one seed, `observe(model, n, 1)` and
    `observe(do(model, x=0), n, 1)` show the same n individuals in two worlds.

    Raises ValueError for n < 1 or an equation that does not return n numbers.

    >>> observe(collider_model(), 3).columns.tolist()
    ['x1', 'y', 'c']
    """
    if not isinstance(n, int | np.integer) or isinstance(n, bool) or n < 1:
        raise ValueError(f"n is {n!r}, expected a whole number of rows, at least 1.")
    rng = np.random.default_rng(rng)
    values = {}
    for name in model.equations:
        noise = rng.standard_normal(n)
        values[name] = np.full(n, float(model.fixed[name])) if name in model.fixed else _solve(model, name, values, noise)
    return pd.DataFrame(values)


def _solve(model, name, values, noise):
    """One equation at its parents' values -> array (n,)."""
    given = values | {"noise": noise}
    equation = model.equations[name]
    result = np.asarray(equation(**{a: given[a] for a in inspect.signature(equation).parameters}), float)
    if result.shape not in ((), noise.shape):
        raise ValueError(f"the equation of {name!r} returned shape {result.shape}, expected one number a row, {noise.shape}.")
    return np.broadcast_to(result, noise.shape).copy()


# --- seeing and doing ---

def interventional_mean(model, cause, values, outcome, n=10_000, rng=0):
    """E[Y | do(X = x)] for each x: set the cause for everybody and average the outcome -> (n_values,).

    The same n individuals are used for every x, so that differences between values carry little chance.

    Raises ValueError for unknown variables or n < 1.

    >>> low, high = interventional_mean(mediator_model(), "x1", [0, 1], "y")
    >>> round(float(high - low), 6)
    2.0
    """
    _check_variables(model, cause, outcome)
    seed = np.random.default_rng(rng).integers(2**32)
    return np.array([observe(do(model, **{cause: x}), n, seed)[outcome].mean() for x in np.atleast_1d(values)])


def conditional_mean(data, cause, values, outcome, *, neighbours=200):
    """E[Y | X = x] for each x: the mean outcome of the rows whose X is nearest to x -> (n_values,).

    neighbours : int, how many rows are near; fewer follow the curve closer and jump more

    Raises ValueError for unknown columns or neighbours outside 1 .. n.

    >>> sample = observe(confounder_model(), 20_000)
    >>> conditional_mean(sample, "x1", [-1, 1], "y", neighbours=500).round(1).tolist()
    [-1.8, 1.8]
    """
    _check_columns(data, cause, outcome)
    if not 1 <= neighbours <= len(data):
        raise ValueError(f"neighbours is {neighbours}, expected a number from 1 to the {len(data)} rows.")
    x, y = data[cause].to_numpy(float), data[outcome].to_numpy(float)
    nearest = [np.argpartition(np.abs(x - value), neighbours - 1)[:neighbours] for value in np.atleast_1d(values)]
    return np.array([y[rows].mean() for rows in nearest])


def _check_columns(data, *names):
    if not isinstance(data, pd.DataFrame) or len(data) == 0:
        raise ValueError(f"data is {type(data).__name__} of length {len(data)}, expected a DataFrame with rows.")
    missing = [name for name in names if name not in data.columns]
    if missing:
        raise ValueError(f"no column {missing[0]!r} in the data, which has {', '.join(map(str, data.columns))}.")
    if len(set(names)) < len(names):
        raise ValueError(f"{names} names a column twice: cause, outcome and adjusted columns must differ.")
    if data[list(names)].isna().any(axis=None):
        raise ValueError("the data have missing values in the columns asked for: drop those rows first.")


# --- the back door ---

def satisfies_backdoor(model, cause, outcome, adjust=()):
    """Does adjusting for these variables make seeing as good as doing? The back-door criterion -> bool.

    (i) None of them is a descendant of the cause. (ii) They block every path from cause to outcome that starts with
    an arrow into the cause: with the arrows out of the cause removed, they separate the two.

    Raises ValueError for unknown variables. Source: Pearl (2009), definition 3.3.1.

    >>> satisfies_backdoor(confounder_model(), "x1", "y", ["z"]), satisfies_backdoor(confounder_model(), "x1", "y")
    (True, False)
    """
    _check_variables(model, cause, outcome, *adjust)
    if descendants(model, cause) & set(adjust):
        return False
    arrows = {child: set(parents(model, child)) - {cause} for child in model.equations}
    return _separated(arrows, cause, outcome, set(adjust))


def _separated(arrows, a, b, given):
    """d-separation: in the graph of all ancestors, with parents of one child joined, `given` cuts a from b -> bool."""
    kept = {a, b, *given}
    for child in reversed(list(arrows)):  # effects first: every ancestor is met after its child
        kept |= arrows[child] if child in kept else set()
    families = [{child} | arrows[child] for child in kept]
    reached, before = {a}, set()
    while reached != before:
        before = reached
        reached = reached | (set().union(*(family for family in families if family & reached)) - given)
    return b not in reached


def backdoor_mean(data, cause, value, outcome, adjust):
    """E[Y | do(X = x)] = sum over z of P(Z = z) E[Y | X = x, Z = z], for columns with few values -> number.

    The sum is over the strata of the adjusted columns, each with its share of ALL rows, not of the rows with X = x.

    Raises ValueError for unknown columns or a stratum without a row of X = x (no overlap).
    Source: Pearl (2009), theorem 3.3.2.

    >>> data = pd.DataFrame({"z": [0, 0, 1, 1], "x": [0, 1, 1, 1], "y": [0.0, 1.0, 5.0, 7.0]})
    >>> backdoor_mean(data, "x", 1, "y", ["z"])
    3.5
    """
    adjust = list(adjust)
    _check_columns(data, cause, outcome, *adjust)
    total = 0.0
    for stratum, rows in data.groupby(adjust) if adjust else [((), data)]:
        seen = rows.loc[rows[cause] == value, outcome]
        if seen.empty:
            raise ValueError(f"no row has {cause} = {value} in the stratum {dict(zip(adjust, stratum, strict=True))}: "
                             "without overlap its outcome there is unknown. Use coarser strata.")
        total += len(rows) / len(data) * seen.mean()
    return float(total)


def backdoor_adjustment(data, cause, outcome, adjust=(), *, n_strata=50):
    """Effect of one unit of the cause: its slope within strata of the adjusted columns, averaged over all rows.

    effect = sum over s of (n_s / n) * slope of outcome on cause among the rows of stratum s. Every adjusted column
    is cut into `n_strata` classes of equal size (fewer if it has fewer values). No form is assumed for the adjusted
    columns; what they still vary within a stratum stays unadjusted, so that many rows allow finer, better strata.
    Without `adjust` it is the plain regression slope, which confounding biases.

    Raises ValueError for unknown columns, n_strata < 1, or a stratum in which the cause does not vary.
    Source: Pearl (2009), section 3.3.1.

    >>> sample = observe(confounder_model(effect=1), 20_000)
    >>> round(backdoor_adjustment(sample, "x1", "y"), 1)
    2.8
    >>> round(backdoor_adjustment(sample, "x1", "y", ["z"], n_strata=200), 1)
    1.0
    """
    adjust = list(adjust)
    _check_columns(data, cause, outcome, *adjust)
    if n_strata < 1:
        raise ValueError(f"n_strata is {n_strata}, expected at least 1.")
    strata = _strata(data, adjust, n_strata)
    slopes = [len(rows) * _slope(rows[cause].to_numpy(float), rows[outcome].to_numpy(float))
              for _, rows in data.groupby(strata)]
    return float(sum(slopes) / len(data))


def _strata(data, adjust, n_strata):
    """One label a row: its class in every adjusted column -> int array (n,)."""
    labels = np.zeros(len(data), int)
    for column in adjust:
        few = data[column].nunique() <= n_strata
        classes = pd.factorize(data[column])[0] if few else pd.qcut(data[column], n_strata, labels=False, duplicates="drop")
        labels = labels * (int(np.max(classes)) + 1) + np.asarray(classes)
    return labels


def _slope(x, y):
    x = x - x.mean()
    if not (x**2).sum() > 0:
        raise ValueError(f"the cause does not vary in a stratum of {len(x)} rows, so that its effect there is unknown: "
                         "use fewer strata.")
    return x @ y / (x @ x)


def regression_adjustment(data, cause, outcome, adjust=()):
    """Effect of one unit of the cause: its coefficient in least squares of outcome on 1, cause, adjust -> number.

    The fast way through the back door: exact if everything is linear, biased if the adjusted columns act otherwise.

    Raises ValueError for unknown columns, or a cause that the adjusted columns determine.

    >>> sample = observe(confounder_model(effect=1), 20_000)
    >>> round(regression_adjustment(sample, "x1", "y", ["z"]), 1)
    1.0
    """
    _check_columns(data, cause, outcome, *adjust)
    others = np.column_stack([np.ones(len(data)), data[list(adjust)].to_numpy(float)])
    x, y = data[cause].to_numpy(float), data[outcome].to_numpy(float)
    own = x - others @ np.linalg.lstsq(others, x, rcond=None)[0]
    if own @ own <= 1e-12 * (x @ x):
        raise ValueError(f"{cause!r} does not vary once {list(adjust)} are held fixed: no effect can be told from the data.")
    return float(own @ y / (own @ own))


# --- three small models, with the equations of the worlds of the same name ---

def confounder_model(effect=0.0, measurement_error=0.0):
    """z -> x1, z -> y, x2 -> y, and x1 -> y of size `effect`; z_seen = z + measurement_error * noise.

    z ~ N(0, 1), x1 = z + 0.3 e1, x2 ~ N(0, 1), y = 2 z + effect * x1 + 0.5 x2 + 0.3 e

    >>> low, high = interventional_mean(confounder_model(), "x1", [-1, 1], "y")
    >>> bool(abs(high - low) < 1e-12)
    True
    """
    return CausalModel({
        "z": lambda noise: noise,
        "x1": lambda z, noise: z + 0.3 * noise,
        "x2": lambda noise: noise,
        "y": lambda z, x1, x2, noise: 2 * z + effect * x1 + 0.5 * x2 + 0.3 * noise,
        "z_seen": lambda z, noise: z + measurement_error * noise,
    })


def mediator_model(direct=0.0):
    """x1 -> m -> y, and x1 -> y of size `direct`: m = x1 + 0.5 e_m, y = 2 m + direct * x1 + 0.5 e.

    The whole effect of x1 is 2 + direct; adjusting for m leaves `direct`.

    >>> satisfies_backdoor(mediator_model(), "x1", "y"), satisfies_backdoor(mediator_model(), "x1", "y", ["m"])
    (True, False)
    """
    return CausalModel({
        "x1": lambda noise: noise,
        "m": lambda x1, noise: x1 + 0.5 * noise,
        "y": lambda x1, m, noise: 2 * m + direct * x1 + 0.5 * noise,
    })


def collider_model(effect=0.0):
    """x1 -> c <- y, and x1 -> y of size `effect`: y = effect * x1 + e, c = x1 + y + 0.5 e_c.

    Adjusting for the common consequence c turns an effect b into (b - 4) / 5.

    >>> satisfies_backdoor(collider_model(), "x1", "y", ["c"])
    False
    """
    return CausalModel({
        "x1": lambda noise: noise,
        "y": lambda x1, noise: effect * x1 + noise,
        "c": lambda x1, y, noise: x1 + y + 0.5 * noise,
    })
