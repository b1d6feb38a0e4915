"""No page of its own: executed chapters are remembered for as long as what they import stays the
same, and pages for as long as what makes them does.

jupyter-cache knows a notebook by its code cells alone, so a change
in the package would leave stale figures on the page.
Here the cache's folder is named after everything else that an output depends on:
the package, the claims ledger and the versions that the lock names.
Change a line there and every chapter runs again; change prose and none does.
Sphinx, in turn, does not look at the code of its extensions, nor at style sheets and scripts, whose
checksums stand in each page: two settings hold hashes of them, so that all pages are read or
written again.
"""

import hashlib
import os
import shutil
import sys
from pathlib import Path

KINDS = ("py", "js", "css", "csv", "json", "mplstyle", "ttf")
PATTERNS = (*(f"fi_*/**/*.{kind}" for kind in KINDS), "book/claims.yaml", "requirements.lock")
BOOK = Path(__file__).resolve().parents[1]
UNDECLARED = {"sphinx_multitoc_numbering", "sphinx_jupyterbook_latex"}
"""Jupyter Book's extensions that keep nothing of a page they read, and do not say that several
processes may therefore read at once."""


def fingerprint(root, patterns=PATTERNS):
    """A short hash of the names and contents of all files under root that fit the patterns, and
    of the Python version."""
    digest = hashlib.sha256(sys.version.encode())
    paths = {path for pattern in patterns for path in Path(root).glob(pattern) if path.is_file()}
    for path in sorted(path for path in paths if "__pycache__" not in path.parts):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes()
                      + b"\0")
    return digest.hexdigest()[:16]


def cache_folder(root, build_folder):
    """Where this state of the package keeps its executed chapters."""
    return Path(build_folder) / ".jupyter_cache" / fingerprint(root)


def prune(folder):
    """Forget all but this and the newest other state beside it: back and forth costs nothing."""
    folder.touch()
    for old in sorted(folder.parent.iterdir(), key=lambda path: path.stat().st_mtime)[:-2]:
        shutil.rmtree(old)


def use_cache(app, config):
    config.nb_execution_cache_path = str(cache_folder(app.srcdir, Path(app.outdir).parent))
    config.pages_read_by = fingerprint(BOOK, ("_ext/*", "templates/*"))
    config.pages_written_with = fingerprint(BOOK, ("style/**/*", "script/*", "templates/*"))
    os.environ.setdefault("PYTHONHASHSEED", "0")  # the order of a set is part of what a page prints
    for name in UNDECLARED & set(app.extensions):
        app.extensions[name].parallel_read_safe = True


def forget_words(app):
    """Take out of the search's index the words that no page has any more."""
    for index in (app.builder.indexer._mapping, app.builder.indexer._title_mapping):
        for word in [word for word, pages in index.items() if not pages]:
            del index[word]
    return []


def setup(app):
    app.add_config_value("pages_read_by", "", "env")
    app.add_config_value("pages_written_with", "", "html")
    app.connect("config-inited", use_cache)
    app.connect("html-collect-pages", forget_words)  # when pages are written, and the index is not
    return {"parallel_read_safe": True, "parallel_write_safe": True}
