"""Build an autograder for Gradescope, and write its results.json.

Gradescope unpacks the zip file into /autograder/source, runs setup.sh once, then for each
submission run_autograder, which must write /autograder/results/results.json. Containers may deny
bubblewrap, so that set-up installs the WebAssembly sandbox too; where neither works nothing is
graded.

    python -m fi_grader.exports.gradescope SET SUBMISSION RESULTS [SEED]
"""

import json
import sys
from pathlib import Path

from fi_course.questions import QUESTIONS
from fi_course.reproducible_zip import write_zip
from fi_grader import escaping
from fi_grader.judging import worker
from fi_grader.notebooks.exercise import load
from fi_grader.release import BUNDLE, instructor_files
from fi_grader.report.results import explained, write
from fi_grader.report.views import WORDS
from fi_grader.sandbox import choose
from fi_grader.submissions import finding


def export(folder, exercise, project=".", seed=0):
    """Write exports/gradescope/<set>-autograder.zip, which is for the instructor alone -> Path."""
    path = Path(folder) / "exports" / "gradescope" / f"{exercise}-autograder.zip"
    files = {f"course/{name}": content for name, content in instructor_files(project).items()}
    setup, run = ((BUNDLE / f"gradescope_{name}.sh").read_text() for name in ("setup", "run"))
    run = run.replace("EXERCISE", exercise).replace("SEED", str(seed))
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_zip(path, {"setup.sh": setup.encode(), "run_autograder": run.encode(), **files},
                  ("setup.sh", "run_autograder"))
    return path


def results_of(record):
    """Convert a record to results.json -> dict; what a person reads has no score yet."""
    tests = [_test(number, row) for number, row in enumerate(record["rows"], 1)]
    flags = "; ".join(record["flags"])
    return {"score": sum(test.get("score", 0) for test in tests),
            "output": escaping.lines(f"Graded by fi-teach. {flags}".strip()),
            "output_format": "text", "visibility": "visible",
            "stdout_visibility": "hidden", "tests": tests}


def _test(number, row):
    is_said = row["status"] in ("wrong", "not started", "not graded")
    said = [WORDS[row["status"]], row["mistake"], row["message"] if is_said else ""]
    test = {"name": f"{row['question']}: {QUESTIONS[row['question']].title}",
            "number": str(number),
            "output": escaping.lines(". ".join(filter(None, said))), "output_format": "text",
            "visibility": "visible", "tags": [row["mistake"]] if row["mistake"] else []}
    if row["points"] is None:
        return test
    full = row["points"] == row["max_points"]  # of nothing, if the question is optional
    status = "passed" if row["status"] == "right" or (full and row["points"]) else "failed"
    return {**test, "score": row["points"], "max_score": row["max_points"], "status": status}


def grade_one(exercise, submission, seed=0, exercises="exercises"):
    """Grade the folder of one student -> record. Raises ValueError without set or sandbox."""
    assignments = load(exercises)
    if exercise not in assignments:
        raise ValueError(f"there is no set {exercise}: {', '.join(assignments)}.")
    settings = {"exercises": str(Path(exercises).resolve()), "seed": seed, "limit": None,
                "sandbox": choose.level("auto")}
    found = finding.of_one(submission, assignments)
    absent = finding.Submission("you", exercise, {"file": ""}, problem=(
        f"no notebook here is of {exercise}: hand in {exercise}.ipynb."))
    job = {**vars(found.get(exercise, absent)), "key": ""}
    try:
        return worker.named_record(*worker.grade_one(job, settings), assignments,
                                   settings["sandbox"])
    finally:
        worker.close_workers()


if __name__ == "__main__":
    exercise, submission, results, *seed = sys.argv[1:]
    try:
        record = grade_one(exercise, submission, *map(int, seed))
        write(Path(results), json.dumps(results_of(record), indent=1))
    except ValueError as error:
        sys.exit(f"The autograder cannot grade: {error}")
