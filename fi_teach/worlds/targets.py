"""A world whose target is a known smooth surface."""

import numpy as np
import pandas as pd

from fi_teach.basics.seeds import Seed, plain_stream
from fi_teach.basics.tables import check_count
from fi_teach.worlds.world import World, check_at_least, check_not_negative, truth_table


def friedman(n: int = 400, *, p: int = 10, noise: float = 1.0, rng: Seed = 0) -> World:
    """A known surface: y = 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 + noise * e,
    x uniform on [0, 1]^p.

    True: x6 to x_p are noise. Shuffling costs twice the variance of a feature's own term:
    2 * 400/180 for x3, 2 * 100/12 for x4, 2 * 25/12 for x5; for x1 and x2 the mean over the
    partner, by quadrature.
    Source: the first of three artificial surfaces in Breiman (1996), section 3.

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
