"""fi-teach audit: files in, a report out; bad files are refused with a sentence; a stopped audit goes on."""

import json
import re
import sys
from pathlib import Path

import pandas as pd
import pytest

import fi_teach.__main__ as cli
from fi_audit import command
from fi_audit import files as files_module
from fi_audit.command import Steps
from fi_audit.files import read_model, read_table
from fi_audit.report import read

sys.path.insert(0, str(Path(__file__).parent))
from shop import pipeline, shop

FEATURES = ["age", "town", "pay", "member", "size"]
joblib = pytest.importorskip("joblib")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with a table as CSV and a pipeline, XGBoost's and LightGBM's model of it."""
    compose, impute = pytest.importorskip("sklearn.compose"), pytest.importorskip("sklearn.impute")
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    folder = tmp_path_factory.mktemp("files")
    table = shop(320).drop(columns=["grade", "since"])
    table["buys"] = (table["bought"] == "yes").astype(int)
    table["fresh"] = table.index % 3 == 0
    table.to_csv(folder / "table.csv", index=False)
    table[table["fresh"]].to_csv(folder / "test.csv", index=False)
    table[~table["fresh"]].to_csv(folder / "train.csv", index=False)
    learner = make_pipeline(
        compose.make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["town"]),
                                        (impute.SimpleImputer(), ["age", "pay", "size", "member"])),
        RandomForestClassifier(8, min_samples_leaf=3, random_state=0))
    joblib.dump(learner.fit(table[FEATURES], table["bought"]), folder / "model.joblib")
    X = table[FEATURES].astype({"town": "category"})
    for name in ("xgboost", "lightgbm"):
        library = pytest.importorskip(name)
        if name == "xgboost":
            library.XGBClassifier(n_estimators=8, max_depth=3, enable_categorical=True, n_jobs=1).fit(
                X, table["buys"]).save_model(folder / "model.json")
            library.XGBRegressor(n_estimators=3,
                                 enable_categorical=True).fit(X, table["pay"]).save_model(folder / "pay.json")
        else:
            library.LGBMClassifier(n_estimators=8, n_jobs=1, verbose=-1).fit(
                X, table["buys"]).booster_.save_model(folder / "model.txt")
    return folder


def audit(capsys, *arguments):
    code = cli.main(["audit", *map(str, arguments), "--quick"])
    return code, *capsys.readouterr()


def test_a_pipeline_with_words_and_gaps_gives_a_report_and_a_warning_about_pickles(files, tmp_path, capsys):
    code, out, complaints = audit(capsys, files / "model.joblib", files / "table.csv", "--target", "bought",
                                  "--groups", "shop", "--protected", "member", "--out", tmp_path)
    assert code == 0 and "sentences may be written" in out
    assert "runs whatever code it holds" in complaints and "audit:" in complaints  # and the bar
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "report.json"]
    assert {part.name for part in read(tmp_path / "report.json").parts} == {"member = False", "member = True"}


@pytest.mark.parametrize("model", ["model.json", "model.txt"])
def test_the_boosters_own_files_are_read_and_judged_by_their_probabilities(model, files, tmp_path, capsys):
    code, _, complaints = audit(capsys, files / model, files / "train.csv", "--target", "buys",
                                "--test", files / "test.csv", "--out", tmp_path)
    report = read(tmp_path / "report.json")
    assert code in (0, 1) and "pickle" not in complaints
    assert report.about["judged by"] == "Brier score" and report.measure("used").names == tuple(FEATURES)


def test_a_loaded_model_answers_as_the_one_that_was_saved(files):
    from lightgbm import Booster
    table = read_table(files / "table.csv")[FEATURES].astype({"town": "category"})
    model = read_model(files / "model.txt")
    assert (model.predict_proba(table)[:, 1] == Booster(model_file=files / "model.txt").predict(table)).all()
    assert (model.predict(table) == (model.predict_proba(table)[:, 1] > 0.5)).all()
    assert not hasattr(read_model(files / "pay.json"), "predict_proba")


def test_test_rows_may_be_marked_by_a_column_and_dates_by_another(files, tmp_path, capsys):
    code, out, _ = audit(capsys, files / "model.joblib", files / "table.csv", "--target", "bought", "--test", "fresh",
                         "--time", "day", "--known-from", "pay=2030-01-01", "--out", tmp_path)
    assert code == 1 and "stop: 100 % of the values of 'pay' came to be after" in out
    assert "the test rows you gave" in read(tmp_path / "report.json").about["held out"]


def test_a_stopped_audit_goes_on_where_it_was_and_ends_the_same(files, tmp_path, capsys, monkeypatch):
    given = [files / "model.joblib", files / "table.csv", "--target", "bought", "--out"]
    audit(capsys, *given, tmp_path / "whole")

    def stop(inputs, groups, order):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("fi_audit.questions.refit_importance", stop)
        assert audit(capsys, *given, tmp_path / "broken")[0] == 130
    (kept,) = (tmp_path / "broken").iterdir()
    assert [json.loads(line)["step"] for line in kept.read_text().splitlines()][-1] == "conditional"
    with monkeypatch.context() as patched:  # what was found is not looked for again
        patched.setattr("fi_audit.questions.used", stop)
        assert audit(capsys, *given, tmp_path / "broken")[0] == 0
    assert read(tmp_path / "broken" / "report.json") == read(tmp_path / "whole" / "report.json")
    assert not kept.exists()


def test_half_a_line_is_no_step(tmp_path):
    steps = Steps(tmp_path, "key")
    steps["used together"] = None
    with steps.path.open("a") as file:
        file.write('{"step": "used", "fou')
    assert dict(Steps(tmp_path, "key")) == {"used together": None}
    assert dict(Steps(tmp_path, "other")) == {}


def test_more_than_a_minute_is_said_before(files, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "A_MINUTE", 0)
    _, _, complaints = audit(capsys, files / "model.joblib", files / "table.csv", "--target", "bought", "--out",
                             tmp_path)
    assert "This will take about 1 min" in complaints


def test_the_page_needs_nothing_else_and_can_be_read_by_everybody(files, tmp_path, capsys):
    audit(capsys, files / "model.joblib", files / "table.csv", "--target", "bought", "--out", tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "http" not in page and "<script" not in page and "src=" not in page
    assert 'lang="en"' in page and "<title>" in page and "prefers-color-scheme: dark" in page and "@media print" in page
    pictures = re.findall(r"<svg[^>]*>", page)
    assert pictures and all('role="img"' in svg and 'aria-label="' in svg for svg in pictures)
    assert page.count("<table>") == page.count("<caption>")
    from xml.dom.minidom import parseString
    parseString(re.sub(r"<meta[^>]*>", "", page).replace("<!doctype html>", ""))  # every tag is closed


def test_what_a_table_calls_its_columns_cannot_become_code(tmp_path):
    from fi_audit import audit as python_audit
    from fi_audit.report import as_page
    evil = pd.DataFrame({"<script>alert(1)</script>": range(90), '" onload="x': [1, 2, 3] * 30})
    page = as_page(python_audit(lambda t: t.iloc[:, 0].to_numpy() * 1.0, evil, evil.iloc[:, 0] * 1.0, quick=True))
    assert "<script>" not in page and '" onload="x' not in page


def test_bad_files_and_options_are_refused_in_one_line(files, tmp_path, capsys):
    (tmp_path / "cake.joblib").write_bytes(b"flour")
    joblib.dump([1, 2], tmp_path / "list.joblib")
    (tmp_path / "model.json").write_text("{}")
    (tmp_path / "model.txt").write_text("hello")
    (tmp_path / "empty.csv").write_text("a,b\n")
    (tmp_path / "nothing.csv").write_text("")
    model, table = files / "model.joblib", files / "table.csv"
    other = pd.read_csv(table).rename(columns={"pay": "wage"})
    other.to_csv(tmp_path / "other.csv", index=False)
    cases = [
        ([tmp_path / "none.joblib", table, "--target", "bought"], "no model file"),
        ([tmp_path / "cake.joblib", table, "--target", "bought"], "cannot be read as a model"),
        ([tmp_path / "list.joblib", table, "--target", "bought"], "list, which is no model"),
        ([tmp_path / "model.json", table, "--target", "bought"], "cannot be read as a model"),
        ([tmp_path / "model.txt", table, "--target", "bought"], "no model of LightGBM"),
        ([table, table, "--target", "bought"], "expected a model as .joblib"),
        ([model, tmp_path / "none.csv", "--target", "bought"], "there is no table"),
        ([model, model, "--target", "bought"], "neither CSV nor Parquet"),
        ([model, tmp_path / "empty.csv", "--target", "b"], "has no rows"),
        ([model, tmp_path / "nothing.csv", "--target", "b"], "cannot be read as a table"),
        ([model, table, "--target", "sold"], "no column of the table"),
        ([model, table, "--target", "age"], "gaps"),
        ([model, table, "--target", "day"], "none of which the model knows|never saw"),
        ([model, tmp_path / "other.csv", "--target", "bought"], "model of another table"),
        ([model, table, "--target", "bought", "--test", "town"], "expected true or false"),
        ([model, table, "--target", "bought", "--known-from", "pay"], "expected COLUMN=DATE"),
        ([model, table, "--target", "bought", "--known-from", "pay=2024-01-01"], "time="),
        ([model, table, "--target", "bought", "--time", "town"], "gaps|expected dates"),
    ]
    for arguments, words in cases:
        code, out, complaint = audit(capsys, *arguments, "--out", tmp_path / "out")
        complaint = complaint.splitlines()[-1]
        assert code == 2 and out == "" and re.search(words, complaint), (words, complaint)
        assert complaint.startswith("fi-teach audit: ")


def test_parquet_without_pyarrow_is_refused_with_what_it_needs(tmp_path, monkeypatch):
    path = tmp_path / "table.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setattr(files_module, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"Parquet needs pyarrow: pip install pyarrow"):
        read_table(path)


def test_parquet_keeps_dates_words_and_gaps(tmp_path):
    """Where pyarrow is: what was written is read; and a file that is none is refused in a line."""
    pytest.importorskip("pyarrow")
    path, table = tmp_path / "table.parquet", shop(40)
    table.to_parquet(path)
    found = read_table(path)
    assert found["since"].dtype.kind == "M" and found["town"].isna().equals(table["town"].isna())
    path.write_bytes(b"PAR1")
    with pytest.raises(ValueError, match="cannot be read as a table"):
        read_table(path)


def test_the_report_calls_a_model_by_its_name():
    """A pipeline by its steps, a booster's file by its library."""
    from sklearn.ensemble import RandomForestClassifier

    from fi_audit.run import _title
    assert _title(pipeline()) == "ColumnTransformer, RandomForestClassifier"
    assert _title(files_module.XGBoostModel.__new__(files_module.XGBoostModel)) == "XGBoost, from its own file"
    assert _title(files_module.LightGBMModel.__new__(files_module.LightGBMModel)) == "LightGBM, from its own file"
    assert _title(RandomForestClassifier()) == "RandomForestClassifier"
