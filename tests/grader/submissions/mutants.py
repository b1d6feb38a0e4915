"""Notebooks spoiled at random, and what the grader makes of each before any of it is run.

Every mutant must come out as a record: graded as far as it can be read, or flagged as no notebook.
"""

import json
from copy import deepcopy

import numpy as np
from corpus import version_3, written

from fi_grader.escaping import listing
from fi_grader.judging.judge import GradingRun, blank_record, bounded, plan_of, record_of
from fi_grader.report.views import feedback
from notebooks import filled, handed_out, to_bytes

JUNK = (None, True, 0, -1, 10**400, 2.5, float("nan"), float("-inf"), "", "x", "\ud800", "\0", "\u202e", "01_trees",
        "code", "markdown", "answer",
        "check", "trees.decrease", "trees-decrease-answer", [], {}, [[]], [None], {"": None}, {"a": {"b": [1]}},
        ["a", 1, None, ["b"]], [[[[[[]]]]]],
        'Q("trees.decrease").check(decrease)', "def decrease(left, right):\n    return 0", "```\n" * 50, "x" * 10_000)
NAMES = ("cells", "worksheets", "metadata", "source", "input", "id", "cell_type", "nbgrader", "fi_teach", "grade_id",
         "part", "question", "points", "kernelspec", "name")


def mutants(many, seed):
    """So many notebooks, each spoiled in a few places of its tree or of its bytes -> iterator of bytes."""
    rng = np.random.default_rng(seed)
    sound = [filled(), handed_out(), version_3(), *(json.loads(source) for _, source in list(written("odd"))[:10])]
    for _ in range(many):
        tree = deepcopy(sound[max(0, int(rng.integers(-20, len(sound))))])
        for _ in range(rng.integers(1, 8)):
            tree = spoiled_tree(tree, rng)
        content = to_bytes(tree)
        for _ in range(rng.integers(1, 4) if rng.random() < 0.3 else 0):
            content = spoiled_bytes(content, rng)
        yield _recoded(content, rng)


def spoiled_tree(tree, rng):
    """The tree with one part replaced, taken out, doubled, renamed or moved; now and then the whole of it."""
    owner, key = _place(tree, rng)
    if owner is None:
        return _junk(rng)
    what = rng.integers(6)
    if what == 0:
        owner[key] = _junk(rng)
    elif what == 1:
        del owner[key]
    elif what == 2 and isinstance(owner, list):
        owner[key:key] = [deepcopy(owner[key])] * int(rng.integers(1, 30))
    elif what == 3 and isinstance(owner, dict):
        owner[str(rng.choice(NAMES))] = owner.pop(key)
    elif what == 4:
        owner[key] = [owner[key]] if rng.random() < 0.5 else {str(rng.choice(NAMES)): owner[key]}
    else:
        other, there = _place(tree, rng)
        owner[key] = deepcopy(other[there]) if other is not None else _junk(rng)
    return tree


def _junk(rng):
    return deepcopy(JUNK[rng.integers(len(JUNK))])


def _place(tree, rng):
    """A part of the tree, by the list or dictionary that holds it and its key there; (None, None) for the whole."""
    owner, key = None, None
    while isinstance(tree, list | dict) and tree and (owner is None or rng.random() < 0.95):
        owner = tree
        key = int(rng.integers(len(tree))) if isinstance(tree, list) else list(tree)[rng.integers(len(tree))]
        tree = tree[key]
    return (None, None) if rng.random() < 0.005 else (owner, key)


def spoiled_bytes(content, rng):
    """The bytes with some of them changed, cut out, put in or repeated."""
    at, size = int(rng.integers(len(content) + 1)), int(rng.integers(1, 200))
    here, rest = content[:at], content[at:]
    return [lambda: here + rng.bytes(size)[:4] + rest[4:], lambda: here + rest[size:], lambda: here + rng.bytes(size)
            + rest, lambda: here + rest[:size] + rest,
            lambda: here, lambda: here + b'"' + rest, lambda: here + b"[" * size + rest,
            lambda: content.replace(b'"', b"'", 3)][rng.integers(8)]()


def _recoded(content, rng):
    code = rng.integers(30)
    if code > 2:
        return content
    text = content.decode("utf-8", "replace")
    return [b"\xef\xbb\xbf" + content, text.encode("utf-16", "replace"), text.encode("latin-1", "replace")][code]


def outcome(assignment, content):
    """What comes of a notebook's bytes without running any of it -> record. Anything but a ValueError is a crash."""
    try:
        record = record_of(GradingRun(assignment, bounded(plan_of, assignment, content), 1))
    except ValueError as error:
        record = blank_record(assignment, "no notebook", error)
    for source in record.get("answers", {}).values():
        json.dumps(listing(source)).encode()
    feedback({**record, "student": "anna", "exercise": assignment.name}).encode("utf-8", "backslashreplace")
    return record
