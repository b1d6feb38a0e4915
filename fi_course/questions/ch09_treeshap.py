"""Exercise set 9, TreeSHAP: which game, one tree by hand, one leaf, what a ranking hides."""

from itertools import permutations

import numpy as np

from fi_course.questions.question_text import questions

# Definitions to judge by. A tree is a leaf's number, or (feature, low, high, share_low):
# a row goes low where its bit is 0.

def expected_by(join):
    """Return a walk that joins both branches of an unknown feature by `join(low, high, share)`."""
    def expected(tree, row, known):
        if not isinstance(tree, tuple):
            return tree
        feature, low, high, share_low = tree
        below = [expected(child, row, known) for child in (low, high)]
        return below[row[feature]] if feature in known else join(*below, share_low)
    return expected


expect = expected_by(lambda low, high, share: share * low + (1 - share) * high)
"""The payoff of the path-dependent game for the known features."""


def worth(value, a, b, members):
    return value * np.prod(np.where(members, a, b))


def divide_leaf(value, a, b):
    """Return a leaf's Shapley values, over all orders of entry."""
    shares, orders = np.zeros(len(a)), list(permutations(range(len(a))))
    for order in orders:
        members = np.zeros(len(a), bool)
        for player in order:
            before = worth(value, a, b, members)
            members[player] = True
            shares[player] += worth(value, a, b, members) - before
    return shares / len(orders)


def mean_size(phi):
    return np.abs(phi).mean(axis=0)


# Mistaken ways.

halves = expected_by(lambda low, high, share: (low + high) / 2)
shares_swapped = expected_by(lambda low, high, share: (1 - share) * low + share * high)
likelier_branch = expected_by(lambda low, high, share: high if share < 0.5 else low)


def prediction(tree, row, known):
    return expect(tree, row, range(len(row)))


def known_and_unknown_swapped(tree, row, known):
    return expect(tree, row, [j for j in range(len(row)) if j not in known])


def low_and_high_swapped(tree, row, known):
    return expect(tree, [1 - bit for bit in row], known)


def alone(value, a, b):
    """Return how much each bit changes the value, whatever the others are."""
    return value * (a - b)


def last_to_arrive(value, a, b):
    """Return the marginal contribution to the full coalition."""
    return at_time(1, value, a, b)


def at_time(t, value, a, b):
    """Return Owen's integrand; at t = 1/2 it is the unweighted mean over coalitions."""
    return np.array([value * (a[i] - b[i]) * np.delete(t * a + (1 - t) * b, i).prod()
                     for i in range(len(a))])


def in_one_order(value, a, b):
    return np.diff([worth(value, a, b, np.arange(len(a)) < k) for k in range(len(a) + 1)])


def evenly(value, a, b):
    return np.full(len(a), value * (a.prod() - b.prod()) / len(a))


def size_of_mean(phi):
    """Average before taking absolute values, so that signs cancel: the planted bug."""
    return np.abs(phi.mean(axis=0))


def nodes_not_moved(value, a, b):
    """Integrate with Gauss-Legendre nodes on [-1, 1], not moved to [0, 1]."""
    times, weights = np.polynomial.legendre.leggauss(len(a))
    return sum(w * at_time(t, value, a, b) for t, w in zip(times, weights, strict=True))


THREE = ("conditional", "interventional", "path-dependent")


def in_each_game(*shares):
    """Return the shares of the same slip in all three games, then in each one alone -> tuple."""
    whole = dict(zip(THREE, shares, strict=True))
    return whole, *({game: share} for game, share in whole.items())


# Cases, the smallest first.

ICE = (0, 0.0, (1, 0.0, 1.0, 0.25), 0.6)
DEEP = (1, (0, 2.0, (1, 7.0, 4.0, 0.5), 0.7), (2, (0, 1.0, 9.0, 0.2), 5.0, 0.4), 0.9)


def walks(rng):
    small = [(3.0, [1, 0], ()), (ICE, [1, 1], (0, 1)), (ICE, [1, 1], ()), (ICE, [1, 1], (1,)),
             (ICE, [1, 1], (0,)), (ICE, [0, 1], (1,)),
             (ICE, [1, 0], (0,))]
    rows = [[int(bit) for bit in rng.integers(0, 2, 3)] for _ in range(4)] + [[1, 0, 1], [0, 1, 1]]
    return small + [(DEEP, row, known) for row in rows
                    for known in ((), (0,), (1,), (2,), (0, 2), (0, 1, 2))]


def leaves(rng):
    small = [(8.0, [1], [0.25]), (8.0, [1, 1], [0.5, 0.5]), (8.0, [1, 0], [0.5, 0.25]),
             (10.0, [1, 1, 1], [0.5, 0.2, 0.4]), (10.0, [0, 1, 1], [0.5, 0.2, 0.4])]
    drawn = [(float(rng.integers(1, 20)), rng.integers(0, 2, d), rng.uniform(0.1, 0.9, d).round(2))
             for d in (3, 4, 4, 5)]
    return [(value, np.array(a), np.array(b)) for value, a, b in small + drawn]


def tables(rng):
    small = [(np.array([[1.0]]),), (np.array([[1.0, 0.5], [-1.0, 0.5]]),),
             (np.array([[3.0, -1.0], [1.0, -2.0], [-1.0, 0.0]]),)]
    return small + [(rng.normal(size=(n, p)).round(2),) for n, p in ((4, 3), (20, 5))]


QUESTIONS = questions(r"""
# treeshap.recall_last: What is left for the last | number, 1 star, 3 min, 1 point
? All shares together lead from the base to the prediction.
? 10 + 4 − 7 + ? = 12
= value(5)
- 15 | base forgotten | You started at 0. A waterfall starts at the base.
- -9 | minus sign lost | The second share takes 7 away: mind its sign.
- 2 | the payout | 2 is what all three share: prediction less base. Two of the shares are known.
> Efficiency. It holds in all three games of this chapter, so it cannot tell them apart.

# treeshap.recall_shuffle: Two ways to shuffle | predict, 1 star, 3 min, 1 point
? Which shuffle keeps the pairs of height and weight that occur?
? If weight is shuffled among people of nearly the same height, how far can it move?
= choice("a")
- "b" | model decides alone | Both ask the same model. They ask it about different rows.
- "c" | the marginal one | The marginal shuffle gives a tall person any weight: that moves the
    prediction most.
- "d" | noise | The difference stays however many shuffles you average: the two ask different
    questions.
> The conditional importance asks what a feature tells beyond the others. A near copy tells little.

# treeshap.three: Three answers by hand | number, 2 stars, 12 min, 3 points
? Each game has the same ends: nothing known 3/10, both known 0. Work out the two in the middle.
? Cold alone: 3/4, 5/10 and 3/4. Dry alone makes the tree say 0 in each game. Why?
? Cold adds v(cold) − 3/10 if it comes first, and 0 − 0 if second.
= value({"conditional": 0.225, "interventional": 0.1, "path-dependent": 0.225})
~ in_each_game(-0.525, -0.4, -0.525) | the dry bit's shares | These are the shares of *dry*. The
    question asks for cold.
~ in_each_game(0.45, 0.2, 0.45) | first order only | That is what cold adds if it comes first. It
    comes second as often.
~ in_each_game(0.75, 0.5, 0.75) | worth, not gain | That is what *cold* alone is worth. A share is
    made of what cold *adds*.
~ in_each_game(0.425, 0.4, 0.525) | the wet morning | These are cold's shares on a morning that is
    cold and *wet*.
~ in_each_game(-0.15, -0.15, -0.15) | halves | These are halves of −0.3. But cold raises the
    prediction, and dry lowers it to 0.
~ {"path-dependent": 0.1} | path taken for marginal | When cold is known, the walk goes to the four
    cold mornings, and weights both branches there by *their* counts.
~ {"interventional": 0.225} | marginal taken for path | With cold known, wet or dry comes from
    *all* ten mornings: how many of them are wet?
> On this morning the path-dependent game agrees with the conditional one, since cold is asked
    first. When only wet is known, it agrees with the interventional one.

# treeshap.which_call: Three calls | predict, 2 stars, 4 min, 2 points
? A game needs something to fill the gaps with. Which of the calls hands over rows for that?
? Without rows, what can stand in for a missing feature? The tree's own counts.
? The name of the class does not decide the game. What the call is given does.
= choice("b")
- "a" | one name, one game | All three are TreeSHAP, and exact. But with background rows the game is
    the interventional one, without them the path-dependent one.
- "c" | data means background | The matrix handed to `predict` holds the rows to be explained. The
    booster has no background: it uses the counts that its trees remember.
- "d" | the class decides | Both make a `TreeExplainer`. The second one is given a background, and
    then plays another game.
> shap's `TreeExplainer` without data and the learners' own contributions (XGBoost's
    `pred_contribs`, LightGBM's `pred_contrib`) are path-dependent; with data, `TreeExplainer` and
    `shap.Explainer(model, X)` are interventional. Write the call, the background and its size under
    the figure.

# treeshap.caption: A call and its caption | predict, 2 stars, 5 min, 2 points
? A caption names the game, the background with its size, and the unit. Take them one at a time.
? Is anything handed over besides the model? How many of these rows does shap keep?
? What is it that a boosted classifier adds up over its trees?
= choice("d")
- "a" | background overlooked | `shap.Explainer` was handed training rows besides the model. What
    fills the gaps now?
- "b" | all rows | The game and the unit are right. But shap keeps only a draw from a large
    background, unless it is told otherwise.
- "c" | probability | The game and the background are right. What is divided is the sum of the
    trees. For a boosted classifier that is not a probability.
> Game, background with its size, unit: the call says it all to one who knows the defaults.
    `shap.maskers.Independent(X_train, max_samples=5000)` would keep every row, and
    `model_output="probability"` would change the unit.

# treeshap.regrown: The same predictions from another tree | predict, 2 stars, 5 min, 2 points
? Both models are the same function of the row.
? Which of the calls never sees the order of the questions?
? With a background, `tree_shap` averages predictions of mixed rows.
= choice("b")
- "a" | exact, so equal | Both calls are exact. But without a background the game itself depends on
    the order of the questions.
- "c" | background changes | With a background only predictions matter, and they are the same.
- "d" | both change | With a background only predictions matter, and they are the same. So that call
    returns the same values.
> Shares that change while the function stays the same describe the tree, not what it computes. In a
    forest the orders are mixed, so the difference is smaller, but it does not vanish.

# treeshap.expect: Walk the tree | implement, 3 stars, 15 min, 4 points
? The function calls itself: once for a known feature, twice for an unknown one.
? A leaf is a number, and `isinstance(tree, tuple)` tells it from a tree. Take a tree apart into its
    four parts first.
? Unknown: ask both subtrees, and count each by the share of the training rows that went there.
= function(walks, expect)
- halves | branches alike | You gave both branches the weight 1/2. Weight them by the training rows
    that took them.
- shares_swapped | shares swapped | `share_low` belongs to the low branch, the rest to the high one.
- prediction | the prediction | You always follow the row. Where a feature is unknown, both branches
    count.
- lambda tree, row, known: expect(tree, row, ()) | nothing is known | You never use `known`,
    so every coalition gets the base.
- known_and_unknown_swapped | known and unknown swapped | You answer where the feature is unknown
    and average where it is known.
- low_and_high_swapped | low and high swapped | Where the feature is known you take the other
    branch: a row goes low where its bit is 0.
- likelier_branch | only the likelier branch | You follow the branch that most rows took. The game
    averages over both.
> This is the whole path-dependent game. Put it into chapter 8's formula and you have TreeSHAP by
    definition; the fast algorithm returns the same numbers.

# treeshap.leaf: Divide one leaf | implement, 3 stars, 18 min, 0 points
? A coalition S is worth value times the product of a over S and of b over the rest.
? Go through `itertools.permutations(range(d))`, and note what each player adds on entering. Or
    integrate over the time of arrival.
? For the integral: `numpy.polynomial.legendre.leggauss(d)` is made for times from -1 to 1. Move its
    nodes and halve its weights; at time t each of the others passes with chance t a_j + (1 - t)
    b_j.
= function(leaves, divide_leaf)
- lambda value, a, b: at_time(1 / 2, value, a, b) | plain average | This is the integrand at t =
    1/2, the plain average over coalitions. It is right for two players only.
- last_to_arrive | last to arrive | You let every player arrive last. Average over the times of
    arrival.
- lambda value, a, b: at_time(0, value, a, b) | first to arrive | You let every player arrive first.
    Average over the times of arrival.
- in_one_order | one order | You let the players arrive in one order. Average over all.
- evenly | equal shares | Equal shares add up as they should, but a player with a = 1 and one with a
    = 0 did not do the same.
- nodes_not_moved | times from -1 to 1 | `leggauss` is made for times between -1 and 1: move them
    with (nodes + 1) / 2, and halve the weights.
- alone | the others left out | You pay each player for its own bit. The leaf pays only if the
    others pass, too: a product.
- lambda value, a, b: divide_leaf(value, b, a) | row and stand-in swapped | `a` and `b` have changed
    places: the known features take `a`, the others `b`.
- lambda value, a, b: divide_leaf(value, a, np.zeros(len(a))) | stand-in forgotten | You pay nothing
    where a stand-in fills the gap. It passes with chance b.
! fi_teach.basics.games, fi_teach.importance.shapley, fi_teach.importance.tree_shap
> Sum this over the leaves of a forest and you have SHAP values for any number of columns: the cost
    depends on the features on a path, not on those in the table.

# treeshap.mend_ranking: Find the bug: shares that cancel | mend, 1 star, 8 min, 0 points
? Try it on two rows with the shares +1 and −1.
? What happens first: the mean, or the absolute value?
= function(tables, mean_size, planted=size_of_mean)
- lambda phi: np.abs(phi).sum(axis=0) | sum | You add up over the rows. The question asks for the
    mean.
- lambda phi: np.abs(phi).mean(axis=1) | mean over features | You averaged over the features of each
    row: one number a row. Turn the axis.
- lambda phi: np.abs(np.asarray(phi)).mean() | one number | One number for all features: say over
    which axis to average.
- lambda phi: np.sqrt((phi**2).mean(axis=0)) | root mean square | That is the root of the mean
    square. It gives large shares more weight than the mean size does.
- lambda phi: mean_size(phi) / mean_size(phi).sum() | normalised | You divided by the sum. The mean
    size stays in units of the prediction.
- lambda phi: phi.mean(axis=0) | no absolute value | Without the absolute value, shares of both
    signs cancel.
> Averaged over the background rows, the signed shares of *every* feature are near zero. So the
    unmended function ranks little more than rounding errors and correlations.

# treeshap.report: A report that contradicts itself | explain, 2 stars, 11 min, 3 points
? Which two sentences cannot both be true of one model in one game?
? What would you have to ask for before you could compare the two tables?
? Does a large mean |φ| say that a feature makes predictions better?
= by_hand
* 1 | sees the contradiction: a copy that is never read gets exactly 0 in both modes of TreeSHAP,
    and cannot get half; half and half is the conditional game, or a model that reads both alike
* 1 | says that "SHAP values" needs the game and the background: TreeSHAP without background is
    path-dependent, with one interventional
* 1 | says that mean |φ| measures how much predictions move and does not see y; whether a feature
    helps is a question for the loss: SAGE or a permutation importance on new rows
""", globals())
