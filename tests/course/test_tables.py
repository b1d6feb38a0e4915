"""The real tables: complete, numeric, documented, and with the oddities the field cases tell of."""

import pandas as pd
import pytest

from fi_course.tables import chicago, concrete, credit_cards, gbsg2, loans, meats, mortgages, tissues

SHAPES = {tissues: (189, 500), concrete: (1030, 8), credit_cards: (1319, 11), mortgages: (2380, 13), gbsg2: (686, 8),
          meats: (215, 100)}


@pytest.mark.parametrize("load", SHAPES)
def test_every_table_is_complete_and_numeric_and_has_its_published_size(load):
    X, y = load()
    assert X.shape == SHAPES[load] and len(X) == len(y)
    assert all(pd.api.types.is_numeric_dtype(kind) for kind in X.dtypes)
    assert not X.isna().any(axis=None) and not pd.DataFrame(y).isna().any(axis=None)


@pytest.mark.parametrize("load", [*SHAPES, loans, chicago])
def test_every_column_says_its_unit_and_every_table_its_story(load):
    table = load()
    assert set(table.units) == {*table.X.columns, *pd.DataFrame(table.y).columns}
    assert all(table.units.values())
    assert len(table.description.split()) > 20 and table.source and table.licence


@pytest.mark.parametrize("load", [credit_cards, mortgages, gbsg2])
def test_coded_columns_are_documented_by_their_words(load):
    table = load()
    for column, code in table.codes.items():
        assert set(table.X[column]) == set(code), column
        assert set(table.in_words().X[column]) == set(code.values()), column


def facts():
    """What the field cases tell of the tables: a sentence, what is found, and what is told."""
    X, y = credit_cards()
    yield "seven applicants are under one year old", (X["age"] < 1).sum(), 7
    yield "every rejected applicant has expenditure zero", X.loc[y == 0, "expenditure"].abs().max(), 0
    yield "and few others have: it gives the answer away", (X.loc[y == 1, "expenditure"] == 0).sum(), 21
    share = X["share"] * X["income"] * 10_000 / 12 - X["expenditure"]
    yield "share is a year's expenditure over income, to a dollar a month", share.abs().max() <= 1.001, True
    X, y = concrete()
    mix = X.drop(columns="age")
    repeated = [mix.duplicated().sum(), mix.duplicated(keep=False).sum(), X.assign(y=y).duplicated().sum()]
    yield "concrete has 427 mixes", len(mix.drop_duplicates()), 427
    yield "603 rows repeat an earlier mix, 784 share one, 25 repeat the whole row", repeated, [603, 784, 25]
    X, y = mortgages()
    denied = [y.mean(), y[X["afam"] == 1].mean(), y[X["afam"] == 0].mean()]
    yield "mortgage denials differ between groups", denied, pytest.approx([285 / 2380, 0.2832, 0.0926], abs=1e-4)
    yield "a denied insurance nearly decides the case", y[X["insurance"] == 1].value_counts().to_dict(), {1: 44, 0: 4}
    _, y = gbsg2()
    yield "more than half of the recurrence times are censored", (y["event"] == 0).mean(), pytest.approx(387 / 686)
    yield "and all are positive", (y["time"] > 0).all(), True
    X, y = tissues()
    yield "four liver samples are copies", y[X.duplicated()].tolist(), ["liver"] * 4
    X, y = meats()
    yield "neighbouring channels are nearly one feature", X.corr().min(axis=None) > 0.96, True
    yield "the three outputs nearly add up", y.sum(axis=1).mean(), pytest.approx(99.03, abs=0.01)
    yield "22 samples are copies", X.join(y).duplicated().sum(), 22


def test_the_tables_have_the_oddities_that_the_field_cases_tell_of():
    for sentence, found, told in facts():
        assert found == told, sentence


def test_the_loans_keep_their_words_and_their_gaps():
    """Nothing is coded or filled; a gap in the income goes with bad loans, as the chapter tells."""
    X, y = loans()
    words = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    assert words == ["Home", "Marital", "Records", "Job"]
    gaps = X.isna().sum()
    assert gaps[gaps > 0].to_dict() == {
        "Home": 6, "Marital": 1, "Job": 2, "Income": 381, "Assets": 47, "Debt": 18}
    assert X.shape == (4454, 13) and y.sum() == 1254
    bad = y.groupby(X["Income"].isna()).mean()
    assert bad[True] > 2 * bad[False]


def test_the_days_of_the_station_are_complete_and_its_column_is_the_count_of_two_weeks_before():
    """No day is missing, and what came 14 days earlier is what was counted then."""
    X, y = chicago()
    assert (pd.to_datetime(X["date"]).diff().dropna().dt.days == 1).all()
    same = X["Clark_Lake"].iloc[14:].to_numpy() == y.iloc[:-14].to_numpy()
    assert same.all() and not X.isna().any(axis=None)
