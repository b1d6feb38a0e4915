"""The real tables: complete, numeric, documented, and with the oddities the field cases tell of."""

import pandas as pd
import pytest

from fi_course.tables import concrete, credit_cards, gbsg2, loans, meats, mortgages, tissues

SHAPES = {tissues: (189, 500), concrete: (1030, 8), credit_cards: (1319, 11), mortgages: (2380, 13), gbsg2: (686, 8),
          meats: (215, 100)}


@pytest.mark.parametrize("load", SHAPES)
def test_every_table_is_complete_and_numeric_and_has_its_published_size(load):
    X, y = load()
    assert X.shape == SHAPES[load] and len(X) == len(y)
    assert all(pd.api.types.is_numeric_dtype(kind) for kind in X.dtypes)
    assert not X.isna().any(axis=None) and not pd.DataFrame(y).isna().any(axis=None)


@pytest.mark.parametrize("load", SHAPES)
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


def test_seven_credit_card_applicants_are_under_one_year_old():
    X, _ = credit_cards()
    assert (X["age"] < 1).sum() == 7


def test_every_rejected_applicant_has_expenditure_zero_which_gives_the_answer_away():
    X, y = credit_cards()
    assert (X.loc[y == 0, "expenditure"] == 0).all()
    assert (X.loc[y == 1, "expenditure"] == 0).sum() == 21


def test_share_is_a_years_expenditure_over_income_to_a_dollar_a_month():
    X, _ = credit_cards()
    monthly = X["share"] * X["income"] * 10_000 / 12
    assert (monthly - X["expenditure"]).abs().max() <= 1.001


def test_concrete_has_427_mixes_and_603_rows_repeat_an_earlier_mix():
    X, y = concrete()
    mix = X.drop(columns="age")
    assert len(mix.drop_duplicates()) == 427
    assert mix.duplicated().sum() == 603
    assert mix.duplicated(keep=False).sum() == 784
    assert X.assign(y=y).duplicated().sum() == 25


def test_mortgage_denials_differ_between_groups():
    X, y = mortgages()
    assert y.mean() == pytest.approx(285 / 2380)
    assert y[X["afam"] == 1].mean() == pytest.approx(0.2832, abs=1e-4)
    assert y[X["afam"] == 0].mean() == pytest.approx(0.0926, abs=1e-4)


def test_denied_mortgage_insurance_nearly_decides_the_case():
    X, y = mortgages()
    assert y[X["insurance"] == 1].value_counts().to_dict() == {1: 44, 0: 4}


def test_more_than_half_of_the_recurrence_times_are_censored():
    _, y = gbsg2()
    assert (y["event"] == 0).mean() == pytest.approx(387 / 686)
    assert (y["time"] > 0).all()


def test_four_liver_samples_are_copies():
    X, y = tissues()
    copies = X.duplicated()
    assert copies.sum() == 4
    assert set(y[copies]) == {"liver"}


def test_neighbouring_meat_channels_are_nearly_one_feature_and_outputs_nearly_add_up():
    X, y = meats()
    assert X.corr().min(axis=None) > 0.96
    assert y.sum(axis=1).mean() == pytest.approx(99.03, abs=0.01)
    assert X.join(y).duplicated().sum() == 22


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
    assert set(loans().units) == {*X, "Status"}
