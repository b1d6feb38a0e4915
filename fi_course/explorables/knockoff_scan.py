"""The threshold of knockoff+, and the share of false selections above it."""

from functools import cache

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore, slider
from fi_course.explorables.marks import axis, categories, curve, handle, panel, points, region, rule
from fi_teach.importance import gaussian_knockoffs, knockoff_threshold
from fi_teach.importance.knockoffs import knockoff_statistics

STUDIES = {"strong": "twelve clear causes", "weak": "twelve weak causes", "four": "four causes",
           "none": "no cause at all"}
# how many, and how strong each
CAUSES = {"strong": (12, 0.35), "weak": (12, 0.18), "four": (4, 0.5), "none": (0, 0.0)}
N_ROWS, N_FEATURES = 300, 40
SEED = 22  # shows "at least five or none": the four causes are found at q = 0.3, never at 0.2
HIGHEST = 0.42
SIZES = tuple(np.arange(1, 28) * 0.015)


def explore_knockoffs():
    """Show selections and their false share as the threshold t moves.

    >>> explore_knockoffs().sentence_at(study="four", q=0.2, t=0.15)[-45:]
    'No t passes, and knockoff+ announces nothing.'
    """
    controls = [choice("study", "The study", STUDIES),
                slider("q", "Target rate q", [0.1, 0.2, 0.3], format="{:.0%}"),
                slider("t", "Threshold t", SIZES, format="{:.3f}")]
    return explore("Where does knockoff+ stop?", controls, scan_state,
                   start={"q": 0.2, "t": SIZES[13]},
                   goal="find a study and a threshold t that passes.")


def scan_state(study, q, t):
    statistics, cause = statistics_of(study)
    won, lost, false, estimate = counts_at(statistics, cause, t)
    stop = knockoff_threshold(statistics, q)
    told = (f"{STUDIES[study].capitalize()}, q = {100 * q:.0f} %, t = {t:.3f}: "
            f"{'1 feature wins' if won == 1 else f'{won} features win'} by t or more, "
            f"{lost} {'loses' if lost == 1 else 'lose'} by as much. "
            f"{_judged(won, lost, estimate, q)} In truth {false} of the {won} "
            f"{'is' if false == 1 else 'are'} false. {_stop(statistics, cause, stop)}")
    figures = {"winners at t": won, "losers at t": lost,
               "estimated share of false winners": f"{estimate:.3f}",
               "true share of false winners": f"{false / max(1, won):.3f}",
               "where knockoff+ stops": f"{stop:.3f}" if np.isfinite(stop) else "nowhere",
               "features it announces": (statistics >= stop).sum()}
    return State(told, [_duels_panel(statistics, cause, t), _share_panel(statistics, cause, q, t)],
                 pd.DataFrame(figures.items(), columns=["what", "value"]),
                 reached=won > 0 and estimate <= q)


@cache
def statistics_of(study):
    """Return W of each feature by ridge regression, and which are causes -> ((p,), (p,) bool)."""
    n_causes, effect = CAUSES[study]
    covariance = np.eye(N_FEATURES)
    for j in range(12):  # each of the first twelve has a follower with correlation .8
        covariance[j, 12 + j] = covariance[12 + j, j] = 0.8
    rng = np.random.default_rng([SEED, n_causes, int(100 * effect)])
    X = rng.multivariate_normal(np.zeros(N_FEATURES), covariance, N_ROWS)
    y = effect * X[:, :n_causes].sum(axis=1) + rng.standard_normal(N_ROWS)
    doubles = gaussian_knockoffs(X, mean=np.zeros(N_FEATURES), covariance=covariance, rng=rng)
    return knockoff_statistics(_ridge, X, doubles, y, rng=rng), np.arange(N_FEATURES) < n_causes


def counts_at(statistics, cause, t):
    """Return winners and losers at t, the false winners, and (1 + losers) / winners.

    >>> counts_at(np.array([3.0, 2.0, -2.0]), np.array([True, False, False]), 2.0)
    (2, 1, 1, 1.0)
    """
    winners = statistics >= t
    won, lost = int(winners.sum()), int((statistics <= -t).sum())
    return won, lost, int((winners & ~cause).sum()), (1 + lost) / max(1, won)


def _ridge(XX, y, penalty=20):
    return np.abs(np.linalg.solve(XX.T @ XX + penalty * np.eye(XX.shape[1]), XX.T @ y))


def _judged(won, lost, estimate, q):
    if won == 0:
        return "With no winner there is nothing to announce."
    verdict = "t passes" if estimate <= q else "t does not pass"
    return f"(1 + {lost}) / {won} = {100 * estimate:.0f} %: {verdict}."


def _stop(statistics, cause, stop):
    if not np.isfinite(stop):
        return "No t passes, and knockoff+ announces nothing."
    won, _, false, _ = counts_at(statistics, cause, stop)
    return (f"Knockoff+ stops at {stop:.3f}, the smallest |W| that passes, and announces {won}, "
            f"{false} of them false.")


def _duels_panel(statistics, cause, t):
    """Draw each feature at |W|, winners in the upper row, losers in the lower, spread a little."""
    row = np.where(statistics > 0, 0, 1) + 0.32 * np.sin(2.4 * np.arange(len(statistics)))
    sides = [points(np.abs(statistics[side]), row[side], colour=colour, shape=shape, name=name,
                    size=5)
             for side, colour, shape, name in ((cause, "c0", "circle", "cause"),
                                               (~cause, "c1", "square", "no cause"))]
    return panel(region(x=(t, HIGHEST), colour="muted"), rule(y=0.5, colour="ink", dashed=False),
                 sides, handle(rule(x=t, colour="ink", name="t"), "t", SIZES),
                 x=axis(0, HIGHEST, "size of W"), y=categories(["wins", "loses"]),
                 title="Feature against double", height=230, min_width=300)


def _share_panel(statistics, cause, q, t):
    """Draw the estimated and the true share of false winners at every threshold."""
    scanned = [counts_at(statistics, cause, size) for size in SIZES]
    estimated = [min(1.05, estimate) for *_, estimate in scanned]
    true = [false / max(1, won) for won, _, false, _ in scanned]
    return panel(rule(y=q, colour="ink", name="q"),
                 curve(SIZES, estimated, t, name="estimated"),
                 curve(SIZES, true, t, colour="c1", shape="square", name="true", dashed=True),
                 x=axis(0, HIGHEST, "threshold t"),
                 y=axis(0, 1.1, "share of the winners that is false"),
                 title="Which share is false?", height=230, min_width=300)
