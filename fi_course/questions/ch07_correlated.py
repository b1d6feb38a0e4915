"""Exercise set 7, correlated features: impossible rows, conditional permutation."""

import numpy as np

from fi_course.questions.checks import Mistake, by_hand, catches, choice, function, value
from fi_course.questions.implementations_to_test import ch07_correlated as implementations
from fi_course.questions.plain_values import OneOf
from fi_course.questions.question import Question

BLOCKED = ("fi_teach.basics.shuffles.gaussian_conditional",
           "fi_teach.basics.shuffles.normal_given_others")


# Definitions to judge by, slow and short.

def _among_alike(D, groups):
    """Average each row over the donors of its own group, then over rows."""
    D, groups = np.asarray(D, float), np.asarray(groups)
    return np.mean([D[i, groups == groups[i]].mean() for i in range(len(D))])


def _line(x, z):
    """Return slope, fitted values and residuals of the regression of x on z."""
    x, z = np.asarray(x, float), np.asarray(z, float)
    slope = ((x - x.mean()) * (z - z.mean())).mean() / z.var()
    fitted = x.mean() + slope * (z - z.mean())
    return slope, fitted, x - fitted


def _drawn(x, z, noise):
    """Draw x given z; the residual variance may be divided by n, n - 1 or n - 2."""
    _, fitted, residual = _line(x, z)
    return OneOf(tuple(fitted + residual.std(ddof=k) * np.asarray(noise, float) for k in range(3)))


# Mistaken formulas, each under the name a check gives it.

def _mean_of_rows(donors_of):
    """Return a conditional importance whose donors `donors_of(groups, i)` marks."""
    def importance(D, groups):
        D, groups = np.asarray(D, float), np.asarray(groups)
        return np.mean([D[i, donors_of(groups, i)].mean() if donors_of(groups, i).any() else 0.0
                        for i in range(len(D))])
    return importance


def _not_itself(groups, i):
    return (groups == groups[i]) & (np.arange(len(groups)) != i)


def _pairs_pooled(D, groups):
    return np.asarray(D, float)[np.equal.outer(np.asarray(groups), np.asarray(groups))].mean()


def _groups_pooled(D, groups):
    D, groups = np.asarray(D, float), np.asarray(groups)
    return np.mean([D[np.ix_(groups == g, groups == g)].mean() for g in np.unique(groups)])


def _drawn_with(spread):
    """Return a draw of fitted value plus noise with the spread `spread(x, residual)`."""
    def drawn(x, z, noise):
        _, fitted, residual = _line(x, z)
        return fitted + spread(np.asarray(x, float), residual) * np.asarray(noise, float)
    return drawn


def _drawn_the_wrong_way(x, z, noise):
    x, z = np.asarray(x, float), np.asarray(z, float)
    fitted = x.mean() + ((x - x.mean()) * (z - z.mean())).mean() / x.var() * (z - z.mean())
    return fitted + (x - fitted).std() * np.asarray(noise, float)


def _drawn_from_all(x, z, noise):
    return np.mean(x) + np.std(x) * np.asarray(noise, float)


# Cases, the smallest first.

def _grouped_pairs(rng):
    small = [([[0, 4], [1, 0]], [0, 0]), ([[0, 4], [1, 0]], [0, 1]),
             ([[0, 2, 9], [6, 0, 9], [9, 9, 0]], [0, 0, 1]),
             ([[0, 3, 8, 1], [3, 0, 8, 1], [7, 7, 0, 2], [5, 5, 6, 0]], [0, 0, 0, 1])]
    drawn = [((rng.normal(size=(n, n)).round(2) * (1 - np.eye(n))), rng.integers(0, 3, n))
             for n in range(4, 10)]
    return [(np.array(D, float), np.array(groups)) for D, groups in small + drawn]


def _columns(rng):
    small = [([0, 2, 1, 3], [0, 0, 1, 1], [0, 0, 0, 1]),
             ([1, 3, 2, 6], [0, 1, 1, 2], [1, -1, 0.5, 0])]
    drawn = [(rng.integers(-9, 10, n), np.r_[0, 1, rng.integers(-4, 5, n - 2)],
              rng.normal(size=n).round(2)) for n in range(4, 10)]
    return [(np.array(x, float), np.array(z, float), np.array(noise, float))
            for x, z, noise in small + drawn]


RECALL = [
    Question(
        id="correlated.recall_pairs", title="Forty houses", kind="number", stars=1, minutes=3,
        points=1,
        hints=("In all shuffles together, which pairs of a receiver and a donor occur?",
               "Every row may receive from every row, and also from itself: "
               "a shuffle may leave a value where it is.",
               "How many donors has each receiver?"),
        check=value(
            1600,
            Mistake("one shuffle", 40,
                    "That is one prediction a row: a single shuffle, one draw from the urn."),
            Mistake("without itself", 1560,
                    "You left out the pairs of a row with itself. "
                    "A shuffle may leave a value where it is, so they count, with difference 0."),
            Mistake("each pair once", 780,
                    "You counted each pair once. Row 3 with the value of row 5 is another "
                    "prediction than row 5 with the value of row 3."),
            Mistake("all columns", 9600, "The question asks about *one* of the six columns."),
            tolerance=1e-4),
        meaning="1600 pairs replace 40! shuffles, and 1560 predictions are new. Most of these "
                "houses do not exist: that is the subject of this set."),
    Question(
        id="correlated.recall_crowd", title="In company", kind="predict", stars=1, minutes=3,
        points=1,
        hints=("MDI hands out what the splits take away. "
               "How much is there to hand out about x1's message?",
               "At each split any of the four will do, and only one is taken.",
               "Where does a quarter of a large share stand against an undivided smaller one?"),
        check=choice(
            "b",
            Mistake("credit multiplied", "a",
                    "The decreases telescope: there is a fixed amount to hand out, "
                    "so four columns cannot each have what one had."),
            Mistake("first takes all", "c",
                    "That is one tree whose ties go to the first column. "
                    "A forest with candidates drawn at random tosses at every node."),
            Mistake("held-out repairs it", "d",
                    "Out-of-bag rows take away the bias of marking one's own work. "
                    "The credit was divided when the trees were grown.")),
        meaning="A low bar may mean useless, or in company. An MDI chart cannot tell you which."),
]

LEAKS = [
    Question(
        id="correlated.door", title="By another door", kind="predict", stars=2, minutes=4, points=1,
        hints=("What does the function from the table with four columns to the prediction read?",
               "Follow a shuffled weight through the pipeline.",
               "Would the weight still matter if it were uncorrelated with age and height?"),
        check=choice(
            "c",
            Mistake("the forest is not the model", "a",
                    "The forest has no such column. But what was shuffled is the column of the "
                    "*pipeline's* table, and the pipeline reads it."),
            Mistake("correlation opens no door", "b",
                    "With a model that never reads weight, any correlation gives exactly 0. "
                    "Here the weight is read, and it would matter uncorrelated, too."),
            Mistake("no rows, no reading", "d",
                    "A shuffle asks only for predictions. "
                    "The pipeline makes one for every row, however odd.")),
        meaning="\"Does the model use it?\" is a question about the whole function from the table "
                "to the prediction. Draw the box, then shuffle at its door."),
    Question(
        id="correlated.four_models", title="Three times and twice", kind="number", stars=2,
        minutes=6, points=2,
        hints=("Shuffle x1: the prediction changes by 3 (x1' - x1). "
               "What is the mean square of x1' - x1?",
               "x1' is an independent copy: the difference has twice the variance of one.",
               "If both travel together, one weight acts on x1' - x1. Which one?"),
        check=value(
            {"x1": 18, "x2": 8, "together": 2},
            Mistake("one variance", {"x1": 9, "x2": 4, "together": 1},
                    "You squared the weights. The *difference* of two independent values has twice "
                    "the variance of one."),
            Mistake("the sum", {"x1": 18, "x2": 8, "together": 26},
                    "You added the parts. Travelling together the twins stay twins, "
                    "and their weights 3 and -2 act as one weight of 1."),
            Mistake("the difference", {"x1": 18, "x2": 8, "together": 10},
                    "You took the two importances from each other. The weights act together before "
                    "they are squared."),
            Mistake("two instead of its mean square", {"x1": 36, "x2": 16, "together": 4},
                    "You let x1 change by 2 in every row. A shuffle leaves many rows nearly where "
                    "they were: the mean square of the change is 2, not 4."),
            Mistake("weights added up", {"x1": 18, "x2": 8, "together": 50},
                    "You took 3 + 2 as the common weight: the second weight is negative."),
            Mistake("not squared", {"x1": 6, "x2": 4, "together": 2},
                    "The loss is the *squared* error: the weights enter squared."),
            Mistake("what the world says", {"x1": 0, "x2": 0, "together": 2},
                    "0 and 0 are the *conditional* importances. "
                    "Among all rows this model meets many that do not exist.")),
        meaning="The model x1 alone gets 2 and 0, and predicts the same for every row there is. "
                "The 18 comes from rows that are not."),
]

ALIKE = [
    Question(
        id="correlated.among_alike", title="A shuffle that stays in the group", kind="implement",
        stars=2, minutes=8, points=3,
        hints=("Row i may receive from the rows of its own group, itself among them. "
               "Which entries of D are these?",
               "Take the mean of those entries for each row, and then the mean over the rows.",
               "A loop over the rows will do: which entries of row i of D may count, and how many "
               "rows are averaged in the end?"),
        check=function(
            _grouped_pairs, _among_alike,
            Mistake("among all", lambda D, groups: np.mean(D),
                    "You let every row receive from every row: that is the permutation importance. "
                    "Keep to the row's own group."),
            Mistake("without itself", _mean_of_rows(_not_itself),
                    "You left out each row as its own donor. "
                    "A shuffle may leave a value where it is: "
                    "that pair counts, with difference 0."),
            Mistake("pairs pooled", _pairs_pooled,
                    "You averaged all pairs within groups at once. "
                    "A group of three has nine pairs and would count nine times as much as a group "
                    "of one: average each row first."),
            Mistake("groups counted alike", _groups_pooled, "You gave every group the same weight. "
                    "The importance is a mean over *rows*: large groups count for more."),
            Mistake("among the others", _mean_of_rows(lambda groups, i: groups != groups[i]),
                    "You let rows receive from *other* groups: "
                    "these are the donors that make impossible rows."),
            Mistake("a sum over donors",
                    lambda D, groups: np.mean(
                        [np.asarray(D, float)[i, np.asarray(groups) == groups[i]].sum()
                         for i in range(len(D))]),
                    "You added over the donors of a row: take their mean.")),
        meaning="With one group this is the permutation importance over all shuffles; "
                "with every row a group of its own it is 0. "
                "Everything between depends on how alike is alike."),
    Question(
        id="correlated.one_copy", title="One conditional copy", kind="number", stars=2, minutes=4,
            points=2,
        hints=("Given z, the normal law of x has a mean of its own and a spread of its own.",
               "The mean goes along with z: correlation times z, since both have standard "
               "deviation 1.",
               "Of the variance 1 the part r² is told by z. What standard deviation has the rest?"),
        check=value(
            1.3,
            Mistake("the noise at full size", 1.4, "You added the noise as it is. z has told a "
                    "part of x: only the rest is drawn, and it spreads less."),
            Mistake("the root forgotten", 1.22, "You multiplied the noise by 1 - r². That is the "
                    "*variance* of what is left: take its root."),
            Mistake("no noise", 0.9, "This is the mean of x given z, a guess. A copy is *drawn*: "
                    "add the noise, at its size."),
            Mistake("noise only", 0.4, "The size of the noise is right. It is added to what z "
                    "tells about x."),
            Mistake("z itself", 1.9, "You began at z. It tells 0.6 of itself: that is the "
                    "correlation."),
            Mistake("as if unrelated", 0.5, "This is a draw from all rows, whatever z is."),
            tolerance=0.0031),
        meaning="\"Drawn given the others\" is this, row by row: what the others tell, plus fresh "
                "noise of the size that they leave. With many other columns a regression tells the "
                "mean, and its residuals the size."),
    Question(
        id="correlated.mend_sampler", title="Find the bug: people of 172 cm", kind="mend", stars=2,
        minutes=10, points=3,
        hints=("Draw many new values at one z. How much should they scatter?",
               "Given z, part of the variance of x is already in the fitted value.",
               "Which values in this function spread as what z has not told? Give the noise "
               "their spread."),
        check=function(
            _columns, _drawn,
            Mistake("no noise", _drawn_with(lambda x, residual: 0.0),
                    "You return the fitted value. That is a guess, not a draw: "
                    "x has a part of its own that z does not know."),
            Mistake("the root forgotten", _drawn_with(lambda x, residual: residual.var() / x.std()),
                    "You multiplied the standard deviation of x by 1 - r². That is what is left of "
                    "its *variance*: take the root."),
            Mistake("variance for deviation", _drawn_with(lambda x, residual: residual.var()),
                    "You multiply the noise by a variance: take the standard deviation."),
            Mistake("the wrong way round", _drawn_the_wrong_way,
                    "Your slope divides by the variance of x. x is predicted *from* z: "
                    "divide by the variance of z."),
            Mistake("among all", _drawn_from_all,
                    "You draw around the mean of x whatever z is: that is a draw among all."),
            planted=_drawn_with(lambda x, residual: x.std())),
        blocked=BLOCKED,
        meaning="With the bug the new rows keep their slope and lose their narrowness: "
                "still impossible rows, only fewer. "
                "Looking at a plot of the drawn rows shows it at once."),
    Question(
        id="correlated.test_shuffle", title="Write a test for a shuffle", kind="test", stars=3,
        minutes=12, points=3,
        hints=("Take about ten values, all different, in two or three groups whose members are "
               "mixed up, such as 0, 1, 0, 1, 1, 0.",
               "What must be true of each group's values, sorted, before and after? "
               "What must not be true of the whole column?",
               "Keep a copy of `values` and compare at the end. "
               "One shuffle may leave all in place by luck: use long groups or several draws."),
        check=catches(
            right=[
                Mistake("refuses a right one", implementations.within,
                        "Your test refuses a right implementation. "
                        "A value may stay where it is by chance: "
                        "do not ask that every single one moves."),
                Mistake("asks for one shuffle", implementations.within_by_sorting,
                        "Your test refuses a right implementation that uses its random numbers in "
                        "another way: test what is true of every shuffle, "
                        "not one particular outcome.")],
            bugs=[
                Mistake("misses crossed groups", implementations.across,
                        "An implementation that ignores the groups passes your test: "
                        "compare the sorted values of each group."),
                Mistake("misses a standstill", implementations.unmoved,
                        "An implementation that moves nothing passes your test: "
                        "with long groups a shuffle must change something."),
                Mistake("misses replacement", implementations.with_replacement,
                        "An implementation that draws with replacement passes your test: "
                        "in a shuffle every value turns up again, as often as before."),
                Mistake("misses another order", implementations.groups_sorted,
                        "An implementation that hands the rows back sorted by group passes your "
                        "test: mix the groups up, as in 0, 1, 0, 1."),
                Mistake("misses a changed argument", implementations.in_place,
                        "An implementation that scrambles the caller's `values` passes your test: "
                        "keep a copy and compare.")]),
        meaning="The last bug has happened to a popular package: "
                "the next feature was then measured on a table that was already shuffled."),
]

CHOICE = [
    Question(
        id="correlated.contract", title="Which contract?", kind="predict", stars=2, minutes=4,
        points=1,
        hints=("Will the model be the same after the contract has ended?",
               "The question is what a *new* model would miss.",
               "Which of the four never asks the present model?"),
        check=choice(
            "c",
            Mistake("about the old model", "a",
                    "Permutation says what the present model would suffer from wrong values. "
                    "The plan is to train a new model without them."),
            Mistake("near, but not refitted", "b", "Conditional importance comes near: it asks for "
                    "the part that the others do not know. But it asks the *old* model, and "
                    "depends on how much that model leans on the column. A new one would lean "
                    "elsewhere."),
            Mistake("how it was built", "d", "Impurity divides the credit between the two by "
                                             "chance, and counts on training rows.")),
        meaning="Both stations may get a drop-column importance near 0. "
                "That allows one cancellation: after it, measure again."),
    Question(
        id="correlated.reply", title="Twelve zeros", kind="explain", stars=2, minutes=10, points=3,
        hints=("With which columns in place was each of the zeros measured?",
               "Think of twins, and then of twelve columns that fill one cubic metre.",
               "What would you measure for a whole group, and what after each column that goes?"),
        check=by_hand,
        rubric=((1, "each zero is said with the other eleven in place: "
                    "relatives cover for one another, so twelve zeros do not add up to zero"),
                (1, "a conditional importance depends on its sampler, and is about this model; "
                    "permutation is no wrong measure but answers another question"),
                (1, "a way to go on: drop one and measure again, or shuffle or drop whole groups, "
                    "judged on new rows")),
        meaning=""),
]

QUESTIONS = RECALL + LEAKS + ALIKE + CHOICE
