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
        text = content.decode("utf-8", "replace")
        recoded = [text.encode(code, "replace") for code in ("utf-8-sig", "utf-16", "latin-1")]
        yield [*recoded, *[content] * 27][rng.integers(30)]


def spoiled_tree(tree, rng):
    """The tree with one part replaced, wrapped, taken out, renamed or doubled; now and then the whole of it."""
    whole = [tree]
    owner, key = _place(whole, rng)
    elsewhere, there = _place(whole, rng)
    part, name, what = owner[key], str(rng.choice(NAMES)), rng.integers(6)
    if what < 4:
        owner[key] = deepcopy([JUNK[rng.integers(len(JUNK))], elsewhere[there], [part], {name: part}][what])
    elif what == 4 and owner is not whole:
        del owner[key]
    elif isinstance(owner, dict):
        owner[name] = owner.pop(key)
    else:
        owner[key:key] = [deepcopy(part)] * int(rng.integers(1, 30))
    return whole[0]


def _place(whole, rng):
    """A part of a tree: the list or dictionary that holds it, and its key there."""
    owner, key = whole, 0
    while isinstance(owner[key], list | dict) and owner[key] and rng.random() < (0.995 if owner is whole else 0.95):
        owner = owner[key]
        key = int(rng.integers(len(owner)))
        key = list(owner)[key] if isinstance(owner, dict) else key
    return owner, key


def spoiled_bytes(content, rng):
    """The bytes with some of them cut out, put in, repeated or changed."""
    at, size = int(rng.integers(len(content) + 1)), int(rng.integers(1, 200))
    here, rest = content[:at], content[at:]
    return [here, here + rest[size:], here + rest[:size] + rest, here + rng.bytes(size) + rest,
            here + rng.bytes(size)[:4] + rest[4:], here + b'"' + rest, here + b"[" * size + rest,
            content.replace(b'"', b"'", 3)][rng.integers(8)]


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
