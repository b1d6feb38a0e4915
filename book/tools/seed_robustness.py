"""Run every chapter again under other seeds and count how often each of its statements holds.

    python book/tools/seed_robustness.py [CHAPTER ...] [--draws 20] [--jobs 2] [--again]
    python book/tools/seed_robustness.py 03 --cell 43       what cell 43, or ch03-039, printed
    in each draw
    python book/tools/seed_robustness.py 03 --unasserted    numbers in the text
    that no cell beside them gives
    python book/tools/seed_robustness.py --probe            two chapters, one draw, after a change
    of fi_teach

Without names it runs the chapters whose code, or the package they use, has changed. Results of 20
draws or more go to book/luck/, from which the page "How sure is this book?" is made.
"""

import argparse
import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT), str(HERE), str(HERE.parent / "_ext")]

import robustness_results as results  # noqa: E402
from robustness_runs import gather, keep, prune, read_run, run_missing  # noqa: E402
from unsupported_numbers import unsupported_numbers  # noqa: E402

SETTINGS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0",
            "MPLBACKEND": "Agg", "JOBLIB_MULTIPROCESSING": "0"}  # joblib's would not be shifted
QUICK = 30  # seconds a draw: two chapters that the tests may run


# --- what is said ---

def percent(share):
    return "no statement" if share is None else f"{share:.1%}"


def describe(result):
    """Describe a chapter's result in lines, the weakest statements
    with the numbers they compared."""
    n, every, counted = result["draws"], result["statements"], results.general(result)
    one_seed = [one for one in every if one["one draw"]]
    untrue = [one for one in every if not one["in the book"]]
    lines = [f"{result['chapter']}: {len(counted)} statements, {varying(counted)} on numbers that "
             f"vary, and {len(one_seed)} about one draw; held {percent(results.share(result))}"]
    lines += [f"  NOT IN THE BOOK'S OWN DRAW: {place(one)}" for one in untrue]
    lines += [f"  cell {id} stopped in {error}" for id, error in result["errors"].items()]
    for one in results.weak(result):
        lines += [f"  {one['held']:2d} of {n}  {place(one)}"]
        lines += [f"      {why}" for why in one["lost"]]
    lines += [f"  {one['held']:2d} of {n}  about one draw: {place(one)}" for one in one_seed]
    return "\n".join(lines)


def varying(statements):
    return sum(one["varies"] for one in statements)


def place(one):
    """Return the cell, the statement's number in it, and its source."""
    return f"{one['cell']} ({one['number']}): {one['claim'] or one['source']}"


def table(found):
    """Return a table with one line a chapter."""
    lines = ["| chapter | statements | vary | one draw | held | below 19 of 20 | s a draw |",
             "|:--|--:|--:|--:|--:|--:|--:|"]
    for one in found:
        counted = results.general(one)
        lines.append(f"| {one['chapter']} | {len(counted)} | {varying(counted)} | "
                     f"{len(one['statements']) - len(counted)} | {percent(results.share(one))} | "
                     f"{len(results.weak(one))} | {one['seconds']:.0f} |")
    return "\n".join(lines)


# --- for editors ---

def show_cell(root, path, n_draws, shown):
    """Print what one cell printed in each draw."""
    cells = results.all_cells(path)
    id = cells[int(shown)]["id"] if shown.isdigit() and int(shown) < len(cells) else shown
    for draw in range(n_draws + 1):
        printed = read_run(root, path, draw)["printed"]
        if id not in printed:
            raise SystemExit(f"{path.name} has no code cell {shown}; it has {', '.join(printed)}")
        print(f"--- draw {draw}{' (the book)' * (draw == 0)}\n{printed[id].rstrip()}")


def show_unsupported(root, path):
    """Print the sentences with numbers that no cell beside them gives."""
    found = list(unsupported_numbers(results.all_cells(path), read_run(root, path, 0)["printed"]))
    print(f"{path.stem}: {len(found)} sentences with numbers that no cell beside them gives")
    for one in found:
        print(f"  {one.cell}  {', '.join(one.numbers)}:  {one.sentence}")


# --- after a change of the package alone ---

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
            chosen[one["chapter"]] = one
            seconds += one["seconds"]
    paths = [root / "notebooks" / f"{name}.ipynb" for name in chosen]
    lost = run_missing(root, paths, [draw], jobs=1)
    for path in paths if not lost else ():
        lost += lost_since(chosen[path.stem], read_run(root, path, draw)["outcomes"])
    run_again = " and ".join(chosen) or "nothing"
    print("\n".join(lost) or f"Run again: {run_again}. No statement is lost.")
    return lost


def lost_since(result, outcomes):
    """Return the statements that held in every draw before and fail in this one."""
    return [f"{result['chapter']}, {place(one)}: {why}; run make luck ONLY={result['chapter']}"
            for one, (held, why, _) in zip(result["statements"], outcomes, strict=True)
            if one["held"] == result["draws"] and not held]


# --- the command ---

def chapters(root, names):
    """Return the notebooks whose names begin with one of `names`; all of them if there are none."""
    every = sorted((root / "notebooks").glob("[0-9]*.ipynb"))
    lost = [name for name in names if not any(path.stem.startswith(name) for path in every)]
    if lost:
        raise SystemExit(f"no chapter begins with {', '.join(lost)}; there are "
                         + ", ".join(path.stem for path in every))
    return [path for path in every if not names or path.stem.startswith(tuple(names))]


def is_done(root, path, n_draws):
    """Return whether there is a result of this chapter, this package and at least as many draws."""
    result = results.read_result(root, path.stem)
    return (result is not None and results.is_current(root, result) and result["draws"] >= n_draws
            and result["package"]["hash"] == results.package_hash(root))


def report(root, paths, n_draws):
    """Gather the runs, store and print the results -> exit status."""
    found = [gather(root, path, n_draws) for path in paths]
    for path, result in zip(paths, found, strict=True):
        prune(root, path)
        if n_draws >= results.DRAWS:
            keep(root, result)
        print(describe(result) + "\n")
    print(table(found))
    return int(any(not one["in the book"] for result in found for one in result["statements"]))


def arguments():
    parser = argparse.ArgumentParser(description="Run chapters under other draws.")
    parser.add_argument("chapters", nargs="*", help="how their names begin: 03, 12a")
    parser.add_argument("--draws", type=int, default=results.DRAWS, help="beside the book's own")
    parser.add_argument("--jobs", type=int, default=max(2, os.cpu_count() or 2))
    parser.add_argument("--again", action="store_true", help="forget what was run before")
    parser.add_argument("--cell", help="id or number of a cell: print what it printed in each draw")
    parser.add_argument("--unasserted", action="store_true", help="list numbers without a check")
    parser.add_argument("--probe", action="store_true", help="two chapters, one draw, new package")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    return parser.parse_args()


def use_settings():
    """Start again with the environment that runs are made in, if this is another."""
    if any(os.environ.get(name) != value for name, value in SETTINGS.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **SETTINGS})


def main():
    use_settings()
    options, started = arguments(), time.perf_counter()
    root = options.root.resolve()
    if options.probe:
        sys.exit(1 if probe(root) else 0)
    paths = chapters(root, options.chapters)
    if not options.chapters and not options.unasserted and not options.again:
        paths = [path for path in paths if not is_done(root, path, options.draws)]
        print(f"{len(paths)} chapters to run" if paths else "Every chapter's result is up to date.")
    n_draws = 0 if options.unasserted else options.draws
    failures = run_missing(root, paths, range(n_draws + 1), jobs=options.jobs, again=options.again)
    if failures:
        sys.exit("\n".join(failures))
    if options.unasserted or options.cell:
        for path in paths:
            show_unsupported(root, path) if options.unasserted else \
                show_cell(root, path, n_draws, options.cell)
        sys.exit(0)
    status = report(root, paths, n_draws) if paths else 0
    print(f"\n{(time.perf_counter() - started) / 60:.1f} minutes on {options.jobs} processes.")
    sys.exit(status)


if __name__ == "__main__":
    main()
