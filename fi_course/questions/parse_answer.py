"""Parse answers: several values by name, units, and a letter with its reason.

A unit is compared in small letters, without spaces, its plural s or what it is counted by ("bits a
day", "bits/day").
"""

import re

from fi_course.questions.plain_values import number_and_unit

REASONED = re.compile(
    r"(because|since|as|for|it|its|they|the|each|every|only|both|all|no|in|if|with)\b",
    re.IGNORECASE)
"""How a reason may begin: "a because ..." is a letter with a reason, "A tree ..." a sentence."""


def unit_word(unit):
    """Normalise a unit: lower case, no spaces, no plural s, nothing from "per" on -> str.

    >>> unit_word("Bits a day"), unit_word("bits/day"), unit_word("min.")
    ('bit', 'bit', 'min')
    """
    counted = re.sub(r"\s*(/|\b(?:per|a|an|each)\b).*", "", unit.lower().strip())
    return "".join(counted.split()).rstrip(".").removesuffix("s")


def named_values(answer, entries):
    """Parse several values, by name or in order -> ({entry: value as given}, unknown names).

    Raises ValueError, saying how many are wanted, for a list of another length.
    """
    if isinstance(answer, str):
        answer = _parts(answer, len(entries))
    if isinstance(answer, list) and answer and all(_is_pair(part, entries) for part in answer):
        answer = {part[0]: part[1] for part in answer}
    if isinstance(answer, dict):
        found = _named_otherwise({key: entry_of(key, entries) for key in answer}, entries)
        strange = [
            key for key, entry in found.items() if entry is None and answer[key] not in (0, None)
        ]
        return {entry: answer[key] for key, entry in found.items() if entry is not None}, strange
    if not isinstance(answer, list) or len(answer) != len(entries):
        raise ValueError(f"The question asks for {len(entries)} values: {listed(entries)}.")
    return dict(zip(entries, answer, strict=True)), []


def _named_otherwise(found, entries):
    """Match the only unknown name with the only missing entry ("both" for "together")."""
    strange = [key for key, entry in found.items() if entry is None]
    missing = [entry for entry in entries if entry not in found.values()]
    return found | {strange[0]: missing[0]} if len(strange) == len(missing) == 1 else found


def _parts(text, wanted):
    """Split a text into this many values, at semicolons, commas, "and" or spaces -> list.

    >>> _parts("18, 8 and 2", 3)
    ['18', '8', '2']
    """
    ways = (r"\s*;\s*", r"\s*,\s+(?:and\s+)?|\s+and\s+", r"\s*,\s*", r"\s+")
    cuts = (re.split(pattern, text.strip()) for pattern in ways)
    return next((parts for parts in cuts if len(parts) == wanted), [text])


def _is_pair(part, entries):
    """Return whether it is a name and its value; a number that is no entry's name is not a name."""
    if not (isinstance(part, list) and len(part) == 2 and isinstance(part[0], str)):
        return False
    return entry_of(part[0], entries) is not None or number_and_unit(part[0])[0] is None


def entry_of(key, entries):
    """Return the entry that a name means, by its letters and digits -> str or None.

    The only entry that contains them is accepted as well.

    >>> cuts = ["Time ≤ 70", "Time ≤ 130"]
    >>> entry_of("time<=70", cuts), entry_of("70", cuts), entry_of("z", cuts)
    ('Time ≤ 70', 'Time ≤ 70', None)
    """
    bare = {entry: re.sub(r"[\W_]", "", entry.lower()) for entry in entries}
    word = re.sub(r"[\W_]", "", str(key).lower())
    equal = [entry for entry, text in bare.items() if text == word]
    inside = [
        entry for entry, text in bare.items() if len(word) > 1 and (word in text or text in word)
    ]
    return equal[0] if equal else inside[0] if len(inside) == 1 else None


def listed(names):
    """Format names as code, with commas -> str. A name that contains a comma stays whole.

    >>> listed(["x1, double 1", "x2"])
    '`x1, double 1`, `x2`'
    """
    return ", ".join(f"`{name}`" for name in names)


def letter_and_reason(answer):
    """Parse a letter with a reason: ("b", "because ..."), "(b) because ..." or "b - because ...".

    Returns (letter, reason).

    The letter is None where there is none, the reason is "" where there is none; a lone word "a"
    begins a sentence.
    """
    if isinstance(answer, str):
        return _letter_in(answer)
    parts = [*answer, None, None][:2] if isinstance(answer, list) else [None, None]
    letter, reason = (part if isinstance(part, str) else "" for part in parts)
    if not reason:
        return _letter_in(letter)
    bare = re.sub(r"[\W_]", "", letter).lower()
    return (bare if len(bare) == 1 else None), reason


def _letter_in(text):
    found = re.fullmatch(r"\W*([^\W\d_])(?:(\W*[^\w\s]\W*)|\s+|$)(.*)", text, re.DOTALL)
    if not found:
        return None, text
    letter, mark, rest = found.groups()
    sentence = letter.lower() in "ai" and not mark and rest and not REASONED.match(rest)
    return (None, text) if sentence else (letter.lower(), rest.strip())
