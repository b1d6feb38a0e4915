"""Exercise set 10, inference: knockoffs, the threshold, and what a selection guarantees."""

import numpy as np

from fi_course.questions.checks import Mistake, by_hand, catches, choice, function, value
from fi_course.questions.implementations_to_test import ch10_knockoffs as implementations
from fi_course.questions.question import Question

BLOCKED = ("fi_teach.importance.knockoffs",)


# Definitions to judge by, slow and short.

def _threshold(w, q):
    """Return the smallest t > 0 among |w| with (1 + losers) / winners <= q, or infinity."""
    return _scan(w, q, lambda w, t: (1 + (w <= -t).sum(), (w >= t).sum()))


def _scan(w, q, counts, pick=min, least=0.0):
    """Return a threshold by `counts(w, t)` among all |w| above `least`, chosen by `pick`.

    counts returns (how many lie above the line, how many below).
    """
    w = np.asarray(w, float)
    passes = [t for t in np.abs(w) if t > least and counts(w, t)[0] <= q * counts(w, t)[1]]
    return pick(passes, default=np.inf)


# Mistaken formulas, each under the name a check gives it.

def _threshold_by(counts):
    return lambda w, q: _scan(w, q, counts)


_without_one = _threshold_by(lambda w, t: ((w <= -t).sum(), (w >= t).sum()))
_strict = _threshold_by(lambda w, t: (1 + (w < -t).sum(), (w > t).sum()))
_all_losers = _threshold_by(lambda w, t: (1 + (w < 0).sum(), (w >= t).sum()))


def _plus(w, t):
    return 1 + (w <= -t).sum(), (w >= t).sum()


def _largest(w, q):
    return _scan(w, q, _plus, pick=max)


def _zero_too(w, q):
    return _scan(w, q, _plus, least=-1.0)


def _winners_only(w, q):
    w = np.asarray(w, float)
    return min((t for t in w if t > 0 and _plus(w, t)[0] <= q * _plus(w, t)[1]), default=np.inf)


def _below_q(w, q):
    w = np.asarray(w, float)
    return min((t for t in np.abs(w) if t > 0 and _plus(w, t)[0] < q * _plus(w, t)[1]),
               default=np.inf)


def _zero_for_none(w, q):
    t = _threshold(w, q)
    return t if t < np.inf else 0


def _first_failure(w, q):
    """Descend from the largest |w| and stop at the first failure after a success."""
    w, best = np.asarray(w, float), np.inf
    for t in sorted(set(np.abs(w[w != 0]).tolist()), reverse=True):
        above, below = _plus(w, t)
        if above <= q * below:
            best = t
        elif best < np.inf:
            break
    return best



# Cases, the smallest first.

def _statistics(rng):
    small = [([1.0], 0.5), ([3, 2, 1, -1.5], 0.5), ([5, 4, 3, 2, 1], 0.2), ([9, 9, 9, 9], 0.2),
             ([4, -3, 2, 1], 0.5), ([10, 9, 8, 7, 6, -0.5, 5], 0.2),
             ([12, 11, 10, 9, 8, -7, 6, 5, 4, 3, 2, -1], 0.2), ([*[2.0] * 10, 0.0], 0.2),
             ([5, 4, 3, 2, -1], 0.5), ([-1, -2], 0.3)]
    drawn = [(rng.normal(rng.random(), 1, size=p).round(1), float(rng.choice([0.1, 0.2, 0.3])))
             for p in range(8, 40, 4)]
    return [(np.array(W, float), q) for W, q in small + drawn]


RECALL = [
    Question(
        id="knockoffs.recall_shuffles", title="Enough shuffles", kind="number", stars=2, minutes=5,
        points=1,
        hints=("Holm's first hurdle for 40 tests is .05/40.",
               "With B copies the smallest possible p-value is 1 / (1 + B).",
               "How small must the smallest possible p-value be? Which B makes it so?"),
        check=value(
            799,
            Mistake("the observation forgotten", 800,
                    "The observed value counts as one more draw: with B copies there are B + 1."),
            Mistake("one test", 19, "That is enough for a single test at .05. "
                                    "Holm's first hurdle for forty features is much lower."),
            Mistake("one test", 20, "That is enough for a single test at .05, with one to spare. "
                    "Holm's first hurdle for forty features is much lower."),
            Mistake("one copy a feature", 40,
                    "The number of features sets the hurdle. "
                    "How many copies does it take to get a p-value below it?"),
            Mistake("one copy a feature", 39,
                    "With that many a p-value reaches 1/40. "
                    "The hurdle is forty times lower than .05, not than 1."),
            tolerance=1e-4),
        meaning="Eight hundred refits, to be allowed to announce a single feature. "
                "The filter of this chapter needs one fit."),
    Question(
        id="knockoffs.recall_shares", title="Shares of nothing", kind="predict", stars=1, minutes=3,
        points=1,
        hints=("What does normalising do?",
               "Any tree that splits at all has decreases, and they are divided by their sum."),
        check=choice(
            "b",
            Mistake("noise earns nothing", "a", "On its own rows a tree always finds something to "
                                                "sort by, and MDI is counted there."),
            Mistake("fit and share confused", "c",
                    "How well the forest predicts does not enter: "
                    "each tree's decreases are divided by their own sum."),
            Mistake("negative decreases", "d", "No decrease is negative, so no share is.")),
        meaning="A ranking of nothing looks like any other ranking. "
                "It takes a control to tell them apart."),
]

DOUBLES = [
    Question(
        id="knockoffs.double", title="A pair and its doubles", kind="number", stars=2, minutes=8,
        points=2,
        hints=("Whatever two different features have in common, a feature has in common with the "
               "other's double.",
               "The doubles among themselves must look like the features among themselves.",
               "Only a feature and its own double may differ: work out Cov(x1, double 1) from the "
               "double's recipe."),
        check=value(
            {"x1, double 1": 0.25, "x1, double 2": 0.5, "double 1, double 2": 0.5},
            Mistake("s itself", {"x1, double 1": 0.75, "x1, double 2": 0.5,
                                 "double 1, double 2": 0.5},
                    ".75 is s, how far a feature is *kept from* its double. "
                    "What is left of the variance 1?"),
            Mistake("a shuffled column",
                    {"x1, double 1": 0, "x1, double 2": 0, "double 1, double 2": 0.5},
                    "These are the covariances of rows that were shuffled: "
                    "tied among themselves, and not to the originals."),
            Mistake("doubles that do not know each other",
                    {"x1, double 1": 0.25, "x1, double 2": 0.5, "double 1, double 2": 0.125},
                    "You let the two noises be independent. "
                    "Then the doubles have less in common than the features, "
                    "and a model can tell them by that."),
            Mistake("a copy", {"x1, double 1": 1, "x1, double 2": 0.5, "double 1, double 2": 0.5},
                    "A covariance of 1 with its feature makes the double a copy. "
                    "Here s is .75, not 0.")),
        meaning="One number of the three was free, and it is the one that decides about power."),
    Question(
        id="knockoffs.independent", title="Doubles of independent features", kind="predict",
        stars=1, minutes=4, points=1,
        hints=("Test each with the definition: a feature and its double change places. "
               "Does anybody notice?",
               "Doubles are made without looking at the target.",
               "If the features are independent of each other, there are no ties that a double "
               "would have to keep."),
        check=choice(
            "b",
            Mistake("looks at the target", "a",
                    "These columns were made with y. "
                    "A double must be drawn without it, or its duel shows nothing."),
            Mistake("too wide", "c",
                    "Feature plus noise has variance 1.01, and its variance gives it away in the "
                    "first duel. (Shrunk to variance 1 it would be valid.)"),
            Mistake("a neighbour", "d",
                    "The neighbour's column is in the table twice then. "
                    "Swap a feature with its double: now another column is there twice.")),
        meaning="For independent features any fresh draw from the same law will do, normal or not. "
                "It is the ties that make knockoffs hard."),
]

DUELS = [
    Question(
        id="knockoffs.test_duel", title="Write a test: is the duel fair?", kind="test", stars=3,
        minutes=15, points=3,
        hints=("If a feature and its double change places, its W must turn its sign, "
               "and no other W may move.",
               "Swap values[j] and values[p + j] for one j, call duel again, "
               "and compare all p numbers.",
               "Do it for each j, with unequal numbers; "
               "ask for the same size as well as the other sign."),
        check=catches(
            right=[
                Mistake("refuses the difference", implementations.difference,
                        "Your test refuses the plain difference of feature and double, "
                        "which is fair. Compare with a tolerance."),
                Mistake("refuses the signed maximum", implementations.signed_maximum,
                        "Your test refuses the larger of the two values with the winner's sign. It "
                        "is fair: do not ask for one particular value."),
                Mistake("refuses a difference of squares", implementations.difference_of_squares,
                        "Your test refuses a difference of squares. It turns its sign and nothing "
                        "else moves: that is all you were asked to test.")],
            bugs=[
                Mistake("misses a lost sign", implementations.size,
                        "A duel that forgets who won, |a - b|, "
                        "passes your test: after a swap the *sign* must turn."),
                Mistake("misses a shared opponent", implementations.against_the_mean,
                        "A duel of each feature against the mean of all doubles passes your test: "
                        "swap one pair and compare every number."),
                Mistake("misses a thumb on the scale", implementations.thumb,
                        "A duel in which features win twice as high as doubles passes your test: "
                        "after the swap the *size* must be the same as before."),
                Mistake("misses mixed-up pairs", implementations.sorted_rows,
                        "A duel that sorts features and doubles first, and so mixes up the pairs, "
                        "passes your test. Swapping all pairs at once does not show it: "
                        "swap one pair alone, with numbers in no order."),
                Mistake("misses a neighbour that moves", implementations.times_the_neighbour,
                        "A duel in which a swap also moves the neighbour's W passes your test: its "
                        "own W turns the sign as it should. Compare *every* number after a swap, "
                        "not that of the swapped pair alone.")]),
        meaning="This flip-sign property, and exact doubles, are all that the theorem asks for."),
    Question(
        id="knockoffs.threshold", title="Count the losers", kind="implement", stars=2, minutes=12,
        points=3,
        hints=("The candidates are the sizes |W| above 0.",
               "At t there are (W >= t).sum() winners and (W <= -t).sum() losers.",
               "Which of the sizes pass? Think of what to return if none of them does, and of a t "
               "without a winner."),
        check=function(
            _statistics, _threshold,
            Mistake("the 1 forgotten", _without_one,
                    "You left out the 1. Then a table of pure noise announces something in about "
                    "half of all studies."),
            Mistake("strict inequalities", _strict,
                    "A feature whose W equals t is a winner, and one that equals -t a loser: "
                    "use >= and <=."),
            Mistake("the largest", _largest, "You return the largest t that passes. "
                                             "The smallest announces more at the same price."),
            Mistake("the first failure", _first_failure,
                    "You stop where a t fails for the first time on the way down. "
                    "Further down it may pass again: look at all."),
            Mistake("below q", _below_q,
                    "You ask for a share *below* q. At most q is allowed: <=."),
            Mistake("winners' sizes only", _winners_only,
                    "You try the sizes of the winners only. "
                    "The list comes out the same, but the smallest size that passes may be a "
                    "loser's."),
            Mistake("zero for none", _zero_for_none,
                    "Where no size passes you return 0, and W >= 0 would announce every winner: "
                    "return infinity."),
            Mistake("all losers", _all_losers,
                    "You count every negative W as a loser. "
                    "Only those at -t or below balance the winners at t or above."),
            Mistake("zero as a candidate", _zero_too,
                    "t = 0 is no candidate: a W of 0 is no duel, and would be winner and loser "
                    "at once.")),
        blocked=BLOCKED,
        meaning="Nothing in these lines knows which features are false. The losers told."),
    Question(
        id="knockoffs.fewest", title="The price of a loser", kind="number", stars=1, minutes=4,
        points=1,
        hints=("Two losers at the threshold: what stands above the line of the estimate?",
               "(1 + 2) / n must be at most .1."),
        check=value(
            30,
            Mistake("the 1 forgotten", 20, "2/20 would be .1 without the 1 above the line."),
            Mistake("the losers not counted", 10,
                    "Ten is the shortest list without a loser. Here there are two."),
            Mistake("the other q", 15, "Fifteen would do at q = .2. Here q is .1."),
            Mistake("one short", 29, "3/29 is a little more than .1."),
            Mistake("losers announced", 32,
                    "You added the losers to the list. They are counted, and never announced."),
            tolerance=1e-4),
        meaning="At q = .1 every loser at the threshold costs ten more winners, "
                "and the 1 costs the first ten. Where you expect a handful, "
                "knockoff+ is the wrong tool."),
]

MEANING = [
    Question(
        id="knockoffs.sentence", title="What may you write?", kind="predict", stars=1, minutes=4,
        points=1,
        hints=("The false discovery *rate* is the mean of what?",
               "In the chapter the share was above .2 in a third of the studies."),
        check=choice(
            "c",
            Mistake("a bound on this list", "a",
                    "The share in a single list can be above .2, and in the chapter it was in a "
                    "third of the studies."),
            Mistake("a probability for each", "b",
                    "Nothing is said about a single name: "
                    "the first on the list is surely safer than the last."),
            Mistake("the others are null", "d",
                    "Not announced means not found. In the chapter about a third of the causes "
                    "were missed.")),
        meaning="The promise is about the procedure, and the long run of lists it makes."),
    Question(
        id="knockoffs.null", title="Which are null?", kind="predict", stars=2, minutes=6, points=2,
        hints=("Null means: y is independent of the feature GIVEN all the others.",
               "If x1, x2 and x3 are known, what does x4 add? "
               "If x2, x3 and x4 are known, what does x1 add?"),
        check=choice(
            "c",
            Mistake("one at a time", "a", "Each feature alone is unrelated to y, true. "
                                          "But x1 and x2 together decide it, "
                                          "and the null is about what is left given the others."),
            Mistake("a relative", "b", "x4 is nearly x1. But the hypothesis is conditional: "
                                       "with x1 in the table, x4 adds nothing."),
            Mistake("x4 replaces x1", "d",
                    "x4 agrees with x1 in 19 of 20 rows only. "
                    "In the others x1 decides, so x1 adds something given x4.")),
        meaning="Unrelated and not null: x1. Related to a cause and null: x4. "
                "Without x1 in the table, x4 would not be null."),
    Question(
        id="knockoffs.three_of_four", title="Three draws of four", kind="predict", stars=2,
        minutes=5, points=2,
        hints=("What was drawn a hundred times: the applicants, or the doubles?",
               "The promise of knockoff+ belongs to one list. Which list would that be?",
               "Go through the options and ask of each: for which procedure was it proved that its "
               "lists are false to at most one fifth on average?"),
        check=choice(
            "d",
            Mistake("frequency as probability", "a",
                    "The hundred draws are of the doubles. "
                    "They say how much the list owes to the lot, and nothing about how likely "
                    "`mhist` is to be null."),
            Mistake("a majority of promises", "b",
                    "Each list keeps the rate on average. "
                    "A list that is made of many by majority is another procedure, "
                    "for which nobody has shown it."),
            Mistake("new applicants", "c",
                    "The applicants were drawn once and stayed the same in all hundred draws. "
                    "How other applicants would vote is not in this number."),
            Mistake("not found, so null", "e", "Announced in a quarter of the draws is no proof of "
                    "anything, and neither is not announced: knockoff+ says nothing about those it "
                    "leaves out.")),
        meaning="Fix one seed beforehand, or combine the draws by a rule that has a promise of its "
                "own, as the e-values of the last sections do. "
                "And say that the law of the columns was estimated."),
    Question(
        id="knockoffs.reply", title="The longest list", kind="explain", stars=2, minutes=12,
            points=5,
        hints=("What do shuffled doubles do to genes that have relatives?",
               "What becomes of a guarantee that is drawn again until it looks good?",
               "Read the last sentence word by word: '90 %', 'cause'."),
        check=by_hand,
        rubric=((1, "shuffled columns are no knockoffs of correlated genes: "
                    "relatives of causes beat their copies, and the list fills with them"),
                (1, "the best of five lists has no guarantee: "
                    "one seed must be fixed before anybody looks"),
                (1, "the rate is a mean over studies; "
                    "it gives neither a bound for this list nor a probability for a gene"),
                (1, "not causes: genes that tell something about the disease which the other "
                    "measured genes do not"),
                (1, "says what to do instead: doubles drawn from a model of the genes' joint law, "
                    "one seed fixed beforehand, the names tested in new data")),
        meaning=""),
]

QUESTIONS = RECALL + DOUBLES + DUELS + MEANING
