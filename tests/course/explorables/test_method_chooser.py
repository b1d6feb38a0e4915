"""The chooser gives one advice for every set of answers, and its figures are those of the comparison."""

from itertools import product

import pytest

from fi_course.compare import METHODS, QUESTIONS, compare, grade
from fi_course.explorables.method_chooser import (
    AIMS,
    COMPANY,
    PROMISES,
    SCOPES,
    SHOWN,
    UNSEEN,
    advise,
    explore_methods,
)


@pytest.fixture(scope="module")
def chooser():
    return explore_methods(n=60, n_trees=3, n_repeats=2)


def test_every_set_of_answers_gets_advice():
    for asked in product(AIMS, SCOPES, COMPANY, PROMISES):
        advice = advise(*asked)
        assert advice.method and advice.why and advice.beware and 5 <= advice.chapter <= 13
        assert advice.shown is None or advice.shown in SHOWN


def test_no_measure_is_advised_for_what_a_change_would_do():
    assert {advise("causal", *rest).chapter for rest in product(SCOPES, COMPANY, PROMISES)} == {11}


def test_the_measures_shown_are_the_tables():
    assert set(SHOWN) <= set(METHODS)


def test_the_aims_are_the_four_questions_by_their_names():
    assert tuple(AIMS) == QUESTIONS


def test_the_figures_in_the_sentence_are_the_comparisons(chooser):
    blind = compare(list(UNSEEN), SHOWN, n=60, n_trees=3, n_repeats=2, without=UNSEEN)
    of = grade(blind, "used").query("method == 'SHAP, interventional'").set_index("grade")["share"]
    sentence = chooser.sentence_at(aim="used", scope="all", company="each", promise="interval")
    assert f"puts {of['in order']:.0%} of the pairs in order" in sentence
    assert sentence.endswith(f"{of['no, clear of zero']:.0%} stand clear of zero.")


def test_grades_that_were_computed_elsewhere_are_shown_as_they_are():
    """The chapter hands on its own table, so that nothing is computed twice and nothing differs."""
    table = compare(list(UNSEEN), SHOWN, n=60, n_trees=3, n_repeats=2, without=UNSEEN, rng=7)
    grades = {question: grade(table, question) for question in QUESTIONS}
    shown = explore_methods(grades).sentence_at(aim="relevant", scope="all", company="apart", promise="interval")
    share = grades["relevant"].query("method == 'drop column'")["share"].iloc[0]
    assert f"drop column puts {share:.0%} of the pairs" in shown


def test_different_answers_read_differently(chooser):
    sentences = {chooser.sentence_at(aim=a, scope=s, company=c, promise=p)
                 for a, s, c, p in product(AIMS, SCOPES, COMPANY, PROMISES)}
    assert len(sentences) == len(AIMS) * len(SCOPES) * len(COMPANY) * len(PROMISES)
