"""Exercise set 3, mean decrease in impurity: out-of-bag means, boosting weights, averaging."""

import numpy as np

from fi_course.questions.checks import Mistake, by_hand, catches, choice, function, value
from fi_course.questions.implementations_to_test import ch03_mdi as implementations
from fi_course.questions.question import Question

# Definitions to judge by, slow and short.

def _oob_mean(predictions, in_bag):
    """Average over the trees that did not see the row; NaN if all did."""
    columns = zip(np.transpose(predictions), np.transpose(in_bag), strict=True)
    return [np.mean(said[counts == 0]) if (counts == 0).any() else np.nan
            for said, counts in columns]


def _reweighed(step):
    """Return AdaBoost's next weights, with `step(error)` for alpha."""
    def weights(weight, missed):
        weight, missed = np.asarray(weight, float), np.asarray(missed, bool)
        new = np.where(missed, weight * np.exp(step(weight[missed].sum())), weight)
        return new / new.sum()
    return weights


_next_weights = _reweighed(lambda error: np.log((1 - error) / error))


def _shares(decreases):
    decreases = np.asarray(decreases, float)
    total = decreases.sum(axis=1, keepdims=True)
    shares = np.divide(decreases, total, out=np.zeros_like(decreases), where=total > 0).mean(axis=0)
    return shares / shares.sum()


# Mistaken formulas, each under the name a check gives it.

def _oob_weighted(predictions, in_bag):
    return (np.asarray(predictions) * np.asarray(in_bag)).sum(axis=0) / np.sum(in_bag, axis=0)


def _oob_seen(predictions, in_bag):
    """Average over the trees that did see the row; NaN if none did."""
    return _oob_mean(predictions, (np.asarray(in_bag) == 0).astype(int))


def _oob_of_all(predictions, in_bag):
    return np.mean(predictions, axis=0)


def _oob_over_m(predictions, in_bag):
    return (np.asarray(predictions) * (np.asarray(in_bag) == 0)).sum(axis=0) / len(predictions)


def _oob_zero(predictions, in_bag):
    return np.nan_to_num(_oob_mean(predictions, in_bag))


def _not_scaled(weight, missed):
    weight, missed = np.asarray(weight, float), np.asarray(missed, bool)
    error = weight[missed].sum()
    return np.where(missed, weight * (1 - error) / error, weight)


def _counted(weight, missed):
    """Return the error as a share of the rows, without weights."""
    weight, missed = np.asarray(weight, float), np.asarray(missed, bool)
    new = np.where(missed, weight * (1 - missed.mean()) / missed.mean(), weight)
    return new / new.sum()


def _raw_first(decreases):
    return np.sum(decreases, axis=0) / np.sum(decreases)


def _no_guard(decreases):
    decreases = np.asarray(decreases, float)
    return (decreases / decreases.sum(axis=1, keepdims=True)).mean(axis=0)


def _short_of_one(decreases):
    decreases = np.asarray(decreases, float)
    return _shares(decreases) * (decreases.sum(axis=1) > 0).mean()


def _by_feature(decreases):
    """Divide by column sums: each feature's importances add up to 1 over the trees."""
    decreases = np.asarray(decreases, float)
    total = decreases.sum(axis=0, keepdims=True)
    return np.divide(decreases, total, out=np.zeros_like(decreases), where=total > 0).mean(axis=0)


# Cases, the smallest first.

def _forests(rng):
    small = [([[1.0], [3.0]], [[0], [1]]), ([[1.0, 2.0], [3.0, 6.0]], [[0, 2], [0, 1]]),
             ([[0.0, 1.0], [1.0, 1.0], [0.5, 4.0]], [[2, 0], [0, 0], [0, 2]])]
    drawn = [(rng.integers(0, 9, size=(m, n)) / 2,
              np.array([np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(m)]))
             for m, n in ((3, 4), (5, 6), (9, 5))]
    return [(np.array(said, float), np.array(bag)) for said, bag in small + drawn]


def _rounds(rng):
    small = [([0.25, 0.25, 0.5], [True, False, False]), ([0.125] * 8, [False] * 6 + [True, False])]
    drawn = []
    for n in (4, 6, 10):
        weight = rng.integers(2, 9, size=n).astype(float)
        weight[0] = 1.0
        drawn.append((weight / weight.sum(), [True] + [False] * (n - 1)))
    return [(np.array(weight), np.array(missed)) for weight, missed in small + drawn]


def _decreases(rng):
    small = [[[0.3, 0.1]], [[0.3, 0.1], [0.01, 0.03]], [[0.4, 0.0], [0.0, 0.0]],
             [[0.2, 0.2], [0.0, 0.0], [0.0, 0.1]]]
    drawn = [rng.integers(0, 9, size=(m, p)) / 20 + np.eye(m, p) / 20
             for m, p in ((3, 3), (4, 5), (6, 3))]
    return [(np.array(table, float),) for table in small + drawn]


RECALL = [
    Question(
        id="mdi.recall_currency", title="From bits times days to MDI", kind="number", stars=1,
        minutes=3, points=1,
        hints=("The golf post weighs by the number of days, the MDI by the share of the days.",
               "All nodes of the tree are measured against the same total: "
               "the 14 days of the root.",
               "Divide by 14."),
        check=value(
            0.2,
            Mistake("divided by the node's days", 0.4,
                    "That is the decrease a day *within the node*. "
                    "The MDI counts it for the share of all days that the node holds: 7 of 14."),
            Mistake("still in the post's currency", 2.8,
                    "These are bits times days still. The MDI weighs by shares of the days."),
            Mistake("weighted twice", 0.1,
                    "The 2.8 contains the 7 days already: weighing by 7/14 once more is too much."),
            unit="bits", tolerance=0.002),
        meaning="Counts or shares: all nodes differ by the same factor, "
                "so normalised importances do not."),
    Question(
        id="mdi.recall_left_over", title="What the leaves keep", kind="number", stars=1, minutes=4,
        points=1,
        hints=("Decreases telescope: the root's impurity less what the leaves keep.",
               "A leaf keeps its impurity times its share of the rows.",
               "Weigh the mixed leaf by the share of the rows that it holds; the pure ones keep "
               "nothing."),
        check=value(
            0.33,
            Mistake("pure leaves taken for granted", 0.48,
                    "That would be so if every leaf were pure. One of them keeps something."),
            Mistake("leaf not weighted", 0.105,
                    "The mixed leaf holds 4 of the 10 rows: only so much of its impurity is kept."),
            Mistake("normalised", 0.33 / 0.48, "You divided by the root's impurity. Here nothing "
                    "is normalised: the decreases are added as they are."),
            Mistake("what is left, not what was taken", 0.15,
                    "That is what the leaves keep. The decreases are the rest."),
            unit="gini", tolerance=0.002),
        meaning="Stop a tree early and the leaves keep something. Question 8 makes use of that."),
]

MANY_TREES = [
    Question(
        id="mdi.boost_step", title="One step of boosting", kind="number", stars=1, minutes=5,
        points=2,
        hints=("Everybody starts with the mean of the four targets.",
               "The stump predicts residuals: what is missing from the mean. "
               "In a leaf of one row that is the row's own residual.",
               "Half of what is missing, added to where the row already was."),
        check=value(
            5,
            Mistake("the whole step", 8,
                    "You took the whole step. The learning rate takes half of it."),
            Mistake("fitted to the target", 6,
                    "You added half of the target. The tree is fitted to the *residual*, "
                    "what is still missing."),
            Mistake("the step alone", 3,
                    "That is the step. It is added to where the row already was."),
            Mistake("no start", 4,
                    "You began at zero. Boosting begins by telling everybody the mean.")),
        meaning="After one round 3 of the 6 are missing, after two rounds 1.5. "
                "Later trees have ever less to take away: "
                "which is why it matters what a boosting model's importances are an average of."),
    Question(
        id="mdi.oob_mean", title="Only strangers may judge", kind="implement", stars=2, minutes=12,
        points=3,
        hints=("`in_bag == 0` says which tree is a stranger to which row.",
               "For each row add up what the strangers say, and divide by how many strangers "
               "there are.",
               "Go through the rows one by one: pick what the strangers say, and think of what to "
               "do if there are none."),
        check=function(
            _forests, _oob_mean,
            Mistake("those who saw it", _oob_seen,
                    "You asked the trees that *saw* the row. They know its answer by heart."),
            Mistake("weighted by the counts", _oob_weighted,
                    "You weighted by how often a tree saw the row. "
                    "Only a count of 0 makes it a fair judge."),
            Mistake("all trees", _oob_of_all,
                    "You asked all the trees, also those that saw the row."),
            Mistake("divided by all trees", _oob_over_m,
                    "You divided by the number of all trees. Only the strangers spoke: "
                    "divide by their number."),
            Mistake("zero for silence", _oob_zero,
                    "Where every tree saw the row nobody may speak. "
                    "That is unknown (NaN), not 0.")),
        blocked=("fi_teach.trees.forest",),
        meaning="With 100 trees about 37 judge each row. With five trees some rows have none: "
                "0.632 to the fifth is a tenth of them."),
    Question(
        id="mdi.adaboost_weight", title="How heavy is a missed row?", kind="number", stars=1,
        minutes=5, points=2,
        hints=("The error is the weight of the missed rows: 2/10.",
               "Multiply the missed rows by (1 - 0.2) / 0.2 = 4, and scale all weights to add "
               "up to 1.",
               "There is a quicker way: what do all missed rows weigh together after the update?"),
        check=value(
            0.25,
            Mistake("not scaled", 0.4,
                    "Right so far, but now the ten weights add up to 1.6: divide by that."),
            Mistake("both together", 0.5,
                    "Both missed rows together weigh this: the question asks for one of them."),
            Mistake("a row that was right", 0.0625,
                    "That is the weight of a row the stump got right."),
            Mistake("e taken for the error", 0.1 * 0.2**np.log(4) / (0.8 + 0.2 * 0.2**np.log(4)),
                    "In e to the alpha, e is Euler's number 2.718 and not the error: the factor is "
                    "(1 - error) / error."),
            Mistake("alpha, not e to the alpha", 0.1 * np.log(4) / (0.8 + 0.2 * np.log(4)),
                    "You multiplied by alpha = log 4. "
                    "The weights are multiplied by e to the alpha, which is 4.")),
        meaning="Missed rows always weigh one half together. "
                "So the stump just chosen is now a coin flip, and the next must differ."),
    Question(
        id="mdi.mend_weights", title="Find the bug: the wrong rows get heavy", kind="mend", stars=2,
        minutes=8, points=3,
        hints=(
            "Run it on the eight students. Which rows should carry half of the weight afterwards?",
            "With an error of 1/8, is the missed row multiplied by 7 or by 1/7?",
            "While the stump is better than a coin, must alpha be positive or negative?"),
        check=function(
            _rounds, _next_weights,
            Mistake("not scaled", _not_scaled,
                    "The missed rows are multiplied rightly now, but the new weights must add "
                    "up to 1."),
            Mistake("half of alpha", _reweighed(lambda error: np.log((1 - error) / error) / 2),
                    "With half of alpha you must also divide the right rows by the same factor. "
                    "As it stands, the missed rows get too little."),
            Mistake("rows counted, not weighed", _counted,
                    "The error is the *weight* of the missed rows, not their number: "
                    "after the first round these differ."),
            planted=_reweighed(lambda error: np.log(error / (1 - error))), lists=True),
        meaning="With the bug the model studies what it already knows. "
                "It still runs, and on easy data it even looks good: "
                "test what must be true (missed rows weigh 1/2), not that something comes out."),
]

CREDIT = [
    Question(
        id="mdi.forest_shares", title="Importances as scikit-learn's forest has them",
        kind="implement", stars=2, minutes=12, points=3,
        hints=("Each tree has one vote: turn its row into shares first.",
               "A tree that never split has a row of zeros: it cannot be divided by its sum. "
               "Leave it zero.",
               "Average the shares over the trees. What do they add up to if some trees are idle, "
               "and how is that put right?"),
        check=function(
            _decreases, _shares,
            Mistake("raw trees averaged", _raw_first,
                    "You averaged the raw decreases: that is gradient boosting's way. "
                    "A forest turns each tree into shares *first*."),
            Mistake("no shares at all", lambda decreases: np.mean(decreases, axis=0),
                    "These are mean decreases: nothing was divided. A forest turns each tree into "
                    "shares first."),
            Mistake("divided by nothing", _no_guard,
                    "A tree without a split has decreases that add up to 0, "
                    "and you divided by that."),
            Mistake("short of one", _short_of_one, "Trees without a split pull your shares below 1 "
                                                   "in sum: divide once more at the end."),
            Mistake("down the columns", _by_feature,
                    "You divided each feature's column by its sum. "
                    "It is each *tree* that must add up to 1.")),
        blocked=("fi_teach.importance.mdi",),
        meaning="On two trees with (.30, .10) and (.01, .03) this gives one half; "
                "averaging first gives .70. Both are called feature importance."),
    Question(
        id="mdi.shallow_noise", title="Cut the trees short", kind="predict", stars=2, minutes=5,
        points=2,
        hints=("Write the sum of all decreases as root less leaves.",
               "The roots are as mixed in both forests. What about the leaves after two questions?",
               "Noise has no question that sorts the rows well, so much impurity stays in its "
               "leaves."),
        check=choice(
            "b",
            Mistake("grown to purity in mind", "a",
                    "That holds for trees grown to purity. "
                    "After two levels the leaves are mixed, and they keep what no question could "
                    "take away."),
            Mistake("the best of many bad cuts", "c",
                    "Noise does profit from many tries (chapter 4), "
                    "but its best cuts are poor ones."),
            Mistake("noise gives nothing", "d",
                    "A little is always found: the best of many cuts looks good by chance, "
                    "and no decrease is negative.")),
        meaning="On three hundred concrete mixes the sums are about .12 and .03. "
                "The *shares* add up to 1 in both: normalising throws this away."),
    Question(
        id="mdi.test_stretch", title="Write a test: does it see the order only?", kind="test",
        stars=3, minutes=15, points=3,
        hints=("Compute the importance of a column x, and again of a strictly increasing change of "
               "x: they must agree.",
               "A change such as 10 * x + 3 catches some. "
               "It cannot catch what uses means and standard deviations: "
               "bend the axis, as with np.exp(x).",
               "Use a column whose middle value is far from the middle of its range, such as 0, 1, "
               "2, 3, 4, 9, and mixed labels; compare with a tolerance."),
        check=catches(
            right=[
                Mistake("refuses a tree's measure", implementations.best_gini,
                        "Your test refuses the best Gini decrease, which sees the order only: "
                        "is your change strictly increasing, and do you compare with a tolerance?"),
                Mistake("refuses entropy", implementations.best_entropy,
                        "Your test refuses the best entropy decrease: "
                        "do not ask for one particular value."),
                Mistake("refuses ranks", implementations.rank_difference,
                        "Your test refuses a difference of mean ranks. "
                        "It is no decrease, but it sees the order only: "
                        "that is all you were asked to test. "
                        "(x² is no increasing change where x is negative.)")],
            bugs=[
                Mistake("misses a change of unit", implementations.mean_difference,
                        "An importance that grows with the unit passes your test: "
                        "multiply the column by something."),
                Mistake("misses a bend", implementations.standardised_difference,
                        "A standardised difference of means passes your test. It survives every "
                        "straight change, not a bent one: try np.exp or a cube."),
                Mistake("misses a cut at the mean", implementations.cut_at_the_mean,
                        "A tree that always cuts at the mean passes your test: "
                        "bend the axis so far that another row falls on the other side of "
                        "the mean."),
                Mistake("misses a cut at mid-range", implementations.cut_at_mid_range,
                        "A tree that cuts halfway between the smallest and the largest value "
                        "passes your test: bend the axis so far that the middle moves past a "
                        "row.")]),
        meaning="An invariance is a test you can write without knowing the right answer: "
                "change what must not matter, and compare."),
    Question(
        id="mdi.board_meeting", title="A chart in a meeting", kind="explain", stars=2, minutes=10,
        points=3,
        hints=("What would have to be true of the chart if the labels had been shuffled?",
               "Compare 61 % with the best answer that looks at nothing. Would log loss or AUC "
               "have to say the same?",
               "Which two or three facts should stand beside any such chart?"),
        check=by_hand,
        rubric=((1, "the importances always add up to 100 %, also on shuffled labels, "
                    "so the chart alone is no evidence that a feature matters"),
                (1, "61 % on new rows is no better than always answering 'stays' (62 %): no skill "
                    "has been shown. Nor is its absence: where most stay, a model that knows who "
                    "is at risk may still be right no more often, so log loss or AUC on new rows "
                    "must be asked"),
                (1, "says what to do: take the chart down until such a score stands beside it (and "
                    "the model and what was averaged); no campaign follows from it")),
        meaning=""),
]

QUESTIONS = RECALL + MANY_TREES + CREDIT
