"""Judge a letter, a number or several numbers, from known or from hashed answers.

`Choice` and `Value` hold the right answers. `fi_course.questions.specification` has their hashed
counterparts, with the same three methods: which targets a number fits, which entries these
concern, and the feedback on a hit.
"""

from dataclasses import dataclass, field

from fi_course.questions.parse_answer import letter_and_reason, listed, named_values, unit_word
from fi_course.questions.plain_values import near, number_and_unit, show
from fi_course.questions.verdict import Verdict

SHORTEST_REASON = 3
"""Words of a reason: fewer are none."""


@dataclass(frozen=True)
class Mistake:
    """A common mistake: its name, its output (a letter, a value or a function) and the feedback.

    Of several values a mistake may speak of some only, with `partly=True`: whatever the others are,
    it is named.
    """

    name: str
    output: object
    message: str
    partly: bool = False


# A letter.


@dataclass(frozen=True)
class Choice:
    """The check of a letter with a reason."""

    right: str
    mistakes: tuple

    @property
    def options(self):
        return tuple(sorted({self.right, *(m.output for m in self.mistakes)}))

    @property
    def names(self):
        return frozenset(m.name for m in self.mistakes)

    def feedback(self, letter):
        """Return a letter's feedback -> (status, mistake, message), or None if it is no option."""
        mistakes = {m.output: ("wrong", m.name, m.message) for m in self.mistakes}
        return {self.right: ("right", "", ""), **mistakes}.get(letter)

    def __call__(self, answer, rng):
        return judge_choice(self, answer)


def judge_choice(asked, answer):
    """Judge a letter with a reason -> Verdict; `asked` has `options` and `feedback`."""
    offered = ", ".join(asked.options)
    letter, reason = letter_and_reason(answer)
    if isinstance(answer, list) and None in answer[:2]:
        return Verdict("not started",
                       'Give a letter and, in a sentence, your reason: `"b", "because ..."`.')
    if letter is None:
        return Verdict("wrong",
                       f'Begin with a letter ({offered}); then your reason: '
                       '`"b", "because ..."`.', "no letter yet", yours=show(answer))
    if letter not in asked.options:
        return Verdict("wrong", f"There is no answer `{letter}`: choose one of {offered}.")
    if len(reason.split()) < SHORTEST_REASON:
        return Verdict("wrong",
                       f"You have chosen `{letter}`. Now say why, in a sentence of at least "
                       f"{SHORTEST_REASON} words: a prediction teaches only if it had a reason.",
                       "no reason yet")
    status, name, message = asked.feedback(letter)
    return Verdict(status, name and message, name, meaning=message if status == "right" else "")


# Numbers.


@dataclass(frozen=True)
class Target:
    """Values in the order of the entries (None: not relevant), and the feedback on a hit."""

    values: tuple
    status: str = "right"
    name: str = ""
    message: str = ""


@dataclass(frozen=True)
class Value:
    """The check of a number, or of several by name.

    targets : the right one first, then the mistakes
    entries : names of several values; none for a single number
    default : what an entry is taken to be if it is left out
    """

    targets: tuple
    entries: tuple = ()
    units: tuple = ()
    tolerance: float = 0.0051
    default: tuple = field(default=())

    @property
    def names(self):
        return frozenset(target.name for target in self.targets[1:])

    @property
    def relevant(self):
        """Return for each target the places of its relevant values -> list of tuples."""
        return [
            tuple(i for i, v in enumerate(target.values) if v is not None)
            for target in self.targets
        ]

    def fits(self, k, i, number):
        """Return whether the number is within the tolerance of target k in place i -> bool."""
        return near(number, self.targets[k].values[i], self.tolerance)

    def feedback(self, k, numbers):
        """Return the feedback on a hit of target k -> (status, mistake, message)."""
        target = self.targets[k]
        return target.status, target.name, target.message

    def __call__(self, answer, rng):
        return judge_value(self, answer)


def value_of(right, mistakes, units, tolerance, default=None):
    """Return the check of these values -> Value, in the order of the right one; omissions are 0."""
    if not isinstance(right, dict):
        targets = (
            Target((float(right),)),
            *(Target((float(m.output),), "wrong", m.name, m.message) for m in mistakes),
        )
        return Value(targets, (), units, tolerance)
    entries = tuple(right)
    default = dict.fromkeys(entries, 0.0) | (default or {})

    def placed(values, partly=False):
        left_out = dict.fromkeys(entries) if partly else default
        found = [(left_out | values)[entry] for entry in entries]
        return tuple(None if value is None else float(value) for value in found)

    targets = (
        Target(placed(right)),
        *(Target(placed(m.output, m.partly), "wrong", m.name, m.message) for m in mistakes),
    )
    return Value(targets, entries, units, tolerance, tuple(map(default.get, entries)))


def judge_value(asked, answer):
    """Judge one number or several -> Verdict; `asked` is a Value or its hashed counterpart."""
    return _judge_several(asked, answer) if asked.entries else _judge_one(asked, answer)


def _judge_one(asked, answer):
    number, unit = number_and_unit(answer)
    if number is None:
        return Verdict("wrong", _no_number(answer), yours=show(answer))
    return _wrong_unit(asked, unit) or _of_numbers(asked, [number], answer)


def _no_number(answer):
    comma = ((isinstance(answer, list) and len(answer) == 2)
             or (isinstance(answer, str) and "," in answer))
    if comma:
        return "A comma is read as two numbers, or as thousands: write a decimal point."
    return "The question asks for a number."


def _wrong_unit(asked, unit):
    """Return the verdict on a wrong unit, or None; if no unit is asked for, any is accepted."""
    wanted = [unit for unit in asked.units if unit]
    if not unit or not wanted or unit_word(unit) in map(unit_word, wanted):
        return None
    return Verdict("wrong", f"The question asks for {wanted[0]}.", "wrong unit", yours=unit)


def _judge_several(asked, answer):
    try:
        given, strange = named_values(answer, asked.entries)
    except ValueError as error:
        return Verdict("wrong", str(error), yours=show(answer))
    blank = [entry for entry, value in given.items() if value is None]
    if blank:
        return Verdict("wrong", f"Still to be filled in: {listed(blank)}.")
    if strange:
        return Verdict("wrong",
                       f"There is no entry `{strange[0]}`: "
                       f"the entries are {listed(asked.entries)}.")
    read = {
        entry: number_and_unit(given[entry]) if entry in given else (default, "")
        for entry, default in zip(asked.entries, asked.default, strict=True)
    }
    wordy = [entry for entry, (number, _) in read.items() if number is None]
    if wordy:
        return Verdict("wrong", f"No number stands at {listed(wordy)}.", yours=show(answer))
    units = (_wrong_unit(asked, unit) for _, unit in read.values())
    missing = [entry for entry in asked.entries if entry not in given]
    return (next(filter(None, units), None)
            or _of_numbers(asked, [number for number, _ in read.values()], answer, missing))


def _of_numbers(asked, numbers, answer, missing=()):
    """Judge the numbers: right, a mistake in all, mistakes in some, or which are wrong."""
    hit = [
        k
        for k, places in enumerate(asked.relevant)
        if all(asked.fits(k, i, numbers[i]) for i in places)
    ]
    if hit and hit[0] == 0:
        status, _, meaning = asked.feedback(0, numbers)
        return Verdict(status, meaning=meaning)
    whole = [k for k in hit if len(asked.relevant[k]) == len(numbers)]
    named = whole[:1] or hit
    found = [asked.feedback(k, numbers)[1:] for k in named]
    explained = {i for k in named for i in asked.relevant[k]}
    wrong = [
        i for i, number in enumerate(numbers) if i not in explained and not asked.fits(0, i, number)
    ]
    said = [message for _, message in found] + [_not_right(asked, wrong, missing)] * bool(wrong)
    return Verdict("wrong", " ".join(dict.fromkeys(said)), found[0][0] if found else "",
                   yours=show(answer))


def _not_right(asked, wrong, missing):
    """Return the feedback on wrong values in these places that match no known mistake -> str."""
    if not asked.entries:
        return "That is not the value."
    if any(asked.default):
        return "Not all of the values are right, or one is missing."
    wrong = [asked.entries[i] for i in wrong]
    lost = [entry for entry in missing if entry in wrong]
    if lost:
        return f"No entry yet for {listed(lost)}. The entries are {listed(asked.entries)}."
    if len(wrong) == len(asked.entries):
        return f"None of the {len(wrong)} values is right yet."
    return f"Not right yet: {listed(wrong)}."
