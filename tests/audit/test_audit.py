"""fi_audit.audit: what makes an importance worthless is found first; then figures, and sentences with numbers."""

import re
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fi_audit
from fi_audit import Audit
from fi_audit.correlated_columns import clusters
from fi_audit.report import as_page, read, write
from fi_course.tables import credit_cards, tissues
from fi_teach.basics.tables import blanked, positions_of
from fi_teach.trees import grow_forest

sys.path.insert(0, str(Path(__file__).parent))
from shop import FEATURES, pipeline, shop

ensemble = pytest.importorskip("sklearn.ensemble")
IMPORTANCES = {"used", "used together", "relevant", "associated"}


def numbers(n=240, p=3, rng=0):
    """y = 2 a + noise; b and c have nothing to do with it."""
    rng = np.random.default_rng(rng)
    X = pd.DataFrame(rng.normal(size=(n, p)), columns=list("abcdef")[:p])
    return X, 2 * X["a"].to_numpy() + 0.5 * rng.normal(size=n)


def forest(X, y, n_trees=12):
    return grow_forest(X, y, n_trees=n_trees, min_samples_leaf=3, rng=0)


def audit(model, X, y, **settings):
    return fi_audit.audit(model, X, y, **{"quick": True, **settings})


X, Y = numbers()
TEST = numbers(rng=1)
FOREST = forest(X, Y)
TABLE = shop()


@cache
def of_numbers():
    return audit(FOREST, X, Y, test=TEST)


@cache
def of_shop():
    model = pipeline().fit(TABLE[FEATURES], TABLE["bought"])
    return audit(model, TABLE[[*FEATURES, "shop"]], TABLE["bought"], groups="shop", protected=TABLE["member"])


# --- the record ---


def test_the_same_audit_twice_is_equal_and_another_seed_is_not():
    assert audit(FOREST, X, Y, test=TEST) == of_numbers()
    assert audit(FOREST, X, Y, test=TEST, rng=1) != of_numbers()


@pytest.mark.parametrize("audited", [of_numbers, of_shop])
def test_a_report_is_read_back_as_it_was_written(audited, tmp_path):
    found = audited()
    page, data = write(found, tmp_path / "report")
    assert read(data) == found and isinstance(read(data), Audit)
    assert page.read_text(encoding="utf-8") == as_page(found)


def test_what_is_no_report_is_refused(tmp_path):
    path = tmp_path / "x.json"
    for text in ("[1]", "{", '{"record": "Cake"}', '{"record": "Part"}'):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"report|audit"):
            read(path)
    with pytest.raises(ValueError, match="no check is called 'cake'"):
        of_numbers().finding("cake")


def test_inputs_are_left_alone():
    before_X, before_y = X.copy(), Y.copy()
    audit(FOREST, X, Y, test=TEST)
    pd.testing.assert_frame_equal(X, before_X)
    assert (before_y == Y).all()


@pytest.mark.parametrize("audited", [of_numbers, of_shop])
def test_no_sentence_is_without_a_number_and_a_condition(audited):
    for sentence in audited().sentences:
        said = sentence.text if sentence.may else sentence.text + sentence.condition
        assert re.search(r"\d", said), said
        assert sentence.condition


def test_what_the_model_uses_is_said_and_noise_is_not_said_to_matter_or_not():
    dated = audit(FOREST, X, Y, test=TEST, time=np.arange(480), known_from={"a": -1})
    assert any("'a'" in text and "uses it" in text for text in dated.may)
    assert not any("'b'" in text or "'c'" in text for text in dated.may)
    assert not any("'b'" in text or "'c'" in text for text in of_numbers().may)
    assert {"'b' does not matter.", "'c' does not matter."} <= set(of_numbers().may_not)


def test_that_a_change_would_change_the_target_is_never_said():
    for found in (of_numbers(), of_shop()):
        assert any("would change the target" in text for text in found.may_not)
        assert not any("would change" in text for text in found.may)


# --- what makes an importance worthless ---


def test_a_model_of_noise_may_have_no_importances():
    rng = np.random.default_rng(5)
    y = rng.normal(size=240)
    found = audit(forest(X, y), X, y, test=(TEST[0], rng.normal(size=240)))
    assert found.finding("better than none").verdict == "stop"
    assert not any(s.may for s in found.sentences if s.kind in IMPORTANCES)


def test_training_rows_in_the_test_stop_the_report_and_fresh_rows_do_not():
    found = audit(FOREST, X, Y, test=(X.iloc[:100], Y[:100]))
    copies = found.finding("the same rows in training and test")
    assert copies.verdict == "stop" and copies.figures["exact"] == 1
    assert not any(s.may for s in found.sentences if s.kind in IMPORTANCES | {"skill"})
    assert of_numbers().finding("the same rows in training and test").verdict == "well"


def test_rounded_copies_are_seen_too():
    near = X.iloc[:60] + 1e-3
    found = audit(FOREST, X, Y, test=(near, Y[:60] + 0.001)).finding("the same rows in training and test")
    assert found.verdict == "ask" and found.figures["exact"] == 0 and found.figures["near"] == 1


def test_rows_that_repeat_because_few_values_exist_are_no_copies():
    rng = np.random.default_rng(0)
    coins = pd.DataFrame(rng.integers(0, 2, (300, 3)), columns=list("abc"))
    y = (coins["a"] ^ (rng.random(300) < 0.1)).astype(int)
    found = audit(ensemble.RandomForestClassifier(5, random_state=0).fit(coins, y), coins, y)
    assert found.finding("rows entered twice").verdict == "well"
    assert found.finding("the same rows in training and test").verdict == "well"


def test_a_column_that_was_written_too_late_stops_the_report_and_a_dated_one_is_cleared():
    days = np.arange(len(X))
    late = audit(FOREST, X, Y, test=TEST, time=np.r_[days, days], known_from={"a": 10**6})
    assert late.finding("known too late").verdict == "stop" and late.finding("known too late").about == ("a",)
    assert not any(s.may for s in late.sentences if s.kind in IMPORTANCES)
    in_time = audit(FOREST, X, Y, test=TEST, time=np.r_[days, days], known_from={"a": -1})
    assert of_numbers().finding("knows too much").about == ("a",)  # it is nearly all there is
    assert in_time.finding("knows too much").about == ()


def test_dates_may_come_from_a_column_row_by_row():
    table = X.assign(day=pd.Timestamp("2024-01-01"), written=pd.Timestamp("2023-12-01"))
    table.loc[:59, "written"] = pd.Timestamp("2024-02-01")
    found = audit(FOREST, table, Y, time="day", known_from={"b": "written"}).finding("known too late")
    assert found.figures["late"] == 60 / 240


def test_shared_groups_that_flatter_are_found():
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(60), 5)
    level = rng.normal(size=60)
    table = pd.DataFrame({"height": np.repeat(rng.normal(size=60), 5), "noise": rng.normal(size=300)})
    y = 2 * level[person] + 0.3 * rng.normal(size=300)
    model = ensemble.RandomForestRegressor(20, random_state=0).fit(table, y)
    test = rng.random(300) < 0.4
    found = audit(model, table, y, groups=person, test=test).finding("rows split by group")
    assert found.verdict == "ask" and found.figures["low"] > 0 and found.figures["shared"] > 0.5
    assert of_shop().finding("rows split by group").verdict == "well"


def test_empty_columns_and_row_numbers_are_named():
    rng = np.random.default_rng(0)
    table = X.assign(nothing=np.nan, same="x", row=rng.permutation(len(X)))
    found = audit(lambda t: 2 * t["a"].to_numpy(), table, Y).finding("empty columns and names")
    assert found.about == ("nothing", "same", "row") and found.verdict == "ask"


def test_the_known_leaks_of_the_field_cases_are_found():
    cards, approved = credit_cards()
    model = ensemble.RandomForestClassifier(15, min_samples_leaf=3, random_state=0).fit(cards, approved)
    found = audit(model, cards, approved).finding("knows too much")
    assert found.verdict == "ask" and set(found.about) == {"expenditure", "share"}
    genes, tissue = tissues()
    genes = genes.iloc[:, :12]
    model = ensemble.RandomForestClassifier(10, random_state=0).fit(genes, tissue)
    copies = audit(model, genes, tissue).finding("rows entered twice")
    assert copies.verdict == "ask" and copies.figures["repeated"] == 4 / 189  # four livers stand there twice


# --- the four questions ---


def test_columns_that_go_together_are_spoken_of_together():
    assert ("pay", "size") in of_shop().clusters
    together = of_shop().measure("used together")
    assert together.clear[together.names.index("pay + size")]
    assert any("Of 'pay' and 'size'" in text for text in of_shop().may_not)
    assert not any(s.kind == "used" and s.about[0] in ("pay", "size") for s in of_shop().sentences)


def test_words_go_with_words_and_with_numbers():
    rng = np.random.default_rng(0)
    town = rng.choice(["Ulm", "Bonn", "Kiel"], 300)
    table = pd.DataFrame({
        "town": town, "code": pd.Series(town).map({"Ulm": "U", "Bonn": "B", "Kiel": "K"}),
        "north": pd.Series(town).map({"Ulm": 48.4, "Bonn": 50.7, "Kiel": 54.3}) + rng.normal(0, 0.1, 300),
        "noise": rng.choice(["x", "y", "z"], 300)})
    assert clusters(table) == (("town", "code", "north"),)


def test_rows_that_come_in_groups_widen_the_interval():
    times = np.repeat(np.arange(60), 4)
    test = (TEST[0].iloc[times].reset_index(drop=True), TEST[1][times])
    labels = np.r_[np.arange(240) + 1000, times]
    alone = audit(FOREST, X, Y, test=test).measure("used")
    grouped = audit(FOREST, X, Y, test=test, groups=labels).measure("used")
    assert alone.row("a")[0] == grouped.row("a")[0]
    wide = [m.row("a")[2] - m.row("a")[1] for m in (alone, grouped)]
    assert wide[1] > 1.5 * wide[0]


def test_rows_without_weight_do_not_count():
    rng = np.random.default_rng(0)
    spoilt = TEST[1].copy()
    spoilt[:120] = rng.normal(0, 50, 120)
    weight = np.r_[np.ones(240), np.zeros(120), np.ones(120)]
    heavy = audit(FOREST, X, Y, test=(TEST[0], spoilt), sample_weight=weight)
    assert heavy.finding("better than none").figures["low"] > 0.5
    assert audit(FOREST, X, Y, test=(TEST[0], spoilt)).finding("better than none").verdict == "stop"


def test_a_gap_between_groups_and_a_drift_are_found_where_they_were_planted():
    late = np.arange(240) >= 180
    y = np.where(late, -TEST[1], TEST[1])
    members = np.where(np.arange(480) % 480 >= 420, "new", "old")
    found = audit(FOREST, X, Y, test=(TEST[0], y), time=np.arange(480), protected=members)
    period = next(s for s in found.sentences if s.kind == "period")
    assert period.may and period.about[1] == "period 4, from 420" and "not clear" not in period.text
    group = next(s for s in found.sentences if s.kind == "group")
    assert group.about == ("old", "new") and "not clear" not in group.text


# --- the reader's table ---


def test_a_pipeline_with_words_dates_and_gaps_is_audited_refits_and_all():
    assert of_shop().about["model"] == "ColumnTransformer, RandomForestClassifier"
    assert "a random third of the groups" in of_shop().about["held out"]
    assert of_shop().measure("relevant") is not None and of_shop().finding("better than none").verdict == "well"
    assert {part.name for part in of_shop().parts} == {"True", "False"}
    assert all(set(part.extra) == {"said", "found", "false alarms"} for part in of_shop().parts)


@pytest.mark.parametrize("column", FEATURES)
def test_a_blanked_column_keeps_its_kind_and_has_one_value(column):
    new = blanked(TABLE[FEATURES], positions_of(column, TABLE[FEATURES]))
    assert new[column].nunique(dropna=False) == 1 and new[column].dtype == TABLE[column].dtype
    pd.testing.assert_frame_equal(new.drop(columns=column), TABLE[FEATURES].drop(columns=column))


def test_a_model_that_cannot_be_refitted_is_taken_at_its_word_and_the_report_says_so():
    found = audit(lambda t: 2 * t["a"].to_numpy(), X, Y)
    assert "nobody said" in found.about["held out"] and found.measure("relevant") is None
    assert any("0 were made" in s.condition for s in found.sentences)
    assert all("never saw" in s.condition for s in found.sentences if s.may and s.kind == "used together")


def test_xgboost_and_lightgbm_are_audited():
    for library, name in (("xgboost", "XGBRegressor"), ("lightgbm", "LGBMRegressor")):
        module = pytest.importorskip(library)
        quiet = {} if library == "xgboost" else {"verbose": -1}
        model = getattr(module, name)(n_estimators=15, max_depth=3, n_jobs=1, **quiet).fit(X, Y)
        assert audit(model, X, Y, test=TEST).measure("used").clear.tolist() == [True, False, False]


def test_large_tables_are_sampled_and_the_report_says_so():
    many, y = numbers(4000)
    found = audit(lambda t: 2 * t["a"].to_numpy(), many, y)
    assert "500 of 4,000 held-out rows judge" in found.about["sampled"]


def test_progress_sees_every_step():
    seen = []
    audit(FOREST, X, Y, test=TEST, progress=lambda steps: seen.extend(steps) or seen)
    assert seen[0] == "better than none" and len(seen) == 17


GAPS = np.where(np.arange(240) < 3, np.nan, Y)
BAD = {
    "a model of another table": ({"X": X.rename(columns={"a": "other"})}, "column 'a', which the table does not have"),
    "a target with gaps": ({"y": GAPS}, "y has 3 gaps"),
    "a constant target": ({"y": np.ones(240)}, "constant"),
    "a target of another length": ({"y": Y[:5]}, "5 values for 240 rows"),
    "a target of two columns": ({"y": np.column_stack([Y, Y])}, "one output at a time"),
    "words for a model of numbers": ({"y": np.repeat(["x", "y"], 120)}, "number|float"),
    "no rows": ({"X": X[:0], "y": Y[:0]}, "at least one row"),
    "too few rows": ({"test": (TEST[0][:9], TEST[1][:9])}, "9 rows judge the model"),
    "a mask of all rows": ({"test": np.ones(240, bool)}, "all rows or none"),
    "a test that is none": ({"test": "later"}, "neither a pair"),
    "a test without a column": ({"test": (TEST[0][["a", "b"]], TEST[1])}, "no column 'c'"),
    "groups that are no column": ({"groups": "shop"}, "no column of the table"),
    "groups of another length": ({"groups": [1, 2]}, "2 values, but there are 240 rows"),
    "groups with gaps": ({"groups": GAPS}, "3 gaps"),
    "known_from without a time": ({"known_from": {"a": 1}}, "time="),
    "known_from of no column": ({"known_from": {"z": 1}, "time": np.arange(240)}, "'z'"),
    "times that are none": ({"time": np.repeat("soon", 240)}, "expected dates"),
    "no model": ({"model": "forest"}, "str"),
    "an unfitted model": ({"model": ensemble.RandomForestRegressor()}, "not fitted"),
    "a fit that is no function": ({"fit": "again"}, "fit is no function"),
    "an unknown loss": ({"loss": "regret"}, "unknown loss"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_with_a_sentence(name):
    changed, words = BAD[name]
    given = {"model": FOREST, "X": X, "y": Y} | changed
    with pytest.raises(ValueError, match=words):
        audit(given.pop("model"), given.pop("X"), given.pop("y"), **given)


def test_who_does_not_say_is_a_group_of_its_own():
    """A gap in a protected column of words; one in a column of numbers belongs to no quarter of them."""
    words = np.where(np.arange(480) % 3 == 0, "a", "b").astype(object)
    words[np.arange(480) % 5 == 0] = None
    found = audit(FOREST, X, Y, test=TEST, protected=words)
    assert {part.name for part in found.parts} == {"a", "b", "not stated"}
    with pytest.raises(ValueError, match="protected has 1 gap: say"):
        audit(FOREST, X, Y, test=TEST, protected=np.where(np.arange(480) == 3, np.nan, 1.0))


def test_the_report_tells_of_refits_only_where_there_can_be_some():
    assert "no refits" in of_numbers().about["sampled"] and "refits learn from" in of_shop().about["sampled"]
