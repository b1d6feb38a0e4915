"""The ready-made checks: each takes what is right and the mistakes people make, and gives a check (answer, rng) -> Verdict.

==============  =====================================================================================
`choice`        a letter with a reason (predict)
`value`         a number, or several in a list or dictionary (number, claim)
`function`      a function, judged on cases drawn from rng against the definition (implement, mend)
`catches`       a test, judged by running it on right and on wrong implementations (test)
`by_hand`       prose, which a person reads (explain, open)
==============  =====================================================================================
"""

import copy
import re
import traceback
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fi_teach.course.questions.closing import ClosedName
from fi_teach.course.questions.plain import is_blank, number, plain, same, show, show_apart
from fi_teach.course.questions.verdict import Verdict

CODE_STUB = "...  # your answer"
TEXT_STUB = "*Your answer here.*"
"""What the exercises hold where code or prose is to be written."""


@dataclass(frozen=True)
class Mistake:
    """A mistake people make: its name, what it leads to (a letter, a value or a function), and what to say to it."""

    name: str
    leads_to: object
    message: str


def _naming(mistakes):
    """Give a check the names it can say, in `check.names`: the proof holds that each of them is said to somebody."""
    def named(check):
        check.names = frozenset(m.name for m in mistakes)
        return check
    return named


def choice(right, *mistakes):
    """A check for a letter with a reason, as in ("b", "because each row counts once").

    right : the letter
    mistakes : one Mistake for every other letter on offer, `leads_to` being the letter
    """
    feedback = {m.leads_to: Verdict("wrong", m.message, m.name) for m in mistakes}

    @_naming(mistakes)
    def check(answer, rng):
        letter, reason = _letter_and_reason(answer)
        if letter is None or not _is_reason(reason):
            return Verdict("not started", "Give a letter and, in a sentence, your reason: `\"b\", \"because ...\"`. "
                                          "A prediction teaches only if it had a reason.")
        if letter == right:
            return Verdict("right")
        offered = ", ".join(sorted({right, *feedback}))
        return feedback.get(letter, Verdict("wrong", f"There is no answer `{letter}`: choose one of {offered}."))
    return check


def _letter_and_reason(answer):
    if isinstance(answer, str):
        answer = re.split(r"(?<=^\w)[^\w\s]\W*", answer.strip(), maxsplit=1)     # "b, because ...", but not "A tree ..."
    letter, reason = [*answer, None, None][:2] if isinstance(answer, list) else (answer, None)
    if not isinstance(letter, str) or not letter.strip():
        return None, reason
    return letter.strip(" ().:'\"").lower()[:1], reason


def _is_reason(reason):
    return isinstance(reason, str) and len(reason.split()) >= 3


def value(right, *mistakes, unit="", tolerance=0.0051):
    """A check for a number, or for several in a list or dictionary; the right value is never shown.

    right : the value; a dictionary may be answered by a list in its order
    mistakes : Mistakes whose `leads_to` is the value they lead to
    unit : if the answer comes as (number, unit) or as "10 minutes", the unit must be this one; a tuple lists other spellings
    tolerance : how far off a rounded answer may be, relative for values above 1
    """
    units = unit if isinstance(unit, tuple) else (unit,)

    @_naming(mistakes)
    def check(answer, rng):
        answer, given = _without_unit(answer)
        if given and _unit_word(given) not in map(_unit_word, units):
            return Verdict("wrong", f"The question asks for {units[0] or 'a number without unit'}.", "wrong unit", yours=given)
        if same(answer, right, tolerance):
            return Verdict("right")
        known = next((m for m in mistakes if same(answer, m.leads_to, tolerance)), None)
        message = known.message if known else _not_this_value(answer, right)
        return Verdict("wrong", message, known.name if known else "", yours=show(answer))
    return check


def _entries_too_many(answer, right):
    """The names in an answer, zeros apart, that the right dictionary does not have -> list."""
    if not (isinstance(answer, dict) and isinstance(right, dict)):
        return []
    return [k for k, v in answer.items() if v and not any(same({k: 1}, {r: 1}) for r in right)]


def _without_unit(answer):
    """An answer and its unit, from (10, "minutes") or "10 minutes" -> (answer, "minutes"); the unit is "" if there is none."""
    words = re.fullmatch(r"\s*([-+.\d]+(?:e[-+]?\d+)?)\s+([^\W\d].*)", answer) if isinstance(answer, str) else None
    pair = [*words.groups()] if words else answer
    has = isinstance(pair, list) and len(pair) == 2 and number(pair[0]) is not None and isinstance(pair[1], str)
    return pair if has and number(pair[1]) is None else (answer, "")


def _unit_word(unit):
    """A unit in one spelling: small letters, singular."""
    return "".join(unit.lower().split()).rstrip(".").removesuffix("s")


def _not_this_value(answer, right):
    """What to say to a value that is no known mistake -> str."""
    several = isinstance(right, dict | list | tuple)
    if isinstance(answer, list) and not several and len(answer) == 2:
        return "Python reads a decimal comma as two numbers: write a decimal point."
    if several and isinstance(answer, dict) and any(v is None for v in answer.values()):
        return f"Still to be filled in: {', '.join(k for k, v in answer.items() if v is None)}."
    if several:
        extra = _entries_too_many(answer, right)
        if extra:
            return f"There is no entry `{extra[0]}`: the entries are {', '.join(right)}."
        names = f" for {', '.join(right)}" if isinstance(right, dict) else ""
        return f"Not all of these {len(right)} values{names} are right."
    return "That is not the value." if number(answer) is not None else "The question asks for a number."


def function(cases, right, *mistakes, tolerance=1e-6, planted=None):
    """A check for a function: on every case it must return what the definition returns.

    cases : rng -> list of argument tuples, the smallest first: the first one that fails is shown
    right : the definition by brute force; it may return OneOf where several answers are right
    mistakes : Mistakes whose `leads_to` is the mistaken function; one is named if it agrees on all the cases
    planted : for a bug hunt, the function as it was handed out: not started while the answer still behaves like it

    Arguments are handed over as given, then as lists, then as pandas objects: any of these styles will do.
    """
    @_naming(mistakes)
    def check(answer, rng):
        if not callable(answer):
            return Verdict("wrong", "The question asks for a function: hand over its name, without brackets after it.",
                           yours=show(answer))
        inputs = cases(rng)
        truth = [_quietly(right, case) for case in inputs]
        runs = _runs(answer, inputs, truth, tolerance)
        if runs is None:
            return Verdict("right")
        if any(run.error == "ClosedName" for run in runs):
            return _borrowed(runs)
        return (_untouched(answer, inputs, runs, planted, tolerance)
                or _mistaken(answer, inputs, runs, truth, mistakes, tolerance))
    return check


@dataclass(frozen=True)
class Outcome:
    """What one call came to: a plain value, or the kind of error with its words and traceback."""

    value: object = None
    error: str = ""
    words: str = ""
    trace: str = ""

    def agrees(self, expected, tolerance):
        """Is it the expected value, or an error where an error is expected? -> bool."""
        if isinstance(expected, Outcome):
            return bool(self.error)
        return not self.error and same(self.value, expected, tolerance)


def ask(answer, *arguments):
    """Call an answer on copies of the arguments and take in whatever happens -> Outcome."""
    try:
        return Outcome(plain(_quietly(answer, arguments)))
    except (Exception, SystemExit, ClosedName) as error:
        return Outcome(error=getattr(error, "kind", type(error).__name__), words=str(error), trace=_trace(error))


def _trace(error):
    """The traceback from where the answer's own code begins -> str."""
    frames = error.__traceback__
    while frames and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    return "".join(traceback.format_exception(error.with_traceback(frames)))


def _quietly(function, arguments):
    """The function's value on copies of the arguments; warnings are no error and are not shown."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*copy.deepcopy(arguments))


def _led_to(function, arguments):
    """What one of our own functions leads to: its value as it is (sets stay sets), or an Outcome if it raises."""
    try:
        return _quietly(function, arguments)
    except Exception as error:
        return Outcome(error=type(error).__name__)


def _as_lists(argument):
    return argument.tolist() if isinstance(argument, np.ndarray) else argument


def _as_pandas(argument):
    shape = {1: pd.Series, 2: pd.DataFrame}
    return shape[argument.ndim](argument) if isinstance(argument, np.ndarray) and argument.ndim in shape else argument


STYLES = (lambda argument: argument, _as_lists, _as_pandas)


def _runs(answer, inputs, truth, tolerance):
    """The outcomes to judge a wrong answer by: of the first style that never stumbles -> list, or None if it is right."""
    seen = []
    for style in STYLES:
        runs = [ask(answer, *map(style, case)) for case in inputs]
        if all(run.agrees(t, tolerance) for run, t in zip(runs, truth, strict=True)):
            return None
        seen.append(runs)
    return min(seen, key=lambda runs: sum(bool(run.error) for run in runs))


def _borrowed(runs):
    name = next(run.words for run in runs if run.error == "ClosedName")
    return Verdict("wrong", f"Your function calls `{name}` of the package, which is the answer itself: write it out. "
                            "Once it passes you may import it for ever.", "borrowed")


def _untouched(answer, inputs, runs, planted, tolerance):
    """The verdict "not started" if the function is as it was handed out, else None."""
    name = getattr(answer, "__name__", "the function")
    if all(run.error == "NotImplementedError" or (not run.error and is_blank(run.value)) for run in runs):
        return Verdict("not started", f"`{name}` returns nothing yet: write its body, and end it with `return`.")
    if planted is None:
        return None
    if _behaves_like(planted, inputs, runs, tolerance):
        return Verdict("not started", f"`{name}` still has its bug: it behaves on every input as it was handed out.")
    return None


def _mistaken(answer, inputs, runs, truth, mistakes, tolerance):
    """The verdict "wrong" with the first case that fails and, where all the cases agree with one, the mistake's name."""
    at = next(k for k, (run, t) in enumerate(zip(runs, truth, strict=True)) if not run.agrees(t, tolerance))
    run, on = runs[at], _call(answer, inputs[at])
    known = next((m for m in mistakes if _behaves_like(m.leads_to, inputs, runs, tolerance)), None)
    message, name = (known.message, known.name) if known else (_rounds(runs, truth), "")
    if run.error:
        said = f"On `{on}` your function raised {run.error}: {run.words}"
        return Verdict("wrong", f"{message} {said}".strip(), name, trace=run.trace)
    if run.value is None:
        return Verdict("wrong", f"On `{on}` your function returns nothing: is a `return` missing on some way through it?", name)
    yours, expected = show_apart(run.value, truth[at])
    return Verdict("wrong", message, name, on=on, yours=yours, expected=expected)


def _rounds(runs, truth):
    """What to say to a function whose numbers are nearly right on every case -> str, empty if they are not."""
    near = all(run.agrees(t, 0.0051) for run, t in zip(runs, truth, strict=True))
    return "Close, but not exact: compute it exactly, and do not round." if near else ""


def _behaves_like(function, inputs, runs, tolerance):
    """Did the answer do what this function does, on every case? Stops at the first that differs."""
    return all(run.agrees(_led_to(function, case), tolerance) for run, case in zip(runs, inputs, strict=True))


def _call(answer, case):
    name = getattr(answer, "__name__", "f")
    return f"{name if name.isidentifier() else 'f'}({', '.join(map(show, case))})"


def catches(right, bugs):
    """A check for a test: a function that takes an implementation and raises (or returns False) if it is wrong.

    right : Mistakes whose `leads_to` is a right implementation: named if the test refuses it
    bugs : Mistakes whose `leads_to` is a wrong one: named if the test lets it pass

    Each is tried twice, in an order drawn from rng: a test that counts its calls instead of looking gets nowhere.
    """
    @_naming([*right, *bugs])
    def check(answer, rng):
        if not callable(answer):
            return Verdict("wrong", "The question asks for a test: hand over its name, without brackets after it.",
                           yours=show(answer))
        called, found = [], {one: [] for one in (*right, *bugs)}
        for _ in range(2):
            for k in rng.permutation(len(found)):
                one = [*found][k]
                found[one].append(_trial(answer, one.leads_to, called))
        verdict = next((_refused(one, outcome) for one in right for outcome in found[one] if outcome), None)
        if verdict or not called:
            return verdict or Verdict("not started", "Your test never calls the function it is given: write its body.")
        missed = [bug for bug in bugs if not all(found[bug])]
        if missed:
            caught = f" (Your test catches {len(bugs) - len(missed)} of {len(bugs)} planted bugs.)"
            return Verdict("wrong", missed[0].message + caught, missed[0].name)
        return Verdict("right")
    return check


def _trial(test, implementation, called):
    """Run a test on an implementation, noting its calls -> None if the test passes, else the Outcome that refused it."""
    def watched(*arguments, **options):
        called.append(arguments)
        return implementation(*arguments, **options)
    outcome = ask(lambda: test(watched))
    return outcome if outcome.error or outcome.value is False else None


def _refused(one, outcome):
    """The verdict on a test that refuses a right implementation, or None if it lets it pass."""
    if outcome is None:
        return None
    said = f" It raised {outcome.error}: {outcome.words}".rstrip(": ") + "." if outcome.error else " It returned False."
    return Verdict("wrong", one.message + said, one.name, trace=outcome.trace)


def by_hand(answer, rng):
    """The check of prose: it says only whether anything was written, since a person reads it."""
    if not isinstance(answer, str) or len(answer.replace(TEXT_STUB, "").split()) < 5:
        return Verdict("not started", "Nothing is written yet: a few sentences will do.")
    return Verdict("by hand", "Written. A person will read and grade it.")


by_hand.names = frozenset()
