"""Exercise set 6, negative and uncertain importances: null, intervals, rows used twice."""

import numpy as np

from fi_course.questions.question_text import questions

# Definitions to judge by, slow and short.

def p_below(observed, copies):
    below = [copy for copy in copies if copy <= observed]
    return (1 + len(below)) / (1 + len(copies))


def roles(D):
    """Return each row's mean difference as receiver and as donor."""
    return D.mean(axis=1), D.mean(axis=0)


def standard_error(D):
    receiver, donor = roles(D)
    return np.std(receiver + donor, ddof=1) / np.sqrt(len(D))


def resampled(x, y, rows, order):
    x, y = x[rows], y[rows]
    return np.mean((y - x[order]) ** 2 - (y - x) ** 2)


# Mistaken formulas, each under the name a check gives it.

def p_of(count, extra=(1, 1)):
    """Return a share of null copies, counted by `count(copies, observed)`.

    A constant is added above and below.
    """
    def p_value(observed, copies):
        return (extra[0] + count(copies, observed).sum()) / (extra[1] + len(copies))
    return p_value


def se_of(psi):
    """Return a standard error that combines the two roles by `psi(receiver, donor)`."""
    return lambda D: np.std(psi(*roles(D)), ddof=1) / np.sqrt(len(D))


def halves_as_independent(D):
    return np.sqrt(sum(np.var(role, ddof=1) for role in roles(D)) / len(D))


def pairs_as_independent(D):
    return np.std(D, ddof=1) / len(D)


def resample_of(after, before):
    """Return mean squared error after less before, each on the original and the drawn rows."""
    def one_resample(x, y, rows, order):
        return np.mean(after(x, y, rows, order) - before(x, y, rows))
    return one_resample


def before_of(x, y, rows):
    return (y[rows] - x[rows]) ** 2


differences_drawn = resample_of(lambda x, y, rows, order: (y - x[order])[rows] ** 2, before_of)


# Cases, the smallest first.

def tests_of_luck(rng):
    small = [(-0.5, [0.0]), (-0.5, [-1.0]), (-0.5, [-0.5, 1.0]),
             (-0.03, [-0.05, -0.04, 0.0, 0.01, 0.06]), (0.25, [-0.5, -0.25, 0.5])]
    drawn = [(float(rng.integers(-8, 3)) / 10, rng.integers(-10, 11, size=k) / 10)
             for k in range(5, 13)]
    return [(observed, np.array(copies)) for observed, copies in small + drawn]


def pair_matrices(rng):
    small = [np.array([[0.0, 1.0], [3.0, 0.0]]),
             np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 4.0], [9.0, 4.0, 0.0]])]
    drawn = [rng.normal(size=(n, n)).round(2) * (1 - np.eye(n)) for n in range(3, 9)]
    return [(D,) for D in small + drawn]


def draws(rng):
    small = [([0, 1], [0, 1], [0, 1], [1, 0]), ([0, 3], [0, 3], [1, 1], [1, 0]),
             ([0, 1, 5], [0, 2, 5], [0, 2, 2], [1, 2, 0])]
    drawn = [(rng.integers(-5, 6, n), rng.integers(-5, 6, n), rng.integers(n, size=n),
              rng.permutation(n)) for n in range(3, 10)]
    return [(np.array(x, float), np.array(y, float), np.array(rows), np.array(order))
            for x, y, rows, order in small + drawn]


QUESTIONS = questions(r"""
# negative.recall_shuffle: Better after the shuffle | number, 1 star, 3 min, 1 point
? Turn each accuracy into an error rate: one less the accuracy.
? An importance is the mean error after the shuffles, less the error before.
? The error before is 0.20, and the mean error after is 0.18.
= value(-0.02, tolerance=0.0011)
- 0.02 | the sign | The size is right and the sign is not: the error *fell*, and the importance is
    error after less error before.
- 0.18 | the error after | This is the mean error after the shuffles: the error before must come
    off.
- 0.82 | the accuracy after | This is the mean accuracy after the shuffles: the question asks for
    what shuffling adds to the *error*.
- -0.03 | one shuffle | This is the first shuffle alone: average over all four.
- -2 | percentage points | In percentage points, yes. Shares of errors lie between 0 and 1: give the
    difference in these.
- 0.9 | a ratio | You divided after by before. That is another measure; here the importance is a
    difference.
> One of the four shuffles gave +0.01, the others less than 0. A single shuffle says little, and so
    does a single sign.

# negative.recall_training: Which measure is zero for noise? | predict, 1 star, 3 min, 1 point
? Two of the three are measured on rows that the tree has seen.
? On its own training rows a fully grown tree makes no error. What happens there when a column it
    uses is shuffled?
? The three lines of the chapter need rows on which the model was not fitted.
= choice("c")
- "a" | noise helps to sort what was seen | On the training rows the noise did help: it sorted them.
    MDI is counted there.
- "b" | shuffled on seen rows | The tree has memorised its training rows. Shuffle a column that it
    uses, and it no longer recognises them: the error rises from 0.
- "d" | new rows are fair | On new rows shuffled noise is as harmful as the noise it replaces, so
    there the mean is zero.
> The same column has a positive value twice and zero once. Always ask on which rows an importance
    was measured.

# negative.thirty_bars: Thirty bars | predict, 1 star, 3 min, 1 point
? How overfitted the forest is does not enter the three lines.
? The expectation of every bar is 0. Is every bar 0?
? One shuffle puts noise in the place of noise: the loss before and the loss after have the same
    distribution.
= choice("b")
- "a" | overfitting is not negative | The forest is overfitted to all thirty, and still each
    expectation is exactly 0: shuffled noise is as harmful as the noise it replaces.
- "c" | luck has two signs | Nothing holds an importance above zero: on a finite set of new rows a
    shuffle may help by luck as often as it may hurt.
- "d" | zero on average only | Exactly 0 is the *expectation*. A forest that uses the columns gives
    a different value on every set of rows.
> Fifteen negative bars, and all thirty features are alike. The sign of one shuffle is a coin toss.
    (A mean of many shuffles has the expectation 0, too, but need not be negative half of the time.)

# negative.wrong_slope: A slope with the wrong sign | number, 2 stars, 5 min, 2 points
? For a linear model and squared loss: twice the model's slope times the covariance of the feature
    with what the rest leaves.
? There are no other features, so the rest leaves y less a constant. Cov(x, y) is the true slope
    times Var(x).
? Put the covariance into the first line, with the *model's* slope and its sign.
= value(-0.16, tolerance=0.0011)
- -0.08 | the factor 2 | Write out (r - b x')² - (r - b x)²: the mixed term carries a factor 2.
- -0.04 | the variance forgotten | You took Var(x) as 1; here it is 4, and Cov(x, y) is 0.1 times
    Var(x).
- 0.16 | the sign | The model's slope is negative and the true one is positive: their product is
    negative.
- 0.32 | the model's slope twice | 2 b² Var(x) is the importance if the model's slope were the true
    one.
- 0 | taken for noise | Zero belongs to a feature on which y does not depend. Here it does depend,
    and the model has the wrong sign.
> Here the minus is real: a larger test set will not take it away. Refitting on more rows, or
    without x, will.

# negative.p_value: Below its copies | implement, 2 stars, 8 min, 3 points
? Count the copies that are as small as the observed value or smaller.
? If it is luck, the observed value is one more draw: count it in the numerator and in the
    denominator.
? So add 1 to the count, and 1 to the number of copies.
= function(tests_of_luck, p_below)
- p_of(lambda copies, observed: copies <= observed, (0, 0)) | the observation forgotten | You took
    the plain share of the copies. It can be 0, and no finite number of copies shows that: add 1 to
    the numerator and to the denominator.
- p_of(lambda copies, observed: copies <= observed, (1, 0)) | added above only | You added the
    observation to the numerator only: it is one more draw, so the denominator grows by 1 as well.
- p_of(lambda copies, observed: copies <= observed, (0, 1)) | added below only | You added the
    observation to the denominator only: it is also a draw as low as itself, so add 1 to the
    numerator, too.
- p_of(lambda copies, observed: copies >= observed) | the wrong tail | You counted the copies
    *above*. For a negative importance the question is how often luck is as low or lower.
- p_of(lambda copies, observed: copies < observed) | ties left out | A copy that equals the observed
    value was as low as it: count `<=`, not `<`.
- p_of(lambda copies, observed: abs(copies) >= abs(observed)) | size without sign | You compared
    sizes. The question asks for one side: values as low as the observed one or lower.
- lambda observed, copies: min(1, 2 * p_below(observed, copies)) | doubled | You doubled it, as for
    a two-sided test. The question asks for one side.
> With 19 copies the smallest possible value is 1/20. To pass stricter limits, make more copies.

# negative.alarms: Twelve tests | number, 1 star, 4 min, 1 point
? Work out the probability that *none* of the twelve gives an alarm.
? One test gives no alarm with probability 0.95, and twelve independent ones with 0.95 to the power
    12.
? Subtract that probability from 1.
= value(1 - 0.95**12)
- 0.6 | chances added | You added the twelve probabilities. Alarms can come together, so the
    probability of at least one is less than the sum (which is Bonferroni's bound).
- 0.95**12 | all silent | This is the probability that none of the twelve gives an alarm; the
    question asks for the opposite.
- 1 - 0.95**20 | twenty tests | This is the probability for twenty tests. Here there are twelve.
- 0.05 | one test | This is the probability of an alarm in one given test.
- 0 | all at once | You seem to have multiplied the twelve probabilities of an alarm: that is the
    probability that *all* of them give one.
> Nearly every second table of twelve noise features has one that is "significantly negative" at 5%.
    Holm's first limit would be 0.05/12.

# negative.cure: Which interval counts both roles? | predict, 2 stars, 4 min, 1 point
? The textbook interval counts each row in one of its two roles.
? Which of the four makes a table in which a row drawn twice is a donor twice?
? Is the interval too narrow for every feature?
= choice("a")
- "b" | differences drawn | A drawn difference brings its receiver along and leaves its donor
    behind: this repeats the old mistake.
- "c" | more shuffles | Averaging removes the luck of the shuffles, and the donor's half of each row
    with it. The formula on these averages holds the truth even less often.
- "d" | no fixed factor | 1.5 belongs to one model without noise. For a null feature the formula's
    interval is too *wide*.
> A new test set would bring new rows, so rows must be drawn. Nothing about the model or the loss
    enters. The price is width: each resampled table is shuffled once, so the interval is wider than
    it need be and misses small effects more often.

# negative.standard_error: Both roles | implement, 3 stars, 12 min, 4 points
? A row mean of D is what that row suffers as a receiver. What is a column mean?
? Give each row one number: what it suffers plus what it causes.
? Then the sample standard deviation of these n numbers. What is the standard error of a mean of n
    numbers?
= function(pair_matrices, standard_error)
- se_of(lambda receiver, donor: receiver) | the receiver's half | You counted each row as receiver
    only. This is the interval that averaging more shuffles makes worse: add the column means.
- se_of(lambda receiver, donor: donor) | the donor's half | You counted each row as donor only: add
    the row means.
- halves_as_independent | halves taken as independent | You added the variances of the two halves.
    Both belong to the same row and move together: add the halves first, row by row.
- se_of(lambda receiver, donor: (receiver + donor) / 2) | halved | You averaged the two roles. A row
    brings both at the same time: they add up.
- pairs_as_independent | pairs taken as independent | You treated the n² pair differences as
    independent numbers. There are only n rows behind them.
- lambda D: np.std(sum(roles(D))) / np.sqrt(len(D)) | divided by n | Your standard deviation divides
    by n: for a sample divide by n - 1 (`ddof=1`).
- lambda D: np.std(sum(roles(D)), ddof=1) / len(D) | n for its root | You divided by n. The standard
    error of a mean falls with the *root* of n.
- lambda D: np.std(sum(roles(D)), ddof=1) | not of the mean | This is the standard deviation of
    single rows. The standard error of their mean is smaller by the square root of n.
! fi_teach.basics.shuffles.receiver_donor_variance, fi_teach.importance.intervals,
    fi_teach.importance.exact_permutation, fi_teach.fast.exact_permutation
> This is `standard_error` in the package's exact permutation importance. It needs no extra
    predictions: the second role is in the same matrix.

# negative.mend_bootstrap: Find the bug: the row that lost its donor | mend, 2 stars, 10 min, 0
    points
? What does a row drawn twice take part in twice? Follow its value, not only its target.
? Draw the new table first, x and y, and shuffle among the drawn rows.
? Once the new table stands there, which x and which y must the rest of the function work on?
= function(draws, resampled, planted=differences_drawn)
- resample_of(lambda x, y, rows, order: (y[rows] - x[order]) ** 2, before_of) | donors from the old
    table | The donors still come from the table as it was: a row that was drawn twice must be able
    to donate twice. Shuffle the *drawn* values.
- resample_of(lambda x, y, rows, order: (y - x[rows][order]) ** 2, lambda x, y, rows: (y - x[rows])
    ** 2) | targets left behind | You drew the values and left the targets in place: a row is drawn
    whole.
- resample_of(lambda x, y, rows, order: (y[rows] - x[rows][order]) ** 2, lambda x, y, rows: (y - x)
    ** 2) | another table before | The error before the shuffle comes from the table as it was, the
    error after from the drawn one: both must come from the drawn rows.
- resample_of(lambda x, y, rows, order: (y[rows] - x[rows][order]) ** 2, lambda x, y, rows: 0 * x) |
    only after | This is the error after the shuffle alone: the drawn table's error before it must
    come off.
- lambda *case: -resampled(*case) | the sign | The sign is turned round: after less before.
- lambda x, y, rows, order: len(x) * resampled(x, y, rows, order) | a sum, not a mean | You added
    the differences and did not divide by the rows.
> With the bug a row that is drawn twice counts twice as a receiver, and its donor is still the old
    table's. For a feature that matters the intervals are too narrow; for a null feature they are
    too wide.

# negative.reply: A reply to the colleague | explain, 2 stars, 10 min, 3 points
? What would you have to know before you believe the minus sign at all?
? Name a cause of a lasting negative importance that is not overfitting.
? What would you compute, on which rows, before a column is thrown out?
= by_hand
* 1 | the sign may be luck: an interval that counts both roles or comes from resampled rows, or null
    copies, and the number of features looked at
* 1 | overfitting to noise gives zero on average; a lasting minus can come from a wrong slope, a
    shift or double counting
* 1 | a next step that can decide: new rows, refit without the column, or the slope of what the rest
    of the model leaves
""", globals())
