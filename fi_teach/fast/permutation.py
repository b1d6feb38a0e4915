"""Ask a model about many shuffles at once: the losses are the definition's, the calls are few.

Three rows, two shuffles of column c (donors[i, k] gives row i its value in shuffle k):

    donors   2 0      table asked   row    0  0  1  1  2  2        one row for each receiver
             0 1                    donor  2  0  0  1  1  2        and shuffle, all other
             1 2                    c      c2 c0 c0 c1 c1 c2       columns are the row's own

    losses   back in the shape of donors: (n, K)

The table is cut into pieces, so that memory does not grow with rows, shuffles or columns. A column
that no tree of the model tests is not shuffled at all: nothing can change.
"""

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.evaluation import Evaluation
from fi_teach.basics.shuffles import put, swap
from fi_teach.fast.forest_arrays import portions

ROWS_A_CALL = 20_000  # enough that a model's overhead per call does not count
CELLS_A_CALL = 4_000_000  # 32 MB of numbers; wide tables take fewer rows a call


def losses_after_shuffling(test_set: Evaluation, columns: list[int], donors: NDArray) -> NDArray:
    """Losses after row i takes its `columns` from row donors[i, k] -> (n, K).

    donors (n, K) int, or (C, n, K): each of the C columns has donors of its own
    """
    n, n_repeats = donors.shape[-2:]
    if never_asks(test_set, columns):
        return np.repeat(test_set.losses_before[:, None], n_repeats, axis=1)
    receivers = np.repeat(np.arange(n), n_repeats)
    pairs = donors.reshape(*donors.shape[:-2], n * n_repeats)
    return losses_of_pairs(test_set, columns, receivers, pairs).reshape(n, n_repeats)


def losses_of_pairs(
    test_set: Evaluation, columns: list[int], receivers: NDArray, donors: NDArray
) -> NDArray:
    """The loss of each receiver with its `columns` from its donor -> (m,).

    receivers (m,) int; donors (m,) int, or (C, m) column by column
    """
    losses = np.empty(len(receivers))
    for piece in portions(len(receivers), _rows_a_call(test_set)):
        rows = receivers[piece]
        table = swap(test_set.X, columns, rows, donors[..., piece, None])
        losses[piece] = test_set.losses(table, rows)
    return losses


def losses_after_putting(test_set: Evaluation, column: int, values: NDArray) -> NDArray:
    """Losses after row i's `column` became values[i, k]: values (n, K) -> (n, K)."""
    if never_asks(test_set, [column]):
        return np.repeat(test_set.losses_before[:, None], values.shape[1], axis=1)
    losses = np.empty(values.shape)
    for piece in portions(values.shape[1], _rows_a_call(test_set) // test_set.n_rows):
        some = values[:, piece]
        rows = np.repeat(np.arange(test_set.n_rows), some.shape[1])
        after = test_set.losses(put(test_set.X, column, some), rows)
        losses[:, piece] = after.reshape(some.shape)
    return losses


def never_asks(test_set: Evaluation, columns: list[int]) -> bool:
    """Whether the model is made of trees, none of which tests these columns."""
    asked = test_set.model.asks_about
    return asked is not None and asked.isdisjoint(columns)


def _rows_a_call(test_set: Evaluation) -> int:
    return min(ROWS_A_CALL, CELLS_A_CALL // test_set.n_features)
