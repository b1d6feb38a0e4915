"""Replace every integer seed by another one, for all libraries at once.

    install()     once, before any library that draws is imported
    use(7)        from here on it is draw 7; draw 0 is the book's own

NumPy's generators, scikit-learn's and SciPy's `random_state`, the standard library's `random` and
the seeds of xgboost and lightgbm are shifted alike. A generator that is handed on is left alone: it
came from a seed that was shifted. The same seed gives the same numbers throughout a draw, and other
numbers in every other draw: (seed, draw) are mixed, not added, since seeds 0, 1, 2 plus one would
be seeds 1, 2, 3 again. Nothing in `fi_teach` knows of this module.
"""

import ast
import random
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, wraps
from numbers import Integral

import numpy as np

MARK = 1_912_000_000  # no chapter's own streams begin with such a number
SEED_NAMES = ("seed", "random_seed", "random_state", "bagging_seed", "feature_fraction_seed",
              "data_random_seed", "extra_seed", "drop_seed", "objective_seed")
FIRST_NAMES = ("seed", "entropy", "a", "x")  # NumPy's, and those of the standard library
BOOSTERS = ("xgboost", "lightgbm")
SeedSequence = np.random.SeedSequence  # NumPy's own
state = {"draw": 0, "seeded": 0}


def use(draw):
    """Switch to this draw; seed the global generators too, so that a draw can be repeated."""
    state["draw"] = draw
    np.random.seed(draw)  # noqa: NPY002 - sklearn without a random_state draws from here
    random.seed(draw)
    for name in BOOSTERS:
        if name in sys.modules:
            shift_booster(sys.modules[name])


def is_seed(seed):
    """Return whether it is an integer or a non-empty sequence of integers."""
    if isinstance(seed, np.ndarray):
        return seed.size > 0 and seed.dtype.kind in "iu"
    if isinstance(seed, Sequence) and not isinstance(seed, str | bytes):
        return len(seed) > 0 and all(isinstance(part, Integral) for part in seed)
    return isinstance(seed, Integral)


def shifted(seed):
    """Return a seed's replacement in this draw: itself in draw 0, else a list of integers."""
    if not is_seed(seed):
        return seed
    state["seeded"] += 1
    if state["draw"] == 0:
        return seed
    return [MARK + state["draw"], *(int(part) for part in np.ravel(np.array(seed, dtype=object)))]


def shifted_int(seed, bits=32):
    """Return the replacement as one integer of so many bits."""
    mixed = shifted(seed)
    if mixed is seed:
        return seed
    return int(SeedSequence(mixed).generate_state(1)[0]) >> (32 - bits)


class Shifted(type):
    """The type of a class that only makes instances of a real one, from shifted seeds."""

    def __call__(cls, *arguments, **named):
        return cls.make(*arguments, **named)

    def __instancecheck__(cls, thing):
        return isinstance(thing, cls.real)

    def __subclasscheck__(cls, other):
        return other is cls or issubclass(other, cls.real)


def shifting(real, shift):
    """Return a class or function that shifts the seed, which comes first or by its name."""
    def make(*arguments, **named):
        named = {name: shift(value) if name in FIRST_NAMES else value
                 for name, value in named.items()}
        return real(*map(shift, arguments[:1]), *arguments[1:], **named)

    if not isinstance(real, type):
        return wraps(real)(make)
    return Shifted(real.__name__, (), {"real": real, "make": staticmethod(make),
                                       "__doc__": real.__doc__})


def shift_booster(library):
    """Shift the seeds among the parameters of every model that xgboost or lightgbm makes."""
    real = library.Booster.__init__
    if getattr(real, "shifts", False):
        return

    def start(self, params=None, *arguments, **named):
        real(self, shifted_parameters(params), *arguments, **named)

    start.shifts = True
    library.Booster.__init__ = start


def shifted_parameters(params):
    """A booster's parameters with every seed shifted; without a seed theirs is 0."""
    if params is None or state["draw"] == 0:
        return params
    params = dict(params)
    seeds = {name: params[name] for name in SEED_NAMES if params.get(name) is not None}
    params.update({name: shifted_int(seed, bits=31) for name, seed in seeds.items()})
    if not set(seeds) & {"seed", "random_seed", "random_state"}:
        params["seed"] = shifted_int(0, bits=31)
    return params


@cache
def install():
    """Replace, for this process, everything that takes an integer seed; a second call is idle."""
    for name in ("SeedSequence", "PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64", "default_rng"):
        setattr(np.random, name, shifting(getattr(np.random, name), shifted))
    for module, name in ((np.random, "RandomState"), (np.random, "seed"),
                         (random, "Random"), (random, "seed")):
        setattr(module, name, shifting(getattr(module, name), shifted_int))


def warm_up(sources):
    """Import what chapters import, once for all draws; what is not installed is left out.

    Raises RuntimeError if a module of ours draws while it is imported: all draws would share it.
    """
    imports = {"import matplotlib.pyplot", "import IPython.display"}  # what a run keeps quiet
    imports |= {ast.unparse(node) for source in sources for node in ast.walk(ast.parse(source))
                if isinstance(node, ast.Import | ast.ImportFrom)}
    for line in sorted(imports):
        before, ours = state["seeded"], line.split()[1].startswith("fi_")
        with suppress(ImportError):
            exec(line, {})
        if ours and state["seeded"] > before:
            raise RuntimeError(f"a module draws from a seed while it is imported ({line}), so that "
                               "every draw would share its numbers: draw inside a function.")
