"""Executed chapters are remembered for as long as what they import stays the same.

jupyter-cache knows a notebook by its code cells alone, so a change
in the package would leave stale figures on the page.
Here the cache's folder is named after everything else that an output depends on:
the package, the claims ledger and the versions that are installed.
Change a line there and every chapter runs again; change prose and none does.
"""

import hashlib
import os
import sys
from pathlib import Path

KINDS = ("py", "js", "css", "csv", "json", "mplstyle", "ttf")
PATTERNS = (*(f"fi_*/**/*.{kind}" for kind in KINDS), "book/claims.yaml", "requirements.lock")


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


def use_cache(app, config):
    config.nb_execution_cache_path = str(cache_folder(app.srcdir, Path(app.outdir).parent))
    os.environ.setdefault("PYTHONHASHSEED", "0")  # the order of a set is part of what a page prints


def setup(app):
    app.connect("config-inited", use_cache)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
