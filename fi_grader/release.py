"""Build two bundles: one for students, without readable answers, and one for instructors.

A student's questions are specifications, data that tells right from wrong and does not show which
is which; the modules that define the questions, the solutions, the tests and the grader stay with
the instructor.
"""

import json
import re
from pathlib import Path

from fi_course.questions.checks import CODE_STUB, TEXT_STUB
from fi_course.questions.question import QUESTIONS
from fi_course.questions.specification import specification_of
from fi_course.reproducible_zip import write_zip
from fi_grader.student_folder import student_folder

STUDENT = ("pyproject.toml", "requirements.lock", "LICENSE", "LICENSE-text")
PACKAGES = ("fi_teach", "fi_audit", "fi_course")
"""What a student gets: files, and packages."""
INSTRUCTOR = (*STUDENT, *PACKAGES, "exercises", "notebooks", "book/claims.yaml", "fi_grader",
              "README.md", "environment.yml", "solutions", "tests/course/questions",
              "tests/conftest.py", "book/tools/exercises.py", "book/instructors.md",
              "book/grading.md", "book/teaching.md")
KINDS_OF_FILE = {".ipynb", ".py", ".toml", ".lock", ".yml", ".yaml", ".md", ".csv", ".js", ".css",
                 ".json", ".txt", ".html", ".mplstyle", ".ttf", ".example", ""}
BUNDLE = Path(__file__).with_name("bundle")
"""The texts that are laid beside what the bundles hold."""
QUESTIONS_FOLDER = "fi_course/questions/"
FOR_INSTRUCTORS = re.compile(rf"{QUESTIONS_FOLDER}(ch\d|implementations_to_test/)")
"""What holds answers: a module a set, and the implementations that students' tests are run on."""
NOTHING = re.compile(r"(?!)")
SECRETS = ("BEGIN SOLUTION", "BEGIN HIDDEN TESTS")

NBGRADER_CONFIG = f'''"""nbgrader's settings for these exercises: \
stubs that let a notebook run, so that only its checks fail."""

c = get_config()  # noqa: F821
c.ClearSolutions.code_stub = {{"python": {CODE_STUB!r}}}
c.ClearSolutions.text_stub = {TEXT_STUB!r}
'''


def release(out, project="."):
    """Write student.zip and instructor.zip into the folder out -> {bundle's path: number of files}.

    project : the folder that holds exercises/ and solutions/

    Raises ValueError if that is another folder, an exercise is missing or holds a solution, or out
    cannot be written.
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
    instructor = instructor_files(project)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, bundle in (("student", student), ("instructor", instructor)):
            files = {f"{name}/{path}": content for path, content in bundle.items()}
            write_zip(out / f"{name}.zip", files)
    except OSError as error:
        raise ValueError(
            f"cannot write into {out}: {error.strerror}. Choose a folder of yours.") from None
    return {out / "student.zip": len(student), out / "instructor.zip": len(instructor)}


def student_package(project="."):
    """Collect the package for students, in which no answer can be read -> {path: bytes}.

    The questions of the exercises are exported as data.
    """
    project = Path(project)
    asked = {question.notebook for question in QUESTIONS.values()}
    names = sorted(path.stem for path in (project / "exercises").glob("*.ipynb"))
    texts = {f"{QUESTIONS_FOLDER}specifications/{name}.json":
             json.dumps(specification_of(name), ensure_ascii=False).encode()
             for name in names if name in asked}
    return {**_files(project, PACKAGES, skip=FOR_INSTRUCTORS), **texts}


def instructor_files(project="."):
    """Collect everything that the instructor keeps -> {path: bytes}.

    The solutions lie in it as nbgrader expects them, too: source/<assignment>/<notebook>.
    """
    project = Path(project)
    texts = ("START.md", "course.toml.example", "roster.csv.example")
    sources = {f"source/{path.stem}/{path.name}": path.read_bytes()
               for path in (project / "solutions").glob("*.ipynb")}
    return {**_files(project, INSTRUCTOR), **sources,
            "nbgrader_config.py": NBGRADER_CONFIG.encode(),
            **{name: (BUNDLE / name).read_bytes() for name in texts}}


def _files(project, wanted, skip=NOTHING):
    """Read the files under these paths, without caches and hidden folders -> {path: bytes}."""
    project, found = Path(project), {}
    for place in (project / name for name in wanted):
        for file in [place] if place.is_file() else sorted(place.rglob("*")):
            path = file.relative_to(project)
            is_hidden = any(part.startswith((".", "__pycache__")) for part in path.parts)
            if (file.is_file() and file.suffix in KINDS_OF_FILE and not is_hidden
                    and not skip.match(path.as_posix())):
                found[path.as_posix()] = file.read_bytes()
    return found
