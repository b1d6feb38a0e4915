"""Exercise set 3, mean decrease in impurity: out-of-bag means, boosting weights, averaging."""

import numpy as np

from fi_course.questions.implementations_to_test import ch03_mdi as implementations
from fi_course.questions.question_text import questions

# Definitions to judge by, slow and short.

def oob_mean(predictions, in_bag):
    """Average over the trees that did not see the row; NaN if all did."""
    columns = zip(np.transpose(predictions), np.transpose(in_bag), strict=True)
    return [np.mean(said[counts == 0]) if (counts == 0).any() else np.nan
            for said, counts in columns]


def reweighed(step):
    """Return AdaBoost's next weights, with `step(error)` for alpha."""
    def weights(weight, missed):
        new = np.where(missed, weight * np.exp(step(weight[missed].sum())), weight)
        return new / new.sum()
    return weights


next_weights = reweighed(lambda error: np.log((1 - error) / error))


def shares_of(decreases):
    total = decreases.sum(axis=1, keepdims=True)
    shares = np.divide(decreases, total, out=np.zeros_like(decreases), where=total > 0).mean(axis=0)
    return shares / shares.sum()


# Mistaken formulas, each under the name a check gives it.

def oob_weighted(predictions, in_bag):
    return (predictions * in_bag).sum(axis=0) / in_bag.sum(axis=0)


def oob_seen(predictions, in_bag):
    """Average over the trees that did see the row; NaN if none did."""
    return oob_mean(predictions, in_bag == 0)


def oob_of_all(predictions, in_bag):
    return np.mean(predictions, axis=0)


def oob_over_m(predictions, in_bag):
    return (predictions * (in_bag == 0)).sum(axis=0) / len(predictions)


def oob_zero(predictions, in_bag):
    return np.nan_to_num(oob_mean(predictions, in_bag))


def not_scaled(weight, missed):
    error = weight[missed].sum()
    return np.where(missed, weight * (1 - error) / error, weight)


def counted(weight, missed):
    """Return the error as a share of the rows, without weights."""
    new = np.where(missed, weight * (1 - missed.mean()) / missed.mean(), weight)
    return new / new.sum()


def raw_first(decreases):
    return np.sum(decreases, axis=0) / np.sum(decreases)


def no_guard(decreases):
    return (decreases / decreases.sum(axis=1, keepdims=True)).mean(axis=0)


def short_of_one(decreases):
    return shares_of(decreases) * (decreases.sum(axis=1) > 0).mean()


def by_feature(decreases):
    """Divide by column sums: each feature's importances add up to 1 over the trees."""
    total = decreases.sum(axis=0, keepdims=True)
    return np.divide(decreases, total, out=np.zeros_like(decreases), where=total > 0).mean(axis=0)


# Cases, the smallest first.

def forests(rng):
    small = [([[1.0], [3.0]], [[0], [1]]), ([[1.0, 2.0], [3.0, 6.0]], [[0, 2], [0, 1]]),
             ([[0.0, 1.0], [1.0, 1.0], [0.5, 4.0]], [[2, 0], [0, 0], [0, 2]])]
    drawn = [(rng.integers(0, 9, size=(m, n)) / 2,
              np.array([np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(m)]))
             for m, n in ((3, 4), (5, 6), (9, 5))]
    return [(np.array(said, float), np.array(bag)) for said, bag in small + drawn]


def rounds(rng):
    small = [([0.25, 0.25, 0.5], [True, False, False]), ([0.125] * 8, [False] * 6 + [True, False])]
    drawn = []
    for n in (4, 6, 10):
        weight = rng.integers(2, 9, size=n).astype(float)
        weight[0] = 1.0
        drawn.append((weight / weight.sum(), [True] + [False] * (n - 1)))
    return [(np.array(weight), np.array(missed)) for weight, missed in small + drawn]


def decreases_of(rng):
    small = [[[0.3, 0.1]], [[0.3, 0.1], [0.01, 0.03]], [[0.4, 0.0], [0.0, 0.0]],
             [[0.2, 0.2], [0.0, 0.0], [0.0, 0.1]]]
    drawn = [rng.integers(0, 9, size=(m, p)) / 20 + np.eye(m, p) / 20
             for m, p in ((3, 3), (4, 5), (6, 3))]
    return [(np.array(table, float),) for table in small + drawn]


QUESTIONS = questions(r"""
# mdi.recall_currency: From bits times days to MDI | number, 1 star, 3 min, 1 point
? The golf post weights by the number of days, the MDI by the share of the days.
? Every node's share is taken of the same total: the 14 days of the root.
? Divide by 14.
= value(0.2, unit="bits", tolerance=0.002)
- 0.4 | divided by the node's days | That is the decrease per day *within the node*. The MDI weights
    it by the node's share of all days: 7 of 14.
- 2.8 | still in the post's currency | This is still in bits times days. The MDI weights by shares
    of the days.
- 0.1 | weighted twice | The 2.8 already contains the factor 7: do not weight by 7/14 again.
> Weighting by counts or by shares changes all nodes by the same factor, so normalised importances
    are the same.

# mdi.recall_left_over: What the leaves keep | number, 1 star, 4 min, 1 point
? Decreases telescope: the root's impurity less what the leaves keep.
? A leaf keeps its impurity times its share of the rows.
? Weight the mixed leaf's impurity by its share of the rows; the pure leaves keep nothing.
= value(0.33, unit="gini", tolerance=0.002)
- 0.48 | pure leaves taken for granted | That would be right if every leaf were pure. One of them
    keeps some impurity.
- 0.105 | leaf not weighted | The mixed leaf holds 4 of the 10 rows: weight its impurity by that
    share.
- 0.33 / 0.48 | normalised | You divided by the root's impurity. The question does not ask for
    shares: the decreases are added as they are.
- 0.15 | what is left, not what was taken | That is what the leaves keep. The decreases add up to
    the rest.
> If a tree is stopped early, its leaves keep some impurity. Question 8 uses that.

# mdi.boost_step: One step of boosting | number, 1 star, 5 min, 2 points
? Everybody starts with the mean of the four targets.
? The stump predicts residuals: target less mean. In a leaf of one row that is the row's own
    residual.
? Add half of the residual to the row's prediction so far.
= value(5)
- 8 | the whole step | You took the whole step. With this learning rate only half of it is taken.
- 6 | fitted to the target | You added half of the target. The tree is fitted to the *residual*,
    target less prediction.
- 3 | the step alone | That is the step. It is added to the row's prediction so far.
- 4 | no start | You began at zero. Boosting begins by predicting the mean for every row.
> The residual was 6; it is 3 after one round and 1.5 after two. Later trees have ever less to take
    away. That is why it matters whether a boosting model's importances average raw decreases or
    shares.

# mdi.oob_mean: Only trees that did not see the row | implement, 2 stars, 12 min, 3 points
? `in_bag == 0` says which tree has not seen which row.
? For each row add up the predictions of these trees and divide by their number.
? Go through the rows one by one: take the predictions of the trees that have not seen the row. What
    do you return if there are no such trees?
= function(forests, oob_mean)
- oob_seen | those who saw it | You averaged the trees that *saw* the row. They know its answer by
    heart.
- oob_weighted | weighted by the counts | You weighted by how often a tree saw the row. Only a tree
    with a count of 0 has not seen it.
- oob_of_all | all trees | You averaged all the trees, also those that saw the row.
- oob_over_m | divided by all trees | You divided by the number of all trees. Divide by the number
    of those that have not seen the row.
- oob_zero | zero for silence | If every tree saw the row, no tree may predict it. The mean is then
    unknown (NaN), not 0.
! fi_teach.trees.forest
> With 100 trees, about 37 judge each row. With five trees some rows have no judge: 0.632 to the
    fifth, about a tenth of the rows.

# mdi.adaboost_weight: How heavy is a missed row? | number, 1 star, 5 min, 0 points
? The error is the weight of the misclassified rows: 2/10.
? Multiply the weights of these rows by (1 - 0.2) / 0.2 = 4, and scale all weights to add up to 1.
? There is a quicker way: what is the total weight of the misclassified rows after the update?
= value(0.25)
- 0.4 | not scaled | Right so far, but now the ten weights add up to 1.6: divide by that.
- 0.5 | both together | This is the weight of both misclassified rows together: the question asks
    for one of them.
- 0.0625 | a row that was right | That is the weight of a row that the stump got right.
- 0.1 * 0.2**np.log(4) / (0.8 + 0.2 * 0.2**np.log(4)) | e taken for the error | In exp(alpha), the
    base is Euler's number, 2.718, and not the error: the factor is (1 - error) / error.
- 0.1 * np.log(4) / (0.8 + 0.2 * np.log(4)) | alpha, not e to the alpha | You multiplied by alpha =
    log 4. The weights are multiplied by exp(alpha), which is 4.
> After each round the misclassified rows together have half of the weight. With the new weights the
    stump just chosen is no better than a coin flip, so the next stump must differ.

# mdi.mend_weights: Find the bug: the wrong rows get heavy | mend, 2 stars, 8 min, 0 points
? Run the function on the eight students. Which rows should have half of the weight afterwards?
? With an error of 1/8, is the weight of the misclassified row multiplied by 7 or by 1/7?
? While the stump is better than a coin, must alpha be positive or negative?
= function(rounds, next_weights, planted=reweighed(lambda error: np.log(error / (1 - error))),
    lists=True)
- not_scaled | not scaled | The factor is right now, but the new weights must add up to 1.
- reweighed(lambda error: np.log((1 - error) / error) / 2) | half of alpha | With half of alpha you
    must also divide the weights of the other rows by the same factor. As it is, the misclassified
    rows get too little weight.
- counted | rows counted, not weighed | The error is the *weight* of the misclassified rows, not
    their number: after the first round the two differ.
> With the bug, each round gives more weight to the rows that are already right. The model still
    runs, and on easy data it even looks good. So test what must be true (misclassified rows have
    half of the weight), not only that the code runs.

# mdi.forest_shares: Importances as scikit-learn's forest has them | implement, 2 stars, 12 min, 0
    points
? Each tree counts equally: turn its row into shares first.
? A tree that never split has a row of zeros, which cannot be divided by its sum. Leave that row as
    it is.
? Average the shares over the trees. What do they add up to if some trees never split, and how do
    you correct that?
= function(decreases_of, shares_of)
- raw_first | raw trees averaged | You averaged the raw decreases: that is gradient boosting's way.
    A forest turns each tree into shares *first*.
- lambda decreases: np.mean(decreases, axis=0) | no shares at all | These are mean decreases, which
    you did not normalise. A forest turns each tree into shares first.
- no_guard | divided by nothing | A tree without a split has decreases that add up to 0, and you
    divided by that.
- short_of_one | short of one | Because of the trees without a split, your shares add up to less
    than 1: divide by their sum once more at the end.
- by_feature | down the columns | You divided each feature's column by its sum. Divide each *tree's*
    row by its sum.
! fi_teach.importance.mdi
> On two trees with (0.30, 0.10) and (0.01, 0.03) this gives one half; averaging first gives 0.70.
    Both are called feature importance.

# mdi.shallow_noise: Cut the trees short | predict, 2 stars, 5 min, 2 points
? Write the sum of all decreases as the root's impurity less that of the leaves.
? The roots are equally mixed in both forests. How mixed are the leaves after two questions?
? No question about noise sorts the rows well, so much impurity stays in the leaves.
= choice("b")
- "a" | grown to purity in mind | That is true of trees grown to purity. After two levels the leaves
    are mixed and keep some impurity.
- "c" | the best of many bad cuts | Noise does profit from the choice among many cuts (chapter 4),
    but its best cuts are poor.
- "d" | noise gives nothing | A little is always found: the best of many cuts looks good by chance,
    and no decrease is negative.
> On three hundred concrete samples the sums are about 0.12 and 0.03. The *shares* add up to 1 in
    both: normalising hides the difference.

# mdi.test_stretch: Write a test: does it see the order only? | test, 3 stars, 15 min, 3 points
? Compute the importance of a column x and that of a strictly increasing change of x: the two must
    agree.
? A change such as 10 * x + 3 catches some wrong functions, but not one that standardises by mean
    and standard deviation: stretch the axis unevenly, as with np.exp(x).
? Use a column whose middle value is far from the middle of its range, such as 0, 1, 2, 3, 4, 9, and
    mixed labels; compare with a tolerance.
= catches()
+ best_gini | refuses a tree's measure | Your test refuses the best Gini decrease, which depends
    only on the order. Is your change strictly increasing, and do you compare with a tolerance?
+ best_entropy | refuses entropy | Your test refuses the best entropy decrease: do not ask for one
    particular value.
+ rank_difference | refuses ranks | Your test refuses a difference of mean ranks. That is not an
    impurity decrease, but it depends only on the order, and that is all you were asked to test.
    (Squaring x is not an increasing change where x is negative.)
- mean_difference | misses a change of unit | An importance that grows with the unit passes your
    test: multiply the column by something.
- standardised_difference | misses a bend | A standardised difference of means passes your test. No
    linear change of x alters it: try np.exp or a cube.
- cut_at_the_mean | misses a cut at the mean | A tree that always cuts at the mean passes your test:
    stretch the axis so far that another row falls on the other side of the mean.
- cut_at_mid_range | misses a cut at mid-range | A tree that cuts halfway between the smallest and
    the largest value passes your test: stretch the axis so far that the middle moves past a row.
> You can test an invariance without knowing the right answer: change what must not matter, and
    compare.

# mdi.board_meeting: A chart in a meeting | explain, 2 stars, 10 min, 3 points
? What would the chart look like if the labels had been shuffled?
? Compare 61% with the best constant answer. Must log loss or AUC agree?
? Which two or three facts should stand beside any such chart?
= by_hand
* 1 | the importances always add up to 100%, also on shuffled labels, so the chart alone is no
    evidence that a feature matters
* 1 | 61% on new rows is no better than always answering 'stays' (62%): no skill has been shown.
    Nor is its absence: where most stay, a model that knows who is at risk may still be right no
    more often, so log loss or AUC on new rows must be asked
* 1 | says what to do: take the chart down until such a score stands beside it (and the model and
    what was averaged); no campaign follows from it
""", vars(implementations) | globals())
