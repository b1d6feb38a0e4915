"""Exercise set 13, choosing a method: situations, statements, grades, a report."""

import numpy as np

from fi_course.questions.checks import Mistake, by_hand, choice, function, value
from fi_course.questions.question import Question

BLOCKED = ("fi_course.compare", "fi_teach.basics.losses.auc")


# How well a ranking tells yes from no, pair by pair, and what people write instead.

def _told_apart(importance, yes, *, ties=0.5):
    pairs = [(a, b) for a, is_yes in zip(importance, yes, strict=True) if is_yes
             for b, other in zip(importance, yes, strict=True) if not other]
    return sum(1 if a > b else ties if a == b else 0 for a, b in pairs) / len(pairs)


def _ties_win(importance, yes):
    return _told_apart(importance, yes, ties=1)


def _ties_lose(importance, yes):
    return _told_apart(importance, yes, ties=0)


def _upside_down(importance, yes):
    return 1 - _told_apart(importance, yes)


def _sign_lost(importance, yes):
    return _told_apart(np.abs(importance), yes)


def _ties_left_out(importance, yes):
    pairs = [(a, b) for a, is_yes in zip(importance, yes, strict=True) if is_yes
             for b, other in zip(importance, yes, strict=True) if not other and a != b]
    return sum(a > b for a, b in pairs) / max(1, len(pairs))


def _pairs_won(importance, yes):
    yes = np.asarray(yes, bool)
    return _told_apart(importance, yes) * yes.sum() * (~yes).sum()


def _share_at_the_top(importance, yes):
    order = np.argsort(-np.asarray(importance, dtype=float), kind="stable")
    return np.asarray(yes, dtype=bool)[order][:int(np.sum(yes))].mean()


def _rankings(rng):
    """Draw importances and true answers of both kinds, with ties and negative values.

    The smallest come first.
    """
    small = [([2, 1], [True, False]), ([1, 1], [True, False]), ([-2, 1], [False, True]),
             ([3, 2, 1], [False, True, False]), ([2, 2, 0, -3], [True, False, True, False])]
    drawn = [(rng.integers(-3, 4, size=n), np.append([True, False], rng.random(n - 2) < 0.5))
             for n in range(5, 12)]
    return [(np.array(importance, float), np.array(yes, bool)) for importance, yes in small + drawn]


RECALL = [
    Question(
        id="choosing.recall_list", title="The shortest list", kind="number", stars=1, minutes=3,
        points=1,
        hints=("Suppose that no feature loses to its double. "
               "What does knockoff+ then estimate for a list of k names?",
               "It estimates (1 + losers)/k, and that must not be above q.",
               "How small may k be, at this q and without a loser?"),
        check=value(
            20,
            Mistake("the chapter's q", 5, "Five is the shortest list at q = .2. Here q is .05."),
            Mistake("the other q", 10, "Ten is the shortest list at q = .1. Here q is .05."),
            Mistake("without the 1", 1,
                    "Without the 1 in (1 + losers)/k a list of one would do. "
                    "With it, an undefeated list still has an estimate of 1/k."),
            Mistake("one too many", 21, "The estimate may be as large as q: 1/20 is allowed."),
            tolerance=0),
        meaning="A stricter promise needs a longer list. "
                "Who expects three causes should not ask knockoffs with q = .05."),
    Question(
        id="choosing.recall_twins", title="Two thermometers", kind="predict", stars=1, minutes=3,
        points=1,
        hints=(
            "One of the four gives a feature what it adds when all the others may still be used.",
            "Take one thermometer away and fit again. What has the model lost?",
            "Refitting lets the other thermometer step in, for each of them."),
        check=choice(
            "d",
            Mistake("splits still count", "a", "The forest splits on both, and each split takes "
                                               "credit: MDI divides the sum between them."),
            Mistake("the model is as it is", "b",
                    "This forest reads both: shuffle one, and the trees that use it go wrong."),
            Mistake("shares of what is read", "c",
                    "What the forest reads gets a share: both are read, so both have one.")),
        meaning="Two bars of zero, and the temperature is still the best predictor: "
                "\"adds nothing\" was said about each beside the other."),
]

CHOOSING = [
    Question(
        id="choosing.which_measure", title="A test that costs 80 euros", kind="predict", stars=1,
        minutes=5, points=2,
        hints=("Which of the four questions is it: associated, relevant, used, causal?",
               "The hospital will fit a new model. "
               "Is the question about the model it has, or about what the other columns can do?",
               "Relevant: what is lost if the column is gone and a new model may use all the "
               "others?"),
        check=choice(
            "c",
            Mistake("the model they have", "b",
                    "Shuffling asks what the *present* model needs. "
                    "It leans on the test because it was there; the next one may do without."),
            Mistake("training credit", "a",
                    "MDI says where this forest cut its training rows. "
                    "A test with many values may lead that list, needed or not."),
            Mistake("one prediction each", "d",
                    "SHAP divides the present model's predictions. "
                    "A column that could be replaced may have large shares."),
            Mistake("a cause", "e", "They do not ask what happens if they *change* the value of "
                                    "the test, but whether its information is needed.")),
        meaning="And report the spread over several splits: "
                "\"nothing is lost\" is a statement about the accuracy of that zero, too."),
    Question(
        id="choosing.which_sentence", title="One bar, five sentences", kind="predict", stars=1,
        minutes=5, points=2,
        hints=("Cross out every sentence with a verb that acts.",
               "What did shuffling test: the world, or this model on these rows?",
               "One sentence names the model, the rows, the unit and the spread, and stops there."),
        check=choice(
            "b",
            Mistake("nothing to do with it", "a",
                    "Income may have much to do with it, through columns that go with income. "
                    "The model had no need to use it beside them."),
            Mistake("causes from shuffling", "c",
                    "Shuffling a column changes nobody's debt. "
                    "No measure in the list knows what acting would do."),
            Mistake("one model for all models", "d",
                    "Another learner, or the same one with another seed, "
                    "may divide the work between columns otherwise."),
            Mistake("a drop that was not measured", "e",
                    "To leave the column out is another measurement: "
                    "the model is then fitted again, and others step in.")),
        meaning="It sounds modest. It is the only one of the five that was measured."),
    Question(
        id="choosing.told_apart", title="Grade a ranking", kind="implement", stars=2, minutes=10,
        points=3,
        hints=("Go through all pairs of a yes and a no.",
               "A pair counts 1 if the yes has the higher importance, 1/2 if they are level, "
               "0 otherwise.",
               "How many pairs are there? Divide the points by that."),
        check=function(
            _rankings, _told_apart,
            Mistake("ties win", _ties_win,
                    "A pair that is level counts half, or else a measure that gives every feature "
                    "0 would get a perfect grade."),
            Mistake("ties lose", _ties_lose,
                    "A pair that is level counts half: to be silent is a coin, and not an error."),
            Mistake("ties left out", _ties_left_out,
                    "You left the pairs that are level out altogether. "
                    "They count half a point, and each counts as a pair."),
            Mistake("points, not a share", _pairs_won,
                    "You counted the points: divide by the number of pairs of a yes and a no."),
            Mistake("upside down", _upside_down,
                    "You counted the pairs in which the *no* comes first."),
            Mistake("sign lost", _sign_lost,
                    "You dropped the sign: an importance of −2 comes after one of 1."),
            Mistake("share at the top", _share_at_the_top,
                    "This is the share of yes among the first so many places. "
                    "The grade looks at all pairs."),
            lists=True),
        blocked=BLOCKED,
        meaning="It is an AUC, and the chapter's first grade. "
                "It uses the order only, so a false bar in second place costs nothing: "
                "that is why the chapter counts false alarms beside it."),
]

REPORT = [
    Question(
        id="choosing.report", title="Capstone: one page, from question to sentence", kind="explain",
        stars=3, minutes=120, points=10,
        hints=("Write down the question before you compute anything, "
               "in the words of the person who asks.",
               "Which rows judge the model, which columns keep company, "
               "which column could be a leak?",
               "Let three measures with different answers to \"how is a feature removed?\" "
               "disagree, and explain the largest disagreement."),
        check=by_hand,
        rubric=((1, "a question that somebody outside the field could ask, "
                    "and which of the four kinds it is"),
                (2, "the model and its skill on rows it has not seen, with a baseline; "
                    "groups of related columns and possible leaks named before importances"),
                (2, "at least three measures, each with its unit and a spread whose repetition is "
                    "named (shuffles, rows, or splits)"),
                (2, "where the measures disagree and why, by what each removes and what takes its "
                    "place, supported by a computation"),
                (2, "a paragraph in which every number was computed, "
                    "and that claims no more than was measured"),
                (1, "the sentence that the author refuses to write, "
                    "and what would be needed to write it")),
        meaning=""),
]

QUESTIONS = RECALL + CHOOSING + REPORT
