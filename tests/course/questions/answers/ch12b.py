"""Answers to exercise set 12b: right ones written differently from the solution, and wrong ones
as students give them."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd

from fi_audit import group_gap as borrowed_gap
from fi_teach.basics.losses import concordance as borrowed_concordance
from fi_teach.basics.results import Attribution

WHY = "because of the rows concerned"


# field_two.repair_leak

def honest_by_asking_back(columns, known_from, made_from, decided_at):
    """Each column asks its parts, they ask theirs."""
    def leaks(name):
        return known_from.get(name, decided_at) > decided_at or any(leaks(part) for part in made_from.get(name, []))
    return [name for name in columns if not leaks(name)]


def honest_until_nothing_changes(columns, known_from, made_from, decided_at):
    gone = [name for name in known_from if known_from[name] > decided_at]
    for late in gone:  # grows while it is walked
        gone += [name for name in made_from if late in made_from[name] and name not in gone]
    return tuple(name for name in columns if name not in gone)


def drop_late_ones(columns, known_from, made_from, decided_at):
    return [name for name in columns if known_from.get(name, decided_at) <= decided_at]


def drop_late_and_their_children(columns, known_from, made_from, decided_at):
    late = {name for name in known_from if known_from[name] > decided_at}
    return [name for name in columns if name not in late and not late & set(made_from.get(name, []))]


def look_in_the_table_only(columns, known_from, made_from, decided_at):
    return honest_by_asking_back(columns, {name: known_from[name] for name in columns if name in known_from}, made_from,
                                 decided_at)


def at_the_moment_is_late(columns, known_from, made_from, decided_at):
    return honest_by_asking_back(columns, {name: time + 0.5 for name, time in known_from.items()}, made_from,
                                 decided_at)


def away_with_the_parts(columns, known_from, made_from, decided_at):
    everything = set(columns) | set(known_from) | set(made_from)
    gone = everything - set(honest_by_asking_back(list(everything), known_from, made_from, decided_at))
    gone |= {part for name in gone for part in made_from.get(name, [])}
    return [name for name in columns if name not in gone]


def only_if_every_part_leaks(columns, known_from, made_from, decided_at):
    def leaks(name):
        parts = made_from.get(name, [])
        return known_from.get(name, decided_at) > decided_at or (bool(parts) and all(map(leaks, parts)))
    return [name for name in columns if not leaks(name)]


def what_must_go(columns, known_from, made_from, decided_at):
    stays = honest_by_asking_back(columns, known_from, made_from, decided_at)
    return [name for name in columns if name not in stays]


# field_two.gap_shares

def gap_with_frames(phi, group):
    table = pd.DataFrame(np.asarray(phi))
    means = table.groupby(np.asarray(group)).mean()
    return (means.loc[True] - means.loc[False]).to_numpy()


def gap_by_weights(phi, group):
    """Each row weighs one over the size of its group, with a minus for the others."""
    group = np.asarray(group, float)
    weights = group / group.sum() - (1 - group) / (1 - group).sum()
    return weights @ np.asarray(phi)


def others_less_group(phi, group):
    return -gap_by_weights(phi, group)


def gap_of_sums(phi, group):
    phi, group = np.asarray(phi), np.asarray(group)
    return phi[group].sum(axis=0) - phi[~group].sum(axis=0)


def gap_of_sizes(phi, group):
    return gap_by_weights(np.abs(np.asarray(phi)), group)


def gap_as_shares(phi, group):
    gap = gap_by_weights(phi, group)
    return gap / gap.sum()


def group_less_all(phi, group):
    phi = pd.DataFrame(np.asarray(phi))
    return phi[np.asarray(group)].mean() - phi.mean()


def borrowed_shares(phi, group):
    phi = np.asarray(phi)
    return borrowed_gap(Attribution(phi, 0.0, tuple("abcdefgh"[: phi.shape[1]])), np.repeat(group, 1)).mean


# field_two.concordance

def concordance_by_matrix(time, event, risk):
    time, event, risk = map(np.asarray, (time, event, risk))
    known = (time[:, None] < time) & (event[:, None] == 1)
    won = np.sign(risk[:, None] - risk) / 2 + 0.5
    return won[known].mean()


def concordance_by_sorting(time, event, risk):
    """Women in the order of their times; each event is compared with all who come later."""
    order = np.argsort(np.asarray(time))
    event, risk = np.asarray(event)[order], np.asarray(risk)[order]
    won = pairs = 0
    for k in np.flatnonzero(event):
        later = risk[k + 1:]
        won += (later < risk[k]).sum() + (later == risk[k]).sum() / 2
        pairs += len(later)
    return won / pairs


def _matrix(time, event, risk, known, won):
    time, event, risk = map(np.asarray, (time, event, risk))
    counted = (time[:, None] < time) & known(event[:, None] == 1, event == 1)
    return won(risk[:, None], risk)[counted].mean()


def _half(first, second):
    return (first > second) + (first == second) / 2


def all_pairs(time, event, risk):
    return _matrix(time, event, risk, lambda first, second: first | True | second, _half)


def both_events(time, event, risk):
    return _matrix(time, event, risk, lambda first, second: first & second, _half)


def ties_lost(time, event, risk):
    return _matrix(time, event, risk, lambda first, second: first, lambda a, b: a > b)


def ties_won(time, event, risk):
    return _matrix(time, event, risk, lambda first, second: first, lambda a, b: a >= b)


def ties_skipped(time, event, risk):
    won = [risk[i] > risk[j] for i in range(len(time)) for j in range(len(time)) if time[i] < time[j] and event[i]
           and risk[i] != risk[j]]
    return sum(won) / len(won)


def concordance_by_combinations(time, event, risk):
    """Each pair once, the earlier woman first."""
    pairs = (sorted(pair, key=lambda i: time[i]) for pair in combinations(range(len(time)), 2))
    points = [1 if risk[i] > risk[j] else 0.5 if risk[i] == risk[j] else 0 for i, j in pairs if event[i] == 1]
    return Fraction(sum(points)) / len(points)


def late_is_good(time, event, risk):
    return _matrix(time, event, risk, lambda first, second: first, lambda a, b: _half(b, a))


# field_two.mend_hazard

def hazard_by_sorting(time, event, t):
    """In the order of the times the k-th of n women leaves n - k at risk behind her, herself included."""
    rows = sorted(zip(time, event, strict=True))
    return sum(1 / (len(rows) - k) for k, (when, seen) in enumerate(rows) if seen and when <= t)


def hazard_with_series(time, event, t):
    table = pd.DataFrame({"time": list(time), "event": list(event)}).sort_values("time", ascending=False)
    table["at_risk"] = range(1, len(table) + 1)
    return (table["event"] / table["at_risk"])[table["time"] <= t].sum()


def all_are_events(time, event, t):
    time = np.asarray(time)
    return sum(1 / (time >= when).sum() for when in time if when <= t)


def same_denominator(time, event, t):
    time, event = np.asarray(time), np.asarray(event) == 1
    return (time[event] <= t).sum() / len(time)


def strictly_later(time, event, t):
    time, event = np.asarray(time), np.asarray(event) == 1
    return sum(1 / (time > when).sum() for when in time[event] if when <= t)


def before_t(time, event, t):
    time, event = np.asarray(time), np.asarray(event) == 1
    return sum(1 / (time >= when).sum() for when in time[event] if when < t)


def kaplan_meier(time, event, t):
    time, event = np.asarray(time), np.asarray(event) == 1
    return 1 - np.prod([1 - 1 / (time >= when).sum() for when in time[event] if when <= t])


def to_the_end(time, event, t):
    return hazard_by_sorting(time, event, max(time))


def hazard_of_arrays(time, event, t):
    events = time[event == 1]
    return sum(1 / (time >= when).sum() for when in events[events <= t])


RIGHT = {
    "field_two.recall_additive": [0.18, Fraction(9, 50), "18 %"],
    "field_two.recall_copies": [("B", WHY), ["(b)", WHY]],
    "field_two.repair_leak": [honest_by_asking_back, honest_until_nothing_changes],
    "field_two.cut": ["4/5", Fraction(4, 5), "80 %"],
    "field_two.equal_odds": [
        {"false alarms A": "1/5", "false alarms B": "4/40", "catches A": "3/5", "catches B": "2/5"},
        [Fraction(1, 5), "10 %", 0.6, "0.4"]],
    "field_two.gap_shares": [gap_with_frames, gap_by_weights],
    "field_two.within": [("D", WHY), ["d)", WHY]],
    "field_two.after_dropping": [0.6, "60 %", Fraction(3, 5), "3/5"],
    "field_two.four_women": [0.75, Fraction(3, 4), "75 %", "3/4"],
    "field_two.concordance": [concordance_by_matrix, concordance_by_sorting, concordance_by_combinations],
    "field_two.mend_hazard": [hazard_by_sorting, hazard_with_series],
    "field_two.two_votes": [("B", WHY), np.array(["b.", WHY])],
}

WRONG = {
    "field_two.recall_additive": [("the base forgotten", 0.06), ("sizes added", 0.22), ("a mean", 0.14),
                                  ("the wrong side", -0.06)],
    "field_two.recall_copies": [("importances do not add up", ("a", WHY)), ("nothing is lost", ("c", WHY)),
                                ("counted twice", ("d", WHY))],
    "field_two.repair_leak": [
        ("dates only", drop_late_ones), ("one step only", drop_late_and_their_children),
        ("only what is still there", look_in_the_table_only),
        ("known at the decision taken for late", at_the_moment_is_late),
        ("the parts thrown out too", away_with_the_parts),
        ("all parts must be late", only_if_every_part_leaks), ("what must go", what_must_go)],
    "field_two.cut": [("the likelier outcome", "1/2"), ("one less a quarter", 0.75), ("the other way round", "1/5"),
                      ("per cent without its sign", 80),
                      ("a ratio, not a chance", 4)],
    "field_two.equal_odds": [
        ("of all applicants", ["4/30", "4/45", "6/30", "2/45"]),
        ("of the model's denials", ["4/10", "4/6", "6/10", "2/6"]),
        ("those the model grants", [0.8, 0.9, 0.4, 0.6]), ("both groups together", ["8/60", "8/60", "8/15", "8/15"]),
        ("per cent without its sign", [20, 10, 60, 40])],
    "field_two.gap_shares": [
        ("the sign", others_less_group), ("sums, not means", gap_of_sums), ("sizes", gap_of_sizes),
        ("a part of the gap", gap_as_shares),
        ("against everybody", group_less_all), ("borrowed", borrowed_shares)],
    "field_two.within": [("taken for a verdict", ("a", WHY)), ("read as not used", ("b", WHY)),
                         ("put down to chance", ("c", WHY))],
    "field_two.after_dropping": [("what went", 0.4), ("the old share subtracted", 0.5), ("the share itself", 0.833),
                                 ("per cent without its sign", 60),
                                 ("points, not per cent", 0.096)],
    "field_two.four_women": [("all pairs", 0.5), ("censored left out", 2 / 3), ("the order turned", 0.25),
                             ("per cent without its sign", 75),
                             ("pairs, not a share", 3)],
    "field_two.concordance": [
        ("censored ones taken for events", all_pairs), ("both must have events", both_events),
        ("ties count nothing", ties_lost),
        ("ties count whole", ties_won), ("ties left out", ties_skipped), ("the order turned", late_is_good),
        ("borrowed", borrowed_concordance)],
    "field_two.mend_hazard": [
        ("right for arrays only", hazard_of_arrays),
        ("censored counted as events", all_are_events), ("everybody always at risk", same_denominator),
        ("the event's own woman left out", strictly_later), ("no end", to_the_end),
        ("t itself left out", before_t), ("a share, not a hazard", kaplan_meier)],
    "field_two.two_votes": [("only as they are", ("a", WHY)), ("only standardised", ("c", WHY)),
                            ("turned round", ("d", WHY))],
}
