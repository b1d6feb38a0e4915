"""Answers to exercise set 6: right ones written differently from the solution."""

import numpy as np
import pandas as pd

# negative.p_value

def p_by_mean(observed, copies):
    return np.append(np.asarray(copies) <= observed, True).mean()


# negative.standard_error

def error_with_frames(D):
    D = pd.DataFrame(np.asarray(D))
    return (D.mean(axis=1) + D.mean(axis=0)).sem()


# negative.mend_bootstrap

def resample_by_loops(x, y, rows, order):
    pairs = [(y[i], x[i], x[rows[k]]) for i, k in zip(rows, order, strict=True)]
    return sum((target - donor) ** 2 - (target - own) ** 2 for target, own, donor in pairs) / len(pairs)


RIGHT = {
    "negative.p_value": [p_by_mean],
    "negative.standard_error": [error_with_frames],
    "negative.mend_bootstrap": [resample_by_loops],
}
