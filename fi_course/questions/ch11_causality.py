"""Exercise set 11, causality: intervening, the back door, measurement error, adjustment."""

import numpy as np

from fi_course.questions.implementations_to_test import ch11_causality as implementations
from fi_course.questions.question_text import questions

# The back-door mean, by its formula, and what people write instead.

def sum_of_groups(z, x, y, value):
    return len(y) * implementations.back_door(z, x, y, value)


def effect_of(z, x, y, value):
    return implementations.back_door(z, x, y, value) - implementations.back_door(z, x, y, 1 - value)


def by_regression(z, x, y, value):
    """Return the mean of the regression y ~ 1 + z + x with x set to the value."""
    slopes = np.linalg.lstsq(np.column_stack([np.ones(len(z)), z, x]), y, rcond=None)[0]
    return slopes @ [1, z.mean(), value]


def tables(rng):
    """Draw tables in which every group has rows of either value, the smallest first."""
    small = [([0, 0, 1, 1], [0, 1, 1, 0], [0, 1, 5, 7], 1),
             ([0, 0, 1, 1, 1], [0, 1, 1, 1, 0], [0, 1, 5, 7, 2], 1),
             (np.repeat([1, 0], 10), np.repeat([1, 0, 1, 0], [8, 2, 2, 8]), np.repeat([6, 2], 10),
              0)]
    drawn = [(np.append([0, 0, 1, 1], rng.integers(2, size=n)),
              np.append([0, 1, 0, 1], rng.integers(2, size=n)),
              rng.integers(0, 10, size=n + 4), int(rng.integers(2))) for n in range(6, 12)]
    return [(np.array(z), np.array(x), np.array(y, float), value)
            for z, x, y, value in small + drawn]


# A recipe in which one line is struck out, and other things done to it.

def mean_done(z, e_x, e_y, effect, value):
    return np.mean(2 * z + effect * value + e_y)


def nearest(z, e_x, e_y, effect, value):
    """Average the two patients with the nearest value, without setting it: the planted bug."""
    x = z + e_x
    y = 2 * z + effect * x + e_y
    return y[np.argsort(abs(x - value))[:2]].mean()


def set_too_late(z, e_x, e_y, effect, value):
    return np.mean(2 * z + effect * (z + e_x) + e_y)


def health_set_too(z, e_x, e_y, effect, value):
    return np.mean(2 * value + effect * value + e_y)


def noise_kept(z, e_x, e_y, effect, value):
    return np.mean(2 * z + effect * (value + e_x) + e_y)


def health_left_out(z, e_x, e_y, effect, value):
    return np.mean(effect * value + e_y)


def noise_of_y_left_out(z, e_x, e_y, effect, value):
    return np.mean(2 * z + effect * value)


def line(z, e_x, e_y, effect, value):
    x = z + e_x
    slope = np.cov(x, 2 * z + effect * x + e_y, ddof=0)[0, 1] / x.var()
    return np.mean(2 * z + effect * x + e_y) + slope * (value - x.mean())


def wards(rng):
    """Draw patients' health and noise, an effect and a value, the smallest first."""
    small = [([0, 1, 3], [0, 0, 0], [0, 0, 0], 0, 3), ([0, 1, 3], [0, 0, 1], [0, 1, 0], 2, 1)]
    return [(np.array(z, float), np.array(e_x, float), np.array(e_y, float), effect, value)
            for z, e_x, e_y, effect, value in [*small, *(ward(n, rng) for n in range(4, 11))]]


def ward(n, rng):
    """Draw a ward whose two nearest patients do not depend on how ties are sorted."""
    while True:
        z, e_x, e_y = rng.integers(-4, 5, size=(3, n))
        effect, value = int(rng.integers(-2, 3)), int(rng.integers(-3, 4))
        second, third = np.sort(abs(z + e_x - value))[1:3]
        if second < third:
            return z, e_x, e_y, effect, value


QUESTIONS = questions(r"""
# causality.recall_slope: What shuffling costs | number, 1 star, 4 min, 1 point
? For a straight line the importance is twice the slope times a covariance (chapter 6).
? The model's slope is the true one, and Cov(x, y) is the slope times Var(x).
? The slope enters twice, once through the model and once through the world. Put the two hints
    together.
= value(9)
- 4.5 | the factor 2 | This is the variance of 3x. A shuffled value is as far off as two independent
    draws are: twice that.
- 3 | the slope once | The slope enters twice: once in the model and once in the world.
- 18 | the variance forgotten | You took Var(x) as 1; here it is 0.5.
- 6 | slope as importance | You doubled the slope. An importance in squared error is quadratic in
    it, and it depends on how much x varies.
> The value depends on how widely x varies in these rows: the same slope in a narrower population
    has a smaller importance.

# causality.recall_idle: One that is not zero | predict, 1 star, 3 min, 1 point
? The model never reads column b, so nothing that happens to b changes an output.
? In one of the four, a known column changes what is expected of the others.
? Which of the four depends on the correlation of a and b, and not only on what the model reads?
= choice("d")
- "a" | no split, no decrease | MDI adds up decreases of splits on b. There is none, so b has
    exactly 0.
- "b" | nothing read, nothing lost | Shuffling a column that the model does not read changes no
    output: exactly 0.
- "c" | filled in whatever is known | In this game b is put into a model that does not read it:
    exactly 0.
> If b is known, the conditional game expects another value of a. That is a statement about the
    data, and still not about causes.

# causality.thirty_patients: Thirty patients | number, 1 star, 6 min, 2 points
? For `seen` use only those who had the drug: 4 mild and 8 severe.
? For `done` everybody gets it: what share of all thirty is mild?
? Both average the same two means, those *with* the drug. Only the weights differ: which patients
    does each of them count?
= value({"seen": 7, "done": 5})
- {"seen": 5, "done": 7} | the two exchanged | The weights are exchanged: seeing weights the groups
    by those who had the drug, doing by all patients.
~ {"done": 6} | groups counted alike | For `done` you counted both groups alike. Each counts by its
    share of all thirty.
~ {"seen": 6} | groups counted alike | For `seen` you counted both groups alike. Each counts by how
    many of it had the drug.
~ {"done": 7} | seen twice | For `done` you gave the mean of those who had the drug. If everybody
    gets it, the severe are no longer in the majority.
~ {"done": 20 / 30 * 4 + 10 / 30 * 12} | without the drug | For `done` you gave what happens if
    nobody gets the drug: use the days *with* it.
~ {"done": 5 - 20 / 3} | the effect, not the mean | For `done` you took off the mean without the
    drug. That is the effect; the question asks how long they stay.
~ {"seen": 7 - (16 * 4 + 2 * 12) / 18} | the effect, not the mean | For `seen` you took off the mean
    of those without the drug. The question asks how long those with it stay.
~ {"done": (4 * 3 + 16 * 4 + 8 * 9 + 2 * 12) / 30} | all as they are | For `done` you gave the mean
    of the thirty as they are, with and without drug.
> Those without the drug stayed 4.9 days on average, those with it 7: the drug looks harmful, and it
    shortens the stay in both groups. It was given to the severe.

# causality.back_door: Through the back door | implement, 2 stars, 10 min, 3 points
? Go through the groups of z. In each, look at the rows with x == value.
? Weight each group's mean by the group's share of *all* rows.
? Two masks: rows of the group, and those of them with the value. Which of the two gives the weight,
    which the mean?
= function(tables, back_door)
- seen | seeing, not doing | This is the plain mean of the rows with that value: what one sees. Its
    groups are weighted by who *has* the value.
- groups_alike | groups counted alike | You averaged the groups' means evenly: each counts by its
    share of all rows.
- all_rows | everybody as they are | This is the mean over all rows, whatever their value: within
    each group take only the rows with x == value.
- weights_seen | weights and means exchanged | You weighted by who has the value and averaged over
    everybody: it is the other way round.
- sum_of_groups | counts for shares | You weighted by the number of rows: divide by how many there
    are in all.
- effect_of | the effect, not the mean | You subtracted the mean for the other value. The question
    asks for the mean, not for the effect.
- by_regression | a straight line for z and x | You fitted y to z and x by a straight line. That is
    right only where the effect is the same in every group and z enters in proportion: average the
    groups' own means.
! fi_teach.importance.causal
> It is the effect of doing only if z blocks every back door. No line of the function can check
    that: it is what you know about the arrows.

# causality.test_back_door: A test that tells seeing from doing | test, 2 stars, 10 min, 0 points
? Take a small table whose right answer you can work out by hand.
? In your table the two groups must differ in size, and in the share that has the value.
? Five rows are enough: two in one group, three in the other, and x = 1 in a different share of
    each.
= catches()
+ back_door | refuses a right one | Your test refuses a right implementation: work your expected
    value out again, and leave room for rounding (`< 1e-9`).
+ rounded_otherwise | exact equality | Your test refuses a right implementation whose last bit is
    rounded differently: compare with a tolerance, as in `abs(a - b) < 1e-9`.
- seen | seeing passes | An implementation that returns the plain mean of the rows with that value
    passes your test: choose a table in which seeing and doing differ.
- groups_alike | even weights pass | An implementation that weights all groups alike passes: give
    your groups different sizes.
- all_rows | the value ignored passes | An implementation that ignores the value and averages all
    rows passes: let y differ between values.
- weights_seen | exchanged weights pass | An implementation that weights by who has the value
    and averages everybody's y passes: let the value be rarer in the larger group.
> A table of five rows tells five formulas apart. The data of a real hospital would have been no
    better test: there nobody knows the right answer.

# causality.mend_do: Find the bug: the ward that only looked | mend, 2 stars, 8 min, 3 points
? What does do(x = value) do to the line of the recipe in which x is made?
? All patients are averaged, and they keep their health and their noise in y.
? Which line of the recipe is struck out, and over whom is y averaged?
= function(wards, mean_done, planted=nearest)
- set_too_late | set too late | You set the value after the severity had been made: strike out the
    line of x, then let y follow.
- health_set_too | health set too | You set health as well. Setting the value changes nobody's
    health: the arrow points the other way.
- noise_kept | the noise kept | You added the noise of x to the value. Set by hand, it is the same
    number for everybody.
- line | a line through the patients | You fitted a straight line of y on x and read it at the
    value. That is seeing: patients with that x have the health that goes with it.
- health_left_out | health left out | You struck out health from the line of y as well: only the
    line of x goes.
- noise_of_y_left_out | the severity's noise left out | You left e_y out of the line of y. These
    patients keep theirs, and over a few of them it does not cancel.
> Looking up the patients near a value also looks up their health. That is the whole difference.

# causality.two_records: Two records of one health | number, 2 stars, 6 min, 2 points
? Both columns are health plus independent noise of the same size. Is one of them nearer to health?
? The best estimate of z from two such columns weights them alike: each gets 1/(2 + variance of the
    noise).
? Severity is *twice* health: what does that make of the weight?
= value(2 / 2.25)
- 0 | adjusted away | It would be 0 if the record had no error. This one measures health no
    better than the value does.
- 2 / 1.25 | alone | This is the slope with the value alone in the model: 2/(1 + 0.25). Now two
    columns share the work.
- 1 | the noise forgotten | Shared evenly, yes; but two noisy columns do not give health exactly:
    the noise has variance 0.25.
- 2 / 2.5 | sd for variance | You added the standard deviation, 0.5. Variances add up: 0.5² = 0.25.
- 2 / 2.09 | the severity's noise | You added the variance of the severity's own noise. What blurs
    the two *columns* is theirs, 0.25.
- 2 | health's own slope | This is how severity follows health itself. The columns know health with
    an error, and there are two of them.
- 0.9 | rounded too far | Near, and rounded too far: give two decimals, or a fraction.
- 1 / 2.25 | health's estimate | This is the weight in the estimate of z; severity is twice z.
> The false effect falls from 1.6 to 0.89: adjusting for a record that is 80% health takes away less
    than half.

# causality.which_columns: What should be adjusted for? | predict, 2 stars, 5 min, 2 points
? Draw the arrows, and mark those that point *into* training.
? A column that training itself changes must not be adjusted for, if the whole effect is wanted.
? Which of the three columns has an arrow *into* training, and which come after it?
= choice("a")
- "b" | everything | Fitness carries training's effect, and visits are a common consequence:
    adjusting hides one path and opens another.
- "c" | nothing | Age affects both training and pressure: a back-door path is open.
- "d" | the mediator as well | Fitness is how training works. Hold it fixed, and that part of the
    effect is gone.
- "e" | the consequence as well | Training and pressure both send people to the doctor: among people
    with equal visits the two are correlated without any effect.
> A model that only *predicts* blood pressure may use all three. What to adjust for depends on the
    question and on the arrows.

# causality.press_release: The press release | explain, 2 stars, 12 min, 3 points
? Underline the verbs. Which of them claim an effect?
? Sketch one set of arrows in which vitamin D does nothing, and one in which it is even harmful.
? What table would settle it? And what can be said from the one they have?
= by_hand
* 1 | names the claim that does not follow (importance to effect), with a concrete confounder or
    reversed arrow
* 1 | says why the SHAP ranking, adjusting for "all available columns" or a better measure does not
    repair it: mediators, consequences or errors of record
* 1 | a true sentence about prediction in this model with these columns, and what would settle the
    question: a trial, or an argued adjustment
""", vars(implementations) | globals())
