"""Bubblewrap: nothing passes from one student to the next, and no solution can be read wherever the course lies."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import pytest

from fi_grader import installed
from fi_grader.judging.student import StudentProcess
from fi_grader.sandbox import choose as sandbox

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534

LEAVE_OR_FIND = (Path(__file__).parent / "submissions" / "leave_or_find.txt").read_text()


def notes_passed():
    """What the first of two students leaves, and what the second finds -> dict."""
    server = sandbox.ForkServer()
    hidden = sorted(sandbox.answers_within(sandbox.roots(), {p.parent for p in installed.PACKAGES.values()}))
    found = {}
    for word in ("leave()", "[find(), dates()]"):
        student = StudentProcess(server)
        with student.within(60):
            assert student.ask("run", LEAVE_OR_FIND.replace("HIDDEN", repr(hidden)), "cell 1").get("error") is None
            found[word] = [student.value("dates()"), student.value(word)]
        student.end()
    server.close()
    (before, left), (_, (notes, after)) = found.values()
    return {"left": left, "found": notes, "dates moved": before != after}


@pytest.mark.parametrize("user", [0, NOBODY], ids=["as root", "as an ordinary user"])
def test_nothing_passes_from_one_student_to_the_next(user):
    """Files, links and dates wherever one could write, queues, keys, ports, addresses, and a process left behind."""
    try:
        options = {} if user == os.getuid() else {"user": user, "group": user, "extra_groups": []}
        done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, cwd="/",
                              env={**os.environ, "HOME": "/tmp", "PYTHONPATH": str(ROOT)}, **options)
    except PermissionError:
        pytest.skip("this user cannot become the other one, or that one cannot start this Python")
    assert done.returncode == 0, done.stderr
    passed = json.loads(done.stdout)
    assert passed == {"left": [passed["left"][0], [False, False]], "found": [], "dates moved": False}
    assert passed["left"][0] >= 6  # in /tmp and /dev/shm, which nobody else sees


@pytest.mark.parametrize(("course", "library"), [
    ("lib/course", "lib"), ("lib/course", "lib/course/.venv/lib"), ("lib", "lib"), ("share/course", "lib"),
    ("home/anna/course", "home/anna/course/.venv/lib"), ("lib/python3/site-packages", "lib/python3/site-packages")])
def test_no_solution_can_be_read_wherever_the_course_lies(course, library, monkeypatch):
    """Below a folder that is shown, beside its libraries, around them, in somebody's home; in /tmp, whose rest is gone;
    and the course elsewhere whose folder --exercises names.

    What is needed stays: a module beside the course can be imported.
    """
    there = Path(mkdtemp(prefix="Über Bäume ", dir="/tmp"))
    there.chmod(0o755)
    for name, package in installed.PACKAGES.items():
        shutil.copytree(package, there / course / name, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (f"{course}/solutions", f"{course}/exercises", f"{library}/other/solutions"):
        (there / folder).mkdir(parents=True)
        (there / folder / "01_trees.ipynb").write_text("average_of_all = 60")
    (there / library / "lies_there.py").write_text("is_here = True")
    monkeypatch.setattr(installed, "PACKAGES", {name: there / course / name for name in installed.PACKAGES})
    shown = sorted({str(there / library), *([str(there / "lib")] if library.startswith("lib") else [])})
    monkeypatch.setattr(sandbox, "roots", lambda before=sandbox.roots: [*before(), *shown])
    server = sandbox.start_server("bwrap", courses=[there / library / "other"])
    try:
        student = StudentProcess(server)
        with student.within(60):
            found = {word: student.ask("run", source, "cell 1") for word, source in {
                "imports": f"import sys; sys.path.append({str(there / library)!r}); import lies_there",
                "writes": f"open({str(there / library / 'x')!r}, 'w')",
                "writes where it is hidden": f"open({str(there / course / 'solutions' / 'x')!r}, 'w')",
                "writes into /tmp": "open('/tmp/x', 'w').close()"}.items()}
            seen = student.value(f"[n for _, _, names in __import__('os').walk({str(there)!r}) for n in names]")
    finally:
        server.close()
        shutil.rmtree(there)
    assert {word for word, reply in found.items() if "error" in reply} == {"writes", "writes where it is hidden"}
    assert seen == ["lies_there.py"]


def test_python_may_be_a_link_to_a_link_in_a_folder_that_is_hidden():
    """A bin folder in a home or in /tmp: the fork server starts all the same."""
    with TemporaryDirectory(prefix="Über Bäume ", dir="/tmp") as name:
        there = Path(name)
        (there / "bin").mkdir()
        (there / "home").symlink_to("bin")
        (there / "bin" / "python3").symlink_to(os.path.realpath(sys.executable))
        subprocess.run([there / "home" / "python3", "-m", "venv", "--without-pip", there / "env"], check=True)
        libraries = Path(sysconfig.get_path("purelib", vars={"base": str(there / "env")}))
        libraries.rmdir()
        libraries.symlink_to(sysconfig.get_path("purelib"))
        script = "from fi_grader.sandbox import choose; print(choose.sys.executable, choose.probe('bwrap'), sep='|')"
        done = subprocess.run([there / "env" / "bin" / "python", "-c", script], capture_output=True, text=True,
                              cwd=ROOT)
    assert done.stdout == f"{there}/env/bin/python|\n", done.stderr


def test_the_links_to_python_may_lead_through_a_folder_of_the_system(tmp_path, monkeypatch):
    (tmp_path / "python3").symlink_to("/bin/sh")  # itself a link, in a folder that is one
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python3"))
    assert subprocess.run(sandbox.bwrap(["/bin/sh", "-c", "exit 7"])).returncode == 7


if __name__ == "__main__":
    print(json.dumps(notes_passed()))
