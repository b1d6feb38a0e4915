"""Make checks: each takes the right answer and common mistakes, and judges (answer, rng).

============== ==================================================================================
`choice`        a letter with a reason (predict)
`value`         a number, or several in a list or dictionary (number, claim)
`function`      a function, judged on cases drawn from rng against the definition (implement, mend)
`catches`       a test, judged by running it on right and on wrong implementations (test)
`by_hand`       prose, which a person reads (explain)
============== ==================================================================================

A mistake may have several outputs, in a tuple. A check is data that can be called, so that
`fi_course.questions.specification` can write it down.
"""

from dataclasses import replace

from fi_course.questions.functions import Catches, Function
from fi_course.questions.values import Choice, Value
from fi_course.questions.verdict import Mistake, Verdict

__all__ = ["CODE_STUB", "TEXT_STUB", "Mistake", "by_hand", "catches", "choice", "function", "value"]

CODE_STUB = "...  # your answer"
TEXT_STUB = "*Your answer here.*"
"""What the exercises hold where code or prose is to be written."""
SHORTEST_PROSE = 5
"""Words of an answer that a person reads: fewer are a beginning."""


def _one_output_each(mistakes):
    """Return a mistake for each output of those with several, which stand in a tuple -> tuple."""
    return tuple(replace(mistake, output=output) for mistake in mistakes
                 for output in (mistake.output if isinstance(mistake.output, tuple)
                                else (mistake.output,)))


def choice(right, *mistakes):
    """Return a check for a letter with a reason, as in ("b", "because each row counts once").

    Only a person reads the reason.

    right : the letter
    mistakes : one Mistake for every other letter on offer, `output` being the letter
    """
    return Choice(right, _one_output_each(mistakes))


def value(right, *mistakes, unit="", tolerance=0.0051, default=None):
    """Return a check for one number or several; it never shows the right value.

    right : the value; a dictionary may be answered by a list in its order
    mistakes : Mistakes whose `output` is the value they lead to; entries that they leave out are
        0, or free if `partly`
    unit : if the answer comes as (number, unit) or as "10 minutes", the unit must be this one;
        a tuple lists other spellings
    tolerance : how far off a rounded answer may be, relative for values above 1
    default : {entry: value} that an entry is taken to have if the answer leaves it out;
        0 without it
    """
    units = unit if isinstance(unit, tuple) else (unit,)
    mistakes = _one_output_each(mistakes)
    for mistake in mistakes if isinstance(right, dict) else ():
        for entry in mistake.output.keys() - right.keys():
            raise ValueError(f"the mistake {mistake.name!r} has a value for {entry!r}: "
                             f"the entries are {', '.join(map(repr, right))}")
    return Value.of(right, mistakes, units, tolerance, default)


def function(cases, right, *mistakes, tolerance=1e-6, planted=None, lists=False):
    """Return a check for a function: on every case it must return what the definition returns.

    cases : rng -> list of argument tuples, the smallest first: the first one that fails is shown
    right : the definition by brute force; it may return OneOf where several answers are right
    mistakes : Mistakes whose `output` is the mistaken function;
        one is named if it agrees on all the cases
    planted : for a bug hunt, the function as it was handed out:
        not started while the answer still behaves like it
    lists : whether the text of the question calls the function with lists; it must then be right
        for lists

    Arguments are handed over as arrays, as lists and as pandas objects, with `lists` as lists
    first: otherwise any of these styles will do.
    """
    return Function(cases, right, _one_output_each(mistakes), tolerance, planted, lists)


def catches(right, bugs):
    """Return a check for a test: a function that raises if the implementation it gets is wrong.

    right : Mistakes whose `output` is a right implementation, or a tuple of them: named if the
        test refuses one
    bugs : Mistakes whose `output` is a wrong one: named if the test lets it pass

    Each is tried twice, in an order drawn from rng:
    a test that counts its calls instead of looking gets nowhere.
    """
    return Catches(tuple(right), tuple(bugs))


def by_hand(answer, rng):
    """Check prose: only whether enough was written, since a person grades it."""
    words = answer.replace(TEXT_STUB, "").split() if isinstance(answer, str) else []
    if not words:
        return Verdict("not started", "Nothing is written yet: a few sentences will do.")
    if len(words) < SHORTEST_PROSE:
        return Verdict("wrong", f"Only {len(words)} words so far: a person will read this, so "
                       f"write a few sentences.",
                       "too short to be read")
    return Verdict("by hand", "Written. A person will read and grade it.")


by_hand.names = frozenset()  # type: ignore[attr-defined]
