"""What crosses between judge and student process: every kind of value as it was, and nothing that harms the judge."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from copy import deepcopy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parent / "submissions"))
from corpus import read
from mutants import spoiled_bytes, spoiled_tree

from fi_course.questions.compare_values import same
from fi_course.questions.plain_values import show
from fi_grader.judging import worker
from fi_grader.judging.judge import reasons_to_review
from fi_grader.judging.student import RemoteError, RemoteFunction, StudentProcess, StudentProcessDied, Unreadable
from fi_grader.sandbox.inside import protocol as messages
from notebooks import ROOT, filled, lay_course, to_bytes

VALUES = [
    None, True, 3, 2.5, "ä", [1, [2]], (1, (2,)), {"a": (1,), 2: None}, {1, 2}, ..., range(3),
    np.arange(6).reshape(2, 3), np.array(["x", "yz"]), np.array([True, False]), np.array([1 + 2j]),
    np.array([1, "x", None, [2, 3]], object), np.float64(0.5), np.int8(3), np.array(2.5), np.zeros((0, 3)),
    pd.Series([1.5, 2.5], index=["a", "b"], name="n"), pd.Series(["x", "y"]),
    pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), pd.DataFrame([[1.0, 2.0]], index=["r"])]
GENERATORS = ("PCG64", "PCG64DXSM", "SFC64")


def crossed(value):
    return messages.decode(json.loads(json.dumps(messages.encode(value))))


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_crosses_the_border_and_is_what_it_was(value):
    there = crossed(value)
    assert type(there) is type(value)
    if isinstance(value, pd.Series | pd.DataFrame):
        getattr(pd.testing, f"assert_{'series' if isinstance(value, pd.Series) else 'frame'}_equal")(there, value)
    else:
        np.testing.assert_equal(there, value)
        assert getattr(there, "dtype", None) == getattr(value, "dtype", None)


@pytest.mark.parametrize("kind", GENERATORS)
def test_a_generator_crosses_the_border_and_draws_on_where_it_was(kind):
    rng = np.random.Generator(getattr(np.random, kind)(3))
    rng.integers(5, size=5, dtype="i4")
    assert crossed(rng).integers(1000, size=9, dtype="i4").tolist() == rng.integers(1000, size=9, dtype="i4").tolist()


@pytest.mark.parametrize("value", [Exception("x"), open, np.dtype(float), np.random.Generator(np.random.MT19937(1)),
                                   np.random.Generator(np.random.Philox(1))], ids=str)
def test_what_is_no_data_does_not_cross(value):
    with pytest.raises(ValueError, match="is no data"):
        messages.encode(value)


HOSTILE = [(message, words) for words, message in map(json.loads, read("hostile.jsonl").splitlines())]
"""Each of them would build what nobody sends, read beyond a buffer, fill the memory, or draw for ever."""
BROAD = {"array": ["U", [10**6], ["x" * 10**6] + [""] * (10**6 - 1)]}


@pytest.mark.parametrize(("message", "words"), [*HOSTILE, (BROAD, "no encoded value")], ids=lambda part: str(part)[:50])
def test_a_forged_value_builds_nothing(message, words):
    with pytest.raises(ValueError, match=words):
        messages.decode(message)


def test_a_bool_is_zero_or_one():
    """NumPy copies as many elements as it counts, and counts a bool of 2 twice: it would write beyond the copy."""
    array = messages.decode({"array": ["|b1", [3], "AgD/"]})
    assert array.tolist() == [True, False, True] and array.view("u1").tolist() == [1, 0, 1]


def test_a_message_that_is_too_long_or_of_too_many_parts_is_neither_sent_nor_read():
    here, there = socket.socketpair()
    with here, there:
        with pytest.raises(ValueError, match="bytes are more than the"):
            messages.send(here, "x" * 100, largest=50)
        messages.send(here, [[]] * 50)
        with pytest.raises(ValueError, match="more than 90 parts"):
            messages.receive(there, most_parts=90)
        here.sendall(messages.HEAD.pack(2**31))
        with pytest.raises(ValueError, match="bytes are more than the"):
            messages.receive(there)


# A student process that sends what it likes

class Forger:
    """A server whose student process sends these bytes whatever it is asked, and then hangs up."""

    def __init__(self, *sent):
        self.sent = sent

    def fork(self, hidden):
        here, there = socket.socketpair()
        self.process = threading.Thread(target=self._run, args=(there,))
        self.process.start()
        return here

    def _run(self, there):
        with there, suppress(OSError):
            there.sendall(b"".join(self.sent))
            there.shutdown(socket.SHUT_WR)
            while there.recv(1 << 20):
                continue

    def kill(self):
        self.process.join()
        return False


def packed(message):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return messages.HEAD.pack(len(body)) + body


def asked(*sent, lent=lambda *arguments, **options: None, seconds=2):
    """What a judge makes of a student process that sends this: a plain value, or a word on why there is none."""
    student = StudentProcess(Forger(*map(packed, sent)))
    try:
        with student.within(seconds):
            student.register(lent)
            value = student.value("answer")
            value = value(np.arange(3)) if isinstance(value, RemoteFunction) else value
            same(value, [1, 2]), show(value)
            return value
    except (Unreadable, RemoteError, StudentProcessDied) as error:
        return f"{type(error).__name__} {getattr(error, 'why', '')}".strip()
    finally:
        student.end()


GARBLED = "StudentProcessDied garbled"
REPLIES = [(sent, outcome) for outcome, *sent in map(json.loads, read("replies.jsonl").replace(
    "DEEP", "[" * 600 + "]" * 600).replace("HUGE", "1" + "0" * 400).replace("LONG", "x" * 10_000).splitlines())]
BYTES = (b"\xff\xfe", b"", b"[" * 100_000, b"9" * 5000, b"[" + b"[]," * 2_500_000 + b"1]")


@pytest.mark.parametrize(("sent", "outcome"), [*REPLIES, *(([raw], GARBLED) for raw in BYTES)],
                         ids=lambda part: str(part)[:40])
def test_a_forged_reply_is_an_answer_or_none_and_nothing_else(sent, outcome):
    assert asked(*sent) == outcome


DEADLY = """
import os, signal, sys, time
if "fi_grader.judging.worker" in sys.orig_argv:
    import fi_course.questions as questions
    judge = questions.judge
    def judged(question, answer, rng):
        if answer == 41:
            os.abort()
        if answer == 42:
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
            time.sleep(1000)
        return judge(question, answer, rng)
    questions.judge = judged
"""


@pytest.mark.parametrize("answer", [41, 42], ids=["ends the judge", "hangs the judge"])
def test_a_question_that_ends_or_hangs_two_judges_is_left_to_a_person_and_costs_no_other(answer, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(DEADLY)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{ROOT}")
    monkeypatch.setattr(worker, "GRACE", 1)
    lay_course(tmp_path)
    grader = worker.Worker({"exercises": str(tmp_path / "exercises"), "seed": 1, "limit": 2, "sandbox": "bwrap"})
    record = grader.ask("01_trees", to_bytes(filled({"trees.recall_mean": f"average_of_all = {answer}"})))["record"]
    grader.stop()
    wrong = {row["question"]: row["flags"] for row in record["rows"] if row["status"] == "wrong"}
    assert wrong == {"trees.recall_mean": ["check failed: it ended the judge"]}
    assert reasons_to_review(record) == ["trees.recall_mean: check failed: it ended the judge"]


# Mutants

def used(*arguments, **options):
    """Do with what crossed what functions under test do: draw, pick, sort, sum, add up, print and send back."""
    for value in [*arguments, *options.values()]:
        if isinstance(value, np.random.Generator):
            value.integers(1000, size=50), value.normal(size=50), value.permutation(20), value.random()
        elif isinstance(value, np.ndarray) and value.dtype == bool:
            np.arange(value.size)[value.ravel()]
        elif isinstance(value, np.ndarray | pd.Series | pd.DataFrame):
            repr(value), value.sum(), np.sort(value, axis=0)[:3], value[value == value]
        elif isinstance(value, list | tuple | set | range | dict):
            sorted(value), set(value), used(*value)
    return arguments


def mutants(many, seed):
    """So many replies, each spoiled in a few places: values of every kind as arguments of a call back, and the rest."""
    rng = np.random.default_rng(seed)
    values = [*VALUES, *(np.random.Generator(getattr(np.random, kind)(3)) for kind in GENERATORS)]
    values = [*map(messages.encode, values), *(message for message, _ in HOSTILE)]
    replies = [{"callback": 0, "arguments": [value], "options": {"dict": [["rng", value]]}} for value in values]
    replies += [{"plain": [1, {"a": 2.5}, "x"], "noted": ["output cut"]}, {"unreadable": "a model"},
                {"function": 0, "name": "decrease"}, {"plain": 2, "printed": "x", "changed": True},
                {"error": {"kind": "E", "words": "w", "trace": "t"}}]
    for k in range(many):
        tree = deepcopy(replies[k % len(replies)])
        for _ in range(rng.integers(1, 3)):
            if isinstance(tree, dict) and "arguments" in tree and rng.random() < 0.8:
                tree["arguments"] = spoiled_tree(tree["arguments"], rng)
            else:
                tree = spoiled_tree(tree, rng)
        content = json.dumps(tree).encode()
        yield spoiled_bytes(content, rng) if rng.random() < 0.1 else content


def test_no_mutant_of_a_message_ends_or_hangs_the_judge():
    """A process with the judge's limits reads 6,000; a crash, an error that nobody caught or a long wait ends it."""
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    slowest, outcomes = json.loads(done.stdout)
    assert slowest < 3 and sum(outcomes.values()) == 6000
    assert min(outcomes.get(word, 0) for word in ("value", "called", "refused", GARBLED)) > 100


def _read_mutants(many=6000, seed=1):
    worker._limit_memory()
    outcomes, slowest = Counter(), 0
    for content in mutants(many, seed):
        calls, start = [], time.perf_counter()

        def lent(*arguments, calls=calls, **options):
            calls.append(1)
            return used(*arguments, **options)
        found = asked(content, {"plain": 1}, lent=lent)
        word = found if found in (GARBLED, "RemoteError") else "refused" if b'"callback"' in content else "value"
        outcomes["called" if calls else word] += 1
        slowest = max(slowest, time.perf_counter() - start)
    print(json.dumps([slowest, outcomes]))


if __name__ == "__main__":
    _read_mutants()
