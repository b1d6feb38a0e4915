"""One round of coordinate descent for knockoffs' s, without inverting a matrix for every feature.

A step in s_j changes A = (2 Sigma - S)^-1 by a rank of one (Sherman and Morrison):

    A  <-  A + w c c',   c = A e_j (column j),   w = step / (1 - step c_j)

Entering each change costs p^2 numbers, and p changes one by one are slow. So a block of them is
kept aside, and what the formula needs of A, its column j, is read with the changes added:

    features   0 1 2 ... 31 | 32 33 ...        a block is 32 features
    columns    c_0 c_1 c_2 .                   (32, p), filled as the block goes on
    weights    w_0 w_1 w_2 .                   (32,)
    column 3   A[3] + w_0 c_0[3] c_0 + w_1 c_1[3] c_1 + w_2 c_2[3] c_2

At a block's end all changes enter A in one matrix product.
"""

import numpy as np
from numpy.typing import NDArray

BLOCK = 32


def one_round(s: NDArray, inverse: NDArray) -> NDArray:
    """Move each s_j in turn to its best value, the others fixed -> (p,).

    inverse (p, p) : (2 Sigma - S)^-1 at s; it is used up
    """
    s = s.copy()
    for start in range(0, len(s), BLOCK):
        block = range(start, min(start + BLOCK, len(s)))
        columns = np.zeros((len(block), len(s)))
        weights = np.zeros(len(block))
        for k, j in enumerate(block):
            changes = (weights[:k] * columns[:k, j]) @ columns[:k]
            column = inverse[j] + changes
            a = column[j]
            c = np.sqrt(column @ column)
            step = (1 - c * s[j]) / (a + c)
            columns[k] = column
            weights[k] = step / (1 - step * a)
            s[j] += step
        inverse += (columns.T * weights) @ columns
    return s
