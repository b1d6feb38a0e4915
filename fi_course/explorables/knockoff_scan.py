"""The threshold of knockoff+, and the share of false selections above it."""

from functools import cache

import numpy as np

from fi_course.explorables.explorable import State, choice, explore, slider
from fi_course.explorables.marks import axis, categories, curve, handle, panel, points, region, rule
from fi_teach.importance import gaussian_knockoffs, knockoff_threshold
from fi_teach.importance.knockoffs import knockoff_statistics

STUDIES = {"strong": "twelve clear causes", "weak": "twelve weak causes", "four": "four causes",
           "none": "no cause at all"}
CAUSES = {"strong": 12, "weak": 12, "four": 4, "none": 0}
EFFECTS = {"strong": 0.35, "weak": 0.18, "four": 0.5, "none": 0.0}  # of each cause
N_ROWS, N_FEATURES = 300, 40
SEED = 22  # shows "at least five or none": the four causes are found at q = 0.3, never at 0.2
HIGHEST = 0.42
SIZES = np.arange(1, 28) * 0.015


def explore_knockoffs():
    """Show selections and their false share as the threshold t moves.

    >>> explore_knockoffs().sentence_at(study="four", q=0.2, t=0.15)[-45:]
    'No t passes, and knockoff+ announces nothing.'
    """
    controls = [choice("study", "The study", STUDIES),
                slider("q", "Target rate q", [0.1, 0.2, 0.3], format="{:.0%}"),
                slider("t", "Threshold t", SIZES, format="{:.3f}")]
    return explore("Where does knockoff+ stop?", controls, scan_state,
                   start={"q": 0.2, "t": SIZES[1]},
                   goal="find a study and a threshold t that passes.")


def scan_state(study, q, t):
    statistics, cause = statistics_of(study)
    won, lost, false, estimate = counts_at(statistics, cause, t)
    stop = knockoff_threshold(statistics, q)
    announced, _, wrongly, _ = counts_at(statistics, cause, stop)
    passes = won > 0 and estimate <= q
    judged = (f"(1 + {lost}) / {won} = {100 * estimate:.0f}%: t "
              f"{'passes' if passes else 'does not pass'}." if won else
              "With no winner there is nothing to announce.")
    stops = (f"Knockoff+ stops at {stop:.3f}, the smallest |W| that passes, and announces "
             f"{announced}, {wrongly} of them false." if announced else
             "No t passes, and knockoff+ announces nothing.")
    told = (f"{STUDIES[study].capitalize()}, q = {100 * q:.0f}%, t = {t:.3f}: "
            f"{won} feature{' wins' if won == 1 else 's win'} by t or more, "
            f"{lost} lose{'s' if lost == 1 else ''} by as much. {judged} "
            f"In truth {false} of the {won} {'is' if false == 1 else 'are'} false. {stops}")
    figures = {"winners at t": won, "losers at t": lost,
               "estimated share of false winners": f"{estimate:.3f}",
               "true share of false winners": f"{false / max(1, won):.3f}",
               "where knockoff+ stops": f"{stop:.3f}" if announced else "nowhere",
               "features it announces": announced}
    return State(told, [_duels_panel(statistics, cause, t), _share_panel(statistics, cause, q, t)],
                 figures, reached=passes)


@cache
def statistics_of(study):
    """Return W of each feature by ridge regression, and which are causes -> ((p,), (p,) bool)."""
    def ridge(XX, y):  # sizes of the coefficients at a penalty of 20
        return abs(np.linalg.solve(XX.T @ XX + 20 * np.eye(XX.shape[1]), XX.T @ y))

    n_causes, effect = CAUSES[study], EFFECTS[study]
    covariance = np.eye(N_FEATURES)  # each of the first twelve has a follower with correlation 0.8
    covariance[:24, :24] += np.kron([[0, 0.8], [0.8, 0]], np.eye(12))
    rng = np.random.default_rng([SEED, n_causes, int(100 * effect)])
    X = rng.multivariate_normal(np.zeros(N_FEATURES), covariance, N_ROWS)
    y = effect * X[:, :n_causes].sum(axis=1) + rng.standard_normal(N_ROWS)
    doubles = gaussian_knockoffs(X, mean=np.zeros(N_FEATURES), covariance=covariance, rng=rng)
    return knockoff_statistics(ridge, X, doubles, y, rng=rng), np.arange(N_FEATURES) < n_causes


def counts_at(statistics, cause, t):
    """Return winners and losers at t, the false winners, and (1 + losers) / winners, t's shape.

    >>> print(*counts_at(np.array([3.0, 2.0, -2.0]), np.array([True, False, False]), 2.0))
    2 1 1 1.0
    """
    t = np.expand_dims(t, -1)
    winners = statistics >= t
    won, lost = winners.sum(axis=-1), (statistics <= -t).sum(axis=-1)
    return won, lost, (winners & ~cause).sum(axis=-1), (1 + lost) / np.maximum(1, won)


def _duels_panel(statistics, cause, t):
    """Draw each feature at |W|, winners in the upper row, losers in the lower, spread a little."""
    size = abs(statistics)
    row = np.where(statistics > 0, 0, 1) + 0.32 * np.sin(2.4 * np.arange(len(statistics)))
    return panel(region(x=(t, HIGHEST), colour="muted"), rule(y=0.5, colour="ink", dashed=False),
                 points(size[cause], row[cause], name="cause", size=5),
                 points(size[~cause], row[~cause], colour="c1", shape="square", name="no cause",
                        size=5),
                 handle(rule(x=t, colour="ink", name="t"), "t", SIZES),
                 x=axis(0, HIGHEST, "size of W"), y=categories(["wins", "loses"]),
                 title="Feature against double", height=230, min_width=300)


def _share_panel(statistics, cause, q, t):
    """Draw the estimated and the true share of false winners at every threshold."""
    won, _, false, estimate = counts_at(statistics, cause, SIZES)
    return panel(rule(y=q, colour="ink", name="q"),
                 curve(SIZES, np.minimum(1.05, estimate), t, name="estimated"),
                 curve(SIZES, false / np.maximum(1, won), t, colour="c1", shape="square",
                       name="true", dashed=True),
                 x=axis(0, HIGHEST, "threshold t"),
                 y=axis(0, 1.1, "share of the winners that is false"),
                 title="Which share is false?", height=230, min_width=300)
