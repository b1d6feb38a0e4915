"""Exercise set 10, inference: knockoffs, the threshold, and what a selection guarantees."""

import numpy as np

from fi_course.questions.implementations_to_test import ch10_knockoffs as implementations
from fi_course.questions.question_text import questions

# Definitions to judge by, slow and short.

def threshold(w, q):
    """Return the smallest t > 0 among |w| with (1 + losers) / winners <= q, or infinity."""
    return scan(w, q, lambda w, t: (1 + (w <= -t).sum(), (w >= t).sum()))


def scan(w, q, counts, pick=min, least=0.0):
    """Return a threshold by `counts(w, t)` among all |w| above `least`, chosen by `pick`.

    counts returns (how many lie above the line, how many below).
    """
    passes = [t for t in np.abs(w) if t > least and counts(w, t)[0] <= q * counts(w, t)[1]]
    return pick(passes, default=np.inf)


# Mistaken formulas, each under the name a check gives it.

def threshold_by(counts):
    return lambda w, q: scan(w, q, counts)


without_one = threshold_by(lambda w, t: ((w <= -t).sum(), (w >= t).sum()))
strict = threshold_by(lambda w, t: (1 + (w < -t).sum(), (w > t).sum()))
all_losers = threshold_by(lambda w, t: (1 + (w < 0).sum(), (w >= t).sum()))


def plus(w, t):
    return 1 + (w <= -t).sum(), (w >= t).sum()


def largest(w, q):
    return scan(w, q, plus, pick=max)


def winners_only(w, q):
    return min((t for t in w if t > 0 and plus(w, t)[0] <= q * plus(w, t)[1]), default=np.inf)


def below_q(w, q):
    return min((t for t in np.abs(w) if t > 0 and plus(w, t)[0] < q * plus(w, t)[1]),
               default=np.inf)


def zero_for_none(w, q):
    t = threshold(w, q)
    return t if t < np.inf else 0


def first_failure(w, q):
    """Descend from the largest |w| and stop at the first failure after a success."""
    best = np.inf
    for t in sorted(set(np.abs(w[w != 0]).tolist()), reverse=True):
        above, below = plus(w, t)
        if above <= q * below:
            best = t
        elif best < np.inf:
            break
    return best


# Cases, the smallest first.

def statistics(rng):
    small = [([1.0], 0.5), ([3, 2, 1, -1.5], 0.5), ([5, 4, 3, 2, 1], 0.2), ([9, 9, 9, 9], 0.2),
             ([4, -3, 2, 1], 0.5), ([10, 9, 8, 7, 6, -0.5, 5], 0.2),
             ([12, 11, 10, 9, 8, -7, 6, 5, 4, 3, 2, -1], 0.2), ([*[2.0] * 10, 0.0], 0.2),
             ([5, 4, 3, 2, -1], 0.5), ([-1, -2], 0.3)]
    drawn = [(rng.normal(rng.random(), 1, size=p).round(1), float(rng.choice([0.1, 0.2, 0.3])))
             for p in range(8, 40, 4)]
    return [(np.array(W, float), q) for W, q in small + drawn]


QUESTIONS = questions(r"""
# knockoffs.recall_shuffles: Enough shuffles | number, 2 stars, 5 min, 1 point
? Holm's first hurdle for 40 tests is 0.05/40.
? With B copies the smallest possible p-value is 1 / (1 + B).
? How small must the smallest possible p-value be? Which B makes it so?
= value(799, tolerance=1e-4)
- 800 | the observation forgotten | The observed value counts as one more draw: with B copies there
    are B + 1.
- 19 | one test | That is enough for a single test at 0.05. Holm's first hurdle for forty features
    is much lower.
- 20 | one test | That is enough for a single test at 0.05, with one to spare. Holm's first hurdle
    for forty features is much lower.
- 40 | one copy a feature | The number of features sets the hurdle. How many copies does it take to
    get a p-value below it?
- 39 | one copy a feature | With that many a p-value reaches 1/40. The hurdle is forty times lower
    than 0.05, not than 1.
> It takes eight hundred refits to announce a single feature. The filter of this chapter needs one
    fit.

# knockoffs.recall_shares: Shares of nothing | predict, 1 star, 3 min, 1 point
? What does normalising do?
? A tree that splits has decreases, and they are divided by their sum.
= choice("d")
- "a" | noise earns nothing | On its own rows a tree always finds splits that lower the impurity,
    and MDI is counted there.
- "b" | negative decreases | No decrease is negative, so no share is.
- "c" | fit and share confused | How well the forest predicts does not enter: each tree's decreases
    are divided by their own sum.
> A ranking of noise looks like any other ranking. Only a control can tell them apart.

# knockoffs.double: A pair and its knockoffs | number, 2 stars, 8 min, 2 points
? A feature and the *other's* knockoff have the covariance of the two features.
? The knockoffs have among themselves the covariance that the features have among themselves.
? Only a feature and its own knockoff may differ: work out Cov(x1, knockoff 1) from the knockoff's
    recipe.
= value({"x1, knockoff 1": 0.25, "x1, knockoff 2": 0.5, "knockoff 1, knockoff 2": 0.5})
- {"x1, knockoff 1": 0.75, "x1, knockoff 2": 0.5, "knockoff 1, knockoff 2": 0.5} | s itself | 0.75
    is s, how far a feature is *kept from* its knockoff. What is left of the variance 1?
- {"x1, knockoff 1": 0, "x1, knockoff 2": 0, "knockoff 1, knockoff 2": 0.5} | a shuffled column |
    These are the covariances of rows that were shuffled: correlated among themselves, and not with
    the originals.
- {"x1, knockoff 1": 0.25, "x1, knockoff 2": 0.5, "knockoff 1, knockoff 2": 0.125} | doubles that do
    not know each other | You let the two noises be independent. Then the knockoffs are less
    correlated than the features, and a model can tell them by that.
- {"x1, knockoff 1": 1, "x1, knockoff 2": 0.5, "knockoff 1, knockoff 2": 0.5} | a copy | A
    covariance of 1 with its feature makes the knockoff a copy. Here s is 0.75, not 0.
> Only the first of the three numbers could be chosen, and it decides about power.

# knockoffs.independent: Knockoffs of independent features | predict, 1 star, 4 min, 1 point
? Test each with the definition: a feature and its knockoff change places. Does the joint
    distribution change?
? Knockoffs are made without looking at the target.
? Independent features have no correlations that a knockoff would have to keep.
= choice("b")
- "a" | looks at the target | These columns were made with y. A knockoff must be drawn without it,
    or the comparison shows nothing.
- "c" | too wide | Feature plus noise has variance 1.01, and by that it can be told from the
    feature. (Shrunk to variance 1 it would be valid.)
- "d" | a neighbour | The neighbour's column is in the table twice then. Swap a feature with its
    knockoff: now another column is there twice.
> For independent features any fresh draw from the same distribution will do, normal or not. It is
    the correlations that make knockoffs hard.

# knockoffs.test_duel: Write a test: is the duel fair? | test, 3 stars, 15 min, 0 points
? If a feature and its knockoff change places, its W must turn its sign, and no other W may move.
? Swap values[j] and values[p + j] for one j, call duel again, and compare all p numbers.
? Do it for each j, with unequal numbers; ask for the same size as well as the other sign.
= catches()
+ difference | refuses the difference | Your test refuses the plain difference of feature and
    knockoff, which is fair. Compare with a tolerance.
+ signed_maximum | refuses the signed maximum | Your test refuses the larger of the two values with
    the winner's sign. It is fair: do not ask for one particular value.
+ difference_of_squares | refuses a difference of squares | Your test refuses a difference of
    squares. It turns its sign and nothing else moves: that is all you were asked to test.
- size | misses a lost sign | A duel that forgets who won, |a - b|, passes your test: after a swap
    the *sign* must turn.
- against_the_mean | misses a shared opponent | A duel of each feature against the mean of all
    knockoffs passes your test: swap one pair and compare every number.
- thumb | misses a thumb on the scale | A duel in which features win by twice as much as knockoffs
    passes your test: after the swap the *size* must be the same as before.
- sorted_rows | misses mixed-up pairs | A duel that sorts features and knockoffs first, and so mixes
    up the pairs, passes your test. Swapping all pairs at once does not show it: swap one pair
    alone, with numbers in no order.
- times_the_neighbour | misses a neighbour that moves | A duel in which a swap also moves the
    neighbour's W passes your test: its own W turns the sign as it should. Compare *every* number
    after a swap, not that of the swapped pair alone.
> This flip-sign property, and exact knockoffs, are all that the theorem asks for.

# knockoffs.threshold: Count the losers | implement, 2 stars, 12 min, 3 points
? The candidates are the sizes |W| above 0.
? At t there are (W >= t).sum() winners and (W <= -t).sum() losers.
? Which of the sizes pass? Think of what to return if none of them does, and of a t without a
    winner.
= function(statistics, threshold)
- without_one | the 1 forgotten | You left out the 1. Then a table of pure noise announces something
    in about half of all studies.
- strict | strict inequalities | A feature whose W equals t is a winner, and one that equals -t a
    loser: use >= and <=.
- largest | the largest | You return the largest t that passes. The smallest announces more at the
    same price.
- first_failure | the first failure | You stop where a t fails for the first time on the way down.
    Further down it may pass again: look at all.
- below_q | below q | You ask for a share *below* q. At most q is allowed: <=.
- winners_only | winners' sizes only | You try the sizes of the winners only. The list comes out the
    same, but the smallest size that passes may be a loser's.
- zero_for_none | zero for none | Where no size passes you return 0, and W >= 0 would announce every
    winner: return infinity.
- all_losers | all losers | You count every negative W as a loser. Only those at -t or below balance
    the winners at t or above.
- lambda w, q: scan(w, q, plus, least=-1.0) | zero as a candidate | t = 0 is no candidate: a W of 0
    neither wins nor loses.
! fi_teach.importance.knockoffs
> Nothing in these lines knows which features are null. The losers estimate how many are.

# knockoffs.fewest: The price of a loser | number, 1 star, 4 min, 1 point
? Two losers at the threshold: what is the numerator of the estimate?
? (1 + 2) / n must be at most 0.1.
= value(30, tolerance=1e-4)
- 20 | the 1 forgotten | 2/20 would be 0.1 without the 1 in the numerator.
- 10 | the losers not counted | Ten is the shortest list without a loser. Here there are two.
- 15 | the other q | Fifteen would do at q = 0.2. Here q is 0.1.
- 29 | one short | 3/29 is a little more than 0.1.
- 32 | losers announced | You added the losers to the list. They are counted, and never announced.
> At q = 0.1 every loser at the threshold costs ten more winners, and the 1 costs the first ten.
    Where you expect a handful, knockoff+ is the wrong tool.

# knockoffs.sentence: What may you write? | predict, 1 star, 4 min, 1 point
? The false discovery *rate* is the mean of what?
? In the chapter the share was above 0.2 in a third of the studies.
= choice("a")
- "b" | a probability for each | Nothing is said about a single name: the first on the list is
    surely safer than the last.
- "c" | a bound on this list | The share in a single list can be above 0.2, and in the chapter it
    was in a third of the studies.
- "d" | the others are null | Not announced means not found. In the chapter about a third of the
    causes were missed.
> The promise is about the procedure, and the long run of lists it makes.

# knockoffs.null: Which are null? | predict, 2 stars, 6 min, 2 points
? Null means: y is independent of the feature GIVEN all the others.
? If x1, x2 and x3 are known, what does x4 add? If x2, x3 and x4 are known, what does x1 add?
= choice("c")
- "a" | one at a time | Each feature alone is unrelated to y, true. But x1 and x2 together decide
    it, and the null is about what is left given the others.
- "b" | a relative | x4 is nearly x1. But the hypothesis is conditional: with x1 in the table, x4
    adds nothing.
- "d" | x4 replaces x1 | x4 agrees with x1 in 19 of 20 rows only. In the others x1 decides, so x1
    adds something given x4.
> Unrelated and not null: x1. Related to a cause and null: x4. Without x1 in the table, x4 would not
    be null.

# knockoffs.three_of_four: Three draws of four | predict, 2 stars, 5 min, 0 points
? What was drawn a hundred times: the applicants, or the knockoffs?
? The promise of knockoff+ belongs to one list. Which list would that be?
? Go through the options and ask of each: for which procedure was it proved that its lists are false
    to at most one fifth on average?
= choice("d")
- "a" | frequency as probability | The hundred draws are of the knockoffs. They say how much the
    list depends on the draw, and nothing about how likely `mhist` is to be null.
- "b" | a majority of promises | Each list keeps the rate on average. A list made by majority is
    another procedure, for which nobody has shown that.
- "c" | new applicants | The applicants were drawn once and stayed the same in all hundred draws.
    This number does not say what other applicants would give.
- "e" | not found, so null | Announced in a quarter of the draws is no proof of anything, and
    neither is not announced: knockoff+ says nothing about those it leaves out.
> Fix one seed beforehand, or combine the draws by a rule that has a promise of its own, as
    e-values do (Going further). And say that the distribution of the columns was estimated.

# knockoffs.reply: The longest list | explain, 2 stars, 12 min, 5 points
? What happens with shuffled copies to genes that are correlated with a cause?
? Does a guarantee hold for a list that was chosen among five?
? Read the last sentence word by word: '90%', 'cause'.
= by_hand
* 1 | shuffled columns are no knockoffs of correlated genes: correlates of causes beat their copies,
    and the list fills with them
* 1 | the best of five lists has no guarantee: one seed must be fixed before anybody looks
* 1 | the rate is a mean over studies; it gives neither a bound for this list nor a probability for
    a gene
* 1 | not causes: genes that tell something about the disease which the other measured genes do not
* 1 | says what to do instead: knockoffs drawn from a model of the genes' joint distribution, one
    seed fixed beforehand, the names tested in new data
""", vars(implementations) | globals())
