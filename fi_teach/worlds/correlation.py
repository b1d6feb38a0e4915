"""Worlds with correlated features: copies of one predictor, and a proxy."""

import numpy as np

from fi_teach.basics.equations import Equations
from fi_teach.basics.seeds import Seed
from fi_teach.basics.tables import check_count
from fi_teach.worlds.linear import linear_world
from fi_teach.worlds.world import World, check_between_or_at, check_not_negative


def twins(
    n: int = 400, *, copies: int = 2, jitter: float = 0.0, noise: float = 0.1, rng: Seed = 0
) -> World:
    """One predictor and its copies: x1 ~ N(0, 1), x_k = x1 + jitter * e_k, y = x1 + noise * e.

    True: x1 alone would cost 2 Var(x1) = 2 to shuffle. With exact copies (jitter 0) none is
    relevant given the others, and any one will do: the ideal predictor written here reads x1.
    With jitter x1 is relevant, the others not.

    >>> twins(50).X.eval("x1 == x2").all(), twins(50).truth["relevant"].any()
    (np.True_, np.False_)
    """
    copies = check_count(copies, "copies")
    jitter = check_not_negative(jitter, "jitter")
    noise_sd = check_not_negative(noise, "noise")
    features = [f"x{k + 1}" for k in range(copies)]
    equations: Equations = {"x1": lambda noise: noise}
    for name in features[1:]:
        equations[name] = lambda x1, noise: x1 + jitter * noise
    equations["y"] = lambda x1, noise: x1 + noise_sd * noise
    return linear_world(
        n,
        rng,
        equations,
        shown=features,
        causal=("x1",),
        name="twins",
        description="One predictor and copies of it: which of them gets the credit?",
    )


def correlated_proxy(n: int = 400, *, rho: float = 0.9, noise: float = 0.3, rng: Seed = 0) -> World:
    """A cause and a proxy: x1 ~ N(0, 1), x2 = rho x1 + sqrt(1 - rho^2) e2, y = x1 + noise * e.

    True: x2 has correlation rho with x1, is associated with y unless rho = 0, and tells nothing
    beyond x1.

    >>> correlated_proxy().truth[["associated", "relevant"]].to_numpy().tolist()
    [[True, True], [True, False]]
    """
    rho = check_between_or_at(rho, -1, 1, "rho")
    noise_sd = check_not_negative(noise, "noise")
    rest = np.sqrt(1 - rho**2)
    equations: Equations = {
        "x1": lambda noise: noise,
        "x2": lambda x1, noise: rho * x1 + rest * noise,
        "y": lambda x1, noise: x1 + noise_sd * noise,
    }
    return linear_world(
        n,
        rng,
        equations,
        shown=("x1", "x2"),
        causal=("x1",),
        name="correlated_proxy",
        description="x1 drives the target, x2 only looks like x1.",
    )
