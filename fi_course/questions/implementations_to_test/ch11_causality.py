"""Back-door means, right and wrong, for `causality.test_back_door`."""

import numpy as np


def back_door(z, x, y, value):
    z, x, y = map(np.asarray, (z, x, y))
    return sum((z == group).mean() * y[(z == group) & (x == value)].mean()
               for group in np.unique(z))


def rounded_otherwise(z, x, y, value):
    return float(back_door(z, x, y, value)) * (1 + 4e-16) + 4e-16


def seen(z, x, y, value):
    return np.asarray(y)[np.asarray(x) == value].mean()


def groups_alike(z, x, y, value):
    z, x, y = map(np.asarray, (z, x, y))
    return np.mean([y[(z == group) & (x == value)].mean() for group in np.unique(z)])


def all_rows(z, x, y, value):
    return np.mean(np.asarray(y))


def weights_seen(z, x, y, value):
    z, x, y = map(np.asarray, (z, x, y))
    return sum((z[x == value] == group).mean() * y[z == group].mean() for group in np.unique(z))
