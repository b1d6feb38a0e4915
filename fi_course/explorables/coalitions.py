"""Show a player's marginal contributions in one order beside the means over all orders.

They depend on who came before; their mean over all orders, the Shapley value, does not.
"""

from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore, slider
from fi_course.explorables.marks import axis, bars, categories, panel, points, rule, signed
from fi_teach.basics.games import coalitions, shapley, tabulate
from fi_teach.basics.value_functions import marginal
from fi_teach.data import golf
from fi_teach.plots.colours import hues_of
from fi_teach.trees import grow_c45

STRIPED = (False, True, False)  # which player's bars
ORDERS = tuple(permutations(range(3)))
FARES = {"": 0, "A": 12, "B": 18, "C": 24, "AB": 24, "AC": 30, "BC": 30, "ABC": 36}
"""Fares in euros of a ride home for Ada, Ben and Cleo, and for any of them."""
DAY = 14


class Game(NamedTuple):
    """A cooperative game of three players: its wording, and what their coalitions earn."""

    title: str
    players: tuple
    payoff: str = "prediction"
    nobody: str = "nothing known"


GAMES = {"taxi": Game("A shared taxi", ("Ada", "Ben", "Cleo"), "fare", "nobody in the taxi"),
         "and": Game("AND of three bits, all 1", ("x1", "x2", "x3")),
         "xor": Game("XOR of two bits, and an idle one", ("x1", "x2", "x3")),
         "golf": Game(f"Golf: the tree's chance of Yes on day {DAY}",
                      ("Outlook", "Humidity", "Wind"))}


def explore_coalitions():
    """Show marginal contributions in any order of entry beside their means over all orders.

    >>> said = explore_coalitions().sentence_at(game="taxi", order=(0, 1, 2), entered=1)
    >>> print(said.replace(". ", ".\\n"))
    A shared taxi, order Ada, Ben, Cleo, 1 of 3 in: Ada adds +12.
    The fare stands at 12 (nobody in the taxi: 0).
    Mean over all six orders: Ada +8, Ben +11, Cleo +17.
    """
    orders = dict(zip(ORDERS, orders_of(GAMES["taxi"]), strict=True))
    titles = {name: game.title for name, game in GAMES.items()}
    controls = [choice("game", "Game", titles, kind="select"),
                choice("order", "Order of entry", orders, kind="select"),
                slider("entered", "Players who have entered", range(4))]
    return explore("Who adds what?", controls, coalition_state, start={"entered": 1})


@cache
def payoffs(game):
    """Return what every coalition of the game earns, by bitmask -> (8,)."""
    bits = coalitions(3).astype(float)  # all eight rows of three bits
    tables = {"taxi": lambda: tabulate(lambda S: FARES["".join("ABC"[k] for k in sorted(S))], 3),
              "and": lambda: predicted(lambda X: X.prod(axis=1), [1, 1, 1], bits),
              "xor": lambda: predicted(lambda X: X[:, 0] != X[:, 1], [1, 0, 1], bits),
              "golf": chances_of_golf}
    return tables[game]()


def predicted(predict, row, background, known=()):
    """Return the mean prediction of every coalition of a row's features -> (2^players,).

    Features outside the coalition are drawn from the background; `known` are in every coalition.
    """
    players = [j for j in range(len(row)) if j not in known]
    S = np.ones((2 ** len(players), len(row)), dtype=bool)
    S[:, players] = coalitions(len(players))
    background, row = (np.asarray(part, dtype=float) for part in (background, row))
    return marginal(lambda X: np.asarray(predict(X), dtype=float), background)(row[None], S).ravel()


def chances_of_golf():
    """Return the golf tree's probability of Yes on one day for every coalition -> (8,).

    Temperature, on which the tree never splits, counts as known.
    """
    X, y = golf()
    tree = grow_c45(X, y)
    return predicted(lambda rows: tree.predict_proba(rows)[:, 1], X.loc[DAY], X, known=(1,))


def orders_of(game):
    """List the six orders of entry in words -> list of 6 str."""
    return [" → ".join(game.players[k] for k in order) for order in ORDERS]


def look_of(game, player):
    """Return a player's colour, the same in all figures, and whether its bars are hatched."""
    return {"colour": hues_of(game.players)[game.players[player]], "hatch": STRIPED[player]}


def gains_in_order(table, order):
    """Return each player's marginal contribution in this order -> (3,).

    >>> gains_in_order(payoffs("taxi"), (2, 0, 1)).tolist()
    [6.0, 6.0, 24.0]
    """
    entering = 1 << np.array(order)
    after = entering.cumsum()
    gains = np.empty(3)
    gains[list(order)] = table[after] - table[after - entering]
    return gains


def coalition_state(game, order, entered):
    played, table = GAMES[game], payoffs(game)
    gains, share = gains_in_order(table, order), shapley(table, 3)
    inside = list(order[:entered])
    told = pd.DataFrame({"player": played.players, "enters": [order.index(k) + 1 for k in range(3)],
                         "adds in this order": [signed(gains[k]) if k in inside else "not yet"
                                                for k in range(3)],
                         "mean over all orders": [signed(value) for value in share]})
    panels = [_waterfall(played, table, order, gains, entered),
              _shares(played, table, gains, share, inside)]
    return State(_in_words(played, table[0], order, gains, share, entered), panels, told,
                 {"order": orders_of(played)})


def _in_words(game, start, order, gains, share, entered):
    names = game.players
    adds = (", ".join(f"{names[k]} adds {signed(gains[k])}" for k in order[:entered])
            or "nobody has entered")
    stands = start + sum(gains[k] for k in order[:entered])
    means = ", ".join(f"{name} {signed(value)}" for name, value in zip(names, share, strict=True))
    return (f"{game.title}, order {', '.join(names[k] for k in order)}, {entered} of 3 in: "
            f"{adds}. The {game.payoff} stands at {stands:.3g} ({game.nobody}: {start:.3g}). "
            f"Mean over all six orders: {means}.")


def _waterfall(game, table, order, gains, entered):
    """Draw a waterfall from the empty coalition, one bar for each player in the coalition."""
    low, high = _span(table)
    steps, stands = [], table[0]
    for place, k in enumerate(order[:entered]):
        steps += bars([gains[k]], start=stands, at=[place], horizontal=True, **look_of(game, k))
        stands += gains[k]
    ends = [rule(x=table[0], name=game.nobody),
            rule(x=table[-1], colour="ink", name="all three in", dashed=False)]
    return panel(steps, ends, x=axis(low, high, game.payoff),
                 y=categories([game.players[k] for k in order]),
                 title="Each adds something on entering", height=190, min_width=300)


def _shares(game, table, gains, share, inside):
    """Draw the contributions in this order as bars and their means over all orders as diamonds."""
    seen = [gains_in_order(table, order) for order in ORDERS]
    low, high = _span(np.array([*seen, np.zeros(3)]))
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
