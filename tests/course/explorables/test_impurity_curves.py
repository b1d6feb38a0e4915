import re

import numpy as np
import pytest

from fi_course.explorables import explore_impurity
from fi_course.explorables.impurity_curves import shares_of
from fi_teach.trees import entropy, entropy_nats, gini


@pytest.fixture(scope="module")
def seen():
    return explore_impurity()


@pytest.mark.parametrize("values, shares", [
    ({"classes": 2, "share": 0.3}, [0.3, 0.7]),
    ({"classes": 3, "ratio": (3, 1), "share": 0.2}, [0.2, 0.6, 0.2]),
    ({"classes": 3, "ratio": (1, 0), "share": 0.5, "scaled": True}, [0.5, 0.5, 0.0]),
])
def test_the_numbers_in_the_sentence_are_those_of_the_impurities(seen, values, shares):
    told = [float(number) for number in re.search(r"Gini ([\d.]+), entropy ([\d.]+) bits or ([\d.]+) nats",
                                                  seen.sentence_at(**values)).groups()]
    assert told == [round(float(measure(shares)), 3) for measure in (gini, entropy, entropy_nats)]


def test_scaled_the_two_entropies_are_one_curve(seen):
    index = np.ravel_multi_index([1, 1, 4, 1], [len(control["labels"]) for control in seen.controls])
    curves = [mark for mark in (seen.pool[k] for k in seen.states[index]["panels"][0]["marks"])
              if mark["kind"] == "line" and len(mark["x"]) > 2]
    _, bits, nats = curves
    np.testing.assert_allclose(bits["y"], nats["y"], atol=1e-4)


def test_pure_and_evenly_mixed_nodes_are_named(seen):
    assert seen.sentence_at(share=1.0).endswith("a pure node.")
    assert seen.sentence_at(share=0.5).endswith("as mixed as two classes can be.")
    assert not any("-0.000" in state["sentence"] for state in seen.states if state)


def test_the_other_classes_share_what_the_first_leaves():
    shares = shares_of(3, (3, 1), np.array([0.0, 0.2, 1.0]))
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(shares[:, 1], 3 * shares[:, 2], atol=1e-12)


def test_the_ratio_matters_for_three_classes_only(seen):
    assert [state["options"] for state in seen.states[:1]] == [{"ratio": "needs three classes"}]
    assert all("options" not in state for state in seen.states[len(seen.states) // 2:])
