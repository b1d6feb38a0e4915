"""Ways to turn 2p importances into p duels, fair and unfair, for `knockoffs.test_duel`."""

import numpy as np


def _duel(of_pair):
    """W by a function of (features' importances, doubles' importances)."""
    def duel(values):
        values = np.asarray(values, float)
        return of_pair(values[:len(values) // 2], values[len(values) // 2:])
    return duel


difference = _duel(lambda a, b: a - b)
signed_maximum = _duel(lambda a, b: np.maximum(a, b) * np.sign(a - b))
difference_of_squares = _duel(lambda a, b: a**2 - b**2)
size = _duel(lambda a, b: np.abs(a - b))
against_the_mean = _duel(lambda a, b: a - b.mean())
thumb = _duel(lambda a, b: np.where(a > b, 2 * (a - b), a - b))
sorted_rows = _duel(lambda a, b: np.sort(a) - np.sort(b))
times_the_neighbour = _duel(lambda a, b: (a - b) * np.roll(a, -1))
"""Its own swap turns the sign rightly; the neighbour's swap moves it."""
