"""Grading subprocesses: judges that never run a student's code, each beside its sandbox.

`grade_all` grades in parallel, a `Worker` a thread; the subprocess is this module run as a program.
"""

import json
import os
import platform
import sys
import threading
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, as_completed, wait
from contextlib import suppress
from pathlib import Path

from fi_grader.judging.judge import blank_record, grade
from fi_grader.notebooks.exercise import load
from fi_grader.sandbox.choose import start_server
from fi_grader.sandbox.inside import protocol as messages
from fi_grader.sandbox.program import Program, Standard

LARGEST_REPLY = 100_000_000
LARGEST_JUDGE = 2 * 2**30
"""Bytes of address space beyond what it has at its start that a judge may take: a huge answer ends
in an error, not in a full machine."""
PATIENCE = 720  # seconds of silence: a worker's sandbox may have to be compiled
GRACE = 30  # seconds beyond those that the question at hand allows
MOST_DEATHS = 5  # a submission that has ended so many workers is left to a person


class Worker:
    """A grading subprocess: `ask` it for one submission after the other."""

    def __init__(self, settings):
        self.settings, self.program, self.is_stopped = settings, None, False

    def ask(self, exercise, content):
        """Let the subprocess grade a notebook -> {"record": ...}.

        One that dies or falls silent is started again; the question at which two did is left out.
        Raises RuntimeError if it dies all the same, or after `stop`; ValueError if it cannot grade.
        """
        deaths = Counter()
        while deaths.total() < MOST_DEATHS and deaths[""] < 2:
            if self.is_stopped:
                raise RuntimeError("grading was ended.")
            lost = [question for question, times in deaths.items() if times > 1]
            self.at = ""
            try:
                reply = self._exchange({"exercise": exercise, "size": len(content), "lost": lost},
                                       content)
            except (OSError, EOFError, ValueError):
                self.close()
                deaths[self.at] += 1
                continue
            if "unfit" in reply:
                raise ValueError(f"{platform.node()} cannot grade: {reply['unfit']}")
            return reply
        raise RuntimeError("the grader was ended again and again by this submission.")

    def _exchange(self, job, content):
        """Send a job -> the reply; meanwhile follow at which question the subprocess is."""
        quiet = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
        program = self.program = self.program or Program(
            "fi_grader.judging.worker", json.dumps(self.settings), env={**os.environ, **quiet})
        program.settimeout(PATIENCE)
        messages.send(program, job)
        program.sendall(content)
        while "at" in (reply := messages.receive(program, LARGEST_REPLY)):
            self.at = reply["at"]
            program.settimeout(reply["seconds"] + GRACE)
        program.settimeout(None)
        return reply

    def stop(self):
        """End the subprocess for good."""
        self.is_stopped = True
        self.close()

    def close(self):
        """End the subprocess, and with it its sandbox."""
        program, self.program = self.program, None
        if program is not None:
            program.close(patience=3)


# Many of them: each thread, here or in a dask cluster, has one

_local = threading.local()
_workers_started: list[Worker] = []


def grade_one(job, settings):
    """Grade one job with this thread's worker -> (job without its content, reply)."""
    content = job.pop("content")
    if job["problem"]:
        return job, {}
    if getattr(_local, "settings", None) != settings or _local.worker.is_stopped:
        _local.settings, _local.worker = settings, Worker(settings)
        _workers_started.append(_local.worker)
    try:
        return job, _local.worker.ask(job["exercise"], content)
    except RuntimeError as error:
        return job, {"problem": str(error)}


def named_record(job, reply, assignments, sandbox):
    """Make the record of a graded job, or of one that could not be graded -> dict."""
    record = {**job, "sandbox": sandbox}
    problem = record.pop("problem") or reply.get("problem")
    if not problem:
        return {**record, **reply["record"]}
    flag = "no notebook" if job["found"]["file"] else "nothing handed in"
    if reply.get("problem"):
        # the grader's own failure is no result: the next run tries once more
        flag, record["key"] = "given up", f"{job['key']} (again)"
    return {**record, **blank_record(assignments[job["exercise"]], flag, problem)}


def close_workers():
    """Stop all workers of this process."""
    while _workers_started:
        _workers_started.pop().stop()


def grade_all(jobs, settings, pool, ahead):
    """Grade jobs in parallel, `ahead` of them waiting -> iterator of (job, reply) as they finish.

    If a job cannot be made, those that were begun are graded before its error is raised.
    """
    waiting, problem = set(), None
    try:
        for job in jobs:
            waiting.add(pool.submit(grade_one, job, settings))
            if len(waiting) == ahead:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (one.result() for one in done)
    except Exception as error:
        problem = error
    yield from (one.result() for one in as_completed(waiting))
    if problem:
        raise problem


# The subprocess

def main(channel, settings):
    """Serve until the owner hangs up, or until the sandbox has died: the owner starts another."""
    try:
        assignments = load(settings["exercises"])
    except ValueError as error:
        return messages.send(channel, {"unfit": str(error)})
    _limit_memory()
    modules = sorted({module for one in assignments.values() for module in one.modules})
    course, server = Path(settings["exercises"]).resolve().parent, None

    def tell(question, seconds):
        messages.send(channel, {"at": question, "seconds": seconds})
    try:
        while True:
            job = messages.receive(channel)
            content = messages.exactly(channel, job["size"])
            server = server or start_server(settings["sandbox"], modules, courses=[course])
            assignment = assignments[job["exercise"]]
            try:
                record = grade(assignment, content, server, seed=settings["seed"],
                               limit=settings["limit"], lost=job["lost"], tell=tell)
            except ValueError as error:
                record = blank_record(assignment, "no notebook", error)
            messages.send(channel, {"record": record}, LARGEST_REPLY)
    except (EOFError, OSError):
        return
    finally:
        if server:
            server.close()


def _limit_memory():
    with suppress(ImportError, OSError, ValueError):  # where the system has no such limits
        import resource
        in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (in_use + LARGEST_JUDGE, hard))


if __name__ == "__main__":
    main(Standard(), json.loads(sys.argv[1]))
