"""fi-teach audit: files in, a report out; bad files are refused with a sentence."""

import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from pypdf import PdfReader
from shop import pipeline, shop

import fi_teach.__main__ as cli
from fi_audit import audit as python_audit
from fi_audit import command
from fi_audit.command import read_model, read_table
from fi_audit.report import write
from fi_audit.skill import name_of
from fi_course.tables import concrete

FEATURES = ["age", "town", "pay", "member", "size"]
joblib = pytest.importorskip("joblib")
RandomForestRegressor = pytest.importorskip("sklearn.ensemble").RandomForestRegressor


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with a table as CSV and a pipeline, XGBoost's and LightGBM's model of a part of it."""
    compose, impute = pytest.importorskip("sklearn.compose"), pytest.importorskip("sklearn.impute")
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    folder = tmp_path_factory.mktemp("files")
    table = shop(600).drop(columns=["grade", "since"])
    table["learned"] = table.index % 2 == 0
    learned = table[table["learned"]]
    table.to_csv(folder / "table.csv", index=False)
    table[~table["learned"]].to_csv(folder / "new.csv", index=False)
    table[~table["learned"]].to_csv(folder / "semicolons.csv", index=False, sep=";", decimal=",")
    learned.to_csv(folder / "train.csv", index=False)
    learner = make_pipeline(
        compose.make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["town"]),
                                        (impute.SimpleImputer(), ["age", "pay", "size", "member"])),
        RandomForestClassifier(8, min_samples_leaf=3, random_state=0))
    joblib.dump(learner.fit(learned[FEATURES], learned["bought"]), folder / "model.joblib")
    joblib.dump({"model": learner, "columns": FEATURES}, folder / "bundle.joblib")
    X, y = learned[FEATURES].astype({"town": "category"}), (learned["bought"] == "yes").astype(int)
    xgboost, lightgbm = pytest.importorskip("xgboost"), pytest.importorskip("lightgbm")
    options = {"n_estimators": 8, "enable_categorical": True, "n_jobs": 1}
    xgboost.XGBClassifier(max_depth=3, **options).fit(X, y).save_model(folder / "model.json")
    xgboost.XGBRegressor(**options).fit(X, learned["pay"]).save_model(folder / "pay.json")
    lightgbm.LGBMClassifier(n_estimators=8, n_jobs=1, verbose=-1).fit(X, y).booster_.save_model(folder / "model.txt")
    return folder


def audit(capsys, *arguments):
    code = cli.main(["audit", *map(str, arguments), "--quick"])
    return code, *capsys.readouterr()


def report(folder):
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def test_a_pipeline_and_unseen_rows_give_a_report_and_a_warning_about_pickles(files, tmp_path, capsys):
    code, out, complaints = audit(capsys, files / "model.joblib", files / "new.csv", "--target", "bought",
                                  "--groups", "shop", "--protected", "member", "--out", tmp_path)
    assert code == 0 and "The model predicts well enough to be explained" in out and "may be written" in out
    assert "runs whatever code it holds" in complaints and "audit:" in complaints  # and the bar
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "report.json"]
    assert {part["name"] for part in report(tmp_path)["parts"]} == {"member = False", "member = True"}


@pytest.mark.parametrize("model", ["model.json", "model.txt"])
def test_the_boosters_own_files_are_read_with_words_and_a_target_of_words(model, files, tmp_path, capsys):
    code, _, complaints = audit(capsys, files / model, files / "new.csv", "--target", "bought",
                                "--train", files / "train.csv", "--out", tmp_path)
    found = report(tmp_path)
    assert code == 0 and "pickle" not in complaints and "no is 0, yes is 1" in complaints
    assert next(m for m in found["measures"] if m["question"] == "used")["members"] == [[n] for n in FEATURES]
    skill = next(f for f in found["findings"] if f["check"] == "skill")
    assert skill["verdict"] == "well" and skill["figures"]["ranking"] > 0.4
    assert "TreeSHAP" in found["findings"][0]["text"]


def test_a_loaded_model_answers_as_the_one_that_was_saved(files):
    from lightgbm import Booster
    table = read_table(files / "train.csv")[FEATURES].astype({"town": "category"})
    model = read_model(files / "model.txt")
    answers = Booster(model_file=files / "model.txt").predict(table)
    assert np.allclose(model.predict_proba(table)[:, 1], answers, atol=1e-12)
    assert np.allclose(model.predict_proba(table.astype({"town": str}).where(table.notna()))[:, 1], answers)
    assert read_model(files / "pay.json").classes is None


@pytest.mark.parametrize(("given", "words"), [
    (["new.csv"], "rows that the model has not seen, as was said"),
    (["new.csv", "--train", "train.csv"], "300 rows that the model has not seen"),
    (["table.csv", "--train", "learned"], "300 rows that the model has not seen"),
    (["train.csv", "--seen"], "rows that the model was fitted on"),
    (["train.csv", "--seen", "--refit"], "100 rows that a copy, fitted again on 200 of these rows, has not seen"),
    (["semicolons.csv"], "300 rows that the model has not seen")])
def test_the_command_says_what_the_rows_are(given, words, files, tmp_path, capsys):
    names = [files / name if name.endswith(".csv") else name for name in given]
    audit(capsys, files / "bundle.joblib", *names, "--target", "bought", "--out", tmp_path)
    assert words in report(tmp_path)["about"]["judged on"]


def test_dates_may_come_from_a_column(files, tmp_path, capsys):
    code, out, _ = audit(capsys, files / "model.joblib", files / "new.csv", "--target", "bought",
                         "--time", "day", "--known-from", "pay=2030-01-01", "--out", tmp_path)
    assert code == 1 and "100% of the values of 'pay' came to be after" in out and "Leave 'pay' out" in out


def test_a_pipeline_that_takes_dates_gets_them_from_a_csv_file(tmp_path, capsys):
    table, new = shop(300), shop(300, rng=1)
    columns = ["age", "town", "pay", "member", "grade", "since", "size"]
    joblib.dump(pipeline().fit(table[columns], table["bought"]), tmp_path / "dated.joblib")
    new.to_csv(tmp_path / "new.csv", index=False)
    given = [tmp_path / "dated.joblib", tmp_path / "new.csv", "--target", "bought", "--out", tmp_path]
    assert audit(capsys, *given)[0] == 0


def test_the_notebook_starts_from_the_two_files_and_computes_the_same(files, tmp_path, capsys):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    audit(capsys, files / "model.joblib", files / "new.csv", "--target", "bought", "--notebook", "--out", tmp_path)
    notebook = nbformat.read(tmp_path / "report.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert str(files / "model.joblib") in notebook.cells[1].source and "new.csv" in notebook.cells[1].source
    done = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    printed = "".join(out.get("text", "") for cell in done.cells for out in cell.get("outputs", []))
    found = report(tmp_path)
    assert found["answer"] in printed and all(s["text"] in printed for s in found["sentences"])


def test_more_than_a_minute_is_said_before(files, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "A_MINUTE", 0)
    complaints = audit(capsys, files / "model.joblib", files / "new.csv", "--target", "bought", "--out", tmp_path)[2]
    assert "This will take about 1 min" in complaints


def test_the_page_needs_nothing_else_and_can_be_read_by_everybody(files, tmp_path, capsys):
    audit(capsys, files / "model.joblib", files / "new.csv", "--target", "bought", "--out", tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "http" not in page and "<script" not in page and "src=" not in page
    assert 'lang="en"' in page and "<title>" in page and "prefers-color-scheme: dark" in page and "@media print" in page
    pictures = re.findall(r"<svg[^>]*>", page)
    assert pictures and all('role="img"' in svg and 'aria-label="' in svg for svg in pictures)
    assert page.count("<table>") == page.count("<caption>")
    from xml.dom.minidom import parseString
    parseString(re.sub(r"<meta[^>]*>", "", page).replace("<!doctype html>", ""))  # every tag is closed


def test_a_report_with_something_to_ask_prints_on_two_sheets(tmp_path, browser):
    X, y = concrete()
    model = RandomForestRegressor(20, random_state=0).fit(X[::2], y[::2])
    page, _ = write(python_audit(model, X[1::2], y[1::2], rng=0, quick=True), tmp_path)
    tab = browser.new_page()
    tab.goto(page.as_uri())
    printed = PdfReader(io.BytesIO(tab.pdf(prefer_css_page_size=True, format="A4"))).pages
    tab.close()
    assert len(printed) == 2 and printed[0].extract_text().strip(" ?\n").endswith("fewer cases than rows.")


def test_what_a_table_calls_its_columns_cannot_become_code():
    from fi_audit.report import as_page
    evil = pd.DataFrame({"<script>alert(1)</script>": range(90), '" onload="x': [1, 2, 3] * 30})
    page = as_page(python_audit(lambda t: t.iloc[:, 0].to_numpy() * 1.0, evil, evil.iloc[:, 0] * 1.0, quick=True))
    assert "<script>" not in page and '" onload="x' not in page


def test_bad_files_and_options_are_refused_in_one_line(files, tmp_path, capsys):
    (tmp_path / "cake.joblib").write_bytes(b"flour")
    joblib.dump([1, 2], tmp_path / "list.joblib")
    joblib.dump({"a": 1}, tmp_path / "dict.joblib")
    (tmp_path / "model.json").write_text("{}")
    (tmp_path / "model.txt").write_text("hello")
    (tmp_path / "empty.csv").write_text("a,b\n")
    (tmp_path / "nothing.csv").write_text("")
    model, table = files / "model.joblib", files / "new.csv"
    cases = [
        ([tmp_path / "none.joblib", table, "--target", "bought"], "no model file"),
        ([tmp_path / "cake.joblib", table, "--target", "bought"], "cannot be read as a model"),
        ([tmp_path / "list.joblib", table, "--target", "bought"], "list, which is no model"),
        ([tmp_path / "dict.joblib", table, "--target", "bought"], "dict with 0 models"),
        ([tmp_path / "model.json", table, "--target", "bought"], "cannot be read as a model"),
        ([tmp_path / "model.txt", table, "--target", "bought"], "no model of LightGBM"),
        ([table, table, "--target", "bought"], "expected a model as .joblib"),
        ([model, tmp_path / "none.csv", "--target", "bought"], "there is no table"),
        ([model, model, "--target", "bought"], "neither CSV nor Parquet"),
        ([model, tmp_path / "empty.csv", "--target", "b"], "has no rows"),
        ([model, tmp_path / "nothing.csv", "--target", "b"], "cannot be read as a table"),
        ([model, table, "--target", "sold"], "no column of the table"),
        ([model, table, "--target", "day"], "never saw"),
        ([model, table, "--target", "bought", "--train", "town"], "expected true or false"),
        ([model, table, "--target", "bought", "--known-from", "pay"], "expected COLUMN=DATE"),
    ]
    for arguments, words in cases:
        code, out, complaint = audit(capsys, *arguments, "--out", tmp_path / "out")
        complaint = complaint.splitlines()[-1]
        assert code == 2 and out == "" and re.search(words, complaint), (words, complaint)
        assert complaint.startswith("fi-teach audit: ")


def test_parquet_is_read_by_pandas_and_without_pyarrow_refused_with_what_it_needs(tmp_path, monkeypatch):
    """No lock holds pyarrow, so a stand-in reads: dates, words and gaps are as it gives them."""
    path, table = tmp_path / "table.parquet", shop(40)
    path.write_bytes(b"PAR1")
    monkeypatch.setattr(pd, "read_parquet", lambda path: table)
    monkeypatch.setattr(command, "find_spec", lambda name: name)
    assert read_table(path) is table
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"Parquet needs pyarrow: pip install pyarrow"):
        read_table(path)


def test_the_report_calls_a_model_by_its_name(files):
    """A pipeline by its steps, a booster's file by its library."""
    from sklearn.ensemble import RandomForestClassifier
    assert name_of(pipeline()) == "ColumnTransformer, RandomForestClassifier"
    assert name_of(read_model(files / "model.json")) == "boosted trees, from the library's own file"
    assert name_of(RandomForestClassifier()) == "RandomForestClassifier"
