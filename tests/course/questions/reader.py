"""A reader: it reads whatever is in a student's copy, and writes answers. It tries nothing.

    python tests/course/questions/reader.py FOLDER     -> {question: source that defines `answer`}

It takes the words of hints for sums and works them out, walks through all that a check holds in
memory, looks letters and numbers up beside the words that go with answers, makes tables of the
public cases, and opens whatever is sealed with a key that lies beside it. `test_reader.py` counts
what that earns.
"""

import ast
import json
import re
import sys
import warnings
from functools import cache
from pathlib import Path

WORDS = {"times": "*", "·": "*", "×": "*", "of": "*", "less": "-", "minus": "-", "−": "-", "plus": "+", "over": "/",
         "²": "**2", "³": "**3"}
SUM = re.compile(r"[-(.\d][-+*/.()\d\s]*[.)\d]")
TELLING = re.compile(r"\b(?:right|answer|solution|reference|correct|output|expected)\b\W{1,6}([-\w./]+)", re.IGNORECASE)


def specifications(folder):
    """All questions of the copy as they lie on the disk -> list of dicts."""
    files = sorted(folder.glob("fi_course/questions/specifications/*.json"))
    read = (json.loads(file.read_text(encoding="utf-8")) for file in files)
    return [question for whole in read for question in whole["questions"]]


def sums_in(text):
    """The values of all sums in a text, "400 times .05" included -> list of numbers."""
    for word, sign in WORDS.items():
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)" if word.isalpha() else re.escape(word), sign, text)
    values = [_value(written.strip().rstrip(".")) for written in SUM.findall(text)]
    return [value for value in values if value is not None]


def _value(written):
    try:
        with warnings.catch_warnings(action="ignore"):
            return float(eval(compile(ast.parse(written, mode="eval"), "", "eval"), {"__builtins__": {}}))
    except (SyntaxError, NameError, TypeError, ValueError, ArithmeticError):
        return None


def from_hints(question):
    """What the hints come to: the last sum of the last hint that has one -> number or None."""
    found = [sums_in(hint) for hint in reversed(question["hints"])]
    return next((values[-1] for values in found if values), None)


def from_memory(folder, question):
    """The first number that the check itself holds and that is no setting -> number or None."""
    sys.path.insert(0, str(folder))
    from fi_course.questions import QUESTIONS

    settings = ("tolerance", "stars", "minutes", "points", "seconds", "data", "relevant", "options")
    seen, open_ends = set(), [QUESTIONS[question["id"]].check]
    while open_ends:
        thing = open_ends.pop()
        if id(thing) in seen or isinstance(thing, type):
            continue
        seen.add(id(thing))
        if isinstance(thing, int | float) and not isinstance(thing, bool):
            return thing
        parts = thing.values() if isinstance(thing, dict) else thing if isinstance(thing, list | tuple) else ()
        fields = [value for name, value in getattr(thing, "__dict__", {}).items() if name not in settings]
        closure = [cell.cell_contents for cell in getattr(thing, "__closure__", None) or ()]
        open_ends += [*parts, *fields, *closure]
    return None


def from_text(folder, question):
    """A word behind "right" or "answer", near the question's id in any file -> str or None."""
    for text in texts(folder):
        for found in re.finditer(re.escape(question["id"]), text):
            told = TELLING.search(text, found.end(), found.end() + 400)
            if told and (len(told[1]) == 1 or _value(told[1]) is not None):
                return told[1]
    return None


@cache
def texts(folder):
    """All that can be read in the copy -> list of str."""
    return [file.read_text(encoding="utf-8") for file in sorted(folder.rglob("*"))
            if file.suffix in (".py", ".json", ".md", ".ipynb", ".toml")]


def a_number(folder, question):
    found = from_memory(folder, question)
    found = from_hints(question) if found is None else found
    found = from_text(folder, question) if found is None else found
    if question["entries"]:
        found = dict(zip(question["entries"], question["default"], strict=True))
    return f"answer = {found!r}"


def a_letter(folder, question):
    letter = from_memory(folder, question) or from_text(folder, question)
    known = isinstance(letter, str) and len(letter) == 1
    return f"answer = {(letter, 'because I have read it') if known else None!r}"


def a_function(folder, question):
    """What a test of the set is tried on, if it fits the public cases; else a table of these."""
    sys.path.insert(0, str(folder))
    from fi_course.questions.specification import question_from

    for code in implementations(folder, question["notebook"]):
        space = {"__name__": "implementations"}
        exec(code, space)
        check = question_from(question | {"blocked": []}).check
        fitting = [name for name, one in [*space.items()] if callable(one) and check(one, None).status == "right"]
        if fitting:
            return f"{code}\nanswer = {fitting[0]}"
    return TABLE.format(cases=question["cases"], expected=question["expected"])


TABLE = """
import json
from fi_course.questions.specification import decode

def bare(value):
    value = value.tolist() if hasattr(value, "tolist") else value
    return [bare(v) for v in value] if isinstance(value, (list, tuple)) else value

known = {{str(bare(decode(case))): decode(gives) for case, gives in zip({cases!r}, {expected!r})}}

def answer(*arguments):
    return known.get(str(bare(arguments)))
"""


def implementations(folder, notebook):
    """What the tests of a set are tried on: the key lies beside it -> list of Python sources."""
    from fi_course.questions.hashed_answers import unseal

    return [unseal(question["code"], f"{question['id']}|implementations") for question in specifications(folder)
            if question["notebook"] == notebook and question["asks"] == "test"]


def a_test(folder, question):
    """The code itself: whoever reads it can write the test."""
    (code,) = implementations(folder, question["notebook"])
    return f"{code}\nimplementations_read = True\nanswer = None"


def prose(folder, question):
    return "answer = 'I have read the copy, and no rubric is in it.'"


WAYS = {"number": a_number, "choice": a_letter, "function": a_function, "test": a_test, "prose": prose}


def answers(folder):
    """An answer to every question of the copy, as Python source -> {id: source}."""
    return {question["id"]: WAYS[question["asks"]](folder, question) for question in specifications(folder)}


if __name__ == "__main__":
    print(json.dumps(answers(Path(sys.argv[1]).resolve())))
