"""Every way to hand in that we could think of, each with the points and the flag it must get.

Points are those a machine gives: 16, or what is left of them when the questions in `lost` are.
"""

import io
import json
import zipfile
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace

import scripts

from fi_course.questions import QUESTIONS
from notebooks import PROSE, filled, find, from_proof, handed_out, proof, questions, to_bytes

FULL = 16
SEED = 4711
PLACES = dict.fromkeys(("home", "report", "submissions", "exercises", "solutions"), "")
"""What `every_case` is given where nothing lies at these places."""


@dataclass(frozen=True)
class Case:
    """A submission: its name, the bytes handed in (or a function that makes them), the questions it must lose, and
    words its flags must contain.

    flag : "" if there must be none
    mistakes : {question: the name of the mistake that must be found}
    folder : the student's folder, if it is to be another than the name
    file : what the file is called, if it is no plain notebook
    link : a folder that the student's folder is a link to
    """

    name: str
    content: bytes | Callable | None
    lost: tuple = ()
    flag: str = ""
    mistakes: dict = field(default_factory=dict)
    folder: str = ""
    file: str = "01_trees.ipynb"
    link: str = ""

    @property
    def points(self):
        return FULL - sum(QUESTIONS[q].points for q in self.lost)


MEAN, DRAWS, DECREASE, CUTS = "trees.recall_mean", "trees.recall_two_draws", "trees.decrease", "trees.thresholds"
TEST = "trees.test_decrease"
ALL = tuple(questions())
RIGHT_DECREASE = """
import numpy as np
def decrease(left, right):
    gini = lambda c: 1 - ((np.asarray(c) / np.sum(c)) ** 2).sum()
    n, m = np.sum(left), np.sum(right)
    return gini(np.add(left, right)) - (n * gini(left) + m * gini(right)) / (n + m)
"""


def cell(name, source, *, question=MEAN, lost=True, flag=""):
    """A case in which one answer cell holds this source."""
    return Case(name, to_bytes(filled({question: source})), (question,) if lost else (), flag)


def before(name, source, **options):
    """A case in which this runs before the right answer to the first question; the answer counts."""
    return cell(name, f"{source}\naverage_of_all = 60", lost=False, **options)


def if_found(name, source, **options):
    """A case that gives the right answer only if `found` is true of what it searched for."""
    return cell(name, f"{source}\naverage_of_all = 60 if found else 1", **options)


def changed(name, change, lost=(), flag=""):
    """A case in which the finished notebook was changed by a function."""
    notebook = filled()
    return Case(name, to_bytes(change(notebook) or notebook), lost, flag)


# Right answers, and the mistakes people make.

def honest():
    right = max(map(len, proof()["RIGHT"].values()))
    yield Case("perfect", to_bytes(filled()))
    yield Case("empty", to_bytes(handed_out()), ALL)
    for k in range(right):
        yield Case(f"right answer of another shape {k + 1}", to_bytes(from_proof("RIGHT", k)[0]))
    for k in range(max(map(len, proof()["WRONG"].values()))):
        notebook, names = from_proof("WRONG", k)
        yield Case(f"named mistakes {k + 1}", to_bytes(notebook), tuple(q for q in ALL if q in names), mistakes=names)
    yield cell("syntax error", "average_of_all = (60")
    yield before("warnings on stderr", "import sys, warnings\nwarnings.warn('careful')\n"
                 "print('careful', file=sys.stderr)")
    yield before("magics and shell lines", "%matplotlib inline\n!pip install nothing\nfiles = !ls\n%time x = 3\n?x")
    yield cell("magic around an answer", "%%time\naverage_of_all = 60", lost=False)
    yield changed("answer in a cell of its own, stub left", _answer_in_another_cell)
    yield changed("answer at the very end", _answer_at_the_end)


def _answer_in_another_cell(notebook):
    place = notebook["cells"].index(find(notebook, MEAN, "check"))
    find(notebook, MEAN, "answer")["source"] = find(handed_out(), MEAN, "answer")["source"]
    notebook["cells"].insert(place, {"cell_type": "code", "id": "mine", "metadata": {}, "source": "average_of_all = 60",
                                     "outputs": []})


def _answer_at_the_end(notebook):
    _answer_in_another_cell(notebook)
    mine = next(c for c in notebook["cells"] if c.get("id") == "mine")
    notebook["cells"].remove(mine)
    notebook["cells"].append(mine)


# Programs that do not end, or end too much.

def runaway():
    slow = {"flag": "ran too long"}
    yield cell("endless loop", "while True:\n    pass", **slow)
    yield cell("endless loop that swallows everything",
               "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
               **slow)
    yield cell("endless function", "def decrease(left, right):\n    while True:\n        pass", question=DECREASE,
               **slow)
    yield cell("endless generator", "import itertools\naverage_of_all = itertools.count()")
    yield cell("sleep", "import time\ntime.sleep(3600)\naverage_of_all = 60", **slow)
    yield cell("os._exit", "import os\nos._exit(0)", flag="ended its process")
    yield cell("os._exit in a function", "import os\ndef decrease(left, right):\n    os._exit(0)", question=DECREASE,
               flag="ended its process")
    yield cell("sys.exit", "import sys\nsys.exit(0)")
    yield cell("segmentation fault", "import ctypes\nctypes.string_at(0)", flag="ended its process")
    yield cell("fork bomb", "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
               flag="ran ")
    yield cell("memory bomb", "hoard = []\nwhile True:\n    hoard.append(b'x' * 10**7)")
    yield cell("memory bomb in many processes",
               "import os, time\nfor _ in range(6):\n    if os.fork() == 0:\n        break\n"
               "hoard = b'x' * (7 * 10**8)\ntime.sleep(60)", flag="ran ")
    yield cell("memory bomb in shared pages", "import mmap, os, time\nfor _ in range(6):\n    if os.fork() == 0:\n"
               "        break\n"
               "hoard = mmap.mmap(-1, 7 * 10**8)\nfor k in range(0, len(hoard), 4096):\n    hoard[k] = 1\n"
               "time.sleep(60)", flag="ran ")
    yield if_found("memory out of sight", CALLING
                   + "found = any(allowed(*call) for call in ((319, 279, b'x', 0), (29, 194, 0, 4096, 0o1600)))")
    yield cell("disk bomb", "with open('/tmp/big', 'wb') as f:\n    while True:\n        f.write(b'x' * 10**6)")
    yield before("50 MB of output", "for _ in range(50):\n    print('x' * 10**6)", flag="output cut")
    yield cell("input()", "average_of_all = int(input('How many? '))")
    yield before("threads left behind", "import threading, time\n"
                 "[threading.Thread(target=time.sleep, args=(3600,)).start() for _ in range(3)]",
                 flag="left threads running")
    yield before("an orphan process", "import os, time\nif os.fork() == 0:\n    os.setsid()\n    while True:\n"
                 "        time.sleep(0.01)", flag="reached for other processes")
    yield before("50 MB on the system's own stderr", "import os\nfor _ in range(50):\n    os.write(2, b'x' * 10**6)")
    yield before("handlers for the end", "import atexit, faulthandler, signal, sys\natexit.register(lambda: 1 / 0)\n"
                 "faulthandler.enable(open('/tmp/x', 'w'))\n"
                 "for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:\n"
                 "    signal.signal(number, signal.SIG_IGN)\n"
                 "sys.excepthook = sys.unraisablehook = sys.displayhook = lambda *a: 1 / 0")
    yield cell("closes every file", "import os\nos.closerange(0, 100)\naverage_of_all = 60", flag="ended its process")
    yield cell("deep recursion", "def decrease(left, right):\n    return decrease(left, right)", question=DECREASE)


# Cells deleted, edited, doubled, moved; files that are none.

def mangled():
    check = {"question": MEAN, "part": "check"}
    yield changed("check deleted", lambda n: n["cells"].remove(find(n, **check)), flag="check missing")
    yield changed("check edited", lambda n: find(n, **check).update(source='Q("trees.recall_mean").check(60)'),
                  flag="check edited")
    yield Case("check edited to hide a wrong answer", _check_bent(), (MEAN,), "check edited")
    yield changed("check duplicated", lambda n: n["cells"].append(deepcopy(find(n, **check))), flag="check duplicated")
    yield changed("answer duplicated", lambda n: n["cells"].append(deepcopy(find(n, MEAN, "answer"))),
                  flag="answer duplicated")
    yield changed("answer deleted", lambda n: n["cells"].remove(find(n, MEAN, "answer")), (MEAN,), "answer missing")
    yield changed("checks moved to the end", _checks_to_the_end, flag="cells reordered")
    yield changed("first cell deleted", lambda n: n["cells"].pop(1) and None, flag="put back")
    yield changed("metadata stripped", lambda n: [c.update(metadata={}) for c in n["cells"]] and None,
                  flag="metadata lost")
    yield changed("metadata and ids stripped", _anonymous, flag="metadata lost")
    yield changed("points edited", lambda n: find(n, **check)["metadata"]["nbgrader"].update(points=100),
                  flag="points edited")
    yield changed("metadata edited", lambda n: find(n, MEAN, "answer")["metadata"]["nbgrader"].update(solution=False),
                  flag="metadata edited")
    yield changed("grade ids swapped", _swapped, (MEAN,), "cells reordered")
    yield changed("other kernel name", lambda n: n["metadata"]["kernelspec"].update(name="my-own"),
                  flag="kernel my-own")
    yield changed("metadata of strange types", lambda n: n.update(metadata=[1])
                  or n["cells"].insert(0, {"cell_type": 7, "metadata": "x", "source": 3}))
    yield changed("10,000 cells", lambda n: n["cells"].extend(_spare(k) for k in range(10_000)))
    yield changed("50 MB of stored output",
                  lambda n: n["cells"][1].update(outputs=[
                      {"output_type": "stream", "name": "stdout", "text": "x" * 50_000_000}]))
    yield Case("notebook format 3", _version_3(), (), "metadata lost")


def _swapped(notebook):
    """Another answer's mark on a wrong one: what is judged is a name, so nothing is won."""
    one, other = find(notebook, MEAN, "answer"), find(notebook, DRAWS, "answer")
    one["source"] = "average_of_all = 55"
    one["metadata"]["nbgrader"]["grade_id"], other["metadata"]["nbgrader"][
        "grade_id"] = "trees-recall_two_draws-answer", "trees-recall_mean-answer"


def _check_bent():
    notebook = filled({MEAN: "average_of_all = 55"})
    find(notebook, MEAN,
         "check")["source"] = 'average_of_all = 60\nQ("trees.recall_mean").check(average_of_all)\naverage_of_all = 55'
    return to_bytes(notebook)


def _spare(k):
    return {"cell_type": "code", "id": f"spare-{k}", "metadata": {}, "source": f"spare = {k}", "outputs": [],
            "execution_count": None}


def _checks_to_the_end(notebook):
    checks = [c for c in notebook["cells"] if c["id"].endswith("-check")]
    notebook["cells"] = [c for c in notebook["cells"] if c not in checks] + checks


def _anonymous(notebook):
    for number, one in enumerate(notebook["cells"]):
        one.update(metadata={}, id=f"cell{number}")


def _version_3():
    notebook = filled()
    sheet = [{"cell_type": c["cell_type"], "metadata": {},
              ("input" if c["cell_type"] == "code" else "source"): c["source"]} for c in notebook["cells"]]
    return to_bytes({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": sheet}]})


ODD = {
    "a number for a sheet": '{"worksheets": [1]}', "words for cells": '{"worksheets": [{"cells": "x"}]}',
    "a list in a list of sheets": '{"worksheets": [[], null, {"cells": [1, [], "x", null]}]}',
    "numbers for cells": '{"cells": [1, 2.5, null, true, "x", []]}',
    "cells without anything": '{"cells": [{}, {}, {"metadata": null}]}',
    "a dictionary for cells": '{"cells": {"0": {}}}',
    "both kinds of cells": '{"cells": null, "worksheets": [{}]}',
    "a dictionary for a source": '{"cells": [{"cell_type": "code", "source": {"a": [1]}}]}',
    "lists in a source": '{"cells": [{"cell_type": ["code"], "source": [["x"], 1, {}, "y"], "id": {}, "metadata": '
    '{"nbgrader": [], "fi_teach": {"part": [1]}}}]}',
    "NaN for points": '{"cells": [{"cell_type": "code", "source": NaN, "metadata": {"nbgrader": {"grade_id": '
    'NaN, "points": [Infinity]}}}]}',
    "a deep name of a kernel": '{"cells": [], "metadata": {"kernelspec": {"name": ' + "[" * 900 + "]" * 900 + "}}}",
    "a number of many digits": '{"cells": [], "nbformat": ' + "9" * 5000 + "}",
    "half characters": '{"cells": [{"cell_type": "markdown", "source": "\\ud800", "id": "\\udfff"}]}'}
"""What is JSON, and no notebook that any program writes."""
NO_CELLS = ("a dictionary for cells", "both kinds of cells", "a number of many digits")


def no_notebooks():
    whole = to_bytes(filled())
    for name, content in (("corrupt JSON", whole.replace(b'"cells"', b'"cells', 1)),
                          ("truncated file", whole[:len(whole) // 2]),
                          ("not a notebook", b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
                          ("JSON of another kind", b"[1, 2]"),
                          ("empty file", b""), ("deep nesting", b"[" * 200_000 + b"]" * 200_000)):
        yield Case(name, content, ALL, "no notebook")
    yield Case("empty folder", None, ALL, "nothing handed in")
    for name, content in ODD.items():
        yield Case(f"JSON that holds {name}", content.encode(), ALL, "no notebook"
                   if name in NO_CELLS else "answer missing")
    latin = filled({MEAN: "average_of_all = 60  # Schüler"})
    yield Case("not UTF-8", json.dumps(latin, ensure_ascii=False).encode("latin-1", "replace"), (), "not UTF-8")
    yield Case("name that is no UTF-8", whole, folder="caf\udce9")
    yield Case("long name", whole, folder="n" * 240)
    yield Case("name like a formula", whole, folder="=cmd|' <script>alert(1)</script>'!A1".replace("/", ""))


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
    yield Case("a zip of 5,000 files", lambda: _zip_of_many(5000), ALL, "nothing handed in", **packed)
    yield grown("one answer in 15,000 cells", _in_many_cells, "answer duplicated")
    yield grown("20 MB of prose",
                lambda n: find(n, "trees.what_sixty_means", "answer").update(source="words " * 3_500_000), "prose cut")
    yield grown("20 MB of code in a cell", lambda n: n["cells"].append({**_spare(1), "source": "x = 1\n" * 3_500_000}),
                "too long to be run")
    yield grown("40 MB that look like cells without marks",
                lambda n: n["cells"].extend({**_spare(k), "source": "\n" * 200_000} for k in range(100)))
    yield grown("more doings than are told",
                lambda n: n["cells"].extend({**_spare(k), "source": _opening(k)} for k in range(200)),
                "reached for more than is told")


def grown(name, change, flag=""):
    """A case in which the finished notebook has grown by a function, when it is handed in."""
    def content():
        notebook = filled()
        change(notebook)
        return to_bytes(notebook)
    return Case(name, content, flag=flag)


def _of_cells(one, many):
    return b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [' + b",".join([one] * many) + b"]}"


def _zipped(content, method=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method, compresslevel=1) as archive:
        archive.writestr("01_trees.ipynb", content)
    return file.getvalue()


def _lying(content):
    """The same zip file with a size of a thousand bytes in both places where it is told."""
    for head, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = content.index(head) + place
        content = content[:at] + (1000).to_bytes(4, "little") + content[at + 4:]
    return content


def _zip_of_many(many):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for k in range(many):
            archive.writestr(f"{k}/01_trees.ipynb", b"")
    return file.getvalue()


def _long_cells(many):
    source = "\n".join(f"x{k} = [{k}, ({k} + 1) * 2]" for k in range(30))
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {},
            "cells": [{"cell_type": "code", "source": f"{source}\ny = {k}"} for k in range(many)]}


def _in_many_cells(notebook):
    """The prose and one right answer 7,500 times each, every one with its marks."""
    for one in (find(notebook, "trees.what_sixty_means", "answer"), find(notebook, MEAN, "answer")):
        place = notebook["cells"].index(one)
        notebook["cells"][place:place + 1] = [one] * 7500


def _opening(k):
    return f"for k in range(19):\n    try:\n        open(f'/{k}/{{k}}')\n    except OSError:\n        pass"


# The library and the judge.

def fakes():
    touched = {"flag": "overwrote"}
    yield before("helpers overridden", "class Q:\n    def __init__(self, id): pass\n    def check(self, answer): "
                 "return 'right'\nX = y = None")
    yield cell("Q overridden, answer wrong", "class Q:\n    def __init__(self, id): pass\n    def check(self, answer): "
               "return 'right'\naverage_of_all = 1")
    yield cell("np.array_equal replaced", "import numpy as np\nnp.array_equal = np.allclose = lambda *a, **k: True\n"
               "average_of_all = 1", **touched)
    yield cell("__code__ replaced", "import numpy as np\nnp.isclose.__wrapped__.__code__ = "
               "(lambda *a, **k: True).__code__\naverage_of_all = 1", **touched)
    yield cell("__builtins__ replaced", "import builtins\nbuiltins.abs = lambda x: 0\nbuiltins.isinstance = lambda *a: "
               "True\naverage_of_all = 1", **touched)
    yield cell("builtins emptied", "import builtins\nfor name in list(vars(builtins)):\n"
               "    setattr(builtins, name, None)", flag="ended its process")
    yield cell("package replaced", "import fi_course.questions.plain_values as p\np.normalise = lambda value: 60\n"
               "average_of_all = 1", **touched)
    yield cell("equal to everything", "class Same:\n    def __eq__(self, other): return True\n    __hash__ = None\n"
               "average_of_all = Same()")
    yield cell("equal to everything, from a function",
               "class Same(float):\n    def __eq__(self, other): return True\n    __le__ = __lt__ = __gt__ = __eq__\n"
               "    __sub__ = __rsub__ = lambda self, other: 0\n"
               "def decrease(left, right):\n    return Same(99)", question=DECREASE)
    yield cell("subclassed array", "import numpy as np\nclass Lying(np.ndarray):\n    def __eq__(self, other): "
               "return np.array(True)\n"
               "average_of_all = np.array([1.0]).view(Lying)")
    yield cell("lying repr", "class Lying:\n    def __repr__(self): return '60'\n    def __str__(self): return '60'\n"
               "    def __float__(self): return 60.0\naverage_of_all = Lying()")
    yield cell("number that prints another", "class Lying(float):\n    def __repr__(self): return '60.0'\n"
               "average_of_all = Lying(1)")
    yield cell("NaN", "average_of_all = float('nan')")
    yield cell("infinite", "average_of_all = float('inf')")
    yield cell("huge", "average_of_all = 10**4000")
    yield cell("too huge to write down", "average_of_all = 10**100_000")
    yield cell("too large to send", "average_of_all = 'x' * 100_000_000", flag="")
    yield cell("of the wrong type", "average_of_all = {'a': [object()]}")
    yield cell("nested deeply", "average_of_all = 60\nfor _ in range(100_000):\n    average_of_all = [average_of_all]")
    yield cell("nested in itself", "average_of_all = []\naverage_of_all.append(average_of_all)")
    yield cell("error with a lying text", "class Liar(Exception):\n    def __str__(self): raise SystemExit\n"
               "def decrease(left, right):\n    raise Liar", question=DECREASE)
    yield cell("forged replies", FORGERY, flag="sent garbage")
    yield cell("borrowed proxy kept", KEPT_PROXY, question=CUTS)
    yield cell("replies that drip in", CHANNEL + "channel.sendall((60_000).to_bytes(4, 'big'))\nimport time\n"
               "while True:\n"
               "    channel.sendall(b' ')\n    time.sleep(0.5)", flag="ran too long")
    yield cell("calls back for ever", CHANNEL
               + "import json\nbody = json.dumps({'callback': 0, 'arguments': [], 'options': {'dict': []}}).encode()\n"
               "while True:\n    channel.sendall(len(body).to_bytes(4, 'big') + body)\n    channel.recv(10**5)",
               flag="ran too long")
    yield cell("a test that counts its calls", COUNTING, question=TEST)
    yield cell("a test that asks for too much",
               "def test_decrease(decrease):\n    decrease(range(10**15), range(10**15))\n", question=TEST)
    yield cell("a test that asks for ever", "def test_decrease(decrease):\n    while True:\n"
               "        decrease([1, 0], [0, 1])\n", question=TEST, flag="ran too long")
    yield cell("json replaced", "import json\njson.dumps = lambda *a, **k: '{\"plain\": 60}'\naverage_of_all = 1",
               **touched)
    yield cell("traces the one who asks", TRACING)
    yield cell("a thread that tampers later", "import numpy as np, threading, time\ndef later():\n    while True:\n"
               "        np.isclose = np.allclose = lambda *a, **k: True\n        time.sleep(0.01)\n"
               "threading.Thread(target=later, daemon=True).start()\naverage_of_all = 1", flag="left threads running")
    yield cell("a class that says it is another", "class Odd:\n    __class__ = property(lambda self: float)\n"
               "    __float__ = lambda self: 1.0\n"
               "    __eq__ = lambda self, other: True\n    __reduce__ = lambda self: (float, (60,))\n"
               "average_of_all = Odd()")
    yield before("import hooks and a sitecustomize", "import os, sys\nclass Finder:\n    find_spec = lambda self, *a: "
                 "1 / 0\nsys.meta_path.insert(0, Finder())\n"
                 "sys.addaudithook(lambda event, arguments: None)\nopen('/tmp/sitecustomize.py', 'w').write('1 / 0')\n"
                 "open('/tmp/x.pth', 'w').write('import os; 1 / 0')\n"
                 "os.makedirs('/tmp/.ipython/profile_default/startup')")
    yield before("an encoding cookie", "# -*- coding: rot13 -*-")
    yield cell("a null byte in the source", "average_of_all = 60\0")
    yield cell("half a character in the source", "average_of_all = 60  # \ud800")


CHANNEL = "import gc, socket\nchannel = next(one for one in gc.get_objects() if isinstance(one, socket.socket))\n"
CALLING = """
import ctypes, platform
def allowed(intel, arm, *arguments):
    number = intel if platform.machine() == "x86_64" else arm
    return ctypes.CDLL(None).syscall(number, *arguments) >= 0
"""
COUNTING = """
calls = 0
def test_decrease(decrease):
    global calls
    calls += 1
    decrease([1, 0], [0, 1])
    return calls == 1
"""
TRACING = """
import sys
seen = []
def spy(frame, event, argument):
    seen.append(event)
    if len(seen) > 3000:
        sys.settrace(None)
    for name in ("expression", "found", "message", "reply", "library"):
        if name in frame.f_locals:
            frame.f_locals[name] = 60
    return spy
sys.settrace(spy)
average_of_all = 1
"""
FORGERY = """
import gc, socket
for one in gc.get_objects():
    if isinstance(one, socket.socket):
        one.sendall(b'\\x00\\x00\\x00\\x0a"verdict!"' + b'\\x00\\x00\\x00\\x04true')
average_of_all = 60
"""
KEPT_PROXY = """
import gc
def thresholds(values, labels):
    lent = [f for f in gc.get_objects() if getattr(f, "__name__", "") == "implementation"]
    return lent[0](values, labels)
"""


# Answers that are not one answer, or not one's own.

def borrowers():
    """Ways to a function of the package that is hidden while its question is judged: none gets a point unseen."""
    for name, source in OPENED.items():
        seen = {"lost": False, "flag": "right only with the package's answer"} if name in ONLY_THERE else {}
        yield cell(name, f"{OPENING}{source}\n{WITH_GINI}", question=DECREASE, **seen)
    yield cell("an honest comparison below", RIGHT_DECREASE + COMPARED, question=DECREASE, lost=False)
    yield cell("an honest comparison above", COMPARED + RIGHT_DECREASE, question=DECREASE, lost=False,
               flag="right only with the package's answer")


OPENING = "import gc, inspect, marshal, os, subprocess, sys, threading, queue\n" \
          "from contextlib import nullcontext\nfrom types import FunctionType\nfrom fi_teach.basics import impurity\n"
FRESH = "import importlib.util\nspec = importlib.util.spec_from_file_location('mine', impurity.__file__)\n" \
        "fresh = importlib.util.module_from_spec(spec)\n"
SESSION = "from fi_grader.sandbox.inside import session\n"
OPENED = {
    "a copied code object": "gini = FunctionType(impurity.gini.__code__, dict(vars(impurity)))",
    "a code object under another name": "code = impurity.gini.__code__.replace(co_name='x', co_filename='<cell 1>')\n"
    "gini = FunctionType(code, dict(vars(impurity)))",
    "a code object put into another function": "from fi_teach.basics.impurity import _shares, np\n"
    "gini = lambda counts: 0\ngini.__code__ = impurity.gini.__code__",
    "the package's source": "space = {}\nexec(inspect.getsource(impurity), space)\ngini = space['gini']",
    "a function's source": "space = dict(vars(impurity))\n"
    "exec(inspect.getsource(impurity.gini).replace('def gini(', 'def mine('), space)\ngini = space['mine']",
    "a module loaded twice": f"{FRESH}spec.loader.exec_module(fresh)\ngini = fresh.gini",
    "a module taken away and imported anew": "for name in [n for n in sys.modules if n.startswith('fi_teach.basics')]:"
    "\n    del sys.modules[name]\nfrom fi_teach.basics.impurity import gini",
    "what the loader reads": f"{FRESH}space = dict(vars(impurity))\nexec(spec.loader.get_code('mine'), space)\n"
    "gini = space['gini']",
    "its bytes, taken in time": "code = marshal.dumps(impurity.gini.__code__)\n"
    "gini = FunctionType(marshal.loads(code), vars(impurity))",
    "another verb in the table": f"{SESSION}call = session._VERBS['call']\n"
    "session._VERBS['call'] = lambda space, handle, given, *names: call(space, handle, given, *([] for _ in names))\n"
    "session._VERBS['block'] = lambda space, names: {}\ngini = impurity.gini",
    "a loop over an attribute": f"{SESSION}for session.blocked in [lambda names: nullcontext()]:\n    pass\n"
    "gini = impurity.gini",
    "the frames above": "def gini(counts):\n    frame = sys._getframe()\n    while 'session' not in frame.f_locals:\n"
    "        frame = frame.f_back\n    theirs = frame.f_locals['session']\n"
    "    theirs.blocks.close() if hasattr(theirs, 'blocks') else None\n"
    "    found = FunctionType(theirs.snapshot[1][impurity.gini], vars(impurity))(counts)\n"
    "    theirs.reached.clear(), theirs.overwritten.clear()\n    return found",
    "a table made in time": "from itertools import combinations_with_replacement as every\n"
    "table = {counts: impurity.gini(list(counts)) for counts in every(range(15), 4) if sum(counts)}\n"
    "gini = lambda counts: table[tuple(sorted([0] * (4 - len(counts)) + list(map(int, counts))))]",
    "another process": "code = 'from fi_teach.basics.impurity import gini\\n'\n"
    "code += 'while True: print(gini(eval(input())), flush=1)'\n"
    "other = subprocess.Popen([sys.executable, '-c', code], stdin=-1, stdout=-1, text=True)\n"
    "def gini(counts):\n    print(list(map(int, counts)), file=other.stdin, flush=True)\n"
    "    return float(other.stdout.readline())",
    "a process that was forked in time": "ask, asked = os.pipe()\nsay, said = os.pipe()\nif os.fork() == 0:\n"
    "    while True:\n        counts = eval(os.read(ask, 1000))\n        found = impurity.gini(counts)\n"
    "        os.write(said, str(found).encode())\ndef gini(counts):\n"
    "    os.write(asked, repr(list(map(int, counts))).encode())\n"
    "    return float(os.read(say, 1000))",
    "a thread that began in time": "tasks, done = queue.Queue(), queue.Queue()\ndef work():\n    while True:\n"
    "        done.put(impurity.gini(tasks.get()))\nthreading.Thread(target=work, daemon=True).start()\n"
    "gini = lambda counts: (tasks.put(counts), done.get(timeout=.2))[1]",
    "whatever memory holds": "found = [o for o in gc.get_objects() if getattr(o, '__name__', '') == 'gini']\n"
    "found += [r for o in found for r in gc.get_referents(o) if type(r).__name__ == 'code']\n"
    "bodies = [c for c in found if type(c).__name__ == 'code' and c.co_filename.endswith('impurity.py')]\n"
    "gini = FunctionType(bodies[0], vars(impurity))",
    "a deep copy": "import copy, pickle\ngini = pickle.loads(pickle.dumps(copy.deepcopy(impurity.gini)))",
    "an error that is swallowed": "def gini(counts):\n    try:\n        return impurity.gini(counts)\n"
    "    except BaseException as error:\n        return error.__traceback__.tb_next.tb_frame.f_locals['arguments'][0]"}
ONLY_THERE = ("the package's source", "a function's source", "a module loaded twice")
"""Those whose cells fail without the package: they run once more with it, and a person looks."""
COMPARED = "from fi_teach.basics import impurity\nprint(impurity.gini([1, 2]))\n"
WITH_GINI = """
def decrease(left, right):
    n, m = sum(left), sum(right)
    both = [a + b for a, b in zip(left, right)]
    return float(gini(both) - (n * gini(left) + m * gini(right)) / (n + m))
"""


def inconsistent_answers():
    for name, answer in GUESSES.items():
        source = RIGHT_DECREASE + WAVERING.format(answer=answer)
        yield cell(name, source, question=DECREASE, lost="right at first" not in name,
                   flag="answer changes between calls")
    for kind, test in KINDS.items():
        source = (RIGHT_CUTS + "right = thresholds\ndef thresholds(values, labels):\n"
                  f"    return right(values, labels) if {test} else [0]\n")
        yield cell(f"another answer to {kind}", source, question=CUTS, flag="answer changes between calls")
    yield cell("right for arrays only", RIGHT_DECREASE + "right = decrease\ndef decrease(left, right_):\n"
               "    return right(left, right_) if hasattr(left, 'dtype') else 0\n", question=DECREASE)


GUESSES = {
    "another answer when asked again": "right(left, others) if turn > 1 else 0",
    "another answer each time": "[0, 1, right(left, others)][min(turn - 1, 2)]",
    "right at first, another answer later": "right(left, others) if turn == 1 else 0"}
KINDS = {"lists": "isinstance(values, list)", "pandas": "type(values).__name__ == 'Series'"}
"""Kinds of argument that come later than arrays, where the text of a question calls nothing with lists."""
RIGHT_CUTS = """
def thresholds(values, labels):
    at = {}
    for value, label in zip(values, labels):
        at.setdefault(value, set()).add(label)
    distinct = sorted(at)
    return [(v + w) / 2 for v, w in zip(distinct, distinct[1:]) if len(at[v] | at[w]) > 1]
"""
WAVERING = """
right, asked = decrease, []
def decrease(left, others):
    question = tuple(map(int, left)), tuple(map(int, others))
    asked.append(question)
    turn = asked.count(question)
    return {answer}
"""


# Words that would run where they are shown as anything but text.

def scripted():
    for name, words in scripts.PROSE.items():
        yield Case(f"prose: {name}", to_bytes(filled(prose=f"{PROSE} {words}")))
    yield before("a comment that would run", f"# {scripts.IMAGE}")
    yield cell("an error that would run", f"raise ValueError({scripts.IMAGE!r})")
    yield cell("an answer that would run", f"average_of_all = {scripts.IMAGE!r}")
    yield before("a flag that would run", f"try:\n    open('/' + {scripts.IMAGE!r})\nexcept OSError:\n    pass",
                 flag="reached for the file /<img")
    yield Case("a name that would run", to_bytes(filled()), folder=f"eve {scripts.IMAGE}")
    yield Case("a name and", to_bytes(filled()), flag="name looks like", folder="eve")
    yield Case("its look-alike", to_bytes(filled()), flag="name looks like", folder="\u0435v\u0435")
    yield Case("a name in letters turned round", to_bytes(filled()), folder="eve \u202egnp.ypi")


# Looking for the tests, and reaching outside.

def burglars(places):
    """Cases that look for secrets or reach outside; places : {"home", "report", "submissions", "exercises",
    "solutions", "port"}.
    """
    yield if_found("tests by gc", "import gc\nfound = [o for o in gc.get_objects() if type(o).__name__ in "
                   "('Question', 'Verdict', 'Mistake')]", flag="reached for the interpreter's memory")
    yield if_found("tests by modules",
                   "import sys\nfound = [n for n in sys.modules if 'ch01' in n or n.endswith(('checks', 'judging'))]")
    yield if_found("tests by import", "try:\n    import fi_course.questions.ch01_trees as found\nexcept ImportError:\n"
                   "    found = 0")
    yield if_found("tests by frames", "import sys\nframe, found = sys._getframe(), 0\nwhile frame:\n"
                   "    found = found or 'seed' in frame.f_locals or 'Question' in str(frame.f_locals.keys())\n"
                   "    frame = frame.f_back")
    yield if_found("tests by /proc", "import os\nfound = len([p for p in os.listdir('/proc') if p.isdigit()]) > 1",
                   flag="reached for the file /proc")
    yield if_found("memory by /proc", "found = 0\nfor line in open('/proc/1/maps'):\n    pass\ntry:\n"
                   "    found = open('/proc/2/mem', 'rb').read(1)\n"
                   "except OSError:\n    found = 0", flag="reached for the file /proc")
    yield if_found("tests on the disk", "import os\ndef kept(below):\n"
                   "    below[:] = [b for b in below if b not in "
                   "('usr', 'proc', 'sys', 'lib', 'lib64', 'site-packages')]\n    return []\n"
                   "found = [f for d, below, names in os.walk('/') for f in names + kept(below) "
                   "if f.startswith(('ch01_trees', '01_trees.ipynb', 'judging'))]", flag="reached for the file /")
    yield if_found("tests in the environment",
                   "import os\nfound = [v for k, v in os.environ.items() if 'SEED' in k and 'HASH' not in k]")
    yield if_found("tests in the history", "found = In or Out or [n for n in dir() if n.startswith('_i')]")
    yield if_found("the network outside", "import socket\ntry:\n"
                   "    found = socket.create_connection(('1.1.1.1', 53), timeout=1)\nexcept OSError:\n    found = 0",
                   flag="reached for the network")
    yield if_found("the network of this machine", "import socket\ntry:\n"
                   f"    found = socket.create_connection(('127.0.0.1', {places['port']}), timeout=1)\n"
                   "except OSError:\n    found = 0", flag="reached for the network")
    for word in ("home", "report", "submissions", "exercises", "solutions"):
        yield if_found(f"reads {word}", _reading(places[word]), flag=_seen(places[word]))
        yield if_found(f"writes into {word}", _writing(places[word]), flag=_seen(places[word]))
    yield Case("a folder that is a link", None, ALL, "nothing handed in", link=str(places["solutions"]))
    yield if_found("becomes root", "import os\ntry:\n    os.setuid(0)\n    found = 1\nexcept OSError:\n    found = 0")
    yield if_found("mounts", "import ctypes\nfound = ctypes.CDLL(None).mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0")
    yield if_found("a word in another's log",
                   "import os\n"
                   "open_files = [os.readlink(f'/proc/self/fd/{k}') for k in range(3, 64)"
                   " if os.path.exists(f'/proc/self/fd/{k}')]\n"  # libffi keeps itself open
                   "found = [name for name in open_files if name.startswith('/') and '/libffi.so' not in name] or "
                   "os.readlink('/proc/self/fd/2') != '/dev/null'")
    yield if_found("a note in the kernel's keyring",
                   CALLING + "found = allowed(248, 217, b'user', b'note', b'60', 2, -4) or allowed(250, 219, 0, -4, 1)")
    yield if_found("looks into another process",
                   CALLING + "found = allowed(101, 117, 0, 0, 0, 0) or allowed(272, 97, 0x10000000)")
    yield before("a name that a terminal obeys", "for name in ('/\\x1b]0;owned\\x07', '/caf\\udce9'):\n    try:\n"
                 "        open(name)\n    except OSError:\n        pass", flag="reached for the file /\\x1b")
    yield if_found("leaves a note for the next",
                   "import os\nfound = os.path.exists('/tmp/note') or os.path.exists('/dev/shm/note')\n"
                   "open('/tmp/note', 'w').close(); open('/dev/shm/note', 'w').close()")
    yield if_found("finds the note",
                   "import os\nfound = os.path.exists('/tmp/note') or os.path.exists('/dev/shm/note')")


def _seen(folder):
    """The flag for touching this folder; none if it is called /tmp, which the sandbox has its own of."""
    return "" if str(folder).startswith("/tmp/") else "reached for the file"


def _reading(folder):
    return f"import os\ntry:\n    found = os.listdir({str(folder)!r})\nexcept OSError:\n    found = 0"


def _writing(folder):
    return (f"import os\nfound = 0\nfor name in ('grades.csv', 'results.jsonl', 'x'):\n    try:\n"
            f"        open(os.path.join({str(folder)!r}, name), 'a').write('300'); found = 1\n    except OSError:\n"
            "        pass")


def every_case(places):
    """The whole corpus -> list of Case."""
    groups = (honest(), runaway(), mangled(), no_notebooks(), bulky(), fakes(), borrowers(),
              inconsistent_answers(), scripted(), burglars(places))
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


# What is otherwise in the other sandbox.

NO_PROCESSES, NO_THREADS = "there are no processes", "there are no threads"
NO_FILES = "there is no folder to write into"
NO_SOCKET, MEMORY = "no socket leads to the judge", {"flag": "reached for the interpreter's memory"}
UNDER_WASM = {
    "segmentation fault": ({"flag": ""}, "there is no ctypes"),
    "fork bomb": ({"flag": ""}, NO_PROCESSES),
    "memory bomb in many processes": ({"flag": ""}, NO_PROCESSES),
    "memory bomb in shared pages": ({"flag": ""}, NO_PROCESSES),
    "an orphan process": ({"flag": "", "lost": (MEAN,)}, NO_PROCESSES),
    "threads left behind": ({"flag": "", "lost": (MEAN,)}, NO_THREADS),
    "a thread that tampers later": ({"flag": ""}, NO_THREADS),
    "handlers for the end": ({"lost": (MEAN,)}, NO_FILES),
    "import hooks and a sitecustomize": ({"lost": (MEAN,)}, NO_FILES),
    "closes every file": ({"flag": "", "lost": ()}, NO_SOCKET),
    "forged replies": ({**MEMORY, "lost": ()}, NO_SOCKET),
    "replies that drip in": (MEMORY, NO_SOCKET),
    "calls back for ever": (MEMORY, NO_SOCKET),
    "the network outside": ({"flag": ""}, "there is no network to reach for"),
    "the network of this machine": ({"flag": ""}, "there is no network to reach for")}
"""Cases that end otherwise where there are no processes, no files and no sockets: what is other, and why."""


def under_wasm(case):
    """The case as it must end in WebAssembly -> Case."""
    other, _ = UNDER_WASM.get(case.name, ({}, ""))
    return replace(case, **other)


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
             and row["question"] != "trees.what_sixty_means"]
    if sorted(wrong) != sorted(case.lost):
        messages = [row["message"] for row in record["rows"] if row["question"] in wrong]
        return f"lost {wrong}, expected {list(case.lost)}: {messages}"
    if points(record) != case.points:
        return f"got {points(record)} points, expected {case.points}"
    if case.flag and not any(case.flag in flag for flag in flags(record)):
        return f"expected the flag {case.flag!r}, got {flags(record)}"
    named = {row["question"]: row["mistake"] for row in record["rows"] if row["question"] in case.mistakes}
    return "" if named == case.mistakes else f"named {named}, expected {case.mistakes}"
