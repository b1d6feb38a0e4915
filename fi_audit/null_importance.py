"""Importance of permuted copies of the columns: the null distribution.

A permuted copy of a column carries no information on the target or the other columns. Its
importance, measured as in `used`, shows how large an importance of nothing is for this model and
these rows.
"""

import numpy as np

from fi_audit.inputs import AuditInputs
from fi_audit.intervals import level_of_each, number
from fi_audit.results import Finding, Measure
from fi_teach.importance.intervals import receiver_donor_interval, shuffle_differences


def null_copies(inputs: AuditInputs) -> Measure:
    """Permutation importance of a permuted copy of each column, the others unchanged."""
    table, y = inputs.X.iloc[inputs.judged], inputs.y[inputs.judged]
    rng = inputs.stream("null copies")
    level = level_of_each(len(inputs.names))
    figures = []
    for name in inputs.names:
        permuted = table[name].iloc[rng.permutation(len(table))].set_axis(table.index)
        differences, donors = shuffle_differences(
            inputs.model, table.assign(**{name: permuted}), y, name,
            loss=inputs.test_set.loss, n_repeats=inputs.effort.repeats, rng=rng)
        low, high = receiver_donor_interval(
            differences, donors, level=level, sample_weight=inputs.test_set.weights,
            groups=inputs.test_set.groups)
        value = np.average(differences.mean(axis=1), weights=inputs.test_set.weights)
        figures.append((value, low, high))
    value, low, high = np.array(figures).T
    return Measure("null copies", inputs.names, value, low, high, inputs.test_set.unit,
                   "permutation importance of a copy that was shuffled beforehand")


def check_null_copies(copies: Measure) -> Finding:
    """Check that null copies are not clear of zero; if they are, intervals are too narrow."""
    clear = tuple(name for name in copies.names if copies.row(name)[1] > 0)
    largest = float(copies.value.max())
    text = (
        f"Of {len(copies.names)} null copies (each column shuffled beforehand, so that it tells "
        f"nothing) {len(clear)} {'is' if len(clear) == 1 else 'are'} clear of zero; the largest "
        f"figure is {number(largest)} {copies.unit}.")
    if clear:
        text += " The intervals are too narrow here: do rows belong together (groups=)?"
    return Finding("null copies", "ask" if clear else "well", text, (),
                   {"clear": float(len(clear)), "largest": largest})
