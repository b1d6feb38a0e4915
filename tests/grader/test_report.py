"""What a course decides and people add: course.toml, the roster, marks, corrections, scores; and the files of a report.

What they come to is in transcripts/deciding.txt, what is refused in refusals.txt.
"""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from fi_course.questions import QUESTIONS
from fi_grader.exports import gradebook
from fi_grader.notebooks.exercise import cell_from, load
from fi_grader.notebooks.matching import align
from fi_grader.report import course as course_file
from fi_grader.report import results, spreadsheets
from fi_grader.report import views as tables
from fi_grader.report.report import Report
from fi_grader.report.views import ClassPage, marking_page
from fi_grader.submissions.finding import SkippedFile
from notebooks import ROOT, handed_out

PROSE = "trees.what_sixty_means"
NAMES = ["01_trees", "02_golf", "03_mdi"]
FOUND = {"source": "in", "file": "in/x", "name": "", "platform": "", "number": "", "time": "", "is_late": False,
         "flags": []}


# course.toml and roster

@pytest.mark.parametrize("content", ["id;name;ta\na;Müller;Ben\n".encode("latin-1"),
                                     "id\tname\tTA\na\tMüller\tBen\n".encode("utf-16"),
                                     "\ufeffID,Name,assistant\na,Müller,Ben\n".encode()])
def test_a_roster_is_read_as_any_spreadsheet_saves_it(content, tmp_path):
    (tmp_path / "r.csv").write_bytes(content)
    person = course_file.Person("a", "Müller", assistant="Ben")
    assert course_file.read_roster(tmp_path / "r.csv").people == {"a": person}


def test_the_example_in_the_instructors_bundle_is_a_course_file(tmp_path):
    for name in ("course.toml", "roster.csv"):
        shutil.copy(ROOT / "fi_grader" / "bundle" / f"{name}.example", tmp_path / name)
    found = course_file.load(tmp_path / "course.toml", NAMES)
    assert found.late.free_days == 3 and list(found.sets) == ["01_trees", "02_golf"] and len(found.roster.people) == 3


def by_hand(student="a", answer="old", found=FOUND, key="k"):
    row = {"question": PROSE, "status": "by hand", "points": None, "max_points": 3, "mistake": "", "message": "",
           "trace": "", "flags": []}
    return {"student": student, "exercise": "01_trees", "key": key, "flags": [], "rows": [row], "sandbox": "bwrap",
            "answers": {PROSE: answer}, "found": found}


def report_of(folder, *all_records, decided=None):
    """The Report of a folder that holds these records."""
    records = results.Records(folder)
    for one in all_records:
        records.add(one)
    return Report(records, decided)


def test_every_question_that_people_read_has_a_rubric_that_adds_up():
    read = [q for q in QUESTIONS.values() if q.rubric]
    assert read and all(sum(points for points, _ in q.rubric) == q.points for q in read)


def test_a_question_whose_text_is_another_wants_a_person():
    """An earlier edition's notebook, or notes in the question: the answer may be to something else."""
    trees, cells = load(ROOT / "exercises")["01_trees"], handed_out()["cells"]
    assert not align(trees, list(map(cell_from, cells))).flags
    edited = [{**c, "source": "### Another question"} if c["id"] == "trees-entropy_bits-text" else c for c in cells]
    assert align(trees, list(map(cell_from, edited))).flags == {"trees.entropy_bits": ["text edited"]}


# Files of a report

def test_records_are_read_from_the_disk_and_the_last_of_each_counts(tmp_path):
    records = results.Records(tmp_path)
    for key in ("old", "new"):
        records.add(by_hand(key=key))
    records.sort()
    assert records.has(("a", "01_trees"), "new") and not records.has(("a", "01_trees"), "old")
    assert (tmp_path / "results.jsonl").read_bytes().count(b"\n") == 1
    records.update_facts(("a", "01_trees"), {**FOUND, "flags": ["not in the roster"]})
    assert records["a", "01_trees"]["found"]["flags"] == ["not in the roster"]
    records.close()


def test_a_file_is_written_as_a_whole_and_left_alone_if_it_is_the_same(tmp_path):
    results.write(tmp_path / "x", "text")
    before = (tmp_path / "x").stat().st_mtime_ns
    results.write(tmp_path / "x", b"text")
    assert (tmp_path / "x").stat().st_mtime_ns == before and [p.name for p in tmp_path.iterdir()] == ["x"]


# Pages

def test_a_marking_page_holds_no_tag_of_a_students_and_lets_only_its_own_script_run(browser):
    evil = "</script><script>window.owned=1</script><img src=x onerror='window.owned=1'>"
    item = {"student": evil, "question": PROSE, "answer": evil, "digest": "d", "points": None, "ticks": [],
            "comment": evil}
    page = marking_page(f"Ben{evil}", [item])
    tab = browser.new_page()
    tab.set_content(page)
    tab.keyboard.press("1")
    assert tab.inner_text("#answer") == evil and "1 marked" in tab.inner_text("#progress")
    assert not tab.evaluate("() => Boolean(window.owned)") and not tab.query_selector_all("img, iframe, object")
    assert "script-src 'sha256-" in page
    tab.close()


def test_the_class_page_teaches_the_mistakes_that_cost_most_points(tmp_path):
    """Two students lost a point each by one mistake, one student lost three by another."""
    def with_mistake(student, question, mistake, most):
        row = {**by_hand()["rows"][0], "question": question, "status": "wrong", "points": 0, "max_points": most,
               "mistake": mistake}
        return {**by_hand(student), "rows": [row]}
    weights = next(m.name for m in QUESTIONS["trees.decrease"].check.mistakes)
    report = report_of(tmp_path, with_mistake("a", "trees.recall_mean", "mean of two means", 1),
                       with_mistake("b", "trees.recall_mean", "mean of two means", 1),
                       with_mistake("c", "trees.decrease", weights, 3),
                       with_mistake("d", "trees.recall_mean", "ran too long", 1))
    page = ClassPage(report)
    for student in report.students():
        page.add(student)
    assert [lesson[1:4] for lesson in page.lessons()] == [(weights, 1, 3), ("mean of two means", 2, 2)]
    assert all(sentence for *_, sentence in page.lessons())


def test_nbgraders_gradebook_gives_the_points_that_count(tmp_path):
    """Two sets, each a day late, and one free day: it is used up by the first."""
    assignments, deadline = load(ROOT / "exercises"), datetime(2026, 10, 12, 12, 0, tzinfo=UTC)
    sets = {name: course_file.Set(name, deadline=deadline) for name in NAMES[:2]}
    course, late = course_file.Course(Path("x"), late=course_file.Late(1, 0.1), sets=sets), []
    for name in sets:
        rows = [{**by_hand()["rows"][0], "question": q, "status": "right", "points": QUESTIONS[q].points}
                for q in assignments[name].questions]
        late.append({**by_hand(key=name), "exercise": name, "rows": rows,
                     "found": {**FOUND, "time": (deadline + timedelta(days=0.5)).isoformat()}})
    gradebook.export(report_of(tmp_path, *late, decided=course), assignments)
    with gradebook.opened(tmp_path) as book:
        theirs = {name: book.find_submission(name, "a") for name in sets}
        assert {name: one.score - one.late_submission_penalty for name, one in theirs.items()} == {
            "01_trees": 19, "02_golf": 17.1}


def test_files_that_were_skipped_in_another_source_stay_in_the_list(tmp_path):
    report = report_of(tmp_path, by_hand())
    for source, names in (("week1", ["x", "y"]), ("week2", ["z"]), ("week1", ["x"])):
        tables.write_files(report, [SkippedFile("a", name, "no notebook", source) for name in names], [source])
    rows = spreadsheets.read_table(tmp_path / "files.csv")[1]
    assert [(row["file"], row["what became of it"]) for row in rows] == [
        ("x", "left aside"), ("z", "left aside"), ("in/x", "graded")]
