"""The survival target: each row has a time, and whether the event happened then or was censored.

It comes as the columns (time, event), or as scikit-survival's records (event, time). Swapped
columns would give a wrong answer without an error, so both are checked here.
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.tables import as_floats


def survival_target(
    y: ArrayLike,
    n_rows: int | None = None,
    *,
    what: str = "y",
) -> tuple[NDArray, NDArray]:
    """Read a survival target -> (time (n,) float, event (n,) bool).

    y : (n, 2) array or DataFrame with the columns time and event, or a record array with the
        fields event and time

    >>> survival_target([[5, 1], [8, 0]])
    (array([5., 8.]), array([ True, False]))
    >>> survival_target(np.array([(True, 5), (False, 8)], dtype=[("event", "?"), ("time", "f8")]))
    (array([5., 8.]), array([ True, False]))
    """
    array = as_floats(y, what) if isinstance(y, pd.DataFrame) else np.asarray(y)
    if array.dtype.names and len(array.dtype.names) == 2:
        event, time = array.dtype.names
        array = np.column_stack([array[time], array[event]])
    expected = (len(array) if n_rows is None and array.ndim else n_rows, 2)
    if array.shape != expected:
        raise ValueError(
            f"{what} has shape {array.shape}, expected ({n_rows or 'n'}, 2): "
            "a column of times and one of events (1, or 0 where censored).")
    return times_and_events(array[:, 0], array[:, 1], what=what)


def times_and_events(
    time: ArrayLike,
    event: ArrayLike,
    *,
    what: str = "the data",
) -> tuple[NDArray, NDArray]:
    """Check that times are finite and >= 0, events 0 or 1 -> (time (n,) float, event (n,) bool).

    >>> times_and_events([5, 8], [1, 0])
    (array([5., 8.]), array([ True, False]))
    """
    time, event = as_floats(time, f"time of {what}"), as_floats(event, f"event of {what}")
    are_times = np.isfinite(time).all() and (time >= 0).all()
    if time.ndim != 1 or time.shape != event.shape or not are_times:
        raise ValueError(
            f"the times of {what} (shape {time.shape}; events {event.shape}) must be finite "
            "numbers >= 0, one event for each: drop or mend the other rows.")
    foreign = event[~np.isin(event, (0, 1))]
    if len(foreign):
        raise ValueError(
            f"the events of {what} must be 1 (happened) or 0 (censored), but {foreign[0]} came. "
            "Are the columns in the order time, event?")
    return time, event.astype(bool)


def check_someone_has_it(event: NDArray, *, what: str = "the data") -> None:
    """Refuse data in which all rows are censored: event (n,) bool.

    >>> check_someone_has_it(np.array([True, False]))
    """
    if not event.any():
        raise ValueError(
            f"nobody in {what} has the event (all {len(event)} rows are censored): "
            "there is no rate to estimate.")
