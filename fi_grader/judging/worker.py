"""One grading subprocess: a judge that never runs a student's code, beside its sandbox.

Start a `Worker` and ask it; the subprocess itself is this module run as a program.
"""

import atexit
import json
import os
import platform
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

from fi_grader.sandbox import socket_process
from fi_grader.sandbox.choose import start_server, wait_or_kill
from fi_grader.sandbox.inside import protocol as messages

LARGEST_REPLY = 100_000_000
LARGEST_JUDGE = 2 * 2**30
"""Bytes of address space beyond what it has at its start that a judge may take: a huge answer ends
in an error, not in a full machine."""
PATIENCE = 720
"""A worker that says nothing for so many seconds is ended: its sandbox may have to be compiled."""
GRACE = 30
"""And one that works on a question so many seconds longer than the question allows."""
MOST_DEATHS = 5
"""A submission that has ended so many workers is left to a person."""


class Worker:
    """A grading subprocess: `ask` it for one submission after the other."""

    def __init__(self, settings):
        self.settings, self.process, self.is_stopped = settings, None, False
        atexit.register(self.stop)

    def ask(self, exercise, content):
        """Let the subprocess grade a notebook -> {"record": ...}.

        One that dies or falls silent is started again; the question at which two did is left to a
        person.

        Raises RuntimeError if it dies whatever is left out, or after `stop`; ValueError if no
        submission can be graded where it runs.
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
        if self.process is None:
            self._start()
        self.channel.settimeout(PATIENCE)
        messages.send(self.channel, job)
        self.channel.sendall(content)
        while "at" in (reply := messages.receive(self.channel, LARGEST_REPLY)):
            self.at = reply["at"]
            self.channel.settimeout(reply["seconds"] + GRACE)
        return reply

    def _start(self):
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
                       "PYTHONHASHSEED": "0"}
        self.channel, self.process = socket_process.start(
            "fi_grader.judging.worker", json.dumps(self.settings), environment=environment,
            stdin=subprocess.DEVNULL, start_new_session=True)

    def stop(self):
        """End the subprocess for good."""
        self.is_stopped = True
        self.close()

    def close(self):
        """End the subprocess, and with it its sandbox."""
        process, self.process = self.process, None
        if process is not None:
            self.channel.close()
            wait_or_kill(process)


class _Grader:
    """The state of the subprocess: the assignments, and a fork server, renewed if it dies."""

    def __init__(self, settings):
        from fi_grader.notebooks.exercise import load
        self.settings, self.server = settings, None
        self.assignments = load(settings["exercises"])

    def grade(self, assignment, content, **options):
        """Grade a notebook -> record; once more, with a new fork server, if that one has died."""
        from fi_grader.judging.judge import blank_record, grade
        for attempt in range(2):
            try:
                return grade(assignment, content, self._fork_server(), seed=self.settings["seed"],
                             limit=self.settings["limit"], **options)
            except ValueError as error:
                return blank_record(assignment, "no notebook", f"Nothing was graded: {error}")
            except (OSError, EOFError):
                self.server.close()
                self.server = None
                if attempt:
                    raise
        return None

    def _fork_server(self):
        if self.server is None:
            modules = {m for a in self.assignments.values()
                       for m in a.modules} - {"fi_course.questions"}
            course = Path(self.settings["exercises"]).resolve().parent
            self.server = start_server(self.settings["sandbox"], sorted(modules), courses=[course])
        return self.server


def main(channel, settings):
    """Serve until the owner hangs up."""
    try:
        grader = _Grader(settings)
    except ValueError as error:
        return messages.send(channel, {"unfit": str(error)})
    _limit_memory()
    try:
        while True:
            job = messages.receive(channel)
            content = messages.exactly(channel, job["size"])
            reply = grader.grade(grader.assignments[job["exercise"]], content, lost=job["lost"],
                                 tell=lambda question, seconds: messages.send(
                                     channel, {"at": question, "seconds": seconds}))
            messages.send(channel, {"record": reply}, LARGEST_REPLY)
    except (EOFError, OSError):
        return
    finally:
        if grader.server is not None:
            grader.server.close()


def _limit_memory():
    """Limit this process's memory, where the system has such limits."""
    with suppress(ImportError, OSError, ValueError):
        import resource
        in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS,
                           (in_use + LARGEST_JUDGE, resource.getrlimit(resource.RLIMIT_AS)[1]))


if __name__ == "__main__":
    main(socket_process.connect(sys.argv[1]), json.loads(sys.argv[2]))
