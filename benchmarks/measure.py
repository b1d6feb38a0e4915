"""Time two functions fairly: one process, one thread, warm, in turn, medians;
a ratio holds when the machine's speed drifts.

Times are processor times, which other programs on the machine lengthen far less than they lengthen
the time on the clock.
"""

import resource
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from statistics import median

import numpy as np

# what the repeats may take, a third of it in a quick run
SECONDS_A_CASE, SECONDS_A_POINT = 4.0, 2.0
FEWEST, FEWEST_QUICK, MOST = 3, 2, 9


def largest_difference(ours, peer):
    """Largest absolute difference over the rows that both computed."""
    ours, peer = np.asarray(ours), np.asarray(peer)
    return float(np.abs(ours[:len(peer)] - peer).max())


@dataclass(frozen=True)
class Case:
    """A method and its peer on one setting, with the goals for their times.

    ours, peer : functions without arguments that do the work and return its result
    part : the share of the work that `peer` does; its time is divided by it (1 where it does all)
    must, aim : goals for peer's time / ours; most_mb, most_seconds :
    goals for our memory and our time; None: no goal was set
    compare : (our result, the peer's) -> their difference, or None where the two are random
        or answer differently by design
    check : () -> the difference from brute force, on as many rows as brute force can do, or None
    before : the ratio at the time the goal was set, or None where it was set before there was code
    work : a few words for the page's picture and first table, or None where the case is in neither
    """

    method: str
    setting: str
    against: str
    ours: Callable
    peer: Callable
    part: float = 1.0
    must: float | None = None
    aim: float | None = None
    most_mb: float | None = None
    most_seconds: float | None = None
    compare: Callable | None = largest_difference
    check: Callable | None = None
    before: float | None = None
    work: str | None = None


@dataclass(frozen=True)
class Missing:
    """A comparison that could not be made, and why: it is reported, not dropped."""

    method: str
    setting: str
    against: str
    why: str


class NotInstalled(Exception):
    """A peer that cannot be imported here; the message says why."""


def peer(name):
    """Import a peer's package -> the module.

    Whatever its import raises, the benchmark goes on without it.
    """
    try:
        return import_module(name)
    except Exception as error:  # a broken installation fails in its own way
        raise NotInstalled(
            f"{name} cannot be imported here ({type(error).__name__}: {error})") from error


def measure(case, quick=False):
    """One row of the table -> dict: seconds (medians), ratio with its spread, differences,
    peak memory of ours in MB."""
    ours, mine = timed(case.ours)  # warm, and the results to compare
    try:
        theirs_result, theirs = timed(case.peer)
    except Exception as error:  # another version of the peer may know other arguments
        return vars(Missing(case.method, case.setting, case.against,
                            f"it failed ({type(error).__name__}: {error})"))
    pairs = in_turn([case.ours, case.peer], mine + theirs, SECONDS_A_CASE, quick)
    seconds, peers = pairs[0], [s / case.part for s in pairs[1]]
    ratios = [b / a for a, b in zip(seconds, peers, strict=True)]
    return {"method": case.method, "setting": case.setting, "against": case.against,
            "ours (s)": median(seconds),
            "peer (s)": median(peers), "ratio": median(ratios), "lowest": min(ratios),
            "highest": max(ratios), "repeats": len(ratios),
            "peer's part": case.part, "before": case.before, "work": case.work, "must": case.must,
            "aim": case.aim, "most MB": case.most_mb, "most s": case.most_seconds,
            "difference": None if case.compare is None else case.compare(ours, theirs_result),
            "from definition": None if case.check is None else case.check(),
            "peak (MB)": peak(case.ours)}


def timed(work):
    """-> what the work returns, and the seconds that it, its threads
    and its child processes had a processor."""
    start = processor_time()
    result = work()
    return result, processor_time() - start


def processor_time():
    """Seconds of processor time so far, of this process and of the children it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def in_turn(works, seconds_a_round, budget, quick):
    """Run all works once a round, every second round backwards, for as many rounds
    as the budget allows -> seconds (works, rounds)."""
    fewest, budget = (FEWEST_QUICK, budget / 3) if quick else (FEWEST, budget)
    rounds = int(min(MOST, max(fewest, budget / seconds_a_round)))
    seconds = [[] for _ in works]
    for k in range(rounds):
        for which in range(len(works))[::-1 if k % 2 else 1]:
            seconds[which].append(timed(works[which])[1])
    return seconds


def peak(work):
    """Highest memory that Python and NumPy asked for while the work ran, in MB.

    What C++ code allocates is not seen.
    """
    tracemalloc.start()
    work()
    highest = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return highest / 1e6
