"""How long each chapter is, and what exceeds its bounds.

    python book/tools/lengths.py [CHAPTER ...]

Words are those of the Markdown cells without code, formulas, tables and references.
A section whose heading says "(optional)" ends at the next heading of its rank; all else is the
main line. A run is a number of code cells with no prose between them; cells that only check,
and show nothing, are not counted.
"""

import json
import re
import statistics
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "_ext"))
from chapter import minutes_of

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
NOT_PROSE = re.compile(r"""
    ```[\s\S]*?``` | `[^`\n]*`                      # code
    | \$\$[\s\S]*?\$\$ | \$[^$\n]+\$            # formulas
    | ^\|.*$ | <[^>]+> | !\[[^\]]*\]\([^)]*\)   # tables, HTML, pictures
    | ^:::.*$ | ^\s*:\w+:.*$ | \{[\w-]+\} | ^\(\w[\w-]*\)=$  # directives, roles, labels
    """, re.MULTILINE | re.VERBOSE)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
WORD = re.compile(r"[^\W_][^\s]*")
SENTENCE = re.compile(r"""
    (?<=[.!?]) ["”')*_]* \s+ (?=["“'(*_]*[A-Z0-9])  # a mark, and a capital or a number after it
    | \n\s*\n | \n(?=\s*(?:[-*>\#]|\d+\.)\s)       # an empty line, an item, a heading
    """, re.VERBOSE)
ASSERTS = re.compile(r"\s*(assert\b|#|from |import |\)|\])")


@dataclass(frozen=True)
class Lengths:
    """What is counted in one notebook, or what it holds at most; from `sections` on all chapters
    have the same bounds."""

    words: int
    minutes: int
    optional: int = 600  # words of all optional sections together
    sections: int = 2  # optional sections
    run: int = 2  # code cells in a row
    cell: int = 12  # lines of a visible code cell
    median_cell: float = 7
    letters: int = 71  # in a line of a visible code cell: what fits into the column
    sentence: int = 32  # words
    median_sentence: float = 16

    def beyond(self, bounds):
        """What exceeds the bounds -> {name: (counted, allowed)}."""
        allowed = asdict(bounds)
        return {name: (counted, allowed[name]) for name, counted in asdict(self).items()
                if counted > allowed[name]}


Bounds = Lengths
CHAPTER = Bounds(2600, 75)
CASE = Bounds(1500, 35)
APPENDIX = Bounds(6000, 240)
BOUNDS = {"02": Bounds(1450, 75), "03": Bounds(3100, 100), "09": Bounds(2600, 75, optional=900),
          "12": Bounds(500, 35), "13": Bounds(2100, 75), "14": Bounds(2700, 75)}
"""Chapters with bounds of their own, by number."""


def bounds_of(chapter):
    """The bounds of a chapter, by its file's name without suffix."""
    number = chapter.split("_")[0]
    if not number[0].isdigit():
        return APPENDIX
    return BOUNDS.get(number, CASE if number.startswith("12") else CHAPTER)


def prose(markdown):
    """A Markdown text without code, formulas, tables, directives and references."""
    text = re.split(r"^#+ References", markdown, maxsplit=1, flags=re.M)[0]
    return LINK.sub(r"\1", NOT_PROSE.sub(" ", text))


def parts(cells):
    """The notebook's text, heading by heading -> [(text, whether it is optional)]."""
    text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    rank, found = 0, []
    for part in re.split(r"^(?=#+ )", text, flags=re.M):
        heading = re.match(r"(#+) (.*)", part)
        if heading and (not rank or len(heading[1]) <= rank):
            rank = len(heading[1]) if "(optional" in heading[2] else 0
        found.append((prose(part), bool(rank), bool(heading and "(optional" in heading[2])))
    return found


def sentences(text):
    """The words of each sentence -> [int]; headings and items of lists end one."""
    return [count for part in SENTENCE.split(text) if (count := len(WORD.findall(part))) > 1]


def runs(cells):
    """The lengths of the rows of code cells with no prose between them."""
    found = [0]
    for cell in cells:
        lines = "".join(cell["source"]).splitlines()
        if cell["cell_type"] == "markdown":
            found.append(0)
        elif not all(ASSERTS.match(line) or line[:1].isspace() or not line for line in lines):
            found[-1] += 1
    return found


def lengths(path):
    """Count one notebook -> Lengths."""
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    found = parts(cells)
    words = {kind: sum(len(WORD.findall(text)) for text, optional, _ in found if optional == kind)
             for kind in (False, True)}
    spoken = [count for text, *_ in found for count in sentences(text)] or [0]
    shown = ["".join(cell["source"]).splitlines() for cell in cells if cell["cell_type"] == "code"
             and "hide-input" not in cell["metadata"].get("tags", [])] or [[""]]  # without a click
    lines = [len(cell) for cell in shown]
    return Lengths(words=words[False], optional=words[True],
                   sections=sum(begins for *_, begins in found),
                   minutes=(minutes_of(path) or (0,))[0], run=max(runs(cells)),
                   cell=max(lines), median_cell=statistics.median(lines),
                   letters=max(len(line) for cell in shown for line in cell),
                   sentence=max(spoken), median_sentence=statistics.median(spoken))


if __name__ == "__main__":
    counted = {path.stem: lengths(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))
               if path.name.startswith(tuple(sys.argv[1:]) or "")}
    print(pd.DataFrame([
        {"chapter": name, **asdict(found), "beyond": ", ".join(found.beyond(bounds_of(name)))}
        for name, found in counted.items()]).to_string(index=False))
