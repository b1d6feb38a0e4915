"""Exercise set 11, causality: intervening, the back door, measurement error, adjustment."""

import numpy as np

from fi_course.questions.checks import Mistake, by_hand, catches, choice, function, value
from fi_course.questions.implementations_to_test import ch11_causality as implementations
from fi_course.questions.question import Question

BLOCKED = ("fi_teach.importance.causal",)


# The back-door mean, by its formula, and what people write instead.

def _sum_of_groups(z, x, y, value):
    return len(y) * implementations.back_door(z, x, y, value)


def _effect(z, x, y, value):
    return implementations.back_door(z, x, y, value) - implementations.back_door(z, x, y, 1 - value)


def _by_regression(z, x, y, value):
    """Return the mean of the regression y ~ 1 + z + x with x set to the value."""
    z, x, y = (np.asarray(part, float) for part in (z, x, y))
    slopes = np.linalg.lstsq(np.column_stack([np.ones(len(z)), z, x]), y, rcond=None)[0]
    return slopes @ [1, z.mean(), value]


def _tables(rng):
    """Draw tables in which every group has rows of either value, the smallest first."""
    small = [([0, 0, 1, 1], [0, 1, 1, 0], [0, 1, 5, 7], 1),
             ([0, 0, 1, 1, 1], [0, 1, 1, 1, 0], [0, 1, 5, 7, 2], 1),
             (np.repeat([1, 0], 10), np.repeat([1, 0, 1, 0], [8, 2, 2, 8]), np.repeat([6, 2], 10),
              0)]
    drawn = []
    for n in range(6, 12):
        z, x = np.append([0, 0, 1, 1],
                         rng.integers(2, size=n)), np.append([0, 1, 0, 1], rng.integers(2, size=n))
        drawn.append((z, x, rng.integers(0, 10, size=n + 4), int(rng.integers(2))))
    return [(np.array(z), np.array(x), np.array(y, float), value)
            for z, x, y, value in small + drawn]


# A recipe in which one line is struck out, and other things done to it.

def _mean_done(z, e_x, e_y, effect, value):
    return np.mean(2 * np.asarray(z) + effect * value + np.asarray(e_y))


def _nearest(z, e_x, e_y, effect, value):
    """Average the two patients with the nearest value, without setting it: the planted bug."""
    x = z + e_x
    y = 2 * z + effect * x + e_y
    return y[np.argsort(abs(x - value))[:2]].mean()


def _set_too_late(z, e_x, e_y, effect, value):
    return np.mean(2 * np.asarray(z) + effect * (np.asarray(z) + e_x) + e_y)


def _health_set_too(z, e_x, e_y, effect, value):
    return np.mean(2 * value + effect * value + np.asarray(e_y))


def _noise_kept(z, e_x, e_y, effect, value):
    return np.mean(2 * np.asarray(z) + effect * (value + np.asarray(e_x)) + e_y)


def _health_left_out(z, e_x, e_y, effect, value):
    return np.mean(effect * value + np.asarray(e_y))


def _noise_of_y_left_out(z, e_x, e_y, effect, value):
    return np.mean(2 * np.asarray(z) + effect * value)


def _line(z, e_x, e_y, effect, value):
    z, e_x, e_y = (np.asarray(part, float) for part in (z, e_x, e_y))
    x = z + e_x
    slope = np.cov(x, 2 * z + effect * x + e_y, ddof=0)[0, 1] / x.var()
    return np.mean(2 * z + effect * x + e_y) + slope * (value - x.mean())


def _wards(rng):
    """Draw patients' health and noise, an effect and a value, the smallest first."""
    small = [([0, 1, 3], [0, 0, 0], [0, 0, 0], 0, 3), ([0, 1, 3], [0, 0, 1], [0, 1, 0], 2, 1)]
    return [(np.array(z, float), np.array(e_x, float), np.array(e_y, float), effect, value)
            for z, e_x, e_y, effect, value in [*small, *(_ward(n, rng) for n in range(4, 11))]]


def _ward(n, rng):
    """Draw a ward whose two nearest patients do not depend on how ties are sorted."""
    while True:
        z, e_x, e_y = rng.integers(-4, 5, size=(3, n))
        effect, value = int(rng.integers(-2, 3)), int(rng.integers(-3, 4))
        second, third = np.sort(abs(z + e_x - value))[1:3]
        if second < third:
            return z, e_x, e_y, effect, value


RECALL = [
    Question(
        id="causality.recall_slope", title="What shuffling costs", kind="number", stars=1,
        minutes=4, points=1,
        hints=(
            "For a straight line the importance is twice the slope times a covariance (chapter 6).",
            "The model's slope is the true one, and Cov(x, y) is the slope times Var(x).",
            "The slope enters twice, once through the model and once through the world. "
            "Put the two hints together."),
        check=value(
            9,
            Mistake("the factor 2", 4.5,
                    "This is the variance of 3x. A shuffled value is as far off as two independent "
                    "draws are: twice that."),
            Mistake("the slope once", 3,
                    "The slope enters twice: once in the model and once in the world."),
            Mistake("the variance forgotten", 18, "You took Var(x) as 1; here it is 0.5."),
            Mistake("slope as importance", 6,
                    "You doubled the slope. An importance in squared error is quadratic in it, "
                    "and it depends on how much x varies.")),
        meaning="The value depends on how widely x varies in these rows: "
                "the same slope in a narrower population has a smaller importance."),
    Question(
        id="causality.recall_idle", title="One that is not zero", kind="predict", stars=1,
        minutes=3, points=1,
        hints=("The model never reads column b, so nothing that happens to b changes an output.",
               "One of the four lets a known column speak for the others.",
               "Which of the four looks at the rows without the model's use of b: "
               "the conditional game of chapter 8."),
        check=choice(
            "d",
            Mistake("no split, no decrease", "a",
                    "MDI adds up decreases of splits on b. There is none, so b has exactly 0."),
            Mistake("nothing read, nothing lost", "b",
                    "Shuffling a column that the model does not read changes no output: "
                    "exactly 0."),
            Mistake("filled in whatever is known", "c",
                    "In this game b is put into a model that does not read it: exactly 0.")),
        meaning="If b is known, the conditional game expects more of a as well: b speaks for a. "
                "That is a statement about the data, and still not about causes."),
]

SEEING = [
    Question(
        id="causality.thirty_patients", title="Thirty patients", kind="number", stars=1, minutes=6,
        points=2,
        hints=("For `seen` use only those who had the drug: 4 mild and 8 severe.",
               "For `done` everybody gets it: what share of all thirty is mild?",
               "Both average the same two means, those *with* the drug. Only the weights differ: "
               "whom does each of them count?"),
        check=value(
            {"seen": 7, "done": 5},
            Mistake("the two exchanged", {"seen": 5, "done": 7},
                    "The weights are exchanged: seeing weighs by those who had the drug, "
                    "doing by all patients."),
            Mistake("groups counted alike", {"done": 6},
                    "For `done` you counted both groups alike. "
                    "Each counts by its share of all thirty.", partly=True),
            Mistake("groups counted alike", {"seen": 6},
                    "For `seen` you counted both groups alike. "
                    "Each counts by how many of it had the drug.", partly=True),
            Mistake("seen twice", {"done": 7}, "For `done` you gave the mean of those who had the "
                    "drug. If everybody gets it, the severe are no longer in the majority.",
                    partly=True),
            Mistake("without the drug", {"done": 20 / 30 * 4 + 10 / 30 * 12},
                    "For `done` you gave what happens if nobody gets the drug: use the days *with* "
                    "it.", partly=True),
            Mistake("the effect, not the mean", {"done": 5 - 20 / 3},
                    "For `done` you took off the mean without the drug. That is the effect; "
                    "the question asks how long they stay.",
                    partly=True),
            Mistake("the effect, not the mean", {"seen": 7 - (16 * 4 + 2 * 12) / 18},
                    "For `seen` you took off the mean of those without the drug. The question asks "
                    "how long those with it stay.", partly=True),
            Mistake("all as they are", {"done": (4 * 3 + 16 * 4 + 8 * 9 + 2 * 12) / 30},
                    "For `done` you gave the mean of the thirty as they are, with and without "
                    "drug.",
                    partly=True)),
        meaning="Those without the drug stayed 4.9 days on average, those with it 7: "
                "the drug looks harmful, and it shortens the stay in both groups. "
                "It was given to the severe."),
    Question(
        id="causality.back_door", title="Through the back door", kind="implement", stars=2,
        minutes=10, points=3,
        hints=("Go through the groups of z. In each, look at the rows with x == value.",
               "Weigh each group's mean by the group's share of *all* rows.",
               "Two masks: rows of the group, and those of them with the value. Which of the two "
               "gives the weight, which the mean?"),
        check=function(
            _tables, implementations.back_door,
            Mistake("seeing, not doing", implementations.seen,
                    "This is the plain mean of the rows with "
                    "that value: what one sees. Its groups are weighed by who *has* the value."),
            Mistake("groups counted alike", implementations.groups_alike,
                    "You averaged the groups' means evenly: each counts by its share of all rows."),
            Mistake("everybody as they are", implementations.all_rows,
                    "This is the mean over all rows, "
                    "whatever their value: within each group take only the rows with x == value."),
            Mistake("weights and means exchanged", implementations.weights_seen,
                    "You weighed by who has the value and averaged over everybody: "
                    "it is the other way round."),
            Mistake("counts for shares", _sum_of_groups, "You weighed by the number of rows: "
                    "divide by how many there are in all."),
            Mistake("the effect, not the mean", _effect,
                    "You subtracted the mean for the other value. "
                    "The question asks for the mean, not for the effect."),
            Mistake("a straight line for z and x", _by_regression,
                    "You fitted y to z and x by a straight line. "
                    "That is right only where the effect is the same in every group and z enters "
                    "in proportion: average the groups' own means.")),
        blocked=BLOCKED,
        meaning="It is the effect of doing only if z blocks every back door. "
                "No line of the function can check that: it is what you know about the arrows."),
    Question(
        id="causality.test_back_door", title="A test that tells seeing from doing", kind="test",
        stars=2, minutes=10, points=3,
        hints=("Take a small table whose right answer you can work out by hand.",
               "In your table the two groups must differ in size, and in how many have the value.",
               "Five rows are enough: two in one group, three in the other, and x = 1 in another "
               "share of each."),
        check=catches(
            right=[Mistake("refuses a right one", implementations.back_door,
                           "Your test refuses a right implementation: "
                           "work your expected value out again, and leave room for rounding (`< "
                           "1e-9`)."),
                   Mistake("exact equality", implementations.rounded_otherwise,
                           "Your test refuses a right implementation whose last bit is rounded "
                           "differently: compare with a tolerance, as in `abs(a - b) < 1e-9`.")],
            bugs=[Mistake("seeing passes", implementations.seen,
                          "An implementation that returns the plain "
                          "mean of the rows with that value passes your test: choose a table in "
                          "which seeing and doing differ."),
                  Mistake("even weights pass", implementations.groups_alike,
                          "One that weighs all groups alike passes: "
                          "give your groups different sizes."),
                  Mistake("the value ignored passes", implementations.all_rows,
                          "One that ignores the value and averages all rows passes: "
                          "let y differ between values."),
                  Mistake("exchanged weights pass", implementations.weights_seen,
                          "One that weighs by who has the value and averages everybody's y "
                          "passes.")]),
        meaning="A table of five rows tells five formulas apart. "
                "The data of a real hospital would have been no better test: "
                "there nobody knows the right answer."),
    Question(
        id="causality.mend_do", title="Find the bug: the ward that only looked", kind="mend",
        stars=2, minutes=8, points=3,
        hints=("What does do(x = value) do to the line of the recipe in which x is made?",
               "Nobody is picked out: all patients keep their health and their noise in y.",
               "Which line of the recipe is struck out, and over whom is y averaged?"),
        check=function(
            _wards, _mean_done,
            Mistake("set too late", _set_too_late,
                    "You set the value after the severity had been made: "
                    "strike out the line of x, then let y follow."),
            Mistake("health set too", _health_set_too,
                    "You set health as well. Setting the value moves nobody's health: "
                    "the arrow points the other way."),
            Mistake("the noise kept", _noise_kept,
                    "You added the noise of x to the value. "
                    "Set by hand, it is the same number for everybody."),
            Mistake("a line through the patients", _line,
                    "You fitted a straight line of y on x and read it at the value. "
                    "That is seeing: patients with that x have the health that goes with it."),
            Mistake("health left out", _health_left_out,
                    "You struck out health from the line of y as well: only the line of x goes."),
            Mistake("the severity's noise left out", _noise_of_y_left_out,
                    "You left e_y out of the line of y. "
                    "These patients keep theirs, and over a few of them it does not cancel."),
            planted=_nearest),
        meaning="Looking up the patients near a value also looks up their health. "
                "That is the whole difference."),
]

ADJUSTING = [
    Question(
        id="causality.two_records", title="Two records of one health", kind="number", stars=2,
        minutes=6, points=2,
        hints=("Both columns are health plus independent noise of the same size. "
               "Is one of them nearer to health?",
               "The best estimate of z from two such columns weighs them alike: "
               "each gets 1/(2 + variance of the noise).",
               "Severity is *twice* health: what does that make of the weight?"),
        check=value(
            2 / 2.25,
            Mistake("adjusted away", 0, "It would be 0 if the record had no error. "
                                        "This one is no nearer to health than the value is."),
            Mistake("alone", 2 / 1.25, "This is the slope with the value alone in the model: "
                                       "2/(1 + 0.25). Now two columns share the work."),
            Mistake("the noise forgotten", 1, "Shared evenly, yes; but two noisy columns do not "
                                              "give health exactly: the noise has variance 0.25."),
            Mistake("sd for variance", 2 / 2.5,
                    "You added the standard deviation, 0.5. Variances add up: 0.5² = 0.25."),
            Mistake("the severity's noise", 2 / 2.09, "You added the variance of the severity's "
                    "own noise. What blurs the two *columns* is theirs, 0.25."),
            Mistake("health's own slope", 2, "This is how severity follows health itself. The "
                    "columns know health with an error, and there are two of them."),
            Mistake("rounded too far", 0.9, "Near, and rounded too far: give two decimals, or a "
                    "fraction."),
            Mistake("health's estimate", 1 / 2.25,
                    "This is the weight in the estimate of z; severity is twice z.")),
        meaning="The false effect falls from 1.6 to .89: "
                "adjusting for a record that is 80 % health takes away less than half."),
    Question(
        id="causality.which_columns", title="What should be adjusted for?", kind="predict", stars=2,
        minutes=5, points=2,
        hints=("Draw the arrows, and mark those that point *into* training.",
               "A column that training itself changes must not be adjusted for, "
               "if the whole effect is wanted.",
               "Which of the three columns has an arrow *into* training, and which lie behind it?"),
        check=choice(
            "b",
            Mistake("everything", "a", "Fitness carries training's effect, and visits are a common "
                                       "consequence: adjusting hides one path and opens another."),
            Mistake("nothing", "c",
                    "Age moves both training and pressure: a back door stands open."),
            Mistake("the mediator as well", "d",
                    "Fitness is how training works. Hold it fixed, and that part of the effect "
                    "is gone."),
            Mistake("the consequence as well", "e",
                    "Training and pressure both send people to the doctor: "
                    "among people with equal visits they become related without any effect.")),
        meaning="A model that only *predicts* blood pressure may use all three. "
                "The question decides, and the arrows."),
    Question(
        id="causality.press_release", title="The press release", kind="explain", stars=2,
        minutes=12, points=3,
        hints=("Underline the verbs. Which of them say that something acts?",
               "Sketch one set of arrows in which vitamin D does nothing, "
               "and one in which it is even harmful.",
               "What table would settle it? And what can be said from the one they have?"),
        check=by_hand,
        rubric=((1, "names the claim that does not follow (importance to effect), "
                    "with a concrete confounder or reversed arrow"),
                (1,
                 "says why the SHAP ranking, adjusting for \"all available columns\" or a better "
                 "measure does not repair it: mediators, consequences or errors of record"),
                (1, "a true sentence about prediction in this model with these columns, "
                    "and what would settle the question: a trial, or an argued adjustment")),
        meaning=""),
]

QUESTIONS = RECALL + SEEING + ADJUSTING
