"""Exercise set 1, decision trees: impurity, best splits, node weights, what accuracy hides."""

from itertools import pairwise

import numpy as np

from fi_course.questions.implementations_to_test import ch01_trees as implementations
from fi_course.questions.implementations_to_test.ch01_trees import decrease, gini, pooled, split
from fi_course.questions.question_text import questions

# Definitions to judge by, slow and short.

def entropy(counts):
    shares = np.asarray(counts, float) / np.sum(counts)
    return -sum(p * np.log2(p) for p in shares if p > 0)


def thresholds_of(values, labels):
    distinct = sorted(set(values))
    at = {v: {label for u, label in zip(values, labels, strict=True) if u == v} for v in distinct}
    return [(v + w) / 2 for v, w in pairwise(distinct) if len(at[v] | at[w]) > 1]


# Mistaken formulas, each under the name a check gives it.

def decrease_swapped(left, right):
    n_left, n_right = np.sum(left), np.sum(right)
    swapped = n_right * gini(left) + n_left * gini(right)
    return gini(pooled(left, right)) - swapped / (n_left + n_right)


def decrease_in_rows(left, right):
    return np.sum(pooled(left, right)) * decrease(left, right)


def decrease_in_bits(left, right):
    return entropy(pooled(left, right)) - split(entropy, left, right)


def on_data_points(pick):
    """Return class boundaries, with one neighbour's value in place of the midpoint."""
    def thresholds(values, labels):
        distinct = sorted(set(values))
        middle = {(v + w) / 2: pick(v, w) for v, w in pairwise(distinct)}
        return {middle[t] for t in thresholds_of(values, labels)}
    return thresholds


def all_midpoints(values, labels):
    return thresholds_of(values, range(len(values)))


def row_by_row(order, skip_ties):
    """Compare each row with the next only, so that tied rows count as two places."""
    def thresholds(values, labels):
        rows = order(list(zip(values, labels, strict=True)))
        pairs = pairwise(rows)
        return {(v + w) / 2 for (v, a), (w, b) in pairs if a != b and not (skip_ties and v == w)}
    return thresholds


def by_value(rows):
    return sorted(rows, key=lambda row: row[0])


def summed(weigh, collect=lambda old, new: old + new):
    """Return the sums over each feature's splits of `weigh(rows, gain)`."""
    def sums(splits):
        total = {}
        for feature, rows, gain in splits:
            total[feature] = collect(total.get(feature, 0), weigh(rows, gain))
        return total
    return sums


def normalised(total):
    return {feature: part / sum(total.values()) for feature, part in total.items()}


def shares_of(*weigh_and_collect):
    return lambda splits: normalised(summed(*weigh_and_collect)(splits))


importance_of = shares_of(lambda rows, decrease: rows * decrease)
importance_in_rows = summed(lambda rows, decrease: rows * decrease)


def importance_raw(splits):
    return {f: part / max(rows for _, rows, _ in splits)
            for f, part in importance_in_rows(splits).items()}


def importance_of_means(splits):
    count = summed(lambda rows, decrease: 1)(splits)
    return normalised({f: part / count[f] for f, part in importance_in_rows(splits).items()})


# Cases, the smallest first.

def pairs_of_counts(rng):
    small = [([1, 0], [0, 1]), ([2, 0], [0, 1]), ([2, 1], [0, 1]), ([4, 1], [0, 3]),
             ([2, 0], [2, 4]), ([1, 1], [2, 2]),
             ([1, 0, 1], [0, 3, 1])]
    drawn = [(rng.integers(1, 4 * k, size=2 + k % 3), rng.integers(0, 5 * k, size=2 + k % 3) + 1)
             for k in range(1, 9)]
    return [(np.array(left), np.array(right)) for left, right in small + drawn]


def columns(rng):
    small = [([1, 2], ["Fail", "Pass"]), ([1, 2, 3], ["Pass", "Pass", "Fail"]),
             ([3, 1, 2], ["Fail", "Pass", "Pass"]),
             ([1, 1, 2], ["Pass", "Fail", "Fail"]), ([1, 1, 2], ["Fail", "Pass", "Fail"]),
             ([1, 1, 2], ["Fail", "Pass", "Pass"]),
             ([30, 80, 140, 50, 110, 60, 100, 120], ["Pass"] * 4 + ["Fail"] * 4)]
    drawn = [(rng.integers(0, 2 * k, size=k), rng.choice(["Pass", "Fail"], size=k))
             for k in range(4, 13)]
    return [(np.array(values), np.array(labels)) for values, labels in small + drawn]


PRINTED = {"Rent <= 435": 0.44, "Rent <= 495": 0.48, "Rent <= 525": 0.45, "Rent <= 640": 0.29,
           "Rent <= 680": 0.40}


def split_lists(rng):
    small = [[("Time", 4, 0.5)], [("Time", 4, 0.5), ("Attends", 4, 0.25)],
             [("Attends", 8, 0.25), ("Time", 2, 0.5)],
             [("Attends", 8, 0.3), ("Time", 5, 0.02), ("Time", 4, 0.375)]]
    drawn = [
        [(str(rng.choice(["Attends", "Time", "Sleep"])), int(rng.integers(2, 10)),
          float(rng.integers(1, 50)) / 100)
         for _ in range(k)] for k in range(3, 9)]
    return [(splits,) for splits in small + drawn]


QUESTIONS = questions(r"""
# trees.recall_mean: Two classes, one average | number, 1 star, 2 min, 1 point
? Imagine all thirty pupils in one room. What do their points add up to?
? 20 pupils of 70 points bring 1400; add what the other 10 bring.
? Divide the sum of all points by 30.
= value(60, unit="points")
- 55 | mean of two means | You averaged the two averages as if both classes were equally large. Each
    *pupil* counts once, so the class of 20 gets twice the weight of the class of 10.
- 50 | weights swapped | You gave the class of 20 the weight of the class of 10, and the other way
    round.
- 1800 | a sum, not a mean | This is the sum of all points: divide it by the 30 pupils.
> The mean of several groups together is a weighted mean. So is the impurity after a split: each
    child is weighted by its number of rows.

# trees.recall_two_draws: Two draws from a bag | number, 1 star, 3 min, 1 point
? The ball goes back: the second draw does not depend on the first.
? The colours differ in two ways: red then blue, or blue then red.
? How likely is each of the two ways? They exclude each other, so their chances add up.
= value(0.42)
- 0.21 | one order only | You counted red then blue; blue then red is just as likely.
- 7 / 15 | without putting back | This would be right if the first ball stayed out; here it goes
    back.
- 0.58 | the opposite event | This is the probability that the colours are the *same*.
- 0.3 | one draw | This is the chance that a single ball is blue; two balls are drawn.
> You have computed a Gini impurity: the chance that two rows, drawn with replacement from the node,
    differ.

# trees.first_cut: Which cut comes first? | predict, 1 star, 3 min, 1 point
? A pure child counts only in proportion to the rows it holds.
? Count yes and no on both sides of each of the four cuts.
? For each cut, how many flats end up on the side where the other class is in the majority?
= choice("c")
- "a" | pure is enough | One child is pure, but it holds 2 flats of 10; the other 8 stay mixed, 3 to
    5. A pure child counts only in proportion to the rows it holds.
- "b" | balance is not the aim | Two equal halves look fair, but both stay mixed (4 to 1): a cut is
    judged by how pure the children are, not by how alike they are in size.
- "d" | one row cut off | It separates a single flat, and the 9 others stay mixed, 5 to 4.
> The parent is fixed, so the best cut is the one whose children are least mixed *on average over
    rows*.

# trees.entropy_bits: The same node in bits | number, 1 star, 5 min, 2 points
? Entropy is the mean surprise: each class is weighted by its share.
? In bits the logarithm has base 2: log2(4/5) = -0.322 and log2(1/5) = -2.322.
? Weight each of these two surprises by its class's share of the five students, and add.
= value(entropy([4, 1]), unit="bits")
- entropy([4, 1]) * np.log(2) | entropy in nats | These are nats: your logarithm has base e. Bits
    need base 2; divide by ln 2 = 0.693.
- entropy([4, 1]) * np.log10(2) | entropy in base 10 | Your logarithm has base 10. Bits need base 2.
- -0.8 * np.log2(0.8) | one class forgotten | This is the term of Pass alone: Fail has one too.
- -0.2 * np.log2(0.2) | one class forgotten | This is the term of Fail alone: Pass has one too.
- -entropy([4, 1]) | sign | A surprise is never negative, but the logarithm of a share is, so the
    sum needs a minus sign.
- 0.32 | Gini, not entropy | This is the Gini impurity of the node; the question asks for its
    entropy.
- -np.log2(0.8) - np.log2(0.2) | not averaged | You added the two surprises: weight each by its
    class's share.
> With the best yes-or-no questions you need 0.72 questions a row, on average over many rows, to
    find out the results. State the unit with an entropy: the same node has 0.50 nats.

# trees.variance_decrease: A target that is a number | number, 2 stars, 6 min, 2 points
? A regression node predicts its mean; its impurity is the mean squared distance from it.
? The four points lie around 60: 30, 30, 70, 110. Square the distances and average: the parent's
    variance.
? The children have variances 0 and 400. Weight each by 2/4 and subtract the sum from the parent's
    variance.
= value(900, unit="squared points", tolerance=0.002)
- np.sqrt(1100) - 10 | standard deviation | You took square roots. The impurity is the variance
    itself, in squared points; standard deviations do not add up.
- 4400 / 3 - 400 | divided by n - 1 | You divided by n - 1, as when a variance is estimated from a
    sample. A node's variance describes its own rows: divide by n.
- 700 | children not weighted | You subtracted both children's variances in full: weight each by its
    share of the rows.
- 1100 | the parent alone | This is the parent's variance. Subtract what is left in the children.
- 200 | the children alone | This is what is left in the children: the decrease is the parent's
    variance less this.
- 3600 | a sum, not a mean | You added squared distances and did not divide by the number of rows.
> The same rule holds for every impurity: parent less children, each child weighted by its rows. For
    the variance, the decrease is also the fall in mean squared error when two means replace one.

# trees.decrease: How much does a split gain? | implement, 2 stars, 10 min, 3 points
? First the parent: its counts are those of both children added up.
? Write a small function for 1 minus the sum of squared shares, and call it three times.
? Lists join when you add them: `[a + b for a, b in zip(left, right)]` adds class by class. Weight
    each child by its share of all rows.
= function(pairs_of_counts, decrease, lists=True)
- of_mean_shares | mean of two class shares | You took the parent's class shares as the mean of the
    children's shares, as if both children were equally large: add up the *counts* and then divide.
- unweighted | children not weighted | You averaged the children's impurities as if both held
    equally many rows: weight each by its rows.
- decrease_swapped | weights swapped | Each child's impurity must be weighted by its own rows, not
    by the other's.
- left_only | one child forgotten | The right child's impurity is missing. It may be zero, but need
    not be.
- lambda left, right: left_only(right, left) | one child forgotten | The left child's impurity is
    missing. It may be zero, but need not be.
- lambda left, right: split(gini, left, right) | the parent forgotten | This is what is left in the
    children: the decrease is the parent's impurity less this.
- turned_round | sign | The sign is wrong: take the parent less the children.
- of_two_classes | two classes only | 2p(1 - p) is the Gini of two classes. With a third class you
    need 1 minus the sum of all squared shares.
- decrease_in_rows | decrease in rows | You multiplied the decrease by the number of rows: the
    question asks for the decrease per row.
- decrease_in_bits | entropy, not Gini | These are bits: the question asks for the decrease in Gini.
! fi_teach.basics.impurity, fi_teach.basics.thresholds, fi_teach.trees.cart, fi_teach.fast.cart
> On the midterm table your function gives 0.3 for attendance, more than for any cut in time. That
    is why the tree asks about attendance first.

# trees.thresholds: Where may a tree cut? | implement, 2 stars, 12 min, 0 points
? Rows of one value cannot be separated, whatever their classes: think in distinct values.
? Two neighbouring values need a cut between them unless all rows at both belong to one class.
? Gather the labels at each value first. Then take two neighbouring values: how many different
    labels do they have together?
= function(columns, thresholds_of)
- on_data_points(min) | threshold on a data point | You cut at a value that a row has. A midpoint
    treats both neighbours alike: (v + w) / 2.
- on_data_points(max) | threshold on a data point | You cut at a value that a row has, so that `<=`
    would keep that row on the wrong side: take (v + w) / 2.
- all_midpoints | every midpoint | You kept every midpoint. No cut between neighbours of the same
    class can be best: keep only cuts where the class changes.
- row_by_row(list, False), row_by_row(list, True) | not sorted | You compared rows in the order of
    the table: sort by value first.
- tuple(row_by_row(order, skip) for order in (sorted, by_value) for skip in (False, True)) | tied
    values | Where several rows have the same value, you compared them one by one. Such rows stay
    together: gather their labels first, then look at neighbouring *values*.
- lambda values, labels: set(thresholds_of(values, labels)) | not in ascending order | These are the
    right cuts. The question asks for them in ascending order, each only once.
! fi_teach.basics.impurity, fi_teach.basics.thresholds, fi_teach.trees.cart, fi_teach.fast.cart
> The midterm's times have seven midpoints, but only four can be best. For Gini and entropy the best
    cut always lies where the class changes.

# trees.slide_table: Two entries do not bear checking | claim, 2 stars, 8 min, 0 points
? For every cut write down how many *yes* and *no* lie on either side: the flats are already sorted
    by rent.
? An entry that is only rounded (0.4762 to 0.48) is not wrong.
? In both wrong entries, a child was treated as half and half although it is not.
= value({"Rent <= 435": 4 / 9, "Rent <= 495": 10 / 21, "Rent <= 525": 5 / 12, "Rent <= 640": 2 / 7,
    "Rent <= 680": 3 / 8}, default=PRINTED)
- {"Rent <= 525": 0.45, "Rent <= 680": 0.40} | left as printed | You gave the two wrong entries as
    printed. In each, a mixed child was treated as half and half, with a Gini of 0.5.
- {"Rent <= 525": (3 / 8 + 4 / 9) / 2, "Rent <= 680": 15 / 64} | children not weighted | You
    averaged the children as if both held equally many rows.
- {"Rent <= 525": 4 / 9, "Rent <= 680": 15 / 32} | the larger child alone | These are the impurities
    of the larger children alone: weight each child by its rows, and add the smaller one.
- {"Rent <= 525": 5 / 12}, {"Rent <= 680": 3 / 8} | one of two | That one is right. There is
    another.
> The errors are harmless: the best of the five cuts is the same in both tables. But an error is
    worth finding even when it changes nothing, because only then do you know that it changes
    nothing.

# trees.mend_importance: Find the bug: 43% or 60%? | mend, 2 stars, 10 min, 3 points
? Run it on the three splits of the midterm tree and compare with 60% and 40%.
? Does a split of 4 rows matter as much as a split of 8?
? Each decrease is a decrease *per row*: multiply it by the rows of its node before you add.
= function(split_lists, importance_of, planted=shares_of(lambda rows, decrease: decrease))
- shares_of(lambda rows, decrease: rows**2 * decrease) | weighted twice | The rows now count twice:
    multiply each decrease by its rows once.
- shares_of(lambda rows, decrease: decrease / rows) | divided by the rows | You divided by the rows,
    so that small nodes count most: a decrease per row must be *multiplied* by the rows.
- shares_of(lambda rows, decrease: rows * decrease, lambda old, new: new) | the last split only | In
    your function a feature that is split on twice keeps only its last split: add both decreases.
- importance_of_means | mean of the splits | You averaged over a feature's splits. A feature that is
    split on twice gets both decreases: add them up.
- importance_in_rows, importance_raw | not normalised | The weights are right now, but the shares
    must add up to 1.
> Without the node weight, attendance gets 43% of the same tree; with it, 60%. The formula on the
    slide leaves the weight out, although the slide's numbers contain it.

# trees.any_pure_tree: Another tree, the same importance? | predict, 2 stars, 5 min, 2 points
? Write down all the decreases of one such tree, each times its share of the rows, and add them up.
? What is subtracted for a child at one split is what the child starts with at the next.
? Pure leaves have no impurity: all the impurity of the node with six flats is taken away below it.
= choice("b")
- "a" | the cuts decide | Add up the decreases of both trees: 0.033 + 0.133 and 0.017 + 0.150 are
    the same. The cuts decide how the total is *spread over the splits*, not how large it is.
- "c" | more splits, more importance | Every split takes away some of the impurity that is left.
    More splits share the same total; they cannot increase it.
- "d" | every split counts alike | A split is not counted as one: it counts by its decrease,
    weighted by its rows.
> Decreases telescope: below a node grown to purity they add up to its weighted impurity, whatever
    the splits. So the shares, two thirds for rent and one third for size, depend on the first split
    and these ten flats, not on the rest of the tree.

# trees.test_decrease: Write a test that catches them | test, 3 stars, 12 min, 0 points
? Work out a split by hand whose children differ in size and are both mixed, and compare with `abs(a
    - b) < 1e-9`.
? A split that separates nothing, such as [2, 2] and [1, 1], must have a decrease of 0, and no
    decrease may be negative.
? Add a case with three classes, such as [2, 0, 0] and [0, 1, 1], and work it out by hand.
= catches()
+ decrease | refuses a right one | Your test refuses a right implementation. Work its cases out
    again, and mind that 0.3 may come out as 0.30000000000000004: compare with a tolerance.
+ rounded_otherwise | exact equality | Your test refuses a right implementation whose last bit is
    rounded differently: compare floats with a tolerance, as in `abs(a - b) < 1e-9`.
+ as_a_float | asks for a type | Your test refuses a right implementation that returns a plain
    float.
- unweighted | misses unweighted children | An implementation that gives both children the same
    weight passes your test: use children of different size *and* different impurity.
- of_mean_shares | misses the mean of shares | An implementation that averages the children's shares
    to get the parent's passes your test.
- left_only | misses a forgotten child | An implementation that forgets the right child passes your
    test: use a right child that is mixed.
- turned_round | misses the sign | An implementation with the wrong sign passes your test: check the
    value of a decrease, not only that it is small.
- of_two_classes | misses the third class | An implementation that only knows two classes passes
    your test: use three.
> A test is good if it lets every right program pass and stops every wrong one you can think of.
    Pure children and equal halves are the cases in which nearly everything looks right.

# trees.what_if: What would have helped? | number, 1 star, 4 min, 1 point
? Follow the rules for this flat: which question decides?
? There are two ways out of the interval in which it stays empty, down and up. Which is shorter?
? The nearer end of the interval is the threshold below.
= value(60, unit=("euros", "€", "eur"))
- 200 | the far way out | That is the distance to the other end of the interval. The tree's answer
    changes already at the nearer end.
- 640 | the threshold, not the change | This is the rent at which the answer changes; the question
    asks by how much the rent must change.
- -60 | the direction | The question asks for the size of the change: write it without the sign.
- 0 | the balcony | This flat has no balcony. Without a change the tree says that it stays empty.
> A counterfactual is about the *tree*: it says when its answer changes. It is not advice: 201 euros
    more would change the answer as well, and nobody believes that a higher rent helps.

# trees.what_sixty_means: What does 60% say? | explain, 2 stars, 10 min, 3 points
? Say what the 60% is a percentage of.
? Which data was it computed from, and how many rows were they?
? Would another tree, or other students, give another number? Has anyone been made to attend?
= by_hand
* 1 | 60% is a share of the tree's total impurity decrease (each weighted by its rows), not of
    students or of success
* 1 | it describes this tree on its eight training rows; another tree or sample can give another
    number
* 1 | it is not causal: nobody was made to attend, and those who attend may differ in other ways
""", vars(implementations) | globals())
