"""Exercise set 6, negative and uncertain importances: null, intervals, rows used twice."""

import numpy as np

from fi_course.questions.checks import Mistake, by_hand, choice, function, value
from fi_course.questions.question import Question

BLOCKED = ("fi_teach.basics.shuffles.receiver_donor_variance", "fi_teach.importance.intervals",
           "fi_teach.importance.exact_permutation", "fi_teach.fast.exact_permutation")


# Definitions to judge by, slow and short.

def _p_below(observed, copies):
    below = [copy for copy in copies if copy <= observed]
    return (1 + len(below)) / (1 + len(copies))


def _roles(D):
    """Return each row's mean difference as receiver and as donor."""
    D = np.asarray(D, float)
    return D.mean(axis=1), D.mean(axis=0)


def _standard_error(D):
    receiver, donor = _roles(D)
    return np.std(receiver + donor, ddof=1) / np.sqrt(len(D))


def _resampled(x, y, rows, order):
    x, y = np.asarray(x, float)[rows], np.asarray(y, float)[rows]
    return np.mean((y - x[order]) ** 2 - (y - x) ** 2)


# Mistaken formulas, each under the name a check gives it.

def _p_of(count, extra=(1, 1)):
    """Return a share of null copies, counted by `count(copies, observed)`.

    A constant is added above and below.
    """
    def p_value(observed, copies):
        copies = np.asarray(copies, float)
        return (extra[0] + count(copies, observed).sum()) / (extra[1] + len(copies))
    return p_value


def _se_of(psi):
    """Return a standard error that combines the two roles by `psi(receiver, donor)`."""
    return lambda D: np.std(psi(*_roles(D)), ddof=1) / np.sqrt(len(D))


def _halves_as_independent(D):
    return np.sqrt(sum(np.var(role, ddof=1) for role in _roles(D)) / len(D))


def _pairs_as_independent(D):
    return np.std(D, ddof=1) / len(D)


def _resample_of(after, before):
    """Return mean squared error after less before, each on the original and the drawn rows."""
    def one_resample(x, y, rows, order):
        x, y = np.asarray(x, float), np.asarray(y, float)
        return np.mean(after(x, y, rows, order) - before(x, y, rows))
    return one_resample


def _before(x, y, rows):
    return (y[rows] - x[rows]) ** 2


_differences_drawn = _resample_of(lambda x, y, rows, order: (y - x[order])[rows] ** 2, _before)


# Cases, the smallest first.

def _tests_of_luck(rng):
    small = [(-0.5, [0.0]), (-0.5, [-1.0]), (-0.5, [-0.5, 1.0]),
             (-0.03, [-0.05, -0.04, 0.0, 0.01, 0.06]), (0.25, [-0.5, -0.25, 0.5])]
    drawn = [(float(rng.integers(-8, 3)) / 10, rng.integers(-10, 11, size=k) / 10)
             for k in range(5, 13)]
    return [(observed, np.array(copies)) for observed, copies in small + drawn]


def _pair_matrices(rng):
    small = [np.array([[0.0, 1.0], [3.0, 0.0]]),
             np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 4.0], [9.0, 4.0, 0.0]])]
    drawn = [rng.normal(size=(n, n)).round(2) * (1 - np.eye(n)) for n in range(3, 9)]
    return [(D,) for D in small + drawn]


def _draws(rng):
    small = [([0, 1], [0, 1], [0, 1], [1, 0]), ([0, 3], [0, 3], [1, 1], [1, 0]),
             ([0, 1, 5], [0, 2, 5], [0, 2, 2], [1, 2, 0])]
    drawn = [(rng.integers(-5, 6, n), rng.integers(-5, 6, n), rng.integers(n, size=n),
              rng.permutation(n)) for n in range(3, 10)]
    return [(np.array(x, float), np.array(y, float), np.array(rows), np.array(order))
            for x, y, rows, order in small + drawn]


RECALL = [
    Question(
        id="negative.recall_shuffle", title="Better after the shuffle", kind="number", stars=1,
        minutes=3, points=1,
        hints=("Turn each accuracy into an error rate: one less the accuracy.",
               "An importance is the mean error after the shuffles, less the error before.",
               "The error before is .20, and the mean error after is .18."),
        check=value(
            -0.02,
            Mistake("the sign", 0.02,
                    "The size is right and the sign is not: "
                    "the error *fell*, and the importance is error after less error before."),
            Mistake("the error after", 0.18,
                    "This is the mean error after the shuffles: the error before must come off."),
            Mistake("the accuracy after", 0.82,
                    "This is the mean accuracy after the shuffles: "
                    "the question asks for what shuffling adds to the *error*."),
            Mistake("one shuffle", -0.03,
                    "This is the first shuffle alone: average over all four."),
            Mistake("percentage points", -2,
                    "In percentage points, yes. Shares of errors lie between 0 and 1: "
                    "give the difference in these."),
            Mistake("a ratio", 0.9, "You divided after by before. That is another measure; "
                                    "here the importance is a difference."),
            tolerance=0.0011),
        meaning="One of the four shuffles gave +.01, the others less than 0. "
                "A single shuffle says little, and so does a single sign."),
    Question(
        id="negative.recall_training", title="Who gives nothing to noise?", kind="predict", stars=1,
        minutes=3, points=1,
        hints=("Two of the three are measured on rows that the tree has seen.",
               "On its own training rows a fully grown tree makes no error. "
               "What happens there when a column it uses is shuffled?",
               "The three lines of the chapter need rows on which the model was not fitted."),
        check=choice(
            "c",
            Mistake("noise helps to sort what was seen", "a",
                    "On the training rows the noise did help: it sorted them. "
                    "MDI is counted there."),
            Mistake("shuffled on seen rows", "b",
                    "The tree knows its training rows by heart. "
                    "Shuffle a column that it uses, and it no longer recognises them: "
                    "the error rises from 0."),
            Mistake("new rows are fair", "d", "On new rows shuffled noise is as harmful as the "
                                              "noise it replaces, so there the mean is zero.")),
        meaning="The same column has a positive value twice and zero once. "
                "Always ask on which rows an importance was measured."),
]

SIGNS = [
    Question(
        id="negative.thirty_bars", title="Thirty bars", kind="predict", stars=1, minutes=3,
        points=1,
        hints=("How overfitted the forest is does not enter the three lines.",
               "The expectation of every bar is 0. Is every bar 0?",
               "One shuffle deals noise for noise: the loss before and the loss after are two "
               "draws of the same kind."),
        check=choice(
            "b",
            Mistake("overfitting is not negative", "a",
                    "The forest is overfitted to all thirty, and still each expectation is exactly "
                    "0: shuffled noise is as harmful as the noise it replaces."),
            Mistake("luck has two signs", "c", "Nothing holds an importance above zero: "
                                               "on a finite set of new rows a shuffle may help by "
                                               "luck as often as it may hurt."),
            Mistake("zero on average only", "d",
                    "Exactly 0 is the *expectation*. "
                    "A forest that uses the columns gives a different value on every set "
                    "of rows.")),
        meaning="Fifteen negative bars, and all thirty features are alike. The sign of one shuffle "
                "is a coin toss. (A mean of many shuffles keeps the expectation 0, but need not "
                "fall to either side equally often.)"),
    Question(
        id="negative.wrong_slope", title="The wrong way round", kind="number", stars=2, minutes=5,
        points=2,
        hints=("For a linear model and squared loss: "
               "twice the model's slope times the covariance of the feature with what the rest "
               "leaves.",
               "There are no other features, so the rest leaves y less a constant. "
               "Cov(x, y) is the true slope times Var(x).",
               "Put the covariance into the first line, with the *model's* slope and its sign."),
        check=value(
            -0.16,
            Mistake("the factor 2", -0.08,
                    "Write out (r - b x')² - (r - b x)²: the mixed term carries a factor 2."),
            Mistake("the variance forgotten", -0.04,
                    "You took Var(x) as 1; here it is 4, and Cov(x, y) is 0.1 times Var(x)."),
            Mistake("the sign", 0.16, "The model's slope is negative and the true one is positive: "
                                      "their product is negative."),
            Mistake("the model's slope twice", 0.32,
                    "2 b² Var(x) is the importance if the model's slope were the true one."),
            Mistake("taken for noise", 0,
                    "Zero belongs to a feature on which y does not depend. "
                    "Here it does depend, and the model has it the wrong way round."),
            tolerance=0.0011),
        meaning="Here the minus is real: a larger test set will not take it away. "
                "Refitting on more rows, or without x, will."),
]

LUCK = [
    Question(
        id="negative.p_value", title="Below its copies", kind="implement", stars=2, minutes=8,
        points=3,
        hints=("Count the copies that are as small as the observed value or smaller.",
               "The observed value is one more draw of luck: "
               "it counts itself, above and below the line.",
               "So there is one more below the line, and one more in all."),
        check=function(
            _tests_of_luck, _p_below,
            Mistake("the observation forgotten",
                    _p_of(lambda copies, observed: copies <= observed, (0, 0)),
                    "You took the plain share of the copies. "
                    "It can be 0, and no finite number of copies shows that: "
                    "add 1 above and below."),
            Mistake("added above only", _p_of(lambda copies, observed: copies <= observed, (1, 0)),
                    "You added the observation above the line only: "
                    "it is one more draw, so the number of draws grows by 1 as well."),
            Mistake("added below only", _p_of(lambda copies, observed: copies <= observed, (0, 1)),
                    "You added the observation below the line only: "
                    "it is also a draw as low as itself, so add 1 above, too."),
            Mistake("the wrong tail", _p_of(lambda copies, observed: copies >= observed),
                    "You counted the copies *above*. "
                    "For a negative importance the question is how often luck falls as low or "
                    "lower."),
            Mistake("ties left out", _p_of(lambda copies, observed: copies < observed),
                    "A copy that equals the observed value was as low as it: count `<=`, not `<`."),
            Mistake("size without sign",
                    _p_of(lambda copies, observed: abs(copies) >= abs(observed)),
                    "You compared sizes. The question asks for one side: "
                    "values as low as the observed one or lower."),
            Mistake("doubled", lambda observed, copies: min(1, 2 * _p_below(observed, copies)),
                    "You doubled it, as for a two-sided test. The question asks for one side.")),
        meaning="With 19 copies the smallest possible value is 1/20. "
                "To pass stricter limits, make more copies."),
    Question(
        id="negative.alarms", title="Twelve tests", kind="number", stars=1, minutes=4, points=1,
        hints=("Work out the chance that *none* of the twelve gives an alarm.",
               "One test stays silent with chance .95, and twelve independent ones with .95 to the "
               "power 12.",
               "Take the chance of silence from 1."),
        check=value(
            1 - 0.95**12,
            Mistake("chances added", 0.6, "You added the twelve chances. "
                                          "Alarms can fall together, so the chance of at least one "
                                          "is less than the sum (which is Bonferroni's bound)."),
            Mistake("all silent", 0.95**12, "This is the chance that all twelve stay silent; "
                                            "the question asks for the opposite."),
            Mistake("percent without its sign", 100 * (1 - 0.95**12),
                    "A probability lies between 0 and 1. In percent, write it as \"... %\"."),
            Mistake("twenty tests", 1 - 0.95**20, "This is the chance for twenty tests. Here there "
                    "are twelve."),
            Mistake("one test", 0.05, "This is the chance of an alarm in one given test."),
            Mistake("all at once", 0, "You seem to have multiplied the twelve chances of an alarm: "
                                      "that is the chance that *all* of them ring.")),
        meaning="Nearly every second table of twelve noise features has one that is "
                "\"significantly negative\" at 5 %. Holm's first hurdle would be .05/12."),
]

INTERVALS = [
    Question(
        id="negative.cure", title="Which cure works?", kind="predict", stars=2, minutes=4, points=1,
        hints=("What is wrong with the textbook interval is that it sees each row in one of its "
               "two roles.",
               "Which of the four makes a table in which a row drawn twice is a donor twice?",
               "Is the interval too narrow for every feature?"),
        check=choice(
            "c",
            Mistake("more shuffles", "a",
                    "Averaging removes the noise of the dealing, and the donor's half of each row "
                    "with it. The formula on these averages covers even less."),
            Mistake("differences drawn", "b",
                    "A difference that is drawn brings its receiver along and leaves its donor "
                    "behind: the old mistake, in a new coat."),
            Mistake("no fixed factor", "d",
                    "1.5 belongs to one model without noise. "
                    "For a null feature the formula's interval is too *wide*.")),
        meaning="Rows are what a new test set would bring, so rows are what must be drawn. Nothing "
                "about the model or the loss enters. It errs on the safe side: for a feature "
                "without importance the interval comes out wider than it need be."),
    Question(
        id="negative.standard_error", title="Both roles", kind="implement", stars=3, minutes=12,
        points=4,
        hints=("Row means of D say what each row suffers as receiver. What do column means say?",
               "Give each row one number: what it suffers plus what it causes.",
               "Then the sample standard deviation of these n numbers. How does the spread of a "
               "mean of n numbers come from it?"),
        check=function(
            _pair_matrices, _standard_error,
            Mistake("the receiver's half", _se_of(lambda receiver, donor: receiver),
                    "You counted each row as receiver only. "
                    "This is the interval that averaging more shuffles makes worse: "
                    "add the column means."),
            Mistake("the donor's half", _se_of(lambda receiver, donor: donor),
                    "You counted each row as donor only: add the row means."),
            Mistake("halves taken as independent", _halves_as_independent,
                    "You added the variances of the two halves. "
                    "Both belong to the same row and move together: "
                    "add the halves first, row by row."),
            Mistake("halved", _se_of(lambda receiver, donor: (receiver + donor) / 2),
                    "You averaged the two roles. A row brings both at the same time: they add up."),
            Mistake("pairs taken as independent", _pairs_as_independent,
                    "You treated the n² pair differences as independent numbers. "
                    "There are only n rows behind them."),
            Mistake("divided by n", lambda D: np.std(sum(_roles(D))) / np.sqrt(len(D)),
                    "Your standard deviation divides by n: "
                    "for a sample divide by n - 1 (`ddof=1`)."),
            Mistake("n for its root", lambda D: np.std(sum(_roles(D)), ddof=1) / len(D),
                    "You divided by n. The spread of a mean shrinks with the *root* of n."),
            Mistake("not of the mean", lambda D: np.std(sum(_roles(D)), ddof=1),
                    "This is the spread of single rows. "
                    "The standard error of their mean is smaller by the square root of n.")),
        blocked=BLOCKED,
        meaning="This is `standard_error` in the package's exact permutation importance. "
                "It needs no extra predictions: the second role was in the matrix all along."),
    Question(
        id="negative.mend_bootstrap", title="Find the bug: the row that lost its donor",
        kind="mend", stars=2, minutes=10, points=3,
        hints=("What does a row drawn twice take part in twice? "
               "Follow its value, not only its target.",
               "A resampled table is a table: draw x and y first, "
               "and deal out among the drawn rows.",
               "Once the new table stands there, which x and which y must the rest of the function "
               "work on?"),
        check=function(
            _draws, _resampled,
            Mistake("donors from the old table",
                    _resample_of(lambda x, y, rows, order: (y[rows] - x[order]) ** 2, _before),
                    "The donors still come from the table as it was: "
                    "a row that was drawn twice must be able to donate twice. "
                    "Deal out among the *drawn* values."),
            Mistake("targets left behind",
                    _resample_of(lambda x, y, rows, order: (y - x[rows][order]) ** 2,
                                 lambda x, y, rows: (y - x[rows]) ** 2),
                    "You drew the values and left the targets in place: a row is drawn whole."),
            Mistake("another table before",
                    _resample_of(lambda x, y, rows, order: (y[rows] - x[rows][order]) ** 2,
                                 lambda x, y, rows: (y - x) ** 2),
                    "The error before the shuffle comes from the table as it was, "
                    "the error after from the drawn one: both must come from the drawn rows."),
            Mistake("only after",
                    _resample_of(lambda x, y, rows, order: (y[rows] - x[rows][order]) ** 2,
                                 lambda x, y, rows: 0 * x),
                    "This is the error after the shuffle alone: "
                    "the drawn table's error before it must come off."),
            Mistake("the sign", lambda *case: -_resampled(*case),
                    "The sign is turned round: after less before."),
            Mistake("a sum, not a mean",
                    lambda x, y, rows, order: len(x) * _resampled(x, y, rows, order),
                    "You added the differences and did not divide by the rows."),
            planted=_differences_drawn),
        meaning="With the bug a row drawn twice suffers twice and causes its harm once, so the "
                "intervals come out too narrow: one line decides whether an error bar keeps its "
                "word."),
    Question(
        id="negative.reply", title="A reply to the colleague", kind="explain", stars=2, minutes=10,
        points=3,
        hints=("What would you have to know before you believe the minus sign at all?",
               "Name a cause of a lasting negative importance that is not overfitting.",
               "What would you compute, on which rows, before a column is thrown out?"),
        check=by_hand,
        rubric=((1, "the sign may be luck: an interval from resampled rows, or null copies, "
                    "and the number of features looked at"),
                (1, "overfitting to noise gives zero on average; "
                    "a lasting minus can come from a wrong slope, a shift or double counting"),
                (1, "a next step that can decide: new rows, refit without the column, "
                    "or look which way the rest leaves y pointing")),
        meaning=""),
]

QUESTIONS = RECALL + SIGNS + LUCK + INTERVALS
