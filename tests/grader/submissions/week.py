"""A made week: a class of sixty, half on Moodle and half on Canvas, with everything that was seen to go wrong in one.

`make_week(folder)` writes what an instructor has on Monday morning: course.toml, roster.csv, what both platforms hand
out and what came by mail in `downloads/`, Moodle's grading worksheet and Canvas's gradebook.
"""

import csv
import io
import zipfile
from datetime import datetime, timedelta

from notebooks import ROOT, filled, to_bytes

DEADLINE = datetime(2026, 10, 12, 23, 59)
NAMES = ["Anna Müller", "Борис Иванов", "山田 太郎", "عبد‌الله خان", "Chloé O'Neill", "José Mª García", "=cmd Kalkül",
         "Nguyễn Văn An", "Ayşe Şahin", "Jörg Groß"]
FAMILY = ["Adler", "Brandt", "Costa", "Dubois", "Ek", "Ferrari"]
WRONG = {"trees.recall_mean": "average_of_all = 55",
         "trees.decrease": "def decrease(left, right):\n    gini = lambda c: 1 - sum((k / sum(c)) ** 2 for k in c)\n"
                           "    return gini([a + b for a, b in zip(left, right)]) - gini(left) / 2 - gini(right) / 2"}
PROSE = ["Sixty per cent of the decrease of this one tree, on its eight rows.",
         "It means that who attends will pass <img src=x onerror=alert(1)>.",
         "=1+1 is no answer, but these are words enough.",
         "The share of the tree's impurity that attendance took, and nothing causal at all."]


def people():
    """The roster: sixty students, two groups, two assistants -> list of rows."""
    rows = []
    for k in range(60):
        name = NAMES[k] if k < len(NAMES) else f"{chr(65 + k % 26)}{'aeiou'[k % 5]}n {FAMILY[k % 6]}{k}"
        rows.append({"id": f"s{k:03d}", "name": name, "email": f"s{k:03d}@uni.example",
                     "group": ["Monday", "Friday"][k % 2],
                     "assistant": ["Ben", "Clara"][k % 2], "moodle": "", "canvas": str(7000 + k) if k >= 30 else ""})
    return rows


def notebook(k):
    """What student k hands in for set 1 -> bytes."""
    answers = {"trees.recall_mean": WRONG["trees.recall_mean"]} if k % 4 == 1 else {}
    answers |= {"trees.decrease": WRONG["trees.decrease"]} if k % 8 in (1, 4) else {}
    return to_bytes(filled({**answers, **({} if answers else {"trees.recall_mean": f"average_of_all = 60  # {k}"})},
                           prose=PROSE[k % 4]))


def golf():
    """Set 2, untouched -> bytes."""
    return (ROOT / "exercises" / "02_golf.ipynb").read_bytes()


def zipped(files, when=datetime(2026, 10, 11, 12, 0)):
    """{name: bytes or (bytes, time)} -> bytes of a zip file."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            content, time = content if isinstance(content, tuple) else (content, when)
            archive.writestr(zipfile.ZipInfo(name, time.timetuple()[:6]), content)
    return memory.getvalue()


def moodle_files():
    """What Moodle's "Download all submissions" holds -> {path: bytes or (bytes, time)}. Students 0 to 29; 28 and 29 are
    absent.
    """
    files = {}
    for k, one in enumerate(people()[:28]):
        place = f"{one['name'].replace('_', ' ')}_{5000 + k}_assignsubmission_file/"
        files[f"{place}01_trees.ipynb"] = notebook(k)
    def place(k):
        return f"{people()[k]['name']}_{5000 + k}_assignsubmission_file/"
    def move(k, name, content=None):
        files.pop(f"{place(k)}01_trees.ipynb", None)
        files[f"{place(k)}{name}"] = content or notebook(k)
    move(1, "01_TREES.IPYNB")
    move(2, "01_trees.ipynb.txt")
    move(3, "notebook.ipynb.json")
    move(4, "exercise1_final.ipynb")
    move(5, "all.zip", zipped({"inner.zip": zipped({"exercises/01_trees.ipynb": notebook(5)})}))
    move(6, "__MACOSX/._01_trees.ipynb", b"litter")
    files[f"{place(6)}01_trees.ipynb"] = notebook(6)
    move(7, "01_trees.ipynb", golf())                        # set 2 under the name of set 1
    files[f"{place(8)}01_trees (1).ipynb"] = (notebook(9), datetime(2026, 10, 12, 10, 0))   # the newer one of two
    move(9, "answers.rar", b"Rar!")
    move(10, "01_trees.ipynb", (notebook(10), DEADLINE + timedelta(days=1, hours=3)))
    move(11, "01_trees.ipynb", (notebook(11), DEADLINE + timedelta(days=9)))
    move(12, "01_trees.ipynb", (notebook(12), DEADLINE + timedelta(minutes=5)))
    move(13, "01_trees.ipynb", b'{"worksheets": [1]}')
    move(14, "01_trees.ipynb", edited())
    return files


def edited():
    """Set 1 with one question's text as another edition had it -> bytes."""
    raw = filled()
    text = next(c for c in raw["cells"] if c["id"] == "trees-entropy_bits-text")
    text["source"] = "### trees.entropy_bits\n\nHow many bits does the *other* split save?"
    return to_bytes(raw)


def canvas_files():
    """What Canvas's zip file holds, all of it flat -> {name: bytes}. Students 30 to 59; 58 and 59 are absent."""
    files = {}
    for k, one in enumerate(people()[30:58], 30):
        first, _, last = one["name"].partition(" ")
        called = "".join(c for c in f"{last}{first}".lower() if c.isalnum())
        late = "_LATE" * (k in (40, 41))
        files[f"{called}{late}_{7000 + k}_{91000 + k}_01_trees.ipynb"] = notebook(k)
        if k == 42:
            files[f"{called}_{7000 + k}_{99000 + k}_01_trees-1.ipynb"] = notebook(0)        # handed in again
        if k == 43:
            files[f"{called}_{7000 + k}_text.html"] = b"<p>see my mail</p>"
    return files


def worksheet():
    """Moodle's grading worksheet of set 1 -> text."""
    rows = [("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade", "Grade can be changed",
             "Last modified (submission)", "Last modified (grade)", "Feedback comments")]
    for k, one in enumerate(people()[:30]):
        status = "Submitted for grading" if k < 28 else "No submission"
        rows.append((f"Participant {5000 + k}", one["name"], one["email"], status, "", "100.00", "Yes",
                     "Sunday, 11 October 2026, 12:00 PM", "-", ""))
    return table(rows)


def gradebook():
    """Canvas's exported gradebook -> text."""
    rows = [("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Set 1 (123)", "Quiz (124)", "Current Score"),
            ("    Points Possible", "", "", "", "", "27.00", "10.00", "(read only)")]
    for k, one in enumerate(people()[30:], 30):
        first, _, last = one["name"].partition(" ")
        rows.append((f"{last}, {first}", str(7000 + k), one["id"], one["email"], "A", "", "8", ""))
    return table([*rows, ("Student, Test", "9999", "", "", "A", "", "", "")])


def table(rows):
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


COURSE = """title = "Which Features Matter?, autumn 2026"
roster = "roster.csv"
seed = 9

[late]
free_days = 1
cost = 0.1
last_day = 7
grace_minutes = 15

[sets.01_trees]
week = 1
deadline = 2026-10-12T23:59:00+02:00
canvas = "Set 1"

[sets.02_golf]
week = 2
weight = 2
"""


def make_week(folder):
    """Write the week into a folder."""
    downloads = folder / "downloads"
    (downloads / "by mail" / "s059 by mail").mkdir(parents=True)
    (downloads / "by mail" / "01_trees.ipynb").write_bytes(notebook(0))      # somebody's, nobody knows whose
    (folder / "course.toml").write_text(COURSE, encoding="utf-8")
    rows = people()
    (folder / "roster.csv").write_text(table([tuple(rows[0]), *(tuple(row.values()) for row in rows)]),
                                       encoding="utf-8-sig")
    (downloads / "WFM-Set 1-4711.zip").write_bytes(zipped(moodle_files()))
    (downloads / "submissions.zip").write_bytes(zipped(canvas_files(), DEADLINE + timedelta(days=3)))
    (folder / "worksheet.csv").write_text(worksheet(), encoding="utf-8-sig")
    (folder / "gradebook.csv").write_text(gradebook(), encoding="utf-8")
