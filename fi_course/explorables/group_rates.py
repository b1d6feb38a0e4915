"""Denial and error rates of two groups under one threshold or one for each group."""

from functools import partial

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore, slider
from fi_course.explorables.marks import axis, categories, grouped_bars, panel

WAYS = {"one": "nothing: one cut for all", "denials": "denials of all",
        "alarms": "denials of those granted", "catches": "denials of those denied"}
SHARES = (0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3)
RATES = ("denied, of all", "denied, of those granted", "denied, of those denied")


def explore_group_rates(risk, denied, group, *, names=("the group", "others")):
    """Show both groups' rates by the share denied and the rule for the thresholds.

    risk (n,) : predicted chances of denial; denied (n,) bool : what was decided
    group (n,) bool : who belongs to the group; names : what the group and the others are called

    Raises ValueError unless the three have one length, and both groups hold some denied and some
    granted.

    >>> seen = explore_group_rates([.1, .4, .6, .9], [False, True, False, True],
    ...                            [True, True, False, False])
    >>> seen.sentence_at(way="one", share=0.3)[:38]
    '30% are denied, with one cut for all: '
    """
    risk, denied, group = np.asarray(risk, float), np.asarray(denied, bool), np.asarray(group, bool)
    if not risk.shape == denied.shape == group.shape or risk.ndim != 1:
        raise ValueError(f"risk has shape {risk.shape}, denied {denied.shape}, "
                         f"group {group.shape}: expected one value a row, (n,) each.")
    for rows in (group, ~group):
        if len(set(denied[rows])) < 2:
            raise ValueError("one of the groups has no denied rows, or no granted ones: "
                             "expected both, else a rate has no rows.")
    controls = [choice("way", "Make equal", WAYS),
                slider("share", "Denied in all", SHARES, format="{:.0%}")]
    return explore("Two groups, one model", controls,
                   partial(rate_state, risk, denied, group, names), start={"share": 0.12},
                   goal="deny both groups at the same rate.")


def rates_of(denials, denied):
    """Return the shares the model denies: of all, of those granted, of those denied by lenders.

    >>> rates_of(np.array([True, False, True, False]), np.array([True, True, False, False]))
    (0.5, 0.5, 0.5)
    """
    return tuple(float(denials[rows].mean())
                 for rows in (np.full(len(denials), True), ~denied, denied))


def cuts_for(risk, denied, group, way, share):
    """Return both groups' thresholds that deny `share` of all rows and equalise a rate.

    The common rate is looked for by halving: the higher it is, the more are denied.
    """
    if way == "one":
        return (float(np.quantile(risk, 1 - share)),) * 2
    counted = {"denials": np.full(len(risk), True), "alarms": ~denied, "catches": denied}[way]
    low, high = 0.0, 1.0
    for _ in range(30):
        rate = (low + high) / 2
        cuts = [float(np.quantile(risk[rows & counted], 1 - rate)) for rows in (group, ~group)]
        too_many = (risk > np.where(group, *cuts)).mean() > share
        low, high = (low, rate) if too_many else (rate, high)
    return tuple(cuts)


def rate_state(risk, denied, group, names, way, share):
    cuts = cuts_for(risk, denied, group, way, share)
    denials = risk > np.where(group, *cuts)
    rates = pd.DataFrame({name: rates_of(denials[rows], denied[rows])
                          for name, rows in zip(names, (group, ~group), strict=True)}, index=RATES)
    ratio = (1 - rates.iloc[0, 0]) / (1 - rates.iloc[0, 1])
    both = [f"{a:.0%} and {b:.0%}" for a, b in rates.to_numpy()]
    made = "one cut for all" if way == "one" else f"equal {WAYS[way]}"
    told = (f"{share:.0%} are denied, with {made}: "
            f"{both[0]} of {names[0]} and {names[1]} (impact ratio of grants {ratio:.2f}). "
            f"Of those whom the lenders granted, {both[1]} are denied; "
            f"of those whom they denied, {both[2]}. The cuts are {cuts[0]:.2f} and {cuts[1]:.2f}.")
    return State(told, [_rate_panel(rates)], rates.rename_axis("share").reset_index(),
                 reached=way == "denials")


def _rate_panel(rates):
    return panel(grouped_bars(rates, (("c1", False), ("c0", True)), labels="{:.0%}"),
                 x=axis(0, 1.12, "share denied by the model",
                        ticks={0: "0", 0.5: "50%", 1: "100%"}),
                 y=categories(RATES), title="What each group meets", height=230, min_width=330)
