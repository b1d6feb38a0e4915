"""Questions as a chapter jots them down: what a line says, and where it stands if it cannot be read."""

import re

import pytest

from fi_course.questions import judge, question_text
from fi_course.questions.question_text import FORMS, questions

NAMES = {"__file__": "ch99_new.py", "half": 0.5}
WHOLE = """
# new.share: Which share? | number, 1 star, 3 min, 2 points
? Divide | do not
    multiply.
? Count all of them.
= value({"a": half, "b": 3},
    tolerance=0.01)
- {"a": 3, "b": half} | swapped | Under each other's name.
~ {"b": 4}, {"b": 5} | one too many | Count | again,
    from 0.
! fi_teach.trees.cart, fi_teach.fast.cart
> A meaning.

# new.why: Why? | explain, 2 stars, 10 min, 1 point
? A.
? B.
= by_hand
* 1 | says why
"""


def test_every_mark_says_its_part():
    share, why = questions(WHOLE, NAMES)
    assert (share.id, share.title, share.kind) == ("new.share", "Which share?", "number")
    assert (share.stars, share.minutes, share.points) == (1, 3, 2)
    assert share.hints == ("Divide | do not multiply.", "Count all of them.")
    assert share.blocked == ("fi_teach.trees.cart", "fi_teach.fast.cart")
    assert share.meaning == "A meaning." and share.rubric == ()
    assert (why.stars, why.rubric, why.meaning, why.blocked) == (2, ((1, "says why"),), "", ())


def test_the_check_knows_the_mistakes_and_the_names_of_the_chapter():
    share, _ = questions(WHOLE, NAMES)
    assert judge(share, [0.505, 3]).status == "right"
    assert judge(share, [3, 0.5]).mistake == "swapped"
    for second in (4, 5):
        found = judge(share, [0.7, second])
        assert (found.mistake, found.message.split(" Not right")[0]) == ("one too many", "Count | again, from 0.")


def test_a_test_is_judged_by_right_and_wrong_implementations():
    names = NAMES | {"one": lambda: 1, "two": lambda: 2}
    (asked,) = questions("# n.t: T | test, 1 star, 1 min, 1 point\n= catches()\n"
                         "+ one | refuses one | R.\n- two | misses two | M.", names)
    assert [(m.name, m.output()) for m in asked.check.right] == [("refuses one", 1)]
    assert [(m.name, m.output()) for m in asked.check.bugs] == [("misses two", 2)]


def read(text):
    return questions(text, NAMES)


FIRST = read.__code__.co_firstlineno + 1
"""Where the chapter's text begins."""


@pytest.mark.parametrize(("old", "new", "line", "said"), [
    ("# new.share: Which", "# new.share Which", 1, "expected `# id: title | kind, 1 star, 3 min, 1 point`"),
    ("2 points\n", "2\n", 1, "expected `# id: title | kind"),
    ("# new.share", "new.share", 1, "expected a mark and a space"),
    ("? Count", "* Count", 4, "expected `* points | what earns them`"),
    ("? Count", "% Count", 4, "expected a mark and a space; the marks are # ? ="),
    ("? Count", "?Count", 4, "expected a mark and a space"),
    ("half, ", "quarter, ", 5, "NameError, name 'quarter' is not defined"),
    ('"b": half}', '"b": half', 7, "SyntaxError"),
    (" | swapped | Under", ": swapped, Under", 7, "expected `- output | name | message`"),
    ("= by_hand\n", "", 13, "and one check, `= ...`"),
    ("= by_hand\n", "= by_hand\n= choice('a')\n", 13, "and one check, `= ...`"),
    ("* 1 |", "* one |", 17, "invalid literal"),
    ('{"b": 4}', '{"c": 4}', 5, "the mistake 'one too many' has a value for 'c': the entries are 'a', 'b'"),
])
def test_what_cannot_be_read_is_refused_with_its_file_and_line(old, new, line, said):
    assert old in WHOLE
    with pytest.raises(ValueError, match=rf"^ch99_new\.py:{FIRST + line}: .*{re.escape(said)}"):
        read(WHOLE.replace(old, new, 1))


def test_the_forms_shown_for_each_mark_are_those_of_the_docstring():
    shown = [line.strip()[0] for line in question_text.__doc__.split("\n") if line.startswith("    ")]
    assert sorted(shown) == sorted(FORMS)
