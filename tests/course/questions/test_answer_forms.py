"""Answers are read as people write them, and a hedge, a range or a sum is no number.

`READ` is judged by the page's script as well (tests/book/test_exercises.py): one table, one reading.
"""

import time
from contextlib import suppress

import pytest

from fi_course.questions.checks import Mistake, value
from fi_course.questions.parse_answer import is_unit, letter_and_reason, named_values, number_and_unit, share_in
from fi_course.questions.question import Question, judge

READ = {
    0.42: ["0.42.", "0.42 .", "0.42!", "(0.42)", "[0.42]", "`0.42`", "**0.42**", "'0.42'", "0.42\n", "= 0.42",
           "≈ 0.42", "~0.42", ">= 0.42", "> 0.42", "p > 0.42", "p ≥ 0.42", "0.42 <= p", "from 0.42 on",
           "0.42 or more", "about 0.42", "roughly 0.42", "around 0.42", "ca. 0.42", "approx. 0.42", "nearly 42 %",
           "It is 0.42.", "The answer is 0.42", "answer: 0.42", "I get 0.42", "we found 42 %", "It should be 0.42",
           "so 0.42", "that gives 0.42", "x = 0.42", "x1: 0.42", "42%", "42 %", "42 percent.", "42 per cent",
           "42 % of the rows", "42 percentage points", "42 pp", "42 pct", "42%-points", "21/50", "21 / 50", "21⁄50",
           "2*0.3*0.7 = 0.42", "1 - 0.58 = 0.42", "0.42 = 42 %", "0.42 (42 %)", "0.42 (= 21/50)",
           "0.42, because both orders count", "0.42 because p = 0.3", "0.42 - both orders", "0,42", ".42", "+0.42",
           "4.2e-1", "4.2 × 10^-1", "4.2·10⁻¹", "４２ ％", "0.42 on average", "a drop of 0.42", "at 42 %", "0.42 = p"],
    -0.16: ["-0.16", "−0.16", "– 0.16", "minus 0.16", "negative 0.16", "about minus 0.16", "-16 %", "-4/25",
            "4/-25", "-.16", "(-0.16)", "−0,16"],
    1600: ["1600", "1_600", "1 600", "1'600", "1\u202f600", "1,600.0", "1.6e3", "1.6 × 10³", "40²", "40^2", "40**2",
           "40 * 40 = 1600", "1600 pairs (40 x 40)", "1600."],
    1234567: ["1,234,567", "1 234 567", "1_234_567"],
    0.75: ["3/4", "¾", "three quarters", "3 quarters"],
    0.25: ["one quarter", "a quarter", "1/4"],
    12: ["twelve", "12", "Twelve.", "about twelve"],
    0.5: ["half", "a half", "one half", "½", "1/2", "0,5", "0.50", "50 %", "1/2 or more"],
    2.5: ["2½", "2 1/2", "5/2", "2.5 bits"],
    60: ["60.", "60 euros", "60 euros less", "€60", "60 €", "$60", "60, the mean", "60 less", "60 in all"],
    None: ["", "x", "too few", "nan", "inf", "∞", "1/0", "1 2", "1-2", "1 - 0.58", "3/4/5", "1.2.3", "18, 8",
           "1,600", "12,500", "0.4 or 0.5", "0.4 to 0.5", "0.4-0.5", "0.4 – 0.5", "between 0.4 and 0.5",
           "0.5 < x < 0.8", "5 x 8", "0.42 ± 0.01", "3:4", "7/", "/7", "4 rows or 5", "0.42, or 0.58",
           "0.42 (or 0.58)", "p = 0.42 or p = 0.58", "0.42 or about 0.5", "42 % or 58 %", "0.4, 0.5", "60 and 40",
           "...", "True", "+", "-", "10²⁰"],
}


def test_a_number_is_read_whatever_stands_around_it():
    for number, texts in READ.items():
        for text in texts:
            found = number_and_unit(text)[0]
            assert found == number or found == pytest.approx(number), text


UNITS = {
    True: [("bits of entropy", "bits"), ("Gini impurity", "gini"), ("trees on average", "trees"),
           ("of the 5 rows", "rows"), ("out of 5 rows", "rows"), ("euros less", "euros"), ("less", "euros"),
           ("on average", "trees"), ("", "bits"), ("bits × days", "bits times days"),
           ("bits*days", "bits times days"), ("bit-days", "bit days"), ("Bits", "bits"), ("bits a day", "bits"),
           ("bits/day", "bits"), ("points²", "squared points"), ("points squared", "squared points"),
           ("square points", "points^2"), ("sq. points", "points^2"), ("points**2", "points²"),
           ("more euros", "euros"), ("different rows", "rows"), ("Min.", "min"), ("€", "€"), ("EUR", "eur"),
           ("bit", "bits")],
    False: [("nats", "bits"), ("points", "squared points"), ("points²", "points"), ("points squared", "points"),
            ("trees", "rows"), ("of the 5 trees", "rows"), ("days", "bits"), ("nats of entropy", "bits"),
            ("bananas", "euros"), ("days per bit", "bits")],
}


def test_a_unit_is_known_whatever_follows_it_and_another_one_is_not():
    for fits, pairs in UNITS.items():
        for unit, wanted in pairs:
            assert is_unit(unit, [wanted]) is fits, (unit, wanted)


def test_three_out_of_four_may_be_a_share_or_a_count():
    assert share_in(*number_and_unit("3 out of 4")) == 0.75 and share_in(*number_and_unit("1 in 5")) == 0.2
    assert share_in(3, "rows") is None and share_in(3, "of 0") is None
    for right, unit in ((0.75, ""), (3, ""), (3, "rows")):
        assert judge(asked(value(right, unit=unit)), "3 out of 4" + unit * 0).status == "right"
    assert judge(asked(value(3, unit="rows")), "3 of the 4 rows").status == "right"


LETTERS = {
    "a": ["a", "A)", "a, because I say so", "(a) because I say so", "a because I say so", "a - because I say so",
          "A: since I say so", "**a** because I say so", "a. Because I say so", "a x2 is the same column",
          "A x2 is the same column", "a MDI is shared", "option a", "Option A: both", "I think a, because",
          "I think it is a because", "it's a - both", "answer: a", "The answer is (a).", "a tree is greedy",
          "A The twins share", "a/ because", '"a" because', "[a]", "a)because it is"],
    "b": ["b", "b)", "B.", "(b)", "b the cut is pure", "b: a is wrong because ...", "My answer is b", "b is right",
          "letter b"],
    None: ["because it is so", "A tree is greedy here", "I think so", "both a and b", "a or b", "a and b, because",
           "a/b", "not a", "", "  ", "42", "it is so", "A's twin", "Both are right"],
}


def test_a_letter_is_read_however_it_is_parted_from_its_reason():
    for letter, texts in LETTERS.items():
        for text in texts:
            assert letter_and_reason(text)[0] == letter, text


ENTRIES = ["votes", "trees"]


def test_no_text_takes_long_to_read():
    start = time.process_time()
    for piece in (" ", ".", "at < ", "answer is ", "i think it ", "a ", "0", "0 ", "0,", "1,000", "x=", "(", "a1 "):
        for length in (290, 100_000):
            text = (piece * length)[:length]
            number_and_unit(text), number_and_unit(f"0.5 {text[:280]}!"), letter_and_reason(text + "xx")
            with suppress(ValueError):
                named_values(f"votes {text}, trees 1/2", ENTRIES)
    assert time.process_time() - start < 10


@pytest.mark.parametrize("text", [
    "votes 1/3, trees 1/2", "votes: 1/3, trees: 1/2", "trees = 1/2; votes = 1/3", "votes=1/3 and trees=1/2",
    "1/3 and 1/2", "1/3, 1/2", "(1/3, 1/2)", "[1/3, 1/2]", "1/3; 1/2", "1/3 1/2", ".3333 / .5", "1/3 votes, 1/2 trees",
    "1/3 of the votes and 1/2 of the trees", "votes 1/3\ntrees 1/2", "votes about 1/3, trees 50 %",
    "0,3333; 0,5", '{"votes": 1/3, "trees": 1/2}', "Votes 1/3, Trees 1/2."])
def test_several_values_may_be_written_in_one_text(text):
    given, strange = named_values(text, ENTRIES)
    assert not strange and [round(number_and_unit(given[entry])[0], 3) for entry in ENTRIES] == [0.333, 0.5]


# Per cent, for every question about shares

def asked(check):
    return Question("a.question", "A question", "number", 1, 1, 1, ("one", "two"), check)


def test_a_hundredfold_is_per_cent_only_below_a_hundred_and_never_hides_a_named_mistake():
    assert judge(asked(value(0.42)), 42).mistake == "per cent without its sign"
    assert judge(asked(value(60)), 6000).mistake == ""
    assert judge(asked(value(0.6, Mistake("the count", 60, "Divide."))), 60).mistake == "the count"
    assert judge(asked(value({"a": 0.2, "b": 0.4})), [20, 0.4]).message == "Not right yet: `a`."
