"""Run every chapter again under other seeds and count how often each of its statements holds.

    python book/tools/seed_robustness.py [CHAPTER ...] [--draws 20] [--jobs 2] [--again]
    python book/tools/seed_robustness.py 03 --cell ch03-039    what it printed in each draw
    python book/tools/seed_robustness.py --probe         two chapters, one draw, after a change
    of fi_teach

Without names it runs the chapters whose code, or the package they use, has changed. Results of 20
draws or more go to book/luck/, from which the page "How sure is this book?" is made.

The libraries are imported once; each draw of each chapter is a process of its own that starts from
there, so nothing leaks from one to the next. A draw that is done waits in _build/luck
under a hash of all it depends on, so a killed run goes on where it was.
"""

import argparse
import json
import multiprocessing
import os
import signal
import sys
import time
from importlib.metadata import version
from multiprocessing import connection
from pathlib import Path
from statistics import median_high

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT), str(HERE), str(HERE.parent / "_ext")]

import robustness as results  # noqa: E402 - these lie beside this file and in _ext
import shifted_seeds  # noqa: E402
from assertions import run_seed  # noqa: E402
from chapter_cache import prune  # noqa: E402

SETTINGS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0",
            "MPLBACKEND": "Agg", "JOBLIB_MULTIPROCESSING": "0"}  # joblib's would not be shifted
MACHINE = ("shifted_seeds.py", "assertions.py")
LIBRARIES = ("numpy", "pandas", "scikit-learn", "scipy")
SECONDS = 900  # in which some draw must end
QUICK = 30  # seconds a draw: two chapters that the tests may run
LONGEST = 300  # letters of a reason


def versions():
    """The installed versions that numbers depend on."""
    python = ".".join(map(str, sys.version_info[:2]))
    return {"python": python, **{name: version(name) for name in LIBRARIES}}


def run_file(root, path, draw):
    """Where a draw waits until all are done, in a folder of this state of the chapter."""
    key = results.short_hash([results.code_hash(path).encode(), results.package_hash(root).encode(),
                              json.dumps(versions(), sort_keys=True).encode(),
                              *((HERE / name).read_bytes() for name in MACHINE)])
    return root / "_build/luck" / path.stem / key / f"{draw:03d}.json"


def read_run(root, path, draw):
    """The result of one draw of a chapter."""
    return json.loads(run_file(root, path, draw).read_text(encoding="utf-8"))


def run_one(path, draw, target):
    """Run one draw in a child process; write its result under the final name only when complete."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    partial = target.with_suffix(".part")
    partial.write_text(json.dumps(run_seed(path, draw)), encoding="utf-8")
    partial.replace(target)


def run_missing(root, paths, wanted, *, jobs=2, again=False):
    """Run the draws that are still to be run, with a bar.

    Raises SystemExit, and ends all processes, if one fails or none ends for a long time.
    """
    from tqdm import tqdm

    todo = [(path, draw, run_file(root, path, draw)) for path in paths for draw in wanted]
    todo = [job for job in todo if again or not job[2].exists()]
    if not todo:
        return
    for *_, target in todo:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
    shifted_seeds.install()
    shifted_seeds.warm_up(source for path in {path for path, *_ in todo}
                          for _, source, _ in results.code_cells(path))
    tqdm.monitor_interval = 0  # no thread beside a process that forks
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # and the processes with it
    forks = multiprocessing.get_context("fork")
    waiting = [forks.Process(target=run_one, args=job, name=f"{job[0].stem}, draw {job[1]}")
               for job in todo]
    running = {}
    try:
        for _ in tqdm(todo, desc="draws", unit="draw", disable=None):
            while waiting and len(running) < jobs:
                process = waiting.pop(0)
                # an exception that is raised while Python forks would be lost
                signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
                process.start()
                running[process.sentinel] = process
                signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
            ended = connection.wait(running, timeout=SECONDS)
            if not ended:
                names = "; ".join(process.name for process in running.values())
                sys.exit(f"no draw ended within {SECONDS} s; at work were {names}")
            process = running.pop(ended[0])
            process.join()
            if process.exitcode:
                sys.exit(f"{process.name}: ended with {process.exitcode}")
    finally:
        for process in running.values():
            process.kill()
            process.join()


def gather(root, path, n_draws):
    """Gather all draws of a chapter into one result."""
    from fi_teach import __version__

    runs = [read_run(root, path, draw) for draw in range(n_draws + 1)]
    return {"chapter": path.stem, "code": results.code_hash(path), "draws": n_draws,
            "package": {"version": __version__, "hash": results.package_hash(root)},
            "versions": versions(),
            "seconds": round(median_high(run["seconds"] for run in runs), 1),
            "statements": [*map(gathered, *(run["statements"] for run in runs))],
            "errors": {id: f"draw {run['draw']}: {error}" for run in reversed(runs)
                       for id, error in run["errors"].items()}}


def gathered(book, *others):
    """Gather one statement over all draws; the book's own is the control and is not counted."""
    lost = [f"draw {draw}: {one['because'][:LONGEST]}"
            for draw, one in enumerate(others, 1) if not one["held"]]
    return {"cell": book["cell"], "number": book["number"] + 1, "claim": book["claim"],
            "source": book["source"], "one draw": book["one_seed"], "in the book": book["held"],
            "held": len(others) - len(lost), "lost": lost[:3],
            "varies": len({one["digest"] for one in (book, *others)}) > 1}


def keep(root, result):
    """Write a chapter's result to book/luck, unless only its time has changed."""
    target = results.result_path(root, result["chapter"])
    before = results.read_result(root, result["chapter"]) or {}
    if before | {"seconds": result["seconds"]} != result:
        target.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(result, indent=1, ensure_ascii=False)
        target.write_text(text + "\n", encoding="utf-8")


def place(one):
    """The cell, the statement's number in it, and its source."""
    return f"{one['cell']} ({one['number']}): {one['claim'] or one['source']}"


def describe(result):
    """Describe a chapter's result in lines, the weakest statements
    with the numbers they compared."""
    n, every, counted = result["draws"], result["statements"], results.general(result)
    one_seed = [one for one in every if one["one draw"]]
    lines = [f"{result['chapter']}: {len(counted)} statements, "
             f"{sum(one['varies'] for one in counted)} on numbers that vary, and {len(one_seed)} "
             f"about one draw; held {results.percent(results.share(result))}"]
    lines += [f"  NOT IN THE BOOK'S OWN DRAW: {place(one)}" for one in every
              if not one["in the book"]]
    lines += [f"  cell {id} stopped in {error}" for id, error in result["errors"].items()]
    for one in results.weak(result):
        lines += [f"  {one['held']:2d} of {n}  {place(one)}"]
        lines += [f"      {why}" for why in one["lost"]]
    lines += [f"  {one['held']:2d} of {n}  about one draw: {place(one)}" for one in one_seed]
    return "\n".join(lines)


def report(root, paths, n_draws):
    """Gather the runs, store and print the results -> whether all holds in the book's own draw."""
    good = True
    for path in paths:
        result = gather(root, path, n_draws)
        good &= all(one["in the book"] for one in result["statements"])
        prune(run_file(root, path, 0).parent)
        if n_draws >= results.DRAWS:
            keep(root, result)
        print(describe(result) + "\n")
    return good


def show_cell(root, path, n_draws, shown):
    """Print what one cell printed in each draw."""
    for draw in range(n_draws + 1):
        printed = read_run(root, path, draw)["printed"]
        if shown not in printed:
            raise SystemExit(f"{path.name} has no code cell {shown}; it has {', '.join(printed)}")
        print(f"--- draw {draw}{' (the book)' * (draw == 0)}\n{printed[shown].rstrip()}")


def probe(root):
    """Run two chapters of another package's results under one draw -> what is lost, in lines.

    Which chapters and which draw changes with the package. A statement that held in every draw must
    hold in this one.
    """
    now, every = results.package_hash(root), results.current_results(root)
    old = [one for one in every if one["package"]["hash"] != now
           and any(statement["held"] == one["draws"] for statement in one["statements"])]
    turn = int(now, 16)
    draw, first = turn % results.DRAWS + 1, turn % max(1, len(old))
    chosen, seconds = {}, 0
    for one in [*old[first:], *old[:first]]:
        if len(chosen) < 2 and seconds + one["seconds"] <= QUICK:
            chosen[root / "notebooks" / f"{one['chapter']}.ipynb"] = one
            seconds += one["seconds"]
    run_missing(root, chosen, [draw], jobs=1)
    lost = [f"{path.stem}, {place(one)}: {now['because']}; run make luck ONLY={path.stem}"
            for path, result in chosen.items() for one, now
            in zip(result["statements"], read_run(root, path, draw)["statements"], strict=True)
            if one["held"] == result["draws"] and not now["held"]]
    run_again = " and ".join(path.stem for path in chosen) or "nothing"
    print("\n".join(lost) or f"Run again: {run_again}. No statement is lost.")
    return lost


def chapters(root, names):
    """The notebooks whose names begin with one of `names`; all of them if there are none."""
    every = sorted((root / "notebooks").glob("*.ipynb"))
    lost = [name for name in names if not any(path.stem.startswith(name) for path in every)]
    if lost:
        raise SystemExit(f"no chapter begins with {', '.join(lost)}; there are "
                         + ", ".join(path.stem for path in every))
    return [path for path in every if not names or path.stem.startswith(tuple(names))]


def is_done(root, path, n_draws):
    """Whether there is a result of this chapter, this package and at least as many draws."""
    result = results.read_result(root, path.stem)
    return (result is not None and results.is_current(root, result) and result["draws"] >= n_draws
            and result["package"]["hash"] == results.package_hash(root))


def main():
    if any(os.environ.get(name) != value for name, value in SETTINGS.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **SETTINGS})
    parser = argparse.ArgumentParser(description="Run chapters under other draws.")
    parser.add_argument("chapters", nargs="*", help="how their names begin: 03, 12a")
    parser.add_argument("--draws", type=int, default=results.DRAWS, help="beside the book's own")
    parser.add_argument("--jobs", type=int, default=max(2, os.cpu_count() or 2))
    parser.add_argument("--again", action="store_true", help="forget what was run before")
    parser.add_argument("--cell", help="id of a cell: print what it printed in each draw")
    parser.add_argument("--probe", action="store_true", help="two chapters, one draw, new package")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options, started = parser.parse_args(), time.perf_counter()
    root = options.root.resolve()
    if options.probe:
        sys.exit(bool(probe(root)))
    paths = chapters(root, options.chapters)
    if not options.chapters and not options.again:
        paths = [path for path in paths if not is_done(root, path, options.draws)]
        print(f"{len(paths)} chapters to run" if paths else "Every chapter's result is up to date.")
    run_missing(root, paths, range(options.draws + 1), jobs=options.jobs, again=options.again)
    if options.cell:
        for path in paths:
            show_cell(root, path, options.draws, options.cell)
        sys.exit()
    good = report(root, paths, options.draws)
    print(f"\n{(time.perf_counter() - started) / 60:.1f} minutes on {options.jobs} processes.")
    sys.exit(not good)


if __name__ == "__main__":
    main()
