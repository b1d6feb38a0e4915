"""fi_audit.audit: which model and which rows it is about; what is said, asked and refused; sentences with numbers."""

import re
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import truth
from shop import FEATURES, pipeline, shop
from sklearn import ensemble, linear_model

import fi_audit
from fi_audit.columns import clusters, is_identifier
from fi_audit.data import make_data
from fi_audit.report import as_page
from fi_audit.rows import check_time
from fi_audit.skill import skill_of
from fi_course.tables import credit_cards, tissues
from fi_teach.trees import grow_forest

OF_THE_MODEL = {"skill", "ranking", "used", "used together", "relevant"}


def numbers(n=240, p=3, rng=0):
    """y = 2 a + noise; b and c have nothing to do with it."""
    rng = np.random.default_rng(rng)
    X = pd.DataFrame(rng.normal(size=(n, p)), columns=list("abcdef")[:p])
    return X, 2 * X["a"].to_numpy() + 0.5 * rng.normal(size=n)


def audit(model, X, y, **settings):
    return fi_audit.audit(model, X, y, **{"quick": True, **settings})


def twice_a(table):
    return 2 * table["a"].to_numpy()


def kinds(found, may=True):
    return {s.kind for s in found.sentences if s.may is may}


X, Y = numbers()
TEST = numbers(rng=1)
FOREST = grow_forest(X, Y, n_trees=12, min_samples_leaf=3, rng=0)
TABLE, NEW = shop(400), shop(400, rng=1)
COLUMNS = [*FEATURES, "shop"]


@cache
def of_numbers():
    return audit(FOREST, *TEST)


@cache
def of_shop():
    """Rows that the model was fitted on; a copy may be fitted on a part of them."""
    model = pipeline().fit(TABLE[FEATURES], TABLE["bought"])
    return audit(model, TABLE[COLUMNS], TABLE["bought"], seen=True, refit=True, groups="shop",
                 protected=TABLE["member"])


# --- which model is it about? ---


def test_the_given_model_is_asked_not_a_refit():
    """A model that was fitted on the reversed target is worthless, whatever a refit of it would be."""
    X, y = shop(300)[["pay", "age"]].fillna(40), shop(300)["bought"]
    wrong = linear_model.LogisticRegression(max_iter=500).fit(X, np.where(y == "yes", "no", "yes"))
    found = audit(wrong, X, y, refit=True)
    assert found.finding("skill").verdict == "stop" and not kinds(found) & OF_THE_MODEL
    assert found.finding("skill").figures["ranking"] < 0
    all_unseen = audit(FOREST, *TEST, test=np.ones(240, bool))
    assert all_unseen.sentences == of_numbers().sentences and not all_unseen.measure("relevant")


@pytest.mark.parametrize("kind", ["warm start", "frozen", "prefit"])
def test_no_copy_keeps_what_the_model_learned_from_all_rows(kind):
    """On pure noise: a forest that goes on growing is fitted from nothing, frozen parts are refused."""
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.frozen import FrozenEstimator
    rng = np.random.default_rng(3)
    X, y = pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd")), rng.choice(["no", "yes"], 300)
    inner = ensemble.RandomForestClassifier(20, warm_start=True, random_state=0).fit(X, y)
    if kind == "warm start":
        found = audit(inner, X, y, seen=True, refit=True)
        assert found.finding("skill").verdict == "stop" and not kinds(found) & OF_THE_MODEL
        assert "cannot be explained" in found.answer
        return
    model = (CalibratedClassifierCV(FrozenEstimator(inner)) if kind == "frozen" else
             ensemble.StackingClassifier([("inner", inner)], cv="prefit")).fit(X, y)
    with pytest.raises(ValueError, match=r"FrozenEstimator|prefit"):
        audit(model, X, y, seen=True, refit=True)


def test_on_rows_that_it_was_fitted_on_nothing_is_said_of_the_model():
    found = audit(FOREST, X, Y, seen=True)
    assert not kinds(found) & OF_THE_MODEL and "associated" in kinds(found)
    assert "fitted on these rows" in found.answer and any("--refit" in text for text in found.asks)


def test_every_sentence_about_a_copy_says_so():
    about_it = [s.text for s in of_shop().sentences if s.may and s.kind in OF_THE_MODEL]
    assert len(about_it) > 2 and all("a copy of the model" in text.lower() for text in about_it)
    assert "copy of the model" in of_shop().answer and "copy" in of_shop().about["judged on"]
    assert not any("copy" in s.text for s in of_numbers().sentences)


def test_a_copy_is_fitted_and_judged_with_the_weights():
    """Rows of weight zero say the opposite: a copy or a score that forgot the weights would be worth nothing."""
    heavy = np.arange(240) % 2 == 0
    y = np.where(heavy, Y, -Y)
    model = linear_model.LinearRegression().fit(X, y, sample_weight=heavy * 1.0)
    found = audit(model, X, y, seen=True, refit=True, sample_weight=heavy * 1.0)
    assert found.finding("skill").figures["low"] > 0.8


def test_a_copy_is_judged_on_later_days_and_new_groups():
    days, person = np.repeat(np.arange(60), 4), np.arange(240) // 8
    found = audit(linear_model.LinearRegression().fit(X, Y), X, Y, seen=True, refit=True, time=days, groups=person)
    assert "latest third" in found.about["noted"] and "rows that a copy" in found.about["judged on"]
    n = int(re.match(r"\d+", found.about["judged on"])[0])
    assert n % 8 == 0 and 0 < n <= 96


# --- does it predict? ---


def test_a_useful_model_of_rare_events_is_not_stopped():
    """1.5% events, probabilities far too large: the Brier score is a constant's or worse, the ranking is not."""
    rows = truth.rare(np.random.default_rng(0), 8000, True)
    found = fi_audit.audit(truth.balanced(rows.X[:4000], rows.y[:4000]), rows.X[4000:], rows.y[4000:])
    assert found.finding("skill").verdict == "well" and found.finding("skill").figures["Brier score, low"] < 0
    assert found.finding("calibration").verdict == "note"
    assert {s.about for s in found.sentences if s.may and s.kind == "used"} == {("a",), ("b",)}
    assert "ranks" in found.answer


def test_a_ranking_of_eighteen_events_is_told_from_guessing():
    """An area of 0.9 under the curve, 18 events in 1,500 rows: clear in 19 of 20 draws; of noise in at most one."""
    rng = np.random.default_rng(0)
    event, clear = np.arange(1500) < 18, {1.8: 0, 0.0: 0}
    for shift in [*clear] * 20:
        table = pd.DataFrame({"a": rng.normal(size=1500) + shift * event})
        scores, _ = skill_of(make_data(lambda t: 1 / (1 + np.exp(-t["a"].to_numpy())), table,
                                       np.where(event, "yes", "no"), quick=True))
        assert scores[-1].name == "ranking" and scores[-1].high <= 1
        clear[shift] += scores[-1].clear
    assert clear[1.8] >= 19 and clear[0.0] <= 1


def test_rare_counts_are_judged_by_their_deviance():
    rows = truth.counts(np.random.default_rng(1), 3000, True)
    found = audit(lambda t: np.exp(1.2 * t["a"].to_numpy() - 4), rows.X, rows.y)
    assert found.finding("skill").verdict == "well" and found.finding("skill").figures["deviance, low"] > 0


def test_the_constant_counts_the_weights_and_fits_the_loss():
    """A nearly constant model is no better than the weighted mean, nor the constant 1 than the median."""
    rng = np.random.default_rng(2)
    y = rng.lognormal(0, 1.5, 600)
    table = pd.DataFrame({"a": rng.normal(size=600), "b": rng.normal(size=600)})
    weights = np.where(y > 1, 1.0, 0.02)
    nearly = np.average(y, weights=weights)
    found = audit(lambda t: nearly + 1e-6 * t["a"].to_numpy(), table, y, sample_weight=weights)
    assert abs(found.finding("skill").figures["squared error"]) < 0.01
    one = audit(lambda t: np.ones(len(t)) + 1e-6 * t["a"].to_numpy(), table, y, loss="absolute")
    assert one.finding("skill").verdict == "stop"


def test_the_baseline_in_time_is_the_last_value():
    """A random walk is followed closely by a lagging model, and more closely by its last value."""
    y = np.cumsum(np.random.default_rng(0).normal(size=400))
    table = pd.DataFrame({"lag": np.r_[np.zeros(5), y[:-5]], "noise": y * 0 + 1})
    blind = audit(lambda t: t["lag"].to_numpy(), table, y)
    dated = audit(lambda t: t["lag"].to_numpy(), table, y, time=np.arange(400))
    assert blind.finding("skill").verdict == "well" and dated.finding("skill").verdict == "stop"


def test_the_brier_score_of_two_classes_is_the_usual_one():
    found = audit(lambda t: np.full(len(t), 0.9), X, np.where(Y > 0, "yes", "no"))
    part = audit(lambda t: np.full(len(t), 0.9), X, np.where(Y > 0, "yes", "no"), protected=np.zeros(240)).parts[0]
    share = (Y > 0).mean()
    assert part.loss == pytest.approx(share * 0.01 + (1 - share) * 0.81)
    assert found.finding("calibration").figures["observed"] == pytest.approx(share)


def test_a_table_without_the_models_last_class_is_read_by_the_models_classes():
    y = np.array(["a", "b", "c"])[np.digitize(Y, [-1, 1])]
    model = linear_model.LogisticRegression().fit(X, y)
    part = audit(model, TEST[0][TEST[1] < 1], np.where(TEST[1] < -1, "a", "b")[TEST[1] < 1],
                 protected=np.zeros((TEST[1] < 1).sum())).parts[0]
    assert part.observed == 0 and part.predicted < 0.4


# --- what does it rely on? ---


def test_what_the_model_uses_is_said_and_noise_is_not_said_to_matter_or_not():
    texts = of_numbers().may
    assert any("relies on 'a'" in text and "% of its skill" in text for text in texts)
    assert not any("'b'" in text or "'c'" in text for text in texts)
    (nothing,) = [s for s in of_numbers().sentences if s.kind == "nothing"]
    assert not nothing.may and nothing.about == ("b", "c") and "can show an importance of about" in nothing.condition


def test_the_answer_counts_all_that_carry_the_model_and_ten_sentences_are_written():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(300, 12))).add_prefix("v")
    found = audit(lambda t: t.sum(axis=1).to_numpy(), table, table.sum(axis=1) + rng.normal(size=300))
    assert "12 features carry it, first:" in found.answer
    assert len([s for s in found.sentences if s.kind == "used"]) == 10


def test_intervals_know_that_columns_are_correlated():
    """Ten copies of one column err together: their intervals are hardly wider than one column's."""
    table = pd.DataFrame({f"v{j}": TEST[0]["a"] for j in range(10)})
    many = audit(lambda t: 2 * t.mean(axis=1).to_numpy(), table, TEST[1]).measure("used together")
    one = audit(lambda t: 2 * t["v0"].to_numpy(), table[["v0"]], TEST[1]).measure("used")
    assert many.members == (tuple(table),) and many.value[0] == pytest.approx(one.value[0], rel=0.2)


def test_a_strong_columns_noisy_copy_does_not_silence_a_weak_one():
    rng = np.random.default_rng(4)
    table = pd.DataFrame(rng.normal(size=(600, 2)), columns=["strong", "weak"])
    y = 20 * table["strong"] + 1.5 * table["weak"] + 0.5 * rng.normal(size=600)
    found = audit(lambda t: 20 * t["strong"].to_numpy() + 1.5 * t["weak"].to_numpy(), table, y)
    assert {s.about for s in found.sentences if s.may and s.kind == "used"} == {("strong",), ("weak",)}


def test_an_errorless_test_set_leaves_room_for_an_error_that_it_did_not_show():
    """The rule of three: 600 rows without a mistake leave a skill of 1 - 3/600 possible."""
    y = np.repeat(["no", "yes"], 300)
    table = pd.DataFrame({"a": np.repeat([0.0, 1.0], 300), "b": np.arange(600.0)})
    figures = audit(lambda t: t["a"].to_numpy(), table, y).finding("skill").figures
    assert figures["skill"] == 1 and figures["low"] == pytest.approx(1 - 3 / 600)


def test_null_copies_say_how_large_nothing_looks():
    used, copies = of_numbers().measure("used"), of_numbers().measure("null copies")
    assert ("a",) in copies.members and not copies.clear.any()
    assert abs(copies.row("a")[0]) < 0.3 * used.row("a")[0]


def test_that_a_change_would_change_the_target_is_never_said():
    for found in (of_numbers(), of_shop()):
        assert any("would change the target" in text for text in found.may_not)
        assert not any("would change" in text for text in found.may)


def test_columns_that_go_together_are_spoken_of_together():
    assert ("pay", "size") in of_shop().clusters
    together = of_shop().measure("used together")
    assert together.clear[together.place(("pay", "size"))]
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


def test_gaps_do_not_hide_that_columns_go_together_and_a_walk_is_no_single_group():
    rng = np.random.default_rng(0)
    a = rng.normal(size=400)
    pair = pd.DataFrame({"a": a, "b": a + 0.1 * rng.normal(size=400)}).mask(rng.random((400, 2)) < 0.3)
    assert clusters(pair) == (("a", "b"),)
    walk = pd.DataFrame(np.cumsum(rng.normal(size=(300, 40)), axis=1), columns=[f"v{j}" for j in range(40)])
    assert len(clusters(walk)) > 1


def test_a_column_called_a_plus_b_keeps_its_own_figure():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": TEST[0]["a"], "b": TEST[0]["a"] + 0.1 * rng.normal(size=240), "a + b": TEST[0]["c"]})
    found = audit(lambda t: t["a"].to_numpy() + t["b"].to_numpy(), table, TEST[1])
    assert found.clusters == (("a", "b"),) and found.measure("used").row("a + b") == (0, 0, 0)
    assert found.measure("used together").row(("a", "b"))[0] > 1


def test_rows_that_come_in_groups_widen_the_interval():
    times = np.repeat(np.arange(60), 4)
    rows = TEST[0].iloc[times].reset_index(drop=True), TEST[1][times]
    alone, grouped = audit(FOREST, *rows).measure("used"), audit(FOREST, *rows, groups=times).measure("used")
    assert alone.row("a")[0] == grouped.row("a")[0]
    wide = [m.row("a")[2] - m.row("a")[1] for m in (alone, grouped)]
    assert wide[1] > 1.5 * wide[0]


def test_what_a_copy_would_miss_is_asked_only_where_refits_are_allowed():
    learner = linear_model.LinearRegression()
    found = audit(learner.fit(X, Y), X, Y, test=TEST, refit=True)
    assert any(s.kind == "relevant" and s.may and s.about == ("a",) and "a copy of the model" in s.text
               for s in found.sentences)
    without = audit(learner, X, Y, test=TEST)
    assert without.measure("relevant") is None and "relevant" in kinds(without, may=False)


def test_a_refit_that_fails_is_said_and_the_audit_goes_on():
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBRegressor(n_estimators=20, max_depth=3, early_stopping_rounds=3, n_jobs=1)
    found = audit(model.fit(X, Y, eval_set=[TEST], verbose=False), X, Y, test=TEST, refit=True)
    (said,) = [s for s in found.sentences if s.kind == "relevant"]
    assert not said.may and "could not be fitted" in said.condition and "used" in kinds(found)


# --- could a column be a leak? ---


def test_columns_that_stand_in_for_each_other_are_asked_about_as_a_group():
    """Chapter 12c: the model without one of them is as good; without both it is worth little."""
    cards, approved = credit_cards()
    half = np.arange(len(cards)) % 2 == 0
    model = ensemble.RandomForestClassifier(15, min_samples_leaf=3, random_state=0).fit(cards[half], approved[half])
    found = audit(model, cards[~half], approved[~half])
    leak = found.finding("possible leakage")
    assert leak.verdict == "ask" and set(leak.about) == {"expenditure", "share"}
    touched = [s for s in found.sentences if s.may and set(s.about) & set(leak.about)]
    assert touched and all("ask" in s.condition for s in touched)
    assert all("ask" in s.condition for s in found.sentences if s.may and s.kind in ("skill", "ranking"))
    assert "look like a leak" in found.answer


def test_an_honest_single_cause_is_not_asked_about():
    found = audit(twice_a, X, 2 * X["a"] + 0.7 * np.random.default_rng(1).normal(size=240))
    assert found.finding("possible leakage").verdict == "well" and "associated" in kinds(found)
    assert "alone it gives a forest 100% of the skill" in found.finding("possible leakage").text  # not 126%


def test_a_target_in_a_text_is_asked_about():
    for trap, about in ((True, ("note",)), (False, ())):
        rows = truth.notes(np.random.default_rng(0), 400, trap)
        found = audit(lambda t: t["note"].str.contains("closed").to_numpy() * 0.98 + 0.01, rows.X, rows.y)
        assert found.finding("possible leakage").about == about


def test_a_column_that_was_written_too_late_stops_the_report_and_a_dated_one_is_cleared():
    days = np.arange(len(X))
    late = audit(FOREST, *TEST, time=days, known_from={"a": days + 30})
    found = late.finding("known too late")
    assert (found.verdict, found.about, found.figures["late"]) == ("stop", ("a",), 1)
    assert not kinds(late) & OF_THE_MODEL and "associated" in kinds(late)
    assert audit(FOREST, *TEST, time=days, known_from={"a": -1}).finding("known too late").verdict == "well"


def test_dates_are_read_in_one_way_and_missing_ones_decide_nothing():
    day = np.repeat(20240531, 240)
    found = audit(twice_a, X, Y, time=day, known_from={"a": "2024-05-30"}).finding("known too late")
    assert found.verdict == "well" and found.figures["late"] == 0
    table = X.assign(written=pd.NaT)
    assert audit(twice_a, table, Y, time=pd.to_datetime(day.astype(str)),
                 known_from={"a": "written"}).finding("known too late").verdict == "not asked"
    with pytest.raises(ValueError, match="both as dates"):
        audit(twice_a, X, Y, time=np.arange(240), known_from={"a": "2024-05-30"})


# --- rows ---


def test_training_rows_in_the_test_stop_the_report_and_fresh_rows_do_not():
    found = audit(FOREST, X, Y, test=(X.iloc[:100], Y[:100]))
    copies = found.finding("the same rows in training and test")
    assert copies.verdict == "stop" and copies.figures["exact"] == 1 and not kinds(found) & OF_THE_MODEL
    assert audit(FOREST, X, Y, test=TEST).finding("the same rows in training and test").verdict == "well"
    near = audit(FOREST, X, Y, test=(X.iloc[:60] + 1e-3, Y[:60] + 0.001)).finding("the same rows in training and test")
    assert near.verdict == "ask" and near.figures["exact"] == 0 and near.figures["near"] > 0.9


def test_rows_that_repeat_because_few_values_exist_are_no_copies():
    rng = np.random.default_rng(0)
    coins = pd.DataFrame(rng.integers(0, 2, (300, 3)), columns=list("abc"))
    y = (coins["a"] ^ (rng.random(300) < 0.1)).astype(int)
    found = audit(ensemble.RandomForestClassifier(5, random_state=0).fit(coins, y), coins, y)
    assert found.finding("rows entered twice").verdict == "well"
    genes, tissue = tissues()
    genes = genes.iloc[:, :12]
    copies = audit(ensemble.RandomForestClassifier(10, random_state=0).fit(genes, tissue), genes, tissue)
    assert copies.finding("rows entered twice").figures["repeated"] == 4 / 189  # four livers stand there twice


def test_related_rows_that_nobody_announced_are_asked_about():
    rows, who = truth.persons(np.random.default_rng(0), 300, True), np.arange(300) // 5
    known = linear_model.LinearRegression().fit(rows.X, rows.y)
    related = audit(known, rows.X.assign(patient=[f"P{k}" for k in who]), rows.y)
    assert "--groups patient" in related.finding("related rows").ask
    assert all("related rows" in s.condition for s in related.sentences if s.may and s.kind == "used")
    y = rows.y + 9 * (who % 2) * np.resize([-1, 1], 300)
    far = audit(known, rows.X, y, protected=np.where(who % 2, "odd", "even"))
    (gap,) = [s for s in far.sentences if s.may and s.kind == "group"]
    assert "related rows" in gap.condition
    same = truth.persons(np.random.default_rng(0), 300, True, noisy=0.0)
    assert set(audit(twice_a, same.X, same.y).finding("related rows").about) == set("abcde")
    assert of_numbers().finding("related rows").verdict == "well"


def test_shared_groups_that_flatter_are_found_and_few_groups_are_no_reason_to_refuse():
    rows, who = truth.persons(np.random.default_rng(0), 300, True), np.arange(300) // 5
    model = ensemble.RandomForestRegressor(20, random_state=0).fit(rows.X, rows.y)
    test = np.random.default_rng(0).random(300) < 0.4
    found = audit(model, rows.X, rows.y, groups=who, test=test).finding("related rows")
    assert found.verdict == "ask" and found.figures["low"] > 0 and found.figures["shared"] > 0.5
    three = audit(twice_a, *numbers(), groups=np.arange(240) % 3)
    assert "3 groups" in three.finding("related rows").text
    assert truth.audited("sites", False, 8006)[0].finding("related rows").verdict == "well"  # they differ by luck alone


def test_a_date_column_is_found_and_a_split_by_time_tried():
    rows = truth.dated(np.random.default_rng(0), 400, True)
    found = audit(twice_a, rows.X, rows.y).finding("time")
    assert found.verdict == "ask" and "--time day" in found.ask
    assert found.figures["apart"] < found.figures["at random"]
    packed = rows.X["day"].str.replace("-", "").astype(int)
    assert audit(twice_a, rows.X.assign(day=packed), rows.y).finding("time").verdict == "ask"


def test_a_date_that_has_nothing_to_do_with_the_target_is_not_suspected():
    """Ten tables; the rows of the latest third share the error of a forest's last leaf."""
    rng, days = np.random.default_rng(0), pd.Timestamp("2023-01-01") + pd.to_timedelta(np.arange(300), "D")
    for _ in range(10):
        table = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"]).assign(day=days)
        data = make_data(twice_a, table, 2 * table["a"] + rng.normal(size=300))
        found = check_time(data)
        assert found.verdict == "note" and "'day' holds dates" in found.text


# --- columns ---


def test_columns_that_are_no_features_are_named():
    rng = np.random.default_rng(0)
    celsius = (15 + 8 * rng.normal(size=240)).round(1)
    table = X.assign(nothing=np.nan, same="x", customer=rng.choice(9_000_000, 240, replace=False) + 1_000_000,
                     celsius=celsius, fahrenheit=(32 + 1.8 * celsius).round(), income=(9000 * rng.lognormal(size=240)))
    found = audit(twice_a, table.assign(income=table["income"].astype(int)), Y)
    assert found.finding("constant columns").about == ("nothing", "same")
    assert found.finding("identifiers").about == ("customer",) and found.finding("identifiers").verdict == "ask"
    not_taken = audit(linear_model.LinearRegression().fit(X, Y), X.assign(name=[f"K{k}" for k in range(240)]), Y)
    assert not_taken.finding("identifiers").about == ("name",) and not_taken.finding("identifiers").verdict == "note"
    units = found.finding("the same in other units")
    assert set(units.about) == {"celsius", "fahrenheit"} and "1.8" in units.text
    assert is_identifier(pd.Series([f"K{k}" for k in range(50)])) and not is_identifier(pd.Series(["a", "b"] * 25))


def test_gaps_that_go_with_any_class_are_asked_about():
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b", "c"], 900)
    table = pd.DataFrame({"pay": rng.normal(size=900), "age": rng.normal(size=900)})
    table.loc[rng.random(900) < np.where(y == "a", 0.3, 0.05), "pay"] = np.nan
    found = audit(lambda t: np.repeat("a", len(t)), table, y).finding("gaps that tell")
    assert found.about == ("pay",) and "the share of 'a'" in found.text
    table["pay"] = rng.normal(size=900)
    table.loc[rng.random(900) < 1 / 6, "pay"] = np.nan
    assert audit(lambda t: np.repeat("a", len(t)), table, y).finding("gaps that tell").verdict == "well"


# --- groups and periods ---


def test_a_gap_between_groups_and_a_drift_are_found_where_they_were_planted():
    y = np.where(np.arange(240) >= 180, -TEST[1], TEST[1])
    found = audit(linear_model.LinearRegression().fit(X, Y), TEST[0], y, time=np.arange(240),
                  protected=np.where(np.arange(240) >= 180, "new", "old"))
    by_kind = {s.kind: s for s in found.sentences if s.kind in ("period", "group")}
    assert by_kind["period"].about[1] == "period 4, from 180" and by_kind["group"].about == ("old", "new")


def test_the_mean_of_a_group_counts_its_weights_and_no_group_vanishes_without_a_word():
    y = (np.arange(240) % 4 == 0) * 1.0
    weights = np.where(y == 1, 1.0, 0.01)
    who = np.where(np.arange(240) < 10, "tiny", np.where(np.arange(240) < 120, "one", "two"))
    found = audit(lambda t: np.zeros(len(t)), X, y, protected=who, sample_weight=weights)
    assert [p.name for p in found.parts] == ["one", "two"] and found.parts[1].observed == pytest.approx(30 / 30.9)
    assert "tiny (10)" in found.finding("groups").text
    none = audit(lambda t: np.zeros(len(t)), X, y, protected=who, sample_weight=np.where(who == "one", 0.0, 1.0))
    assert [p.name for p in none.parts] == ["two"]


# --- models and tables as they come ---


def modern(name, X, y):
    """A default booster that takes category columns as they are."""
    if name == "HistGradientBoosting":
        return ensemble.HistGradientBoostingClassifier(max_iter=20).fit(X, y)
    if name == "LightGBM":
        return pytest.importorskip("lightgbm").LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1).fit(X, y)
    return pytest.importorskip("xgboost").XGBClassifier(
        n_estimators=20, enable_categorical=True, n_jobs=1).fit(X, (y == "yes") * 1)


@pytest.mark.parametrize("name", ["HistGradientBoosting", "LightGBM", "XGBoost"])
@pytest.mark.parametrize("inside", ["alone", "in a pipeline"])
def test_boosters_take_categories_gaps_and_words_from_a_csv_file(name, inside, tmp_path):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer
    used = ["age", "town", "pay", "member", "grade"]
    learned = TABLE[used].astype({"town": "category"})
    model = modern(name, learned, TABLE["bought"])
    if inside == "in a pipeline":
        model = make_pipeline(FunctionTransformer(), model)
        model.fit(learned, (TABLE["bought"] == "yes") * 1 if name == "XGBoost" else TABLE["bought"])
    NEW[[*used, "bought"]].to_csv(tmp_path / "new.csv", index=False)
    new = pd.read_csv(tmp_path / "new.csv")
    y = (new["bought"] == "yes") * 1 if name == "XGBoost" else new["bought"]
    found = audit(model, new[used], y)
    assert found.finding("skill").verdict == "well" and {"used", "used together"} & kinds(found)
    assert found.measure("used").row("town")[1] > 0
    if inside == "alone":
        assert "TreeSHAP" in found.finding("what the model predicts").text


def test_the_model_is_told_apart():
    """A booster's Shapley values add up to log-odds, a forest's to probabilities; base value and rows are said."""
    y = np.where(Y > 0, "yes", "no")
    boosted = ensemble.GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X, y)
    text = audit(boosted, TEST[0], np.where(TEST[1] > 0, "yes", "no")).finding("what the model predicts")
    assert "the probability of 'yes'" in text.text and "add up to the log-odds (not to probabilities)" in text.text
    assert text.figures["background"] == 100 and text.figures["off"] < 1e-6
    plain = of_numbers().finding("what the model predicts")
    assert "a number, in the units of the target" in plain.text and "add up to the predictions" in plain.text


def test_tables_and_targets_of_polars_and_arrow_are_taken():
    """They make a DataFrame or a Series of themselves, to_pandas; neither is installed here, so a stand-in does."""
    table, y = (SimpleNamespace(to_pandas=lambda part=part: part) for part in (TEST[0], pd.Series(TEST[1])))
    assert audit(FOREST, table, y).measure("used") == of_numbers().measure("used")


def test_ten_rows_and_missing_targets_get_a_sentence():
    few = audit(FOREST, X[:10], Y[:10])
    assert "10 rows cannot say" in few.answer and not few.may
    gaps = audit(FOREST, TEST[0], np.where(np.arange(240) < 3, np.nan, TEST[1]))
    assert "3 rows without a target were left out" in gaps.about["noted"] and "used" in kinds(gaps)


def test_large_and_wide_tables_are_sampled_and_the_report_says_so():
    many, y = numbers(40_000)
    found = audit(twice_a, many, y)
    assert "2,000 of 40,000 rows judge" in found.about["sampled"] and "1,000 of 40,000" in found.about["sampled"]
    wide = pd.DataFrame(np.random.default_rng(0).normal(size=(900, 500))).add_prefix("v")
    found = audit(lambda t: t["v0"].to_numpy(), wide, wide["v0"] + wide["v1"])
    assert "600 of 900" in found.about["sampled"] and len(found.measure("conditional").members) <= 13


# --- the record ---


def test_the_same_audit_twice_is_equal_and_another_seed_is_not():
    assert audit(FOREST, *TEST) == of_numbers()
    assert audit(FOREST, *TEST, rng=1) != of_numbers()


def test_inputs_are_left_alone():
    of_shop(), of_numbers()
    pd.testing.assert_frame_equal(TABLE, shop(400))
    pd.testing.assert_frame_equal(TEST[0], numbers(rng=1)[0])


@pytest.mark.parametrize("audited", [of_numbers, of_shop])
def test_no_sentence_is_without_a_number_and_a_condition(audited):
    for sentence in audited().sentences:
        said = sentence.text if sentence.may else sentence.text + sentence.condition
        assert sentence.condition and (re.search(r"\d", said) or sentence.kind == "member"), said


def test_progress_sees_every_step():
    seen = []
    audit(FOREST, X, Y, progress=lambda steps: seen.extend(steps) or seen)
    assert seen[0] == "skill" and len(seen) == 9


def test_the_first_screen_answers_before_anything_else():
    page = as_page(of_shop())
    places = [page.index(text) for text in ("class=\"answer\"", "<svg", "You may write", "You may not write",
                                            "Before you send this", "The rest, by question", "What was judged")]
    assert places == sorted(places)
    first = page[:page.index("The rest, by question")]
    assert first.count('data-sign="✓"') == 3 and first.count('data-sign="✗"') == 1
    with pytest.raises(ValueError, match="no check is called 'cake'"):
        of_numbers().finding("cake")


BAD = {
    "a model of another table": ({"X": X.rename(columns={"a": "other"})}, "column 'a', which the table does not have"),
    "a target without values": ({"y": np.full(240, np.nan)}, "no row has a target"),
    "a constant target": ({"y": np.ones(240)}, "nothing to tell apart"),
    "a target of another length": ({"y": Y[:5]}, "5 values for 240 rows"),
    "a target of two columns": ({"y": np.column_stack([Y, Y])}, "one output at a time"),
    "words for a model of numbers": ({"y": np.repeat(["x", "y"], 120)}, "predicts numbers"),
    "no rows": ({"X": X[:0], "y": Y[:0]}, "at least one row"),
    "a mask of no rows": ({"test": np.zeros(240, bool)}, "marks no row"),
    "a test that is none": ({"test": "later"}, "neither a pair"),
    "a test without a column": ({"test": (TEST[0][["a", "b"]], TEST[1])}, "no column 'c'"),
    "seen and not seen": ({"test": TEST, "seen": True}, "one of them"),
    "a copy of what cannot be fitted": ({"seen": True, "refit": True}, "cannot be fitted again"),
    "a refit that is no function": ({"refit": "again"}, "refit is 'again'"),
    "groups that are no column": ({"groups": "shop"}, "no column of the table"),
    "groups of another length": ({"groups": [1, 2]}, "2 values, but there are 240 rows"),
    "groups with gaps": ({"groups": np.where(np.arange(240) < 3, np.nan, 1)}, "3 gaps"),
    "known_from without a time": ({"known_from": {"a": 1}}, "time="),
    "known_from of no column": ({"known_from": {"z": 1}, "time": np.arange(240)}, "'z'"),
    "times that are none": ({"time": np.repeat("soon", 240)}, "expected dates"),
    "no model": ({"model": "forest"}, "str"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_with_a_sentence(name):
    changed, words = BAD[name]
    given = {"model": FOREST, "X": X, "y": Y} | changed
    with pytest.raises(ValueError, match=words):
        audit(given.pop("model"), given.pop("X"), given.pop("y"), **given)


def test_who_does_not_say_is_a_group_of_its_own():
    """A gap in a protected column of words; one in a column of numbers belongs to no quarter of them."""
    words = np.where(np.arange(240) % 3 == 0, "a", "b").astype(object)
    words[np.arange(240) % 5 == 0] = None
    assert {part.name for part in audit(FOREST, *TEST, protected=words).parts} == {"a", "b", "not stated"}
    with pytest.raises(ValueError, match="protected has 1 gap: say"):
        audit(FOREST, *TEST, protected=np.where(np.arange(240) == 3, np.nan, 1.0))
