"""Exercise set 14, with your own model: libraries' importances, words, gaps, an audit."""

import numpy as np

from fi_course.questions.checks import Mistake, by_hand, catches, choice, function, value
from fi_course.questions.implementations_to_test import ch14_own_model as implementations
from fi_course.questions.question import Question

# The gain of a split, and what people write instead.


def _gain_of(saving, combine):
    """Return a gain that combines `saving(errors, lam)` of (left, right, both)."""
    def gain(left, right, lam):
        left, right = np.asarray(left, float), np.asarray(right, float)
        both = np.concatenate([left, right])
        return combine(saving(left, lam), saving(right, lam), saving(both, lam))
    return gain


def _saving(errors, lam):
    return errors.sum() ** 2 / (len(errors) + lam)


def _less_before(left, right, both):
    return left + right - both


_gain = _gain_of(_saving, _less_before)
_before_forgotten = _gain_of(_saving, lambda left, right, both: left + right)
_halved = _gain_of(_saving, lambda left, right, both: (left + right - both) / 2)
_lambda_forgotten = _gain_of(lambda errors, lam: errors.sum() ** 2 / len(errors), _less_before)
_squares_summed = _gain_of(lambda errors, lam: (errors**2).sum() / (len(errors) + lam),
                           _less_before)
_not_squared = _gain_of(lambda errors, lam: abs(errors.sum()) / (len(errors) + lam), _less_before)
_of_means = _gain_of(lambda errors, lam: errors.mean() ** 2, _less_before)


def _per_row(left, right, lam):
    return _gain(left, right, lam) / (len(left) + len(right))


def _splits(rng):
    """Draw errors on both sides of a split, and lambda; the smallest first."""
    small = [([1], [-1], 0), ([1, 1, 1], [-3], 0), ([1, 1, 1], [-3], 1), ([2, 1], [2], 0),
             ([2, -1], [4, 1, 1], 3)]
    drawn = [(rng.integers(-5, 6, size=a), rng.integers(-5, 6, size=b), lam)
             for a, b, lam in ((3, 4, 0), (5, 2, 1), (6, 6, 2))]
    return [(np.array(left, float), np.array(right, float), float(lam))
            for left, right, lam in small + drawn]


# Words as the mean of their targets, and what people write instead.


def _encoded_by(mean_for):
    """Return an encoding in which row i gets `mean_for(i, words, y, fold)`."""
    def encode(words, y, fold):
        words, y, fold = np.asarray(words), np.asarray(y, float), np.asarray(fold)
        return [float(mean_for(i, words, y, fold)) for i in range(len(y))]
    return encode


def _mean_or(values, otherwise):
    return values.mean() if len(values) else otherwise


def _by_others(i, words, y, fold):
    other = fold != fold[i]
    return _mean_or(y[other & (words == words[i])], y[other].mean())


_by_other_folds = _encoded_by(_by_others)
_by_all = _encoded_by(lambda i, words, y, fold: y[words == words[i]].mean())
_by_own_fold = _encoded_by(
    lambda i, words, y, fold: y[(fold == fold[i]) & (words == words[i])].mean())
_without_row = _encoded_by(lambda i, words, y, fold: _mean_or(
    y[(np.arange(len(y)) != i) & (words == words[i])], y[fold != fold[i]].mean()))
_zero_for_new = _encoded_by(lambda i, words, y, fold: _mean_or(
    y[(fold != fold[i]) & (words == words[i])], 0.0))
_all_for_new = _encoded_by(lambda i, words, y, fold: _mean_or(
    y[(fold != fold[i]) & (words == words[i])], y.mean()))


def _streets(rng):
    """Draw words, targets and folds: every word in some fold, at least two folds.

    The smallest come first.
    """
    small = [(["a", "a"], [0, 1], [0, 1]), (["a", "b", "a"], [1, 0, 0], [0, 1, 1]),
             (["a", "a", "b", "b"], [1, 0, 1, 1], [0, 1, 0, 1]),
             (["a", "a", "a", "b"], [1, 1, 0, 0], [0, 0, 1, 1])]
    drawn = [(rng.choice(list("abcd"), size=n), rng.integers(2, size=n), np.arange(n) % 3)
             for n in (7, 12, 20)]
    return [(np.array(words), np.array(y, float), np.array(fold))
            for words, y, fold in small + drawn]


RECALL = [
    Question(
        id="own_model.recall_noise", title="A coin and a random number", kind="predict", stars=1,
        minutes=3, points=1,
        hints=("How many places to cut does each column offer?",
               "The best of many lucky cuts is luckier than the only one.",
               "Can a split that was chosen for its decrease have a negative one?"),
        check=choice(
            "c",
            Mistake("noise cancels", "a", "On new rows it would. MDI adds up decreases on the rows "
                                          "that chose the splits, and none of these is negative."),
            Mistake("fewer cuts, purer cuts", "b",
                    "The coin has one cut, take it or leave it. "
                    "What can choose among many finds a luckier one."),
            Mistake("all noise is alike", "d", "Each single cut is as poor as another. "
                                               "But one column has one ticket in the lottery, "
                                               "the other as many as there are rows.")),
        meaning="And a count of splits shows it undiluted: "
                "a coin can be asked once on a path, a random number again and again."),
    Question(
        id="own_model.recall_cover", title="Nobody knows the feature", kind="number", stars=1,
        minutes=4, points=1,
        hints=("Both branches are taken.", "Each branch counts by its share of the training rows."),
        check=value(
            2.2,
            Mistake("branches alike", 3, "That is the plain mean of the two leaves. "
                                         "Seven rows went one way and three the other."),
            Mistake("the larger branch only", 1,
                    "The heavier branch has the larger say, and not the only one: "
                    "nothing is known."),
            Mistake("weights exchanged", 3.8, "You gave each leaf the other one's weight."),
            Mistake("a sum", 22, "These are ten rows' answers added up. The mean is asked for.")),
        meaning="The mean of the tree over its training rows: if cover counts rows."),
]

COUNTED = [
    Question(
        id="own_model.five", title="Five importances from two trees", kind="number", stars=2,
        minutes=8, points=3,
        hints=("Mark the three splits on `age`.",
               "Weight is how many there are. The two totals are sums over these three.",
               "Gain and cover are the totals divided by the weight."),
        check=value(
            {"weight": 3, "gain": 22, "total_gain": 66, "cover": 190 / 3, "total_cover": 190},
            Mistake("the other column",
                    {"weight": 2, "gain": 25, "total_gain": 50, "cover": 70, "total_cover": 140},
                    "These are the numbers of `pay`."),
            Mistake("a mean over trees", {"gain": 33, "cover": 95},
                    "You divided by the number of trees. "
                    "XGBoost divides by the number of the column's *splits*.", partly=True),
            Mistake("a mean over all splits", {"gain": 13.2, "cover": 38},
                    "You divided by all five splits. The mean is over the splits on `age`.",
                    partly=True),
            Mistake("total and mean exchanged",
                    {"gain": 66, "total_gain": 22, "cover": 190, "total_cover": 190 / 3},
                    "The totals stand where the means belong: "
                    "`gain` and `cover`, the short names, are the means.", partly=True),
            Mistake("root splits only", {"weight": 1, "total_gain": 60, "total_cover": 100},
                    "All splits count, wherever they stand.", partly=True)),
        meaning="By gain `pay` leads, 25 to 22; by total gain `age`, 66 to 50. "
                "Its two late splits have cost `age` the first place."),
    Question(
        id="own_model.gain", title="The gain of a split", kind="implement", stars=2, minutes=12,
        points=3,
        hints=("With squared error a row's Hessian is 1: "
               "H is the number of rows, G the sum of the errors.",
               "Write a function of one group of errors first: G squared over H + λ.",
               "Left and right, less the same for all rows together."),
        check=function(
            _splits, _gain,
            Mistake("before forgotten", _before_forgotten,
                    "You added what the two sides save. "
                    "What all rows together could save with *one* constant must come off."),
            Mistake("halved", _halved,
                    "The factor ½ stands in the paper's formula. "
                    "What XGBoost prints leaves it out."),
            Mistake("lambda forgotten", _lambda_forgotten,
                    "Without λ it is right. λ is added to H in each of the three terms."),
            Mistake("squares added up", _squares_summed,
                    "You added the squares of the errors. It is the square of their *sum*: "
                    "errors of opposite signs cannot be mended by one constant."),
            Mistake("not squared", _not_squared, "G is squared."),
            Mistake("means, not sums", _of_means,
                    "You squared the means. A side with many rows saves more than one with few: "
                    "G²/H is H times the squared mean."),
            Mistake("per row", _per_row, "This is the gain per row, the decrease of chapter 3 if λ "
                                         "is 0. XGBoost prints the sum over the rows."),
            lists=True),
        meaning="With λ = 0 it is the decrease in variance times the number of rows: "
                "MDI, before anybody divides."),
    Question(
        id="own_model.two_charts", title="Two colleagues, two charts", kind="predict", stars=1,
        minutes=4, points=1,
        hints=("Neither of them has said which importance it is.",
               "What does `feature_importances_` hold in XGBoost, and what in LightGBM?"),
        check=choice(
            "b",
            Mistake("one overfits", "a",
                    "They may overfit alike. Look at what is *counted* before you look for causes "
                    "in the models."),
            Mistake("twins", "c", "Both models can divide the credit between the two as they like, "
                                  "and that moves bars. It does not make a column of many values "
                                  "lead one chart and end the other."),
            Mistake("chance", "d",
                    "Another seed moves bars a little. From first to last place is not a seed.")),
        meaning="Ask both for the total gain, and the charts can be compared."),
    Question(
        id="own_model.hessians", title="What nobody knows, twice", kind="number", stars=2,
        minutes=10, points=3,
        hints=("By rows the left branch has the weight 180/200.",
               "A row's Hessian is p(1 − p): .0196 on the left, .24 on the right. "
               "How much is each side in sum?",
               "The weights are 3.528 and 4.8; divide by their sum."),
        check=value(
            {"rows": -1.7, "hessians": (-2 * 3.528 + 4.8) / 8.328},
            Mistake("Hessians of one row", {"hessians": (-2 * 0.0196 + 0.24) / 0.2596},
                    "You weighed the sides by the Hessian of *one* row each. "
                    "There are 180 rows on the left and 20 on the right.", partly=True),
            Mistake("p for p(1 − p)", {"hessians": (-2 * 3.6 + 8) / 11.6},
                    "You added up p. The Hessian of log loss is p(1 − p).", partly=True),
            Mistake("sides exchanged", {"rows": 0.7, "hessians": (3.528 - 2 * 4.8) / 8.328},
                    "You gave each leaf the weight of the other side.", partly=True),
            Mistake("sides alike", {"rows": -0.5},
                    "That is the mean of the two leaves. 180 of 200 rows are on the left.",
                    partly=True),
            Mistake("the same twice", {"hessians": -1.7},
                    "By Hessians the sure rows on the left count little: the two differ.",
                    partly=True)),
        meaning="One tree, and \"nothing is known\" is −1.7 or −.27: a chance of 15 % or of 43 %. "
                "Say whose cover you used."),
]

WORDS_AND_GAPS = [
    Question(
        id="own_model.added_up", title="Four bars of one column", kind="predict", stars=1,
        minutes=5, points=2,
        hints=("Which of these is itself a sum over splits?",
               "Which of them makes rows that have two words or none?",
               "Which would be zero for all four words, though the column is needed?"),
        check=choice(
            "a",
            Mistake("shuffled apart", "b", "Shuffled apart, a row may get two words or none, "
                                           "and the words' effects on each other are counted "
                                           "nowhere. Shuffle the four together."),
            Mistake("each can be spared", "c", "Each word can be read off from the other three, "
                                               "so four refits lose nothing. Drop them together."),
            Mistake("sizes added", "d",
                    "A word's +.3 and another's −.3 in one row are nothing together, "
                    "and .6 if sizes are added. Add the values first."),
            Mistake("means added", "e",
                    "These are means over splits. Add the totals, and divide by the added numbers "
                    "of splits.")),
        meaning="It is a sum over splits, whoever they belong to. "
                "With it comes MDI's liking for columns of many words."),
    Question(
        id="own_model.mend_encoding", title="Find the bug: the street that knew", kind="mend",
        stars=2, minutes=12, points=3,
        hints=("Give it words of which each occurs once. What does each row get?",
               "Which rows may speak when row i is encoded?",
               "Those of other folds with the same word; "
               "if there are none, all of the other folds."),
        check=function(
            _streets, _by_other_folds,
            Mistake("only the row itself left out", _without_row,
                    "You left out the row, but not its fold. "
                    "In a fold the rows are then encoded with one another's targets."),
            Mistake("the row's own fold", _by_own_fold,
                    "You took the mean over the row's *own* fold: "
                    "exactly the rows that must not speak."),
            Mistake("0 for an unknown word", _zero_for_new,
                    "A word that no other fold has gets 0, which says that all its loans are good. "
                    "Take the mean of the other folds."),
            Mistake("its own fold in the common mean", _all_for_new,
                    "Nearly: where a word is unknown to the other folds, "
                    "the common mean must come from the other folds, too."),
            planted=_by_all, lists=True),
        meaning="A row must not help to make its own value, not even by way of the common mean."),
    Question(
        id="own_model.test_gaps", title="Does it leave the gaps alone?", kind="test", stars=3,
        minutes=14, points=3,
        hints=("Give it a column with several gaps and different numbers, "
               "and compare what comes back, place by place.",
               "`np.isnan` of both must be the same; the sorted known values must be the same.",
               "Ask several seeds whether anything moves, and look at the column you gave "
               "afterwards."),
        check=catches(
            right=[Mistake("refuses a right one", implementations.right,
                           "Your test refuses a right implementation: "
                           "work out again what must come back."),
                   Mistake("one order only", implementations.right_by_keys,
                           "Your test refuses a right implementation that deals the values out in "
                           "another order from the same generator: "
                           "ask for what must hold of *every* shuffle.")],
            bugs=[Mistake("misses gaps that move", implementations.gaps_move,
                          "An implementation that shuffles the gaps as well passes your test."),
                  Mistake("misses gaps that are filled", implementations.gaps_filled,
                          "An implementation that fills the gaps passes your test."),
                  Mistake("misses values drawn again", implementations.drawn_again,
                          "An implementation that draws with replacement passes your test: "
                          "some values then come twice and others not at all."),
                  Mistake("misses that nothing moves", implementations.nothing_moves,
                          "An implementation that changes nothing passes your test: "
                          "over several seeds, something must move."),
                  Mistake("misses a changed column", implementations.in_place,
                          "An implementation that shuffles the caller's own column passes "
                          "your test.")]),
        meaning="With such a shuffle the importance of an amount can be told from the importance "
                "of having one on file."),
    Question(
        id="own_model.which_sentence", title="Which sentence may be signed?", kind="predict",
        stars=1, minutes=4, points=2,
        hints=("Which measure was it, and what does it speak of?",
               "Is the interval clear of zero? And if it is not, what does that allow?"),
        check=choice(
            "d",
            Mistake("absence of evidence", "a", "Up to .008 is as compatible with these rows as 0. "
                                                "\"Not clear of zero\" is not \"zero\"."),
            Mistake("a cause", "b",
                    "Nobody's record was changed. Shuffling a column changes what the model reads, "
                    "not what people do."),
            Mistake("this model for any model", "c",
                    "What a *refit* would lose was not measured here. Others may step in for it."),
            Mistake("bars compared", "e", "The two intervals overlap for the most part, "
                                          "and a difference needs an interval of its own.")),
        meaning="It names the model, the rows, the unit and the interval, "
                "and leaves the world alone."),
]

CAPSTONE = [
    Question(
        id="own_model.audit", title="Capstone: audit a model of your own", kind="explain", stars=3,
        minutes=150, points=12,
        hints=("Write down who asks, and what for, before you run anything.",
               "What the audit could not ask, because nobody told it, is for you to find out: "
               "groups, dates, where gaps come from.",
               "Take one bar of the library's chart that your audit does not bear out, "
               "and say what was counted."),
        check=by_hand,
        rubric=((1, "who asks what, and which of the four questions it is"),
                (2, "the model's skill with an interval on rows it has not seen, "
                    "and why one may believe that it has not"),
                (2, "every check of the audit answered, also those that it could not make: "
                    "copies, groups, dates, gaps and how words were coded"),
                (2,
                 "which importance the library prints by default, and one place where it disagrees "
                 "with the audit, explained by what is counted"),
                (2, "the figures that answer the question, with unit and interval; "
                    "columns that go together spoken of together"),
                (2, "a paragraph for the person who asked, in which every number was computed and "
                    "nothing goes further than what was measured"),
                (1, "the sentence that is refused, and what it would take to write it")),
        meaning=""),
]

QUESTIONS = RECALL + COUNTED + WORDS_AND_GAPS + CAPSTONE
