"""Exercise set 5, permutation importance: out-of-bag rows, exact permutation, grouped columns."""

import numpy as np

from fi_course.questions.implementations_to_test import ch05_permutation as implementations
from fi_course.questions.implementations_to_test.ch05_permutation import losses, rise
from fi_course.questions.question_text import questions

# Definitions to judge by, slow and short.

def all_pairs(X, y, weights, j):
    return mean_over()(X, y, weights, j)


def mean_over(donors_of=lambda i, n: range(n), loss=np.square, baseline=True):
    """Return the mean rise of the loss over pairs of each row and its donors."""
    def importance(X, y, weights, j):
        error, n = y - X @ weights, len(X)
        rises = [loss(error[i] - weights[j] * (X[d, j] - X[i, j])) - baseline * loss(error[i])
                 for i in range(n) for d in donors_of(i, n)]
        return np.mean(rises)
    return importance


# Mistaken formulas, each under the name a check gives it.

def put_in(fill):
    """Return the rise of the loss when every row has `fill(column)` in the column."""
    def importance(X, y, weights, j):
        filled = X.copy()
        filled[:, j] = fill(X[:, j])
        return losses(filled, y, weights).mean() - losses(X, y, weights).mean()
    return importance


def times_rows(X, y, weights, j):
    return len(X) * all_pairs(X, y, weights, j)


def times_pairs(X, y, weights, j):
    return len(X) ** 2 * all_pairs(X, y, weights, j)


def with_columns(pick):
    """Return the rises when the columns `pick(group)` are permuted for each group."""
    return lambda X, y, weights, groups, order: [
        rise(X, y, weights, pick(group), order) for group in groups]


wrong_columns_put_back = with_columns(
    lambda group: list(range(len(group))) if len(group) > 1 else group)


def once_a_column(X, y, weights, groups, order):
    """Permute the whole group again for each of its columns."""
    orders = {1: order}
    for size in range(2, 1 + max(map(len, groups))):
        orders[size] = orders[size - 1][order]
    return [rise(X, y, weights, group, orders[len(group)]) for group in groups]


# Cases, the smallest first.

def linear(rng, n, p):
    """Draw rows, targets and weights of a linear model."""
    return (rng.integers(-3, 4, size=(n, p)).astype(float),
            rng.integers(-5, 6, size=n).astype(float), rng.integers(1, 4, size=p).astype(float))


def arrays(*parts):
    return [np.array(part, float) for part in parts]


def models(rng):
    small = [(*arrays([[0], [1]], [0, 1], [1]), 0),
             (*arrays([[0, 5], [1, 5], [3, 5]], [0, 1, 3], [1, 0]), 0),
             (*arrays([[1, 2], [3, 1], [0, 4]], [2, 3, 5], [1, 2]), 1)]
    # few rows: n! stays small
    return small + [(*linear(rng, 3 + k % 4, 1 + k % 3), k % (1 + k % 3)) for k in range(1, 7)]


def families(rng):
    small = [(*arrays([[0, 1], [1, 3]], [1, 4], [1, 1]), [[1]], np.array([1, 0])),
             (*arrays([[0, 1, 0], [1, 3, 2], [4, 0, 1]], [1, 6, 5], [1, 1, 1]), [[0], [1, 2]],
              np.array([1, 2, 0]))]
    groups = [[1, 3], [0, 1, 2]], [[3], [0, 2], [1]]
    return small + [(*linear(rng, 4 + k, 4), groups[k % 2], rng.permutation(4 + k))
                    for k in range(2, 8)]


QUESTIONS = questions(r"""
# permutation.recall_judges: Which rows have an out-of-bag tree? | number, 1 star, 3 min, 1 point
? A row is out of bag for a tree if the tree's bag does not hold it: where its count is 0.
? Go through the five rows. Which of them has a 0 in at least one tree?
? Look down the columns: is there one without a 0?
= value(4, unit="rows")
- 2 | rows of one tree | This is how many rows are out of bag for a single tree, on average. Put the
    trees together.
- 5 | every row | One of the rows is in all three bags: it has no out-of-bag tree.
- 6 | pairs, not rows | You counted the zeros, pairs of a tree and a row. A row with two out-of-bag
    trees is still one row.
- 1 | the row left over | This many rows have *no* out-of-bag tree.
- 0.8 | the share, not the count | That is a share. The question asks how many of the five rows.
- 0.37 | a chance, not these bags | That is the probability that a large bootstrap sample leaves a
    row out. Here the bags are given: count.
- 0.8**5 | a chance, not these bags | That is the probability that a sample of five leaves a row
    out. Here the bags are given: count.
> With three trees a row may have no out-of-bag tree, like fruit 1. With a few hundred trees that
    hardly ever happens: a bag misses a given row with probability 0.37.

# permutation.recall_noise: Two columns of noise | predict, 1 star, 3 min, 1 point
? Which rows does MDI look at: those on which the splits were chosen, or new ones?
? A column with forty values offers 39 cuts at a node, a coin only one.
? The best of 39 useless cuts looks better than one useless cut.
= choice("c")
- "a" | noise earns nothing | Its importance is 0 on *new* rows. MDI counts the decrease on the rows
    on which the cut was chosen, and there a chosen cut never looks worse than useless.
- "b" | noise is noise | Both are equally useless, but one of them may try 39 cuts and keep the
    best.
- "d" | few values are clearer | A coin has a single cut to offer at a node; that is its handicap,
    not its strength.
> Two biases of MDI at once: training rows flatter, and many values flatter more. A shuffle of
    held-out rows gives both columns about 0.

# permutation.bananas: Another permutation of the lengths | number, 1 star, 7 min, 2 points
? Fruit 1 gets the 14, and no tree has it out of bag.
? Fruit 2 gets 10: what does tree 1 say? Fruit 3 gets 11 and fruit 4 gets 19: what does tree M say?
? Three votes are cast. For the trees, take each tree's own share of wrong answers first.
= value({"votes": 1 / 3, "trees": 1 / 2})
- {"votes": 1 / 2, "trees": 1 / 3} | the two swapped | Both numbers are right, under each other's
    name.
- {"votes": 1 / 4, "trees": 1 / 2} | fruit 1 counted | Your votes are a share of four fruits. Fruit
    1 has no vote, so it is neither right nor wrong: three votes are cast.
- {"votes": 2 / 4, "trees": 1 / 2} | fruit 1 counted | A fruit of length 14 would be called a
    banana, and fruit 1 is none. But fruit 1 has no vote.
- {"votes": 2 / 3, "trees": 3 / 4} | the chapter's permutation, or the wrong tree | These are the
    numbers of the chapter's permutation; here the lengths have another order. If you used this
    order, you asked tree 1 for fruit 4, which is in its bag. Ask tree M, which calls 19 a banana.
- {"votes": 1 / 3, "trees": 1 / 3} | one number for both | The votes are right. For the trees, first
    take each tree's own share of wrong answers, then their mean.
> Tree 1 votes on one fruit, tree M on two. In the votes each *fruit* counts alike, in the trees'
    mean each *tree* does. (Breiman and R shuffle within each tree's own out-of-bag rows; tree 1 has
    one, so its share could never rise.)

# permutation.accuracy: Three shuffles of a score | number, 1 star, 4 min, 1 point
? Accuracy is a score: large is good. Which way must be subtracted for a useful feature to come out
    positive?
? First the mean of the three accuracies after shuffling.
? Compare that mean with the accuracy before.
= value(0.12, unit=("accuracy", ""))
- -0.12 | sign | You subtracted as for a loss, after less before. For a score it is before less
    after.
- 0.78 | the score after | This is the mean accuracy after shuffling. The importance is how far it
    fell.
- 0.10 | one shuffle | This is the first shuffle alone: average over all three.
- 0.20 | the worst shuffle | This is the shuffle that hurt most: average over all three.
- 0.78 / 0.9 | ratio of scores | You divided the accuracies. The question asks for the difference.
- 0.22 / 0.1 | ratio of errors | This is error after over error before, a ratio. The question asks
    for the difference.
- 0.12 / 0.9 | in shares of the score | You divided the drop by the accuracy before: leave it in
    units of accuracy.
> As a loss it is the same number: the error rises from 0.10 to 0.22. The formula after less before
    is for losses; the Chinese article prints it for accuracy too.

# permutation.all_pairs: All shuffles at once | implement, 2 stars, 14 min, 3 points
? Put the value of row d into row i and leave all else in row i as it is: what does the model say
    then?
? Two loops, over i and over d, d = i included; add up loss after less loss before.
? Divide the sum by n², the number of pairs.
= function(models, all_pairs)
- mean_over(lambda i, n: [d for d in range(n) if d != i]) | without its own value | You left out the
    pairs of a row with itself. In a random shuffle a row may well get its own value back: these
    pairs add nothing to the sum, but they belong to the n² that it is divided by.
- mean_over(baseline=False) | before forgotten | This is the mean loss after shuffling. Take the
    loss before from it.
- lambda *case: -all_pairs(*case) | sign | The sign is turned round: for a loss it is after less
    before.
- times_rows | divided by the rows | You divided by n. There are n² pairs.
- times_pairs | a sum, not a mean | You added the pairs up: divide by their number, n².
- mean_over(loss=np.abs) | absolute error | You took the size of the error. The question asks for
    its square.
- mean_over(lambda i, n: [(i + 1) % n]) | one shuffle | Each row got the next row's value: that is
    one shuffle. Every row must meet every donor.
- put_in(np.mean) | the mean put in | You put the column's mean into every row. A shuffle puts in
    *wrong* values, and that costs more than knowing none.
- put_in(np.zeros_like) | zero put in | You set the column to 0 (or left its weight out). A shuffle
    puts in other rows' values.
! fi_teach.importance.permutation, fi_teach.importance.exact_permutation,
    fi_teach.fast.exact_permutation
> n² predictions in place of n! shuffles, and no luck left. For a linear model with squared error it
    even has a formula; for trees `exact_permutation_importance` counts the pairs without visiting
    them all.

# permutation.mend_groups: Find the bug: the wrong columns | mend, 2 stars, 14 min, 3 points
? Run it with the groups [[0], [1], [2]], then [[0, 1], [2]], then [[0], [1, 2]]. For which are the
    answers right?
? Which columns are shuffled for the group [1, 2], and which are put back?
? Shuffle `X[:, group]`, all of the group's columns with the same order, and put exactly these back.
= function(families, grouped, planted=wrong_columns)
- wrong_columns_put_back | wrong columns, put back | The table is put in order again after each
    group, good. But a group of two still shuffles the first two columns of the table, and not its
    own.
- left_scrambled | left scrambled | The right columns are shuffled now, but they stay shuffled: from
    the second group on you measure several groups at once. Put them back, or copy X for each group.
- sum_of_parts | sum of the parts | You shuffled the group's columns one after the other and added
    the rises. A group is shuffled as one: all its columns at the same time.
- with_columns(lambda group: group[:1]) | one column of the group | Only the group's first column is
    shuffled.
- with_columns(lambda group: group[-1:]) | one column of the group | Only the group's last column is
    shuffled.
- once_a_column | shuffled once a column | The whole group is shuffled again for each of its
    columns, so a group of two ends in another order than a group of one.
- backwards | donors for receivers | Your row i *gives* its values to row order[i]. It should
    receive them from there.
> The bug is from a widely used package (mlxtend, issue 1092). For single columns its answers are
    right, and a wrong number looks like any other. A group whose importance is known, such as one
    of constant columns, shows the bug. It also leaves the caller's table shuffled: work on a copy.

# permutation.test_groups: The test that was missing | test, 3 stars, 14 min, 0 points
? Call it with several groups, such as [[0], [1, 2]], and compare each number with one that you
    compute yourself, with a tolerance.
? For one group: copy X, put `X[order][:, group]` into the group's columns, and take the two mean
    squared errors.
? Use an order that is not its own inverse ([1, 2, 0]) and targets that the model does not hit
    exactly. Has X changed afterwards?
= catches()
+ grouped | refuses a right one | Your test refuses a right implementation: work its numbers out
    again, and compare with a tolerance.
+ in_an_array | exact equality | Your test refuses a right implementation that returns an array
    whose last bits are rounded differently: compare number by number, with a tolerance.
- wrong_columns | misses the wrong columns | The bug from the field passes your test. With groups of
    one column it is right: use a group of two that does not stand at the left edge.
- left_scrambled | misses a table left scrambled | An implementation that never puts a group back
    passes your test: use two groups, and look at the second.
- sum_of_parts | misses columns shuffled apart | An implementation that shuffles a group's columns
    one by one and adds up the rises passes your test: the columns of a group must travel together.
- backwards | misses donors for receivers | An implementation in which row i *gives* to row order[i]
    passes your test: use an order that is not its own inverse, and targets that the model does not
    hit exactly.
- table_changed | misses a changed table | An implementation that shuffles the caller's own X passes
    your test: keep a copy, and compare.
> A test of single columns passes the bug from the field. It takes the case that the function was
    written for: a group, not at the left edge, beside another one.

# permutation.exact_zero: Exactly zero | predict, 2 stars, 5 min, 2 points
? Think of the golf post's tree: how often does it split on Wind, and what did a shuffle of Wind
    change?
? The loss counts wrong answers. Which changes of a prediction does it not see?
? A mean of 0 says that the numbers of wrong answers before and after are the same. Nothing more.
= choice("a")
- "b" | zero means unrelated | The loss cannot see probabilities that move without crossing one
    half. And where a copy of the column is used in its place, this one has 0 and is related to the
    target all the same.
- "c" | zero means unused | An unused feature has zero, but zero does not mean unused: the golf tree
    splits on Wind twice, and no answer changes.
- "d" | zero means it may go | Grown again without it, the forest is another forest. What that one
    would lose was not measured: it takes a refit to know.
> An importance of 0 is a fact about this model, this loss and these rows. Each of the other
    readings adds something that was not measured.

# permutation.report: Point thirty-one | explain, 2 stars, 10 min, 3 points
? An importance is a difference of two losses on some rows, for one fitted model. What of this does
    the sentence leave out?
? What would 0.31 be on training rows? In which unit is it?
? Think of x1 and its copy: what did a shuffle cost there, and what did it cost to remove one and
    grow again?
= by_hand
* 1 | which rows: on training rows also noise has a positive importance; it should be held-out or
    out-of-bag rows
* 1 | which loss, and so which unit and sign (share of errors, squared error ...); or: how many
    shuffles, votes or single trees
* 1 | it is about this fitted model as it is: a model refitted without the feature may lose nothing
    if another carries the same
""", vars(implementations) | globals())
