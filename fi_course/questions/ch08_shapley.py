"""Exercise set 8, Shapley values: orders of entry, missing features, and MDI's preferences."""

import math
from itertools import combinations

import numpy as np

from fi_course.questions.implementations_to_test import ch08_shapley as implementations
from fi_course.questions.implementations_to_test.ch08_shapley import (
    divide,
    in_order,
    named,
    players,
)
from fi_course.questions.question_text import questions

# Definitions to judge by, slow and short. A game is {"": 0, "A": 12, "B": 18, "AB":
# 24}, players in the order of the alphabet.

def mix(row, background, known):
    return np.where(known, row, background)


def worth(row, background, known):
    return mix(row, background, known).prod(axis=1).mean()


# Mistaken ways, each under the name a check gives it.

def two_orders(pay):
    there, back = in_order(pay, players(pay)), in_order(pay, players(pay)[::-1])
    return {p: (there[p] + back[p]) / 2 for p in there}


def in_proportion(pay):
    alone = {p: pay[p] - pay[""] for p in players(pay)}
    whole = pay[players(pay)] - pay[""]
    return {p: whole * own / sum(alone.values()) for p, own in alone.items()}


def summed(pay):
    orders = math.factorial(len(players(pay)))
    return {p: share * orders for p, share in divide(pay).items()}


def average_row(row, background, known):
    """Predict one row only, filled with the background's means: the planted bug."""
    return np.where(known, row, np.mean(background, axis=0)).prod()


def swapped(row, background, known):
    return worth(row, background, ~known)


def gap_left_out(row, background, known):
    return float(np.prod(row[known]))


def zeros_for_gaps(row, background, known):
    return float(np.where(known, row, 0).prod())


def first_row_only(row, background, known):
    return mix(row, background, known).prod(axis=1)[0]


def rows_that_agree(row, background, known):
    """Average only over background rows with the known values: the conditional game."""
    agree = (background[:, known] == row[known]).all(axis=1)
    return mix(row, background, known)[agree].prod(axis=1).mean()


# Cases, the smallest first.

def game_of(rng, names, base=0):
    """Draw a game in which everybody earns something alone: no shares of a zero."""
    groups = [named(S) for size in range(len(names) + 1) for S in combinations(names, size)]
    return {S: int(rng.integers(base + 1, 60)) if S else base for S in groups}


def games(rng):
    two = {"": 0, "A": 12, "B": 18, "AB": 24}
    taxi = two | {"C": 24, "AC": 30, "BC": 30, "ABC": 36}
    gate = {"": 0.125, "A": 0.25, "B": 0.25, "C": 0.25, "AB": 0.5, "AC": 0.5, "BC": 0.5, "ABC": 1.0}
    drawn = [game_of(rng, "ABCD"[:2 + k % 3], base=k % 2) for k in range(6)]
    return [(two,), (taxi,), (gate,), *((game,) for game in drawn)]


AGREE = np.array([[0, 0], [1, 1]])
FOUR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def gaps(rng):
    ones = np.array([1, 1])
    small = [(ones, AGREE, np.array(known))
             for known in ([False, False], [True, False], [False, True], [True, True])]
    small += [(np.array([1, 0]), FOUR, np.array([True, False])),
              (np.array([0, 1]), AGREE, np.array([False, True])),
              (ones, AGREE[::-1], np.array([False, False]))]
    # the row itself is in the background, so that some row always agrees with it
    drawn = [rng.integers(1, 4, size=(6, p)) for p in (3, 4, 5)]
    return small + [(background[2], background, np.arange(background.shape[1]) % 2 == 0)
                    for background in drawn]


PLAN = {"": 0, "A": 30, "B": 30, "C": 0, "AB": 48, "AC": 30, "BC": 36, "ABC": 60}
"""A flat's internet: the price a month, in euros, of the smallest plan for these flatmates."""


QUESTIONS = questions(r"""
# shapley.recall_rest: What three bars leave out | number, 1 star, 3 min, 1 point
? While one column is shuffled, the two others still tell what it told.
? Together they are worth what is lost when all three are shuffled at the same time.
? Add up the bars. How far is that from the worth of the three?
= value(0.24, tolerance=0.0031)
- 0.06 | the bars added | This is what the three bars add up to. How much of the joint importance is
    *not* in them?
- 0.28 | one bar taken off | You took one bar off. There are three of them.
- 0.3 | the whole | This is what the three are worth together. Part of it stands in the bars.
- 0.8 | a ratio | You gave the part as a share of the joint importance. The question asks for it in
    the units of the loss.
> Most of what the three are worth is in no bar at all. This chapter hands the whole out, to the
    last bit, by asking in what order they come.

# shapley.recall_copy: Given its own copy | predict, 1 star, 3 min, 1 point
? What does x2 tell about x1?
? Draw a new x1, given x2. How far can it move?
? What happens to the predictions, and so to the loss, of a row that does not change?
= choice("a")
- "b" | the marginal shuffle | That is what a shuffle among *all* rows costs. Given x2 there is no
    other value to put in.
- "c" | halves for twins | Halves would be fair to twins, and no shuffle hands them out: given x2,
    x1 cannot change at all.
- "d" | negative by luck | Luck needs something that moves. Every drawn value is the old one.
> The model reads x1 and nothing else, and its conditional importance is 0: that question is about
    what x1 tells this model beyond x2. Shapley values answer a third one, and it will depend on
    what is put in for an unknown bit.

# shapley.bill: A shared plan | number, 1 star, 8 min, 2 points
? Six orders. For each, write down what the price rises by when somebody joins.
? C adds nothing if first or after A, and 6 after B. Now see what C adds when both are there.
? C comes first in two orders, right after A in one, right after B in one, and last in two.
= value(divide(PLAN))
- plain_average(PLAN) | plain average | You averaged over the coalitions, each counted once.
    Nobody-before and everybody-before come in two orders each, the others in one.
- in_proportion(PLAN) | in proportion | In proportion to each one's own plan: then C pays nothing,
    though C does raise the price once B is there.
- equal(PLAN) | equal shares | Equal shares: people who add different amounts pay the same.
- one_order(PLAN) | one order | That is one order, A, B, C. The others have the same right.
- two_orders(PLAN) | two orders | You averaged an order and its reverse. There are six.
- summed(PLAN) | not averaged | These are the sums over the six orders: divide by 6.
> A 26, B 29, C 5. C alone would cost nothing and pays all the same: what counts is what C adds to
    *every* coalition. And A and B, alike when alone, pay differently, since only B gets in C's way.

# shapley.divide: Divide any bill | implement, 3 stars, 15 min, 4 points
? `itertools.permutations(players)` gives all orders. Walk through each and keep the group so far.
? The group's name is its letters in the order of the alphabet: `"".join(sorted(group + player))`.
? Each time a player enters, note what the payoff rises by. What becomes of these notes after the
    last order?
= function(games, divide)
- plain_average | plain average | This is the plain average over coalitions (Banzhaf). With three
    players it no longer adds up: average over *orders*, or give each coalition the share of the
    orders that lead to it.
- one_order | one order | You let them enter in one order only. Average over all.
- two_orders | two orders | An order and its reverse are enough for two players, not for three.
- equal | equal shares | These are equal shares: nobody's own part is in them.
- in_proportion | in proportion | You divided in proportion to what each pays alone. The other
    coalitions have a say, too.
- summed | not averaged | You added over the orders: divide by their number.
- base_included | empty coalition forgotten | The first to enter adds `pay[player] - pay[""]`, and
    nobody's payoff is not always 0.
! fi_teach.basics.games, fi_teach.importance.shapley
> Twelve lines, and exact, for up to about nine players: at ten there are 3.6 million orders. The
    other formula asks for 1,024 payoffs there, each once.

# shapley.test_rule: Write a test for a rule | test, 2 stars, 12 min, 0 points
? You know one answer by heart: the taxi's 8, 11 and 17. Which of the wrong rules does it catch?
? Whoever adds nothing must have an entry, and it is 0. A player may also *lower* a bill, as a
    discount card does.
? And `pay[""]` may be something else than 0: a gate's base.
= catches()
+ divide | refuses a right one | Your test refuses a right implementation: work its cases out again,
    and compare with a tolerance.
+ backwards_and_rounded | exact equality or order | Your test refuses a right implementation whose
    last bit is rounded differently, or which lists the players in another order: compare player by
    player and with a tolerance.
- equal | misses equal shares | Equal shares pass your test.
- plain_average | misses the plain average | The plain average over coalitions passes your test.
    With two players it is right: take three.
- one_order | misses one order | "Each pays the rise, in alphabetical order" passes your test.
- without_idle | misses a lost player | A rule that drops players whose share is 0 passes your test.
- never_negative | misses negative shares | A rule that turns negative shares into 0 passes your
    test: let a player lower the bill.
- base_included | misses the base | A rule that takes `pay[""]` for 0 passes your test.
> Each bug breaks a wish: that is what wishes are for. A test that asks for all four on a few odd
    games needs no reference implementation.

# shapley.gate: OR, one bit on | number, 2 stars, 8 min, 2 points
? First the four worths: nothing known 3/4, both known 1. What if only x1 = 1 is known? Only x2 = 0?
? x1 = 1 makes OR 1 for sure. x2 = 0 leaves it to x1: 1/2.
? Two orders: in each, what does the first to enter add, and what the second?
= value({"x1": 0.375, "x2": -0.125})
- {"x1": 0.125, "x2": 0.125} | halves | Halves of 1/4: in this row the bits have different values,
    so they are not interchangeable.
- {"x1": 0.25, "x2": 0} | all to the one | x2 = 0 is not nothing: it lowers the hope from 3/4 to 1/2
    if it comes first.
- {"x1": 0.5, "x2": -0.25} | one order | That is the order x2, x1. The other has the same right:
    take the mean of the two.
- {"x1": 0.25, "x2": -0.25} | each as if first | You took what each adds if it comes first. In one
    order of two it comes second.
- {"x1": 0.75, "x2": 0.25} | base forgotten | You started from 0. With nothing known OR is predicted
    as 3/4.
- {"x1": 0.125, "x2": -0.375} | the gate AND | That is AND at (1, 0), as in the chapter.
    The question asks for OR.
- {"x1": -0.125, "x2": 0.375} | the other way round | These are the right numbers for the row (0,
    1).
> 3/8 and −1/8: together 1/4, from the base 3/4 to the prediction 1. OR is AND with every bit turned
    round, and the shares of AND at (0, 1) are these with the other sign.

# shapley.mend_worth: Find the bug: what fills the gap | mend, 2 stars, 12 min, 3 points
? Try it on a background of (0, 0) and (1, 1), with nothing known. What does the product predict for
    these two rows?
? The prediction for the average row is not the average of the predictions.
? `np.where` can mix one row with a whole table: how many rows come out, and what is averaged then?
= function(gaps, worth, planted=average_row)
- swapped | known and unknown swapped | You replaced what is known and kept what is not: turn
    `known` round.
- gap_left_out | gap left out | You left the unknown features out of the product. The model needs
    whole rows.
- zeros_for_gaps | zeros | You filled the gaps with 0. That is a value like any other, not
    "missing".
- first_row_only | one background row | You asked about the first background row only: average over
    all.
- rows_that_agree | only rows that agree | You averaged over the background rows that agree with the
    known values. That is the *conditional* choice; the question asks for all rows, whatever is
    known.
> Filling gaps with column means is common, since it needs one prediction instead of many. For a
    model that is a sum it gives the same. Where features work together, as in a product, it does
    not.

# shapley.first: Who is thanked? | predict, 2 stars, 6 min, 0 points
? What does the first question leave for the second?
? The first split is ahead when (1, 1) is more than twice as frequent as (1, 0).
? How often are (1, 1) and (1, 0) here?
= choice("a")
- "b" | always the second | It is so for independent bits of equal rates. Here one bit nearly tells
    the other.
- "c" | symmetric gate, symmetric tree | The gate and the four chances are symmetric, the tree is
    not: one question comes first.
- "d" | a question of depth | The tree asks two questions at most, and is grown to the end: its
    depth decides nothing.
> .32 for the first and .16 for the second, where independent bits have .125 and .25. Shapley values
    of the gate itself stay symmetric.

# shapley.letter: A letter that claims too much | explain, 2 stars, 10 min, 3 points
? What is the base, and what was put in for a missing feature?
? If x1 is set to 0, what does AND say? By how much does that differ from 1?
? What exactly do the two shares add up to?
= by_hand
* 1 | says that setting x1 to 0 turns the prediction from 1 to 0, so it falls by 1 and not by .375:
    a share is no forecast of a change
* 1 | says what .375 is: x1's mean rise over both orders of entry, from the base 1/4, with missing
    bits drawn from the background
* 1 | does not carry the model's share over to the world, or says that it depends on the base and on
    the choice of background
""", vars(implementations) | globals())
