"""Execute a chapter's code cells under one seed in this process; no figure is rendered or shown.

What counts is what is computed. A figure is built but never rendered, `display` shows nothing, and
of what a cell prints, or ends with, the words are kept. Times are the processor's, so that a busy
machine tells the same as an idle one.
"""

import contextlib
import io
import linecache
import os
import sys
import time
import types

import shifted_seeds
from assertions import NAME, Outcome, Record, instrument
from robustness import code_cells

MEANT_TO_FAIL = "raises-exception"  # the tag by which Jupyter, too, knows such a cell


def run_cells(cells, record):
    """Execute code cells -> (statements, {cell: seconds}, {cell: error}, {cell: print})."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    module.__dict__.update({NAME: record, "display": lambda *things, **named: None})
    statements, seconds, errors, printed = [], {}, {}, {}
    for id, source, tags in cells:
        tree, found = instrument(id, source)
        statements += found
        record.cell, started = id, time.process_time()
        error, printed[id] = run_cell(id, source, tree, module.__dict__)
        seconds[id] = time.process_time() - started
        if error and MEANT_TO_FAIL not in tags:
            errors[id] = error
    return statements, seconds, errors, printed


def run_cell(id, source, tree, namespace):
    """Execute one cell without showing anything -> (its error in a line or None, its print)."""
    import matplotlib.pyplot as plt

    name, said = f"<{id}>", io.StringIO()
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        try:
            exec(compile(tree, name, "exec"), namespace)
        except Exception as error:
            return f"{type(error).__name__}: {error}", said.getvalue()
        finally:
            plt.close("all")
    return None, said.getvalue()


def be_quiet():
    """Silence figures, displays and warnings: only what is computed counts."""
    import warnings

    import IPython.display
    import matplotlib.pyplot as plt

    warnings.simplefilter("ignore")
    plt.show = IPython.display.display = lambda *things, **named: None


def run_seed(path, draw):
    """Run a notebook under one seed -> its outcomes, ready for JSON."""
    started, record = time.process_time(), Record()
    os.chdir(path.parent)
    be_quiet()
    shifted_seeds.use(draw)
    statements, seconds, errors, printed = run_cells(code_cells(path), record)
    outcomes = [outcome_of(record, one, errors) for one in statements]
    return {"draw": draw, "seconds": time.process_time() - started, "cells": seconds,
            "errors": errors, "outcomes": outcomes, "printed": printed,
            "statements": [vars(one) for one in statements]}


def outcome_of(record, statement, errors):
    """Return [held, why not, a digest of the values compared] of one statement."""
    found = record.outcomes.get((statement.cell, statement.number))
    if found is None:
        return [False, errors.get(statement.cell, Outcome().because), ""]
    return [found.held, "" if found.held else found.because, found.digest.hexdigest()]
