"""A tool of the book in a fork of a process that has imported what every build, and every draw, imports."""

import multiprocessing
import os
import runpy
import sys

IMPORTED = ["jupyter_book.sphinx", "jupyter_cache.base", "jupyter_cache.cache.db", "matplotlib.pyplot",
            "myst_nb.sphinx_ext", "nbclient", "sphinx.builders.html", "sphinx_book_theme", "sphinx_design.extension"]


def be(tool, arguments, settings, *files):
    """Be `python tool` with these arguments and variables; what it says goes into two files."""
    for number, path in enumerate(files, 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    os.environ.update(settings)
    sys.argv = [tool, *arguments]
    runpy.run_path(tool, run_name="__main__")


def run(*what):
    """Run it to its end -> its exit status."""
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload(IMPORTED)
    process = forks.Process(target=be, args=what)
    process.start()
    process.join()
    return process.exitcode
