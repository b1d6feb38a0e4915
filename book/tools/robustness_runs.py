"""Run all draws of some chapters in processes of their own and gather the results.

The libraries are imported once; each draw of each chapter is a process of its own that starts from
there, so nothing leaks from one to the next. A draw that is done waits in _build/luck under a hash
of all it depends on, so a killed run goes on where it was.
"""

import ast
import contextlib
import json
import multiprocessing
import shutil
import signal
import sys
import time
from collections import deque
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.connection import wait
from pathlib import Path

import robustness_results as results
import shifted_seeds
from run_seed import run_seed

HERE = Path(__file__).resolve().parent
MACHINE = ("shifted_seeds.py", "assertions.py", "run_seed.py")
SECONDS = 900  # for one draw of one chapter
LIBRARIES = ("numpy", "pandas", "scikit-learn", "scipy")
LONGEST = 300  # letters of a reason
STATES_KEPT = 2  # of a chapter: going back and forth costs nothing
ALWAYS = {"matplotlib.pyplot", "IPython.display"}  # what run_seed keeps quiet


# --- where a draw waits ---

def versions():
    """Return the installed versions that numbers depend on."""
    found = {"python": ".".join(map(str, sys.version_info[:2]))}
    for name in LIBRARIES:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def work_folder(root, path):
    """Return the folder that keeps the draws of this state of a chapter until all are done."""
    machine = (HERE / name for name in MACHINE)
    key = results.short_hash([results.code_hash(path).encode(), results.package_hash(root).encode(),
                              json.dumps(versions(), sort_keys=True).encode(),
                              *(file.read_bytes() for file in machine)])
    return root / "_build/luck" / path.stem / key


def run_file(folder, draw):
    return folder / f"{draw:03d}.json"


def prune(root, path):
    """Delete the draws of all but the newest states of a chapter."""
    states = work_folder(root, path).parent.iterdir()
    for old in sorted(states, key=lambda state: state.stat().st_mtime)[:-STATES_KEPT]:
        shutil.rmtree(old)


def read_run(root, path, draw):
    """Read the result of one draw of a chapter."""
    return json.loads(run_file(work_folder(root, path), draw).read_text(encoding="utf-8"))


# --- running ---

def child(path, draw, target):
    """Run one draw in a child process; write its result under the final name only when complete."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    answer = run_seed(path, draw)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".part")
    partial.write_text(json.dumps(answer), encoding="utf-8")
    partial.replace(target)


class Runner:
    """Run jobs (path, draw, target) in so many processes at once until all are done."""

    def __init__(self, jobs):
        self.jobs, self.running = jobs, {}
        self.context = multiprocessing.get_context("fork")

    def run(self, todo, each):
        """each(job, failure) is called as jobs end; failure is None or a sentence."""
        waiting = deque(todo)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # and the processes with it
        try:
            while waiting or self.running:
                while waiting and len(self.running) < self.jobs:
                    self.start(waiting.popleft())
                self.collect(each)
        finally:
            for process, _, _ in self.running.values():
                process.kill()

    def start(self, job):
        process = self.context.Process(target=child, args=job, daemon=True)
        process.start()
        self.running[process.sentinel] = (process, job, time.monotonic())

    def collect(self, each):
        for sentinel in wait(list(self.running), timeout=5):
            process, job, _ = self.running.pop(sentinel)
            process.join()
            code = process.exitcode
            each(job, None if code == 0 else f"its process ended with status {code}")
        for process, _, started in self.running.values():
            if time.monotonic() - started > SECONDS:
                process.kill()


def imports(paths):
    """Return the modules that the code cells of some notebooks import."""
    found = set(ALWAYS)
    for path in paths:
        for _, source, _ in results.code_cells(path):
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Import):
                    found |= {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return sorted(found)


def missing(root, paths, wanted, again=False):
    """Return the draws that are still to be run, by chapter -> [(path, draw, target), ...]."""
    found = []
    for path in paths:
        folder = work_folder(root, path)
        for draw in wanted:
            target = run_file(folder, draw)
            if again or not target.exists():
                target.unlink(missing_ok=True)
                found.append((path, draw, target))
    return found


def run_missing(root, paths, wanted, *, jobs=2, again=False):
    """Run what is missing, with a bar -> failures, as sentences."""
    from tqdm import tqdm

    todo, failures = missing(root, paths, wanted, again), []
    shifted_seeds.install()
    shifted_seeds.warm_up(imports({path for path, _, _ in todo}))
    tqdm.monitor_interval = 0  # no thread beside a process that forks
    with tqdm(total=len(todo), desc="draws", unit="draw", disable=None) as bar:
        def each(job, failure):
            said = f"{job[0].stem}, draw {job[1]}"
            bar.set_postfix_str(said, refresh=False)
            bar.update()
            if failure:
                failures.append(f"{said}: {failure}")
        Runner(jobs).run(todo, each)
    return failures


# --- the result ---

def gather(root, path, n_draws):
    """Gather all draws of a chapter into one result."""
    from fi_teach import __version__

    runs = [read_run(root, path, draw) for draw in range(n_draws + 1)]
    return {"chapter": path.stem, "code": results.code_hash(path), "draws": n_draws,
            "package": {"version": __version__, "hash": results.package_hash(root)},
            "versions": versions(), "seconds": round(median([run["seconds"] for run in runs]), 1),
            "statements": [gathered(runs, k) for k in range(len(runs[0]["statements"]))],
            "errors": {id: f"draw {run['draw']}: {error}" for run in reversed(runs)
                       for id, error in run["errors"].items()}}


def median(values):
    return sorted(values)[len(values) // 2]


def gathered(runs, k):
    """Gather one statement over all draws; draw 0 is the control and is not counted."""
    one, (control, *others) = runs[0]["statements"][k], [run["outcomes"][k] for run in runs]
    lost = [f"draw {draw}: {why[:LONGEST]}"
            for draw, (held, why, _) in enumerate(others, 1) if not held]
    return {"cell": one["cell"], "number": one["number"] + 1, "claim": one["claim"],
            "source": one["source"], "one draw": one["one_seed"], "in the book": control[0],
            "held": len(others) - len(lost), "lost": lost[:3],
            "varies": len({digest for *_, digest in (control, *others)}) > 1}


def keep(root, result):
    """Write a chapter's result to book/luck, unless only its time has changed."""
    target = results.result_path(root, result["chapter"])
    before = results.read_result(root, result["chapter"])
    if before is not None and before | {"seconds": result["seconds"]} == result:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False)
    target.write_text(text + "\n", encoding="utf-8")
