"""List the sentences with numbers that no cell beside them gives: for editors, not a test.

A number in a chapter's prose should be asserted, claimed or printed by a cell nearby, or be an
input that stands in its code. Here are the others, found by a rule of thumb: a number of the text
is looked for, as it is rounded there, in the code and the prints (of the book's own draw) of the
code cells around it. A percentage is also looked for as a share. What is no result, such as a year
or the number of a chapter, is skipped as far as it can be told.
"""

import re
from dataclasses import dataclass

BEFORE, AFTER = 4, 2  # code cells around a sentence that may give its numbers
NUMBER = re.compile(r"(?<![\w.,/−-])[−-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e-?\d+)?(?![\w/])")
NO_RESULT = re.compile(
    r"\$\$.*?\$\$|\$[^$\n]+\$|`[^`]*`|\]\([^)]*\)|<[^>]+>|https?://\S+"  # formulas, code, links
    r"|\b(?:[Cc]hapters?|[Ss]ets?|[Ee]xercises?|[Cc]ells?|[Ff]igures?|[Ss]teps?) \d[\d.]*\w*"
    r"|\b(?:1[89]|20)\d\d\b", re.DOTALL)
SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z*\[“\"(])|\n\s*\n|\n(?=[-*|>\d])|\n")
SKIPPED = ("#", "|", "```", "$$", ":::", "<details")
SMALL = set(range(11))  # whole numbers that are mostly counts of things just named


@dataclass(frozen=True)
class UnassertedSentence:
    """A sentence and those of its numbers that no cell beside it gives."""

    cell: str
    sentence: str
    numbers: tuple


def value_of(text):
    return float(text.replace(",", "").replace("−", "-"))


def decimals(text):
    return len(text.partition(".")[2].partition("e")[0])


def is_given(text, percent, given):
    """Return whether a given number, rounded as in the text, equals the one in the text."""
    wanted, places = value_of(text), decimals(text)
    scales = (1, 100, -1, -100) if percent else (1, -1)
    return any(abs(round(scale * number, places) - wanted) < 1e-9
               for number in given for scale in scales)


def numbers_in(text):
    """Return all numbers in code or printed text, also those that touch letters."""
    found = re.findall(r"\d[\d,]*\.?\d*(?:e-?\d+)?|\.\d+", text.replace("_", ""))
    return {value_of(number) for number in found}


def sentences(markdown):
    """Yield the sentences of a cell's prose, without headings, tables, quiz answers
    and references."""
    if len(re.findall(r"doi\.org|arxiv\.org", markdown)) > 1:
        return
    for part in SENTENCE.split(markdown):
        if part and part.strip() and not part.lstrip().startswith(SKIPPED):
            yield part.strip()


def numbers_without_source(sentence, given):
    """Yield the numbers of a sentence that are neither given nor small counts."""
    words = NO_RESULT.sub(" ", sentence)
    for match in NUMBER.finditer(words):
        text = match.group().rstrip(",.")
        percent = re.match(r"\s*(?:%|percent)", words[match.end():]) is not None
        small = value_of(text) in SMALL and not percent and "." not in text
        if not small and not is_given(text, percent, given):
            yield text + " %" * percent


def around(cells, place):
    """Return the code cells near a place of the notebook."""
    before, after = ([cell for cell in part if cell["cell_type"] == "code"]
                     for part in (cells[:place], cells[place:]))
    return before[-BEFORE:] + after[:AFTER]


def unsupported_numbers(cells, printed):
    """Yield the unasserted sentences of a notebook; printed is {cell: its printed text}."""
    for place, cell in enumerate(cells):
        if cell["cell_type"] != "markdown":
            continue
        near = [("".join(code["source"]), printed.get(code["id"], ""))
                for code in around(cells, place)]
        given = set().union(*(numbers_in(text) for texts in near for text in texts))
        for sentence in sentences("".join(cell["source"])):
            numbers = tuple(numbers_without_source(sentence, given))
            if numbers:
                yield UnassertedSentence(cell["id"], " ".join(sentence.split()), numbers)
