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
from pathlib import Path

import scripts

from fi_course.questions import QUESTIONS
from notebooks import PROSE, filled, find, from_proof, handed_out, proof, questions, to_bytes, zipped

FULL = 16
"""The points that a machine gives; a case has what is left of them when the questions in `lost` are."""
SEED = 4711
MEAN, DRAWS, DECREASE, ESSAY = "trees.recall_mean", "trees.recall_two_draws", "trees.decrease", "trees.what_sixty_means"
ALL = tuple(questions())
PLACES = ("home", "report", "submissions", "exercises", "solutions")
ENDS = re.compile(r'(right|lost)(?:, flagged "(.*?)")?(?: \((.*)\))?')


@dataclass(frozen=True)
class Case:
    """A submission: its name, the bytes handed in (or a function that makes them), the questions it must lose, and
    words its flags must contain.

    flag : "" if none is asked for
    mistakes : {question: the name of the mistake that must be found}
    folder : the student's folder, if it is to be another than the name
    file : what the file is called, if it is no plain notebook
    link : a folder that the student's folder is a link to
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
    text = Path(__file__).with_name(f"{family}.txt").read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(word, str(value))
    around, *blocks = re.split(r"^# case: ", text, flags=re.MULTILINE)
    for block in blocks:
        name, about, source = re.fullmatch(r"(.*)\n((?:# (?:answers|expect|in wasm): .*\n)*)((?s:.*))", block).groups()
        told = dict(line[2:].split(": ", 1) for line in about.splitlines())
        source = (around.strip("\n") or "...").replace("...", source.strip("\n"))
        own = told.get("answers", question)

        def ends(key, own=own, told=told):
            how, flag, why = ENDS.fullmatch(told[key]).groups()
            return {"lost": (own,) * (how == "lost"), "flag": flag or ""}, why
        case = Case(name, to_bytes(filled({own: source})), **ends("expect")[0])
        yield replace(case, in_wasm=ends("in wasm")) if "in wasm" in told else case, source


def cases(*arguments, **words):
    return [case for case, _ in written(*arguments, **words)]


def cell(name, source, lost=()):
    """A case in which the first answer cell holds this source."""
    return Case(name, to_bytes(filled({MEAN: source})), lost)


def changed(name, change, lost=(), flag=""):
    """A case in which the finished notebook was changed by a function."""
    notebook = filled()
    return Case(name, to_bytes(change(notebook) or notebook), lost, flag)


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
    check, answer = (MEAN, "check"), (MEAN, "answer")
    yield changed("check deleted", lambda n: n["cells"].remove(find(n, *check)), flag="check missing")
    yield changed("check edited", lambda n: find(n, *check).update(source='Q("trees.recall_mean").check(60)'),
                  flag="check edited")
    yield changed("check edited to hide a wrong answer", _bend_the_check, (MEAN,), "check edited")
    yield changed("check duplicated", lambda n: n["cells"].append(deepcopy(find(n, *check))), flag="check duplicated")
    yield changed("answer duplicated", lambda n: n["cells"].append(deepcopy(find(n, *answer))),
                  flag="answer duplicated")
    yield changed("answer deleted", lambda n: n["cells"].remove(find(n, *answer)), (MEAN,), "answer missing")
    yield changed("checks moved to the end", lambda n: n["cells"].sort(key=lambda c: c["id"].endswith("-check")),
                  flag="cells reordered")
    yield changed("first cell deleted", lambda n: n["cells"].pop(1) and None, flag="put back")
    yield changed("metadata stripped", lambda n: [c.update(metadata={}) for c in n["cells"]] and None,
                  flag="metadata lost")
    yield changed("metadata and ids stripped",
                  lambda n: [c.update(metadata={}, id=f"cell{k}") for k, c in enumerate(n["cells"])] and None,
                  flag="metadata lost")
    yield changed("points edited", lambda n: find(n, *check)["metadata"]["nbgrader"].update(points=100),
                  flag="points edited")
    yield changed("metadata edited", lambda n: find(n, *answer)["metadata"]["nbgrader"].update(solution=False),
                  flag="metadata edited")
    yield changed("grade ids swapped", _swap, (MEAN,), "cells reordered")
    yield changed("other kernel name", lambda n: n["metadata"]["kernelspec"].update(name="my-own"),
                  flag="kernel my-own")
    yield changed("metadata of strange types", lambda n: n.update(metadata=[1])
                  or n["cells"].insert(0, {"cell_type": 7, "metadata": "x", "source": 3}))
    yield changed("10,000 cells", lambda n: n["cells"].extend(_spare(f"spare-{k}", f"spare = {k}")
                                                              for k in range(10_000)))
    yield changed("50 MB of stored output", lambda n: n["cells"][1].update(
        outputs=[{"output_type": "stream", "name": "stdout", "text": "x" * 50_000_000}]))
    yield Case("notebook format 3", to_bytes(version_3()), (), "metadata lost")


def _bend_the_check(notebook):
    find(notebook, MEAN, "answer")["source"] = "average_of_all = 55"
    own = find(notebook, MEAN, "check")
    own["source"] = f"average_of_all = 60\n{''.join(own['source'])}\naverage_of_all = 55"


def _swap(notebook):
    """Another answer's mark on a wrong one: what is judged is a name, so nothing is won."""
    one, other = (find(notebook, question, "answer") for question in (MEAN, DRAWS))
    one["source"] = "average_of_all = 55"
    ids = [cell["metadata"]["nbgrader"] for cell in (one, other)]
    ids[0]["grade_id"], ids[1]["grade_id"] = ids[1]["grade_id"], ids[0]["grade_id"]


def version_3():
    """The finished notebook as editors wrote it before 2015."""
    sheet = [{"cell_type": c["cell_type"], "metadata": {},
              ("input" if c["cell_type"] == "code" else "source"): c["source"]} for c in filled()["cells"]]
    return {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": sheet}]}


def odd():
    """What is JSON, and no notebook that any program writes."""
    for case, source in written("odd"):
        yield replace(case, content=source.encode(), lost=ALL)
    for name, flag, source in (
            ("a deep name of a kernel", "answer missing",
             '{"cells": [], "metadata": {"kernelspec": {"name": ' + "[" * 900 + "]" * 900 + "}}}"),
            ("a number of many digits", "no notebook", '{"cells": [], "nbformat": ' + "9" * 5000 + "}")):
        yield Case(f"JSON that holds {name}", source.encode(), ALL, flag)


def no_notebooks():
    whole = to_bytes(filled())
    for name, content in (("corrupt JSON", whole.replace(b'"cells"', b'"cells', 1)),
                          ("truncated file", whole[:len(whole) // 2]),
                          ("not a notebook", b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
                          ("JSON of another kind", b"[1, 2]"),
                          ("empty file", b""), ("deep nesting", b"[" * 200_000 + b"]" * 200_000)):
        yield Case(name, content, ALL, "no notebook")
    yield Case("empty folder", None, ALL, "nothing handed in")
    latin = filled({MEAN: "average_of_all = 60  # Schüler"})
    yield Case("not UTF-8", json.dumps(latin, ensure_ascii=False).encode("latin-1", "replace"), (), "not UTF-8")
    yield Case("name that is no UTF-8", whole, folder="caf\udce9")
    yield Case("long name", whole, folder="n" * 240)
    yield Case("name like a formula", whole, folder="=cmd|' <script>alert(1)<script>'!A1")
    yield cell("a null byte in the source", "average_of_all = 60\0", (MEAN,))
    yield cell("half a character in the source", "average_of_all = 60  # \ud800", (MEAN,))


# Submissions that are small to send and large to read.

def bulky():
    """Cases whose content is a function: it is made when it is handed in, since it is large."""
    empty = b'{"cell_type": "code", "source": ""}'
    refused, packed = {"lost": ALL, "flag": "no notebook"}, {"file": "01_trees.zip"}
    yield Case("a million empty cells", lambda: _of_cells(empty, 1_000_000), **refused)
    yield Case("25,000 empty cells", lambda: _of_cells(empty, 25_000), **refused)
    yield Case("3 million cells of nothing in a zip", lambda: _zipped(_of_cells(b"{}", 3_000_000)), **refused, **packed)
    yield Case("20 million empty lists", lambda: b'{"cells": [], "x": [' + b"[]," * 20_000_000 + b"0]}", **refused)
    yield Case("2,000 cells that define nothing asked for", lambda: _zipped(to_bytes(_long_cells(2000))), ALL,
               "answer missing", **packed)
    yield Case("a zip bomb", lambda: _zipped(b" " * 80_000_000), **refused, **packed)
    yield Case("a zip bomb that lies about its size", lambda: _lying(_zipped(b" " * 80_000_000)), **refused, **packed)
    yield Case("a zip packed in an unusual way", lambda: _zipped(b" " * 100_000, zipfile.ZIP_LZMA), **refused, **packed)
    yield Case("a zip of 5,000 files", lambda: zipped({f"{k}/01_trees.ipynb": b"" for k in range(5000)}), ALL,
               "nothing handed in", **packed)
    yield grown("one answer in 15,000 cells", _in_many_cells, "answer duplicated")
    yield grown("20 MB of prose", lambda n: find(n, ESSAY, "answer").update(source="words " * 3_500_000), "prose cut")
    yield grown("20 MB of code in a cell", lambda n: n["cells"].append(_spare("long", "x = 1\n" * 3_500_000)),
                "too long to be run")
    yield grown("40 MB that look like cells without marks",
                lambda n: n["cells"].extend(_spare(f"spare-{k}", "\n" * 200_000) for k in range(100)))
    yield grown("more doings than are told",
                lambda n: n["cells"].extend(_spare(f"spare-{k}", _opening(k)) for k in range(200)),
                "reached for more than is told")


def grown(name, change, flag=""):
    """A case in which the finished notebook has grown by a function, when it is handed in."""
    return Case(name, lambda: changed(name, change).content, flag=flag)


def _of_cells(one, many):
    return b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [' + b",".join([one] * many) + b"]}"


def _long_cells(many):
    source = "\n".join(f"x{k} = [{k}, ({k} + 1) * 2]" for k in range(30))
    return {"cells": [{"cell_type": "code", "source": f"{source}\ny = {k}"} for k in range(many)]}


def _zipped(content, method=zipfile.ZIP_DEFLATED):
    return zipped({"01_trees.ipynb": content}, method=method)


def _lying(content):
    """The same zip file with a size of a thousand bytes in both places where it is told."""
    for head, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = content.index(head) + place
        content = content[:at] + (1000).to_bytes(4, "little") + content[at + 4:]
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
    for name, words in scripts.PROSE.items():
        yield Case(f"prose: {name}", to_bytes(filled(prose=f"{PROSE} {words}")))
    yield from cases("scripted")
    whole = to_bytes(filled())
    yield Case("a name that would run", whole, folder=f"eve {scripts.IMAGE}")
    yield Case("a name and", whole, flag="name looks like", folder="eve")
    yield Case("its look-alike", whole, flag="name looks like", folder="\u0435v\u0435")
    yield Case("a name in letters turned round", whole, folder="eve \u202egnp.ypi")


def burglars(places):
    """Cases that look for secrets or reach outside; places : {"home", "report", "submissions", "exercises",
    "solutions", "port"}. Nothing is flagged below /tmp, which the sandbox has its own of.
    """
    yield from cases("burglars", PORT=places["port"])
    for word in PLACES:
        for case in cases("intruders", WORD=word, FOLDER=repr(str(places[word]))):
            yield replace(case, flag="") if str(places[word]).startswith("/tmp/") else case
    yield Case("a folder that is a link", None, ALL, "nothing handed in", link=str(places["solutions"]))


def every_case(places=None):
    """The whole corpus -> list of Case."""
    groups = (honest(), mangled(), no_notebooks(), odd(), bulky(), cases("runaway"), cases("fakes"),
              cases("borrowers", DECREASE), cases("compared", DECREASE), cases("guesses", DECREASE),
              cases("inconsistent", DECREASE), scripted(), burglars(places or {**dict.fromkeys(PLACES, ""), "port": 1}))
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
    """Every flag of a record, the answer read by a person left aside -> list.

    What `grade` alone returns does not say where the file was found.
    """
    found = record.get("found", {"flags": []})
    return [*record["flags"], *found["flags"], *(flag for row in record["rows"] for flag in row["flags"])]


def problem(case, record):
    """What is not as the case expects -> str, "" if all is."""
    wrong = [row["question"] for row in record["rows"] if row["status"] not in ("right", "by hand")
             and row["question"] != ESSAY]
    if sorted(wrong) != sorted(case.lost):
        messages = [row["message"] for row in record["rows"] if row["question"] in wrong]
        return f"lost {wrong}, expected {list(case.lost)}: {messages}"
    if points(record) != case.points:
        return f"got {points(record)} points, expected {case.points}"
    if case.flag and not any(case.flag in flag for flag in flags(record)):
        return f"expected the flag {case.flag!r}, got {flags(record)}"
    named = {row["question"]: row["mistake"] for row in record["rows"] if row["question"] in case.mistakes}
    return "" if named == case.mistakes else f"named {named}, expected {case.mistakes}"
