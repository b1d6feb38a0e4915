"""Builds of small books, one after the other, each in a fork of this process,
which has imported what every build imports.

    python build_often.py < commands    each line is JSON:
    the arguments of book/tools/build.py, and files for what it says
"""

import gc
import json
import os
import runpy
import sys
from importlib import import_module
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "book/tools/build.py"
IMPORTED = ("joblib", "jupyter_book.sphinx", "jupyter_cache.base", "jupyter_cache.cache.db", "myst_nb.sphinx_ext",
            "nbclient", "nbformat",
            "sphinx.builders.html", "sphinx_book_theme", "sphinx_design.extension", "tqdm")


def build(arguments, out, err):
    """Be `python book/tools/build.py` with these arguments."""
    for number, name in enumerate((os.devnull, out, err)):
        os.dup2(os.open(name, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT), number)
    sys.argv, sys.path[0] = [str(TOOL), *arguments], str(TOOL.parent)
    runpy.run_path(str(TOOL), run_name="__main__")


if __name__ == "__main__":
    for name in IMPORTED:
        import_module(name)
    gc.freeze()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            build(*json.loads(line))
            sys.exit()
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
