"""Exercise set 14, with your own model: libraries' importances, words, gaps, an audit."""

import numpy as np

from fi_course.questions.implementations_to_test import ch14_own_model as implementations
from fi_course.questions.question_text import questions

# The gain of a split, and what people write instead.


def gain_of(saving, combine):
    """Return a gain that combines `saving(errors, lam)` of (left, right, both)."""
    def gain(left, right, lam):
        return combine(*(saving(part, lam) for part in (left, right, np.append(left, right))))
    return gain


def saving_of(errors, lam):
    return errors.sum() ** 2 / (len(errors) + lam)


def less_before(left, right, both):
    return left + right - both


gain_by_definition = gain_of(saving_of, less_before)
before_forgotten = gain_of(saving_of, lambda left, right, both: left + right)
halved = gain_of(saving_of, lambda left, right, both: (left + right - both) / 2)
lambda_forgotten = gain_of(lambda errors, lam: errors.sum() ** 2 / len(errors), less_before)
squares_summed = gain_of(lambda errors, lam: (errors**2).sum() / (len(errors) + lam), less_before)
not_squared = gain_of(lambda errors, lam: abs(errors.sum()) / (len(errors) + lam), less_before)
of_means = gain_of(lambda errors, lam: errors.mean() ** 2, less_before)


def per_row(left, right, lam):
    return gain_by_definition(left, right, lam) / (len(left) + len(right))


def splits(rng):
    """Draw errors on both sides of a split, and lambda; the smallest first."""
    small = [([1], [-1], 0), ([1, 1, 1], [-3], 0), ([1, 1, 1], [-3], 1), ([2, 1], [2], 0),
             ([2, -1], [4, 1, 1], 3)]
    drawn = [(rng.integers(-5, 6, size=a), rng.integers(-5, 6, size=b), lam)
             for a, b, lam in ((3, 4, 0), (5, 2, 1), (6, 6, 2))]
    return [(np.array(left, float), np.array(right, float), float(lam))
            for left, right, lam in small + drawn]


# Words as the mean of their targets, and what people write instead.


def encoded_by(mean_for):
    """Return an encoding in which row i gets `mean_for(i, words, y, fold)`."""
    def encode(words, y, fold):
        return [float(mean_for(i, words, y, fold)) for i in range(len(y))]
    return encode


def mean_or(values, otherwise):
    return values.mean() if len(values) else otherwise


def by_others(i, words, y, fold):
    other = fold != fold[i]
    return mean_or(y[other & (words == words[i])], y[other].mean())


by_other_folds = encoded_by(by_others)
by_all = encoded_by(lambda i, words, y, fold: y[words == words[i]].mean())
by_own_fold = encoded_by(
    lambda i, words, y, fold: y[(fold == fold[i]) & (words == words[i])].mean())
without_row = encoded_by(lambda i, words, y, fold: mean_or(
    y[(np.arange(len(y)) != i) & (words == words[i])], y[fold != fold[i]].mean()))
zero_for_new = encoded_by(lambda i, words, y, fold: mean_or(
    y[(fold != fold[i]) & (words == words[i])], 0.0))
all_for_new = encoded_by(lambda i, words, y, fold: mean_or(
    y[(fold != fold[i]) & (words == words[i])], y.mean()))


def streets(rng):
    """Draw words, targets and folds, at least two; the smallest first."""
    small = [(["a", "a"], [0, 1], [0, 1]), (["a", "b", "a"], [1, 0, 0], [0, 1, 1]),
             (["a", "a", "b", "b"], [1, 0, 1, 1], [0, 1, 0, 1]),
             (["a", "a", "a", "b"], [1, 1, 0, 0], [0, 0, 1, 1])]
    drawn = [(rng.choice(list("abcd"), size=n), rng.integers(2, size=n), np.arange(n) % 3)
             for n in (7, 12, 20)]
    return [(np.array(words), np.array(y, float), np.array(fold))
            for words, y, fold in small + drawn]


QUESTIONS = questions(r"""
# own_model.recall_noise: A coin and a random number | predict, 1 star, 3 min, 1 point
? How many places to cut does each column offer?
? The best of many lucky cuts is luckier than the only one.
? Can a split that was chosen for its decrease have a negative one?
= choice("d")
- "a" | noise cancels | On new rows it would. MDI adds up decreases on the rows that chose the
    splits, and none of these is negative.
- "b" | fewer cuts, purer cuts | The coin has one cut, take it or leave it. What can choose among
    many finds a luckier one.
- "c" | all noise is alike | Each single cut is as poor as another. But one column has one ticket in
    the lottery, the other as many as there are rows.
> And a count of splits shows it undiluted: a coin can be asked once on a path, a random number
    again and again.

# own_model.recall_cover: Nobody knows the feature | number, 1 star, 4 min, 1 point
? Both branches are taken.
? Each branch counts by its share of the training rows.
= value(2.2)
- 3 | branches alike | That is the plain mean of the two leaves. Seven rows went one way and three
    the other.
- 1 | the larger branch only | The heavier branch has the larger say, and not the only one: nothing
    is known.
- 3.8 | weights exchanged | You gave each leaf the other one's weight.
- 22 | a sum | These are ten rows' answers added up. The mean is asked for.
> The mean of the tree over its training rows: if cover counts rows.

# own_model.five: Five importances from two trees | number, 2 stars, 8 min, 3 points
? Mark the three splits on `age`.
? Weight is how many there are. The two totals are sums over these three.
? Gain and cover are the totals divided by the weight.
= value({"weight": 3, "gain": 22, "total_gain": 66, "cover": 190 / 3, "total_cover": 190})
- {"weight": 2, "gain": 25, "total_gain": 50, "cover": 70, "total_cover": 140} | the other column |
    These are the numbers of `pay`.
~ {"gain": 33, "cover": 95} | a mean over trees | You divided by the number of trees. XGBoost
    divides by the number of the column's *splits*.
~ {"gain": 13.2, "cover": 38} | a mean over all splits | You divided by all five splits. The mean is
    over the splits on `age`.
~ {"gain": 66, "total_gain": 22, "cover": 190, "total_cover": 190 / 3} | total and mean exchanged |
    The totals stand where the means belong: `gain` and `cover`, the short names, are the means.
~ {"weight": 1, "total_gain": 60, "total_cover": 100} | root splits only | All splits count,
    wherever they stand.
> By gain `pay` leads, 25 to 22; by total gain `age`, 66 to 50. Its two late splits have cost `age`
    the first place.

# own_model.gain: The gain of a split | implement, 2 stars, 12 min, 3 points
? With squared error a row's Hessian is 1: H is the number of rows, G the sum of the errors.
? Write a function of one group of errors first: G squared over H + λ.
? Left and right, less the same for all rows together.
= function(splits, gain_by_definition, lists=True)
- before_forgotten | before forgotten | You added what the two sides save. What all rows together
    could save with *one* constant must come off.
- halved | halved | The factor ½ stands in the paper's formula. What XGBoost prints leaves it out.
- lambda_forgotten | lambda forgotten | Without λ it is right. λ is added to H in each of the three
    terms.
- squares_summed | squares added up | You added the squares of the errors. It is the square of their
    *sum*: errors of opposite signs cannot be mended by one constant.
- not_squared | not squared | G is squared.
- of_means | means, not sums | You squared the means. A side with many rows saves more than one with
    few: G²/H is H times the squared mean.
- per_row | per row | This is the gain per row, the decrease of chapter 3 if λ is 0. XGBoost prints
    the sum over the rows.
> With λ = 0 it is the decrease in variance times the number of rows: MDI, before anybody divides.

# own_model.two_charts: Two colleagues, two charts | predict, 1 star, 4 min, 1 point
? Neither of them has said which importance it is.
? What does `feature_importances_` hold in XGBoost, and what in LightGBM?
= choice("b")
- "a" | one overfits | They may overfit alike. Look at what is *counted* before you look for causes
    in the models.
- "c" | twins | Both models can divide the credit between the two as they like, and that moves bars.
    It does not make a column of many values lead one chart and end the other.
- "d" | chance | Another seed moves bars a little. From first to last place is not a seed.
> Ask both for the total gain, and the charts can be compared.

# own_model.hessians: What nobody knows, twice | number, 2 stars, 10 min, 0 points
? By rows the left branch has the weight 180/200.
? A row's Hessian is p(1 − p): 0.0196 on the left, 0.24 on the right. How much is each side in sum?
? The weights are 3.528 and 4.8; divide by their sum.
= value({"rows": -1.7, "hessians": (-2 * 3.528 + 4.8) / 8.328})
~ {"hessians": (-2 * 0.0196 + 0.24) / 0.2596} | Hessians of one row | You weighed the sides by the
    Hessian of *one* row each. There are 180 rows on the left and 20 on the right.
~ {"hessians": (-2 * 3.6 + 8) / 11.6} | p for p(1 − p) | You added up p. The Hessian of log loss is
    p(1 − p).
~ {"rows": 0.7, "hessians": (3.528 - 2 * 4.8) / 8.328} | sides exchanged | You gave each leaf the
    weight of the other side.
~ {"rows": -0.5} | sides alike | That is the mean of the two leaves. 180 of 200 rows are on the
    left.
~ {"hessians": -1.7} | the same twice | By Hessians the sure rows on the left count little: the two
    differ.
> One tree, and "nothing is known" is −1.7 or −0.27: a chance of 15% or of 43%. Say whose cover you
    used.

# own_model.added_up: Four bars of one column | predict, 1 star, 5 min, 2 points
? Which of these is itself a sum over splits?
? Which of them makes rows that have two words or none?
? Which would be zero for all four words, though the column is needed?
= choice("a")
- "b" | shuffled apart | Shuffled apart, a row may get two words or none, and the words' effects on
    each other are counted nowhere. Shuffle the four together.
- "c" | each can be spared | Each word can be read off from the other three, so four refits lose
    nothing. Drop them together.
- "d" | sizes added | A word's +0.3 and another's −0.3 in one row are nothing together, and 0.6 if
    sizes are added. Add the values first.
- "e" | means added | These are means over splits. Add the totals, and divide by the added numbers
    of splits.
> It is a sum over splits, whoever they belong to. With it comes MDI's liking for columns of many
    words.

# own_model.mend_encoding: Find the bug: the street that knew | mend, 2 stars, 12 min, 0 points
? Give it words of which each occurs once. What does each row get?
? Which rows may speak when row i is encoded?
? Those of other folds with the same word; if there are none, all of the other folds.
= function(streets, by_other_folds, planted=by_all, lists=True)
- without_row | only the row itself left out | You left out the row, but not its fold. In a fold the
    rows are then encoded with one another's targets.
- by_own_fold | the row's own fold | You took the mean over the row's *own* fold: exactly the rows
    that must not speak.
- zero_for_new | 0 for an unknown word | A word that no other fold has gets 0, which says that all
    its loans are good. Take the mean of the other folds.
- all_for_new | its own fold in the common mean | Nearly: where a word is unknown to the other
    folds, the common mean must come from the other folds, too.
> A row must not help to make its own value, not even by way of the common mean.

# own_model.test_gaps: Does it leave the gaps alone? | test, 3 stars, 14 min, 3 points
? Give it a column with several gaps and different numbers, and compare what comes back, place by
    place.
? `np.isnan` of both must be the same; the sorted known values must be the same.
? Ask several seeds whether anything moves, and look at the column you gave afterwards.
= catches()
+ right | refuses a right one | Your test refuses a right implementation: work out again what must
    come back.
+ right_by_keys | one order only | Your test refuses a right implementation that deals the values
    out in another order from the same generator: ask for what must hold of *every* shuffle.
- gaps_move | misses gaps that move | An implementation that shuffles the gaps as well passes your
    test.
- gaps_filled | misses gaps that are filled | An implementation that fills the gaps passes your
    test.
- drawn_again | misses values drawn again | An implementation that draws with replacement passes
    your test: some values then come twice and others not at all.
- nothing_moves | misses that nothing moves | An implementation that changes nothing passes your
    test: over several seeds, something must move.
- in_place | misses a changed column | An implementation that shuffles the caller's own column
    passes your test.
> With such a shuffle the importance of an amount can be told from the importance of having one on
    file.

# own_model.which_sentence: Which sentence may be signed? | predict, 1 star, 4 min, 2 points
? Which measure was it, and what does it speak of?
? Is the interval clear of zero? And if it is not, what does that allow?
= choice("d")
- "a" | absence of evidence | Up to 0.008 is as compatible with these rows as 0. "Not clear of zero"
    is not "zero".
- "b" | a cause | Nobody's record was changed. Shuffling a column changes what the model reads, not
    what people do.
- "c" | this model for any model | What a *refit* would lose was not measured here. Others may step
    in for it.
- "e" | bars compared | The two intervals overlap for the most part, and a difference needs an
    interval of its own.
> It names the model, the rows, the unit and the interval, and leaves the world alone.

# own_model.audit: Capstone: audit a model of your own | explain, 3 stars, 150 min, 12 points
? Write down who asks, and what for, before you run anything.
? What the audit could not ask, because nobody told it, is for you to find out: groups, dates, where
    gaps come from.
? Take one bar of the library's chart that your audit does not bear out, and say what was counted.
= by_hand
* 1 | who asks what, and which of the four questions it is
* 2 | the model's skill with an interval on rows it has not seen, and why one may believe that it
    has not
* 2 | every check of the audit answered, also those that it could not make: copies, groups, dates,
    gaps and how words were coded
* 2 | which importance the library prints by default, and one place where it disagrees with the
    audit, explained by what is counted
* 2 | the figures that answer the question, with unit and interval; columns that go together spoken
    of together
* 2 | a paragraph for the person who asked, in which every number was computed and nothing goes
    further than what was measured
* 1 | the sentence that is refused, and what it would take to write it
""", vars(implementations) | globals())
