"""Recognize earlier editions of an exercise by the texts of its questions.

`editions.json` holds, of each earlier edition, the hash of each question's text. A notebook with a
text of an earlier edition is graded as the others are, by today's checks, and flagged: what it was
asked may have been another thing.
"""

import hashlib
import json
from functools import cache
from pathlib import Path

MOST_NAMED = 4


@cache
def _texts():
    """Load the hashes of earlier texts -> {edition: {question: hash of its text}}."""
    return json.loads(Path(__file__).with_name("editions.json").read_text(encoding="utf-8"))


def hash_of(source):
    """Hash a text -> str of twelve letters."""
    return hashlib.sha256(source.strip().encode("utf-8", "surrogatepass")).hexdigest()[:12]


def edition_flags(assignment, cells):
    """Flag questions whose text is from an earlier edition -> list of flags, empty if none is."""
    today = {c.question: hash_of(c.source) for c in assignment.cells if c.part == "text"}
    by_id = {c.id: c.question for c in assignment.cells if c.part == "text" and c.id}
    known = [(by_id.get(c.id) or (c.question if c.part == "text" else ""), c.source) for c in cells]
    here = [(question, hash_of(source)) for question, source in known
            if question and len(source) < 50_000]
    flags = []
    for edition, texts in _texts().items():
        other = list(dict.fromkeys(q for q, found in here if found == texts.get(q) != today.get(q)))
        if other:
            more = f" and {len(other) - MOST_NAMED} more" * (len(other) > MOST_NAMED)
            flags.append(f"{edition} edition: "
                         f"{', '.join(other[:MOST_NAMED])}{more} asked something else then")
    return flags
