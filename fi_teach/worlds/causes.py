"""Causal worlds: confounder, mediator, collider, and a relation that changes its sign.

Each `*_model` is the causal model of the world of the same name; `fi_teach.importance.causal`
intervenes on such models.
"""

from dataclasses import replace

import numpy as np

from fi_teach.basics.equations import CausalModel
from fi_teach.basics.seeds import Seed, plain_stream
from fi_teach.worlds.linear import linear_world
from fi_teach.worlds.world import World, check_not_negative, check_number


def confounder_model(effect: float = 0.0, measurement_error: float = 0.0) -> CausalModel:
    """z -> x1, z -> y, x2 -> y, and x1 -> y of size `effect`; z_seen is z with an error.

    z ~ N(0, 1), x1 = z + 0.3 e1, x2 ~ N(0, 1), y = 2 z + effect * x1 + 0.5 x2 + 0.3 e,
    z_seen = z + measurement_error * e_z

    Source: Pearl (2009), section 3.3.

    >>> list(confounder_model().equations)
    ['z', 'x1', 'x2', 'z_seen', 'y']
    """
    effect = check_number(effect, "effect")
    measurement_error = check_number(measurement_error, "measurement_error")
    return CausalModel({
        "z": lambda noise: noise,
        "x1": lambda z, noise: z + 0.3 * noise,
        "x2": lambda noise: noise,
        "z_seen": lambda z, noise: z + measurement_error * noise,
        "y": lambda z, x1, x2, noise: 2 * z + 0.5 * x2 + effect * x1 + 0.3 * noise,
    })


def mediator_model(direct: float = 0.0) -> CausalModel:
    """x1 -> m -> y, and x1 -> y of size `direct`: m = x1 + 0.5 e_m, y = 2 m + direct * x1 + 0.5 e.

    The whole effect of x1 is 2 + direct; adjusting for m leaves `direct`.

    Source: as in `confounder_model`, with a cause on the way in place of a common one.

    >>> list(mediator_model().equations)
    ['x1', 'm', 'y']
    """
    direct = check_number(direct, "direct")
    return CausalModel({
        "x1": lambda noise: noise,
        "m": lambda x1, noise: x1 + 0.5 * noise,
        "y": lambda x1, m, noise: 2 * m + direct * x1 + 0.5 * noise,
    })


def collider_model(effect: float = 0.0) -> CausalModel:
    """x1 -> c <- y, and x1 -> y of size `effect`: y = effect * x1 + e, c = x1 + y + 0.5 e_c.

    Adjusting for the common consequence c turns an effect b into (b - 4) / 5.

    Source: as in `confounder_model`, with a common consequence in place of a common cause.

    >>> list(collider_model().equations)
    ['x1', 'y', 'c']
    """
    effect = check_number(effect, "effect")
    return CausalModel({
        "x1": lambda noise: noise,
        "y": lambda x1, noise: effect * x1 + noise,
        "c": lambda x1, y, noise: x1 + y + 0.5 * noise,
    })


def same_table_worlds() -> dict[str, CausalModel]:
    """Four causal models of x1 and y with the same bivariate normal distribution.

    In all of them Var(x1) = 1.09, Var(y) = 4.34 and Cov(x1, y) = 2, so no table of x1 and y tells
    them apart. One unit more of x1, set by hand, changes y by 0 ("health": the hidden z moves both;
    "severity": y moves x1), by 2 / 1.09 ("value": x1 moves y) or by -0.5 ("both": z moves both, and
    x1 moves y).

    Source: Pearl (2009), section 1.4, on models that observations cannot tell apart.

    >>> list(same_table_worlds())
    ['health', 'value', 'both', 'severity']
    """
    def value_of(z, noise):
        return z + 0.3 * noise

    def free(noise):
        return noise

    slope, left = 2 / 1.09, 4.34 - 4 / 1.09
    return {
        "health": CausalModel({
            "z": free, "x1": value_of, "y": lambda z, noise: 2 * z + np.sqrt(0.34) * noise}),
        "value": CausalModel({
            "x1": lambda noise: np.sqrt(1.09) * noise,
            "y": lambda x1, noise: slope * x1 + np.sqrt(left) * noise}),
        "both": CausalModel({
            "z": free, "x1": value_of,
            "y": lambda z, x1, noise: 2.545 * z - 0.5 * x1 + np.sqrt(0.135475) * noise}),
        "severity": CausalModel({
            "y": lambda noise: np.sqrt(4.34) * noise,
            "x1": lambda y, noise: 2 / 4.34 * y + np.sqrt(1.09 - 4 / 4.34) * noise}),
    }


def confounder(
    n: int = 400,
    *,
    shown: bool = False,
    measurement_error: float = 0.0,
    effect: float = 0.0,
    rng: Seed = 0,
) -> World:
    """A common cause: z ~ N(0, 1), x1 = z + 0.3 e1, x2 ~ N(0, 1),
    y = 2 z + 0.5 x2 + effect * x1 + 0.3 e.

    `shown` adds the column z + measurement_error * e_z to X; z itself is always in `hidden`.

    True (effect 0): x1 is associated with y, E[y | x1 = x] = 2x / 1.09 = 1.835 x, and setting it
    changes nothing, E[y | do(x1 = x)] = 0. Once z is shown without error x1 is irrelevant; shown
    with error, relevant again. A column measured with error is not the cause itself: changing the
    record changes nothing.

    Source: Pearl (2009), section 3.3.

    >>> confounder(50).truth.loc["x1", ["relevant", "causal"]].tolist()
    [True, False]
    >>> confounder(50, shown=True).truth["relevant"].tolist()
    [False, True, True]
    """
    check_not_negative(measurement_error, "measurement_error")
    model = confounder_model(effect, measurement_error)
    causal = ["x2"]
    if effect:
        causal.append("x1")
    if measurement_error == 0:
        causal.append("z")
    return linear_world(
        n,
        rng,
        model.equations,
        shown=("x1", "x2", "z_seen") if shown else ("x1", "x2"),
        called={"z_seen": "z"},
        hidden=("z",),
        causal=causal,
        name="confounder",
        description="A common cause moves x1 and the target; x2 is a small real cause.",
    )


def mediator(n: int = 400, *, direct: float = 0.0, rng: Seed = 0) -> World:
    """A chain: x1 ~ N(0, 1), m = x1 + 0.5 e_m, y = 2 m + direct * x1 + 0.5 e.

    True: changing x1 by one changes y by 2 + direct. Without a direct path x1 is irrelevant given
    m, and causal.

    >>> mediator(50).truth.loc["x1", ["relevant", "causal"]].tolist()
    [False, True]
    """
    return linear_world(
        n,
        rng,
        mediator_model(direct).equations,
        shown=("x1", "m"),
        causal=("m", "x1") if direct != -2 else ("m",),
        name="mediator",
        description="x1 acts on the target through m.",
    )


def collider(n: int = 400, *, effect: float = 0.0, rng: Seed = 0) -> World:
    """A common consequence: x1 ~ N(0, 1), y = effect * x1 + e, c = x1 + y + 0.5 e_c.

    True (effect 0): x1 is unrelated to y, and relevant once its and y's consequence c is among the
    features. Changing c changes nothing.

    >>> collider(50).truth.loc["x1", ["associated", "relevant", "causal"]].tolist()
    [False, True, False]
    """
    return linear_world(
        n,
        rng,
        collider_model(effect).equations,
        shown=("x1", "c"),
        causal=("x1",) if effect else (),
        name="collider",
        description="x1 and the target both act on c, a consequence.",
    )


def shift(n: int = 400, *, before: float = 1.0, after: float = -1.0, rng: Seed = 0) -> World:
    """A relation that turns: y = x1 + before * x2 + 0.3 e in X, `after` for `before` in `test`.

    True: on the test data the predictor learned before has importance 2 * before * after Var(x2)
    for x2: negative when the sign turned. Shuffling x2 there makes predictions better.

    >>> shift(50).test.truth["importance"].tolist()
    [2.0, -2.0]
    """
    before = check_number(before, "before")
    after = check_number(after, "after")
    rng = plain_stream(rng)
    train = _two_causes(n, rng, before)
    later = _two_causes(n, rng, after)
    importance = [2.0, 2.0 * before * after]
    test = replace(
        later,
        truth=later.truth.assign(used=train.truth["used"], importance=importance),
        description="The world after x2 has changed its meaning; the predictor has not.",
        ideal=train.ideal,
    )
    return replace(train, test=test)


def _two_causes(n, rng, coefficient):
    equations = {
        "x1": lambda noise: noise,
        "x2": lambda noise: noise,
        "y": lambda x1, x2, noise: x1 + coefficient * x2 + 0.3 * noise,
    }
    return linear_world(
        n,
        rng,
        equations,
        shown=("x1", "x2"),
        causal=("x1", "x2") if coefficient else ("x1",),
        name="shift",
        description="x2 changes its meaning between training and test.",
    )
