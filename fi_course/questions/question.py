"""A question and its judgement: right, not started, or which mistake.

`judge` is pure and is what the grader calls; `Q(id)` is the student's handle on the same judgement.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache

import numpy as np

from fi_course.questions.blocked_calls import blocked
from fi_course.questions.cards import Card
from fi_course.questions.cell_runs import has_front_end, is_saved, run_of_answer, watch
from fi_course.questions.plain_values import is_blank, normalise
from fi_course.questions.playground import play
from fi_course.questions.reference_solution import reference
from fi_course.questions.time_limit import alarm
from fi_course.questions.verdict import Verdict

PUBLIC_SEED = 20230511
"""A student's own check draws its inputs from this seed; a grader's from FI_TEACH_SEED."""

KINDS = ("predict", "number", "implement", "mend", "test", "claim", "explain")
DRAWS_INPUTS = ("implement", "mend", "test")
"""Kinds of question whose check draws inputs: a grader runs it again with a seed of its own."""
NEVER_GAVE = "{}. It gave no answer: mend it, run it, and then this check."
UNSAVED = ("The saved notebook holds another text of this answer: if you have changed the cell, "
           "run it again; then save (Ctrl+S).")
QUESTIONS: dict[str, "Question"] = {}
"""All questions by id, in the order of the chapters."""


@dataclass(frozen=True)
class Question:
    """One exercise: its points, its hints, and the check of its answers.

    id : "chapter.name", as in "trees.decrease"
    kind : one of KINDS
    stars, minutes, points : difficulty 1 to 3, time it takes a student, worth (0: optional)
    hints : from a nudge to nearly there
    check : (answer, rng) -> Verdict; see fi_course.questions.checks for the ready-made ones
    meaning : what the right answer means, told to those who found it
    blocked : dotted names of the package functions (or modules) whose call is a mistake
    rubric : for what is graded by hand, (points, what earns them) pairs
    seconds : the longest an answer may take
    notebook : the exercise set it belongs to, filled in from the name of the module that defines it
    """

    id: str
    title: str
    kind: str
    stars: int
    minutes: int
    points: int
    hints: tuple
    check: Callable = field(repr=False)
    meaning: str = ""
    blocked: tuple = ()
    rubric: tuple = ()
    seconds: float = 10
    notebook: str = ""

    @property
    def heading(self):
        """Return title, stars, minutes and points in one line, as notebooks print them -> str."""
        points = f"{self.points} point{'s' * (self.points > 1)}" if self.points else "optional"
        return (f"{self.title} {'★' * self.stars}{'☆' * (3 - self.stars)} ({self.minutes} min, "
                f"{points})")


def judge(question, answer, rng=None):
    """Judge an answer -> Verdict.

    Pure: the same answer and rng give the same verdict, nothing is shown or raised.

    answer : a value, or a function (or a handle on one in another process:
        anything that can be called)
    rng : seed of the inputs; None is the public one

    Close the question's names (`blocked(question.blocked)`) in the process where the answer runs.
    """
    rng = np.random.default_rng(PUBLIC_SEED if rng is None else rng)
    if not callable(answer):
        try:
            answer = normalise(answer)
        except ValueError as error:
            return Verdict("wrong", f"Your answer cannot be read: {error}", "not an answer")
    if is_blank(answer):
        return Verdict("not started", "Nothing is filled in yet.")
    verdict = question.check(answer, rng)
    return (replace(verdict, meaning=verdict.meaning or question.meaning)
            if verdict.status == "right" else verdict)


class CheckFailed(Exception):
    """Raised by a check for an answer that is not right (yet); its text replaces the traceback."""

    def _render_traceback_(self):
        return [str(self)]


class TookTooLong(BaseException):
    """The time of a question is over. It is no Exception: `except Exception` cannot hide it."""


@dataclass
class Handle:
    """What a student calls on a question: `check`, `hint`, `solution` and `traceback`."""

    question: Question
    hints_given: int = 0
    last: Verdict | None = None

    def check(self, answer, *, rng=None):
        """Judge the answer and show what was found -> Card.

        Raises CheckFailed unless it is right, where nobody looks on: nbgrader and nbval need that.
        """
        run = run_of_answer(self.question.id)
        self.last = Verdict("wrong", NEVER_GAVE.format(run.stopped)) if run and not run.gave else (
            self._verdict(answer, rng))
        print(self.last.printed, end="")
        card = card_of(self.question, self.last, is_saved(run), reference(self.question))
        if card.tone in ("wrong", "not started") and not has_front_end():
            raise CheckFailed(repr(card)) from None
        return card

    def feedback(self, answer):
        """Return what `check` would show as data, for pages with their own cards -> dict of str.

        status, title, message (with the counterexample, or what a right answer means), trace
        """
        found = self.last = self._verdict(answer)
        print(found.printed, end="")
        title = card_of(self.question, found).title.removesuffix(f" ({self.question.id})")
        message = found.meaning if found.status == "right" else found.text
        return {"status": found.status, "title": title if title.endswith(".") else f"{title}.",
                "message": message, "trace": found.trace}

    def _verdict(self, answer, rng=None):
        seconds = self.question.seconds
        try:
            with blocked(self.question.blocked), alarm(seconds, TookTooLong()):
                return judge(self.question, answer, rng)
        except TookTooLong:
            return Verdict("wrong", f"Your answer took longer than {seconds:g} s, and was stopped. "
                           "Is there a loop that never ends?", "ran too long")

    def check_hidden(self, answer):
        """Check on other inputs, drawn from FI_TEACH_SEED or, without it, at random -> Card."""
        seed = os.environ.get("FI_TEACH_SEED")
        return self.check(answer, rng=np.random.default_rng(None if seed is None else int(seed)))

    def hint(self):
        """Show the next hint, one at a time; after the last it stays -> Card."""
        hints = self.question.hints
        self.hints_given = min(self.hints_given + 1, len(hints))
        last = " That is the last one." if self.hints_given == len(hints) else ""
        return Card(f"Hint {self.hints_given} of {len(hints)} for {self.question.id}",
                    (hints[self.hints_given - 1] + last,))

    def play(self, function, picture, **sliders):
        """Show sliders that move a picture of one's own right function -> a widget, or a Card.

        See `playground`.
        """
        return play(self.question.id, function, self._verdict(function), picture, sliders)

    def solution(self):
        """Show the reference solution and its reason, if the solutions are installed -> Card."""
        found = reference(self.question)
        if found is None:
            return Card("No solution here", ("Your instructor has kept the solutions. Hints: "
                                             f"`Q({self.question.id!r}).hint()`",))
        return Card(f"One right answer to {self.question.id}", listing=found)

    def traceback(self):
        """Show where your function raised an error in the last check -> Card."""
        trace = self.last.trace if self.last else ""
        return Card("Traceback of your function" if trace
                    else "No traceback: your function has not stumbled", listing=trace)

    def __repr__(self):
        return f"{self.question.id}: {self.question.heading}"


def card_of(question, verdict, saved=True, solution=None):
    """Return the card that shows a verdict to a student -> Card.

    saved : whether the saved notebook holds this answer; solution : one, if it may be shown
    """
    if verdict.status == "right":
        drawn = question.kind in DRAWS_INPUTS
        tried = " on all the inputs tried here; a grader draws others" if drawn else ""
        return Card(f"Right{tried}.", (verdict.meaning, "" if saved else UNSAVED), tone="right")
    if verdict.status == "by hand":
        return Card(verdict.message, tone="by hand")
    title = _title_of(verdict)
    calls = [f"Where it happened: `Q({question.id!r}).traceback()`"] * bool(verdict.trace)
    folded = [("Where it happened", verdict.trace)] * bool(verdict.trace)
    folded += [("Hint", *question.hints), *[("One right answer", solution)] * bool(solution)]
    return Card(f"{title} ({question.id})", (verdict.message, verdict.counterexample),
                tone=verdict.status, folded=tuple(folded),
                calls=(*calls, f"Stuck? `Q({question.id!r}).hint()`"))


def _title_of(verdict):
    if verdict.status == "not started":
        return f"Not started, or {verdict.mistake}" if verdict.mistake else "Not started"
    return f"Not yet: {verdict.mistake}" if verdict.mistake else "Not yet"


@cache
def Q(id):
    """Return the handle of the question with that id -> Handle.

    Raises ValueError for an unknown id, with the nearest ones.
    """
    if id not in QUESTIONS:
        near = get_close_matches(str(id), QUESTIONS, n=3, cutoff=0.4) or list(QUESTIONS)[:3]
        raise ValueError(
            f"no question has the id {id!r}: did you mean {' or '.join(map(repr, near))}?")
    return Handle(QUESTIONS[id])


watch()
