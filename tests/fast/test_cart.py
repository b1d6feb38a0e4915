"""The engine that grows all trees at once: its drawing, its definition, and sizes at which arrays could overflow."""

import tracemalloc

import numpy as np
import pytest
from definitions import check_same_tree
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fi_teach.basics.target import target_of
from fi_teach.fast import cart
from fi_teach.fast.cart import grow_trees, rank_table
from fi_teach.trees import grow_cart, grow_cart_by_definition

# --- the drawing at the head of the file ------------------------------------------------------------------------------

X = np.array([[2.5], [7.0], [1.0], [7.0], [4.0]])
Y = np.array(["no", "yes", "yes", "yes", "no"])
WEIGHTS = np.array([[1, 1, 1, 1, 1], [2, 1, 0, 0, 2]])


def test_the_drawing_shows_the_arrays_that_are_there(monkeypatch):
    """Nodes, rows, weights and codes, level by level; a level's nodes are numbered from 0, those
    of the drawing through all levels."""
    samples, frontiers = [], []
    described, find_splits = cart._described, cart.find_splits
    monkeypatch.setattr(cart, "_described",
                        lambda target, tree, these: samples.append(these) or described(target, tree, these))
    monkeypatch.setattr(cart, "find_splits",
                        lambda rules, these, rng: frontiers.append(these) or find_splits(rules, these, rng))
    first, second = grow_trees(rank_table(X, ("x",)), target_of(Y, "gini"), WEIGHTS)

    assert rank_table(X, ("x",)).codes.tolist() == [[1, 3, 0, 3, 2]]
    assert [level.node.tolist() for level in samples] == [[0, 0, 0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 2, 3, 2], [1, 0, 1]]
    assert [level.row.tolist() for level in samples] == [[0, 1, 2, 3, 4, 0, 1, 4], [0, 1, 2, 3, 4, 0, 1, 4], [0, 2, 4]]
    assert [level.n.tolist() for level in frontiers] == [[5, 3], [3], []]
    assert [level.row.tolist() for level in frontiers] == [[0, 1, 2, 3, 4, 0, 1, 4], [0, 2, 4], []]
    assert frontiers[0].starts.tolist() == [0, 5] and frontiers[0].weight.tolist() == [1, 1, 1, 1, 1, 2, 1, 2]
    assert [level.tree.tolist() for level in frontiers] == [[0, 1], [0], []]

    root = frontiers[0].cut(0, 1)._replace(weight=None)  # a no at codes 1 and 2, a yes at code 0, two at code 3
    _, _, of_class = cart._by_class(np.array([[1, 3, 0, 3, 2]]) + 4 * root.label, None, 2, 4)
    assert of_class.tolist() == [[0, 1, 1, 0], [1, 0, 0, 2]]

    # cut after code 2, between 4.0 and 7.0, in both; then after code 0, between 1.0 and 2.5, in the first
    assert first.threshold.tolist() == [5.5, 1.75, -2, -2, -2] and second.threshold.tolist() == [5.5, -2, -2]
    assert first.children_left.tolist() == [1, 3, -1, -1, -1] and first.children_right.tolist() == [2, 4, -1, -1, -1]


# --- the definition ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("criterion", ["gini", "entropy", "entropy_nats", "variance"])
def test_the_engine_grows_the_tree_by_definition(criterion):
    """Few or many values, weights or none, limits or none: all fields equal, to 1e-12."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, p = rng.integers(5, 40), rng.integers(1, 4)
        table = np.round(rng.normal(size=(n, p)), rng.integers(0, 3))
        y = rng.normal(size=n) if criterion == "variance" else np.arange(n) % 3
        options = {"criterion": criterion, "max_depth": (None, 2)[rng.integers(2)],
                   "min_samples_leaf": int(rng.integers(1, 4)),
                   "sample_weight": (None, rng.integers(0, 3, n) + (np.arange(n) < 2))[rng.integers(2)]}
        fast, slow = grow_cart(table, y, **options), grow_cart_by_definition(table, y, **options)
        assert (fast.names, fast.classes, fast.criterion) == (slow.names, slow.classes, slow.criterion)
        check_same_tree(fast, slow)


def test_weights_too_heavy_to_be_packed_are_added_up_apart():
    """As many as 2^26 rows' weight fit beside the number of samples; a tree of more is grown all the same."""
    light, heavy = cart._roots(np.array([[3, 1, 2]])), cart._roots(np.array([[2**26, 1, 2]]))
    assert light.weight.dtype.kind == "i" and heavy.weight.dtype.kind == "f"
    most = np.array([2**26 - 1])
    assert [x.tolist() for x in cart._n_and_w(np.zeros((1, 1), dtype=int), most, 1)] == [[1.0], [2.0**26 - 1]]
    assert (grow_cart(X, Y, sample_weight=[2**26, 1, 1, 1, 2**26]).predict(X) == Y).all()


def test_numbers_are_packed_into_64_bits_whatever_they_come_in():
    """WebAssembly's integers have 32; node times span, shifted by the bits of a place, may need 45."""
    numbers = np.array([900_000, 899_999, 900_000, 0] * 2**13, dtype=np.int32)
    ordered, place = cart._sorted(numbers)
    np.testing.assert_array_equal(ordered, np.sort(numbers))
    np.testing.assert_array_equal(place, np.argsort(numbers, kind="stable"))


@given(st.lists(st.floats(-1e3, 1e3, width=16) | st.floats(allow_nan=False, allow_infinity=False)
                | st.sampled_from([-0.0, 0.0, 0.1, 0.3]), min_size=1, max_size=40))
@settings(deadline=None)
@example([-1, -0.0, 0.0, 1])
@example([-1e308, 1e308, 0, 1])
@example([7, 1, 1 + 2**-52, 1, 1 + 2**-51])
@example([5e-324, 0, 1e-323, 5e-324])
def test_columns_are_ranked_as_np_unique_does(column):
    """Be they equal but for the last bit; 255 values need a byte."""
    column = np.array(column, dtype=float)
    values, codes = np.unique(column, return_inverse=True)
    table = rank_table(column[:, None], ("x",))
    assert table.codes.tolist() == [codes.tolist()] and table.values.tolist() == values.tolist()
    for n, kind in ((255, "uint8"), (256, "uint16")):
        table = rank_table(np.column_stack([np.arange(n), np.arange(n) % 3])[::-1].astype(float), ("x", "y"))
        assert table.codes.dtype == kind and (table.codes == [np.arange(n)[::-1], np.arange(n)[::-1] % 3]).all()
        assert table.first.tolist() == [0, n] and table.values[n:].tolist() == [0, 1, 2]


# --- wide tables ------------------------------------------------------------------------------------------------------

def test_candidates_of_many_nodes_of_a_wide_table_are_drawn_a_few_nodes_at_a_time():
    """4,000 nodes of two rows in a table of 4,000 columns:
    16 million draws of 8 bytes and their order are 256 MB at once."""
    n = 4000
    table = rank_table(np.tile([[0.0], [1.0]], (1, n)), tuple(map(str, range(n))))
    samples = cart._roots(np.ones((n, 2), dtype=int))
    frontier, _ = cart._described(target_of(np.array([0, 1]), "gini"), np.arange(n), samples)
    tracemalloc.start()
    splits = cart.find_splits(cart.Rules(table, "gini", None, 1, 60), frontier, np.random.default_rng(0))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (splits.decrease == 0.5).all() and len(np.unique(splits.feature)) > 2000
    assert peak < 128 * 2**20


def test_looking_further_in_pieces_finds_what_one_look_over_all_columns_finds():
    """Fifty constant columns and one that varies: every drawn set misses it most of the time,
    and the tree is found all the same."""
    table, y = np.zeros((30, 51)), np.arange(30) // 10
    table[:, 50] = np.arange(30)
    for seed in range(5):
        tree = grow_cart(table, y, max_features=3, rng=seed)
        assert (tree.predict(table) == y).all() and set(tree.feature[~tree.is_leaf]) == {50}
