"""The figures in the guide for instructors are those that `make bench-grade` measured."""

import json

from measured import ROOT, lines

FIGURES = json.loads((ROOT / "benchmarks/grading.json").read_text(encoding="utf-8"))


def test_the_guide_shows_every_measured_rate_with_its_date_and_machine():
    told = "\n".join(lines("grading", 0, FIGURES))
    assert all(f"| {run['submissions']:,} | {run['rate']:,} |" in told for run in FIGURES["runs"])
    assert FIGURES["machine"]["date"] in told and FIGURES["machine"]["processor"] in told


def test_ten_thousand_submissions_took_less_than_a_gigabyte_and_no_more_than_a_thousand_did():
    """Memory is flat: what all processes of the grader hold grows by less than a fifth from 1,000 submissions to
    10,000.
    """
    held = {row["submissions"]: row for run in FIGURES["runs"] if run["sandbox"] == "bwrap" for row in run["memory"]}
    assert {1000, 5000, 10_000} <= set(held)
    assert held[10_000]["rss"] < 1024 and held[10_000]["own"] < 1.2 * held[1000]["own"]


def test_nbgrader_gave_the_same_points_on_every_file_it_was_given():
    assert FIGURES["nbgrader"]["alike"] == FIGURES["nbgrader"]["submissions"] > 0
