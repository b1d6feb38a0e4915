"""A target is coded once: labels of any kind, numbers that are labels, numbers that are numbers."""

import numpy as np
import pandas as pd
import pytest

from fi_teach.basics.target import check_y, encode_labels, holds_labels, places_among

LABELS = {
    "strings": ["b", "a", "b"],
    "booleans": [True, False, True],
    "one and two": [2, 1, 2],
    "categories": pd.Series(["b", "a", "b"], dtype="category"),
    "objects": np.array(["b", "a", "b"], dtype=object),
    "nullable integers": pd.Series([2, 1, 2], dtype="Int64"),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_kind_have_the_same_codes(kind):
    classes, codes = encode_labels(LABELS[kind])
    assert len(classes) == 2 and codes.tolist() == [1, 0, 1]
    assert codes.dtype == places_among(LABELS[kind], classes).dtype == np.int64, "also where indices have 32 bits"
    assert np.asarray(classes)[codes].tolist() == np.asarray(LABELS[kind]).tolist()


def test_a_models_classes_keep_their_order_and_those_that_do_not_occur():
    assert encode_labels([3, 3, 1], classes=[3, 2, 1])[1].tolist() == [0, 0, 2]


def test_a_label_that_the_model_never_saw_is_refused_or_has_no_place():
    with pytest.raises(ValueError, match=r"'c', which the model never saw: it knows 'a', 'b'"):
        encode_labels(["a", "c"], classes=["a", "b"])
    assert places_among(["a", "c"], ["a", "b"]).tolist() == [0, -1]


def test_labels_of_two_kinds_have_no_order_and_are_refused():
    with pytest.raises(ValueError, match="int and str"):
        encode_labels(np.array(["a", 1], dtype=object))


@pytest.mark.parametrize(("y", "labels"), [
    (["a", "b"], True), ([True, False], True), (pd.Series([1, 2], dtype="category"), True),
    (pd.Series(["a", "b"]), True), (np.array([True, False], dtype=object), True),
    ([1, 2], False), ([0.5, 1.0], False), (np.array([1.5, 2], dtype=object), False),
    (pd.Series([1, 2], dtype="Int64"), False), (np.ones((2, 2)), False),
])
def test_words_booleans_and_categories_are_classes_and_numbers_are_numbers(y, labels):
    assert holds_labels(y) is labels


def test_several_outputs_stay_columns_and_one_column_becomes_a_vector():
    assert check_y([[1, 2], [3, 4]], 2, several=True).shape == (2, 2)
    assert check_y([[1], [3]], 2).shape == (2,)


@pytest.mark.parametrize(("y", "says"), [
    ([1], "one row"), ([1, 1], "constant"), ([1, np.nan], "missing"), ([1, np.inf], "infinities"),
])
def test_a_target_without_anything_to_predict_is_refused(y, says):
    with pytest.raises(ValueError, match=says):
        check_y(y, min(len(y), 2), several=True, varies=True)
