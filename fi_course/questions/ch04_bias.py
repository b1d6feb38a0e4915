"""Exercise set 4, biases of MDI: many thresholds, in-bag evaluation, controls, duplicates."""

from itertools import permutations

import numpy as np

from fi_course.questions.implementations_to_test import ch04_bias as implementations
from fi_course.questions.question_text import questions

# Definitions to judge by, slow and short.

def gini(labels):
    p = np.mean(labels)
    return 2 * p * (1 - p)


def cut(labels, k, weigh=True):
    """Return the Gini decrease of a split after the first k labels.

    weigh=False averages the two sides as if they were equally large.
    """
    share = k / len(labels) if weigh else 0.5
    return gini(labels) - share * gini(labels[:k]) - (1 - share) * gini(labels[k:])


def over_orders(labels, taken, summary=np.mean, weigh=True):
    """Summarise `taken` of the n - 1 decreases over all orders of the labels."""
    return summary([taken([cut(order, k, weigh) for k in range(1, len(order))])
                    for order in set(permutations(labels.tolist()))])


def average_best(labels):
    return over_orders(labels, max)


def average_best_unweighted(labels):
    return over_orders(labels, max, weigh=False)


def best_as_given(labels):
    return max(cut(labels, k) for k in range(1, len(labels)))


def moves(in_left, in_right):
    """Return the shift of both children's means and the node's mean, from the in-bag rows."""
    mean = np.concatenate([in_left, in_right]).mean()
    return in_left.mean() - mean, in_right.mean() - mean, mean


def split_credit(in_left, in_right, out_left, out_right):
    left, right, mean = moves(in_left, in_right)
    return (left * (out_left - mean).sum()
            + right * (out_right - mean).sum()) / (len(out_left) + len(out_right))


# Mistaken ones, each under the name a check gives it.

def marked_by_its_own_rows(in_left, in_right, out_left, out_right):
    return split_credit(in_left, in_right, in_left, in_right)


def moves_from_outside(in_left, in_right, out_left, out_right):
    everybody = np.concatenate([out_left, out_right])
    return sum(len(side) * (side.mean() - everybody.mean()) ** 2 for side in (out_left, out_right)
               if len(side)) / len(everybody)


def distance_from_the_child(in_left, in_right, out_left, out_right):
    left, right, _ = moves(in_left, in_right)
    total = left * (out_left - in_left.mean()).sum() + right * (out_right - in_right.mean()).sum()
    return total / (len(out_left) + len(out_right))


def label_not_distance(in_left, in_right, out_left, out_right):
    left, right, _ = moves(in_left, in_right)
    return (left * out_left.sum() + right * out_right.sum()) / (len(out_left) + len(out_right))


def root_of_two_means(in_left, in_right, out_left, out_right):
    root = (in_left.mean() + in_right.mean()) / 2
    total = sum((seen.mean() - root) * (judges - root).sum()
                for seen, judges in ((in_left, out_left), (in_right, out_right)))
    return total / (len(out_left) + len(out_right))


def sides_alike(in_left, in_right, out_left, out_right):
    left, right, root = moves(in_left, in_right)
    sides = [move * (side - root).mean() for move, side in ((left, out_left), (right, out_right))
             if len(side)]
    return np.mean(sides)


def summed(in_left, in_right, out_left, out_right):
    return split_credit(in_left, in_right, out_left, out_right) * (len(out_left) + len(out_right))


def divided_by_in_bag(in_left, in_right, out_left, out_right):
    return summed(in_left, in_right, out_left, out_right) / (len(in_left) + len(in_right))


def squared_error_drop(in_left, in_right, out_left, out_right):
    mean = np.concatenate([in_left, in_right]).mean()
    drops = [(side - mean) ** 2 - (side - child.mean()) ** 2
             for side, child in ((out_left, in_left), (out_right, in_right))]
    return np.concatenate(drops).mean()


# Cases, the smallest first.

def label_lists(rng):
    small = [[0, 1], [0, 0, 1], [0, 0, 1, 1], [1, 1, 1, 0], [1, 0, 1, 0, 1]]
    drawn = [rng.permutation([0, 1, *rng.integers(0, 2, k)]) for k in (3, 4, 4)]
    return [(np.array(labels),) for labels in small + drawn]


def splits_with_judges(rng):
    small = [([1], [0], [1], [0]), ([1], [0], [0], [1]), ([1, 1, 0], [0], [1], [0, 0]),
             ([1, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0], [1, 0, 1]),
             ([1, 1, 1], [0, 0, 1, 0], [0], [])]
    drawn = [tuple(rng.integers(0, 2, rng.integers(1, k)) for _ in range(4))
             for k in (4, 5, 6, 8, 9)]
    return [tuple(np.array(group) for group in case) for case in small + drawn]


QUESTIONS = questions(r"""
# bias.recall_total: All of it, whatever the labels | number, 1 star, 3 min, 1 point
? Decreases telescope: what do they add up to in a tree with pure leaves?
? They add up to the root's impurity.
? Six in ten rows are yes: take one minus the squares of the two shares.
= value(0.48, unit="gini")
- 1 | the shares, normalised | After normalising, the shares always add up to 1. The question asks
    for the decreases themselves, in Gini.
- 0 | noise has nothing to give | The labels depend on no column, but the tree has separated them
    all the same: its leaves are pure, so all of the root's impurity has been taken away.
- 0.5 | a balanced root | 0.5 is the Gini of an even mix. Here six in ten rows are yes.
- 0.6 | one class's share | This is the share of yes. The Gini impurity is the chance that two drawn
    rows differ.
- 0.24 | variance, not Gini | This is the variance of labels 0 and 1, p(1 - p). Gini is twice that.
- 0.971 | entropy, not Gini | This is the entropy in bits; the question asks for Gini.
> A tree grown to purity hands out all of the root's impurity, on noise as on signal. So the total
    MDI can never warn you of noise.

# bias.recall_judges: Who may judge row 17? | number, 1 star, 2 min, 1 point
? Each tree draws as many rows as there are, with replacement.
? A tree misses row 17 with probability (1 - 1/n)^n, about 1/e.
? Each of the 500 trees has this probability: how many trees is that on average?
= value(500 * (1 - 1 / 1000) ** 1000, unit="trees", tolerance=0.01)
- 500 * (1 - (1 - 1 / 1000) ** 1000) | those that saw it | These are the trees that *did* see the
    row: they may have learned it by heart.
- 250 | one half | A tree sees a row more often than not. It draws 1000 times, and each draw misses
    row 17 with probability 999/1000.
- 500 | all of them | Most of these trees were grown on row 17. Only the others may predict it out
    of bag.
- (1 - 1 / 1000) ** 1000 | a chance, not a number | This is the probability that one tree misses the
    row. There are 500 trees.
- 0.5 | one in a thousand | 1/1000 is the probability that a single draw *takes* the row; each tree
    draws 1000 times.
> More than a third of the trees can judge each row. That is why the out-of-bag measures of this
    chapter need no extra data.

# bias.places: How many places to cut? | number, 1 star, 4 min, 2 points
? A cut goes between two neighbouring *different* values. Rows that agree cannot be separated.
? For unordered categories, any group of them may go left; a group and its complement make the same
    split.
? How many groups can be formed of five cities, including the empty and the full one? Which of them
    make the same split?
= value({"grades": 4, "cities": 15})
- {"grades": 39, "cities": 39} | a cut for each row | Rows with the same value cannot be
    separated: count values, not rows.
~ {"grades": 39} | a cut for each row | Rows with the same grade cannot be separated: count
    grades, not rows.
~ {"cities": 4} | words cut like numbers | Without an order there is no *between*: any set of cities
    may go to the left.
~ {"cities": 5} | one city at a time | You sent one city at a time to the left. Two of them may go
    there, too.
~ {"cities": 30} | each split counted twice | Two cities to the left, or the other three to the
    left: that is one split.
~ {"cities": 31} | the empty side | You counted a set and its complement as two splits, and one set
    that is empty or full: a split needs rows on both sides.
~ {"cities": 16} | the empty side | One of your splits leaves a side empty: that is no split.
~ {"grades": 5} | values, not gaps | Five values have four gaps between them: a cut after the last
    would leave no rows on the right.
> With 20 unordered categories there are more than half a million ways to split, and only one of
    them needs to be lucky.

# bias.tickets: Nine tickets against three | number, 2 stars, 5 min, 0 points
? It does not matter what a decrease is. There are twelve tickets, all from the same lottery.
? Exactly one of the twelve is the largest, and each is as likely as any other.
? How many of the twelve belong to the first column?
= value(0.75)
- 0.9 | against one ticket | 9/10 is the chance against a column with *one* cut. Here the other
    column has three.
- 3 | how many times more | The first column does have three times as many tickets. But the question
    asks for a probability, which is at most 1.
- 0.25 | the other column | This is the probability that the column with three cuts wins.
- 0.5 | all tickets are alike | Each single ticket is as good as any other, but one column holds
    more of them.
- 1 - 0.5**9 | a chance to lose each | You let each of nine tickets toss its own coin against the
    other column. But the opponent is always the same: if its best ticket is large, all nine lose
    together.
> You needed no formula for the distribution of a decrease, only that all tickets are alike and
    independent. Real cuts are not independent, so the real probability is closer to one half.

# bias.predict_growth: A thousand times the rows | predict, 1 star, 3 min, 1 point
? How many places to cut does a column of four values have in a table of 100 rows? And of 100 000?
? The chapter plots the chance to beat binary noise against the number of rows: look at the curve
    for 4 values.
? Both columns' decreases shrink like 1/n. The race depends only on which is larger.
= choice("b")
- "a" | more rows, more places | A column whose values all differ gets more places with every row.
    Four values have three places to cut in any table.
- "c" | noise averages out | The decreases do shrink, like 1/n, for both columns alike. Which of the
    two is larger does not depend on the scale.
- "d" | as if independent | Three *independent* tickets against one would win 3/4 of the races. The
    three cuts share most of their rows, so they win less.
> The bias of a column with a fixed number of values does not shrink with more data. So it is not a
    small-sample problem.

# bias.average_best: The best of all cuts, exactly | implement, 2 stars, 12 min, 4 points
? `itertools.permutations(labels)` gives all orders; counting equal ones several times does not
    change the average.
? For one order: the decreases of the cuts after the first, second, ... row. Keep the largest.
? Then average the largest over the orders. For `[0, 0, 1, 1]` the chapter has the table.
= function(label_lists, average_best, lists=True)
- lambda labels: over_orders(labels, np.mean) | the mean cut, not the best | This is what a *single*
    cut takes away on average, wherever it lies. A tree keeps the best of them: take the maximum
    within each order, then average over orders.
- lambda labels: over_orders(labels, max, max) | the luckiest order | You took the best order as
    well. The tree chooses the cut, but the order is random: average over it.
- best_as_given | one order only | You took the labels in the order given. On noise every order is
    equally likely: average over all of them.
- average_best_unweighted | children not weighted | Weight each side by its share of the rows, k/n
    for the left, not by one half.
- lambda labels: average_best(labels) / gini(labels) | a share, not a decrease | You divided by the
    node's impurity: the question asks for the decrease itself.
! fi_teach.trees.cart, fi_teach.fast.cart
> The average of a maximum is larger than the maximum of the averages: that is the cause of the
    bias. Compare your value with impurity / (n - 1), the average of any single cut.

# bias.split_credit: Let other rows mark the split | implement, 2 stars, 12 min, 4 points
? The moves come from the in-bag rows: the child's mean minus the node's mean.
? Each out-of-bag row adds its side's move times (its label minus the node's in-bag mean).
? Add up over all out-of-bag rows, left and right, and divide by their number. A side may be empty.
= function(splits_with_judges, split_credit, lists=True)
- root_of_two_means | the root as a mean of two means | You took the mean of the two sides' means as
    the root's mean. The sides may differ in size, and each *row* counts once.
- sides_alike | sides counted alike | You averaged the two sides as if both had equally many
    out-of-bag rows: each row counts once.
- lambda *lists: 2 * split_credit(*lists) | Gini, not variance | This is twice what is asked for:
    Gini counts both classes, and move times deviation is in units of the variance.
- marked_by_its_own_rows | marked by its own rows | You let the in-bag rows judge. That gives the
    MDI itself, which is never negative and too large.
- moves_from_outside | moves from the wrong rows | You computed the means from the out-of-bag rows.
    The tree learned its predictions from the in-bag rows; the out-of-bag rows only judge them.
- label_not_distance | the label, not its distance | You multiplied by the label itself, as Li and
    others (2019) write it. The question takes the label's deviation from the root's mean: a move up
    is right for a 1 and wrong for a 0.
- distance_from_the_child | distance from the child | You measured the label from the child's mean.
    Measure it from the mean of the split node, the root.
- summed | a sum, not a mean | Divide by the number of out-of-bag rows.
- divided_by_in_bag | divided by the wrong rows | You divided by the number of in-bag rows. The mean
    is over the out-of-bag rows.
- squared_error_drop | drop in squared error | This is the drop in squared error, 2 · move ·
    deviation − move². That is a valid measure too, but the chapter's is move · deviation.
! fi_teach.importance.mdi, fi_teach.importance.debiased_mdi
> With the in-bag rows as judges, your function gives the decrease in variance. With other rows the
    result can be negative, and for noise it is close to 0 on average.

# bias.one_in_one_out: Pure in the bag | number, 1 star, 4 min, 2 points
? Gini is the chance that two rows drawn from the leaf differ. For UFI one of them is an out-of-bag
    row.
? They differ if the in-bag row is yes and the out-of-bag row no, or vice versa.
? The probability of each of these two ways is the product of an in-bag share and an out-of-bag
    share.
= value({"Gini": 0.18, "UFI": 0.42})
- {"Gini": 0.42, "UFI": 0.18} | swapped | You have the two the wrong way round.
~ {"UFI": 0.48} | both rows out of bag | This is the Gini of the out-of-bag rows alone: draw one
    in-bag row and one out-of-bag row.
~ {"UFI": 0.32} | both rows from one group | You pooled the fifteen rows. Draw one in-bag row and
    one out-of-bag row.
~ {"UFI": 0.58} | the chance to agree | This is the probability that the two rows agree.
~ {"UFI": 0.36} | one way only | You counted an in-bag yes with an out-of-bag no. They also differ
    the other way round.
~ {"Gini": 0.09} | variance, not Gini | This is p(1 - p). Two rows can differ in two ways, so Gini
    is twice that.
> In the bag the leaf looks nearly pure, since the split was chosen for that. Out of bag it is
    nearly half and half. An impurity that uses both kinds of rows does not flatter the tree.

# bias.test_control: Test a control | test, 3 stars, 15 min, 0 points
? Call `make_control` on a column such as `[3, 1, 4, 1, 5, 9, 2, 6]` and look at what could be wrong
    with the result.
? Which values, how many of each, in which order? `sorted` helps with the first two.
? Keep a copy of the column from before the call as well: has the column changed?
= catches()
+ shuffled | refuses a right one | Your test refuses a control that is right: the same values,
    shuffled.
+ shuffled_by_keys | asks for one order | Your test requires one particular order. Any random order
    is right, however it was drawn.
+ many_orders | refuses some right ones | Your test refuses a right control now and then: it
    requires something that a random order has only by luck, such as a different first value.
    Require what is true of every shuffle, and take a column that is long enough.
- constant | misses a constant | Your test lets a constant pass, the bug shown in the chapter: such
    a column is never split on.
- fresh_numbers | misses foreign values | Your test lets fresh random numbers pass. A control must
    have the column's own values, or its chances to be lucky are different.
- with_replacement | misses drawing with replacement | Your test lets a column pass in which some
    values are missing and others occur too often: compare how often each occurs.
- untouched_copy | misses an unshuffled copy | Your test lets the column itself pass, in its own
    order. That is not noise but a twin.
- shuffled_in_place | misses a changed column | Your test lets a function pass that also shuffles
    the caller's own column, and so ruins the table.
> A control with the same values has the same chances to be lucky and no information. That makes it
    a control.

# bias.credit_ranks: Credit cards: who rises? | claim, 2 stars, 6 min, 3 points
? Both measures return an `Importance`, with a rank for every column.
? `mdi(forest).rank` and `debiased_mdi(forest, cards, accepted).rank`: 1 is the most important.
? `list(cards).index("active")` says which of the ranks belongs to `active`.
= value({"MDI": 5, "out of bag": 2}, tolerance=0.01)
- {"MDI": 2, "out of bag": 5} | swapped | You have the two the wrong way round.
- {"MDI": 4, "out of bag": 1} | counted from 0 | Ranks begin with 1 for the most important column.
- {"MDI": 5, "out of bag": 5} | the same twice | These are the MDI's ranks twice:
    `debiased_mdi(forest, cards, accepted)` gives the others.
- {"MDI": 2, "out of bag": 2} | the same twice | These are the out-of-bag ranks twice: `mdi(forest)`
    gives the others.
> `active`, the number of credit accounts, has 35 values. By MDI it stands behind income, age and
    months at the address, which have hundreds. Out of bag it overtakes all three.

# bias.triplets: Three names for one thing | predict, 1 star, 3 min, 1 point
? Can the tree ever find a cut on b that is better than every cut on a?
? All three columns tie at every node, and `grow_cart` gives ties to the first.
? z is used only where the others cannot separate the rows.
= choice("c")
- "a" | a fair tree | A split uses one column, so columns cannot share a split, and `grow_cart`
    always breaks the tie in the same way.
- "b" | the last one wins | In `grow_cart` ties go to the *first* column.
- "d" | taking turns | A tie is broken at every node by the same rule, so the same column wins each
    time. scikit-learn shuffles the columns at each node; with it you would be right.
> If you swap two of the copies in the table, another one becomes important: among copies, the
    ranking is your column order.

# bias.below_the_noise: Below the random column | explain, 2 stars, 10 min, 3 points
? Which columns does a continuous random column beat too easily? For which is it too low a bar?
? What would a fair control look like for a binary column? For a continuous one?
? Is there a measure for which one threshold would suit all columns?
= by_hand
* 1 | a continuous random column has many chances to be lucky, so true signals with few values
    (binary ones) can rank below it and are dropped wrongly
* 1 | the comparison is fair only between columns with the same values: compare each column with a
    shuffled copy of itself (several times)
* 1 | or measure on rows that did not choose the splits: out-of-bag MDI, UFI, or permutation
    importance on held-out rows, where noise is 0 on average whatever its values
""", vars(implementations) | globals())
