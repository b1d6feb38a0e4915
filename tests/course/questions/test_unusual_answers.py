"""Right answers as nobody foresaw them, and wrong ones that look right, over all sets.

The page's judge tells the same of those that can be typed (tests/book/test_exercises.py).
"""

import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from fi_course.questions import QUESTIONS, judge
from fi_course.questions.plain_values import normalise
from fi_course.questions.values import Value

RIGHT = {
    "trees.recall_mean": ["60 points on average", {"mean": 60}, "about 60 (weighted by the rows)"],
    "trees.recall_two_draws": ["2·0.3·0.7 = 0.42", "42 out of 100", "p = .42", Decimal("0.42")],
    "trees.first_cut": ["I would say c, as it has the largest decrease"],
    "trees.entropy_bits": ["H ≈ 0.722 bits of entropy", "0,722 Bit", np.array([[0.7219]])],
    "trees.variance_decrease": ["900 points²", "30²", "a fall of 900 squared points", "1100 - 200 = 900"],
    "trees.slide_table": ["Rent <= 525: 0.417; Rent <= 680: 3/8", "Rent <= 525: 0.417, Rent <= 680 0.375",
                          {"525": "5/12", "680": "37.5 %"}],
    "trees.any_pure_tree": ["B – each tree takes all impurity away"],
    "trees.what_if": ["€60", (60, "€"), "EUR 60", "60 euros less", "60 euro/month", "at least 60 euros"],
    "golf.recall_below": ["1 in 5", "20 % of it"],
    "golf.predict_root": [("Option C", "it splits the days best of all")],
    "golf.gain": ["0.081 bits (rounded)", "0.0807 bit per day"],
    "golf.tied_leaf": ["1.51 bits × days", "1.51 bit-days", "6·0.918 − 4 = 1.51"],
    "golf.shares": ["Day 29 %, Sky 44 %, Wind 27 %", pd.Series([0.29, 0.436, 0.273], index=["Day", "Sky", "Wind"])],
    "mdi.recall_left_over": ["0.33 Gini impurity"],
    "mdi.adaboost_weight": ["one quarter", "¼"],
    "bias.recall_judges": ["about 184 of the 500", "500·(1 − 1/500)^500 ≈ 184 trees on average"],
    "bias.places": ["4 for grades and 15 for cities", "grades: 5 - 1 = 4, cities: 2^4 - 1 = 15"],
    "bias.tickets": ["9/12", "three out of four"],
    "bias.credit_ranks": ["MDI 5, OOB 2", "MDI: 5th, out of bag: 2nd"],
    "permutation.recall_judges": ["4 of the 5 rows", "four"],
    "permutation.bananas": ["votes 1/3, trees 1/2", "about 0.33, roughly .5", (Fraction(1, 3), Fraction(1, 2))],
    "permutation.accuracy": ["12 percentage points", "a drop of 0.12"],
    "negative.recall_shuffle": ["minus 2 %", "− 0.02"],
    "negative.alarms": ["1 − 0.95¹² = 0.46", "46 %"],
    "correlated.recall_pairs": ["40²", "1600 = 40 × 40", "1 600 pairs"],
    "correlated.four_models": ["x1 = 18; x2 = 8; both = 2", "x1 18, x2 8, together 2"],
    "shapley.bill": ["26 euros, 29 euros, 5 euros", [("A", 26), ("B", 29), ("C", 5)]],
    "shapley.gate": ["x1 = 3/8 and x2 = −1/8"],
    "treeshap.three": [".225 / .1 / .225"],
    "knockoffs.fewest": ["at least 30 features", "≥ 30"],
    "causality.thirty_patients": ["seen: 7 days, done: 5 days"],
    "field_one.false_lists": ["3 of 5", "(4/5 + 2/4 + 1/2)/3 = 0.6"],
    "field_two.cut": ["p > 0.8", "> 4/5", "from 0.8 on", "at 80 %"],
    "field_two.four_women": ["3 of the 4 pairs"],
    "choosing.recall_twins": ["d) each twin covers for the other"],
    "own_model.five": ["weight 3; gain 22; total_gain 66; cover 63.3; total_cover 190"],
    "own_model.two_charts": ["(B): the twins share it among themselves"],
}

WRONG = {
    "trees.recall_mean": [("mean of two means", "55."), ("wrong unit", "60 rows")],
    "trees.recall_two_draws": [("per cent without its sign", "42"), ("", "0.42 or 0.58"), ("", "between 0.4 and 0.5")],
    "trees.first_cut": [("no letter yet", "a or c, because both are good")],
    "trees.entropy_bits": [("wrong unit", "0.722 nats"), ("per cent without its sign", "72.2")],
    "trees.any_pure_tree": [("no letter yet", "both a and b")],
    "trees.what_if": [("the direction", "-60 euros"), ("the far way out", "200 euros")],
    "golf.shares": [("per cent without its sign", "29, 44, 27"), ("", {0.29, 0.436, 0.273}),
                    ("forgetting the leaf", "0.19, 0.40, 0.41")],
    "bias.recall_judges": [("those that saw it", "316 trees"), ("wrong unit", "184 rows")],
    "bias.tickets": [("", "9 to 3"), ("", "3:1")],
    "permutation.recall_judges": [("wrong unit", "4 of the 5 trees"), ("the share, not the count", "4/5")],
    "permutation.bananas": [("the two swapped", "trees 1/3, votes 1/2")],
    "negative.recall_shuffle": [("percentage points", "-2"), ("the sign", "a drop of 0.02")],
    "correlated.recall_pairs": [("one shuffle", "40"), ("", "1600 or 1560"), ("", "1,600")],
    "shapley.gate": [("", "0.125 each")],
    "knockoffs.fewest": [("", "20 or 30"), ("the 1 forgotten", "20 features")],
    "field_two.cut": [("the other way round", "p < 0.2"), ("", "1:4")],
}


def across_a_border(answer):
    """As the grader has it: plain data."""
    return json.loads(json.dumps(normalise(answer)))


@pytest.mark.parametrize("id", RIGHT)
def test_an_unusual_right_answer_is_right_here_and_across_the_border(id):
    for answer in RIGHT[id]:
        found = {judge(QUESTIONS[id], given).status for given in (answer, across_a_border(answer))}
        assert found == {"right"}, answer


@pytest.mark.parametrize("id", WRONG)
def test_a_plausible_wrong_answer_is_wrong_and_hears_its_name(id):
    for name, answer in WRONG[id]:
        for given in (answer, across_a_border(answer)):
            found = judge(QUESTIONS[id], given)
            assert (found.status, found.mistake) == ("wrong", name), answer


PHRASES = ["{v}.", "= {v}", "≈ {v}", "about {v}", "({v})", "x = {v} {u}", "{v} {u} on average", "{v} {u} (rounded)",
           "{v}, because I counted", "I get {v} {u}", "the answer is {v} {u}", "> {v}", "`{v}`", "{v} in all",
           "{v} of it", "a total of {v} {u}", "{v} {u} - and no more", "[{v}]", "{v} {u} per row", "around {v}{u}"]


def test_no_phrase_around_a_number_changes_its_verdict():
    """Of every right number and of every known mistake."""
    single = [(q, q.check) for q in QUESTIONS.values() if isinstance(q.check, Value) and not q.check.entries]
    for question, check in single:
        for target in check.targets:
            number = f"{target.values[0]:.6g}"
            bare, unit = judge(question, number), (*check.units, "")[0]
            for phrase in PHRASES:
                found = judge(question, phrase.format(v=number, u=unit))
                assert (found.status, found.mistake) == (bare.status, bare.mistake), (question.id, phrase, number)
