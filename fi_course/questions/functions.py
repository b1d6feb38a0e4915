"""Judge a function by its outputs on test cases, and a test by the implementations it rejects.

`Function` calls the definitions to know that; its counterpart in
`fi_course.questions.specification` has it in writing.
"""

import copy
import io
import traceback
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fi_course.questions.blocked_calls import BlockedCall
from fi_course.questions.compare_values import same
from fi_course.questions.plain_values import is_blank, normalise, show, show_apart
from fi_course.questions.verdict import Verdict

HANDED_OUT = "the bug is still there"
ARRAYS_ONLY = "right for arrays only"
PRINTS = "prints, but does not return"
CHANGES = "changes its input"
DIFFERS = "another answer each time"
MOST_PRINTED = 1000
"""What a call prints beyond so many characters is cut."""


@dataclass(frozen=True)
class Outcome:
    """The result of one call: a plain value, or an error's type, message and traceback.

    `printed` is what the call has written to its output.
    """

    value: object = None
    error: str = ""
    words: str = ""
    trace: str = ""
    printed: str = ""

    def agrees(self, expected, tolerance):
        """Return whether it is the expected value, or an error if one is expected -> bool."""
        if isinstance(expected, Outcome):
            return bool(self.error)
        return not self.error and same(self.value, expected, tolerance)


@dataclass(frozen=True)
class TestCases:
    """The inputs and expected outputs by which a function is judged.

    inputs : tuples of arguments, the smallest first
    expected : what the definition gives for each
    mistakes : what people do; `output(k)` is its value on case k, or an Outcome if it raises
    planted : the same of the function as it was handed out, or None
    lists : whether it must be right for plain lists, as the text of the question calls it
    """

    inputs: list
    expected: list
    mistakes: tuple
    planted: Callable | None
    tolerance: float
    lists: bool


@dataclass(frozen=True)
class Function:
    """The check of a function against a brute-force definition, made by `checks.function`."""

    cases: Callable
    right: Callable
    mistakes: tuple
    tolerance: float
    planted: Callable | None
    lists: bool

    @property
    def names(self):
        return frozenset(m.name for m in self.mistakes) | ({ARRAYS_ONLY} if self.lists else set())

    def drawn(self, rng):
        """Draw the cases with this rng -> TestCases; what mistakes give is computed when asked."""
        inputs = self.cases(rng)

        def output(function):
            return lambda k: output_of(function, inputs[k])

        mistakes = tuple(replace(m, output=output(m.output)) for m in self.mistakes)
        return TestCases(inputs, [quietly(self.right, case) for case in inputs], mistakes,
                         self.planted and output(self.planted), self.tolerance, self.lists)

    def __call__(self, answer, rng):
        return judge_function(self.drawn(rng), answer)


def judge_function(cases, answer):
    """Judge a function on these cases -> Verdict."""
    if not callable(answer):
        return Verdict("wrong",
                       "The question asks for a function: "
                       "hand over its name, without brackets after it.", yours=show(answer))
    by_style, right = _runs(answer, cases)
    if right and (len(by_style) == 1 or not cases.lists):
        return Verdict("right", printed=by_style[-1][0].printed)
    runs = min(by_style, key=lambda runs: sum(bool(run.error) for run in runs))
    if any(run.error == "BlockedCall" for run in runs):
        return _borrowed(runs)
    if right:
        return _right_but_for_lists(answer, cases, by_style[0])
    return _untouched(answer, runs, cases) or _mistaken(answer, runs, cases)


def ask(answer, *arguments):
    """Call an answer on copies of the arguments and catch what it raises and prints -> Outcome.

    A function in another process says itself what it has `printed`.
    """
    with redirect_stdout(io.StringIO()) as output:
        try:
            found = Outcome(normalise(quietly(answer, arguments)))
        except (Exception, SystemExit, BlockedCall) as error:
            found = Outcome(error=getattr(error, "kind", type(error).__name__), words=str(error),
                            trace=_trace(error))
    printed = output.getvalue() or getattr(answer, "printed", "")
    cut = f"{printed[:MOST_PRINTED]}...\n"
    return replace(found, printed=printed if len(printed) <= MOST_PRINTED else cut)


def _trace(error):
    """Return the traceback from the first frame of the answer's own code -> str."""
    frames = error.__traceback__
    while frames and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    return "".join(traceback.format_exception(error.with_traceback(frames)))


def quietly(function, arguments):
    """Call a function on copies of the arguments, with warnings suppressed."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*copy.deepcopy(arguments))


def output_of(function, arguments):
    """Return what a function of ours returns (sets stay sets), or an Outcome if it raises."""
    try:
        return quietly(function, arguments)
    except Exception as error:
        return Outcome(error=type(error).__name__)


def as_lists(argument):
    """Convert an argument to the form used in the text of a question: arrays become lists."""
    return argument.tolist() if isinstance(argument, np.ndarray) else argument


def _as_pandas(argument):
    shape = {1: pd.Series, 2: pd.DataFrame}
    return (shape[argument.ndim](argument) if isinstance(argument, np.ndarray)
            and argument.ndim in shape else argument)


def _as_they_are(argument):
    return argument


STYLES = {True: (as_lists, _as_they_are, _as_pandas), False: (_as_they_are, as_lists, _as_pandas)}
"""Arguments are handed over as the text of the question calls the function (with lists, or not),
then in the other ways: a function that is right in one of these ways is right, unless the text
calls it with lists; then it must be right for these."""


def _runs(answer, cases):
    """Run the cases in one style of arguments after the other, until all of them are right.

    Returns (the outcomes of each style tried, whether the last are right).
    """
    seen = []
    for style in STYLES[cases.lists]:
        seen.append([ask(answer, *map(style, case)) for case in cases.inputs])
        pairs = zip(seen[-1], cases.expected, strict=True)
        if all(run.agrees(expected, cases.tolerance) for run, expected in pairs):
            return seen, True
    return seen, False


def _borrowed(runs):
    name = next(run.words for run in runs if run.error == "BlockedCall")
    return Verdict("wrong",
                   f"Your function calls `{name}` of the package, which is the answer itself: "
                   "write it out. Once it passes you may import it for ever.", "borrowed")


def _right_but_for_lists(answer, cases, runs):
    """Return the verdict on a function that is right for arrays but not for lists."""
    return _wrong(answer, runs, cases,
                  "With arrays your function is right. "
                  "With plain lists, as the text calls it, it is not: "
                  "a list joins where an array adds. `np.asarray(...)` makes an array of either.",
                  ARRAYS_ONLY)


def _untouched(answer, runs, cases):
    """Return "not started" for an empty or unchanged function, else None."""
    name = getattr(answer, "__name__", "the function")
    if all(map(_is_nothing, runs)) and any(run.printed for run in runs):
        return Verdict("wrong", f"`{name}` prints, but does not return: "
                       "write `return` where it says `print`.", PRINTS, printed=runs[0].printed)
    if all(run.error == "NotImplementedError" or _is_nothing(run) for run in runs):
        return Verdict("not started",
                       f"`{name}` returns nothing yet: write its body, and end it with `return`.",
                       printed=runs[0].printed)
    if cases.planted and _behaves_like(cases.planted, runs, cases.tolerance):
        return Verdict("not started",
                       f"`{name}` gives on every input what it gave as it was handed out: "
                       "if you have changed it, the change makes no difference.", HANDED_OUT,
                       printed=runs[0].printed)
    return None


def _is_nothing(run):
    return not run.error and is_blank(run.value)


def _mistaken(answer, runs, cases):
    """Return "wrong" with the first failing case and the mistake that matches all cases."""
    known = next((mistake for mistake in cases.mistakes
                  if _behaves_like(mistake.output, runs, cases.tolerance)), None)
    habits = (_habit(answer, case) for case in cases.inputs)
    message, name = ((known.message, known.name) if known else
                     next(filter(None, habits), None) or (_rounds(runs, cases.expected), ""))
    return _wrong(answer, runs, cases, message, name)


def _habit(answer, case):
    """Call a function twice -> (message, name) if it changes its arguments or its mind, or None."""
    given = copy.deepcopy(case)
    once, again = ask(lambda *_: answer(*given)), ask(answer, *case)
    places = [k for k, one in enumerate(case) if not callable(one) and repr(one) != repr(given[k])]
    if places or getattr(answer, "changed", False):
        return ("Your function changes what it is given, and so what it sees later: work on a "
                "copy, as in `X.copy()`. A slice such as `X[:, 0]` is no copy."), CHANGES
    if repr(once.value) != repr(again.value) or getattr(answer, "is_inconsistent", False):
        return "Asked twice, your function gives two answers: the question asks for one.", DIFFERS
    return None


def _wrong(answer, runs, cases, message, name):
    """Return "wrong" with this message and name, and the first failing case."""
    at = next(k for k, (run, t) in enumerate(zip(runs, cases.expected, strict=True))
              if not run.agrees(t, cases.tolerance))
    run, on = runs[at], _call(answer, map(as_lists, cases.inputs[at]))
    verdict = Verdict("wrong", message, name, printed=run.printed)
    if run.error:
        said = f"On `{on}` your function raised {run.error}: {run.words}"
        return replace(verdict, message=f"{message} {said}".strip(), trace=run.trace)
    if run.value is None:
        return replace(verdict, message=f"On `{on}` your function returns nothing: "
                       "is a `return` missing on some way through it?")
    yours, expected = show_apart(run.value, cases.expected[at])
    return replace(verdict, on=on, yours=yours, expected=expected)


def _rounds(runs, expected):
    """Return a hint for numbers that are nearly right on every case, else ""."""
    close = all(run.agrees(t, 0.0051) for run, t in zip(runs, expected, strict=True))
    return "Close, but not exact: compute it exactly, and do not round." if close else ""


def _behaves_like(output, runs, tolerance):
    """Return whether the answer has this output on every case; stops at the first difference."""
    return all(run.agrees(output(k), tolerance) for k, run in enumerate(runs))


def _call(answer, case):
    name = getattr(answer, "__name__", "f")
    return f"{name if name.isidentifier() else 'f'}({', '.join(map(written, case))})"


def written(argument):
    """Format an argument as Python code, cut after 300 characters -> str."""
    text = _nested(argument)
    return text if len(text) <= 300 else text[:297] + "..."


def _nested(argument):
    if isinstance(argument, tuple | list):
        inner = ", ".join(map(_nested, argument))
        comma = "," * (len(argument) == 1)
        return f"({inner}{comma})" if isinstance(argument, tuple) else f"[{inner}]"
    return show(argument)


# A test, judged by the implementations it is tried on.


@dataclass(frozen=True)
class Catches:
    """The check of a test: the implementations it must accept, and those it must reject."""

    right: tuple
    bugs: tuple

    @property
    def names(self):
        return frozenset(m.name for m in (*self.right, *self.bugs)) | {RETURNED}

    def __call__(self, answer, rng):
        return judge_test(self, answer, rng)


RETURNED = "returns what it should assert"


def judge_test(asked, answer, rng):
    """Judge a test -> Verdict. Each implementation is tried twice, in random order.

    Of several for one name only the first is tried again.
    """
    if not callable(answer):
        return Verdict("wrong",
                       "The question asks for a test: hand over its name, "
                       "without brackets after it.", yours=show(answer))
    called, found = [], {one: [] for one in (*asked.right, *asked.bugs)}
    for again in (False, True):
        for k in rng.permutation(len(found)):
            one = [*found][k]
            several = one.output if isinstance(one.output, tuple) else (one.output,)
            found[one] += [_trial(answer, each, called) for each in several[: 1 if again else None]]
    verdict = _of_trials(asked, found) if called else Verdict(
        "not started", "Your test never calls the function it is given: write its body.")
    return replace(verdict, printed=verdict.printed or found[asked.right[0]][0].printed)


def _trial(test, implementation, called):
    """Run a test on an implementation and record its calls -> Outcome; an error is a rejection."""

    def watched(*arguments, **options):
        called.append(arguments)
        return implementation(*arguments, **options)

    return ask(lambda: test(watched))


def _of_trials(asked, found):
    """Judge a test by its outcomes on each implementation -> Verdict."""
    for one in asked.right:
        for outcome in found[one]:
            if outcome.error:
                said = f" It raised {outcome.error}: {outcome.words}".rstrip(": ") + "."
                return Verdict("wrong", one.message + said, one.name, trace=outcome.trace,
                               printed=outcome.printed)
    if any(outcome.value is False for outcomes in found.values() for outcome in outcomes):
        return Verdict("wrong", "Your test returns True or False, and nobody looks at what a test "
                       "returns: write `assert` in front of what must be true.", RETURNED)
    missed = [bug for bug in asked.bugs if not all(outcome.error for outcome in found[bug])]
    if missed:
        planted, caught = len(asked.bugs), len(asked.bugs) - len(missed)
        caught = f" (Your test catches {caught} of {planted} planted bugs.)"
        return Verdict("wrong", missed[0].message + caught, missed[0].name)
    return Verdict("right")
