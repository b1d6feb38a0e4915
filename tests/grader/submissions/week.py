"""A made week: a class of sixty, half on Moodle and half on Canvas, with everything that was seen to go wrong in one.

What an instructor has on Monday morning lies in week/: course.toml, roster.csv, Moodle's worksheet and Canvas's
gradebook; handed_in.csv lists what both platforms' downloads hold. Its column `what` is the number of a notebook, or
what the file holds.
"""

import csv
import shutil
from collections import defaultdict
from datetime import datetime
from pathlib import Path

from notebooks import ROOT, filled, to_bytes, zipped

WEEK = Path(__file__).with_name("week")
WRONG = {"trees.recall_mean": "average_of_all = 55",
         "trees.decrease": "def decrease(left, right):\n    gini = lambda c: 1 - sum((k / sum(c)) ** 2 for k in c)\n"
                           "    return gini([a + b for a, b in zip(left, right)]) - gini(left) / 2 - gini(right) / 2"}
PROSE = ["Sixty per cent of the decrease of this one tree, on its eight rows.",
         "It means that who attends will pass </script><script>alert(1)</script><img src=x onerror=alert(1)>.",
         "=1+1 is no answer, but these are words enough.",
         "The share of the tree's impurity that attendance took, and nothing causal at all."]


def content(what):
    """The content of a file that handed_in.csv lists -> bytes."""
    if what == "set 2":
        return (ROOT / "exercises" / "02_golf.ipynb").read_bytes()
    if what == "another edition":
        notebook = filled()
        text = next(c for c in notebook["cells"] if c["id"] == "trees-entropy_bits-text")
        text["source"] = "### trees.entropy_bits\n\nHow many bits does the *other* split save?"
        return to_bytes(notebook)
    if not what.isdecimal():
        return what.encode()
    k = int(what)
    wrong = {"trees.recall_mean": k % 4 == 1, "trees.decrease": k % 8 in (1, 4)}
    answers = {name: WRONG[name] for name in wrong if wrong[name]}
    answers = answers or {"trees.recall_mean": f"average_of_all = 60  # {k}"}
    return to_bytes(filled(answers, prose=PROSE[k % 4]))


def make_week(folder):
    """Write the week into a folder."""
    (folder / "downloads" / "by mail" / "s059 by mail").mkdir(parents=True)
    (folder / "downloads" / "by mail" / "01_trees.ipynb").write_bytes(content("0"))      # nobody knows whose
    for name in ("course.toml", "roster.csv", "worksheet.csv", "gradebook.csv"):
        shutil.copy(WEEK / name, folder)
    packed = defaultdict(dict)
    with open(WEEK / "handed_in.csv", encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            name, *inner = line["file"].split(":")
            held = content(line["what"])
            for within in reversed(inner):
                held = zipped({within: held})
            packed[line["download"]][name] = held, datetime.fromisoformat(line["when"])
    for name, files in packed.items():
        (folder / "downloads" / name).write_bytes(zipped(files))
