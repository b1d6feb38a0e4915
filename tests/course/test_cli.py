"""fi-teach: doctor mends, submit packs without sending, release gives nothing away."""

import hashlib
import io
import json
import posixpath
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

import fi_teach.__main__ as cli
from fi_course import check_install as doctor_module
from fi_course import claims
from fi_course.check_install import Finding, examine, report
from fi_course.claims import read_ledger
from fi_course.questions import QUESTIONS
from fi_course.submit import submit
from fi_grader import release as release_module

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = ROOT / "exercises" / "01_trees.ipynb"


def run(capsys, *arguments):
    """Run the command -> (exit code, what it printed, what it complained of)."""
    code = cli.main([str(a) for a in arguments])
    return code, *capsys.readouterr()


@pytest.mark.parametrize("arguments",
                         [[], ["--help"], ["doctor", "--help"], ["submit", "--help"], ["release", "--help"], ["dance"]])
def test_help_and_wrong_use_print_usage(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == (0 if "--help" in arguments else 2)
    assert "usage: fi-teach" in "".join(capsys.readouterr())


# doctor

def test_the_doctor_finds_this_environment_well_on_one_screen(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    code, out, _ = run(capsys, "doctor")
    assert code == 0 and "All is well" in out and len(out.split("\n")) < 40
    assert all(name in out for name in ("Python", "numpy", "jupyterlab", "xgboost", "Jupyter kernel", "exercises"))


def test_the_doctor_names_what_is_missing_or_old_and_how_to_mend_it(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    installed = doctor_module.version

    def version(name):
        if name == "matplotlib":
            raise doctor_module.PackageNotFoundError
        return "1.9.0rc1" if name == "numpy" else installed(name)
    monkeypatch.setattr(doctor_module, "version", version)
    code, out, _ = run(capsys, "doctor")
    assert code == 1 and "3 things to mend" in out
    assert 'pip install "numpy>=2.0"' in out and "1.9.0rc1, expected >=2.0" in out
    assert 'pip install "matplotlib>=3.9"' in out
    assert "none in" in out


def test_the_doctor_says_so_if_the_package_itself_is_not_installed(monkeypatch):
    def requires(name):
        raise doctor_module.PackageNotFoundError(name)
    monkeypatch.setattr(doctor_module, "requires", requires)
    assert re.search(r'MISSING  fi-teach .*\n.*pip install "\.\[lab\]"', report(examine(ROOT)))


def test_the_doctor_says_so_if_what_reads_requirements_is_missing(monkeypatch):
    """In an environment of numpy and pandas alone there is no `packaging`."""
    monkeypatch.setitem(sys.modules, "packaging.requirements", None)
    monkeypatch.setitem(sys.modules, "packaging", None)
    assert re.search(r"MISSING  packaging.* not installed", report(examine(ROOT)))


def test_what_only_graders_need_is_no_illness():
    text = report([Finding("nbgrader", False, "not installed", "pip install nbgrader", needed=False)])
    assert "absent" in text and "All is well" in text


# submit

def solved(tmp_path, **answers):
    """A copy of the first exercise with these answers, or the first question's -> Path."""
    answers = answers or {"recall_mean": "average_of_all = 60"}
    notebook = json.loads(EXERCISE.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        about = cell["metadata"].get("fi_teach", {})
        name = about.get("question", "").removeprefix("trees.")
        if about.get("part") == "answer" and name in answers:
            cell["source"] = [answers[name]]
    path = tmp_path / EXERCISE.name
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def test_submit_packs_notebooks_versions_and_hashes_and_says_what_is_unanswered(capsys, tmp_path):
    path, out = solved(tmp_path), tmp_path / "anna.zip"
    code, said, _ = run(capsys, "submit", path, "--out", out)
    with zipfile.ZipFile(out) as archive:
        packed, manifest = archive.read("01_trees.ipynb"), json.loads(archive.read("submission.json"))
    entry = manifest["notebooks"]["01_trees.ipynb"]
    assert code == 0 and packed == path.read_bytes()
    assert entry["sha256"] == hashlib.sha256(packed).hexdigest()
    assert entry["answered"] == ["trees.recall_mean"] and len(entry["unanswered"]) == 12 and not entry["missing"]
    assert set(manifest["versions"]) == {"fi-teach", "python", "numpy", "pandas"}
    assert "run afresh: 1 of 19 points" in said and "Nothing has left this machine" in said
    assert re.search(r"1 for +trees.recall_mean +right\n", said)
    assert re.search(r"3 for +trees.decrease +not started", said)


def test_submit_runs_the_saved_notebook_and_says_how_each_question_stands(capsys, tmp_path):
    """Beside the notebook, without --out; what cannot be parsed or stops is no answer."""
    path = solved(tmp_path, recall_mean="average_of_all = 55", entropy_bits="bits = (", first_cut="1 / 0",
                  thresholds="def thresholds(values, labels):\n    return 3",
                  what_sixty_means="It is a share of the whole decrease.",
                  recall_two_draws="%time x = 1\ndifferent = 0.42")
    code, said, _ = run(capsys, "submit", path)
    assert code == 0 and said.startswith(f"Wrote {path.with_suffix('.zip')}") and path.with_suffix(".zip").exists()
    for line in ("recall_mean +wrong +mean of two means", "recall_two_draws +right\n",
                 "entropy_bits +wrong +Your cell stopped with SyntaxError",
                 "first_cut +wrong +Your cell stopped with ZeroDivisionError: division by zero",
                 r"thresholds +wrong +On `thresholds\(", "what_sixty_means +to be read", "decrease +not started\n"):
        assert re.search(rf"trees\.{line}", said), line


def test_the_same_notebooks_make_the_same_bytes_and_the_notebook_is_left_alone(tmp_path):
    path = solved(tmp_path)
    before = path.read_bytes()
    for name in ("one.zip", "two.zip"):
        submit([path], tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    assert path.read_bytes() == before


def test_a_question_whose_cell_was_deleted_is_reported_missing(tmp_path):
    notebook = json.loads(EXERCISE.read_text(encoding="utf-8"))
    notebook["cells"] = [c for c in notebook["cells"] if c["id"] != "trees-decrease-answer"]
    path = tmp_path / EXERCISE.name
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert submit([path], tmp_path / "a.zip")["notebooks"][path.name]["missing"] == ["trees.decrease"]


@pytest.mark.parametrize(("content", "words"),
                         [("not json", "cannot be read"), ("{}", "cannot be read"),
                          ('{"cells": [3]}', "cannot be read"),
                          ('{"cells": [{"metadata": {"fi_teach": {"part": "answer"}}}]}', "cannot be read"),
                          ('{"cells": []}', "no cell for an answer")])
def test_submit_refuses_what_is_no_exercise(content, words, tmp_path, capsys):
    path = tmp_path / "01_trees.ipynb"
    path.write_text(content, encoding="utf-8")
    code, _, complaint = run(capsys, "submit", path, "--out", tmp_path / "a.zip")
    assert code == 2 and words in complaint and not (tmp_path / "a.zip").exists()


def test_submit_refuses_missing_and_doubled_notebooks_and_to_overwrite_one(tmp_path, capsys):
    (tmp_path / "other").mkdir()
    again = solved(tmp_path / "other")
    for arguments, words in [((tmp_path / "none.ipynb", "--out", "a.zip"), "no such notebook"),
                             ((tmp_path / "other", "--out", "a.zip"), "other (a folder)"),
                             ((EXERCISE, again, "--out", "a.zip"), "one name"),
                             ((again, "--out", again), "written over"),
                             ((EXERCISE, "--out", tmp_path / "nowhere" / "a.zip"), "cannot write")]:
        code, _, complaint = run(capsys, "submit", *arguments)
        assert code == 2 and words in complaint


# release

@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    out = tmp_path_factory.mktemp("bundles")
    release_module.release(out, ROOT)
    return {name: zipfile.ZipFile(io.BytesIO((out / f"{name}.zip").read_bytes())) for name in ("student", "instructor")}


def test_the_students_readme_takes_five_steps_that_work_from_the_bundle_alone(bundles):
    """Python's versions come first; each step says what one sees and what to do if not;
    every program starts by `python -m`."""
    readme, names = bundles["student"].read("student/README.md").decode(), bundles["student"].namelist()
    before, windows = re.match(r"(.*?)## Five steps on Windows\n(.*?)\n## ", readme, re.S).groups()
    steps = re.split(r"\n(?=\d\. )", windows.strip())
    assert "3.11, 3.12, 3.13 or 3.14" in before and len(steps) == 5
    assert all("*You see*" in step and "*If not:*" in step for step in steps)
    typed = [line.split() for line in re.findall(r"^ {4,}(\S.*)$", windows, re.M) if line.startswith((".venv", "py "))]
    assert len(typed) == 5 and all(words[1] in ("-m", "--version") for words in typed)
    assert "make " not in readme and "![" not in readme and not [
        w for w in ("nbgrader", "fi-teach grade") if w in readme]
    assert {"student/pyproject.toml", "student/requirements.lock", "student/exercises/01_trees.ipynb",
            "student/fi_teach/__main__.py", "student/fi_course/cli.py"} <= set(names)
    assert not {"student/environment.yml", "student/START.md"} & set(names)


def test_no_grader_comes_with_what_a_student_installs():
    """nbgrader puts its buttons into JupyterLab: it is part of neither the package nor `lab`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    installed = project["dependencies"] + project["optional-dependencies"]["lab"]
    assert not [name for name in installed if "nbgrader" in name or "[grade" in name]


def test_the_students_bundle_holds_no_solution_no_hidden_test_and_no_proof(bundles):
    """Neither their files nor a reason or a proof answer; that no exercise holds a line of them is test_exercises'."""
    names = bundles["student"].namelist()
    assert not [n for n in names if re.search(r"solutions/|tests/|fi_grader/|release\.py|\.pyc|/\.", n)]
    everything = "\n".join(bundles["student"].read(n).decode() for n in names if n.endswith((".ipynb", ".py", ".md")))
    for path in (ROOT / "solutions").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        reasons = [line.strip() for c in cells for line in "".join(c["source"]).split("\n") if "# Why:" in line]
        assert reasons and not [line for line in reasons if line in everything]
    for answers in (ROOT / "tests" / "course" / "questions" / "answers").glob("*.py"):
        assert answers.read_text(encoding="utf-8").split("\n")[0] not in everything


def test_both_bundles_hold_the_exercises_as_nobody_has_run_them(bundles):
    """And the instructor's the solutions, with what is expected of them."""
    for path in (ROOT / "exercises").glob("*.ipynb"):
        sent = json.loads(bundles["student"].read(f"student/exercises/{path.name}"))
        assert sent["cells"] == json.loads(path.read_text(encoding="utf-8"))["cells"]
        for folder in ("exercises", "solutions"):
            assert bundles["instructor"].read(f"instructor/{folder}/{path.name}") == (
                ROOT / folder / path.name).read_bytes()


def test_every_link_between_the_students_pages_leads_somewhere(bundles):
    """The start page names every chapter and set; claims and chapters lead to the ledger, entry by entry."""
    student = {name.removeprefix("student/"): bundles["student"].read(name).decode()
               for name in bundles["student"].namelist() if name.endswith(".ipynb")}
    links = {name: re.findall(r"\]\(([^)#:]+\.(?:ipynb|md))[)#]", text) for name, text in student.items()}
    assert set(links["start.ipynb"]) == student.keys() - {"start.ipynb", "book/ledger.ipynb"}
    assert not [(name, link) for name, found in links.items() for link in found
                if posixpath.normpath(posixpath.join(posixpath.dirname(name), link)) not in student]
    ledger = {cell["id"]: cell["source"] for cell in json.loads(student["book/ledger.ipynb"])["cells"]}
    assert all(ledger[id].startswith(f"### {id}\n") for id in read_ledger())


def test_a_chapter_settles_its_claims_in_the_students_folder(bundles, tmp_path, monkeypatch):
    """The package is installed elsewhere there; the ledger lies above the chapters."""
    bundles["student"].extract("student/book/claims.yaml", tmp_path)
    (tmp_path / "student/notebooks").mkdir()
    monkeypatch.setattr(claims, "LEDGER", tmp_path / "elsewhere/claims.yaml")
    monkeypatch.chdir(tmp_path)
    read_ledger.cache_clear()
    with pytest.raises(ValueError, match="inside the course's folder"):
        claims.settle("MID-01", holds=True, figure=1)
    monkeypatch.chdir(tmp_path / "student/notebooks")
    assert "ledger.ipynb#cell-id=MID-01" in claims.settle("MID-01", holds=True, figure=1)._repr_html_()
    read_ledger.cache_clear()


def test_the_instructors_bundle_holds_all_of_it_and_an_nbgrader_course(bundles):
    names = set(bundles["instructor"].namelist())
    assert {f"instructor/source/{q.notebook}/{q.notebook}.ipynb" for q in QUESTIONS.values()} <= names
    assert {"instructor/nbgrader_config.py", "instructor/tests/course/questions/test_proof.py",
            "instructor/solutions/01_trees.ipynb"} <= names


def test_release_says_what_it_wrote(capsys, tmp_path):
    code, out, _ = run(capsys, "release", "--out", tmp_path / "new", "--project", ROOT)
    assert code == 0 and "student.zip" in out and "instructor.zip" in out


def project_in(folder, exercise):
    """A small project with one set, whose exercise holds the given text, and no claim -> Path."""
    for name in ("solutions", "exercises", "book"):
        (folder / name).mkdir()
    (folder / "solutions" / "01_a.ipynb").write_text("{}", encoding="utf-8")
    (folder / "exercises" / "01_a.ipynb").write_text(json.dumps({"cells": [{"source": exercise}]}), encoding="utf-8")
    (folder / "book" / "claims.yaml").write_text("[]", encoding="utf-8")
    return folder


def test_release_refuses_another_folder_a_leak_a_missing_exercise_and_a_file_in_the_way(capsys, tmp_path):
    code, _, complaint = run(capsys, "release", "--out", tmp_path, "--project", tmp_path)
    assert code == 2 and "there is no solutions/" in complaint
    project = project_in(tmp_path, "### BEGIN SOLUTION")
    assert "holds 'BEGIN SOLUTION'" in run(capsys, "release", "--out", tmp_path / "out", "--project", project)[2]
    (project / "exercises" / "01_a.ipynb").write_text('{"cells": [{"source": "# A"}]}', encoding="utf-8")
    assert "cannot write into" in run(capsys, "release", "--out", project / "exercises" / "01_a.ipynb", "--project",
                                      project)[2]
    (project / "exercises" / "01_a.ipynb").unlink()
    assert "differ in 01_a.ipynb" in run(capsys, "release", "--out", tmp_path / "out", "--project", project)[2]
    assert not (tmp_path / "out").exists()


def test_a_students_copy_says_that_it_cannot_release_or_grade(capsys, monkeypatch):
    monkeypatch.setattr(cli, "find_spec", lambda name: None if name == "fi_grader" else find_spec(name))
    for command in (["release", "--out", "x"], ["grade", "submissions"]):
        with pytest.raises(SystemExit, match="2"):
            cli.main(command)
        said = capsys.readouterr().err
        assert (f"invalid choice: '{command[0]}'" in said
                and "has no fi_grader: it comes with the instructor's bundle" in said)


def test_the_command_starts_without_numpy():
    """What a command needs is imported when it runs: --help and a typing error cost nothing."""
    code = "import sys, fi_teach.__main__ as cli; cli.parser(); print(sorted({'numpy', 'pandas'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
