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


def losses_after_shuffling(task: Evaluation, columns: list[int], donors: NDArray) -> NDArray:
    """Losses after row i takes its `columns` from row donors[i, k] -> (n, K).

    donors (n, K) int, or (C, n, K): each of the C columns has donors of its own
    """
    n, n_repeats = donors.shape[-2:]
    if never_asks(task, columns):
        return np.repeat(task.losses_before[:, None], n_repeats, axis=1)
    receivers = np.repeat(np.arange(n), n_repeats)
    pairs = donors.reshape(*donors.shape[:-2], n * n_repeats)
    return losses_of_pairs(task, columns, receivers, pairs).reshape(n, n_repeats)


def losses_of_pairs(
    task: Evaluation, columns: list[int], receivers: NDArray, donors: NDArray
) -> NDArray:
    """The loss of each receiver with its `columns` from its donor -> (m,).

    receivers (m,) int; donors (m,) int, or (C, m) column by column
    """
    losses = np.empty(len(receivers))
    for piece in portions(len(receivers), _rows_a_call(task)):
        rows = receivers[piece]
        table = swap(task.X, columns, rows, donors[..., piece, None])
        losses[piece] = task.losses(table, rows)
    return losses


def losses_after_putting(task: Evaluation, column: int, values: NDArray) -> NDArray:
    """Losses after row i's `column` became values[i, k]: values (n, K) -> (n, K)."""
    if never_asks(task, [column]):
        return np.repeat(task.losses_before[:, None], values.shape[1], axis=1)
    losses = np.empty(values.shape)
    for piece in portions(values.shape[1], _rows_a_call(task) // task.n_rows):
        some = values[:, piece]
        rows = np.repeat(np.arange(task.n_rows), some.shape[1])
        after = task.losses(put(task.X, column, some), rows)
        losses[:, piece] = after.reshape(some.shape)
    return losses


def never_asks(task: Evaluation, columns: list[int]) -> bool:
    """Whether the model is made of trees, none of which tests these columns."""
    asked = task.model.asks_about
    return asked is not None and asked.isdisjoint(columns)


def _rows_a_call(task: Evaluation) -> int:
    return min(ROWS_A_CALL, CELLS_A_CALL // task.n_features)
