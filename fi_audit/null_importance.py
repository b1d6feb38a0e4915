"""How large does nothing look? Null copies: columns that were shuffled beforehand.

A copy of a column whose values were dealt out once at random tells nothing, of the target or of the
other columns. What `used` says of it is what it says of nothing, on this model and these rows.
"""

import numpy as np

from fi_audit.inputs import Case
from fi_audit.intervals import level_of_each, number
from fi_audit.results import Finding, Measure
from fi_teach.importance.intervals import receiver_donor_interval, shuffle_differences


def null_copies(case: Case) -> Measure:
    """The measure of `used`, asked of a null copy of each column, the others as they are."""
    table, y = case.X.iloc[case.judged], case.y[case.judged]
    rng = case.stream("null copies")
    level = level_of_each(len(case.names))
    figures = []
    for name in case.names:
        dealt = table[name].iloc[rng.permutation(len(table))].set_axis(table.index)
        differences, donors = shuffle_differences(
            case.model, table.assign(**{name: dealt}), y, name,
            loss=case.task.loss, n_repeats=case.effort.repeats, rng=rng)
        low, high = receiver_donor_interval(
            differences, donors, level=level, sample_weight=case.task.weights,
            groups=case.task.groups)
        figures.append((np.average(differences.mean(axis=1), weights=case.task.weights), low, high))
    value, low, high = np.array(figures).T
    return Measure("null copies", case.names, value, low, high, case.task.unit,
                   "permutation importance of a copy that was shuffled beforehand")


def seen_in(nulls: Measure) -> Finding:
    """Are null copies clear of zero? Then the intervals are too narrow for these rows."""
    clear = tuple(name for name in nulls.names if nulls.row(name)[1] > 0)
    largest = float(nulls.value.max())
    text = (
        f"Of {len(nulls.names)} null copies (each column shuffled beforehand, so that it tells "
        f"nothing) {len(clear)} {'is' if len(clear) == 1 else 'are'} clear of zero; the largest "
        f"figure is {number(largest)} {nulls.unit}.")
    if clear:
        text += " The intervals are too narrow here: do rows belong together (groups=)?"
    return Finding("null copies", "ask" if clear else "well", text, (),
                   {"clear": float(len(clear)), "largest": largest})
