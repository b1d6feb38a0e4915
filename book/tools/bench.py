"""Time the building of the book, in a copy that leaves the real one alone,
and how soon its pages are ready.

    python book/tools/bench.py
"""

import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from browser import browser, served, settle
from build import HERE, SOURCES

ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT))

# the project's root is not where this program lies
from benchmarks.machine import processor  # noqa: E402

PROSE = "book/sources.md"
RESULTS = ROOT / "benchmarks/build.json"
BEFORE, GOAL = 154, 110
"""Seconds of a clean build on two cores: when the goal was set, and the goal."""


def copy_sources(target):
    """What a build reads, and nothing else."""
    for path in sorted({path for pattern in SOURCES for path in ROOT.glob(pattern)
                        if path.is_file()}):
        copy = target / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)


def built(root):
    """One build -> (how long it took, what it printed)."""
    started = time.perf_counter()
    done = subprocess.run([sys.executable, str(HERE / "build.py"), "--root", str(root)], check=True,
                          capture_output=True, text=True)
    return time.perf_counter() - started, done.stdout + done.stderr


def seconds(root):
    """How long one build takes."""
    return built(root)[0]


def each(printed):
    """How long each chapter took, two side by side -> {name: seconds}."""
    return {name: float(took)
            for name, took in re.findall(r"notebooks/(\w+)\.ipynb +([\d.]+) s", printed)}


def append(path, line):
    """Edit a file by one more line."""
    path.write_text(path.read_text(encoding="utf-8") + f"\n{line}\n", encoding="utf-8")


def visit(chrome, address, page):
    """Open a page with nothing in the cache -> (seconds until formulas are set
    and explorables drawn, bytes it asked for)."""
    tab, sizes = chrome.new_page(), []
    tab.on("response",
           lambda response: sizes.append(int(response.headers.get("content-length", 0))))
    tab.goto(f"{address}/{page}", wait_until="load")
    settle(tab)
    ready = tab.evaluate("performance.now()") / 1000
    tab.close()
    return ready, sum(sizes)


def visits(html):
    """Each chapter at its best of three -> {page: (seconds, bytes)}."""
    pages = [path.relative_to(html).as_posix()
             for path in sorted((html / "notebooks").glob("*.html"))]
    with served(html) as address, browser() as chrome:
        return {page: min(visit(chrome, address, page) for _ in range(3)) for page in pages}


def report(what, figure):
    """One line, with how busy the machine is beside it: 1 of 2 cores at work is a load of 1."""
    print(f"{what:<48} {figure}   load {os.getloadavg()[0]:.1f}", flush=True)


def keep(clean, printed):
    """The clean build's time and each chapter's:
    for the benchmark page, and for the order in which chapters are run."""
    took = each(printed)
    found = {"date": datetime.date.today().isoformat(), "chapters": len(took),
             "seconds": round(clean, 1), "before": BEFORE, "must": GOAL,
             "cores": os.cpu_count(), "processor": processor(),
             "load": round(os.getloadavg()[0], 1), "each": took}
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        copy_sources(root)
        clean, printed = built(root)
        report(f"clean build, {len(each(printed))} chapters", f"{clean:6.1f} s")
        keep(clean, printed)
        report("nothing changed", f"{seconds(root):6.1f} s")
        append(root / PROSE, "One more sentence.")
        report("one page of prose", f"{seconds(root):6.1f} s")
        seen = visits(root / "_build/html")
        slowest, largest = max(seen,
                               key=lambda page: seen[page][0]), max(
                                   seen, key=lambda page: seen[page][1])
        report(f"slowest chapter ready, {Path(slowest).stem}", f"{seen[slowest][0]:6.2f} s")
        report(f"largest chapter, {Path(largest).stem}", f"{seen[largest][1] / 1e6:6.2f} MB")
        append(root / "fi_teach/__init__.py", "# one more line")
        report("one line of fi_teach", f"{seconds(root):6.1f} s")


if __name__ == "__main__":
    main()
