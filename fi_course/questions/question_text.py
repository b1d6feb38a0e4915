"""Read questions as one would jot them down: the first character of a line says what it is.

    # id: title | kind, 1 star, 3 min, 1 point
    ? a hint, from a nudge to nearly there
    = value(4, unit="rows")      the check, one of `fi_course.questions.checks`
    - 2 | name | message         a mistake: its output, its name, the feedback
    ~ {"a": 2} | name | message  the same for some of several values, whatever the others are
    + f | name | message         a right implementation, the feedback to a test that refuses it
    ! fi_teach.trees.cart        functions or modules of the package whose call is a mistake
    * 2 | what earns them        points of an answer that a person grades
    > what the right answer means

An indented line continues the line above it. Checks and outputs are Python with the names of the
chapter; several outputs of one mistake stand with commas between them.
"""

import re
import sys

from fi_course.questions import checks
from fi_course.questions.question import Question

FORMS = {"#": "id: title | kind, 1 star, 3 min, 1 point", "?": "hint", "=": "check",
         **dict.fromkeys("-~+", "output | name | message"), "!": "name, name",
         "*": "points | what earns them", ">": "meaning"}
HEAD = r"([\w.]+): (.+) \| (\w+), ([123]) stars?, (\d+) min, (\d+) points?"


def questions(text, names):
    """Return the questions of a text; its Python uses `names`, the chapter's -> list of Question.

    Raises ValueError with file and line for what cannot be read.
    """
    found, first = [], sys._getframe(1).f_lineno
    for number, line in enumerate(text.split("\n"), first):
        if line.startswith(" ") and found:
            found[-1][-1][1] += " " + line.strip()
        elif line:
            found += [[]] if line.startswith("#") or not found else []
            found[-1].append([f"{names['__file__']}:{number}", line])
    return [_question(lines, names) for lines in found]


def _question(lines, names):
    """Return the question of these lines, [place, line] each; the check is made last."""
    read = {mark: [] for mark in FORMS}
    for place, line in sorted(lines, key=lambda one: one[1].startswith("=")):
        try:
            part = _part(line[0], line[1:], names, read)
            read[line[0].replace("~", "-")].append(part)
        except Exception as error:
            raise ValueError(f"{place}: `{line}`: {type(error).__name__}, {error}") from error
    if len(read["#"]) != 1 or len(read["="]) != 1:
        raise ValueError(f"{lines[0][0]}: expected `# {FORMS['#']}`, and one check, `= ...`.")
    id, title, kind, *numbers = read["#"][0]
    blocked = tuple(name for line in read["!"] for name in line.split(", "))
    return Question(id, title, kind, *map(int, numbers), hints=tuple(read["?"]), check=read["="][0],
                    meaning=" ".join(read[">"]), blocked=blocked, rubric=tuple(read["*"]))


def _part(mark, text, names, read):
    """Return what a line with this mark says: words, a Mistake or a check."""
    if mark not in FORMS or text[:1] != " ":
        raise ValueError(f"expected a mark and a space; the marks are {' '.join(FORMS)}")
    parts = text[1:].split(" | ", FORMS[mark].count(" | "))
    head = re.fullmatch(HEAD, text[1:])
    if len(parts) <= FORMS[mark].count(" | ") or (mark == "#" and not head):
        raise ValueError(f"expected `{mark} {FORMS[mark]}`")
    if mark in "-~+":
        return checks.Mistake(parts[1], eval(parts[0], names), parts[2], partly=mark == "~")
    if mark == "=":
        with_mistakes = (checks.choice, checks.value, checks.function)
        makers = {make.__name__: lambda *given, make=make, **more: make(*given, *read["-"], **more)
                  for make in with_mistakes}
        makers["catches"] = lambda: checks.catches(read["+"], read["-"])
        return eval(parts[0], names | makers | {"by_hand": checks.by_hand})
    if mark == "*":
        return int(parts[0]), parts[1]
    return head.groups() if mark == "#" else parts[0]
