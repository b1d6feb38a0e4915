"""Every way to hand in that we could think of, each with the points and the flag it must get.

Answers lie in the text files beside this one, as students might write them: after `# case:` and its name, what it must
end in, in WebAssembly too where that is another; then the code of the answer cell. A file may begin with what stands
around each of its cases, at the three dots. Notebooks that are spoiled as a whole are made here.
"""

import json
import re
import zipfile
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path

from fi_course.questions import QUESTIONS
from notebooks import ESSAY, PROSE, TREES, filled, find, from_proof, handed_out, proof, to_bytes, zipped

FULL = 16
"""The points that a machine gives; a case has what is left of them when the questions in `lost` are."""
SEED = 4711
MEAN, DRAWS, DECREASE = "trees.recall_mean", "trees.recall_two_draws", "trees.decrease"
ALL = tuple(TREES.expressions)
PLACES = ("home", "report", "submissions", "exercises", "solutions")
ENDS = re.compile(r'(right|lost)(?:, named "(.*?)")?(?:, flagged "(.*?)")?(?: \((.*)\))?')
RUNS = "window.owned=1;document.title=`owned`;void(0)"
IMAGE = f"<img src=x onerror='{RUNS}'>"


def read(name):
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


SCRIPTS = {name: text.replace("IMAGE", IMAGE).replace("RUNS", RUNS)
           for name, text in json.loads(read("scripts.json")).items()}
"""Words that run as a program where they are shown as anything but text; the fences try to end the listing they are
shown in."""


@dataclass(frozen=True)
class Case:
    """A submission: its name, the bytes handed in (or a function that makes them), the questions it must lose, and
    words its flags must contain.

    flag : "" if none is asked for
    mistakes : {question: the name of the mistake that must be found}
    folder : the student's folder, if it is to be another than the name
    link : what the student's folder is a link to
    in_wasm : what is otherwise in WebAssembly, and why
    """

    name: str
    content: bytes | Callable | None
    lost: tuple = ()
    flag: str = ""
    mistakes: dict = field(default_factory=dict)
    folder: str = ""
    file: str = "01_trees.ipynb"
    link: str = ""
    in_wasm: tuple = ({}, "")

    @property
    def points(self):
        return FULL - sum(QUESTIONS[q].points for q in self.lost)


def written(family, question=MEAN, **words):
    """Read the cases of a text file, words in capital letters replaced -> iterator of (Case, its source)."""
    text = read(f"{family}.txt")
    for word, value in words.items():
        text = text.replace(word, str(value))
    around, *blocks = re.split(r"^# case: ", text, flags=re.MULTILINE)
    for block in blocks:
        name, about, source = re.fullmatch(r"(.*)\n((?:# (?:answers|expect|in wasm): .*\n)*)((?s:.*))", block).groups()
        told = dict(line[2:].split(": ", 1) for line in about.splitlines())
        source = (around.strip("\n") or "...").replace("...", source.strip("\n"))
        own = told.get("answers", question)
        expected, in_wasm = ends(told["expect"], own)[0], ends(told["in wasm"], own) if "in wasm" in told else ({}, "")
        yield Case(name, to_bytes(filled({own: source})), **expected, in_wasm=in_wasm), source


def ends(words, question):
    """What a case must end in -> (fields of Case, why)."""
    how, mistake, flag, why = ENDS.fullmatch(words).groups()
    return {"lost": (question,) * (how == "lost"), "flag": flag or "",
            "mistakes": {question: mistake} if mistake else {}}, why


def cases(*arguments, **words):
    return [case for case, _ in written(*arguments, **words)]


def changed(name, change, lost=(), flag=""):
    """A case in which the finished notebook was changed by a function."""
    notebook = filled()
    change(notebook)
    return Case(name, to_bytes(notebook), lost, flag)


# Right answers, and the mistakes people make.

def honest():
    yield Case("perfect", to_bytes(filled()))
    yield Case("empty", to_bytes(handed_out()), ALL)
    for k in range(max(map(len, proof()["RIGHT"].values()))):
        yield Case(f"right answer of another shape {k + 1}", to_bytes(from_proof("RIGHT", k)[0]))
    for k in range(max(map(len, proof()["WRONG"].values()))):
        notebook, names = from_proof("WRONG", k)
        yield Case(f"named mistakes {k + 1}", to_bytes(notebook), tuple(q for q in ALL if q in names), mistakes=names)
    yield from cases("honest")
    yield changed("answer in a cell of its own, stub left", _answer_in_another_cell)
    yield changed("answer at the very end", lambda n: _answer_in_another_cell(n, at_the_end=True))


def _answer_in_another_cell(notebook, at_the_end=False):
    place = len(notebook["cells"]) if at_the_end else notebook["cells"].index(find(notebook, MEAN, "check"))
    find(notebook, MEAN, "answer")["source"] = find(handed_out(), MEAN, "answer")["source"]
    notebook["cells"].insert(place, _spare("mine", "average_of_all = 60"))


def _spare(id, source):
    return {"cell_type": "code", "id": id, "metadata": {}, "source": source, "outputs": [], "execution_count": None}


# Cells deleted, edited, doubled, moved; files that are none.

def mangled():
    """Cases of mangled.json: which cells, which part of them, and what becomes of it."""
    for name, (expected, *changes) in json.loads(read("mangled.json")).items():
        notebook = filled()
        cells = notebook["cells"]
        known = {"title": [cells[0]], "first": [cells[1]], "every": cells, "notebook": [notebook],
                 "other": [find(notebook, DRAWS, "answer")],
                 **{part: [find(notebook, MEAN, part)] for part in ("answer", "check")}}
        for which, part, new in changes:
            for one in known[which]:
                if new == "gone":
                    cells.remove(one)
                elif new == "twice":
                    cells.append(deepcopy(one))
                else:
                    reduce(dict.get, part.split(".") if part else (), one).update(new)
        yield Case(name, to_bytes(notebook), **ends(expected, MEAN)[0])
    yield changed("checks moved to the end", lambda n: n["cells"].sort(key=lambda c: c["id"].endswith("-check")),
                  flag="cells reordered")
    yield changed("10,000 cells", lambda n: n["cells"].extend(_spare(f"spare-{k}", f"spare = {k}")
                                                              for k in range(10_000)))
    yield changed("50 MB of stored output", lambda n: n["cells"][1].update(
        outputs=[{"output_type": "stream", "name": "stdout", "text": "x" * 50_000_000}]))
    yield Case("notebook format 3", to_bytes(version_3()), (), "metadata lost")


def version_3():
    """The finished notebook as editors wrote it before 2015."""
    sheet = [{"cell_type": c["cell_type"], "metadata": {},
              ("input" if c["cell_type"] == "code" else "source"): c["source"]} for c in filled()["cells"]]
    return {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": sheet}]}


def no_notebooks():
    for case, source in written("odd", DEEP="[" * 900 + "]" * 900, DIGITS="9" * 5000):
        yield replace(case, content=source.encode(), lost=ALL)
    whole = to_bytes(filled())
    for name, content in (("corrupt JSON", whole.replace(b'"cells"', b'"cells', 1)),
                          ("truncated file", whole[:len(whole) // 2]),
                          ("not a notebook", b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
                          ("JSON of another kind", b"[1, 2]"),
                          ("empty file", b""), ("deep nesting", b"[" * 200_000 + b"]" * 200_000)):
        yield Case(name, content, ALL, "no notebook")
    yield Case("empty folder", None, ALL, "nothing handed in")
    latin = json.dumps(filled({MEAN: "average_of_all = 60  # Schüler"}), ensure_ascii=False)
    yield Case("not UTF-8", latin.encode("latin-1", "replace"), (), "not UTF-8")
    yield Case("name that is no UTF-8", whole, folder="caf\udce9")
    yield Case("long name", whole, folder="n" * 240)
    yield Case("name like a formula", whole, folder="=cmd|' <script>alert(1)<script>'!A1")
    for name, source in (("a null byte", "60\0"), ("half a character", "60  # \ud800")):
        yield Case(f"{name} in the source", to_bytes(filled({MEAN: f"average_of_all = {source}"})), (MEAN,))


# Submissions that are small to send and large to read.

def bulky():
    """Cases whose content is a function: it is made when it is handed in, since it is large."""
    empty, file, small = b'{"cell_type": "code", "source": ""}', "01_trees.zip", (1000).to_bytes(4, "little")
    for name, content in (("a million empty cells", lambda: _of_cells(empty, 1_000_000)),
                          ("25,000 empty cells", lambda: _of_cells(empty, 25_000)),
                          ("20 million empty lists", lambda: b'{"cells": [], "x": [' + b"[]," * 20_000_000 + b"0]}")):
        yield Case(name, content, ALL, "no notebook")
    for name, content in (("3 million cells of nothing in a zip", lambda: _zipped(_of_cells(b"{}", 3_000_000))),
                          ("a zip bomb", lambda: _zipped(b" " * 80_000_000)),
                          ("a zip bomb that lies about its size", lambda: overwritten(
                              _zipped(b" " * 80_000_000), (b"PK\x03\x04", 22, small), (b"PK\x01\x02", 24, small))),
                          ("a zip packed in an unusual way", lambda: _zipped(b" " * 100_000, zipfile.ZIP_LZMA))):
        yield Case(name, content, ALL, "no notebook", file=file)
    yield Case("2,000 cells that define nothing asked for", lambda: _zipped(to_bytes(_long_cells(2000))), ALL,
               "answer missing", file=file)
    yield Case("a zip of 5,000 files", lambda: zipped({f"{k}/01_trees.ipynb": b"" for k in range(5000)}), ALL,
               "nothing handed in", file=file)
    for name, flag, change in (
            ("one answer in 15,000 cells", "answer duplicated", _in_many_cells),
            ("20 MB of prose", "prose cut", lambda n: find(n, ESSAY, "answer").update(source="words " * 3_500_000)),
            ("20 MB of code in a cell", "too long to be run",
             lambda n: n["cells"].append(_spare("long", "x = 1\n" * 3_500_000))),
            ("40 MB that look like cells without marks", "",
             lambda n: n["cells"].extend(_spare(f"spare-{k}", "\n" * 200_000) for k in range(100))),
            ("more doings than are told", "reached for more than is told",
             lambda n: n["cells"].extend(_spare(f"spare-{k}", _opening(k)) for k in range(200)))):
        yield Case(name, lambda name=name, change=change: changed(name, change).content, flag=flag)


def _of_cells(one, many):
    return b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [' + b",".join([one] * many) + b"]}"


def _long_cells(many):
    source = "\n".join(f"x{k} = [{k}, ({k} + 1) * 2]" for k in range(30))
    return {"cells": [{"cell_type": "code", "source": f"{source}\ny = {k}"} for k in range(many)]}


def _zipped(content, method=zipfile.ZIP_DEFLATED):
    return zipped({"01_trees.ipynb": content}, method=method)


def overwritten(content, *places):
    """The same bytes with others at each place, which lies so far behind the first of some known ones."""
    for head, at, new in places:
        at += content.index(head)
        content = content[:at] + new + content[at + len(new):]
    return content


def _in_many_cells(notebook):
    """The prose and one right answer 7,500 times each, every one with its marks."""
    for one in (find(notebook, ESSAY, "answer"), find(notebook, MEAN, "answer")):
        place = notebook["cells"].index(one)
        notebook["cells"][place:place + 1] = [one] * 7500


def _opening(k):
    return f"for k in range(19):\n    try:\n        open(f'/{k}/{{k}}')\n    except OSError:\n        pass"


# Words that would run where they are shown as anything but text; looking for tests, reaching outside.

def scripted():
    for name, words in SCRIPTS.items():
        yield Case(f"prose: {name}", to_bytes(filled(prose=f"{PROSE} {words}")))
    yield from cases("scripted")
    for name, folder, flag in (("a name that would run", f"eve {IMAGE}", ""), ("a name and", "eve", "name looks like"),
                               ("its look-alike", "\u0435v\u0435", "name looks like"),
                               ("a name in letters turned round", "eve \u202egnp.ypi", "")):
        yield Case(name, to_bytes(filled()), flag=flag, folder=folder)


def burglars(places):
    """Cases that look for secrets or reach outside; places : the folders PLACES, and a port.

    Nothing is flagged below /tmp, which the sandbox has its own of.
    """
    yield from cases("burglars", PORT=places["port"])
    for word in PLACES:
        for case in cases("intruders", WORD=word, FOLDER=repr(str(places[word]))):
            yield replace(case, flag="") if str(places[word]).startswith("/tmp/") else case
    yield Case("a folder that is a link", None, ALL, "nothing handed in", link=str(places["solutions"]))


def every_case(places=None):
    """The whole corpus -> list of Case."""
    groups = (honest(), mangled(), no_notebooks(), bulky(), cases("runaway"), cases("fakes"),
              *(cases(family, DECREASE) for family in ("borrowers", "compared", "guesses", "inconsistent")),
              scripted(), burglars(places or {**dict.fromkeys(PLACES, ""), "port": 1}))
    return [case for group in groups for case in group]


def hand_in(cases, folder):
    """Write the cases as a folder of submissions -> {student's folder: Case}."""
    students = {}
    for case in cases:
        student = case.folder or case.name.replace("/", "-")
        place = folder / student
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(case.link, target_is_directory=True) if case.link else place.mkdir()
        if case.content is not None:
            (place / case.file).write_bytes(case.content() if callable(case.content) else case.content)
        students[student] = case
    return students


# Is a case graded as it must be?

def points(record):
    return sum(row["points"] or 0 for row in record["rows"])


def flags(record):
    """Every flag of a record; what `grade` alone returns does not say where the file was found -> list."""
    found = record.get("found", {"flags": []})
    return [*record["flags"], *found["flags"], *(flag for row in record["rows"] for flag in row["flags"])]


def problem(case, record):
    """What is not as the case expects -> str, "" if all is."""
    wrong = {row["question"]: row["message"] for row in record["rows"]
             if row["status"] not in ("right", "by hand") and row["question"] != ESSAY}
    if set(wrong) != set(case.lost):
        return f"lost {wrong}, expected {case.lost}"
    if points(record) != case.points:
        return f"got {points(record)} points, expected {case.points}"
    if case.flag and not any(case.flag in flag for flag in flags(record)):
        return f"expected the flag {case.flag!r}, got {flags(record)}"
    named = {row["question"]: row["mistake"] for row in record["rows"] if row["question"] in case.mistakes}
    return "" if named == case.mistakes else f"named {named}, expected {case.mistakes}"
