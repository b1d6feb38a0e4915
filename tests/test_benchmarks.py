"""The benchmark says what it found: goals in words, exponents from the points, missing peers by name;
and its page agrees."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from measured import lines
from records import NO_REASON, name_of, reason

from benchmarks.cases import cases_of, path_dependent
from benchmarks.measure import Case, Missing, NotInstalled, measure, peer
from benchmarks.verdict import exponent, goals, missed

ROOT = Path(__file__).resolve().parents[1]
FIRST, BETTER, SUMMARY, GOALS, LOST, GROWTH, MACHINE = range(7)  # the parts of the page
RESULTS = json.loads((ROOT / "benchmarks/results.json").read_text(encoding="utf-8"))
REASONS = yaml.safe_load((ROOT / "benchmarks/reasons.yaml").read_text(encoding="utf-8"))
ROW = {
    "method": "TreeSHAP", "setting": "depth 6", "against": "shap", "ours (s)": 0.5, "peer (s)": 1.0, "ratio": 2.0,
    "lowest": 1.9, "highest": 2.2, "must": 3, "aim": 5, "most MB": None, "most s": None, "difference": 1e-15,
    "from definition": None, "peak (MB)": 12.0}
PEERLESS = {"method": "m", "setting": "s", "against": "p", "why": "no such package"}
ASKED_ROW = ROW | {"work": "one row", "before": 0.5}
POINTS = [{"size": n, "seconds": 1e-6 * n * n, "part": 1.0} for n in (100, 1000, 10_000)]
LINE = {"name": "shap", "points": [*POINTS, {"size": 10**6, "seconds": 1e9, "part": 0.1}]}


def test_a_peer_that_is_not_installed_or_breaks_is_reported_as_missing(tmp_path, monkeypatch):
    """Its comparisons keep their place in the table, with the reason; nor does an installation that fails with its
    own error end the benchmark."""
    monkeypatch.setitem(sys.modules, "shap", None)
    (row,) = cases_of(path_dependent, quick=True)
    assert isinstance(row, Missing) and row.against == "shap" and "shap cannot be imported here" in row.why
    (tmp_path / "broken_peer.py").write_text("raise RuntimeError('no such processor')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(NotInstalled, match=r"broken_peer .*RuntimeError: no such processor"):
        peer("broken_peer")


def test_a_peer_that_fails_is_reported_and_a_failure_of_ours_is_not_hidden():
    """What the peer raises becomes the reason; what we raise ends the run."""
    def fails():
        raise TypeError("unknown argument")

    row = measure(Case("method", "setting", "peer", lambda: [1.0], fails), quick=True)
    assert row["why"] == "it failed (TypeError: unknown argument)" and "ratio" not in row
    with pytest.raises(TypeError):
        measure(Case("method", "setting", "peer", fails, lambda: [1.0]), quick=True)


def test_a_part_of_the_work_is_scaled_up_and_compared_over_the_rows_of_both():
    """A peer that does a tenth of the rows is charged ten times its time."""
    def work(n):
        return lambda: [sum(k * k for k in range(5000)) for _ in range(n)]

    whole, part = (measure(Case("m", "s", "p", work(100), work(round(100 * share)), share), quick=True)
                   for share in (1, 0.1))
    assert part["difference"] == 0
    assert part["ratio"] == pytest.approx(whole["ratio"], rel=0.5)


def test_verdicts_in_words():
    """Met, aim, missed, missed within the spread; memory and time have goals of their own."""
    assert missed(ROW) and goals(ROW | {"must": None, "aim": None}) == []
    for change, goal, verdict in [
            ({}, "at least 3, aim 5", "missed"),
            ({"highest": 3.1}, "at least 3, aim 5", "missed, within the spread"),
            ({"ratio": 3.5, "highest": 4}, "at least 3, aim 5", "met"),
            ({"ratio": 6, "highest": 7}, "at least 3, aim 5", "met, and the aim"),
            ({"aim": None}, "at least 3", "missed"),
            ({"must": None, "aim": 1000}, "aim 1,000", "missed")]:
        assert goals(ROW | change) == [(goal, verdict)]
    limits = ROW | {"must": None, "aim": None, "most MB": 10, "most s": 0.6}
    assert goals(limits) == [("our memory under 10 MB", "missed"), ("our time under 0.6 s", "met")] and missed(limits)


def test_exponents_are_fitted_to_what_was_measured_whole():
    """Time proportional to n^2 has exponent 2, whatever a point that was scaled up says; one point has none."""
    assert exponent(POINTS) == exponent(LINE["points"]) == pytest.approx(2)
    assert exponent(POINTS[:1]) is None


def test_every_missed_goal_has_a_reason_and_the_page_prints_no_other():
    """A reason belongs to a goal that the stored run missed."""
    lost = [row for row in RESULTS["rows"] if missed(row)]
    assert [row["setting"] for row in lost if reason(name_of(row), REASONS) == NO_REASON] == []
    told = lines("benchmark", LOST, RESULTS, reasons=REASONS)
    assert told == ["No goal is missed."] if not lost else len(told) == len(lost)
    within = {"rows": [ROW | {"ratio": 4, "highest": 5}]}
    assert lines("benchmark", LOST, within, reasons=REASONS) == ["No goal is missed."]


def test_a_reason_needs_no_figure_and_each_can_be_reached():
    """Figures come from the run alone; and no entry hides another that is more special."""
    for k, entry in enumerate(REASONS):
        assert not [character for character in entry["reason"] if character.isdigit()], entry["reason"]
        assert not any(set(earlier["about"]) <= set(entry["about"]) for earlier in REASONS[:k]), entry["about"]


@pytest.mark.parametrize(("part", "record", "told"), [
    (FIRST, {"rows": [ASKED_ROW, ROW | {"work": None, "before": None}]},
     ["| TreeSHAP: one row | shap | 0.5 | **2** (1.9 to 2.2) | 3, then 5 | missed |"]),
    (BETTER, {"rows": [ROW, ROW | {"ratio": 0.5}, PEERLESS]},
     ["- TreeSHAP, depth 6: **shap** takes 0.5 of our time."]),
    (BETTER, {"rows": [ROW]}, ["Nowhere in this run."]),
    (SUMMARY, {"rows": [ROW, ROW | {"ratio": 4.0, "highest": 4.1}, ROW | {"ratio": 6.0, "highest": 7}, PEERLESS]},
     ["Of 3 goals, 2 are met, and at 1 of them the aim as well; 1 are missed.",
      "Comparisons that could not be made: 1; the table says why."]),
    (GOALS, {"rows": [ROW, PEERLESS]},
     ["**TreeSHAP**", "| depth 6 | shap | **2** (1.9 to 2.2) | at least 3, aim 5: **missed** | 500\xa0ms | "
      "1e-15 from the peer | 12&nbsp;MB |", "**m**", "| s | p | not measured: no such package | | | | |"]),
    (GROWTH, {"scaling": [{"title": "TreeSHAP", "variable": "rows", "lines": [LINE]}]},
     ["| TreeSHAP | shap | 100 to 10,000 rows | 10\xa0ms to 100\xa0s | 2.00 | 2.00 |"])])
def test_the_page_says_what_was_measured(part, record, told):
    """What was asked for, before and now; who is quicker; goals, kept and missed; a peer that is not there; how time
    grows, by what was measured whole. Nothing else."""
    shown = lines("benchmark", part, record)
    assert [line for line in shown if not line.startswith(("| work", "| setting", "| what", "|:--"))] == told


def test_the_page_says_when_and_where_each_part_was_measured():
    run = {"machine": RESULTS["machine"], "minutes": 3}
    both, one = (lines("benchmark", MACHINE, record) for record in (run | {"asked": run | {"minutes": 2}}, run))
    assert both[0] == "The first table:" and "in 2 minutes" in both[1] and "The first table:" not in one


def test_what_was_asked_for_has_a_figure_of_then_a_goal_and_an_aim():
    """Else the first table would have an empty field, or lack the row."""
    asked = [row for row in RESULTS["rows"] if row.get("work") and "ratio" in row]
    assert len({(row["method"], row["work"]) for row in asked}) == len(asked) >= 15
    assert all(row["before"] > 0 and row["must"] <= row["aim"] for row in asked)


def test_the_stored_run_holds_what_the_page_needs():
    """Every row has its figures or its reason, and every line of a plot has points in order."""
    assert all(set(ROW) <= set(row) or row["why"] for row in RESULTS["rows"]) and len(RESULTS["rows"]) >= 10
    for growth in RESULTS["scaling"]:
        for line in growth["lines"]:
            sizes = [point["size"] for point in line["points"]]
            assert sizes == sorted(set(sizes)) and all(0 < point["part"] <= 1 for point in line["points"])


def test_where_shap_differs_on_the_mortgages_brute_force_sides_with_us():
    """The pair of rows behind the one large difference of the table:
    Shapley's formula over all coalitions, scikit-learn predicting."""
    import shap

    from benchmarks.tables import boosted, tiled
    from fi_teach.basics.games import coalitions, shapley
    from fi_teach.importance import tree_shap

    model, forest = boosted(3, "mortgages")
    x, z = tiled("mortgages", 1000, 1)[0][[14]], tiled("mortgages", 1000, 2)[0][[424]]
    brute = np.ravel(shapley(model.decision_function(np.where(coalitions(13), x, z)), 13))
    explainer = shap.TreeExplainer(model, shap.maskers.Independent(z, max_samples=1),
                                   feature_perturbation="interventional")
    assert np.abs(tree_shap(forest, x, background=z).values[0] - brute).max() < 1e-12
    assert np.abs(explainer.shap_values(x, check_additivity=False)[0] - brute).max() > 0.1
