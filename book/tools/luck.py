"""Run every chapter again under other draws, and count how often each of its statements holds.

    python book/tools/luck.py [CHAPTER ...] [--draws 20] [--jobs 2] [--again]
    python book/tools/luck.py 03 --cell 43            what cell 43 (or ch03-039) printed in every draw
    python book/tools/luck.py 03 --unasserted         numbers in the text that no cell beside them gives

Without names it runs the chapters whose code or package has changed. The libraries are imported
once; each draw of each chapter is a process of its own that starts from there, so nothing leaks
from one to the next. What a killed run had done is taken up again. Results of 20 draws or more go
to book/luck/, which the page "How sure is this book?" is made from.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MPLBACKEND="Agg")

import argparse
import contextlib
import json
import multiprocessing
import sys
import time
from collections import deque
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.connection import wait
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT), str(HERE), str(HERE.parent / "_ext")]

import draws  # noqa: E402
import luck_results as results  # noqa: E402
from one_draw import run_draw  # noqa: E402

SECONDS = 900  # for one draw of one chapter
LIBRARIES = ("numpy", "pandas", "scikit-learn", "scipy")
WARM = ("pandas", "matplotlib.pyplot", "matplotlib.colors", "sklearn.ensemble", "sklearn.tree",
        "sklearn.linear_model", "sklearn.datasets", "fi_teach.importance", "fi_teach.trees",
        "fi_teach.compare", "fi_teach.worlds", "fi_teach.data", "fi_teach.plots",
        "fi_teach.course.claims", "fi_teach.course.explorables", "IPython.display")

# --- all draws of all chapters ---

def versions():
    """The installed versions that numbers depend on."""
    found = {"python": ".".join(map(str, sys.version_info[:2]))}
    for name in LIBRARIES:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def machine_hash():
    """A hash of this machine: another way of drawing or counting is another result."""
    return results.short_hash((HERE / name).read_bytes()
                              for name in ("draws.py", "statements.py", "one_draw.py"))


def work_folder(root, path):
    """Where the draws of this state of a chapter wait until all are there."""
    told = json.dumps(versions(), sort_keys=True).encode()
    key = results.short_hash([results.code_hash(path).encode(), machine_hash().encode(), told,
                              results.package_hash(root).encode()])
    return root / "_build/luck" / path.stem / key


def draw_file(folder, draw):
    return folder / f"{draw:03d}.json"


def child(path, draw, target):
    """The body of a process: run, write the answer under its final name only when it is whole."""
    answer = run_draw(path, draw)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".part")
    partial.write_text(json.dumps(answer))
    partial.replace(target)


class Runner:
    """Keep so many processes at work until every job (path, draw, target) is done."""

    def __init__(self, jobs):
        self.jobs, self.running = jobs, {}
        self.context = multiprocessing.get_context("fork")

    def run(self, todo, each):
        """each(job, failure) is called as jobs end; failure is None or a sentence."""
        waiting = deque(todo)
        try:
            while waiting or self.running:
                while waiting and len(self.running) < self.jobs:
                    self.start(waiting.popleft())
                self.collect(each)
        finally:
            for process, _, _ in self.running.values():
                process.kill()

    def start(self, job):
        process = self.context.Process(target=child, args=job)
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


def jobs_for(root, paths, n_draws, again):
    """What is still to be run, draw 0 of every chapter first -> [(path, draw, target), ...]."""
    found = []
    for path in paths:
        folder = work_folder(root, path)
        for draw in range(n_draws + 1):
            target = draw_file(folder, draw)
            if again:
                target.unlink(missing_ok=True)
            if not target.exists():
                found.append((path, draw, target))
    return found


def run_all(root, paths, n_draws, *, jobs=2, again=False):
    """Run what is missing, with a bar -> failures, as sentences."""
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # no thread beside a process that forks
    todo, failures = jobs_for(root, paths, n_draws, again), []
    with tqdm(total=len(todo), desc="draws", unit="draw", disable=None) as bar:
        def each(job, failure):
            path, draw, _ = job
            bar.set_postfix_str(f"{path.stem}, draw {draw}", refresh=False)
            bar.update()
            if failure:
                failures.append(f"{path.stem}, draw {draw}: {failure}")
        Runner(jobs).run(todo, each)
    return failures


# --- the result ---

def gather(root, path, n_draws):
    """All draws of a chapter as one result."""
    folder = work_folder(root, path)
    runs = [json.loads(draw_file(folder, draw).read_text()) for draw in range(n_draws + 1)]
    import fi_teach

    return {"chapter": path.stem, "code": results.code_hash(path), "draws": n_draws,
            "package": {"version": fi_teach.__version__, "hash": results.package_hash(root)},
            "versions": versions(), "seconds": round(median([run["seconds"] for run in runs])),
            "statements": [gathered(runs, k) for k in range(len(runs[0]["statements"]))],
            "errors": {id: f"draw {run['draw']}: {error}" for run in reversed(runs)
                       for id, error in run["errors"].items()}}


def median(values):
    return sorted(values)[len(values) // 2]


def gathered(runs, k):
    """One statement over all draws; draw 0 is the control and is not counted."""
    outcomes = [run["outcomes"][k] for run in runs]
    one = runs[0]["statements"][k]
    lost = [f"draw {run['draw']}: {outcome[1]}" for run, outcome in zip(runs, outcomes, strict=True)
            if run["draw"] and not outcome[0]]
    return {"cell": one["cell"], "number": one["number"] + 1, "claim": one["claim"],
            "source": one["source"], "one draw": one["one_draw"],
            "in the book": outcomes[0][0], "held": sum(held for held, *_ in outcomes[1:]),
            "varies": len({digest for *_, digest in outcomes}) > 1, "lost": lost[:3]}


def keep(root, result):
    """Write a chapter's result where the book finds it."""
    target = results.result_path(root, result["chapter"])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


# --- what is said ---

def percent(share):
    return "no statement" if share is None else f"{share:.1%}"


def describe(result):
    """A chapter's result in lines, the weakest statements with the numbers they met."""
    n, every = result["draws"], result["statements"]
    one_draw = [one for one in every if one["one draw"]]
    lines = [f"{result['chapter']}: {len(every) - len(one_draw)} statements, "
             f"{sum(one['varies'] for one in every)} of them on numbers that vary, and "
             f"{len(one_draw)} about one draw; held {percent(results.share(result))}, "
             f"{result['seconds']} s a draw"]
    lines += [f"  NOT IN THE BOOK'S OWN DRAW: {place(one)}" for one in every if not one["in the book"]]
    lines += [f"  cell {id} stopped in {error}" for id, error in result["errors"].items()]
    for one in results.weak(result):
        lines += [f"  {one['held']:2d} of {n}  {place(one)}", *(f"      {why}" for why in one["lost"])]
    lines += [f"  {one['held']:2d} of {n}  about one draw: {place(one)}" for one in one_draw]
    return "\n".join(lines)


def place(one):
    """Which cell, which of its statements, and what it says."""
    return f"{one['cell']} ({one['number']}): {one['claim'] or one['source']}"


def table(found):
    """One line a chapter."""
    lines = ["| chapter | statements | vary | one draw | held | below 19 of 20 | s a draw |",
             "|:--|--:|--:|--:|--:|--:|--:|"]
    for one in found:
        counted = results.general(one)
        lines.append(f"| {one['chapter']} | {len(counted)} | {sum(s['varies'] for s in counted)} | "
                     f"{len(one['statements']) - len(counted)} | {percent(results.share(one))} | "
                     f"{len(results.weak(one))} | {one['seconds']} |")
    return "\n".join(lines)


def show_cell(root, path, n_draws, shown):
    """What one cell printed in every draw."""
    cells, folder = results.all_cells(path), work_folder(root, path)
    id = cells[int(shown)]["id"] if shown.isdigit() and int(shown) < len(cells) else shown
    for draw in range(n_draws + 1):
        printed = json.loads(draw_file(folder, draw).read_text())["printed"]
        if id not in printed:
            raise SystemExit(f"{path.name} has no code cell {shown}; it has {', '.join(printed)}")
        print(f"--- draw {draw}{' (the book)' * (draw == 0)}\n{printed[id].rstrip()}")


# --- the command ---

def chapters(root, names):
    """The notebooks whose names begin so; all of them without names."""
    every = sorted((root / "notebooks").glob("[0-9]*.ipynb"))
    lost = [name for name in names if not any(path.stem.startswith(name) for path in every)]
    if lost:
        raise SystemExit(f"no chapter begins with {', '.join(lost)}; there are "
                         + ", ".join(path.stem for path in every))
    return [path for path in every if not names or path.stem.startswith(tuple(names))]


def is_done(root, path, n_draws):
    """Is there a result of this chapter, this package and as many draws?"""
    result = results.read_result(root, path.stem)
    return (result is not None and results.is_current(root, result) and result["draws"] >= n_draws
            and result["package"]["hash"] == results.package_hash(root))


def luck(root, paths, options):
    """Run, keep, tell -> exit status."""
    started = time.perf_counter()
    draws.install()
    draws.warm_up(WARM)
    failures = run_all(root, paths, options.draws, jobs=options.jobs, again=options.again)
    if failures:
        print("\n".join(failures), file=sys.stderr)
        return 1
    if options.cell:
        return show_cell(root, paths[0], options.draws, options.cell)
    found = [gather(root, path, options.draws) for path in paths]
    for result in found:
        if result["draws"] >= results.DRAWS:
            keep(root, result)
        print(describe(result) + "\n")
    print(table(found) + f"\n\n{options.draws} draws in {(time.perf_counter() - started) / 60:.1f} "
          f"minutes on {options.jobs} processes.")
    return int(any(not one["in the book"] for result in found for one in result["statements"]))


def main():
    parser = argparse.ArgumentParser(description="Run chapters under other draws.")
    parser.add_argument("chapters", nargs="*", help="how their names begin: 03, 12a")
    parser.add_argument("--draws", type=int, default=results.DRAWS)
    parser.add_argument("--jobs", type=int, default=max(2, os.cpu_count() or 2))
    parser.add_argument("--again", action="store_true", help="forget what was run before")
    parser.add_argument("--cell", help="id or number of a cell: print what it printed in every draw")
    parser.add_argument("--unasserted", action="store_true", help="list numbers without a check")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args()
    root = options.root.resolve()
    paths = chapters(root, options.chapters)
    if options.unasserted:
        from unasserted import list_unasserted

        sys.exit(list_unasserted(paths))
    if not options.chapters:
        paths = [path for path in paths if options.again or not is_done(root, path, options.draws)]
        print(f"{len(paths)} chapters to run" if paths else "Every chapter's result is up to date.")
    sys.exit(luck(root, paths, options) if paths else 0)


if __name__ == "__main__":
    main()
