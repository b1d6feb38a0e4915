"""Build two bundles: one for students, without readable answers, and one for instructors.

A student's questions are specifications, data that tells right from wrong and does not show which
is which; the modules that define the questions, the solutions, the tests and the grader stay with
the instructor. What a student works in are chapters, sets, and two pages that lead through them.
"""

import json
import re
from pathlib import Path

from fi_course.claims import VERDICTS, read_ledger
from fi_course.questions.checks import CODE_STUB, TEXT_STUB
from fi_course.questions.question import QUESTIONS
from fi_course.questions.specification import specification_of
from fi_course.reproducible_zip import write_zip

STUDENT = ("pyproject.toml", "requirements.lock", "LICENSE", "LICENSE-text")
PACKAGES = ("fi_teach", "fi_audit", "fi_course")  # what a student gets, with STUDENT
INSTRUCTOR = (*STUDENT, *PACKAGES, "exercises", "notebooks", "book/claims.yaml", "fi_grader",
              "README.md", "environment.yml", "solutions", "tests/course/questions",
              "tests/conftest.py", "book/tools/exercises.py", "book/instructors.md",
              "book/grading.md", "book/teaching.md")
KINDS_OF_FILE = {".ipynb", ".py", ".toml", ".lock", ".yml", ".yaml", ".md", ".csv", ".js", ".css",
                 ".json", ".txt", ".html", ".mplstyle", ".ttf", ".example", ".sh", ""}
BUNDLE = Path(__file__).with_name("bundle")  # texts that the bundles are given
QUESTIONS_FOLDER = "fi_course/questions/"
FOR_INSTRUCTORS = re.compile(rf"{QUESTIONS_FOLDER}(ch\d|implementations_to_test/)")
"""What holds answers: a module a set, and the implementations that students' tests are run on."""
SECRETS = ("BEGIN SOLUTION", "BEGIN HIDDEN TESTS")
NBGRADER_CONFIG = f'''"""nbgrader's settings for these exercises: \
stubs that let a notebook run, so that only its checks fail."""

c = get_config()  # noqa: F821
c.ClearSolutions.code_stub = {{"python": {CODE_STUB!r}}}
c.ClearSolutions.text_stub = {TEXT_STUB!r}
'''
START, LEDGER = "start.ipynb", "book/ledger.ipynb"
BOOK_PAGE = re.compile(rb"\[([^][\n]+)\]\(\.\./book/\w+\.md[^)]*\)")
"""A link to a page of the book, which is no notebook: a student's folder keeps its words."""


def release(out, project="."):
    """Write student.zip and instructor.zip into the folder out -> {bundle's path: number of files}.

    Raises ValueError if project lacks exercises/ or solutions/, or out cannot be written.
    """
    project, out = Path(project), Path(out)
    solutions, exercises = ({path.name for path in (project / folder).glob("*.ipynb")}
                            for folder in ("solutions", "exercises"))
    if not solutions:
        raise ValueError(f"there is no solutions/ in {project.resolve()}: "
                         "run this in the project's own folder, or name it with --project.")
    if solutions != exercises:
        raise ValueError(
            f"solutions/ and exercises/ differ in {', '.join(sorted(solutions ^ exercises))}: "
            "run python book/tools/exercises.py first.")
    student = {**_files(project, STUDENT), **student_package(project), **student_folder(project),
               "README.md": (BUNDLE / "README.md").read_bytes()}
    for path, content in student.items():
        for secret in SECRETS if path.endswith(".ipynb") else ():
            if secret.encode() in content:
                raise ValueError(f"{path} holds {secret!r}: run python book/tools/exercises.py, "
                                 "then release again.")
    written = {}
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, bundle in (("student", student), ("instructor", instructor_files(project))):
            files = {f"{name}/{path}": content for path, content in bundle.items()}
            write_zip(out / f"{name}.zip", files)
            written[out / f"{name}.zip"] = len(files)
    except OSError as error:
        raise ValueError(
            f"cannot write into {out}: {error.strerror}. Choose a folder of yours.") from None
    return written


def student_package(project="."):
    """Collect the package for students, its questions as data without answers -> {path: bytes}."""
    asked = {question.notebook for question in QUESTIONS.values()}
    names = sorted(path.stem for path in (Path(project) / "exercises").glob("*.ipynb"))
    texts = {f"{QUESTIONS_FOLDER}specifications/{name}.json":
             json.dumps(specification_of(name), ensure_ascii=False).encode()
             for name in names if name in asked}
    return {**_files(project, PACKAGES, skip=FOR_INSTRUCTORS), **texts}


def student_folder(project="."):
    """Collect what a student opens: chapters, sets, the start page, the claims -> {path: bytes}."""
    claims, notebooks = Path(project) / "book/claims.yaml", {}
    for folder in ("notebooks", "exercises"):
        for path in sorted((Path(project) / folder).glob("*.ipynb")):
            content = path.read_bytes().replace(b"../book/ledger.md", b"../book/ledger.ipynb")
            notebooks[f"{folder}/{path.name}"] = BOOK_PAGE.sub(rb"\1", content)
    titles = {path: "".join(json.loads(content)["cells"][0]["source"]).split("\n")[0].strip("# ")
              for path, content in notebooks.items()}
    lists = {folder: f"## {heading}\n\n" + "\n".join(
        f"- [{title}]({path})" for path, title in titles.items() if path.startswith(folder))
        for heading, folder in (("The chapters", "notebooks"), ("The sets", "exercises"))}
    entries = {id: f"### {id}\n\n{entry['claim']}.\n\n**{VERDICTS[entry['verdict']]}** · "
                   f"{', '.join(entry['source'])}" for id, entry in read_ledger(claims).items()}
    return {**notebooks, START: _notebook("begin", "start_page.md", lists),
            LEDGER: _notebook("top", "claims_page.md", entries),
            "book/claims.yaml": claims.read_bytes()}


def _notebook(first, page, texts):
    """Build a notebook of one of our texts, and of further ones by their ids -> bytes."""
    texts = {first: (BUNDLE / page).read_text(encoding="utf-8"), **texts}
    cells = [{"cell_type": "markdown", "id": id, "metadata": {}, "source": text}
             for id, text in texts.items()]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps({"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4,
                       "nbformat_minor": 5}, ensure_ascii=False, indent=1).encode()


def instructor_files(project="."):
    """Collect what the instructor keeps -> {path: bytes}; source/ is as nbgrader expects it."""
    texts = ("START.md", "course.toml.example", "roster.csv.example")
    sources = {f"source/{path.stem}/{path.name}": path.read_bytes()
               for path in (Path(project) / "solutions").glob("*.ipynb")}
    return {**_files(project, INSTRUCTOR), **sources,
            "nbgrader_config.py": NBGRADER_CONFIG.encode(),
            **{name: (BUNDLE / name).read_bytes() for name in texts}}


def _files(project, wanted, skip=re.compile(r"(?!)")):
    """Read the files under these paths, without caches and hidden folders -> {path: bytes}."""
    found = {}
    for place in (Path(project) / name for name in wanted):
        for file in [place] if place.is_file() else sorted(place.rglob("*")):
            path = file.relative_to(project)
            is_hidden = any(part.startswith((".", "__pycache__")) for part in path.parts)
            if (file.is_file() and file.suffix in KINDS_OF_FILE and not is_hidden
                    and not skip.match(path.as_posix())):
                found[path.as_posix()] = file.read_bytes()
    return found
