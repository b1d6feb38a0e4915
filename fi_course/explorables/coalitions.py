"""Show a player's marginal contributions in one order beside the means over all orders.

They depend on who came before; their mean over all orders, the Shapley value, does not.
"""

from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore
from fi_course.explorables.marks import (
    axis,
    bars,
    box,
    categories,
    handle,
    listed,
    panel,
    points,
    rule,
    signed,
)
from fi_teach.basics.games import coalitions, shapley, tabulate
from fi_teach.basics.value_functions import every_coalition, marginal
from fi_teach.data import golf
from fi_teach.plots.colours import hues_of
from fi_teach.trees import grow_c45

STRIPED = (False, True, False)  # which player's bars
ORDERS = tuple(permutations(range(3)))
ENTERED = tuple(order for size in range(4) for order in permutations(range(3), size))
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
    """Show what each player adds on entering, beside the means over all orders.

    >>> explore_coalitions().sentence[-52:]
    'Mean over all six orders: Ada +8, Ben +11, Cleo +17.'
    """
    titles = {name: game.title for name, game in GAMES.items()}
    controls = [choice("game", "Game", titles, kind="select"),
                choice("entered", "Entered, in this order", in_words(GAMES["taxi"]), kind="select")]
    return explore("Who adds what?", controls, coalition_state, start={"entered": (0,)},
                   goal="let Ben enter the taxi so that he adds only 6 euros to the fare.")


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
    background, row = (np.asarray(part, dtype=float) for part in (background, row))
    v = marginal(lambda X: np.asarray(predict(X), dtype=float), background)
    with_known = coalitions(len(row))[:, list(known)].all(axis=1)
    return every_coalition(v, row[None])[with_known].ravel()


def chances_of_golf():
    """Return the golf tree's probability of Yes on one day for every coalition -> (8,).

    Temperature, on which the tree never splits, counts as known.
    """
    X, y = golf()
    tree = grow_c45(X, y)
    return predicted(lambda rows: tree.predict_proba(rows)[:, 1], X.loc[DAY], X, known=(1,))


def in_words(game):
    """Write every way to have entered -> {players in order: words}."""
    return {entered: " → ".join(game.players[k] for k in entered) or "nobody"
            for entered in ENTERED}


def look_of(game, player):
    """Return a player's colour, the same in all figures, and whether its bars are hatched."""
    return {"colour": hues_of(game.players)[game.players[player]], "hatch": STRIPED[player]}


def gains_in_order(table, order):
    """Return the marginal contribution of each player that enters, in this order -> (len(order),).

    >>> gains_in_order(payoffs("taxi"), (2, 0, 1)).tolist()
    [24.0, 6.0, 6.0]
    """
    inside = np.cumsum([0, *(1 << k for k in order)])
    return np.diff(table[inside])


def coalition_state(game, entered):
    played, table = GAMES[game], payoffs(game)
    gains, share = gains_in_order(table, entered), shapley(table, 3)
    adds = dict(zip(entered, gains, strict=True))
    told = pd.DataFrame({"player": played.players,
                         "enters": [str(entered.index(k) + 1) if k in adds else "not yet"
                                    for k in range(3)],
                         "adds": [signed(adds[k]) if k in adds else "" for k in range(3)],
                         "mean over all orders": [signed(value) for value in share]})
    panels = [_entry_panel(played, table, entered, gains), _mean_panel(played, table, adds, share)]
    return State(_sentence(played, table[0], entered, gains, share), panels, told,
                 {"entered": list(in_words(played).values())},
                 reached=game == "taxi" and adds.get(1) == 6)


def _sentence(game, start, entered, gains, share):
    adds = ", ".join(f"{game.players[k]} adds {signed(gain)}"
                     for k, gain in zip(entered, gains, strict=True)) or "nobody yet"
    means = listed(dict(zip(game.players, share, strict=True)))
    return (f"{game.title}, entered: {adds}. The {game.payoff} stands at {start + gains.sum():.3g} "
            f"({game.nobody}: {start:.3g}). Mean over all six orders: {means}.")


def _entry_panel(game, table, entered, gains):
    """Draw a step for each player who has entered; names are dragged to a seat, or out again."""
    low, high = _span(table)
    ends, steps = table[0] + np.cumsum(gains), []
    boxes = [(k, [game.players[k]], 0, low + (0.2 + 0.3 * k) * (high - low))
             for k in range(3) if k not in entered]
    for seat, (k, gain, end) in enumerate(zip(entered, gains, ends, strict=True), 1):
        steps += bars([gain], start=end - gain, at=[seat], **look_of(game, k))
        boxes.append((k, [game.players[k], signed(gain)], seat, end))
    names = []
    for k, lines, seat, height in boxes:
        dropped = [ENTERED.index(after(entered, k, place)) for place in range(4)]
        name = box(seat, height, lines, colour=look_of(game, k)["colour"])
        names.append(handle(name, "entered", range(4), positions=dropped))
    return panel(rule(y=table[0], name=game.nobody),
                 rule(y=table[-1], colour="ink", name="all three in", dashed=False), steps, names,
                 x=axis(-0.5, 3.5, "seat", ticks=dict(enumerate(["outside", "1st", "2nd", "3rd"]))),
                 y=axis(low, high, game.payoff), title="Each adds something on entering",
                 height=260, min_width=320)


def after(entered, player, seat):
    """Return who has entered, in order, once the player has been moved to a seat (0: outside).

    >>> after((0, 1), 2, 1), after((0, 1), 0, 0), after((), 2, 3)
    ((2, 0, 1), (1,), (2,))
    """
    others = [k for k in entered if k != player]
    return (*others[:seat - 1], player, *others[seat - 1:]) if seat else tuple(others)


def _mean_panel(game, table, adds, share):
    """Draw the contributions in this order as bars and their means over all orders as diamonds."""
    low, high = _span(np.array([gains_in_order(table, order) for order in ORDERS] + [np.zeros(3)]))
    drawn = [bars([gain], at=[k], horizontal=True, width=0.6, **look_of(game, k))
             for k, gain in adds.items()]
    means = points(share, range(3), colour="ink", shape="diamond", name="mean over all six orders")
    return panel(rule(x=0, dashed=False), drawn, means,
                 x=axis(low, high, f"added to the {game.payoff}"),
                 y=categories(game.players), title="This order, and the mean", height=220,
                 min_width=300)


def _span(values):
    """Return an axis' limits with some room on both sides."""
    room = 0.15 * np.ptp(values)
    return values.min() - room, values.max() + room
