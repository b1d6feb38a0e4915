"""Exercise set 13, choosing a method: situations, statements, a ranking, a report."""

import numpy as np

from fi_course.questions.question_text import questions

# How well a ranking separates yes from no, pair by pair, and what people write instead.

def told_apart(importance, yes, *, ties=0.5):
    pairs = [(a, b) for a in importance[yes] for b in importance[~yes]]
    return sum(1 if a > b else ties if a == b else 0 for a, b in pairs) / len(pairs)


def ties_left_out(importance, yes):
    pairs = [(a, b) for a in importance[yes] for b in importance[~yes] if a != b]
    return sum(a > b for a, b in pairs) / max(1, len(pairs))


def pairs_won(importance, yes):
    return told_apart(importance, yes) * yes.sum() * (~yes).sum()


def share_at_the_top(importance, yes):
    order = np.argsort(-importance, kind="stable")
    return yes[order][:yes.sum()].mean()


def rankings(rng):
    """Draw importances and true answers, with ties and negative values; the smallest first."""
    small = [([2, 1], [True, False]), ([1, 1], [True, False]), ([-2, 1], [False, True]),
             ([3, 2, 1], [False, True, False]), ([2, 2, 0, -3], [True, False, True, False])]
    drawn = [(rng.integers(-3, 4, size=n), np.append([True, False], rng.random(n - 2) < 0.5))
             for n in range(5, 12)]
    return [(np.array(importance, float), np.array(yes, bool)) for importance, yes in small + drawn]


QUESTIONS = questions(r"""
# choosing.recall_list: The shortest list | number, 1 star, 3 min, 1 point
? Suppose that no feature loses to its knockoff. What does knockoff+ then estimate for a list of k
    names?
? It estimates (1 + losers)/k, and that must not be above q.
? How small may k be, at this q and without a loser?
= value(20, tolerance=0)
- 5 | the chapter's q | Five is the shortest list at q = 0.2. Here q is 0.05.
- 10 | the other q | Ten is the shortest list at q = 0.1. Here q is 0.05.
- 1 | without the 1 | Without the 1 in (1 + losers)/k a list of one would do. With it, an undefeated
    list still has an estimate of 1/k.
- 21 | one too many | The estimate may be as large as q: 1/20 is allowed.
> A stricter promise needs a longer list. If you expect three causes, knockoffs with q = 0.05
    cannot name them.

# choosing.recall_twins: Two thermometers | predict, 1 star, 3 min, 1 point
? One of the four gives a feature what it adds when all the others may still be used.
? Take one thermometer away and fit again. What has the model lost?
? After refitting, the other thermometer carries the same information, for each of the two.
= choice("d")
- "a" | splits still count | The forest splits on both, and each split is credited: MDI divides the
    sum between them.
- "b" | the model is as it is | This forest reads both: shuffle one, and the trees that use it go
    wrong.
- "c" | shares of what is read | What the forest reads gets a share: both are read, so both have
    one.
> Two bars of zero, and temperature is still the best predictor: each thermometer adds nothing
    *beside the other*.

# choosing.which_measure: A test that costs 80 euros | predict, 1 star, 5 min, 2 points
? Which of the four questions is it: associated, relevant, used, causal?
? The hospital will fit a new model. Is the question about the model it has, or about what the other
    columns can do?
? Relevant: what is lost if the column is gone and a new model may use all the others?
= choice("a")
- "b" | the model they have | Shuffling asks what the *present* model needs. It uses the test
    because it was there; the next model may do without.
- "c" | training credit | MDI says where this forest cut its training rows. A test with many values
    may lead that list, needed or not.
- "d" | one prediction each | SHAP divides the present model's predictions. A column that could be
    replaced may have large shares.
- "e" | a cause | They do not ask what happens if they *change* the value of the test, but whether
    its information is needed.
> Report the spread over several splits as well: "nothing is lost" depends on how accurate that
    zero is.

# choosing.which_sentence: One bar, five sentences | predict, 1 star, 5 min, 2 points
? Cross out every sentence with a verb that acts.
? What did shuffling test: the world, or this model on these rows?
? One sentence names the model, the rows, the unit and the spread, and stops there.
= choice("e")
- "a" | nothing to do with it | Income may have much to do with it, through columns that are
    correlated with income. Beside them the model did not need it.
- "b" | a drop that was not measured | Leaving the column out is another measurement: the model is
    then fitted again, and other columns can replace it.
- "c" | causes from shuffling | Shuffling a column changes nobody's debt. No measure in the list
    knows what acting would do.
- "d" | one model for all models | Another learner, or the same one with another seed, may use
    other columns.
> It sounds modest. It is the only one of the five that was measured.

# choosing.told_apart: Grade a ranking | implement, 2 stars, 10 min, 3 points
? Go through all pairs of a yes and a no.
? A pair counts 1 if the yes has the higher importance, 1/2 if the two are equal, 0 otherwise.
? How many pairs are there? Divide the points by that.
= function(rankings, told_apart, lists=True)
- lambda importance, yes: told_apart(importance, yes, ties=1) | ties win | A tied pair counts
    half; otherwise a measure that gives every feature 0 would get a perfect grade.
- lambda importance, yes: told_apart(importance, yes, ties=0) | ties lose | A tied pair counts
    half: giving no order is as good as tossing a coin, and not an error.
- ties_left_out | ties left out | You left out the tied pairs. Each of them counts half a point,
    and counts as a pair.
- pairs_won | points, not a share | You counted the points: divide by the number of pairs of a yes
    and a no.
- lambda importance, yes: 1 - told_apart(importance, yes) | upside down | You counted the pairs in
    which the *no* comes first.
- lambda importance, yes: told_apart(np.abs(importance), yes) | sign lost | You dropped the sign: an
    importance of −2 comes after one of 1.
- share_at_the_top | share at the top | This is the share of yes in the first places. The grade
    looks at all pairs.
! fi_course.compare, fi_teach.basics.losses.auc
> It is an AUC. It uses the order only: all zeros get 1/2, and a false bar in second place costs
    nothing. That is why the chapter asks instead which features a measure *names*.

# choosing.report: Capstone: one page, from question to sentence | explain, 3 stars, 120 min, 10
    points
? Write down the question before you compute anything, in the words of the person who asks.
? Which rows judge the model, which columns are correlated, which column could be a leak?
? Let three measures with different answers to "how is a feature removed?" disagree, and explain the
    largest disagreement.
= by_hand
* 1 | a question that somebody outside the field could ask, and which of the four kinds it is
* 2 | the model and its skill on rows it has not seen, with a baseline; groups of related columns
    and possible leaks named before importances
* 2 | at least three measures, each with its unit and a spread whose repetition is named (shuffles,
    rows, or splits)
* 2 | where the measures disagree and why, by what each removes and what takes its place, supported
    by a computation
* 2 | a paragraph in which every number was computed, and that claims no more than was measured
* 1 | the sentence that the author refuses to write, and what would be needed to write it
""", globals())
