"""The start page's picture: its bars are what `compare` found, and its sentence says where the four disagree."""

import pandas as pd
import pytest

from fi_course.compare import compare
from fi_course.explorables.four_charts import MEASURES, TOLD, explore_four_charts, in_common_units, world_state
from fi_teach.worlds import cardinality, twins


@pytest.fixture(scope="module")
def table():
    return compare(list(TOLD), list(MEASURES), n=200, n_trees=10, n_repeats=3, rng=5)


def test_the_bars_are_the_means_over_the_draws_in_units_of_the_target(table):
    share = in_common_units(table)["twins"]
    variance = twins(10_000, rng=0).y.var()
    of_x1 = table.query("world == 'twins' and feature == 'x1'").groupby("method")["importance"].mean()
    assert share.loc["x1", "MDI"] == of_x1["MDI"]
    assert share.loc["x1", "permutation, held out"] == pytest.approx(of_x1["permutation, held out"] / variance)
    assert share.loc["x1", "SHAP, interventional"] == pytest.approx(of_x1["SHAP, interventional"] / variance**0.5)


def test_the_features_stand_in_the_order_of_the_world(table):
    assert list(in_common_units(table)["cardinality"].index) == list(cardinality(100).names)


def test_of_two_copies_drop_column_misses_neither(table):
    sentence = explore_four_charts(table).sentence_at(world="twins")
    assert "none for drop column" in sentence and sentence.endswith("drop column 0%.")


def test_a_measure_without_a_visible_bar_puts_nothing_first():
    share = pd.DataFrame(0.02, index=["x1", "x2"], columns=list(MEASURES))
    share.loc["x2", "MDI"] = 0.5
    assert "Highest stands x2 for MDI; none for permutation, held out, drop column and SHAP" in world_state(
        share, "twins").sentence
