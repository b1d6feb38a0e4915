"""Exercise set 5, permutation importance: out-of-bag rows, exact permutation, grouped columns."""

import numpy as np

from fi_course.questions.checks import Mistake, by_hand, catches, choice, function, value
from fi_course.questions.implementations_to_test import ch05_permutation as implementations
from fi_course.questions.question import Question

BLOCKED = ("fi_teach.importance.permutation", "fi_teach.importance.exact_permutation",
           "fi_teach.fast.exact_permutation")


# Definitions to judge by, slow and short.

def _all_pairs(X, y, weights, j):
    return _mean_over(X, y, weights, j, donors_of=lambda i, n: range(n))


# Mistaken formulas, each under the name a check gives it.

def _mean_over(X, y, weights, j, *, donors_of, loss=np.square, baseline=True):
    """Average the rise of the loss over pairs of each row and its donors."""
    X, y, weights = (np.asarray(part, dtype=float) for part in (X, y, weights))
    error, rises = y - X @ weights, []
    for i in range(len(X)):
        for d in donors_of(i, len(X)):
            after = error[i] - weights[j] * (X[d, j] - X[i, j])
            rises.append(loss(after) - baseline * loss(error[i]))
    return np.mean(rises)


def _mean_put_in(X, y, weights, j):
    filled = np.array(X, dtype=float)
    filled[:, j] = filled[:, j].mean()
    return implementations.losses(filled, y,
                                  weights).mean() - implementations.losses(X, y, weights).mean()


def _column_left_out(X, y, weights, j):
    without = np.array(X, dtype=float)
    without[:, j] = 0
    return implementations.losses(without, y,
                                  weights).mean() - implementations.losses(X, y, weights).mean()


def _times_rows(X, y, weights, j):
    return len(X) * _all_pairs(X, y, weights, j)


def _times_pairs(X, y, weights, j):
    return len(X) ** 2 * _all_pairs(X, y, weights, j)


def _wrong_columns_put_back(X, y, weights, groups, order):
    return [implementations.rise(X, y, weights,
                                 list(range(len(group))) if len(group) > 1 else group, order)
            for group in groups]


def _first_column(X, y, weights, groups, order):
    return [implementations.rise(X, y, weights, group[:1], order) for group in groups]


def _last_column(X, y, weights, groups, order):
    return [implementations.rise(X, y, weights, group[-1:], order) for group in groups]


def _once_a_column(X, y, weights, groups, order):
    """Permute the whole group again for each of its columns."""
    orders = {1: np.asarray(order)}
    for size in range(2, 1 + max(map(len, groups))):
        orders[size] = orders[size - 1][np.asarray(order)]
    return [implementations.rise(X, y, weights, group, orders[len(group)]) for group in groups]


# Cases, the smallest first.

def _linear(rng, n, p):
    """Draw rows, targets and weights of a linear model."""
    return (rng.integers(-3, 4, size=(n, p)).astype(float),
            rng.integers(-5, 6, size=n).astype(float), rng.integers(1, 4, size=p).astype(float))


def _models(rng):
    small = [(np.array([[0.0], [1.0]]), np.array([0.0, 1.0]), np.array([1.0]), 0),
             (np.array([[0.0, 5.0], [1.0, 5.0], [3.0, 5.0]]), np.array([0.0, 1.0, 3.0]),
              np.array([1.0, 0.0]), 0),
             (np.array([[1.0, 2.0], [3.0, 1.0], [0.0, 4.0]]), np.array([2.0, 3.0, 5.0]),
              np.array([1.0, 2.0]), 1)]
    # few rows: n! stays small
    return small + [(*_linear(rng, 3 + k % 4, 1 + k % 3), k % (1 + k % 3)) for k in range(1, 7)]


def _families(rng):
    small = [(np.array([[0.0, 1.0], [1.0, 3.0]]), np.array([1.0, 4.0]), np.array([1.0, 1.0]), [[1]],
              np.array([1, 0])),
             (np.array([[0.0, 1.0, 0.0], [1.0, 3.0, 2.0], [4.0, 0.0, 1.0]]),
              np.array([1.0, 6.0, 5.0]), np.array([1.0, 1.0, 1.0]),
              [[0], [1, 2]], np.array([1, 2, 0]))]
    drawn = []
    for k in range(2, 8):
        X, y, weights = _linear(rng, 4 + k, 4)
        drawn.append((X, y, weights, [[3], [0, 2], [1]] if k % 2 else [[1, 3], [0, 1, 2]],
                      rng.permutation(4 + k)))
    return small + drawn


RECALL = [
    Question(
        id="permutation.recall_judges", title="Who may be judged?", kind="number", stars=1,
        minutes=3, points=1,
        hints=("A tree may judge a row if the row is not in its bag: where its count is 0.",
               "Go through the five rows. Which of them has a 0 in at least one tree?",
               "Look down the columns: is there one without a 0?"),
        check=value(
            4,
            Mistake("rows of one tree", 2, "This is how many rows a single tree may judge, "
                                           "on average. Put the trees together."),
            Mistake("every row", 5, "One of the rows is in all three bags: no tree may judge it."),
            Mistake("pairs, not rows", 6, "You counted the zeros, pairs of a tree and a row. "
                                          "A row with two judges is still one row."),
            Mistake("the row left over", 1, "This many rows have *no* judge."),
            Mistake("the share, not the count", 0.8, "That is a share. The question asks how many "
                    "of the five rows."),
            Mistake("a chance, not these bags", 0.37, "That is the chance that a large bootstrap "
                    "sample leaves a row out. Here the bags are given: count."),
            Mistake("a chance, not these bags", 0.8**5, "That is the chance that a sample of five "
                    "leaves a row out. Here the bags are given: count."),
            unit="rows"),
        meaning="With three trees a row may be left without a judge, as fruit 1 was. "
                "With a few hundred that never happens: "
                "each tree misses a given row with chance .37."),
    Question(
        id="permutation.recall_noise", title="Two columns of noise", kind="predict", stars=1,
        minutes=3, points=1,
        hints=("Which rows does MDI look at: those on which the splits were chosen, or new ones?",
               "A column with forty values offers 39 cuts at a node, a coin only one.",
               "The best of 39 useless cuts looks better than one useless cut."),
        check=choice(
            "c",
            Mistake("noise earns nothing", "a",
                    "It earns nothing on *new* rows. "
                    "MDI counts the decrease on the rows on which the cut was chosen, "
                    "and there a chosen cut never looks worse than useless."),
            Mistake("noise is noise", "b",
                    "Both are equally useless, but one of them may try 39 cuts and keep the best."),
            Mistake("few values are clearer", "d", "A coin has a single cut to offer at a node; "
                                                   "that is its handicap, not its strength.")),
        meaning="Two biases of MDI at once: training rows flatter, and many values flatter more. "
                "A shuffle of held-out rows gives both columns about 0."),
]

SHUFFLES = [
    Question(
        id="permutation.bananas", title="Another deal of the lengths", kind="number", stars=1,
        minutes=7, points=2,
        hints=("Fruit 1 gets the 14, and nobody may judge it.",
               "Fruit 2 gets 10: what does tree 1 say? Fruit 3 gets 11 and fruit 4 gets 19: "
               "what does tree M say?",
               "Three votes are cast. For the trees, take each tree's own share of wrong answers "
               "first."),
        check=value(
            {"votes": 1 / 3, "trees": 1 / 2},
            Mistake("the two swapped", {"votes": 1 / 2, "trees": 1 / 3},
                    "Both numbers are right, under each other's name."),
            Mistake("fruit 1 counted", {"votes": 1 / 4, "trees": 1 / 2},
                    "Your votes are a share of four fruits. "
                    "Fruit 1 has no judge, so it is neither right nor wrong: "
                    "three votes are cast."),
            Mistake("fruit 1 counted", {"votes": 2 / 4, "trees": 1 / 2},
                    "A fruit of length 14 would be called a banana, and fruit 1 is none. "
                    "But no tree may judge fruit 1."),
            Mistake("the wrong judge", {"votes": 2 / 3, "trees": 3 / 4},
                    "For fruit 4 you asked tree 1, which says no above 16.5. "
                    "Fruit 4 is in its bag; tree M judges it, and calls 19 a banana."),
            Mistake("one number for both", {"votes": 1 / 3, "trees": 1 / 3},
                    "The votes are right. For the trees, first take each tree's own share of wrong "
                    "answers, then their mean.")),
        meaning="Tree 1 judges one fruit, tree M two. By the vote each *fruit* counts alike, by "
                "the tree each *tree* does. (Breiman and R deal out lengths among each tree's own "
                "out-of-bag rows; tree 1 has one, so its share could never rise.)"),
    Question(
        id="permutation.accuracy", title="Three shuffles of a score", kind="number", stars=1,
        minutes=4, points=1,
        hints=("Accuracy is a score: large is good. "
               "Which way must be subtracted for a useful feature to come out positive?",
               "First the mean of the three accuracies after shuffling.",
               "Hold that mean against the accuracy before."),
        check=value(
            0.12,
            Mistake("sign", -0.12, "You subtracted as for a loss, after less before. "
                                   "For a score it is before less after."),
            Mistake("the score after", 0.78,
                    "This is the mean accuracy after shuffling. "
                    "The importance is how far it fell."),
            Mistake("one shuffle", 0.10,
                    "This is the first shuffle alone: average over all three."),
            Mistake("the worst shuffle", 0.20,
                    "This is the shuffle that hurt most: average over all three."),
            Mistake("ratio of scores", 0.78 / 0.9,
                    "You divided the accuracies. The question asks for the difference."),
            Mistake("ratio of errors", 0.22 / 0.1,
                    "This is error after over error before, a ratio. "
                    "The question asks for the difference."),
            Mistake("per cent without its sign", 12, "You count in per cent: write a share such as "
                    "0.05, or the sign, as in `\"5 %\"`."),
            Mistake("in shares of the score", 0.12 / 0.9,
                    "You divided the drop by the accuracy before: leave it in units of accuracy."),
            unit=("accuracy", "")),
        meaning="As a loss it is the same number: the error rises from .10 to .22. "
                "The formula after less before is for losses; "
                "the Chinese article prints it for accuracy too."),
    Question(
        id="permutation.all_pairs", title="All shuffles at once", kind="implement", stars=2,
        minutes=14, points=3,
        hints=("Put the value of row d into row i and leave all else in row i as it is: "
               "what does the model say then?",
               "Two loops, over i and over d, d = i included; add up loss after less loss before.",
               "Divide the sum by n², the number of pairs."),
        check=function(
            _models, _all_pairs,
            Mistake("without its own value",
                    lambda *case: _mean_over(*case,
                                             donors_of=lambda i, n: [
                                                 d for d in range(n) if d != i]),
                    "You left out the pairs of a row with itself. "
                    "In a random shuffle a row may well get its own value back: "
                    "these pairs add nothing to the sum, but they belong to the n² that it is "
                    "divided by."),
            Mistake("before forgotten",
                    lambda *case: _mean_over(*case, donors_of=lambda i, n: range(n),
                                             baseline=False),
                    "This is the mean loss after shuffling. Take the loss before from it."),
            Mistake("sign", lambda *case: -_all_pairs(*case),
                    "Turned round: for a loss it is after less before."),
            Mistake("divided by the rows", _times_rows, "You divided by n. There are n² pairs."),
            Mistake("a sum, not a mean", _times_pairs,
                    "You added the pairs up: divide by their number, n²."),
            Mistake("absolute error",
                    lambda *case: _mean_over(*case, donors_of=lambda i, n: range(n), loss=np.abs),
                    "You took the size of the error. The question asks for its square."),
            Mistake("one shuffle",
                    lambda *case: _mean_over(*case, donors_of=lambda i, n: [(i + 1) % n]),
                    "Each row got the next row's value: that is one shuffle. "
                    "Every row must meet every donor."),
            Mistake("the mean put in", _mean_put_in,
                    "You put the column's mean into every row. "
                    "A shuffle puts in *wrong* values, and that costs more than knowing none."),
            Mistake("zero put in", _column_left_out, "You set the column to 0 (or left its weight "
                                                     "out). A shuffle puts in other rows' "
                                                     "values.")),
        blocked=BLOCKED,
        meaning="n² predictions in place of n! shuffles, and no luck left. "
                "For a linear model with squared error it even has a formula; "
                "for trees `exact_permutation_importance` counts the pairs without visiting "
                "them all."),
    Question(
        id="permutation.mend_groups", title="Find the bug: the wrong columns", kind="mend", stars=2,
        minutes=14, points=3,
        hints=("Run it with the groups [[0], [1], [2]], then [[0, 1], [2]], then [[0], [1, 2]]. "
               "For which are the answers right?",
               "Which columns are shuffled for the group [1, 2], and which are put back?",
               "Shuffle `X[:, group]`, all of the group's columns with the same order, "
               "and put exactly these back."),
        check=function(
            _families, implementations.grouped,
            Mistake("wrong columns, put back", _wrong_columns_put_back,
                    "The table is put in order again after each group, good. "
                    "But a group of two still shuffles the first two columns of the table, "
                    "and not its own."),
            Mistake("left scrambled", implementations.left_scrambled,
                    "The right columns are shuffled now, "
                    "but they stay shuffled: from the second group on you measure several groups "
                    "at once. Put them back, or copy X for each group."),
            Mistake("sum of the parts", implementations.sum_of_parts,
                    "You shuffled the group's columns one after the other and added the rises. "
                    "A group is shuffled as one: all its columns at the same time."),
            Mistake("one column of the group", _first_column,
                    "Only the group's first column is shuffled."),
            Mistake("one column of the group", _last_column,
                    "Only the group's last column is shuffled when the model is asked."),
            Mistake("shuffled once a column", _once_a_column,
                    "The whole group is shuffled again for each of its columns, "
                    "so a group of two ends in another order than a group of one."),
            Mistake("donors for receivers", implementations.backwards,
                    "Your row i *gives* its values to row order[i]. "
                    "It should receive them from there."),
            planted=implementations.wrong_columns),
        meaning="The bug is from a widely used package (mlxtend, issue 1092). For single columns "
                "its answers are right, and a wrong number looks like any number: only a group "
                "whose worth is known, such as one of constant columns, gives it away. It also "
                "leaves the caller's table scrambled: work on a copy."),
    Question(
        id="permutation.test_groups", title="The test that was missing", kind="test", stars=3,
        minutes=14, points=3,
        hints=("Call it with several groups, such as [[0], [1, 2]], "
               "and compare each number with one that you compute yourself, with a tolerance.",
               "For one group: copy X, put `X[order][:, group]` into the group's columns, "
               "and take the two mean squared errors.",
               "Use an order that is not its own inverse ([1, 2, 0]) and targets that the model "
               "does not hit exactly. Has X changed afterwards?"),
        check=catches(
            right=[Mistake("refuses a right one", implementations.grouped,
                           "Your test refuses a right implementation: "
                           "work its numbers out again, and compare with a tolerance."),
                   Mistake("exact equality", implementations.in_an_array,
                           "Your test refuses a right implementation that returns an array whose "
                           "last bits are rounded differently: "
                           "compare number by number, with a tolerance.")],
            bugs=[Mistake("misses the wrong columns", implementations.wrong_columns,
                          "The bug from the field passes your test. With groups of one column it "
                          "is right: use a group of two that does not stand at the left edge."),
                  Mistake("misses a table left scrambled", implementations.left_scrambled,
                          "An implementation that never puts a group back passes your test: use "
                          "two groups, and look at the second."),
                  Mistake("misses columns shuffled apart", implementations.sum_of_parts,
                          "An implementation that shuffles a group's columns one by one and adds "
                          "up the rises passes your test: the columns of a group must travel "
                          "together."),
                  Mistake("misses donors for receivers", implementations.backwards,
                          "An implementation in which row i *gives* to row order[i] passes your "
                          "test: use an order that is not its own inverse, "
                          "and targets that the model does not hit exactly."),
                  Mistake("misses a changed table", implementations.table_changed,
                          "An implementation that shuffles the caller's own X passes your test: "
                          "keep a copy, and compare.")]),
        meaning="A test of single columns passes the bug from the field. "
                "It takes the case that the function was written for: "
                "a group, not at the left edge, beside another one."),
]

MEANING = [
    Question(
        id="permutation.exact_zero", title="Exactly zero", kind="predict", stars=2, minutes=5,
        points=2,
        hints=("Think of the golf post's tree: how often does it ask for Wind, "
               "and what did a shuffle of Wind change?",
               "The loss counts wrong answers. Which changes of a prediction does it not see?",
               "A mean of 0 says that the numbers of wrong answers before and after are the same. "
               "Nothing more."),
        check=choice(
            "c",
            Mistake("zero means unused", "a",
                    "Unused gives zero, but zero does not give unused: "
                    "golf's Wind was asked for twice, and no answer changed."),
            Mistake("zero means unrelated", "b",
                    "The loss cannot see probabilities that move without crossing one half. "
                    "And where a copy of the column is used in its place, "
                    "this one has 0 and is related to the target all the same."),
            Mistake("zero means it may go", "d",
                    "Grown again without it, the forest is another forest. "
                    "What that one would lose was not measured: it takes a refit to know.")),
        meaning="An importance of 0 speaks of this model, this loss and these rows. "
                "Each of the other readings adds something that was not measured."),
    Question(
        id="permutation.report", title="Point thirty-one", kind="explain", stars=2, minutes=10,
        points=3,
        hints=("An importance is a difference of two losses on some rows, for one fitted model. "
               "What of this does the sentence leave out?",
               "What would 0.31 be on training rows? In which unit is it?",
               "Think of the twins: what did a shuffle cost there, "
               "and what did it cost to remove one and grow again?"),
        check=by_hand,
        rubric=((1, "which rows: on training rows also noise has a positive importance; "
                    "it should be held-out or out-of-bag rows"),
                (1, "which loss, and so which unit and sign (share of errors, squared error ...); "
                    "or: how many shuffles, votes or single trees"),
                (1, "it speaks of this fitted model as it is: "
                    "a model refitted without the feature may lose nothing if another carries "
                    "the same")),
        meaning=""),
]

QUESTIONS = RECALL + SHUFFLES + MEANING
