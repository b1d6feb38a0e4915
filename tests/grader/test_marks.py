"""What a course decides and people add: course.toml, the roster, marks, corrections, totals; and clear words for slips.
"""

import sqlite3
import sys
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "submissions"))
from week import OLD_TEXT

from fi_course.questions import QUESTIONS
from fi_grader import course_file, editions, marks, spreadsheets, totals
from fi_grader.exports import gradescope
from fi_grader.files_report import Facts, FilesReport
from fi_grader.notebooks.exercise import cell_from, load
from fi_grader.prose import marking_page
from fi_grader.submissions.reading import Submission
from fi_grader.tables import _write_ours
from notebooks import ROOT, filled, handed_out, to_bytes

PROSE = "trees.what_sixty_means"
NAMES = ["01_trees", "02_golf", "03_mdi"]
DEADLINE = datetime(2026, 10, 12, 12, 0, tzinfo=UTC)


# course.toml

def course(tmp_path, text, roster="id,name\na,Anna\n"):
    (tmp_path / "course.toml").write_text(text)
    (tmp_path / "roster.csv").write_text(roster)
    return course_file.load(tmp_path / "course.toml", NAMES)


@pytest.mark.parametrize(("text", "words"), [
    ("rooster = 'x'", "rooster means nothing here. Did you mean roster"),
    ("seed = 'x'", "seed = 'x' must be a whole number"), ("seed = true", "must be"),
    ("[late]\ncosts = 1", "\\[late\\] costs means nothing.*cost"), ("[late]\ncost = 3", "cost is not between 0 and 1"),
    ("drop_lowest = -1", "less than 0"),
    ("[sets.01_tree]", "there is no set 01_tree. Near it: 01_trees"),
    ("[sets.01_trees]\ndeadline = 2026-10-12T10:00:00", "no time zone"),
    ("[sets.01_trees]\ndeadline = 'soon'", "must be a date with a time"), ("a = ", "is no TOML"),
    ("roster = 'nowhere.csv'", "cannot read .*nowhere"), ("drop_lowest = 1\n[sets.01_trees]", "leaves none")])
def test_an_entry_of_the_course_file_that_cannot_be_meant_is_named(text, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        course(tmp_path, text)


@pytest.mark.parametrize(("roster", "words"), [
    ("", "is empty"), ("name\nx\n", "no column id"), ("id,name\n,x\n", "line 2: '' is no id"),
    ("id,name\na/b,x\n", "is no id"),
    ("id,name\n..,x\n", "is no id"), ("id,name\na,x\na,y\n", "line 3: the id a stands there twice")])
def test_a_roster_that_cannot_be_meant_is_named_by_its_line(roster, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        course(tmp_path, "roster = 'roster.csv'", roster)


@pytest.mark.parametrize("content", ["id;name;ta\na;Müller;Ben\n".encode("latin-1"),
                                     "id\tname\tTA\na\tMüller\tBen\n".encode("utf-16"),
                                     "\ufeffID,Name,assistant\na,Müller,Ben\n".encode()])
def test_a_roster_is_read_as_any_spreadsheet_saves_it(content, tmp_path):
    (tmp_path / "r.csv").write_bytes(content)
    person = course_file.Person("a", "Müller", assistant="Ben")
    assert course_file.read_roster(tmp_path / "r.csv").people == {"a": person}


def test_the_example_in_the_instructors_bundle_is_a_course_file(tmp_path):
    from fi_grader.bundle_readme import COURSE_FILE, ROSTER
    found = course(tmp_path, COURSE_FILE, ROSTER)
    assert found.late.free_days == 3 and list(found.sets) == ["01_trees", "02_golf"] and len(found.roster.people) == 3


# Totals

def record(exercise, points, most=10):
    return {"student": "a", "exercise": exercise, "flags": [],
            "rows": [{"question": "q", "status": "right", "points": points, "max_points": most}]}


def made(late=None, drop=0, **weights):
    sets = {name: course_file.Set(name, weight=weights.get(name, 1), deadline=DEADLINE + timedelta(weeks=k))
            for k, name in enumerate(NAMES)}
    return course_file.Course(Path("x"), late=late or course_file.Late(), drop_lowest=drop, sets=sets)


def test_free_days_go_to_the_late_sets_in_the_order_of_their_deadlines():
    """Three free days; two sets each two days late: the first costs nothing, of the second one day counts."""
    facts = {name: Facts(time=(DEADLINE + timedelta(weeks=k, days=1.5)).isoformat())
             for k, name in enumerate(NAMES[:2])}
    scores = totals.scores_of(made(course_file.Late(3, 0.1)), NAMES, {n: record(n, 10) for n in NAMES[:2]}, facts)
    assert [(line.days, line.free_days, line.counted) for line in scores] == [(2, 2, 10), (2, 1, 9.0), (0, 0, None)]


def test_the_worst_set_is_dropped_and_an_absent_one_is_the_worst():
    whole = made(drop=1, **{"02_golf": 3})
    scores = totals.scores_of(whole, NAMES, {"01_trees": record("01_trees", 5), "02_golf": record("02_golf", 8)}, {})
    assert [line.is_dropped for line in scores] == [False, False, True]
    assert totals.percent_of(whole, scores) == pytest.approx(100 * (0.5 + 3 * 0.8) / 4)


def test_what_comes_after_the_last_day_counts_nothing_and_what_nobody_dated_is_in_time():
    late = course_file.Late(cost=0.1, last_day=3)
    at = {"01_trees": Facts(time=(DEADLINE + timedelta(days=4)).replace(tzinfo=None).isoformat()), "02_golf": Facts()}
    scores = totals.scores_of(made(late), NAMES, {n: record(n, 10) for n in NAMES[:2]}, at)
    assert [line.counted for line in scores] == [0, 10, None]


# Marks and corrections

def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def by_hand(student="a"):
    row = {"question": PROSE, "status": "by hand", "points": None, "max_points": 3, "mistake": "", "message": "",
           "trace": "", "flags": []}
    return {"student": student, "exercise": "01_trees", "flags": [], "human": [], "rows": [row]}


@pytest.mark.parametrize(("text", "words"), [
    ("student,question\n", None), ("student\nx\n", "no column question"),
    ("student,question,points\na,trees.sixty,1\n", "there is no question"),
    (f"student,question,points\na,{PROSE},4\n", "line 2: 4 points for .*worth 3"),
    (f"student,question,points\na,{PROSE},two\n", "'two' is no number"),
    (f"student,question,rubric_7\na,{PROSE},1\n", "rubric_7 is ticked")])
def test_a_slip_in_an_assistants_table_is_named_by_its_line(text, words, tmp_path):
    path = written(tmp_path / "m.csv", text)
    if words is None:
        assert marks.read_marks(path) == {}
    else:
        with pytest.raises(ValueError, match=words):
            marks.read_marks(path)


def test_a_correction_without_a_reason_is_refused(tmp_path):
    with pytest.raises(ValueError, match="needs a reason"):
        marks.read_overrides(written(tmp_path / "o.csv", f"student,question,points,reason\na,{PROSE},1,\n"))


def test_a_correction_wins_over_a_mark_and_two_marks_that_differ_want_a_person(tmp_path):
    for name, points in (("ben", 1), ("clara", 2)):
        written(tmp_path / "marks" / f"{name}.csv", f"student,question,points,comment\na,{PROSE},{points},so\n"
                f"b,{PROSE},1,\n")
    found = marks.Marks(tmp_path, ["a"])
    merged = found.merged(by_hand())
    assert merged["rows"][0]["points"] == 2 and merged["human"] == [f"{PROSE}: marked twice: ben 1, clara 2"]
    assert found.unknown_students == ["b"]
    written(tmp_path / "overrides.csv", f"student;question;points;reason\na;{PROSE};2,5;read again\n")
    row, = marks.Marks(tmp_path).merged(by_hand())["rows"]
    assert (row["points"], row["changed"], row["comment"]) == (2.5, "2 -> 2.5: read again", "so")


def test_a_mark_stays_and_is_flagged_when_the_answer_has_changed(tmp_path):
    written(tmp_path / "marks" / "ben.csv", f"student,question,points,answer\na,{PROSE},1,{marks.digest('old')}\n")
    place = ("a", PROSE)
    assert not marks.Marks(tmp_path, answers={place: marks.digest("old")}).merged(by_hand())["human"]
    merged = marks.Marks(tmp_path, answers={place: marks.digest("new")}).merged(by_hand())
    assert merged["rows"][0]["points"] == 1 and merged["human"] == [f"{PROSE}: {marks.CHANGED}"]


def test_a_file_that_is_no_gradebook_is_said_to_be_none(tmp_path):
    with sqlite3.connect(tmp_path / "gradebook.db") as book:
        book.execute("CREATE TABLE x (y)")
    with pytest.raises(ValueError, match="no gradebook of nbgrader's"):
        marks.read_formgrader(tmp_path / "gradebook.db")


def test_another_programs_file_is_not_written_over(tmp_path):
    written(tmp_path / "grades.csv", "assignment,duedate\n")
    with pytest.raises(ValueError, match="written by another program"):
        _write_ours(tmp_path / "grades.csv", "student,x\n")
    assert (tmp_path / "grades.csv").read_text() == "assignment,duedate\n"


def test_files_of_another_folder_stay_in_the_list_and_those_that_are_gone_are_told(tmp_path):
    files = FilesReport(tmp_path)
    files.update("week1", [Submission("a", "01_trees", "x"), Submission("b", "01_trees", "y")], [])
    files.update("week2", [Submission("a", "02_golf", "z")], [])
    assert FilesReport(tmp_path).update("week1", [Submission("a", "01_trees", "x")], []) == {("b", "01_trees")}
    assert set(FilesReport(tmp_path).facts()) == {("a", "01_trees"), ("a", "02_golf")}


def test_numbers_are_read_with_a_comma_and_written_as_people_write_them():
    assert spreadsheets.number_of("1,5", "x") == 1.5
    assert [spreadsheets.plain_number(v) for v in (3.0, 2.5, None, "")] == [3, 2.5, "", ""]
    with pytest.raises(ValueError, match="'inf' is no number"):
        spreadsheets.number_of("inf", "x")


# Pages to mark on, editions, Gradescope

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


def test_a_notebook_of_the_first_edition_is_told_by_the_words_of_its_questions():
    trees = load(ROOT / "exercises")["01_trees"]
    cells = handed_out()["cells"]
    assert editions.edition_flags(trees, list(map(cell_from, cells))) == []
    old = [{**c, "source": OLD_TEXT} if c["id"] == "trees-entropy_bits-text" else c for c in cells]
    flags = editions.edition_flags(trees, list(map(cell_from, old)))
    assert flags == ["first edition: trees.entropy_bits asked something else then"]


def test_results_for_gradescope_have_its_fields_and_no_score_for_prose():
    right = {**by_hand()["rows"][0], "question": "trees.decrease", "status": "right", "points": 3, "max_points": 3}
    wrong = {**right, "question": "trees.recall_mean", "status": "wrong", "points": 0, "max_points": 1,
             "mistake": "mean of two means", "message": "No."}
    found = gradescope.results_of({"flags": [], "rows": [right, wrong, by_hand()["rows"][0]]})
    assert found["score"] == 3 and found["stdout_visibility"] == "hidden"
    assert [t.get("score") for t in found["tests"]] == [3, 0, None]
    known = {"score", "max_score", "status", "name", "number", "output", "output_format", "tags", "visibility"}
    assert all(set(test) <= known and test["visibility"] in ("visible", "hidden", "after_due_date", "after_published")
               for test in found["tests"])
    assert found["tests"][1]["output"] == "Not right. mean of two means. No."
    assert found["tests"][1]["tags"] == ["mean of two means"]


def test_the_autograder_grades_a_folder_as_gradescope_hands_it_over(tmp_path):
    """The command of run_autograder, on a notebook of any name; the zip file has both programs at its top."""
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission" / "mine.ipynb").write_bytes(to_bytes(filled({"trees.recall_mean": "average_of_all = 55"})))
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / "01_trees.ipynb").write_bytes((ROOT / "exercises" / "01_trees.ipynb").read_bytes())
    record = gradescope.grade_one("01_trees", tmp_path / "submission", 3, tmp_path / "exercises")
    assert gradescope.results_of(record)["score"] == 23
    with pytest.raises(ValueError, match="there is no set 02_golf"):
        gradescope.grade_one("02_golf", tmp_path / "submission", 3, tmp_path / "exercises")
    path = gradescope.export(tmp_path, "01_trees", ROOT, 3)
    with zipfile.ZipFile(path) as archive:
        modes = {info.filename: oct(info.external_attr >> 16) for info in archive.infolist()
                 if "/" not in info.filename}
        assert modes == {"setup.sh": "0o755", "run_autograder": "0o755"}
        run = archive.read("run_autograder").decode()
        assert "01_trees /autograder/submission /autograder/results/results.json 3" in run
        assert {"course/solutions/01_trees.ipynb", "course/fi_grader/judging/worker.py"} <= set(archive.namelist())


def test_every_question_that_people_read_has_a_rubric_that_adds_up():
    read = [q for q in QUESTIONS.values() if q.rubric]
    assert read and all(sum(points for points, _ in q.rubric) == q.points for q in read)
