"""Answers to exercise set 12b: right ones written differently from the solution."""

import numpy as np
import pandas as pd

# field_two.repair_leak

def honest_by_asking_back(columns, known_from, made_from, decided_at):
    """Each column asks its parts, they ask theirs."""
    def leaks(name):
        return known_from.get(name, decided_at) > decided_at or any(leaks(part) for part in made_from.get(name, []))
    return [name for name in columns if not leaks(name)]


# field_two.gap_shares

def gap_with_frames(phi, group):
    table = pd.DataFrame(np.asarray(phi))
    means = table.groupby(np.asarray(group)).mean()
    return (means.loc[True] - means.loc[False]).to_numpy()


# field_two.concordance

def concordance_by_matrix(time, event, risk):
    time, event, risk = map(np.asarray, (time, event, risk))
    known = (time[:, None] < time) & (event[:, None] == 1)
    won = np.sign(risk[:, None] - risk) / 2 + 0.5
    return won[known].mean()


# field_two.mend_hazard

def hazard_by_sorting(time, event, t):
    """In the order of the times the k-th of n women leaves n - k at risk behind her, herself included."""
    rows = sorted(zip(time, event, strict=True))
    return sum(1 / (len(rows) - k) for k, (when, seen) in enumerate(rows) if seen and when <= t)


RIGHT = {
    "field_two.repair_leak": [honest_by_asking_back],
    "field_two.gap_shares": [gap_with_frames],
    "field_two.concordance": [concordance_by_matrix],
    "field_two.mend_hazard": [hazard_by_sorting],
}
