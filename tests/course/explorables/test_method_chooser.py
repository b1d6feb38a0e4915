"""The chooser gives one advice for every set of answers, and its figures are those of the comparison."""

from itertools import product

import pytest

from fi_teach.compare import METHODS, answers, compare
from fi_teach.course.explorables.method_chooser import AIMS, COMPANY, PROMISES, SCOPES, SHOWN, advise, explore_methods


@pytest.fixture(scope="module")
def chooser():
    return explore_methods(n=100, n_trees=4)


def test_every_set_of_answers_gets_advice():
    for asked in product(AIMS, SCOPES, COMPANY, PROMISES):
        advice = advise(*asked)
        assert advice.method and advice.why and advice.beware and 5 <= advice.chapter <= 11
        assert advice.shown is None or advice.shown in SHOWN


def test_no_measure_is_advised_for_what_a_change_would_do():
    assert {advise("change", *rest).chapter for rest in product(SCOPES, COMPANY, PROMISES)} == {11}


def test_the_measures_shown_are_the_tables():
    assert set(SHOWN) <= set(METHODS)


def test_the_figure_in_the_sentence_is_the_comparisons(chooser):
    grades = answers(compare(methods=SHOWN, n=100, n_trees=4))
    sentence = chooser.sentence_at(aim="model", scope="all", company="apart", promise="interval")
    assert sentence.endswith(f"with an AUC of {grades.loc['permutation, held out', 'used']:.2f}.")


def test_different_answers_read_differently(chooser):
    sentences = {chooser.sentence_at(aim=a, scope=s, company=c, promise=p) for a, s, c, p in product(AIMS, SCOPES, COMPANY, PROMISES)}
    assert len(sentences) == len(AIMS) * len(SCOPES) * len(COMPANY) * len(PROMISES)
