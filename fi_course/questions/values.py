"""Judge a letter, a number or several numbers by a hashed answer key.

`Choice` and `Value` hold the right answers and write the key. Only the key judges, in every copy:
it opens the feedback on an answer to whoever gives that answer, and shows no other.
`fi_course.questions.specification` documents the key.
"""

import json
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fi_course.questions import hashed_answers as hashed
from fi_course.questions.compare_values import near
from fi_course.questions.parse_answer import (
    is_unit,
    letter_and_reason,
    listed,
    named_values,
    number_and_unit,
    share_in,
)
from fi_course.questions.plain_values import show
from fi_course.questions.verdict import Verdict

SHORTEST_REASON = 3
"""Words of a reason: fewer are none."""
IN_PER_CENT = (
    "per cent without its sign",
    'You count in per cent: write a share such as 0.05, or the sign, as in `"5 %"`.',
)


def _sealed(key, status, name, message):
    verdict = {"status": status, "mistake": name, "message": message}
    return hashed.seal(json.dumps(verdict, ensure_ascii=False), key)


def _opened(sealed, key):
    """Return the feedback that this key opens -> (status, mistake, message)."""
    verdict = json.loads(hashed.unseal(sealed, key))
    return verdict["status"], verdict["mistake"], verdict["message"]


# A letter.


@dataclass(frozen=True)
class Choice:
    """The check of a letter with a reason."""

    right: str
    mistakes: tuple

    @property
    def names(self):
        return frozenset(m.name for m in self.mistakes)

    def answer_key(self, id="", meaning=""):
        """Return the hashed key of a question with this id -> dict."""
        feedback = {m.output: ("wrong", m.name, m.message) for m in self.mistakes}
        feedback = dict(sorted((feedback | {self.right: ("right", "", meaning)}).items()))
        words = {letter: f"{id}|{letter}" for letter in feedback}
        verdicts = {hashed.tag(words[a]): _sealed(words[a], *feedback[a]) for a in feedback}
        return {"id": id, "options": [*feedback], "verdicts": dict(sorted(verdicts.items()))}

    @cached_property
    def _key(self):
        return self.answer_key()

    def __call__(self, answer, rng):
        return judge_choice(self._key, answer)


def judge_choice(key, answer):
    """Judge a letter with a reason by the question's key -> Verdict."""
    offered = ", ".join(key["options"])
    letter, reason = letter_and_reason(answer)
    if isinstance(answer, list) and None in answer[:2]:
        return Verdict("not started",
                       'Give a letter and, in a sentence, your reason: `"b", "because ..."`.')
    if letter is None:
        return Verdict("wrong",
                       f'Begin with a letter ({offered}); then your reason: '
                       '`"b", "because ..."`.', "no letter yet", yours=show(answer))
    if letter not in key["options"]:
        return Verdict("wrong", f"There is no answer `{letter}`: choose one of {offered}.")
    if len(reason.split()) < SHORTEST_REASON:
        return Verdict("wrong",
                       f"You have chosen `{letter}`. Now say why, in a sentence of at least "
                       f"{SHORTEST_REASON} words: a prediction teaches only if it had a reason.",
                       "no reason yet")
    word = f"{key['id']}|{letter}"
    status, name, message = _opened(key["verdicts"][hashed.tag(word)], word)
    return Verdict(status, name and message, name, meaning=message if status == "right" else "")


# Numbers.


@dataclass(frozen=True)
class Target:
    """Values in the order of the entries (None: not relevant), and the feedback on a hit."""

    values: tuple
    status: str = "right"
    name: str = ""
    message: str = ""

    @property
    def relevant(self):
        return [i for i, value in enumerate(self.values) if value is not None]


@dataclass(frozen=True)
class Value:
    """The check of a number, or of several by name.

    targets : the right one first, then the mistakes
    entries : names of several values; none for a single number
    default : what an entry is taken to be if it is left out, as where a printed table is corrected
    """

    targets: tuple
    entries: tuple = ()
    units: tuple = ()
    tolerance: float = 0.0051
    default: tuple = ()

    @classmethod
    def of(cls, right, mistakes, units, tolerance, default=None):
        """Return the check of a number or of a dictionary; what a whole target leaves out is 0."""
        several = isinstance(right, dict)
        entries = tuple(right) if several else ("",)
        default = dict.fromkeys(entries, 0.0) | (default or {})

        def placed(values, partly=False):
            values = values if several else {"": values}
            found = (dict.fromkeys(entries) if partly else default) | values
            return tuple(None if found[e] is None else float(found[e]) for e in entries)

        targets = (Target(placed(right)),
                   *(Target(placed(m.output, m.partly), "wrong", m.name, m.message)
                     for m in mistakes))
        return cls(targets, entries if several else (), tuple(filter(None, units)), tolerance,
                   tuple(default[e] for e in entries) if several else ())

    @property
    def names(self):
        return frozenset(target.name for target in self.targets[1:])

    def answer_key(self, id="", meaning=""):
        """Return the hashed key of a question with this id -> dict."""
        cells, verdicts = {}, []
        for k, target in enumerate(self.targets):
            values = [target.values[i] for i in target.relevant]
            for i, value in zip(target.relevant, values, strict=True):
                words = (f"{id}|{k}|{i}|{c}" for c in hashed.cells_near(value, self.tolerance))
                cells |= {hashed.tag(word): hashed.pad(word, value) for word in words}
            verdicts.append(_sealed(_key_of(id, k, values), target.status, target.name,
                                    target.message if k else meaning))
        return {
            "id": id,
            "entries": list(self.entries),
            "units": list(self.units),
            "tolerance": self.tolerance,
            "default": list(self.default),
            "relevant": [target.relevant for target in self.targets],
            "cells": dict(sorted(cells.items())),
            "verdicts": verdicts,
        }

    @cached_property
    def _key(self):
        return self.answer_key()

    def __call__(self, answer, rng):
        return judge_value(self._key, answer)


def _key_of(id, k, values):
    return "|".join([id, str(k), *map(hashed.hex_of, values)])


def judge_value(key, answer):
    """Judge one number or several by the question's key -> Verdict."""
    return (_judge_several if key["entries"] else _judge_one)(key, answer)


def _judge_one(key, answer):
    number, unit = number_and_unit(answer)
    if number is None:
        return Verdict("wrong", _no_number(answer), yours=show(answer))
    share = share_in(number, unit)
    number = share if share is not None and _fits(key, 0, 0, share) else number
    return _wrong_unit(key, unit) or _of_numbers(key, [number], answer)


def _no_number(answer):
    comma = ((isinstance(answer, list) and len(answer) == 2)
             or (isinstance(answer, str) and "," in answer))
    if comma:
        return ("A comma may part numbers, thousands or decimals: write a decimal point, "
                "and no other comma.")
    return "The question asks for a number: write it as in `0.42`, `3/8` or `42 %`."


def _wrong_unit(key, unit):
    """Return the verdict on a wrong unit, or None; if no unit is asked for, any is accepted."""
    if not key["units"] or is_unit(unit, key["units"]):
        return None
    return Verdict("wrong", f"The question asks for {key['units'][0]}.", "wrong unit", yours=unit)


def _judge_several(key, answer):
    entries = key["entries"]
    try:
        given, strange = named_values(answer, entries)
    except ValueError as error:
        some = ("Say which value each number is, as in "
                f"`{{{entries[0]!r}: 0.31}}`: the entries are {listed(entries)}.")
        return Verdict("wrong", some if any(key["default"]) else str(error), yours=show(answer))
    blank = [entry for entry, value in given.items() if value is None]
    if blank:
        return Verdict("wrong", f"Still to be filled in: {listed(blank)}.")
    if strange:
        return Verdict("wrong",
                       f"There is no entry `{strange[0]}`: the entries are {listed(entries)}.")
    read = {
        entry: number_and_unit(given[entry]) if entry in given else (default, "")
        for entry, default in zip(entries, key["default"], strict=True)
    }
    wordy = [entry for entry, (number, _) in read.items() if number is None]
    if wordy:
        return Verdict("wrong", f"No number stands at {listed(wordy)}.", yours=show(answer))
    units = (_wrong_unit(key, unit) for _, unit in read.values())
    missing = [entry for entry in entries if entry not in given]
    return (next(filter(None, units), None)
            or _of_numbers(key, [number for number, _ in read.values()], answer, missing))


def _of_numbers(key, numbers, answer, missing=()):
    """Judge the numbers: right, a mistake in all, mistakes in some, or which are wrong."""
    relevant = key["relevant"]
    hit = [
        k for k, places in enumerate(relevant) if all(_fits(key, k, i, numbers[i]) for i in places)
    ]
    if hit and hit[0] == 0:
        status, _, meaning = _feedback(key, 0, numbers)
        return Verdict(status, meaning=meaning)
    whole = [k for k in hit if len(relevant[k]) == len(numbers)]
    named = whole[:1] or hit
    found = [_feedback(key, k, numbers)[1:] for k in named]
    if not found and _in_per_cent(key, numbers):
        name, message = IN_PER_CENT
        return Verdict("wrong", message, name, yours=show(answer))
    explained = {i for k in named for i in relevant[k]}
    wrong = [
        i for i, number in enumerate(numbers) if i not in explained and not _fits(key, 0, i, number)
    ]
    said = [message for _, message in found] + [_not_right(key, wrong, missing)] * bool(wrong)
    return Verdict("wrong", " ".join(dict.fromkeys(said)), found[0][0] if found else "",
                   yours=show(answer))


def _value(key, k, i, number):
    """Return the value of target k in place i if the number is near it -> float or None."""
    if not np.isfinite(number):
        return None
    word = f"{key['id']}|{k}|{i}|{hashed.cell(number, hashed.width_of(key['tolerance']))}"
    sealed = key["cells"].get(hashed.tag(word))
    return None if sealed is None else hashed.unpad(word, sealed)


def _fits(key, k, i, number):
    """Return whether the number is within the tolerance of target k in place i -> bool."""
    value = _value(key, k, i, number)
    return value is not None and near(number, value, key["tolerance"])


def _feedback(key, k, numbers):
    """Return the feedback on a hit of target k -> (status, mistake, message)."""
    values = [_value(key, k, i, numbers[i]) for i in key["relevant"][k]]
    return _opened(key["verdicts"][k], _key_of(key["id"], k, values))


def _in_per_cent(key, numbers):
    """Return whether these are the right shares times a hundred, in whole per cent or not."""
    return all(abs(number) <= 100 and _fits(key, 0, i, number / 100)
               for i, number in enumerate(numbers))


def _not_right(key, wrong, missing):
    """Return the feedback on wrong values in these places that match no known mistake -> str."""
    entries = key["entries"]
    if not entries:
        return "That is not the value."
    if any(key["default"]):
        return "Not all of the values are right, or one is missing."
    wrong = [entries[i] for i in wrong]
    lost = [entry for entry in missing if entry in wrong]
    if lost:
        return f"No entry yet for {listed(lost)}. The entries are {listed(entries)}."
    if len(wrong) == len(entries):
        return f"None of the {len(wrong)} values is right yet."
    return f"Not right yet: {listed(wrong)}."
