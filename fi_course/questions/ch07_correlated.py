"""Exercise set 7, correlated features: impossible rows, conditional permutation."""

import numpy as np

from fi_course.questions.implementations_to_test import ch07_correlated as implementations
from fi_course.questions.plain_values import OneOf
from fi_course.questions.question_text import questions

# Definitions to judge by, slow and short.

def among_alike(D, groups):
    """Average each row over the donors of its own group, then over rows."""
    return np.mean([D[i, groups == groups[i]].mean() for i in range(len(D))])


def line(x, z):
    """Return slope, fitted values and residuals of the regression of x on z."""
    slope = ((x - x.mean()) * (z - z.mean())).mean() / z.var()
    fitted = x.mean() + slope * (z - z.mean())
    return slope, fitted, x - fitted


def drawn_rows(x, z, noise):
    """Draw x given z; the residual variance may be divided by n, n - 1 or n - 2."""
    _, fitted, residual = line(x, z)
    return OneOf(tuple(fitted + residual.std(ddof=k) * noise for k in range(3)))


# Mistaken formulas, each under the name a check gives it.

def mean_of_rows(donors_of):
    """Return a conditional importance whose donors `donors_of(groups, i)` marks."""
    def importance(D, groups):
        donors = [donors_of(groups, i) for i in range(len(D))]
        return np.mean([D[i, chosen].mean() if chosen.any() else 0.0
                        for i, chosen in enumerate(donors)])
    return importance


def not_itself(groups, i):
    return (groups == groups[i]) & (np.arange(len(groups)) != i)


def pairs_pooled(D, groups):
    return D[np.equal.outer(groups, groups)].mean()


def groups_pooled(D, groups):
    return np.mean([D[np.ix_(groups == g, groups == g)].mean() for g in np.unique(groups)])


def drawn_with(spread):
    """Return a draw of fitted value plus noise with the spread `spread(x, residual)`."""
    def drawn(x, z, noise):
        _, fitted, residual = line(x, z)
        return fitted + spread(x, residual) * noise
    return drawn


def drawn_the_wrong_way(x, z, noise):
    fitted = x.mean() + ((x - x.mean()) * (z - z.mean())).mean() / x.var() * (z - z.mean())
    return fitted + (x - fitted).std() * noise


def drawn_from_all(x, z, noise):
    return np.mean(x) + np.std(x) * noise


# Cases, the smallest first.

def grouped_pairs(rng):
    small = [([[0, 4], [1, 0]], [0, 0]), ([[0, 4], [1, 0]], [0, 1]),
             ([[0, 2, 9], [6, 0, 9], [9, 9, 0]], [0, 0, 1]),
             ([[0, 3, 8, 1], [3, 0, 8, 1], [7, 7, 0, 2], [5, 5, 6, 0]], [0, 0, 0, 1])]
    drawn = [((rng.normal(size=(n, n)).round(2) * (1 - np.eye(n))), rng.integers(0, 3, n))
             for n in range(4, 10)]
    return [(np.array(D, float), np.array(groups)) for D, groups in small + drawn]


def columns(rng):
    small = [([0, 2, 1, 3], [0, 0, 1, 1], [0, 0, 0, 1]),
             ([1, 3, 2, 6], [0, 1, 1, 2], [1, -1, 0.5, 0])]
    drawn = [(rng.integers(-9, 10, n), np.r_[0, 1, rng.integers(-4, 5, n - 2)],
              rng.normal(size=n).round(2)) for n in range(4, 10)]
    return [(np.array(x, float), np.array(z, float), np.array(noise, float))
            for x, z, noise in small + drawn]


QUESTIONS = questions(r"""
# correlated.recall_pairs: Forty houses | number, 1 star, 3 min, 1 point
? In all shuffles together, which pairs of a receiver and a donor occur?
? Every row may receive from every row, and also from itself: a shuffle may leave a value where it
    is.
? How many donors has each receiver?
= value(1600, tolerance=1e-4)
- 40 | one shuffle | That is one prediction for each row: a single shuffle.
- 1560 | without itself | You left out the pairs of a row with itself. A shuffle may leave a value
    where it is, so they count, with difference 0.
- 780 | each pair once | You counted each pair once. Row 3 with the value of row 5 is another
    prediction than row 5 with the value of row 3.
- 9600 | all columns | The question asks about *one* of the six columns.
> 1,600 pairs replace 40! shuffles, and 1,560 predictions are new. Most of these houses do not
    exist; this set is about such rows.

# correlated.recall_crowd: Three more copies | predict, 1 star, 3 min, 1 point
? MDI shares out the decrease of the impurity. How much of it is due to what x1 and its copies tell?
? At each split any of the four will do, and only one is taken.
? Compare a quarter of the larger share with the whole of the smaller one.
= choice("b")
- "a" | credit multiplied | The decreases add up to a fixed amount, so four columns cannot each have
    what one had.
- "c" | first takes all | That is one tree whose ties go to the first column. In a forest with
    candidates drawn at random, chance decides at every node.
- "d" | held-out repairs it | Out-of-bag rows remove the bias of training rows. The splits were
    shared out when the trees were grown.
> A low bar may mean that a feature is useless, or that it has copies. An MDI chart cannot tell
    which.

# correlated.door: A column inside a pipeline | predict, 2 stars, 4 min, 1 point
? What does the function from the table with four columns to the prediction read?
? Follow a shuffled weight through the pipeline.
? Would the weight still matter if it were uncorrelated with age and height?
= choice("c")
- "a" | the forest is not the model | The forest has no such column. But what was shuffled is the
    column of the *pipeline's* table, and the pipeline reads it.
- "b" | correlation is not enough | With a model that never reads weight, any correlation gives
    exactly 0. Here the weight is read, and it would matter uncorrelated, too.
- "d" | no rows, no reading | A shuffle asks only for predictions. The pipeline makes one for every
    row, however odd.
> "Does the model use it?" is a question about the whole function from the table to the prediction,
    pipeline included.

# correlated.four_models: Three times and twice | number, 2 stars, 6 min, 2 points
? Shuffle x1: the prediction changes by 3 (x1' - x1). What is the mean square of x1' - x1?
? x1' is an independent copy: the difference has twice the variance of one.
? If both are shuffled together, one weight multiplies x1' - x1. Which one?
= value({"x1": 18, "x2": 8, "together": 2})
- {"x1": 9, "x2": 4, "together": 1} | one variance | You squared the weights. The *difference* of
    two independent values has twice the variance of one.
- {"x1": 18, "x2": 8, "together": 26} | the sum | You added the parts. Shuffled together the twins
    stay twins, and their weights 3 and -2 act as one weight of 1.
- {"x1": 18, "x2": 8, "together": 10} | the difference | You subtracted the two importances. The
    weights are added before they are squared.
- {"x1": 36, "x2": 16, "together": 4} | two instead of its mean square | You let x1 change by 2 in
    every row. A shuffle leaves many rows nearly where they were: the mean square of the change is
    2, not 4.
- {"x1": 18, "x2": 8, "together": 50} | weights added up | You took 3 + 2 as the common weight: the
    second weight is negative.
- {"x1": 6, "x2": 4, "together": 2} | not squared | The loss is the *squared* error: the weights
    enter squared.
- {"x1": 0, "x2": 0, "together": 2} | what the world says | 0 and 0 are the *conditional*
    importances. A shuffle among all makes many rows that do not exist.
> The model x1 alone has 2 and 0, and predicts the same for every row that exists. The 18 comes from
    rows that do not exist.

# correlated.among_alike: A shuffle that stays in the group | implement, 2 stars, 8 min, 3 points
? Row i may receive from the rows of its own group, itself among them. Which entries of D are these?
? Take the mean of those entries for each row, and then the mean over the rows.
? A loop over the rows will do: which entries of row i of D may count, and how many rows are
    averaged in the end?
= function(grouped_pairs, among_alike)
- lambda D, groups: np.mean(D) | among all | You let every row receive from every row: that is the
    permutation importance. Keep to the row's own group.
- mean_of_rows(not_itself) | without itself | You left out each row as its own donor. A shuffle may
    leave a value where it is: that pair counts, with difference 0.
- pairs_pooled | pairs pooled | You averaged all pairs within groups at once. A group of three has
    nine pairs and would count nine times as much as a group of one: average each row first.
- groups_pooled | groups counted alike | You gave every group the same weight. The importance is a
    mean over *rows*: large groups count for more.
- mean_of_rows(lambda groups, i: groups != groups[i]) | among the others | You let rows receive from
    *other* groups: these are the donors that make impossible rows.
- lambda D, groups: np.mean([np.asarray(D, float)[i, np.asarray(groups) == groups[i]].sum() for i in
    range(len(D))]) | a sum over donors | You added over the donors of a row: take their mean.
> With one group this is the permutation importance over all shuffles; with every row a group of its
    own it is 0. Anything between depends on how large the groups are.

# correlated.one_copy: One conditional copy | number, 2 stars, 4 min, 2 points
? Given z, x has a normal distribution. What are its mean and its standard deviation?
? The mean is the correlation times z, since both have standard deviation 1.
? z explains the part r² of the variance 1. What is the standard deviation of the rest?
= value(1.3, tolerance=0.0031)
- 1.4 | the noise at full size | You added the noise as it is. z explains a part of x: only the rest
    is drawn, and its standard deviation is smaller.
- 1.22 | the root forgotten | You multiplied the noise by 1 - r². That is the *variance* of what is
    left: take its root.
- 0.9 | no noise | This is the mean of x given z. A copy is *drawn*: add the noise, times its
    standard deviation.
- 0.4 | noise only | The size of the noise is right. Add it to the mean of x given z.
- 1.9 | z itself | You began at z. The mean of x given z is the correlation times z.
- 0.5 | as if unrelated | This is a draw from all rows, whatever z is.
> This is "drawn given the others", row by row: the mean given the others, plus fresh noise. With
    many other columns a regression gives the mean, and its residuals the size of the noise.

# correlated.mend_sampler: Find the bug: people of 172 cm | mend, 2 stars, 10 min, 3 points
? Draw many new values at one z. How much should they vary?
? Given z, part of the variance of x is already in the fitted value.
? Which values in this function vary as much as the part of x that z does not explain? Give the
    noise their standard deviation.
= function(columns, drawn_rows, planted=drawn_with(lambda x, residual: x.std()))
- drawn_with(lambda x, residual: 0.0) | no noise | You return the fitted value. That is a mean, not
    a draw: x has a part of its own that z does not explain.
- drawn_with(lambda x, residual: residual.var() / x.std()) | the root forgotten | You multiplied the
    standard deviation of x by 1 - r². That is what is left of its *variance*: take the root.
- drawn_with(lambda x, residual: residual.var()) | variance for deviation | You multiply the noise
    by a variance: take the standard deviation.
- drawn_the_wrong_way | the wrong way round | Your slope divides by the variance of x. x is
    predicted *from* z: divide by the variance of z.
- drawn_from_all | among all | You draw around the mean of x whatever z is: that is a draw among
    all.
! fi_teach.basics.shuffles.gaussian_conditional, fi_teach.basics.shuffles.normal_given_others
> With the bug the new rows keep their slope, but the band is too wide: there are still impossible
    rows, only fewer. A plot of the drawn rows shows it at once.

# correlated.test_shuffle: Write a test for a shuffle | test, 3 stars, 12 min, 0 points
? Take about ten values, all different, in two or three groups whose members are mixed up, such as
    0, 1, 0, 1, 1, 0.
? What must be true of each group's values, sorted, before and after? What must not be true of the
    whole column?
? Keep a copy of `values` and compare at the end. One shuffle may leave all in place by luck: use
    long groups or several draws.
= catches()
+ within | refuses a right one | Your test refuses a right implementation. A value may stay where it
    is by chance: do not ask that every single one moves.
+ within_by_sorting | asks for one shuffle | Your test refuses a right implementation that uses its
    random numbers in another way: test what is true of every shuffle, not one particular outcome.
- across | misses crossed groups | An implementation that ignores the groups passes your test:
    compare the sorted values of each group.
- unmoved | misses a standstill | An implementation that moves nothing passes your test: with long
    groups a shuffle must change something.
- with_replacement | misses replacement | An implementation that draws with replacement passes your
    test: in a shuffle every value turns up again, as often as before.
- groups_sorted | misses another order | An implementation that hands the rows back sorted by group
    passes your test: mix the groups up, as in 0, 1, 0, 1.
- in_place | misses a changed argument | An implementation that scrambles the caller's `values`
    passes your test: keep a copy and compare.
> A widely used package had the last bug: it measured the next feature on a table that was already
    shuffled.

# correlated.contract: Which measure for which question? | predict, 2 stars, 4 min, 1 point
? Will the model be the same after the contract has ended?
? The question is what a *new* model would miss.
? Which of the four never asks the present model?
= choice("a")
- "b" | near, but not refitted | Conditional importance comes near: it measures the part that the
    others do not know. But it measures the *old* model, and depends on how much that model uses the
    column. A new model would use the others more.
- "c" | about the old model | Permutation says what the present model would suffer from wrong
    values. The plan is to train a new model without them.
- "d" | how it was built | Impurity is divided between the two by chance, and is counted on training
    rows.
> Both stations may have a drop-column importance near 0. Then one contract may be cancelled; after
    that, measure again.

# correlated.reply: Twelve zeros | explain, 2 stars, 10 min, 3 points
? With which columns in place was each of the zeros measured?
? Think of twins, and then of twelve columns that fill one cubic metre.
? What would you measure for a whole group, and what after each column that goes?
= by_hand
* 1 | each zero was measured with the other eleven in place: correlated features can replace one
    another, so twelve zeros do not add up to zero
* 1 | a conditional importance depends on its sampler, and is about this model; permutation
    importance is not wrong but answers another question
* 1 | a way to go on: drop one and measure again, or shuffle or drop whole groups, judged on new
    rows
""", vars(implementations) | globals())
