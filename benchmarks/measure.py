"""Time two functions fairly: one process, one thread, warm, in turn, medians; a ratio holds when the machine's speed drifts."""

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np


@dataclass(frozen=True)
class Case:
    """One comparison.

    ours, peer : functions without arguments that return the result as an array (or None where there is nothing to compare)
    part : the share of the work that `peer` does; its time is divided by it (1 where it does all)
    must, aim : peer's time / ours that the project set itself, or None
    """

    method: str
    setting: str
    against: str
    ours: Callable
    peer: Callable
    part: float = 1.0
    must: float | None = None
    aim: float | None = None


@dataclass(frozen=True)
class Missing:
    """A comparison that could not be made, and why: it is reported, not dropped."""

    method: str
    setting: str
    against: str
    why: str


def measure(case, repeats=5):
    """One row of the table -> dict: seconds (medians), ratio with its spread, difference, peak memory of ours in MB."""
    ours, peer = case.ours(), case.peer()  # warm, and the results to compare
    pairs = [(_seconds(case.ours), _seconds(case.peer) / case.part) for _ in range(repeats)]
    ratios = [theirs / mine for mine, theirs in pairs]
    return {"method": case.method, "setting": case.setting, "against": case.against, "ours (s)": median(p[0] for p in pairs),
            "peer (s)": median(p[1] for p in pairs), "ratio": median(ratios), "lowest": min(ratios), "highest": max(ratios),
            "must": case.must, "aim": case.aim, "peer's part": case.part, "difference": _difference(ours, peer),
            "peak (MB)": _peak(case.ours)}


def _seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _peak(work):
    """Highest memory that Python and NumPy asked for while our function ran, in MB."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def _difference(ours, peer):
    """Largest absolute difference over the rows that both computed, or None."""
    if ours is None or peer is None:
        return None
    ours, peer = np.asarray(ours), np.asarray(peer)
    return float(np.abs(ours[:len(peer)] - peer).max())
