"""Build the book: run the chapters that changed, side by side,
then let Sphinx put the pages together.

    python book/tools/build.py [--root FOLDER] [--jobs N] [--live]

Sphinx would run one notebook after another.
So the chapters are executed first, in parallel, into the cache that the pages are then read from.
A cell that fails is named with its file; any warning of Sphinx's fails the build.
With --live the pages get what they need to run Python (live.py), which lies
in _build/live between builds.
"""

import argparse
import fcntl
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "_ext"))

# these lie beside the extensions, not in a package
from chapter_cache import PATTERNS, cache_folder, fingerprint, prune  # noqa: E402
from robustness import read_result  # noqa: E402

CELL_SECONDS = 600
SOURCES = (*PATTERNS, "_config.yml", "_toc.yml", "*.md", "benchmarks/*", "book/**/*", "notebooks/*",
           "exercises/*", "solutions/*")


def chapters(root):
    """The notebooks that the table of contents lists, as paths, in its order."""
    from sphinx_external_toc.parsing import parse_toc_yaml

    site_map = parse_toc_yaml(root / "_toc.yml")
    paths = (root / f"{name}.ipynb" for name in site_map if name.startswith("notebooks/"))
    return [path for path in paths if path.exists()]


def execute(path, forked=False):
    """Run one notebook -> (path, executed notebook, seconds, what failed or None).

    forked : in a kernel that has imported what chapters import
    """
    import nbformat
    from kernels import forking
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    notebook, started, current = nbformat.read(path, as_version=4), time.perf_counter(), []
    client = NotebookClient(notebook, timeout=CELL_SECONDS,
                            resources={"metadata": {"path": str(path.parent)}},
                            extra_arguments=["--log-level=ERROR"],
                            # times in a cell's metadata would make it another cell to the cache
                            record_timing=False,
                            on_cell_start=lambda cell, cell_index: current.append(cell))
    failure = None
    try:
        if forked:
            forking(client.create_kernel_manager())
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        failure = described(current[-1], error)
    return path, notebook, time.perf_counter() - started, failure


def described(cell, error):
    """Which cell failed and why, in a few lines a reader of the log can act on."""
    lines = cell.source.strip().splitlines() or [""]
    reason = getattr(error, "evalue", None)
    reason = f"{error.ename}: {reason}" if reason is not None else str(error).strip()
    return (f"cell {cell.get('id', '?')} failed, which begins\n    {lines[0]}\n"
            f"  with\n    " + reason.replace("\n", "\n    "))


def is_known(cache, path):
    """Whether the cache has seen a notebook's code run."""
    with suppress(KeyError):
        return bool(cache.match_cache_file(path))


def execute_chapters(root, folder, jobs):
    """Run every chapter that the cache does not know and remember it -> descriptions
    of the failures."""
    from joblib import Parallel, delayed
    from jupyter_cache import get_cache
    from jupyter_cache.base import CacheBundleIn
    from tqdm import tqdm

    cache, failures = get_cache(folder), []
    paths = [path for path in chapters(root) if not is_known(cache, path)]
    if not paths:
        return failures
    took = {path: read_result(root, path.stem) or {"seconds": CELL_SECONDS} for path in paths}
    paths.sort(key=lambda path: took[path]["seconds"], reverse=True)  # so all are done soonest
    # few import as quickly themselves; macOS forbids forks with its libraries loaded
    forked = len(paths) > jobs and sys.platform == "linux"
    side_by_side = Parallel(n_jobs=min(jobs, len(paths)), prefer="threads",
                            return_as="generator_unordered")
    # the work is the kernels', each a process of its own
    runs = side_by_side(delayed(execute)(path, forked) for path in paths)
    for path, notebook, seconds, failure in tqdm(runs, total=len(paths), desc="chapters",
                                                 unit="chapter", disable=None):
        tqdm.write(f"  {path.relative_to(root)}  {seconds:.1f} s" + ("  FAILED" if failure else ""))
        if failure:
            failures.append(f"{path.relative_to(root)}: {failure}")
        else:
            bundle = CacheBundleIn(notebook, str(path), data={"execution_seconds": seconds})
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
    return failures


def make_pages(root, jobs, live):
    """Sphinx's part, with every warning an error -> its exit status."""
    from jupyter_book.sphinx import build_sphinx

    settings = {"external_toc_path": "_toc.yml", "nitpicky": True, "latex_individualpages": False}
    if live:
        from live import make

        print("Python for the pages: packing ...", flush=True)
        sizes = {name: file["bytes"] for name, file in make(root / "_build/live").items()}
        print(f"Python for the pages: {sum(sizes.values()) / 1e6:.0f} MB")
        settings["live"] = {"folder": str(root / "_build/live"), "bytes": sizes}
    print("pages: reading and writing those that changed ...", flush=True)
    result = build_sphinx(root, root / "_build/html", noconfig=True,
                          path_config=root / "_config.yml", quiet=True, jobs=jobs,
                          confoverrides=settings, warningiserror=True, keep_going=True)
    # pages already read would keep quiet about their warnings the next time: read them all again
    if result != 0:
        (root / "_build/.doctrees/environment.pickle").unlink(missing_ok=True)
    return 0 if result == 0 else 1


def build(root, jobs, live=False):
    """Execute, then make pages, while no other build touches the folder -> exit status."""
    started, folder = time.perf_counter(), cache_folder(root, root / "_build")
    built = root / "_build/html/.built-from"
    folder.mkdir(parents=True, exist_ok=True)
    with open(root / "_build/.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        sources = fingerprint(root, SOURCES) + " with Python in the page" * live
        if built.exists() and built.read_text() == sources:
            print("The book is up to date: _build/html")
            return 0
        failures = execute_chapters(root, folder, jobs)
        prune(folder)
        if failures:
            print("\nThe book was not built.\n\n" + "\n\n".join(failures), file=sys.stderr)
            return 1
        status = make_pages(root, jobs, live)
        if status == 0:
            built.write_text(sources)
            print(f"The book was built in {time.perf_counter() - started:.0f} s: _build/html")
        return status


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Build the book.")
    parser.add_argument("--root", type=Path, default=HERE.parent.parent,
                        help="folder of _config.yml and _toc.yml")
    parser.add_argument("--jobs", type=int, default=max(2, os.cpu_count() or 2),
                        help="chapters executed at once")
    parser.add_argument("--live", action="store_true", help="let the pages run Python")
    options = parser.parse_args()
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", PYTHONHASHSEED="0")
    sys.exit(build(options.root.resolve(), options.jobs, options.live))
