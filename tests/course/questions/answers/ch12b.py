"""Answers to exercise set 12b: right ones written differently from the solution, and wrong ones
as students give them."""

import numpy as np
import pandas as pd

from fi_audit import group_gap as borrowed_gap
from fi_teach.basics.losses import concordance as borrowed_concordance
from fi_teach.basics.results import Attribution

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


def gap_as_shares(phi, group):
    """By weights: each row weighs one over the size of its group, with a minus for the others."""
    group = np.asarray(group, float)
    gap = (group / group.sum() - (1 - group) / (1 - group).sum()) @ np.asarray(phi)
    return gap / gap.sum()


def borrowed_shares(phi, group):
    phi = np.asarray(phi)
    return borrowed_gap(Attribution(phi, 0.0, tuple("abcdefgh"[: phi.shape[1]])), np.repeat(group, 1)).mean


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


def hazard_of_arrays(time, event, t):
    events = time[event == 1]
    return sum(1 / (time >= when).sum() for when in events[events <= t])


RIGHT = {
    "field_two.recall_additive": ["18 %"],
    "field_two.repair_leak": [honest_by_asking_back],
    "field_two.cut": ["4/5"],
    "field_two.equal_odds": [
        {"false alarms A": "1/5", "false alarms B": "4/40", "catches A": "3/5", "catches B": "2/5"}],
    "field_two.gap_shares": [gap_with_frames],
    "field_two.after_dropping": ["60 %"],
    "field_two.four_women": ["75 %"],
    "field_two.concordance": [concordance_by_matrix],
    "field_two.mend_hazard": [hazard_by_sorting],
}

WRONG = {
    "field_two.gap_shares": [("a part of the gap", gap_as_shares), ("borrowed", borrowed_shares)],
    "field_two.concordance": [("borrowed", borrowed_concordance)],
    "field_two.mend_hazard": [("right for arrays only", hazard_of_arrays)],
}
