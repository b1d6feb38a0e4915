"""What a course decides and people add: course.toml, the roster, marks, corrections, scores; and the files of a report.
"""

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from fi_course.questions import QUESTIONS
from fi_grader.exports import gradebook, sheets
from fi_grader.notebooks.exercise import cell_from, load
from fi_grader.notebooks.matching import align
from fi_grader.report import course as course_file
from fi_grader.report import marks, results, scores, spreadsheets, tables
from fi_grader.report.class_page import ClassPage
from fi_grader.report.pages import feedback, marking_page
from fi_grader.report.report import Report
from fi_grader.submissions.finding import SkippedFile
from notebooks import ROOT, handed_out

PROSE = "trees.what_sixty_means"
NAMES = ["01_trees", "02_golf", "03_mdi"]
DEADLINE = datetime(2026, 10, 12, 12, 0, tzinfo=UTC)
FOUND = {"source": "in", "file": "in/x", "name": "", "platform": "", "number": "", "time": "", "is_late": False,
         "flags": []}


# course.toml

def course(tmp_path, text, roster="id,name\na,Anna\n"):
    (tmp_path / "course.toml").write_text(text)
    (tmp_path / "roster.csv").write_text(roster)
    return course_file.load(tmp_path / "course.toml", NAMES)


ROSTER = "roster = 'roster.csv'"


@pytest.mark.parametrize(("text", "roster", "words"), [
    *((text, "id,name\na,Anna\n", words) for text, words in [
        ("rooster = 'x'", "rooster means nothing here. Did you mean roster"),
        ("seed = 'x'", "seed = 'x' must be a whole number"), ("seed = true", "must be"),
        ("[late]\ncosts = 1", "\\[late\\] costs means nothing.*cost"), ("[late]\ncost = 3", "cost is more than 1"),
        ("[late]\ngrace_minutes = -3", "\\[late\\] grace_minutes is less than 0"), ("drop_lowest = -1", "less than 0"),
        ("[sets.01_trees]\nweight = -1", "\\[sets.01_trees\\] weight is less than 0"),
        ("[sets.01_tree]", "there is no set 01_tree. Near it: 01_trees"), ("[sets]\n01_trees = 1", "must be a table"),
        ("[sets.01_trees]\ndeadline = 2026-10-12T10:00:00", "no time zone"),
        ("[sets.01_trees]\ndeadline = 'soon'", "must be a date with a time"), ("a = ", "is no TOML"),
        ("roster = 'nowhere.csv'", "cannot read .*nowhere"), ("drop_lowest = 1\n[sets.01_trees]", "leaves none")]),
    (ROSTER, "", "is empty"), (ROSTER, "name\nx\n", "no column id"), (ROSTER, "id,name\n,x\n", "line 2: '' is no id"),
    (ROSTER, "id,name\na/b,x\n", "is no id"), (ROSTER, "id,name\n..,x\n", "is no id"),
    (ROSTER, "id,name\na,x\na,y\n", "line 3: the id a stands there twice")])
def test_what_cannot_be_meant_in_course_file_or_roster_is_named(text, roster, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        course(tmp_path, text, roster)


@pytest.mark.parametrize("content", ["id;name;ta\na;Müller;Ben\n".encode("latin-1"),
                                     "id\tname\tTA\na\tMüller\tBen\n".encode("utf-16"),
                                     "\ufeffID,Name,assistant\na,Müller,Ben\n".encode()])
def test_a_roster_is_read_as_any_spreadsheet_saves_it(content, tmp_path):
    (tmp_path / "r.csv").write_bytes(content)
    person = course_file.Person("a", "Müller", assistant="Ben")
    assert course_file.read_roster(tmp_path / "r.csv").people == {"a": person}


def test_the_example_in_the_instructors_bundle_is_a_course_file(tmp_path):
    text, roster = ((ROOT / "fi_grader" / "bundle" / f"{name}.example").read_text(encoding="utf-8")
                    for name in ("course.toml", "roster.csv"))
    found = course(tmp_path, text, roster)
    assert found.late.free_days == 3 and list(found.sets) == ["01_trees", "02_golf"] and len(found.roster.people) == 3


# Scores

def record(exercise, points, most=10, time="", **found):
    return {"student": "a", "exercise": exercise, "flags": [], "found": {**FOUND, "time": time, **found},
            "rows": [{"question": "q", "status": "right", "points": points, "max_points": most}]}


def made(late=None, drop=0, **weights):
    sets = {name: course_file.Set(name, weight=weights.get(name, 1), deadline=DEADLINE + timedelta(weeks=k))
            for k, name in enumerate(NAMES)}
    return course_file.Course(Path("x"), late=late or course_file.Late(), drop_lowest=drop, sets=sets)


def days_after(k, days):
    """So many days after the deadline of set k, as ISO 8601."""
    return (DEADLINE + timedelta(weeks=k, days=days)).isoformat()


def test_free_days_go_to_the_late_sets_in_the_order_of_their_deadlines():
    """Three free days; two sets each two days late: the first costs nothing, of the second one day counts."""
    late = {name: record(name, 10, time=days_after(k, 1.5)) for k, name in enumerate(NAMES[:2])}
    found = scores.scores_of(made(course_file.Late(3, 0.1)), NAMES, late)
    assert [(one.days, one.free_days, one.counted) for one in found] == [(2, 2, 10), (2, 1, 9.0), (0, 0, None)]


def test_the_worst_set_is_dropped_and_an_absent_one_is_the_worst():
    whole = made(drop=1, **{"02_golf": 3})
    found = scores.scores_of(whole, NAMES, {"01_trees": record("01_trees", 5), "02_golf": record("02_golf", 8)})
    assert [one.is_dropped for one in found] == [False, False, True]
    assert scores.percent_of(whole, found) == pytest.approx(100 * (0.5 + 3 * 0.8) / 4)


def test_what_comes_after_the_last_day_counts_nothing_and_what_nobody_dated_is_in_time():
    late = {"01_trees": record("01_trees", 10, time=days_after(0, 4).removesuffix("+00:00")),
            "02_golf": record("02_golf", 10)}
    found = scores.scores_of(made(course_file.Late(cost=0.1, last_day=3)), NAMES, late)
    assert [one.counted for one in found] == [0, 10, None]


# Marks and corrections

def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


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
    return Report(folder, records, decided)


@pytest.mark.parametrize(("text", "words"), [
    ("student\nx\n", "no column question"), ("student,question,points\na,trees.sixty,1\n", "there is no question"),
    (f"student,question,points\na,{PROSE},4\n", "line 2: 4 points for .*worth 3"),
    (f"student,question,points\na,{PROSE},two\n", "'two' is no number"),
    (f"student,question,rubric_7\na,{PROSE},1\n", "rubric_7 is ticked"),
    (f"student,question,points,reason\na,{PROSE},1,\n", "needs a reason"),
    (f"student,question,points,reason\na,{PROSE},,x\n", "needs its points")])
def test_a_slip_in_a_table_of_marks_or_corrections_is_named_by_its_line(text, words, tmp_path):
    assert marks.read_marks(written(tmp_path / "none yet.csv", "student,question\n")) == {}
    with pytest.raises(ValueError, match=words):
        marks.read_marks(written(tmp_path / "m.csv", text), is_correction="reason" in text)


def test_a_correction_wins_over_a_mark_and_two_marks_that_differ_want_a_person(tmp_path):
    for name, points in (("ben", 1), ("clara", 2)):
        written(tmp_path / "marks" / f"{name}.csv", f"student,question,points,comment\na,{PROSE},{points},so\n"
                f"b,{PROSE},1,\n")
    report = report_of(tmp_path, by_hand())
    merged = report.student("a").records["01_trees"]
    assert merged["rows"][0]["points"] == 2 and merged["review"] == [f"{PROSE}: marked twice: ben 1, clara 2"]
    assert report.marks.unknown_students(["a"]) == ["b"]
    written(tmp_path / "overrides.csv", f"student;question;points;reason\na;{PROSE};2,5;read again\n")
    row, = Report(tmp_path, report.records).student("a").records["01_trees"]["rows"]
    assert (row["points"], row["changed"], row["comment"]) == (2.5, "2 -> 2.5: read again", "so")


@pytest.mark.parametrize(("answer", "review"), [("old", []), ("new", [f"{PROSE}: {marks.CHANGED}"])])
def test_a_mark_stays_and_is_flagged_when_the_answer_has_changed(answer, review, tmp_path):
    written(tmp_path / "marks" / "ben.csv", f"student,question,points,answer\na,{PROSE},1,{marks.digest('old')}\n")
    merged = report_of(tmp_path, by_hand(answer=answer)).student("a").records["01_trees"]
    assert merged["rows"][0]["points"] == 1 and merged["review"] == review


def test_a_file_that_is_no_gradebook_is_said_to_be_none(tmp_path):
    with sqlite3.connect(tmp_path / "gradebook.db") as book:
        book.execute("CREATE TABLE x (y)")
    with pytest.raises(ValueError, match="no gradebook of nbgrader's"):
        marks.read_formgrader(tmp_path / "gradebook.db")


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

def test_another_programs_file_is_not_written_over(tmp_path):
    written(tmp_path / "grades.csv", "assignment,duedate\n")
    with pytest.raises(ValueError, match="written by another program"):
        tables.write_ours(tmp_path / "grades.csv", "student,x\n")
    assert (tmp_path / "grades.csv").read_text() == "assignment,duedate\n"


def test_numbers_are_read_with_a_comma_and_written_as_people_write_them():
    assert spreadsheets.number_of("1,5", "x") == 1.5
    assert [spreadsheets.plain_number(v) for v in (3.0, 2.5, None, "")] == [3, 2.5, "", ""]
    with pytest.raises(ValueError, match="'inf' is no number"):
        spreadsheets.number_of("inf", "x")


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


def test_results_that_something_else_has_changed_are_named_by_their_line(tmp_path):
    (tmp_path / "results.jsonl").write_text('{"student": "anna", "exercise": "e", "key": "k"}\nnonsense\n')
    with pytest.raises(ValueError, match=r"results.jsonl, line 2: .*Delete that line"):
        results.Records(tmp_path)


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


def test_feedback_says_what_being_late_has_cost():
    late = {**by_hand(), "rows": [{**by_hand()["rows"][0], "status": "right", "points": 3}]}
    page = feedback(late, scores.Score("01_trees", 3, 2.7, 3, days=2, free_days=1), "Anna <Ek>")
    assert "3 of 3 points. 2 days late, 1 of your free days used: 2.7 count." in page and "Anna &lt;Ek&gt;" in page


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


# Exports

def test_every_export_gives_the_points_of_students_csv(tmp_path):
    """Two sets, each a day late, and one free day: it is used up by the first, for the platforms too."""
    assignments, row, late = load(ROOT / "exercises"), by_hand()["rows"][0], []
    for k, name in enumerate(NAMES[:2]):
        rows = [{**row, "question": q, "status": "right", "points": QUESTIONS[q].points,
                 "max_points": QUESTIONS[q].points} for q in assignments[name].questions]
        late.append({**by_hand(key=name), "exercise": name, "rows": rows,
                     "found": {**FOUND, "time": days_after(k, 0.5), "platform": "Moodle", "number": "7"}})
    report = report_of(tmp_path, *late, decided=made(course_file.Late(1, 0.1)))
    ours = dict(zip(tables.head_of_students(report), tables.row_of_student(report, report.student("a")), strict=True))
    points = {name: ours[name] for name in NAMES[:2]}
    assert points == {"01_trees": 19, "02_golf": 17.1}
    sheets.to_canvas(report)
    (canvas,) = spreadsheets.read_table(tmp_path / "exports" / "canvas.csv")[1][1:]
    assert {name: float(canvas[name]) for name in points} == points
    gradebook.export(report, assignments)
    with gradebook.opened(tmp_path) as book:
        theirs = {name: book.find_submission(name, "a") for name in points}
        assert {name: one.score - one.late_submission_penalty for name, one in theirs.items()} == points
    for name in points:
        sheets.to_moodle(report, name)
        (moodle,) = spreadsheets.read_table(tmp_path / "exports" / "moodle" / f"{name}.csv")[1]
        assert float(moodle["Grade"]) == points[name]


def test_sheets_of_other_kinds_are_refused_by_name(tmp_path):
    report = report_of(tmp_path, by_hand())
    written(tmp_path / "x.csv", "a,b\n1,2\n")
    with pytest.raises(ValueError, match="is no grading worksheet of Moodle's"):
        sheets.to_moodle(report, "01_trees", tmp_path / "x.csv")
    with pytest.raises(ValueError, match="is no gradebook of Canvas's"):
        sheets.to_canvas(report, tmp_path / "x.csv")
    with pytest.raises(ValueError, match="say --set and one of 01_trees"):
        sheets.to_moodle(report, None)


def test_files_that_were_skipped_in_another_source_stay_in_the_list(tmp_path):
    report = report_of(tmp_path, by_hand())
    for source, names in (("week1", ["x", "y"]), ("week2", ["z"]), ("week1", ["x"])):
        tables.write_files(report, [SkippedFile("a", name, "no notebook", source) for name in names], [source])
    rows = spreadsheets.read_table(tmp_path / "files.csv")[1]
    assert [(row["file"], row["what became of it"]) for row in rows] == [
        ("x", "left aside"), ("z", "left aside"), ("in/x", "graded")]
