"""Exercise set 9, TreeSHAP: which game, one tree by hand, one leaf, what a ranking hides."""

from itertools import permutations

import numpy as np

from fi_course.questions.checks import Mistake, by_hand, choice, function, value
from fi_course.questions.question import Question

BLOCKED = ("fi_teach.basics.games", "fi_teach.importance.shapley", "fi_teach.importance.tree_shap")


# Definitions to judge by. A tree is a leaf's number, or (feature, low, high, share_low):
# a row goes low where its bit is 0.

def _expect(tree, row, known):
    """Return the payoff of the path-dependent game for the known features."""
    if not isinstance(tree, tuple):
        return tree
    feature, low, high, share_low = tree
    below = [_expect(child, row, known) for child in (low, high)]
    return (below[row[feature]] if feature in known
            else share_low * below[0] + (1 - share_low) * below[1])


def _worth(value, a, b, members):
    return value * np.prod(np.where(members, a, b))


def _divide_leaf(value, a, b):
    """Return a leaf's Shapley values, over all orders of entry."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    shares, orders = np.zeros(len(a)), list(permutations(range(len(a))))
    for order in orders:
        members = np.zeros(len(a), bool)
        for player in order:
            before = _worth(value, a, b, members)
            members[player] = True
            shares[player] += _worth(value, a, b, members) - before
    return shares / len(orders)


def _mean_size(phi):
    return np.abs(np.asarray(phi, float)).mean(axis=0)


# Mistaken ways.

def _halves(tree, row, known):
    if not isinstance(tree, tuple):
        return tree
    feature, low, high, _ = tree
    below = [_halves(child, row, known) for child in (low, high)]
    return below[row[feature]] if feature in known else (below[0] + below[1]) / 2


def _shares_swapped(tree, row, known):
    if not isinstance(tree, tuple):
        return tree
    feature, low, high, share_low = tree
    below = [_shares_swapped(child, row, known) for child in (low, high)]
    return (below[row[feature]] if feature in known
            else (1 - share_low) * below[0] + share_low * below[1])


def _prediction(tree, row, known):
    return _expect(tree, row, range(len(row)))


def _nothing_known(tree, row, known):
    return _expect(tree, row, ())


def _known_and_unknown_swapped(tree, row, known):
    return _expect(tree, row, [j for j in range(len(row)) if j not in known])


def _likelier_branch(tree, row, known):
    if not isinstance(tree, tuple):
        return tree
    feature, low, high, share_low = tree
    goes_high = row[feature] if feature in known else share_low < 0.5
    return _likelier_branch(high if goes_high else low, row, known)


def _low_and_high_swapped(tree, row, known):
    return _expect(tree, [1 - bit for bit in row], known)


def _alone(value, a, b):
    """Return how much each bit changes the value, whatever the others are."""
    return value * (np.asarray(a, float) - np.asarray(b, float))


def _row_and_stand_in_swapped(value, a, b):
    return _divide_leaf(value, b, a)


def _last_to_arrive(value, a, b):
    """Return the marginal contribution to the full coalition."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    return np.array([value * (a[i] - b[i]) * np.delete(a, i).prod() for i in range(len(a))])


def _first_to_arrive(value, a, b):
    a, b = np.asarray(a, float), np.asarray(b, float)
    return np.array([value * (a[i] - b[i]) * np.delete(b, i).prod() for i in range(len(a))])


def _at_half_time(value, a, b):
    """Return Owen's integrand at t = 1/2: the unweighted mean over coalitions."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    return np.array([value * (a[i] - b[i]) * np.delete((a + b) / 2, i).prod()
                     for i in range(len(a))])


def _in_one_order(value, a, b):
    a, b = np.asarray(a, float), np.asarray(b, float)
    return np.diff([_worth(value, a, b, np.arange(len(a)) < k) for k in range(len(a) + 1)])


def _evenly(value, a, b):
    a, b = np.asarray(a, float), np.asarray(b, float)
    return np.full(len(a), value * (a.prod() - b.prod()) / len(a))


def _stand_in_forgotten(value, a, b):
    return _divide_leaf(value, a, np.zeros(len(a)))


def _size_of_mean(phi):
    """Average before taking absolute values, so that signs cancel: the planted bug."""
    return np.abs(np.asarray(phi, float).mean(axis=0))


def _nodes_not_moved(value, a, b):
    """Integrate with Gauss-Legendre nodes on [-1, 1], not moved to [0, 1]."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    times, weights = np.polynomial.legendre.leggauss(len(a))
    return sum(w * value * np.array(
        [(a[i] - b[i]) * np.delete(t * a + (1 - t) * b, i).prod() for i in range(len(a))])
               for t, w in zip(times, weights, strict=True))


def _added_up(phi):
    return np.abs(np.asarray(phi, float)).sum(axis=0)


def _mean_over_features(phi):
    return np.abs(np.asarray(phi, float)).mean(axis=1)


def _one_number(phi):
    return np.abs(np.asarray(phi, float)).mean()


def _root_of_squares(phi):
    return np.sqrt((np.asarray(phi, float) ** 2).mean(axis=0))


def _as_shares(phi):
    return _mean_size(phi) / _mean_size(phi).sum()


def _signed_mean(phi):
    return np.asarray(phi, float).mean(axis=0)


THREE = ("conditional", "interventional", "path-dependent")


def _in_each_game(name, shares, message):
    """Return mistakes with the same slip in all three games, or in one of them."""
    whole = dict(zip(THREE, shares, strict=True))
    return [Mistake(name, whole, message),
            *(Mistake(name, {game: whole[game]}, message, partly=True) for game in THREE)]


# Cases, the smallest first.

ICE = (0, 0.0, (1, 0.0, 1.0, 0.25), 0.6)
DEEP = (1, (0, 2.0, (1, 7.0, 4.0, 0.5), 0.7), (2, (0, 1.0, 9.0, 0.2), 5.0, 0.4), 0.9)


def _walks(rng):
    small = [(3.0, [1, 0], ()), (ICE, [1, 1], (0, 1)), (ICE, [1, 1], ()), (ICE, [1, 1], (1,)),
             (ICE, [1, 1], (0,)), (ICE, [0, 1], (1,)),
             (ICE, [1, 0], (0,))]
    rows = [[int(bit) for bit in rng.integers(0, 2, 3)] for _ in range(4)] + [[1, 0, 1], [0, 1, 1]]
    return small + [(DEEP, row, known) for row in rows
                    for known in ((), (0,), (1,), (2,), (0, 2), (0, 1, 2))]


def _leaves(rng):
    small = [(8.0, [1], [0.25]), (8.0, [1, 1], [0.5, 0.5]), (8.0, [1, 0], [0.5, 0.25]),
             (10.0, [1, 1, 1], [0.5, 0.2, 0.4]),
             (10.0, [0, 1, 1], [0.5, 0.2, 0.4])]
    return small + [(float(rng.integers(1, 20)), rng.integers(0, 2, d).tolist(),
                     rng.uniform(0.1, 0.9, d).round(2).tolist()) for d in (3, 4, 4, 5)]


def _tables(rng):
    small = [(np.array([[1.0]]),), (np.array([[1.0, 0.5], [-1.0, 0.5]]),),
             (np.array([[3.0, -1.0], [1.0, -2.0], [-1.0, 0.0]]),)]
    return small + [(rng.normal(size=(n, p)).round(2),) for n, p in ((4, 3), (20, 5))]


RECALL = [
    Question(
        id="treeshap.recall_last", title="What is left for the last", kind="number", stars=1,
        minutes=3, points=1,
        hints=("All shares together lead from the base to the prediction.", "10 + 4 − 7 + ? = 12"),
        check=value(
            5,
            Mistake("base forgotten", 15, "You started at 0. A waterfall starts at the base."),
            Mistake("minus sign lost", -9, "The second share takes 7 away: mind its sign."),
            Mistake("the payout", 2,
                    "2 is what all three share: prediction less base. "
                    "Two of the shares are known.")),
        meaning="Efficiency. It holds in every one of today's games, "
                "so it cannot tell them apart."),
    Question(
        id="treeshap.recall_shuffle", title="Two ways to shuffle", kind="predict", stars=1,
        minutes=3, points=1,
        hints=("Which shuffle leaves the pairs of size and weight as they are found?",
               "If weight is shuffled among people of nearly the same height, "
               "how far can it move?"),
        check=choice(
            "c",
            Mistake("the marginal one", "a", "The marginal shuffle gives a tall person any weight: "
                                             "that moves the prediction most."),
            Mistake("model decides alone", "b",
                    "Both ask the same model. They ask it about different rows."),
            Mistake("noise", "d", "The difference does not go away with more shuffles: "
                                  "two different questions are asked.")),
        meaning="The conditional one asks what the feature tells beyond the others, "
                "and a near copy tells little."),
]

GAMES = [
    Question(
        id="treeshap.three", title="Three answers by hand", kind="number", stars=2, minutes=12,
        points=3,
        hints=("Each game has the same ends: nothing known 3/10, both known 0. "
               "Work out the two in the middle.",
               "Cold alone: 3/4, 5/10 and 3/4. Dry alone makes the tree say 0 in each game. Why?",
               "Cold adds v(cold) − 3/10 if it comes first, and 0 − 0 if second."),
        check=value(
            {"conditional": 0.225, "interventional": 0.1, "path-dependent": 0.225},
            *_in_each_game("the dry bit's shares", (-0.525, -0.4, -0.525),
                           "These are the shares of *dry*. The question asks for cold."),
            *_in_each_game("first order only", (0.45, 0.2, 0.45),
                           "That is what cold adds if it comes first. It comes second as often."),
            *_in_each_game("worth, not gain", (0.75, 0.5, 0.75),
                           "That is what the game pays when cold is known. "
                           "A share is made of what cold *adds*."),
            *_in_each_game("the wet morning", (0.425, 0.4, 0.525),
                           "These are cold's shares on a morning that is cold and *wet*."),
            *_in_each_game("halves", (-0.15, -0.15, -0.15),
                           "Halves of −.3: but cold raises the hope of ice, and dry ends it."),
            Mistake("path taken for marginal", {"path-dependent": 0.1},
                    "On the path: when cold is known, the walk goes to the four cold mornings, and "
                    "follows both branches there by *their* counts.",
                    partly=True),
            Mistake("marginal taken for path", {"interventional": 0.225},
                    "With a background, cold alone is asked of *all* ten mornings: how many of "
                    "them are wet?", partly=True)),
        meaning="On this morning the path-dependent game sides with the conditional one, "
                "since cold is asked first. On a mild and wet morning it sides with the "
                "interventional one."),
    Question(
        id="treeshap.which_call", title="Three calls", kind="predict", stars=2,
            minutes=4, points=2,
        hints=("A game needs something to fill the gaps with. Which of the calls hands over rows "
               "for that?",
               "Without rows, what can stand in for a missing feature? The tree's own counts.",
               "The name of the class does not decide; what it is given does."),
        check=choice(
            "b",
            Mistake("one name, one game", "a", "All three are TreeSHAP, and exact. But with "
                    "background rows the game is the interventional one, without them the "
                    "path-dependent one."),
            Mistake("data means background", "c", "The matrix handed to `predict` holds the rows "
                    "to be explained. The booster has no background: it uses the counts that its "
                    "trees remember."),
            Mistake("the class decides", "d", "Both make a `TreeExplainer`. The second one is "
                    "given a background, and then plays another game.")),
        meaning="shap's `TreeExplainer` without data and the learners' own contributions "
                "(XGBoost's `pred_contribs`, LightGBM's `pred_contrib`) are path-dependent; with "
                "data, `TreeExplainer` and `shap.Explainer(model, X)` are interventional. Write "
                "the call, the background and its size under the figure."),
    Question(
        id="treeshap.caption", title="A call and its caption", kind="predict", stars=2, minutes=5,
        points=2,
        hints=("A caption names the game, the background with its size, and the unit. Take them "
               "one at a time.",
               "Is anything handed over besides the model? How many of these rows does shap keep?",
               "What is it that a boosted classifier adds up over its trees?"),
        check=choice(
            "d",
            Mistake("background overlooked", "a", "`shap.Explainer` was handed training rows "
                    "besides the model. What fills the gaps now?"),
            Mistake("all rows", "b", "The game and the unit are right. But shap keeps only a draw "
                    "from a large background, unless it is told otherwise."),
            Mistake("probability", "c", "The game and the background are right. What is divided is "
                    "the sum of the trees. For a boosted classifier that is not a probability.")),
        meaning="Game, background with its size, unit: the call says it all to one who knows the "
                "defaults. `shap.maskers.Independent(X_train, max_samples=5000)` would keep every "
                "row, and `model_output=\"probability\"` would change the unit."),
    Question(
        id="treeshap.regrown", title="The same predictions from another tree", kind="predict",
        stars=2, minutes=5, points=2,
        hints=("Both models are the same function of the row.",
               "Which of the calls never sees the order of the questions?",
               "With a background, `tree_shap` averages predictions of mixed rows."),
        check=choice(
            "b",
            Mistake("exact, so equal", "a",
                    "Both calls are exact. But without a background the game itself depends on the "
                    "order of the questions."),
            Mistake("background changes", "c",
                    "With a background only predictions enter, and these are the same."),
            Mistake("both change", "d", "With a background only predictions enter, "
                                        "and these are the same: that call returns what it did.")),
        meaning="A value that changes while the function does not is about the tree, "
                "not about what it computes. In a forest the orders are mixed, "
                "and the difference shrinks without going away."),
]

ALGORITHM = [
    Question(
        id="treeshap.expect", title="Walk the tree", kind="implement", stars=3, minutes=15,
        points=4,
        hints=("The function calls itself: once for a known feature, twice for an unknown one.",
               "A leaf is a number, and `isinstance(tree, tuple)` tells it from a tree. Take a "
               "tree apart into its four parts first.",
               "Unknown: ask both subtrees, and count each by the share of the training rows that "
               "went there."),
        check=function(
            _walks, _expect,
            Mistake("branches alike", _halves,
                    "You gave both branches one half. "
                    "They count by the training rows that took them."),
            Mistake("shares swapped", _shares_swapped,
                    "`share_low` belongs to the low branch, the rest to the high one."),
            Mistake("the prediction", _prediction,
                    "You always follow the row. Where a feature is unknown, both branches count."),
            Mistake("nothing is known", _nothing_known,
                    "You never look at `known`: this is the base for every coalition."),
            Mistake("known and unknown swapped", _known_and_unknown_swapped,
                    "You answer where the feature is unknown and average where it is known."),
            Mistake("low and high swapped", _low_and_high_swapped,
                    "Where the feature is known you take the other branch: "
                    "a row goes low where its bit is 0."),
            Mistake("only the likelier branch", _likelier_branch,
                    "You follow the branch that most rows took. The game averages over both.")),
        meaning="This is the whole path-dependent game. "
                "Put it into chapter 8's formula and you have TreeSHAP by definition; "
                "the fast algorithm returns the same numbers."),
    Question(
        id="treeshap.leaf", title="Divide one leaf", kind="implement", stars=3, minutes=18,
        points=4,
        hints=("A coalition S is paid value times the product of a over S and of b over the rest.",
               "Either go through `itertools.permutations(range(d))` and note what each adds; "
               "or integrate over the time of arrival.",
               "For the integral: `numpy.polynomial.legendre.leggauss(d)` is made for times from "
               "-1 to 1. Move its nodes and halve its weights; at time t each of the others passes "
               "with chance t a_j + (1 - t) b_j."),
        check=function(
            _leaves, _divide_leaf,
            Mistake("plain average", _at_half_time,
                    "This is the integrand at t = 1/2, the plain average over coalitions. "
                    "It is right for two players only."),
            Mistake("last to arrive", _last_to_arrive,
                    "You let every player arrive last. Average over the times of arrival."),
            Mistake("first to arrive", _first_to_arrive,
                    "You let every player arrive first. Average over the times of arrival."),
            Mistake("one order", _in_one_order,
                    "You let the players arrive in one order. Average over all."),
            Mistake("equal shares", _evenly,
                    "Equal shares add up as they should, but a player with a = 1 and one with a = "
                    "0 did not do the same."),
            Mistake("times from -1 to 1", _nodes_not_moved,
                    "`leggauss` is made for times between -1 and 1: "
                    "move them with (nodes + 1) / 2, and halve the weights."),
            Mistake("the others left out", _alone, "You pay each player for its own bit. The leaf "
                    "pays only if the others pass, too: a product."),
            Mistake("row and stand-in swapped", _row_and_stand_in_swapped,
                    "`a` and `b` have changed places: "
                    "the known features take `a`, the others `b`."),
            Mistake("stand-in forgotten", _stand_in_forgotten,
                    "You pay nothing where a stand-in fills the gap. It passes with chance b.")),
        blocked=BLOCKED,
        meaning="Sum this over the leaves of a forest and you have SHAP values for any number of "
                "columns: the cost depends on the features on a path, not on those in the table."),
]

MEANING = [
    Question(
        id="treeshap.mend_ranking", title="Find the bug: shares that cancel", kind="mend", stars=1,
            minutes=8, points=2,
        hints=("Try it on two rows with the shares +1 and −1.",
               "What happens first: the mean, or the absolute value?"),
        check=function(
            _tables, _mean_size,
            Mistake("sum", _added_up, "You add up over the rows. The question asks for the mean."),
            Mistake("mean over features", _mean_over_features,
                    "You averaged over the features of each row: one number a row. Turn the axis."),
            Mistake("one number", _one_number,
                    "One number for all features: say over which axis to average."),
            Mistake("root mean square", _root_of_squares,
                    "That is the root of the mean square. "
                    "It gives large shares more weight than the mean size does."),
            Mistake("normalised", _as_shares,
                    "You divided by the sum. The mean size stays in units of the prediction."),
            Mistake("no absolute value", _signed_mean,
                    "Without the absolute value, shares of both signs cancel."),
            planted=_size_of_mean),
        meaning="With the path-dependent base the mean of a feature's shares over the training "
                "rows is near zero for *every* feature: unmended, the bug ranks rounding errors "
                "and odd correlations."),
    Question(
        id="treeshap.report", title="A report that contradicts itself", kind="explain", stars=2,
        minutes=11, points=3,
        hints=("Which two sentences cannot both be true of one model in one game?",
               "What would you have to ask for before you could compare the two tables?",
               "Does a large mean |φ| say that a feature makes predictions better?"),
        check=by_hand,
        rubric=((1, "sees the contradiction: a copy that is never read gets exactly 0 in both "
                    "modes of TreeSHAP, and cannot get half; "
                    "half and half is the conditional game, or a model that reads both alike"),
                (1, "says that \"SHAP values\" needs the game and the background: "
                    "TreeSHAP without background is path-dependent, with one interventional"),
                (1, "says that mean |φ| measures how much predictions move and does not see y; "
                    "whether a feature helps is a question for the loss: "
                    "SAGE or a permutation importance on new rows"))),
]

QUESTIONS = RECALL + GAMES + ALGORITHM + MEANING
