"""Exercise set 12a, case studies 1 and 2: leaks, grouped rows, unstable rankings."""

import numpy as np

from fi_course.questions.checks import Mistake, by_hand, choice, function, value
from fi_course.questions.question import Question

# Definitions to judge by, slow and short.


def _of_training(y, train):
    return y[train].mean()


def _town_means(town, y, train, *, among=lambda train: train, unknown=_of_training):
    """Return each row's town mean of y over the rows `among(train)`, or `unknown`."""
    town, y, train = np.asarray(town), np.asarray(y, float), np.asarray(train, bool)
    rows = [y[(town == name) & among(train)] for name in town]
    return [part.mean() if len(part) else unknown(y, train) for part in rows]


def _with(**changed):
    return lambda *case: _town_means(*case, **changed)


def _towns(rng):
    small = [([0, 0], [1, 5], [True, False]), ([0, 1, 1], [2, 4, 9], [True, True, False]),
             ([3, 3, 7], [2, 4, 9], [True, True, False])]
    drawn = [(rng.integers(0, 4, n), rng.integers(0, 20, n),
              np.append([True, False], rng.random(n - 2) < 0.6)) for n in range(5, 12)]
    return [(np.array(town), np.array(y, float), np.array(train))
            for town, y, train in small + drawn]


def _frequency(importances, k):
    importances = np.asarray(importances, float)
    hits = np.zeros(importances.shape[1])
    for row in importances:
        hits[np.argsort(-row, kind="stable")[:k]] += 1
    return hits / len(importances)


def _split(unit, held_out):
    return [u in set(np.asarray(held_out).tolist()) for u in np.asarray(unit).tolist()]


def _slip(x, y, most):
    return min(range(-most, most + 1),
               key=lambda k: (-abs(np.corrcoef(np.roll(x, k), y)[0, 1]), abs(k)))


def _strengths(X, y, rows, size=np.abs):
    X, y = np.asarray(X, float)[rows], np.asarray(y, float)[rows]
    return size([np.corrcoef(column, y)[0, 1] for column in X.T])


def _chosen(X, y, new, k, *, among=np.logical_not, size=np.abs):
    """Return the k columns most correlated with y on the rows `among(new)` -> set."""
    strengths = _strengths(X, y, among(np.asarray(new, bool)), size)
    return set(np.argsort(-np.asarray(strengths), kind="stable")[:k].tolist())


def _choosing(**changed):
    return lambda *case: _chosen(*case, **changed)


def _more_chosen(X, y, new, k):
    return _chosen(X, y, new, k + 1)


# Mistaken formulas, each under the name a check gives it.

def _counts(importances, k):
    return _frequency(importances, k) * len(importances)


def _of_smallest(importances, k):
    return _frequency(-np.asarray(importances, float), k)


def _of_the_mean(importances, k):
    mean = np.asarray(importances, float).mean(axis=0)
    return _frequency([mean], k)


def _by_size(importances, k):
    return _frequency(np.abs(importances), k)


def _one_too_many(importances, k):
    return _frequency(importances, min(k + 1, np.shape(importances)[1]))


def _by_position(unit, held_out):
    return [i in set(np.asarray(held_out).tolist()) for i in range(len(unit))]


def _the_others(unit, held_out):
    return [not new for new in _split(unit, held_out)]


def _first_only(unit, held_out):
    unit = np.asarray(unit).tolist()
    return [new and u not in unit[:i]
            for i, (u, new) in enumerate(zip(unit, _split(unit, held_out), strict=True))]


def _row_numbers(unit, held_out):
    return [i for i, new in enumerate(_split(unit, held_out)) if new]


def _wrong_way(x, y, most):
    return -_slip(x, y, most)


def _largest_signed(x, y, most):
    return max(range(-most, most + 1), key=lambda k: np.corrcoef(np.roll(x, k), y)[0, 1])


def _height(x, y, most):
    return abs(np.corrcoef(np.roll(x, _slip(x, y, most)), y)[0, 1])


def _downwards_only(x, y, most):
    return max(range(most + 1), key=lambda k: abs(np.corrcoef(np.roll(x, k), y)[0, 1]))


def _one_step_short(x, y, most):
    return max(range(-most, most), key=lambda k: abs(np.corrcoef(np.roll(x, k), y)[0, 1]))


def _place_in_the_list(x, y, most):
    return _slip(x, y, most) + most


# Cases, the smallest first.

def _resamples(rng):
    small = [(np.array([[1.0, 2.0]]), 1), (np.array([[1.0, -2.0]]), 1),
             (np.array([[3.0, 1.0, 2.0], [1.0, 3.0, 2.0], [9.0, 1.0, 2.0]]), 1)]
    small.append((np.array([[9.0, 1.0, 2.0, 0.0], [0.0, 3.0, 2.0, 1.0], [0.0, 3.0, 2.0, 1.0]]), 2))
    return small + [(np.array([rng.permutation(p) for _ in range(7)]) / 10 - 0.23,
                     int(rng.integers(1, p))) for p in (4, 6, 9)]


def _tables(rng):
    """Draw tables whose strongest column differs between training and all rows.

    The smallest come first.
    """
    X = np.array([[1, 1, 3], [2, 4, 1], [3, 2, 2], [9, 0, 0], [0, 9, 9]], float)
    cases = [(X, np.array([1.0, 2.0, 3.1, 0.0, 9.0]), np.arange(5) > 2, 1)]
    for n, p in ((9, 4), (12, 5), (15, 6), (15, 6), (18, 7), (18, 7)):
        X, y = rng.normal(size=(n, p)).round(2), rng.normal(size=n).round(2)
        X[:, 0] += y
        X[:, 1] -= y
        new = rng.permutation(n) < n // 3
        X[new, 0] *= -3
        cases.append((X, y, new, int(rng.integers(1, p - 1))))
    return cases


def _units(rng):
    small = [(np.array([5, 5, 8]), [5]), (np.array([2, 1, 1, 0, 2]), [1, 2])]
    return small + [(rng.integers(0, 6, size=14), rng.choice(6, 2, replace=False))
                    for _ in range(6)]


def _slipped(rng):
    # so long that no two steps tie: rounding would decide
    y = np.array([0.0, 1.0, 9.0, 2.0, 5.0, 3.0, 8.0, 3.0])
    cases = [(np.roll(y, -slip), sign * y, 2)
             for slip, sign in ((1, 1), (0, -1), (-2, -1), (2, -1))]
    for slip, sign in ((3, 1), (-3, -1),
                       *((int(rng.integers(-3, 4)), int(rng.choice([-1, 1]))) for _ in range(6))):
        x = rng.normal(size=16).round(2)
        cases.append((np.roll(x, -slip), sign * x + 0.1 * rng.normal(size=16).round(2), 3))
    return cases


RECALL = [
    Question(
        id="field_one.recall_copy", title="One of two copies", kind="predict", stars=1, minutes=3,
        points=1,
        hints=("Permutation asks a model that was fitted with both; drop-column fits a new one.",
               "What can the refitted forest read instead of the dropped column?",
               "The fitted forest has splits on both copies, so shuffling one of them does "
               "some harm."),
        check=choice(
            "b",
            Mistake("refitting finds the other", "a", "Drop-column fits again, and the new forest "
                                                      "reads the other copy: it loses nothing."),
            Mistake("the fitted forest reads both", "c",
                    "The forest at hand splits on both copies. "
                    "When one is shuffled, those splits go wrong."),
            Mistake("exchanged", "d",
                    "It is the other way round: the forest that is *refitted* can do without the "
                    "column, the fitted one cannot.")),
        meaning="Compare your reason: the forest at hand splits on both copies, so shuffling one "
                "hurts; a new forest reads the other, so dropping one costs nothing. Both are "
                "*useful*, neither is *needed*. In the credit case this hid two leaks at once."),
    Question(
        id="field_one.recall_false", title="How many false alarms?", kind="number", stars=1,
        minutes=2, points=1,
        hints=("Each noise gene is named with probability .05.",
               "Expectations add up, whether the tests are independent or not.",
               "As many times that probability as there are noise "
               "genes."),
        check=value(
            20,
            Mistake("all genes counted", 25,
                    "You counted all 500 genes. Only the 400 noise genes can be *false* alarms."),
            Mistake("the true ones", 5, "These are 5 % of the 100 genes that do differ; "
                                        "a false alarm needs a gene that does not."),
            Mistake("the level itself", 0.05,
                    "This is the chance for one gene; "
                    "the question asks for the expected number among all."),
            Mistake("none at 5 %", 0,
                    "A test at 5 % is wrong for 5 % of the noise genes. "
                    "That is what the level means.")),
        meaning="A list from single tests carries its false alarms along. "
                "Benjamini and Hochberg's rule keeps their share of the list small."),
]

CASES = [
    Question(
        id="field_one.together", title="Shuffled together", kind="number", stars=2, minutes=5,
        points=2,
        hints=("Shuffled alone, a column leaves the other one readable.",
               "The joint importance is the error after shuffling both, less the error before.",
               "Which error was there before any shuffle?"),
        check=value(
            0.37,
            Mistake("the bars added", 0.2, "You added the two single importances, .16 and .04. "
                                           "While one is shuffled the other still speaks, "
                                           "so the two add up to less than the pair is worth."),
            Mistake("the error after", 0.38,
                    "This is the error after shuffling both: the error before must come off."),
            Mistake("what is left over", 0.17, "This is what the pair is worth *beyond* the two "
                                               "bars. The question asks for the whole."),
            Mistake("the larger bar taken off", 0.21,
                    "You took off the importance of A. "
                    "The pair is compared with the forest before *any* shuffle."),
            Mistake("per cent without its sign", 37,
                    "You count in per cent: write a share such as .05, or the sign behind it, "
                    "as in `\"5 %\"`."),
            Mistake("the mean bar", 0.1, "You averaged the two single importances: "
                                         "an importance of a group is no mean of its members'."),
            tolerance=0.0011),
        meaning="Suspects that could stand in for each other must be questioned together."),
    Question(
        id="field_one.whole_mixes", title="Hold out whole mixes", kind="implement", stars=1,
        minutes=6, points=2,
        hints=("A row is held out if its *unit* is among the chosen ones.",
               "`np.isin` asks of every entry of one array whether it stands in another.",
               "Ask it of the units, not of the row numbers."),
        check=function(
            _units, _split,
            Mistake("row numbers for units", _by_position,
                    "You took the chosen units for row numbers. "
                    "Ask of each row whether its *unit* was chosen."),
            Mistake("the other side", _the_others,
                    "True and False are exchanged: True marks the rows that are held out."),
            Mistake("row numbers back", _row_numbers,
                    "You return the numbers of the rows. "
                    "The question asks for True or False, one for each row."),
            Mistake("sisters left behind", _first_only,
                    "You hold out only the first row of each unit. "
                    "Its sisters stay in the training rows: that is the leak.")),
        meaning="One line, and in the concrete case the typical error grew from 5 to 7 MPa when "
                "whole pours were held out; with whole families of recipes, to 9."),
    Question(
        id="field_one.stability", title="How often in the list?", kind="implement", stars=2,
        minutes=10, points=3,
        hints=("Make the list of one resample first: the positions of its k largest importances.",
               "`np.argsort(-row)[:k]` are those positions. "
               "Count how often each feature is among them.",
               "Divide the counts by the number of resamples."),
        check=function(
            _resamples, _frequency,
            Mistake("counts, no shares", _counts,
                    "You return how many times; the question asks for the share of the resamples."),
            Mistake("the least important", _of_smallest,
                    "You list the k *smallest* importances: argsort goes upwards."),
            Mistake("the list of the mean", _of_the_mean,
                    "You averaged the importances first. "
                    "Then there is one list, and nothing is left of how much it wobbles."),
            Mistake("sizes", _by_size, "You ranked the sizes. An importance may be negative, "
                                       "and then it belongs to the end of the list."),
            Mistake("one too many", _one_too_many, "Your lists hold k + 1 features.")),
        meaning="In the gene case hardly a gene reached 1 in the lists by a forest's MDI. A bar "
                "chart of a single forest cannot show that."),
    Question(
        id="field_one.false_lists", title="Ten lists, seven of them empty", kind="number", stars=2,
            minutes=4, points=2,
        hints=("Make a share of each list first: false genes over named genes.",
               "Which of the ten lists does anybody act upon?",
               "Average the shares of the lists that name something, each list once."),
        check=value(
            0.6,
            Mistake("empty lists counted", 0.18,
                    "You averaged over all ten runs, an empty list counting as 0. "
                    "That is what the promise speaks of, and it is kept *because* most lists are "
                    "empty. The question asks for the lists that are not."),
            Mistake("the true ones", 0.4, "This is the share of the *true* genes in these lists."),
            Mistake("all genes in one pot", 0.65,
                    "You put the genes of the three lists into one pot. "
                    "The longest list then counts twice: make a share of each list, then average."),
            Mistake("per cent without its sign", 60,
                    "You count in per cent: write a share such as .05, a fraction, "
                    "or the sign behind it, as in `\"5 %\"`."),
            tolerance=0.0011),
        meaning="Over all ten runs the average is .18, below the promised 20 %: kept by saying "
                "nothing. A promise about an average says little about the list in your hand."),
    Question(
        id="field_one.select_inside", title="Eighty-two per cent", kind="predict", stars=2,
            minutes=4, points=2,
        hints=("Which patients had a say in the choice of the twenty genes?",
               "What would come out if the labels had been tossed with a coin?",
               "Whatever looks at labels must look at those of the training rows only, in every "
               "fold."),
        check=choice(
            "b",
            Mistake("other folds, the same leak", "a",
                    "The genes were chosen by all forty patients. "
                    "Whoever is held out now has had a say in the choice, in whatever fold."),
            Mistake("fewer false genes", "c", "A corrected test names fewer genes, and still names "
                    "them by the labels of all forty."),
            Mistake("a better choice, too early", "d", "However good the filter is: if it sees the "
                    "labels of the patients who judge later, they do not judge for the first "
                    "time.")),
        meaning="With tossed labels the first recipe finds far more than half right, and the "
                "second one half. The choice of features is part of the model, so it is fitted "
                "where the model is fitted."),
    Question(
        id="field_one.mend_choice", title="Find the bug: the choice that saw the test", kind="mend",
            stars=2, minutes=8, points=3,
        hints=("Which rows may have a say in the choice?",
               "The function is told which rows are tested. Does it use that?",
               "`~new` picks the other rows, of `X` and of `y`."),
        check=function(
            _tables, _chosen,
            Mistake("chosen by the tested rows", _choosing(among=lambda new: new),
                    "You choose by the rows that are *tested*. They must not have a say at all."),
            Mistake("one direction only", _choosing(size=np.asarray),
                    "You rank the correlations with their signs. "
                    "A strong negative one tells as much as a strong positive one."),
            Mistake("the weakest", _choosing(size=lambda r: -np.abs(r)),
                    "You return the columns that are correlated *least*: argsort goes upwards."),
            Mistake("one too many", _more_chosen, "You return k + 1 columns."),
            planted=_choosing(among=lambda new: new | True)),
        meaning="Called in every fold is not yet *inside* the fold: what counts is which labels "
                "the choice has seen."),
    Question(
        id="field_one.mend_leak", title="Find the bug: the mean that knew the answer", kind="mend",
            stars=2, minutes=8, points=3,
        hints=("Which rows may speak about the target before the model is tested?",
               "A town may have no training row. What is the best guess for it, then?",
               "Pick rows by two masks at once: those of the town, and those for training."),
        check=function(
            _towns, _town_means,
            Mistake("zero for the unknown", _with(unknown=lambda y, train: 0.0),
                    "A town without training rows is no town with the value 0: give it the mean of "
                    "all training rows."),
            Mistake("nothing for the unknown", _with(unknown=lambda y, train: np.nan),
                    "A town without training rows has no mean of its own: give it the mean of all "
                    "training rows."),
            Mistake("everybody for the unknown", _with(unknown=lambda y, train: y.mean()),
                    "For towns without training rows you took the mean of *all* rows: those that "
                    "are tested are among them."),
            Mistake("the tested rows", _with(among=lambda train: ~train),
                    "You averaged the rows that are *not* for training."),
            planted=_with(among=lambda train: train | True)),
        meaning="A column made from the target is made again for every split, from its training "
                "rows. (For these rows themselves it still knows their own answer: leave each row "
                "out of its own mean, or make the column in folds.)"),
    Question(
        id="field_one.mend_slip", title="Find the bug: the slip that was missed", kind="mend",
        stars=2, minutes=8, points=3,
        hints=("Try it on a column that falls when the target rises.",
               "A correlation of −.9 is a better alignment than one of +.1.",
               "What does `max` do with a correlation of −.9?"),
        check=function(
            _slipped, _slip,
            Mistake("the wrong way", _wrong_way,
                    "The direction is turned round: return the steps by which the column must be "
                    "moved *down*, as np.roll counts them."),
            Mistake("the height, not the place", _height,
                    "You return how large the best correlation is; "
                    "the question asks *where* it is."),
            Mistake("downwards only", _downwards_only,
                    "You try steps of 0 and more only. "
                    "A column may have slipped the other way as well."),
            Mistake("one step short", _one_step_short,
                    "You never try the step `most` itself: a range ends before its last number."),
            Mistake("the place in the list", _place_in_the_list,
                    "You return the place in your list of steps. The list begins at -most: "
                    "return the step that stands there."),
            planted=_largest_signed),
        meaning="A column's mean and histogram survive a slip. "
                "Its alignment with the target does not."),
    Question(
        id="field_one.reply", title="A paragraph to the laboratory", kind="explain", stars=2,
        minutes=10, points=3,
        hints=("Which of the four questions of the gene case has the colleague asked, "
               "and which one was answered?",
               "What would have happened to the list with other samples?",
               "What may differ between the tissues beside the tissue?"),
        check=by_hand,
        rubric=((1, "three measures of one forest are no three independent witnesses: "
                    "they agree about that forest"),
                (1, "stability: other samples give other lists, because many genes say the same; "
                    "give frequencies instead of ranks"),
                (1,
                 "a limit and a next step: association is no cause, "
                 "samples may differ by laboratory; check with new samples or another technique")),
        meaning=""),
]

QUESTIONS = RECALL + CASES
