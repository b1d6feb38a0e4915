import json

import numpy as np
import pandas as pd
import pytest

from fi_course.explorables import State, axis, bars, choice, explore, panel, slider, switch


def squares(**more):
    """A small explorable: k squared, drawn as a bar."""
    return explore("Squares", [slider("k", "Number", [1, 2, 3])], square_state, **more)


def square_state(k):
    return State(f"{k:g} squared is {k * k:g}.", [panel(bars([k * k]), y=axis(0, 10))],
                 pd.DataFrame({"k": [k], "square": [k * k]}))


def no_picture(**values):
    return State(str(values), [], pd.DataFrame({"nothing": []}))


def test_every_combination_of_positions_has_its_state():
    seen = explore("Grid", [slider("a", "A", [1, 2, 3]), choice("b", "B", ["x", "y"]), switch("c", "C")], no_picture)
    expected = [str({"a": a, "b": b, "c": c}) for a in (1, 2, 3) for b in "xy" for c in (False, True)]
    assert [state["sentence"] for state in seen.states] == expected


def test_what_states_share_is_stored_once():
    seen = explore("Same", [slider("k", "K", range(50))],
                   lambda k: State(f"{k}", [panel(bars([1]), y=axis(0, 2))], pd.DataFrame({"a": [1]})))
    assert len(seen.pool) == 4  # a frame, a mark, the columns, a row
    assert len({json.dumps(state["panels"]) for state in seen.states}) == 1


def test_the_embedded_states_are_the_python_ones():
    seen = squares()
    for k, state in zip((1, 2, 3), seen.states, strict=True):
        assert state["sentence"] == square_state(k).sentence == seen.sentence_at(k=k)
        assert seen.pool[state["table"]["rows"][0]] == [str(k), str(k * k)]
        assert seen.pool[state["panels"][0]["marks"][0]]["y"] == [0, k * k]


def test_the_sentence_follows_the_positions():
    seen = squares(start={"k": 3})
    assert seen.positions == [2] and seen.sentence == "3 squared is 9."
    seen.positions = [0]
    assert seen.sentence == "1 squared is 1."


def test_a_reader_without_scripts_or_widgets_gets_the_title_and_the_sentence(capsys):
    seen = squares()
    assert repr(seen) == "Squares – 1 squared is 1."
    data, _ = seen._repr_mimebundle_()
    assert data["text/plain"] == repr(seen)
    seen._ipython_display_()
    assert "<noscript><p>Squares – 1 squared is 1.</p></noscript>" in capsys.readouterr().out


def test_numbers_in_the_table_are_whole_or_have_three_decimals():
    table = pd.DataFrame({"n": [1, 2], "whole": [1.0, 2.0], "share": [0.5, -0.0], "word": ["a", True]})
    seen = explore("Table", [slider("k", "K", [1])], lambda k: State("One.", [], table))
    rows = [seen.pool[row] for row in seen.states[0]["table"]["rows"]]
    assert rows == [["1", "1", "0.500", "a"], ["2", "2", "0.000", "True"]]


def test_options_may_depend_on_earlier_controls():
    def state_of(animal, breed):
        breeds = {"dog": ["beagle", "poodle"], "cat": ["manx"], "fish": "a fish is a fish"}[animal]
        if breed >= (1 if animal == "fish" else len(breeds)):
            return None
        return State(f"{animal} {breed}", [], pd.DataFrame(), {"breed": breeds})

    seen = explore("Pets", [choice("animal", "Animal", ["dog", "cat", "fish"]), choice("breed", "Breed", range(2))],
                   state_of)
    assert [state and state["options"]["breed"] for state in seen.states] == [
        ["beagle", "poodle"], ["beagle", "poodle"], ["manx"], None, "a fish is a fish", None]


def heavy(k):
    noise = np.random.default_rng(k).random(2000)
    return State(f"{k}", [panel(bars(noise))], pd.DataFrame())


@pytest.mark.parametrize("wrong, message", [
    (lambda: explore("T", [], no_picture), "at least one control"),
    (lambda: explore("T", [switch("a", "A"), switch("a", "B")], no_picture), "share a name"),
    (lambda: slider("a", "A", []), "has no values"),
    (lambda: choice("a", "A", ["x"], kind="menu"), "unknown kind of control 'menu'"),
    (lambda: explore("T", [switch("a", "A")], lambda a: "words"), "returned str, expected a State"),
    (lambda: explore("T", [switch("a", "A")], lambda a: None), "no state at positions"),
    (lambda: explore("T", [switch("a", "A"), switch("b", "B")],
                     lambda a, b: no_picture(a=a, b=b) if b or not a else None), r"no state at positions \[1, 0\]"),
    (lambda: explore("T", [switch("a", "A")], lambda a: State("", [], pd.DataFrame())), "no sentence of its own"),
    (lambda: explore("T", [switch("a", "A")], lambda a: State("Same.", [], pd.DataFrame({"a": [a]}))),
     "no sentence of its own"),
    (lambda: explore("T", [switch("a", "A")], lambda a: State(f"{a}", [], pd.DataFrame(), {"a": []})),
     "offers nothing for 'a'"),
    (lambda: explore("T", [slider("k", "K", range(3))], heavy), "more than 200 kB"),
    (lambda: squares(start={"k": 7}), "k=7 came"),
    (lambda: squares(start={"q": 1}), "q=1 came"),
])
def test_an_explorable_that_would_fail_its_reader_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()


def test_a_task_must_be_open_at_first_and_some_state_must_fulfil_it():
    def state_of(k):
        return State(f"{k}", [], pd.DataFrame(), reached=k == 3)

    seen = explore("Three", [slider("k", "K", [1, 2, 3])], state_of, goal="find three.")
    assert [state.get("reached", False) for state in seen.states] == [False, False, True]
    with pytest.raises(ValueError, match="starts where its task is fulfilled"):
        explore("Three", [slider("k", "K", [1, 2, 3])], state_of, goal="find three.", start={"k": 3})
    with pytest.raises(ValueError, match="which no state fulfils"):
        explore("Three", [slider("k", "K", [1, 2])], state_of, goal="find three.")
