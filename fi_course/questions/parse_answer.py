"""Read answers as people write them: a number with its unit, several by name, or a letter.

What counts as which stands in one table, `answer_forms.FORMS`, which the page's judge reads as
well.
"""

import re
import unicodedata
from functools import cache

import numpy as np

from fi_course.questions.answer_forms import FORMS
from fi_course.questions.plain_values import SET

SMALL_WORD = re.compile(r"[a-z]+(?![^ ,.])")
"""What follows the article of a sentence: "A tree ..."; "A x2 ..." and "A MDI ..." are answers."""


@cache
def _form(pattern):
    return re.compile(pattern, re.IGNORECASE)


def _replaced(text, name):
    """Replace all that a list of the table names, one entry after the other -> str."""
    for pattern, replacement in FORMS[name]:
        text = _form(pattern).sub(re.sub(r"\$(\d)", r"\\\1", replacement), text)
    return text


# One number.


def number_and_unit(answer):
    """Read a plain answer as one number -> (float, unit), or (None, "") if it is not one.

    True is not a number.

    >>> number_and_unit("8/25"), number_and_unit("about 60 %."), number_and_unit("H = 0.72 bits")
    ((0.32, ''), (0.6, ''), (0.72, 'bits'))
    >>> number_and_unit([10, "minutes"]), number_and_unit("0,5 bits a day")
    ((10.0, 'minutes'), (0.5, 'bits a day'))
    """
    while isinstance(answer, list | dict) and len(answer) == 1:
        (answer,) = answer if isinstance(answer, list) else answer.values()
    if isinstance(answer, list) and len(answer) == 2 and isinstance(answer[1], str):
        value, unit = number_and_unit(answer[0])
        is_pair = value is not None and not unit and re.search(r"[^\W\d]|[%€$£°]", answer[1])
        return number_and_unit(f"{value!r} {answer[1]}") if is_pair else (None, "")
    if isinstance(answer, str):
        return _in_words(answer)
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        return None, ""
    try:
        return float(answer), ""
    except OverflowError:
        return np.inf if answer > 0 else -np.inf, ""


def _in_words(text):
    if len(text) > FORMS["longest"]:
        return None, ""
    text = _replaced(unicodedata.normalize("NFKC", _replaced(text, "before")), "tidy")
    sides = [text, *(_form(rest).sub("", text) for rest in FORMS["equation"])]
    found = next(filter(None, map(_form(FORMS["number"]).search, sides)), None)
    if not found or _form(FORMS["hedge"]).search(text):
        return None, ""
    currency, sign, whole, above, power, below, unit = (part or "" for part in found.groups())
    divisor = _decimal(below or "1")
    if divisor == 0 or any(_form(FORMS["two_ways"]).search(part) for part in (above, below)):
        return None, ""
    value = _power(_decimal(above), int(power or "1")) / divisor + float(whole or "0")
    percent = _form(FORMS["percent"]).search(unit)
    value = (-value if sign == "-" else value) / (100 if percent else 1)
    return value, unit[percent.end():] if percent else f"{currency} {unit}".strip()


def _decimal(digits):
    return float(digits.replace(",", "."))


def _power(base, exponent):
    try:
        return base**exponent
    except (OverflowError, ZeroDivisionError):
        return np.inf


def is_unit(unit, wanted):
    """Return whether a unit is one of those wanted, or no unit at all; other words may follow.

    >>> is_unit("Bits of entropy", ["bits"]), is_unit("nats", ["bits"]), is_unit("less", ["bits"])
    (True, False, True)
    """
    words = unit_words(unit)
    return (not words or bool(_form(FORMS["no_unit"]).search(words))
            or any(f" {unit_words(one)} " in f" {words} " for one in wanted))


def unit_words(unit):
    """Reduce a unit to its words: small, without plural s, nothing from "per" on -> str.

    >>> unit_words("Bits a day"), unit_words("bits/day"), unit_words("squared points")
    ('bit', 'bit', 'point^2')
    """
    unit = unicodedata.normalize("NFKC", _replaced(unit, "before")).lower()
    return _replaced(unit, "unit").strip()


def share_in(number, unit):
    """Return the share that "3 out of 4" may mean -> float or None."""
    whole = _form(FORMS["out_of"]).search(unit)
    return number / _decimal(whole[1]) if whole and _decimal(whole[1]) else None


# Several numbers.


def named_values(answer, entries):
    """Parse several values, by name or in order -> ({entry: value as given}, unknown names).

    Raises ValueError, saying how many are wanted, for a list of another length.
    """
    if isinstance(answer, str):
        answer = _values_in(answer, entries)
    if isinstance(answer, list) and answer and all(_is_pair(part, entries) for part in answer):
        answer = {part[0]: part[1] for part in answer}
    if isinstance(answer, dict) and SET not in answer:
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


def _values_in(text, entries):
    """Split a text into values: at semicolons, lines, commas, "and", slashes or spaces.

    Returns {name: value} where every part has its name, else a list.

    >>> _values_in("(1/3 and 1/2)", ["votes", "trees"])
    ['1/3', '1/2']
    >>> _values_in("votes 1/3, trees: 1/2", ["votes", "trees"])
    {'votes': '1/3', 'trees': '1/2'}
    """
    ways = (r"\s*[;\n]\s*", r"\s*,\s+(?:and\s+)?|\s+and\s+", r"\s*,\s*", r"\s+/\s+", r"\s+")
    if len(text) > len(entries) * FORMS["longest"]:
        return [text]
    text = text.rstrip(" \n.;,").strip(" \n()[]{}")
    cuts = [re.split(pattern, text) for pattern in ways]
    for parts in cuts:
        found = dict(filter(None, (_name_and_value(part, entries) for part in parts)))
        if len(found) == len(parts) > 1:
            return found
    return next((parts for parts in cuts if len(parts) == len(entries)), [text])


def _name_and_value(part, entries):
    """Return name and value of "votes 1/3", "votes = 1/3" or "1/3 votes", else None."""
    number, unit = number_and_unit(part)
    for cut in reversed([*re.finditer(r"\s*[:=]\s+|\s+", part), *re.finditer(r"[:=]", part)]):
        name, value = part[: cut.start()].strip(), part[cut.end():].strip()
        known = entry_of(name, entries) or (number is None and re.match(r"[^\W\d]", name) and name)
        if known and number_and_unit(value)[0] is not None:
            return known, value
    entry = None if number is None else entry_of(unit, entries)
    return (entry, number) if entry else None


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


# A letter.


def letter_and_reason(answer):
    """Parse a letter with a reason: ("b", "because ..."), "(b) because ..." or "option b: ...".

    Returns (letter, reason): None where there is no letter, "" where there is no reason.

    >>> letter_and_reason("B. Each row counts once"), letter_and_reason("A tree counts once")
    (('b', 'Each row counts once'), (None, 'A tree counts once'))
    """
    if isinstance(answer, str):
        return _letter_in(answer)
    parts = [*answer, None, None][:2] if isinstance(answer, list) else [None, None]
    given, reason = (part if isinstance(part, str) else "" for part in parts)
    letter, more = _letter_in(given)
    return letter, " ".join(filter(None, (more, reason))) if letter else reason or given


def _letter_in(text):
    found = _form(FORMS["letter"]).search(text.strip())
    if not found:
        return None, text
    letter, mark, rest = (part.strip() for part in found.groups())
    begins_sentence = (letter in ("A", "i", "I") and not mark and SMALL_WORD.match(rest)
                       and not _form(FORMS["reason"]).search(rest))
    if begins_sentence or _form(FORMS["two_letters"]).search(mark + rest):
        return None, text
    return letter.lower(), rest
