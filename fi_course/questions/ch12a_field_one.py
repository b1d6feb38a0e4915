"""Exercise set 12a, case studies 1 and 2: leaks, grouped rows, unstable rankings."""

import numpy as np

from fi_course.questions.question_text import questions

# Definitions to judge by, slow and short.

def of_training(y, train):
    return y[train].mean()


def town_means(town, y, train, *, among=lambda train: train, unknown=of_training):
    """Return each row's town mean of y over the rows `among(train)`, or `unknown`."""
    rows = [y[(town == name) & among(train)] for name in town]
    return [part.mean() if len(part) else unknown(y, train) for part in rows]


def town_means_with(**changed):
    return lambda *case: town_means(*case, **changed)


def towns(rng):
    small = [([0, 0], [1, 5], [True, False]), ([0, 1, 1], [2, 4, 9], [True, True, False]),
             ([3, 3, 7], [2, 4, 9], [True, True, False])]
    drawn = [(rng.integers(0, 4, n), rng.integers(0, 20, n),
              np.append([True, False], rng.random(n - 2) < 0.6)) for n in range(5, 12)]
    return [(np.array(town), np.array(y, float), np.array(train))
            for town, y, train in small + drawn]


def frequency(importances, k):
    hits = np.zeros(importances.shape[1])
    for row in importances:
        hits[np.argsort(-row, kind="stable")[:k]] += 1
    return hits / len(importances)


def split(unit, held_out):
    return np.isin(unit, held_out).tolist()


def agreement(x, y, k):
    """Return the correlation after x has moved by k places."""
    return np.corrcoef(np.roll(x, k), y)[0, 1]


def slip_of(x, y, most):
    return min(range(-most, most + 1), key=lambda k: (-abs(agreement(x, y, k)), abs(k)))


def strengths_of(X, y, rows, size=np.abs):
    return size([np.corrcoef(column, y[rows])[0, 1] for column in X[rows].T])


def chosen(X, y, new, k, *, among=np.logical_not, size=np.abs):
    """Return the k columns most correlated with y on the rows `among(new)` -> set."""
    strengths = np.array(strengths_of(X, y, among(new), size))
    return set(np.argsort(-strengths, kind="stable")[:k].tolist())


def choosing(**changed):
    return lambda *case: chosen(*case, **changed)


# Mistaken formulas, each under the name a check gives it.

def counts(importances, k):
    return frequency(importances, k) * len(importances)


def of_the_mean(importances, k):
    return frequency(importances.mean(axis=0, keepdims=True), k)


def one_too_many(importances, k):
    return frequency(importances, min(k + 1, importances.shape[1]))


def the_others(unit, held_out):
    return [not new for new in split(unit, held_out)]


def first_only(unit, held_out):
    return [new and u not in unit[:i]
            for i, (u, new) in enumerate(zip(unit, split(unit, held_out), strict=True))]


def row_numbers(unit, held_out):
    return [i for i, new in enumerate(split(unit, held_out)) if new]


def largest_signed(x, y, most):
    return max(range(-most, most + 1), key=lambda k: agreement(x, y, k))


def height(x, y, most):
    return abs(agreement(x, y, slip_of(x, y, most)))


def downwards_only(x, y, most):
    return max(range(most + 1), key=lambda k: abs(agreement(x, y, k)))


def one_step_short(x, y, most):
    return max(range(-most, most), key=lambda k: abs(agreement(x, y, k)))


# Cases, the smallest first.

def resamples(rng):
    small = [([[1, 2]], 1), ([[1, -2]], 1), ([[3, 1, 2], [1, 3, 2], [9, 1, 2]], 1),
             ([[9, 1, 2, 0], [0, 3, 2, 1], [0, 3, 2, 1]], 2)]
    drawn = [(np.array([rng.permutation(p) for _ in range(7)]) / 10 - 0.23, int(rng.integers(1, p)))
             for p in (4, 6, 9)]
    return [(np.array(importances, float), k) for importances, k in small + drawn]


def tables(rng):
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


def units(rng):
    small = [(np.array([5, 5, 8]), [5]), (np.array([2, 1, 1, 0, 2]), [1, 2])]
    return small + [(rng.integers(0, 6, size=14), rng.choice(6, 2, replace=False))
                    for _ in range(6)]


def slipped(rng):
    # so long that no two steps tie: rounding would decide
    y = np.array([0.0, 1.0, 9.0, 2.0, 5.0, 3.0, 8.0, 3.0])
    cases = [(np.roll(y, -slip), sign * y, 2)
             for slip, sign in ((1, 1), (0, -1), (-2, -1), (2, -1))]
    for slip, sign in ((3, 1), (-3, -1),
                       *((int(rng.integers(-3, 4)), int(rng.choice([-1, 1]))) for _ in range(6))):
        x = rng.normal(size=16).round(2)
        cases.append((np.roll(x, -slip), sign * x + 0.1 * rng.normal(size=16).round(2), 3))
    return cases


QUESTIONS = questions(r"""
# field_one.recall_copy: One of two copies | predict, 1 star, 3 min, 1 point
? Permutation asks a model that was fitted with both; drop-column fits a new one.
? What can the refitted forest read instead of the dropped column?
? The fitted forest has splits on both copies, so shuffling one of them does some harm.
= choice("d")
- "a" | refitting finds the other | Drop-column fits again, and the new forest reads the other copy:
    it loses nothing.
- "b" | exchanged | It is the other way round: the forest that is *refitted* can do without the
    column, the fitted one cannot.
- "c" | the fitted forest reads both | The forest at hand splits on both copies. When one is
    shuffled, those splits go wrong.
> Compare your reason: the forest at hand splits on both copies, so shuffling one hurts; a new
    forest reads the other, so dropping one costs nothing. Both are *useful*, neither is *needed*.
    In the credit case this hid two leaks at once.

# field_one.recall_false: How many false alarms? | number, 1 star, 2 min, 1 point
? Each noise gene is named with probability 0.05.
? Expectations add up, whether the tests are independent or not.
? As many times that probability as there are noise genes.
= value(20)
- 25 | all genes counted | You counted all 500 genes. Only the 400 noise genes can be *false*
    alarms.
- 5 | the true ones | These are 5% of the 100 genes that do differ; a false alarm needs a gene that
    does not.
- 0.05 | the level itself | This is the chance for one gene; the question asks for the expected
    number among all.
- 0 | none at 5% | A test at 5% is wrong for 5% of the noise genes. That is what the level means.
> A list from single tests carries its false alarms along. Benjamini and Hochberg's rule keeps their
    share of the list small.

# field_one.together: Shuffled together | number, 2 stars, 5 min, 2 points
? Shuffled alone, a column leaves the other one readable.
? The joint importance is the error after shuffling both, less the error before.
? Which error was there before any shuffle?
= value(0.37, tolerance=0.0011)
- 0.2 | the bars added | You added the two single importances, 0.16 and 0.04. While one is shuffled
    the other still speaks, so the two add up to less than the pair is worth.
- 0.38 | the error after | This is the error after shuffling both: the error before must come off.
- 0.17 | what is left over | This is what the pair is worth *beyond* the two bars. The question asks
    for the whole.
- 0.21 | the larger bar taken off | You took off the importance of A. The pair is compared with the
    forest before *any* shuffle.
- 0.1 | the mean bar | You averaged the two single importances: an importance of a group is no mean
    of its members'.
> Suspects that could stand in for each other must be questioned together.

# field_one.whole_mixes: Hold out whole mixes | implement, 1 star, 6 min, 2 points
? A row is held out if its *unit* is among the chosen ones.
? `np.isin` asks of every entry of one array whether it stands in another.
? Ask it of the units, not of the row numbers.
= function(units, split)
- lambda unit, held_out: split(np.arange(len(unit)), held_out) | row numbers for units | You took
    the chosen units for row numbers. Ask of each row whether its *unit* was chosen.
- the_others | the other side | True and False are exchanged: True marks the rows that are held out.
- row_numbers | row numbers back | You return the numbers of the rows. The question asks for True or
    False, one for each row.
- first_only | sisters left behind | You hold out only the first row of each unit. Its sisters stay
    in the training rows: that is the leak.
> One line, and in the concrete case the typical error grew from 5 to 7 MPa when whole pours were
    held out; with whole families of recipes, to 9.

# field_one.stability: How often in the list? | implement, 2 stars, 10 min, 3 points
? Make the list of one resample first: the positions of its k largest importances.
? `np.argsort(-row)[:k]` are those positions. Count how often each feature is among them.
? Divide the counts by the number of resamples.
= function(resamples, frequency)
- counts | counts, no shares | You return how many times; the question asks for the share of the
    resamples.
- lambda importances, k: frequency(-importances, k) | the least important | You list the k
    *smallest* importances: argsort goes upwards.
- of_the_mean | the list of the mean | You averaged the importances first. Then there is one list,
    and nothing is left of how much it wobbles.
- lambda importances, k: frequency(np.abs(importances), k) | sizes | You ranked the sizes. An
    importance may be negative, and then it belongs to the end of the list.
- one_too_many | one too many | Your lists hold k + 1 features.
> In the gene case hardly a gene reached 1 in the lists by a forest's MDI. A bar chart of a single
    forest cannot show that.

# field_one.false_lists: Ten lists, seven of them empty | number, 2 stars, 4 min, 2 points
? Make a share of each list first: false genes over named genes.
? Which of the ten lists does anybody act upon?
? Average the shares of the lists that name something, each list once.
= value(0.6, tolerance=0.0011)
- 0.18 | empty lists counted | You averaged over all ten runs, an empty list counting as 0. That is
    what the promise speaks of, and it is kept *because* most lists are empty. The question asks for
    the lists that are not.
- 0.4 | the true ones | This is the share of the *true* genes in these lists.
- 0.65 | all genes in one pot | You put the genes of the three lists into one pot. The longest list
    then counts twice: make a share of each list, then average.
> Over all ten runs the average is 0.18, below the promised 20%: kept by saying nothing. A promise
    about an average says little about the list in your hand.

# field_one.select_inside: Eighty-two per cent | predict, 2 stars, 4 min, 2 points
? Which patients had a say in the choice of the twenty genes?
? What would come out if the labels had been tossed with a coin?
? Whatever looks at labels must look at those of the training rows only, in every fold.
= choice("a")
- "b" | other folds, the same leak | The genes were chosen by all forty patients. Whoever is held
    out now has had a say in the choice, in whatever fold.
- "c" | fewer false genes | A corrected test names fewer genes, and still names them by the labels
    of all forty.
- "d" | a better choice, too early | However good the filter is: if it sees the labels of the
    patients who judge later, they do not judge for the first time.
> With tossed labels the first recipe finds far more than half right, and the second one half. The
    choice of features is part of the model, so it is fitted where the model is fitted.

# field_one.mend_choice: Find the bug: the choice that saw the test | mend, 2 stars, 8 min, 3 points
? Which rows may have a say in the choice?
? The function is told which rows are tested. Does it use that?
? `~new` picks the other rows, of `X` and of `y`.
= function(tables, chosen, planted=choosing(among=lambda new: new | True))
- choosing(among=lambda new: new) | chosen by the tested rows | You choose by the rows that are
    *tested*. They must not have a say at all.
- choosing(size=np.asarray) | one direction only | You rank the correlations with their signs. A
    strong negative one tells as much as a strong positive one.
- choosing(size=lambda r: -np.abs(r)) | the weakest | You return the columns that are correlated
    *least*: argsort goes upwards.
- lambda X, y, new, k: chosen(X, y, new, k + 1) | one too many | You return k + 1 columns.
> Called in every fold is not yet *inside* the fold: what counts is which labels the choice has
    seen.

# field_one.mend_leak: Find the bug: the mean that knew the answer | mend, 2 stars, 8 min, 3 points
? Which rows may speak about the target before the model is tested?
? A town may have no training row. What is the best guess for it, then?
? Pick rows by two masks at once: those of the town, and those for training.
= function(towns, town_means, planted=town_means_with(among=lambda train: train | True))
- town_means_with(unknown=lambda y, train: 0.0) | zero for the unknown | A town without training
    rows is no town with the value 0: give it the mean of all training rows.
- town_means_with(unknown=lambda y, train: np.nan) | nothing for the unknown | A town without
    training rows has no mean of its own: give it the mean of all training rows.
- town_means_with(unknown=lambda y, train: y.mean()) | everybody for the unknown | For towns without
    training rows you took the mean of *all* rows: those that are tested are among them.
- town_means_with(among=lambda train: ~train) | the tested rows | You averaged the rows that are
    *not* for training.
> A column made from the target is made again for every split, from its training rows. (For these
    rows themselves it still knows their own answer: leave each row out of its own mean, or make the
    column in folds.)

# field_one.mend_slip: Find the bug: the slip that was missed | mend, 2 stars, 8 min, 0 points
? Try it on a column that falls when the target rises.
? A correlation of −0.9 is a better alignment than one of +0.1.
? What does `max` do with a correlation of −0.9?
= function(slipped, slip_of, planted=largest_signed)
- lambda x, y, most: -slip_of(x, y, most) | the wrong way | The direction is turned round: return
    the steps by which the column must be moved *down*, as np.roll counts them.
- height | the height, not the place | You return how large the best correlation is; the question
    asks *where* it is.
- downwards_only | downwards only | You try steps of 0 and more only. A column may have slipped the
    other way as well.
- one_step_short | one step short | You never try the step `most` itself: a range ends before its
    last number.
- lambda x, y, most: slip_of(x, y, most) + most | the place in the list | You return the place in
    your list of steps. The list begins at -most: return the step that stands there.
> A column's mean and histogram survive a slip. Its alignment with the target does not.

# field_one.reply: A paragraph to the laboratory | explain, 2 stars, 10 min, 3 points
? Which of the four questions of the gene case has the colleague asked, and which one was answered?
? What would have happened to the list with other samples?
? What may differ between the tissues beside the tissue?
= by_hand
* 1 | three measures of one forest are no three independent witnesses: they agree about that forest
* 1 | stability: other samples give other lists, because many genes say the same; give frequencies
    instead of ranks
* 1 | a limit and a next step: association is no cause, samples may differ by laboratory; check with
    new samples or another technique
""", globals())
