"""Exercise set 2, the golf tree by hand: entropy, gain, gain ratio, ties and encodings."""

from functools import cache

import numpy as np

from fi_course.questions.checks import Mistake, by_hand, catches, choice, function, value
from fi_course.questions.implementations_to_test import ch02_golf as implementations
from fi_course.questions.question import Question
from fi_teach.data import golf

BLOCKED = ("fi_teach.basics.impurity", "fi_teach.trees.c45", "fi_teach.trees.cart")


# Definitions to judge by, slow and short.

def _shares_of(counts):
    return np.asarray(counts, float) / np.sum(counts)


def _entropy(counts):
    return -sum(p * np.log2(p) for p in _shares_of(counts) if p > 0)


def _rows(branches):
    return [np.sum(branch) for branch in branches]


def _gain(branches):
    mean = sum(share * _entropy(branch)
               for share, branch in zip(_shares_of(_rows(branches)), branches, strict=True))
    return _entropy(np.sum(branches, axis=0)) - mean


def _gain_ratio(branches):
    return _gain(branches) / _entropy(_rows(branches))


@cache
def _days():
    """Return the fourteen days -> {codes of Outlook, Temperature, Humidity, Wind: decision}."""
    X, y = golf()
    return dict(zip(X.itertuples(index=False, name=None), y, strict=True))


def _decision(*codes):
    return _days()[codes]


# Mistaken formulas, each under the name a check gives it.

def _entropy_without_care(counts):
    """Compute entropy without the convention 0 log 0 = 0."""
    return _entropy(counts) if np.all(np.asarray(counts) > 0) else np.nan


def _entropy_that_raises(counts):
    if np.any(np.asarray(counts) == 0):
        raise ValueError("log of 0")
    return _entropy(counts)


def _nothing_without_all_classes(counts):
    return _entropy(counts) if np.all(np.asarray(counts) > 0) else 0.0


def _unshared(counts):
    return -sum(c * np.log2(c) for c in counts if c > 0)


def _summed_surprise(counts):
    return -sum(np.log2(p) for p in _shares_of(counts) if p > 0)


def _relative_entropy(counts):
    return _entropy(counts) / np.log2(len(counts))


def _gini(counts):
    return 1 - (_shares_of(counts) ** 2).sum()


def _ratio_unweighted(branches):
    mean = np.mean([_entropy(branch) for branch in branches])
    return (_entropy(np.sum(branches, axis=0)) - mean) / _entropy(_rows(branches))


def _printed_rules(outlook, temperature, humidity, wind):
    return "No" if humidity <= 1 and outlook <= 1 else "Yes"


def _rules_without(day_left):
    """Return the table's decisions, with one day wrongly answered Yes."""
    def rules(*codes):
        return "Yes" if codes == day_left else _decision(*codes)
    return rules


def _wind_decides(*codes):
    return "No" if codes[3] > 1 else _decision(*codes)


# Cases, the smallest first.

def _counts(rng):
    small = [[1, 1], [4, 0], [3, 1], [9, 5], [2, 2, 2], [0, 0, 7], [1, 1, 1, 1], [4, 0, 2]]
    return [(np.array(counts),)
            for counts in small + [rng.integers(1, 10 * k, size=2 + k % 4) for k in range(1, 9)]]


def _branches(rng):
    small = [[[1, 0], [0, 1]], [[2, 0], [0, 1]], [[1, 0], [0, 1], [1, 0]], [[3, 4], [6, 1]],
             [[2, 3], [4, 0], [3, 2]]]
    drawn = [rng.integers(0, 5, size=(2 + k % 3, 2 + k % 2))
             + np.eye(2 + k % 3, 2 + k % 2, dtype=int) for k in range(1, 9)]
    return [(np.array(branches),) for branches in small + drawn]


def _fourteen_days(rng):
    return list(_days())


def _left(*counts):
    """Return the entropy of a node with these counts, in bits times days."""
    return sum(counts) * _entropy(counts)


DAYS = 18
"""The museum's days. Its tree has two mixed leaves, of four days and of two."""
DAY = _left(11, 7) - _left(4, 6) - _left(7, 1)
SKY = _left(4, 6) - _left(4, 2)
WIND = _left(7, 1) - _left(2, 1)
TIED_WIND = _left(4, 2) - _left(2, 2)
TIED_SKY = _left(2, 1) - _left(1, 1)


def _of_museum(leaf_of_wind=0, leaf_of_sky=0):
    """Return the decreases in bits times days, ignoring some entropy of the two leaves."""
    return {"Day": DAY, "Sky": SKY + TIED_SKY + leaf_of_sky,
            "Wind": WIND + TIED_WIND + leaf_of_wind}


HEAT = _gain([[5, 1], [6, 6]])

RECALL = [
    Question(
        id="golf.recall_below", title="What is left to earn?", kind="number", stars=1, minutes=3,
        points=1,
        hints=("Pure leaves: nothing is left of what the node had.",
               "Decreases telescope, so the splits below take away all of the node's impurity "
               "together.",
               "Its impurity counts with its share of the rows: how many of the eight does it "
               "hold?"),
        check=value(
            0.2,
            Mistake("node weight forgotten", 0.32,
                    "This is the node's own impurity. "
                    "In the tree it counts with its share of the rows."),
            Mistake("in rows", 1.6,
                    "You multiplied by the node's rows and did not divide by all eight."),
            Mistake("the other rows", 0.12,
                    "You weighted with the three rows that are *not* in the node.")),
        meaning="That is why *Time* had 0.2 in every midterm tree grown to purity. "
                "In this chapter the same rule tells why a total can be right though its parts are "
                "wrong."),
    Question(
        id="golf.recall_cuts", title="Where may it be cut?", kind="predict", stars=1, minutes=3,
        points=1,
        hints=("Rows of one value cannot be parted: "
               "look at the values 1, 2 and 3, not at the six rows.",
               "A cut lies midway between two neighbouring values.",
               "Are all the rows at 2 and 3 of one class? If not, a cut between them may be best."),
        check=choice(
            "c",
            Mistake("a mixed value has two sides", "a",
                    "The rows at 2 and at 3, put together, are not of one class: one at 3 is No. "
                    "So the cut between 2 and 3 may pay as well."),
            Mistake("a boundary overlooked", "b",
                    "Between 1 (No, No) and 2 (Yes, Yes) the class changes completely."),
            Mistake("threshold on a data point", "d",
                    "These are values that rows have. A cut lies midway between two values.")),
        meaning="Coded columns have few values and many ties, so few cuts: "
                "golf's four columns have six cuts in all."),
]

BITS = [
    Question(
        id="golf.predict_root", title="Which column first?", kind="predict", stars=1, minutes=4,
        points=1,
        hints=("Count yes and no on both sides of a cut, for one column after the other.",
               "With codes, Sky can be cut into clear | cloudy, rain or into clear, cloudy | rain, "
               "but not into three.",
               "Free days: 7 yes, 1 no. Working days: 4 yes, 6 no. Can any cut of Sky do as well?"),
        check=choice(
            "c",
            Mistake("the answer for categories", "a", "Sky as a *category*, cut into three, would "
                    "win (0.275 bits). Coded, it can only be cut into two, in the order of its "
                    "codes, and the better cut gains 0.117 bits."),
            Mistake("more values, more information?", "b",
                    "Warmth has more cuts to choose from than Day, but its best gains 0.081 bits."),
            Mistake("a good story", "d", "It sounds right that wind should matter, but its cut "
                    "gains 0.086 bits only at the root.")),
        meaning="Day gains 0.183 bits. Note what decided it: not the weather alone, but how the "
                "weather was written down."),
    Question(
        id="golf.entropy", title="Entropy in bits", kind="implement", stars=2, minutes=8, points=3,
        hints=("Turn the counts into shares first: divide by their sum.",
               "A class that does not occur contributes nothing: "
               "leave it out before you take its logarithm.",
               "Its surprise is -log2 of its share. Each surprise counts with the share of its "
               "class; add them up."),
        check=function(
            _counts, _entropy,
            Mistake("entropy in nats", lambda counts: _entropy(counts) * np.log(2),
                    "These are nats: `np.log` and `math.log` have base e. Bits need base 2."),
            Mistake("entropy in base 10", lambda counts: _entropy(counts) * np.log10(2),
                    "Your logarithm has base 10. Bits need base 2."),
            Mistake("a class that is absent", _entropy_without_care,
                    "A class without rows makes it NaN, since log 0 has no value. "
                    "By agreement 0 log 0 = 0: leave such classes out."),
            Mistake("a class that is absent", _entropy_that_raises,
                    "A class without rows: by agreement 0 log 0 = 0, so leave it out."),
            Mistake("a class that is absent", _nothing_without_all_classes,
                    "You return 0 as soon as a class is absent. Only that class contributes "
                    "nothing: the others are still mixed."),
            Mistake("counts for shares", _unshared,
                    "You took the logarithm of counts: divide by their sum first."),
            Mistake("sign", lambda counts: -_entropy(counts),
                    "The logarithm of a share is negative: the sum needs a minus."),
            Mistake("not averaged", _summed_surprise,
                    "You added the surprises. Each counts with the share of its class."),
            Mistake("scaled to 1", _relative_entropy,
                    "You divided by the largest possible entropy. Bits are not scaled: "
                    "four equal classes have 2."),
            Mistake("Gini, not entropy", _gini, "This is the Gini impurity: the question asks for "
                    "the entropy."),
            lists=True),
        blocked=BLOCKED,
        meaning="9 Yes and 5 No have 0.940 bits, nearly a full question a day: "
                "knowing how often people play tells you little."),
    Question(
        id="golf.gain", title="What the heat tells", kind="number", stars=1, minutes=6, points=2,
        hints=("Three entropies: all days (11, 7), hot days (5, 1), the others (6, 6).",
               "They are 0.964, 0.650 and 1 bit. How many of the 18 days does each child hold?",
               "The parent's entropy less the mean of the children's, each weighted by its share "
               "of the days."),
        check=value(
            HEAT,
            Mistake("gain in nats", HEAT * np.log(2), "These are nats. Bits need logarithms of "
                    "base 2."),
            Mistake("in bits times days", DAYS * HEAT, "This is the gain of all 18 days together: "
                    "the question asks for one day."),
            Mistake("what is left", _entropy([11, 7]) - HEAT,
                    "This is what the children still have: "
                    "the gain is the parent's entropy less this."),
            Mistake("the parent is not one bit", 1 - _entropy([11, 7]) + HEAT,
                    "You took the parent's entropy as 1 bit: 11 to 7 is not half and half."),
            Mistake("one child forgotten", _entropy([11, 7]) - _entropy([5, 1]) / 3,
                    "The days that were not hot are missing: they are half and half."),
            Mistake("one child forgotten", _entropy([11, 7]) - 2 / 3,
                    "The hot days are not pure either."),
            Mistake("children taken off in full", _entropy([11, 7]) - _entropy([5, 1]) - 1,
                    "You took both children's entropies off in full: each counts with its share of "
                    "the days. No gain is negative."),
            Mistake("children counted alike", _entropy([11, 7]) - (_entropy([5, 1]) + 1) / 2,
                    "You averaged the children as if both held as many days."),
            Mistake("Gini, not entropy", _gini([11, 7]) - _gini([5, 1]) / 3 - 1 / 3,
                    "This is the decrease in Gini: the question asks for entropy."),
            unit="bits", tolerance=0.0031),
        meaning="Being told whether it was hot saves 0.08 of the 0.96 questions a day. The tree "
                "asks something better first."),
    Question(
        id="golf.gain_ratio", title="A fee for many branches", kind="implement", stars=3,
        minutes=12, points=3,
        hints=("Two entropies of different things: one of the classes, one of the *branches*.",
               "The gain is the parent's class entropy less the mean class entropy of the "
               "branches, weighted by rows.",
               "The split information is the entropy of the branch sizes; "
               "divide the gain by it, both in bits."),
        check=function(
            _branches, _gain_ratio,
            Mistake("gain, not ratio", _gain, "This is the gain. Divide it by the split "
                                              "information, the entropy of the branch sizes."),
            Mistake("split information in nats", lambda b: _gain_ratio(b) / np.log(2),
                    "Your gain is in bits and your split information in nats: "
                    "a ratio needs one base for both."),
            Mistake("gain in nats", lambda b: _gain_ratio(b) * np.log(2),
                    "Your gain is in nats and your split information in bits: "
                    "a ratio needs one base for both."),
            Mistake("divided by the classes' entropy",
                    lambda b: _gain(b) / _entropy(np.sum(b, axis=0)),
                    "You divided by the entropy of the *classes*. The fee is for the branches: "
                    "the entropy of their sizes."),
            Mistake("divided by the branches", lambda b: _gain(b) / len(b),
                    "You divided by the number of branches. Their sizes matter too: "
                    "take the entropy of the sizes."),
            Mistake("branches not weighted", _ratio_unweighted,
                    "In the gain, each branch's entropy counts with its share of the rows."),
            Mistake("upside down", lambda b: 1 / _gain_ratio(b),
                    "Upside down: the gain is divided by the split information."),
            lists=True),
        blocked=BLOCKED,
        meaning="The ratio asks how much of what a branching says is about the target. "
                "Outlook in three branches: 0.247 bits of gain for 1.577 bits of branching, "
                "ratio 0.156; Humidity 0.152 for 1, ratio 0.152: nearly a draw."),
]

IMPORTANCE = [
    Question(
        id="golf.recode", title="The same weather, other codes", kind="number", stars=2, minutes=8,
        points=2,
        hints=("Which days can now be parted by one cut? Write the two cuts in words.",
               "The new order allows sunny, rain | overcast. Overcast days: 4 Yes. The others: "
               "5 Yes, 5 No.",
               "Overcast days keep nothing. What do the other ten keep, weighed by their share of "
               "the days?"),
        check=value(
            _gain([[5, 5], [4, 0]]),
            Mistake("the old order", _gain([[2, 3], [7, 2]]),
                    "That is the best cut in the *old* order (sunny against the rest), "
                    "still there but no longer the best."),
            Mistake("three branches", _gain([[2, 3], [4, 0], [3, 2]]),
                    "That is Outlook cut into three. A numeric column is cut into two."),
            Mistake("gain in nats", _gain([[5, 5], [4, 0]]) * np.log(2),
                    "These are nats. Bits need logarithms of base 2."),
            Mistake("what is left", 10 / 14,
                    "This is what the children still have: "
                    "the gain is the parent's 0.940 less this."),
            Mistake("in bits times days", 14 * _gain([[5, 5], [4, 0]]),
                    "This is the gain of all 14 days together: the question asks for one."),
            unit="bits", tolerance=0.0042),
        meaning="0.226 bits beat Humidity's 0.152: "
                "with these codes the root is Outlook and the tree is another one. "
                "Nothing about the weather has changed. "
                "Codes of categories are a choice, and trees see it."),
    Question(
        id="golf.tied_leaf", title="A leaf that is not pure", kind="number", stars=2, minutes=6,
        points=2,
        hints=("Who sits in the two children? Write down yes and no of each.",
               "Strong wind: two yes and two no. What is the entropy of two against two?",
               "The six days begin with 0.918 bits each. Take off what the four days of the mixed "
               "leaf keep."),
        check=value(
            TIED_WIND,
            Mistake("forgetting the leaf", _left(4, 2),
                    "You counted both children as pure. "
                    "The leaf of strong wind holds two yes and two no: "
                    "it *answers* yes, but its four days have 1 bit each, "
                    "and that is not taken away."),
            Mistake("the leaf not weighted", _left(4, 2) - 1,
                    "The mixed leaf holds four days: its 1 bit counts four times."),
            Mistake("a day's decrease", TIED_WIND / 6, "This is the decrease for one of the six "
                    "days: the notes count all six."),
            Mistake("a share of all days", TIED_WIND / DAYS,
                    "You divided by all 18 days: here decreases are counted in bits times days."),
            Mistake("the other split", TIED_SKY, "This is the fifth split, on Sky, and right for "
                    "that one."),
            unit=("bits times days", "bits", "bit days", "days times bits"), tolerance=0.006),
        meaning="1.51, not the 5.51 of the notes. A leaf's printed answer says which class is not "
                "the rarer one, not that it is alone."),
    Question(
        id="golf.shares", title="The shares, put right", kind="number", stars=2, minutes=6,
        points=2,
        hints=("Add up the decreases of each feature over all of its splits.",
               "Day 3.296, Sky 4.200 + 0.755, Wind 1.594 and your own number.",
               "Divide each by the sum of these three, not by another tree's total."),
        check=value(
            implementations.shares(_of_museum()),
            Mistake("forgetting the leaf", implementations.shares(_of_museum(4, 2)),
                    "These are the shares of the notes, with the two mixed leaves counted "
                    "as pure."),
            Mistake("one leaf of two", implementations.shares(_of_museum(4, 0)),
                    "The leaf of two days is counted rightly, the leaf of four days as if it "
                    "were pure."),
            Mistake("one leaf of two", implementations.shares(_of_museum(0, 2)),
                    "The leaf of four days is counted rightly; "
                    "the fifth split has a mixed leaf, too: "
                    "the table says what it takes away exactly."),
            Mistake("not normalised", _of_museum(), "The decreases are right. Shares are these "
                    "divided by their sum."),
            Mistake("the last split only",
                    implementations.shares({"Day": DAY, "Sky": TIED_SKY, "Wind": TIED_WIND}),
                    "Sky and Wind are split on twice: add both decreases."),
            Mistake("mean of the splits",
                    implementations.shares({"Day": DAY, "Sky": (SKY + TIED_SKY) / 2,
                                            "Wind": (WIND + TIED_WIND) / 2}),
                    "You averaged over a feature's splits. "
                    "A feature used twice has earned twice: add."),
            Mistake("another tree's total", {f: d / _left(11, 7) for f, d in _of_museum().items()},
                    "You divided by 17.35, what a tree with pure leaves takes away. This one takes "
                    "away less; your shares do not add up to 1."),
            Mistake("percent",
                    {f: 100 * s for f, s in implementations.shares(_of_museum()).items()},
                    "Right as percentages: write them as shares of 1, or as words with the sign, "
                    "as in `\"50 %\"`.")),
        meaning="Sky .44, Day .29, Wind .27. By the notes Wind came first, with .41: counting "
                "mixed leaves as pure has turned the ranking round."),
    Question(
        id="golf.whose_total", title="Half mended", kind="predict", stars=2, minutes=5, points=2,
        hints=("What do the decreases of a tree add up to, leaf by leaf?",
               "The root's entropy less what the leaves keep. In the notes no leaf keeps anything.",
               "Which leaf is still taken as pure, and what does the other one keep?"),
        check=choice(
            "b",
            Mistake("a sum is no witness", "a", "The fourth row has fallen by 4 bits, so the sum "
                    "has. Normalising comes after the sum: it spreads an error over all shares, it "
                    "removes none."),
            Mistake("one leaf overlooked", "c", "11.35 is what the tree takes away when both mixed "
                    "leaves keep what they have. In the fifth row the leaf of two days still "
                    "counts as pure."),
            Mistake("a sum that telescopes", "d", "No tree need be grown: the decreases add up to "
                    "the root less the leaves, whatever the splits are, so each leaf taken as pure "
                    "adds just what it would have kept.")),
        meaning="A total is a root less its leaves. So a right total is no proof of right parts: "
                "17.35 was the sign that the leaves were taken as pure. Check a sum, and then ask "
                "what it would be if you had made a mistake."),
    Question(
        id="golf.mend_rules", title="Find the bug: rules that decide nothing", kind="mend", stars=2,
        minutes=10, points=3,
        hints=("Run the rules on all 14 days. On which two do they differ from the table?",
               "They are days 6 and 14. Both are rainy and windy, "
               "and both end in an `if` whose two branches say the same.",
               "An idle `if` becomes a question if its two branches answer differently. Which code "
               "tells these two days from the others?"),
        check=function(
            _fourteen_days, _decision,
            Mistake("one day left", _rules_without((3, 3, 2, 2)),
                    "Thirteen of fourteen: one of the two idle questions is mended."),
            Mistake("one day left", _rules_without((3, 2, 1, 2)),
                    "Thirteen of fourteen: the idle question in the other half is still idle."),
            Mistake("every windy day", _wind_decides, "Now every windy day is a No, but on days 7, "
                                                      "11 and 12 golf was played in strong wind."),
            Mistake("the majority", lambda *codes: "Yes",
                    "Always Yes is right on 9 days of 14, and needs no tree."),
            planted=_printed_rules),
        meaning="A split can lower the entropy, and so earn importance, "
                "without changing a single answer. "
                "Importance in impurity is about certainty, not about decisions."),
    Question(
        id="golf.test_shares", title="Write a test for shares", kind="test", stars=2, minutes=10,
        points=3,
        hints=("Choose decreases whose shares you know, such as 1, 2 and 5, "
               "and compare with a tolerance.",
               "Shares add up to 1. Always? Also if they are not round, as for 1, 1 and 1?",
               "Give one feature the decrease 0 and ask for its entry: it must be there, and 0."),
        check=catches(
            right=[
                Mistake("refuses a right one", implementations.shares,
                        "Your test refuses a right implementation. "
                        "Work its cases out again, and compare with a tolerance: "
                        "0.1 + 0.2 is 0.30000000000000004."),
                Mistake("exact equality or order", implementations.in_another_order,
                        "Your test refuses a right implementation that lists the features in "
                        "another order, with a last bit rounded differently: "
                        "compare feature by feature and with a tolerance.")],
            bugs=[
                Mistake("misses the largest as 1", implementations.by_the_largest,
                        "An implementation that divides by the largest passes your test."),
                Mistake("misses another total", implementations.by_the_rows,
                        "An implementation that divides by 14 instead of by the sum passes "
                        "your test."),
                Mistake("misses a lost feature", implementations.without_zeros,
                        "An implementation that drops features with decrease 0 passes your test. "
                        "Temperature has 0, and that is a result."),
                Mistake("misses cut-off decimals", implementations.truncated,
                        "An implementation that cuts shares off after two decimals passes your "
                        "test: use shares such as 1/3, and see that they add up to 1."),
                Mistake("misses equal shares", implementations.equal,
                        "An implementation that gives every feature the same passes your test: "
                        "use decreases that differ."),
                Mistake("misses squared decreases", implementations.of_squares,
                        "An implementation that squares the decreases first passes your test: "
                        "compare every share with its value.")]),
        meaning="One of the planted bugs is from the field: .16 + .48 + .35 = .99, since .487 was "
                "cut off to .48. A sum that must be 1 is the cheapest test there is."),
    Question(
        id="golf.report", title="Which of the four do you report?", kind="explain", stars=2,
        minutes=10, points=3,
        hints=("Is one of the four trees more right than the others?",
               "Which statements are true of all four?",
               "What could you report instead of one number?"),
        check=by_hand,
        rubric=((1, "the four trees are equally good by the algorithm's own criterion, "
                    "so no single number is *the* importance of wind"),
                (1, "an honest report gives the range (.20 to .36) or all four, "
                    "and says that it comes from ties"),
                (1, "it names what holds in all four: "
                    "Outlook first, Wind second, Humidity .16, Temperature 0"))),
]

QUESTIONS = RECALL + BITS + IMPORTANCE
