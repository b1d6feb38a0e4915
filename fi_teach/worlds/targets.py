"""Worlds with a known surface, with times to an event, and with several outputs."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from fi_teach.basics.seeds import Seed, plain_stream
from fi_teach.basics.tables import check_count
from fi_teach.worlds.world import (
    World,
    check_at_least,
    check_not_negative,
    check_number,
    truth_table,
)

OUTPUT_COEFFICIENTS = np.array(
    [
        [2.0, 0.0, 0.0],  # x1 on y1, y2, y3
        [1.0, 1.0, 0.0],
        [0.0, -1.0, 3.0],
        [0.0, 0.0, 0.0],
    ]
)


def friedman(n: int = 400, *, p: int = 10, noise: float = 1.0, rng: Seed = 0) -> World:
    """A known surface: y = 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 + noise * e,
    x uniform on [0, 1]^p.

    True: x6 to x_p are noise. Shuffling costs twice the variance of a feature's own term:
    2 * 400/180 for x3, 2 * 100/12 for x4, 2 * 25/12 for x5; for x1 and x2 the mean over the
    partner, by quadrature.
    Source: the first of three artificial surfaces in Breiman (1996), section 3.

    Raises ValueError for n < 1, p < 5 or a negative noise.

    >>> friedman(50).truth["importance"].head(6).round(2).tolist()
    [12.97, 12.97, 4.44, 16.67, 4.17, 0.0]
    """
    n = check_count(n, "n")
    p = check_at_least(p, 5, "p")
    noise = check_not_negative(noise, "noise")
    rng = plain_stream(rng)
    names = [f"x{j + 1}" for j in range(p)]
    real = names[:5]
    X = pd.DataFrame(rng.uniform(size=(n, p)), columns=names)
    y = pd.Series(_friedman_surface(X) + noise * rng.standard_normal(n), name="y")
    pair = _product_sine_cost()
    own_terms = [pair, pair, 800 / 180, 200 / 12, 50 / 12]
    truth = truth_table(
        names,
        associated=real,
        relevant=real,
        used=real,
        causal=real,
        importance=own_terms + [0.0] * (p - 5),
    )
    return World(
        X=X,
        y=y,
        truth=truth,
        name="friedman",
        description="A known smooth surface of five features among noise.",
        task="regression",
        ideal=_friedman_surface,
    )


def _friedman_surface(X):
    x1, x2, x3, x4, x5 = np.asarray(X, float).T[:5]
    wave = 10 * np.sin(np.pi * x1 * x2)
    bowl = 20 * (x3 - 0.5) ** 2
    return wave + bowl + 10 * x4 + 5 * x5


def _product_sine_cost():
    """E[(10 sin(pi u v) - 10 sin(pi u' v))^2] for independent uniform u, u', v.

    That is 2 E[sine^2] - 2 E[(mean of sine over u)^2], by Gauss-Legendre quadrature.
    """
    nodes, weights = np.polynomial.legendre.leggauss(60)
    u = (nodes + 1) / 2
    w = weights / 2
    sine = 10 * np.sin(np.pi * np.outer(u, u))
    squares = w @ sine**2
    means = w @ sine
    return 2 * (w @ (squares - means**2))


def survival(
    n: int = 400,
    *,
    log_hazard_ratios: Sequence[float] = (1.0, -0.5, 0.0, 0.0),
    censoring: float = 0.5,
    rng: Seed = 0,
) -> World:
    """Proportional hazards: time ~ Exp(exp(sum_j b_j x_j)), x ~ N(0, 1), observed until an
    independent Exp(censoring).

    y : DataFrame with time = min(event time, censoring time), event = 1 if the event came first
    True: a feature matters iff its log hazard ratio b_j is not 0; `ideal` is the log hazard
    sum_j b_j x_j, and the event times without censoring are in `hidden`.

    Raises ValueError for n < 1, no or infinite log hazard ratios, or a negative censoring rate
    (0: nobody is censored).

    >>> survival(200, censoring=0).y["event"].mean()
    np.float64(1.0)
    """
    n = check_count(n, "n")
    censoring = check_not_negative(censoring, "censoring")
    b = _check_log_hazard_ratios(log_hazard_ratios)
    rng = plain_stream(rng)
    names = [f"x{j + 1}" for j in range(len(b))]
    X = pd.DataFrame(rng.standard_normal((n, len(b))), columns=names)
    due = rng.exponential(size=n) * np.exp(-X.to_numpy() @ b)
    lost = rng.exponential(size=n) / censoring if censoring else np.full(n, np.inf)
    y = pd.DataFrame({"time": np.minimum(due, lost), "event": (due <= lost).astype(int)})
    real = X.columns[b != 0]
    return World(
        X=X,
        y=y,
        truth=truth_table(names, associated=real, relevant=real, used=real, causal=real),
        name="survival",
        description="Times to an event under proportional hazards, partly censored.",
        task="survival",
        ideal=lambda X: np.asarray(X, float) @ b,
        hidden=pd.DataFrame({"event_time": due}),
        extra={"log_hazard_ratios": b},
    )


def _check_log_hazard_ratios(given):
    """One finite number for each feature -> (p,). Raises ValueError for anything else."""
    ratios = list(given) if isinstance(given, Iterable) else []
    if isinstance(given, str) or not ratios:
        raise ValueError(
            f"log_hazard_ratios is {given!r}, expected one finite number for each feature, "
            "such as (1.0, -0.5).")
    return np.array([check_number(ratio, "one of log_hazard_ratios") for ratio in ratios])


def several_outputs(n: int = 400, *, noise: float = 0.5, rng: Seed = 0) -> World:
    """Three targets at once: y1 = 2 x1 + x2, y2 = x2 - x3, y3 = 3 x3, each + noise * e;
    x ~ N(0, 1), x4 is noise.

    True: `importance` adds the squared errors of the outputs; `extra["per_output"]` (p, 3) has
    them one by one, 2 b_jk^2 for feature j and output k. x1 matters for y1 alone, x2 for two.

    Raises ValueError for n < 1 or a negative noise.

    >>> several_outputs(50).extra["per_output"].loc["x2"].tolist()
    [2.0, 2.0, 0.0]
    """
    n = check_count(n, "n")
    noise = check_not_negative(noise, "noise")
    rng = plain_stream(rng)
    names = ["x1", "x2", "x3", "x4"]
    outputs = ["y1", "y2", "y3"]
    real = names[:3]
    X = pd.DataFrame(rng.standard_normal((n, 4)), columns=names)
    signal = X.to_numpy() @ OUTPUT_COEFFICIENTS
    errors = noise * rng.standard_normal(signal.shape)
    costs = 2 * OUTPUT_COEFFICIENTS**2
    per_output = pd.DataFrame(costs, index=names, columns=outputs)
    truth = truth_table(
        names,
        associated=real,
        relevant=real,
        used=real,
        causal=real,
        importance=per_output.sum(axis=1),
    )
    return World(
        X=X,
        y=pd.DataFrame(signal + errors, columns=outputs),
        truth=truth,
        name="several_outputs",
        description="Three targets that share features.",
        task="several outputs",
        ideal=lambda X: np.asarray(X, float) @ OUTPUT_COEFFICIENTS,
        extra={"per_output": per_output},
    )
