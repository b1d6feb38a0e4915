"""Judge one notebook: run its cells in a student process, and check each answer.

A cell or an answer that ends the process, or takes too long, costs its question: a fresh process
runs the others again.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fi_course.questions import QUESTIONS, Verdict, judge
from fi_course.questions.time_limit import alarm
from fi_grader.escaping import without_places
from fi_grader.installed import files_of
from fi_grader.judging import student as remote
from fi_grader.notebooks.matching import align
from fi_grader.sandbox.inside import protocol as messages
from fi_grader.submissions.reading import notebook_of

SECONDS_TO_READ = 10
SECONDS_OF_OTHER_CELLS = 30
SECONDS_IN_ALL = 600  # no notebook is worked on for longer than this, whatever is in it
MOST_RESTARTS = 40
MOST_NOTES = 100  # no notebook's student process tells more of its doings than this
CAUSES = {"time": "ran too long", "memory": "ran out of memory", "ended": "ended its process",
          "garbled": "sent garbage"}
INCONSISTENT = "answer changes between calls"
BORROWED = "right only with the package's answer at hand"
NEEDS_REVIEW = ("overwrote", "reached for", "points edited", "metadata edited", *CAUSES.values(),
                "check failed", "left threads", "text edited", "no notebook", "nothing handed in",
                "given up", "cells unreadable", "prose cut", INCONSISTENT, BORROWED,
                "since it was marked", "marked twice")
"""Flags that begin like this want a person's eye."""


@dataclass
class GradingRun:
    """What has been found so far about one notebook.

    lacked : has a cell failed, or anything called what was hidden from it?
    """

    assignment: object
    plan: object
    seed: int
    limit: float | None = None
    tell: Callable = print
    verdicts: dict = field(default_factory=dict)
    errors: dict = field(default_factory=dict)
    traces: dict = field(default_factory=dict)
    skipped: set = field(default_factory=set)
    lost: tuple = ()
    lacked: bool = False
    n_notes: int = 0

    def allowed(self, question):
        """Return the seconds that a step of this question may take; "" belongs to no question."""
        seconds = QUESTIONS[question].seconds if question else SECONDS_OF_OTHER_CELLS
        return seconds if self.limit is None else min(self.limit, seconds)

    def leave_to_a_person(self, question, why):
        """Record that the check of a question failed -> Verdict."""
        self.plan.flag(question, f"check failed: {why}")
        self.verdicts[question] = Verdict(
            "wrong", "The check could not read this answer; a person will look at it.")
        return self.verdicts[question]


def grade(assignment, content, server, *, seed, limit=None, lost=(), tell=lambda *step: None):
    """Grade the bytes of a notebook -> record without names.

    seed : what checks draw their inputs from
    limit : the longest anything may take, in seconds, where a question allows more
    lost : questions whose answers have ended a judge before this one
    tell : is called with each step's question and the seconds that it may take

    Raises ValueError if the content is no notebook.
    """
    plan = bounded(plan_of, assignment, content)
    run = GradingRun(assignment, plan, seed, limit, tell, lost=lost)
    for question in lost:
        run.leave_to_a_person(question, "it ended the judge")
    for question in assignment.questions:
        if question not in assignment.expressions:
            prose = plan.answers.get(question, "")
            run.verdicts[question] = judge(QUESTIONS[question], prose, seed)
    _run_plan(run, server)
    return record_of(run)


def bounded(work, *arguments):
    """Run some work on a notebook. Raises ValueError if it takes too long or too much memory."""
    slow = ValueError(f"reading it takes longer than {SECONDS_TO_READ} s: clear its outputs.")
    try:
        with alarm(SECONDS_TO_READ, slow):
            return work(*arguments)
    except (MemoryError, RecursionError):
        raise ValueError("reading it takes more memory than there is: clear its outputs.") from None


def plan_of(assignment, content):
    """Plan the grading of a notebook's bytes -> Plan. Raises ValueError if they are no notebook."""
    cells, metadata, flags = notebook_of(content)
    plan = align(assignment, cells, metadata)
    plan.whole += flags
    return plan


def _run_plan(run, server):
    """Run a notebook without the package's answers, and again with them where they were missed.

    The first student process holds no body and no source of a function that answers one of the
    set's questions, so that what is right there is the student's own, whatever the code tries. If
    it lacked them and something is wrong, the cells run once more with all of the package: what is
    right only then keeps its points, and a person looks.
    """
    end = time.monotonic() + SECONDS_IN_ALL
    names = sorted({name for q in run.assignment.questions for name in QUESTIONS[q].blocked})
    _run_in_processes(run, server, {"names": names, "files": files_of(tuple(names))}, end)
    first = run.verdicts
    if names and run.lacked and any(v.status not in ("right", "by hand") for v in first.values()):
        run.verdicts = {question: verdict for question, verdict in first.items()
                        if question in run.lost or question not in run.assignment.expressions}
        run.errors, run.traces, run.skipped = {}, {}, set()
        _run_in_processes(run, server, messages.NOTHING_HIDDEN, end)
        for question in (q for q in first if QUESTIONS[q].blocked):
            if first[question].status == "right" or first[question].mistake == "borrowed":
                run.verdicts[question] = first[question]
            elif run.verdicts[question].status == "right":
                run.plan.flag(question, BORROWED)


def _run_in_processes(run, server, hidden, end):
    """Follow the plan in as many processes as it takes: a step that ends one is skipped next."""
    for _ in range(MOST_RESTARTS):
        student = remote.StudentProcess(server, hidden)
        failed = _run_steps(run, student, end)
        memory = student.end()
        if failed is None:
            return
        number, step, death = failed
        why = CAUSES["memory" if memory else death.why]
        if step.verb == "run":
            run.skipped.add(number)
        if step.question:
            words = "used more memory than there is" if memory else str(death)
            run.verdicts[step.question] = Verdict("wrong", f"Your answer {words}.", why)
            run.plan.flag(step.question, why)
        else:
            run.plan.whole.append(f"{step.name} {why}")
        if time.monotonic() > end:
            break
    run.plan.whole.append("given up: it ended or blocked too many processes")


def _run_steps(run, student, end):
    """Run the plan in one process -> None, or (step's number, Step, remote.StudentProcessDied)."""
    steps = [(n, step) for n, step in enumerate(run.plan.steps) if n not in run.skipped]
    again = [(-1, step) for n, step in steps if step.verb == "judge"]
    for number, step in steps + again:
        seconds = max(0.01, min(run.allowed(step.question), end - time.monotonic()))
        run.tell(step.question, seconds)
        try:
            with student.within(seconds):
                if step.verb == "run":
                    _run_cell(run, student, step)
                else:
                    _judge_question(run, student, step.question, last=number < 0)
        except remote.StudentProcessDied as death:
            return number, step, death
        except Exception as error:
            return number, step, remote.StudentProcessDied("garbled", f"cannot be read: {error}")
        finally:
            _add_flags(run, student, step)
    return None


def _run_cell(run, student, step):
    reply = student.ask("run", step.source, step.name)
    if "error" in reply:
        run.lacked = True
        try:
            student.decoded({"error": reply["error"]})
        except remote.RemoteError as error:
            if step.question:
                run.errors[step.question] = f"Your cell stopped with {error.kind}: {error}"
                run.traces[step.question] = student.trace


def _judge_question(run, student, question, last):
    """Ask for an answer and judge it; it is "missing" if the name is not defined."""
    before = run.verdicts.get(question)
    if before and not (last and before.status in ("not started", "missing")):
        return
    student.trace = ""
    try:
        answer = student.value(run.assignment.expressions[question])
        found = _judged(run, student, question, answer)
        run.traces[question] = student.trace if found.status == "wrong" else ""
    except remote.Unreadable as error:
        found = Verdict("wrong", f"Your answer cannot be read: {error}", "not an answer")
    except remote.RemoteError as error:
        found = Verdict("missing", f"There is no answer: {error.kind}: {error}")
    if before is None or found.status in ("right", "wrong"):
        run.verdicts[question] = found


def _judged(run, student, question, answer):
    """Judge an answer -> Verdict. Of a function the first values count; others are flagged.

    One that answers lists otherwise than arrays and is wrong for both has made an honest mistake:
    it is called by its name.
    """
    def judged(answer):
        return judge(QUESTIONS[question], answer, np.random.default_rng(run.seed))
    student.blocks = list(QUESTIONS[question].blocked)
    try:
        verdict = judged(answer)
        if not isinstance(answer, remote.RemoteFunction):
            return verdict
        has_time = student.spent() < run.allowed(question) / 4
        if has_time and (answer.differs or verdict.status == "right"):
            answer.call_again()
        if answer.differs and verdict.status != "right":
            unbound = judged(answer.as_recorded())
            answer.is_inconsistent |= unbound.status == "right"
            verdict = verdict if unbound.status == "right" else unbound
        if answer.is_inconsistent:
            run.plan.flag(question, INCONSISTENT)
        return verdict
    except Exception as error:
        return run.leave_to_a_person(question, type(error).__name__)


def _add_flags(run, student, step):
    """Turn the notes of the student process into flags."""
    for word in student.notes:
        known = run.plan.flags.setdefault(step.question, []) if step.question else run.plan.whole
        if word not in known and run.n_notes <= MOST_NOTES:
            run.n_notes += 1
            known.append(word
                         if run.n_notes <= MOST_NOTES else "reached for more than is told here")
    student.notes = []
    run.lacked |= student.was_blocked


def record_of(run):
    """Return what is stored of a notebook -> dict of plain data."""
    rows = [_row(run, question) for question in run.assignment.questions]
    return {"flags": run.plan.whole, "rows": rows, "written": run.plan.written,
            "answers": run.plan.answers}


def _row(run, question):
    verdict = run.verdicts.get(question) or Verdict("wrong", "It was not reached.", "")
    error, status, message = run.errors.get(question, ""), verdict.status, verdict.text
    if status == "missing" and question in run.plan.untouched:
        status, message = "not started", "Nothing is filled in yet."
    elif status in ("missing", "not started") and error:
        status, message = "wrong", error
    elif status == "missing":
        status, message = "not started", verdict.message
    elif status == "wrong":
        message = f"{error} {message}".strip()
    points = {"right": QUESTIONS[question].points, "by hand": None}.get(status, 0)
    return {**_blank_row(question, status, message), "points": points,
            "mistake": verdict.mistake, "trace": without_places(run.traces.get(question, "")),
            "flags": run.plan.flags.get(question, [])}


def _blank_row(question, status, message):
    return {"question": question, "status": status, "points": 0, "mistake": "", "trace": "",
            "max_points": QUESTIONS[question].points, "message": without_places(message)[:2000],
            "flags": []}


def blank_record(assignment, flag, problem):
    """Build the record of a submission that could not be graded: no points, one flag."""
    return {"flags": [flag], "rows": [
        _blank_row(question, "not graded", f"Nothing was graded: {problem}")
        for question in assignment.questions]}


def reasons_to_review(record):
    """List why a person should look at this record -> list of str."""
    flags = [("", flag) for flag in record["flags"]]
    flags += [(row["question"], flag) for row in record["rows"] for flag in row["flags"]]
    return [f"{question}: {flag}" if question else flag for question, flag in flags
            if any(held in flag for held in NEEDS_REVIEW)]
