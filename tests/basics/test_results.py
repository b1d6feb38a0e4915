"""Results keep every repeat, and compare by their numbers."""

import numpy as np
import pytest

from fi_teach.basics.results import Attribution, Importance

DRAWS = np.array([[1.0, 3.0], [5.0, 5.0], [2.0, 2.0]])


def importance(**changes):
    return Importance(**{"names": ("a", "b", "c"), "draws": DRAWS} | changes)


def test_two_results_are_equal_when_all_their_numbers_and_words_are():
    assert importance() == importance(draws=DRAWS.copy())
    gaps = np.array([1.0, np.nan, 0])
    assert importance(sampling_error=gaps) == importance(sampling_error=gaps.copy())
    phi, same = (Attribution(np.ones((2, 3)), 0.0, ("a", "b", "c")) for _ in range(2))
    assert phi == same and phi != importance() and importance() != 3


@pytest.mark.parametrize("change", [
    {"draws": DRAWS + 1}, {"draws": DRAWS[:, :1]}, {"names": ("a", "b", "z")}, {"unit": "bits"},
    {"sampling_error": np.ones(3)},
])
def test_two_importances_differ_where_anything_does(change):
    assert importance(**change) != importance()


def test_tied_features_share_the_better_rank():
    tied = Importance(("a", "b", "c", "d"), [2.0, 5.0, 2.0, 1.0])
    assert tied.rank.tolist() == [2, 1, 2, 4]


def test_ranks_of_20_000_features_take_no_table_of_their_pairs():
    many = Importance(range(20_000), np.arange(20_000.0))
    assert many.rank[-1] == 1 and many.rank[0] == 20_000


def test_the_spread_over_repeats_is_the_standard_error_unless_the_method_knows_better():
    assert importance().standard_error == pytest.approx([1, 0, 0])
    assert importance(sampling_error=np.ones(3)).standard_error.tolist() == [1, 1, 1]
    assert np.isnan(importance(draws=DRAWS[:, 0]).standard_error).all()


def test_draws_that_do_not_fit_the_names_are_refused():
    with pytest.raises(ValueError, match="there are 2 names"):
        Importance(("a", "b"), DRAWS)


def test_to_frame_is_sorted_by_rank_then_name_and_shows_the_spread_over_permutations():
    table = importance(names=("c", "b", "a"), permutation_sd=np.array([0.1, 0.2, 0.3])).to_frame()
    assert list(table) == ["feature", "importance", "standard_error", "rank", "permutation_sd"]
    assert table["feature"].tolist() == ["b", "a", "c"]
    assert table["permutation_sd"].tolist() == [0.2, 0.3, 0.1]
    assert "permutation_sd" not in importance().to_frame()


def test_to_importance_adds_up_the_outputs_sizes_and_keeps_the_unit():
    phi = Attribution(np.array([[[1.0, -2.0], [0.0, 0.5]]]), np.zeros(2), ("a", "b"), unit="log-odds")
    assert phi.to_importance().mean.tolist() == [3, 0.5]
    assert phi.to_importance().unit == "log-odds"
    assert Attribution(np.array([[1.0, -2.0], [3.0, 0.0]]), 0.0, ("a", "b")).to_importance().mean.tolist() == [2, 1]
