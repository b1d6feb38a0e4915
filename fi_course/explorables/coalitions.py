"""Show a player's marginal contributions in one order beside the means over all orders.

They depend on who came before; their mean over all orders, the Shapley value, does not.

Four games of three players, each a table of what every coalition earns;
the features of a model are players, too.
"""

from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore, slider
from fi_course.explorables.marks import axis, bars, categories, panel, points, rule
from fi_teach.basics.games import coalitions, shapley, tabulate
from fi_teach.basics.value_functions import marginal
from fi_teach.data import golf
from fi_teach.plots.colours import hues_of
from fi_teach.trees import grow_c45

STRIPED = (False, True, False)  # which player's bars
ORDERS = tuple(permutations(range(3)))
SHARED_TAXI = {"": 0, "A": 12, "B": 18, "C": 24, "AB": 24, "AC": 30, "BC": 30, "ABC": 36}
"""Fares in euros of a ride home for Ada, Ben and Cleo, and for any of them."""
DAY = 14


@dataclass(frozen=True)
class Game:
    """A cooperative game: players, the payoff of every coalition by bitmask, and its wording."""

    players: tuple
    table: np.ndarray
    payoff: str
    nobody: str


def explore_coalitions():
    """Show marginal contributions in any order of entry beside their means over all orders.

    >>> said = explore_coalitions().sentence_at(game="taxi", order=(0, 1, 2), entered=1)
    >>> print(said.replace(". ", ".\\n"))
    A shared taxi, order Ada, Ben, Cleo, 1 of 3 in: Ada adds +12.
    The fare stands at 12 (nobody in the taxi: 0).
    Mean over all six orders: Ada +8, Ben +11, Cleo +17.
    """
    orders = dict(zip(ORDERS, orders_of(game_called("taxi")), strict=True))
    controls = [choice("game", "Game", TITLES, kind="select"),
                choice("order", "Order of entry", orders, kind="select"),
                slider("entered", "Players who have entered", range(4))]
    return explore("Who adds what?", controls, coalition_state, start={"entered": 1})


TITLES = {"taxi": "A shared taxi", "and": "AND of three bits, all 1",
          "xor": "XOR of two bits, and an idle one",
          "golf": f"Golf: the tree's chance of Yes on day {DAY}"}


@cache
def game_called(game):
    """Return the game of that name -> Game."""
    bits = coalitions(3).astype(float)  # all eight rows of three bits
    if game == "taxi":
        return Game(("Ada", "Ben", "Cleo"), fares(), "fare", "nobody in the taxi")
    if game == "golf":
        return Game(("Outlook", "Humidity", "Wind"), chances_of_golf(), "prediction",
                    "nothing known")
    names = ("x1", "x2", "x3")
    if game == "and":
        return Game(names, what_is_predicted(lambda X: X.prod(axis=1), [1, 1, 1], bits),
                    "prediction", "nothing known")
    return Game(names, what_is_predicted(lambda X: X[:, 0] != X[:, 1], [1, 0, 1], bits),
                "prediction", "nothing known")


def fares():
    """Return the taxi fare of every coalition -> (8,)."""
    return tabulate(lambda S: SHARED_TAXI["".join("ABC"[player] for player in sorted(S))], 3)


def what_is_predicted(predict, row, background, known=()):
    """Return the mean prediction of every coalition of a row's features.

    Features outside the coalition are drawn from the background.

    known : features that are in every coalition -> (2^players,)
    """
    row, players = np.asarray(row, dtype=float)[None,
                                                :], [j for j in range(len(row)) if j not in known]
    S = np.ones((2 ** len(players), row.shape[1]), dtype=bool)
    S[:, players] = coalitions(len(players))
    return marginal(lambda X: np.asarray(predict(X), dtype=float),
                    np.asarray(background, dtype=float))(row, S)[:, 0, 0]


def chances_of_golf():
    """Return the golf tree's probability of Yes on one day for every coalition -> (8,).

    Temperature, on which the tree never splits, counts as known.
    """
    X, y = golf()
    tree, yes = grow_c45(X, y), 1
    return what_is_predicted(lambda rows: tree.predict_proba(rows)[:, yes], X.loc[DAY], X,
                             known=(1,))


def orders_of(game):
    """List the six orders of entry in words -> list of 6 str."""
    return [" → ".join(game.players[k] for k in order) for order in ORDERS]


def look_of(game, player):
    """Return a player's colour, the same in all figures, and whether its bars are hatched."""
    name = game.players[player]
    return {"colour": hues_of(game.players)[name], "hatch": STRIPED[player]}


def gains_in_order(game, order):
    """Return each player's marginal contribution in this order -> (3,)."""
    after = np.cumsum(1 << np.array(order))
    gains = np.empty(3)
    gains[list(order)] = game.table[after] - game.table[after - (1 << np.array(order))]
    return gains


def coalition_state(game, order, entered):
    played = game_called(game)
    gains, share = gains_in_order(played, order), shapley(played.table, 3)
    inside = list(order[:entered])
    table = pd.DataFrame({"player": played.players,
                          "enters": [order.index(k) + 1 for k in range(3)],
                          "adds in this order": [_signed(gains[k]) if k in inside else "not yet"
                                                 for k in range(3)],
                          "mean over all orders": [_signed(value) for value in share]})
    panels = [_waterfall(played, order, gains, entered), _shares(played, gains, share, inside)]
    return State(_in_words(game, order, gains, share, entered), panels, table,
                 {"order": orders_of(played)})


def _in_words(game, order, gains, share, entered):
    played = game_called(game)
    names, start = played.players, played.table[0]
    adds = (", ".join(f"{names[k]} adds {_signed(gains[k])}" for k in order[:entered])
            or "nobody has entered")
    stands = start + sum(gains[k] for k in order[:entered])
    means = ", ".join(f"{name} {_signed(value)}" for name, value in zip(names, share, strict=True))
    return (f"{TITLES[game]}, order {', '.join(names[k] for k in order)}, {entered} of 3 in: "
            f"{adds}. The {played.payoff} stands at {stands:.3g} ({played.nobody}: {start:.3g}). "
            f"Mean over all six orders: {means}.")


def _signed(value):
    return f"{round(value, 9) + 0.0:+.3g}".replace("-", "−") if abs(value) > 1e-9 else "0"


def _waterfall(game, order, gains, entered):
    """Draw a waterfall from the empty coalition, one bar for each player in the coalition."""
    low, high = _span(game.table)
    steps, stands = [], game.table[0]
    for place, k in enumerate(order[:entered]):
        look = look_of(game, k)
        steps.append(bars([gains[k]], start=stands, at=[place], horizontal=True, **look))
        stands += gains[k]
    ends = [rule(x=game.table[0], name=game.nobody),
            rule(x=game.table[-1], colour="ink", name="all three in", dashed=False)]
    return panel(steps, ends, x=axis(low, high, game.payoff),
                 y=categories([game.players[k] for k in order]),
                 title="Each adds something on entering", height=190, min_width=300)


def _shares(game, gains, share, inside):
    """Draw the contributions in this order as bars and their means over all orders as diamonds."""
    seen = [gains_in_order(game, order) for order in ORDERS]
    low, high = _span(np.concatenate([*seen, [0]]))
    drawn = [bars([gains[k]], at=[k], horizontal=True, width=0.6, **look_of(game, k))
             for k in inside]
    means = points(share, range(3), colour="ink", shape="diamond", name="mean over all six orders")
    return panel(rule(x=0, dashed=False), drawn, means,
                 x=axis(low, high, f"added to the {game.payoff}"),
                 y=categories(game.players), title="This order, and the mean", height=190,
                 min_width=300)


def _span(values):
    """Return an axis' limits with some room on both sides."""
    room = 0.08 * np.ptp(values)
    return values.min() - room, values.max() + room
