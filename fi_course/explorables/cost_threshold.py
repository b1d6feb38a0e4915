"""Choose the threshold of a forecast by the costs of its two kinds of errors."""

from functools import partial

import numpy as np

from fi_course.explorables.explorable import State, choice, explore, slider
from fi_course.explorables.marks import axis, bars, handle, line, panel, points, rule

RATIOS = (1, 2, 5, 10)
CUTS = tuple(np.round(np.arange(1, 20) * 0.05, 2))
EDGES = np.linspace(0, 1, 21)


def explore_costs(chance, accepted):
    """Show false acceptances and refusals by threshold, and the threshold of least cost.

    chance (n,) : forecast chances of acceptance; accepted (n,) bool : what was decided

    Raises ValueError unless there is one decision for each chance and both kinds of decision.

    >>> seen = explore_costs([0.2, 0.7, 0.9], [False, False, True])
    >>> seen.sentence_at(ratio=5, cut=0.5)[:47]
    'Cut at 0.50: of 100 applicants 33.3 are wrongly'
    """
    chance, accepted = np.asarray(chance, float), np.asarray(accepted, bool)
    if chance.shape != accepted.shape or chance.ndim != 1:
        raise ValueError(f"chance has shape {chance.shape}, accepted {accepted.shape}: "
                         "expected one decision for each chance, (n,) both.")
    if accepted.all() or not accepted.any():
        raise ValueError("all decisions are alike: expected some accepted and some refused, "
                         "else there is only one kind of error.")
    costs = "A wrong acceptance costs as much as so many wrong refusals"
    controls = [choice("ratio", costs, RATIOS),
                slider("cut", "Accept above", CUTS, format="{:.2f}")]
    return explore("Where to cut?", controls, partial(cost_state, chance, accepted),
                   start={"ratio": 5, "cut": CUTS[0]},
                   goal="find a cut of least cost where a wrong acceptance costs 10 refusals.")


def errors_at(chance, accepted, cut):
    """Return how many of 100 applicants are wrongly accepted and wrongly refused.

    >>> errors_at(np.array([0.2, 0.7, 0.9, 0.4]), np.array([False, False, True, True]), 0.5)
    (25.0, 25.0)
    """
    taken = chance > cut
    return float(100 * (taken & ~accepted).mean()), float(100 * (~taken & accepted).mean())


def cost_at(chance, accepted, ratio, cut):
    """Return the cost of 100 applicants: ratio * wrongly accepted + wrongly refused."""
    wrongly_in, wrongly_out = errors_at(chance, accepted, cut)
    return ratio * wrongly_in + wrongly_out


def cost_state(chance, accepted, ratio, cut):
    wrongly_in, wrongly_out = errors_at(chance, accepted, cut)
    costs = np.array([cost_at(chance, accepted, ratio, each) for each in CUTS])
    here, least, rule_says = costs[CUTS.index(cut)], CUTS[costs.argmin()], ratio / (1 + ratio)
    told = (
        f"Cut at {cut:.2f}: of 100 applicants {wrongly_in:.1f} are wrongly accepted and "
        f"{wrongly_out:.1f} wrongly refused. At {ratio} to 1 that costs {here:.0f} wrong refusals. "
        f"The least, {costs.min():.0f}, lies at {least:.2f}; "
        f"{ratio} / {1 + ratio} = {rule_says:.2f} is the cut that follows from the costs.")
    figures = {"wrongly accepted of 100": wrongly_in, "wrongly refused of 100": wrongly_out,
               "cost of 100": here, "least cost of 100": costs.min(),
               "cut with the least cost": least, "cut from the costs": rule_says}
    return State(told, [_forecast_panel(chance, accepted, cut),
                        _cost_panel(costs, rule_says, cut, here)],
                 {what: f"{value:.2f}" for what, value in figures.items()},
                 reached=ratio == 10 and here == costs.min())


def _forecast_panel(chance, accepted, cut):
    """Draw the forecasts of both classes as histograms, one upwards, one downwards."""
    middle, tallest, drawn = (EDGES[1:] + EDGES[:-1]) / 2, 5.0, []
    for name, kind, sign, colour, hatch in (("accepted by the bank", accepted, 1, "c4", False),
                                            ("refused by the bank", ~accepted, -1, "c3", True)):
        share = 100 * np.histogram(chance[kind], EDGES)[0] / len(chance)
        some, tallest = share > 0, max(tallest, 1.1 * share.max())
        drawn += bars(sign * share[some], at=middle[some], width=0.045, colour=colour, hatch=hatch,
                      name=name)
    return panel(drawn, rule(y=0, colour="ink", dashed=False),
                 handle(rule(x=cut, colour="ink", name="cut"), "cut", CUTS),
                 x=axis(0, 1, "forecast"),
                 y=axis(-tallest, tallest, "of 100 applicants", ticks={0: "0"}),
                 title="Who gets which forecast", height=230, min_width=300)


def _cost_panel(costs, rule_says, cut, here):
    return panel(line(CUTS, costs, colour="c0"),
                 rule(x=rule_says, colour="good", name="cut from the costs"),
                 points([cut], [here], colour="ink", shape="diamond", name="here"),
                 x=axis(0, 1, "cut"),
                 y=axis(0, 1.1 * max(costs.max(), 1), "cost of 100 applicants"),
                 title="What it costs", height=230, min_width=300)
