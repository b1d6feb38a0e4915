"""Causal worlds: confounder, mediator, collider, and a relation that changes its sign.

The equations stand here once; `fi_teach.importance.causal` makes models to act on from them.
"""

from fi_teach.basics.equations import Equations
from fi_teach.basics.seeds import Seed, plain_stream
from fi_teach.basics.tables import check_count
from fi_teach.worlds.linear import linear_world
from fi_teach.worlds.world import World, check_not_negative, check_number


def confounder_equations(effect: float = 0.0, measurement_error: float = 0.0) -> Equations:
    """z -> x1, z -> y, x2 -> y, x1 -> y of size `effect`; z_seen is z, measured with error."""
    return {
        "z": lambda noise: noise,
        "x1": lambda z, noise: z + 0.3 * noise,
        "x2": lambda noise: noise,
        "z_seen": lambda z, noise: z + measurement_error * noise,
        "y": lambda z, x1, x2, noise: 2 * z + 0.5 * x2 + effect * x1 + 0.3 * noise,
    }


def mediator_equations(direct: float = 0.0) -> Equations:
    """x1 -> m -> y, and x1 -> y of size `direct`."""
    return {
        "x1": lambda noise: noise,
        "m": lambda x1, noise: x1 + 0.5 * noise,
        "y": lambda x1, m, noise: 2 * m + direct * x1 + 0.5 * noise,
    }


def collider_equations(effect: float = 0.0) -> Equations:
    """x1 -> c <- y, and x1 -> y of size `effect`."""
    return {
        "x1": lambda noise: noise,
        "y": lambda x1, noise: effect * x1 + noise,
        "c": lambda x1, y, noise: x1 + y + 0.5 * noise,
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
    n = check_count(n, "n")
    measurement_error = check_not_negative(measurement_error, "measurement_error")
    effect = check_number(effect, "effect")
    causal = ["x2"]
    if effect:
        causal.append("x1")
    if measurement_error == 0:
        causal.append("z")
    return linear_world(
        n,
        rng,
        confounder_equations(effect, measurement_error),
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
    n = check_count(n, "n")
    direct = check_number(direct, "direct")
    return linear_world(
        n,
        rng,
        mediator_equations(direct),
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
    n = check_count(n, "n")
    effect = check_number(effect, "effect")
    return linear_world(
        n,
        rng,
        collider_equations(effect),
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
    n = check_count(n, "n")
    before = check_number(before, "before")
    after = check_number(after, "after")
    rng = plain_stream(rng)
    train = _two_causes(n, rng, before)
    later = _two_causes(n, rng, after)
    truth = later.truth.assign(
        used=train.truth["used"],
        importance=[2.0, 2.0 * before * after],
    )
    about = {"name": "shift", "task": "regression", "ideal": train.ideal}
    test = World(
        later.X,
        later.y,
        truth,
        description="The world after x2 has changed its meaning; the predictor has not.",
        **about,
    )
    return World(
        train.X,
        train.y,
        train.truth,
        description="x2 changes its meaning between training and test.",
        test=test,
        **about,
    )


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
    )
