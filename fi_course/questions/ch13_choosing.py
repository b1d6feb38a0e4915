"""Exercise set 13, choosing a method: situations, statements, grades, a report."""

import numpy as np

from fi_course.questions.question_text import questions

# How well a ranking tells yes from no, pair by pair, and what people write instead.

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
? Suppose that no feature loses to its double. What does knockoff+ then estimate for a list of k
    names?
? It estimates (1 + losers)/k, and that must not be above q.
? How small may k be, at this q and without a loser?
= value(20, tolerance=0)
- 5 | the chapter's q | Five is the shortest list at q = .2. Here q is .05.
- 10 | the other q | Ten is the shortest list at q = .1. Here q is .05.
- 1 | without the 1 | Without the 1 in (1 + losers)/k a list of one would do. With it, an undefeated
    list still has an estimate of 1/k.
- 21 | one too many | The estimate may be as large as q: 1/20 is allowed.
> A stricter promise needs a longer list. Who expects three causes should not ask knockoffs with q =
    .05.

# choosing.recall_twins: Two thermometers | predict, 1 star, 3 min, 1 point
? One of the four gives a feature what it adds when all the others may still be used.
? Take one thermometer away and fit again. What has the model lost?
? Refitting lets the other thermometer step in, for each of them.
= choice("d")
- "a" | splits still count | The forest splits on both, and each split takes credit: MDI divides the
    sum between them.
- "b" | the model is as it is | This forest reads both: shuffle one, and the trees that use it go
    wrong.
- "c" | shares of what is read | What the forest reads gets a share: both are read, so both have
    one.
> Two bars of zero, and the temperature is still the best predictor: "adds nothing" was said about
    each beside the other.

# choosing.which_measure: A test that costs 80 euros | predict, 1 star, 5 min, 2 points
? Which of the four questions is it: associated, relevant, used, causal?
? The hospital will fit a new model. Is the question about the model it has, or about what the other
    columns can do?
? Relevant: what is lost if the column is gone and a new model may use all the others?
= choice("c")
- "b" | the model they have | Shuffling asks what the *present* model needs. It leans on the test
    because it was there; the next one may do without.
- "a" | training credit | MDI says where this forest cut its training rows. A test with many values
    may lead that list, needed or not.
- "d" | one prediction each | SHAP divides the present model's predictions. A column that could be
    replaced may have large shares.
- "e" | a cause | They do not ask what happens if they *change* the value of the test, but whether
    its information is needed.
> And report the spread over several splits: "nothing is lost" is a statement about the accuracy of
    that zero, too.

# choosing.which_sentence: One bar, five sentences | predict, 1 star, 5 min, 2 points
? Cross out every sentence with a verb that acts.
? What did shuffling test: the world, or this model on these rows?
? One sentence names the model, the rows, the unit and the spread, and stops there.
= choice("b")
- "a" | nothing to do with it | Income may have much to do with it, through columns that go with
    income. The model had no need to use it beside them.
- "c" | causes from shuffling | Shuffling a column changes nobody's debt. No measure in the list
    knows what acting would do.
- "d" | one model for all models | Another learner, or the same one with another seed, may divide
    the work between columns otherwise.
- "e" | a drop that was not measured | To leave the column out is another measurement: the model is
    then fitted again, and others step in.
> It sounds modest. It is the only one of the five that was measured.

# choosing.told_apart: Grade a ranking | implement, 2 stars, 10 min, 3 points
? Go through all pairs of a yes and a no.
? A pair counts 1 if the yes has the higher importance, 1/2 if they are level, 0 otherwise.
? How many pairs are there? Divide the points by that.
= function(rankings, told_apart, lists=True)
- lambda importance, yes: told_apart(importance, yes, ties=1) | ties win | A pair that is level
    counts half, or else a measure that gives every feature 0 would get a perfect grade.
- lambda importance, yes: told_apart(importance, yes, ties=0) | ties lose | A pair that is level
    counts half: to be silent is a coin, and not an error.
- ties_left_out | ties left out | You left the pairs that are level out altogether. They count half
    a point, and each counts as a pair.
- pairs_won | points, not a share | You counted the points: divide by the number of pairs of a yes
    and a no.
- lambda importance, yes: 1 - told_apart(importance, yes) | upside down | You counted the pairs in
    which the *no* comes first.
- lambda importance, yes: told_apart(np.abs(importance), yes) | sign lost | You dropped the sign: an
    importance of −2 comes after one of 1.
- share_at_the_top | share at the top | This is the share of yes among the first so many places. The
    grade looks at all pairs.
! fi_course.compare, fi_teach.basics.losses.auc
> It is an AUC, and the chapter's first grade. It uses the order only, so a false bar in second
    place costs nothing: that is why the chapter counts false alarms beside it.

# choosing.report: Capstone: one page, from question to sentence | explain, 3 stars, 120 min, 10
    points
? Write down the question before you compute anything, in the words of the person who asks.
? Which rows judge the model, which columns keep company, which column could be a leak?
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
