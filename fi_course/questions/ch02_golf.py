"""Exercise set 2, the golf tree by hand: entropy, gain, gain ratio, ties and encodings."""

from functools import cache

import numpy as np

from fi_course.questions.implementations_to_test import ch02_golf as implementations
from fi_course.questions.question_text import questions
from fi_teach.data import golf

# Definitions to judge by, slow and short.

def shares_of(counts):
    return np.asarray(counts, float) / np.sum(counts)


def entropy(counts):
    return -sum(p * np.log2(p) for p in shares_of(counts) if p > 0)


def rows(branches):
    return [np.sum(branch) for branch in branches]


def gain(branches):
    mean = sum(share * entropy(branch)
               for share, branch in zip(shares_of(rows(branches)), branches, strict=True))
    return entropy(np.sum(branches, axis=0)) - mean


def gain_ratio(branches):
    return gain(branches) / entropy(rows(branches))


@cache
def days():
    """Return the fourteen days -> {codes of Outlook, Temperature, Humidity, Wind: decision}."""
    X, y = golf()
    return dict(zip(X.itertuples(index=False, name=None), y, strict=True))


def decision(*codes):
    return days()[codes]


# Mistaken formulas, each under the name a check gives it.

def entropy_without_care(counts):
    """Compute entropy without the convention 0 log 0 = 0."""
    return entropy(counts) if min(counts) > 0 else np.nan


def entropy_that_raises(counts):
    if min(counts) == 0:
        raise ValueError("log of 0")
    return entropy(counts)


def nothing_without_all_classes(counts):
    return entropy(counts) if min(counts) > 0 else 0.0


def summed_surprise(counts):
    return -sum(np.log2(p) for p in shares_of(counts) if p > 0)


def gini(counts):
    return 1 - (shares_of(counts) ** 2).sum()


def ratio_unweighted(branches):
    mean = np.mean([entropy(branch) for branch in branches])
    return (entropy(np.sum(branches, axis=0)) - mean) / entropy(rows(branches))


def printed_rules(outlook, temperature, humidity, wind):
    return "No" if humidity <= 1 and outlook <= 1 else "Yes"


def rules_without(day_left):
    """Return the table's decisions, with one day wrongly answered Yes."""
    def rules(*codes):
        return "Yes" if codes == day_left else decision(*codes)
    return rules


def wind_decides(*codes):
    return "No" if codes[3] > 1 else decision(*codes)


# Cases, the smallest first.

def counts_of(rng):
    small = [[1, 1], [4, 0], [3, 1], [9, 5], [2, 2, 2], [0, 0, 7], [1, 1, 1, 1], [4, 0, 2]]
    return [(np.array(counts),)
            for counts in small + [rng.integers(1, 10 * k, size=2 + k % 4) for k in range(1, 9)]]


def branches_of(rng):
    small = [[[1, 0], [0, 1]], [[2, 0], [0, 1]], [[1, 0], [0, 1], [1, 0]], [[3, 4], [6, 1]],
             [[2, 3], [4, 0], [3, 2]]]
    drawn = [rng.integers(0, 5, size=(2 + k % 3, 2 + k % 2))
             + 5 * np.eye(2 + k % 3, 2 + k % 2, dtype=int)  # so that no gain is zero
             for k in range(1, 9)]
    return [(np.array(branches),) for branches in small + drawn]


def fourteen_days(rng):
    return list(days())


def left(*counts):
    """Return the entropy of a node with these counts, in bits times days."""
    return sum(counts) * entropy(counts)


DAYS = 18
"""The museum's days. Its tree has two mixed leaves, of four days and of two."""
DAY = left(11, 7) - left(4, 6) - left(7, 1)
SKY = left(4, 6) - left(4, 2)
WIND = left(7, 1) - left(2, 1)
TIED_WIND = left(4, 2) - left(2, 2)
TIED_SKY = left(2, 1) - left(1, 1)


def of_museum(leaf_of_wind=0, leaf_of_sky=0):
    """Return the decreases in bits times days, ignoring some entropy of the two leaves."""
    return {"Day": DAY, "Sky": SKY + TIED_SKY + leaf_of_sky,
            "Wind": WIND + TIED_WIND + leaf_of_wind}


HEAT = gain([[5, 1], [6, 6]])


QUESTIONS = questions(r"""
# golf.recall_below: What is left to take away? | number, 1 star, 3 min, 1 point
? In pure leaves nothing is left of the node's impurity.
? Decreases telescope, so together the splits in and below the node take away all of its impurity.
? The node's impurity is weighted by its share of the rows: how many of the eight does it hold?
= value(0.2)
- 0.32 | node weight forgotten | This is the node's own impurity. In the tree it is weighted by the
    node's share of the rows.
- 1.6 | in rows | You multiplied by the node's rows and did not divide by all eight.
- 0.12 | the other rows | You weighted with the three rows that are *not* in the node.
> That is why *Time* had 0.2 in every midterm tree that began with attendance and was grown to
    purity. In this chapter the same rule explains how a total can be right although its parts are
    wrong.

# golf.recall_cuts: Where may it be cut? | predict, 1 star, 3 min, 1 point
? Rows of one value cannot be separated: look at the values 1, 2 and 3, not at the six rows.
? A cut lies midway between two neighbouring values.
? Are all the rows at 2 and 3 of one class? If not, a cut between them must be tried.
= choice("c")
- "a" | a mixed value has two sides | The rows at 2 and 3 together are not all of one class: one at
    3 is No. So the cut between 2 and 3 must be tried, too.
- "b" | a boundary overlooked | Between 1 (No, No) and 2 (Yes, Yes) the class changes completely.
- "d" | threshold on a data point | These are values that rows have. A cut lies midway between two
    values.
> Coded columns have few different values and so few cuts: golf's four columns have six cuts in all.

# golf.predict_root: Which column first? | predict, 1 star, 4 min, 1 point
? For each column in turn, count *yes* and *no* on both sides of a cut.
? With codes, Sky can be cut into clear | cloudy, rain or into clear, cloudy | rain, but not into
    three.
? Free days: 7 yes, 1 no. Working days: 4 yes, 6 no. Can any cut of Sky do as well?
= choice("c")
- "a" | the answer for categories | Sky as a *category*, cut into three, would win (0.275 bits).
    Coded, it can only be cut into two, in the order of its codes, and the better cut gains 0.117
    bits.
- "b" | more values, more information? | Warmth has more cuts to choose from than Day, but its best
    gains 0.081 bits.
- "d" | a good story | It sounds plausible that wind matters, but at the root its cut gains only
    0.086 bits.
> Day gains 0.183 bits. Note that this depends not only on the weather but also on how the weather
    was coded.

# golf.entropy: Entropy in bits | implement, 2 stars, 8 min, 3 points
? Turn the counts into shares first: divide by their sum.
? A class that does not occur contributes nothing: leave it out before you take its logarithm.
? Its surprise is -log2 of its share. Weight each surprise by the share of its class, and add them
    up.
= function(counts_of, entropy, lists=True)
- lambda counts: entropy(counts) * np.log(2) | entropy in nats | These are nats: `np.log` and
    `math.log` have base e. Bits need base 2.
- lambda counts: entropy(counts) * np.log10(2) | entropy in base 10 | Your logarithm has base 10.
    Bits need base 2.
- entropy_without_care | a class that is absent | With a class without rows your result is NaN,
    since log 0 has no value. By convention 0 log 0 = 0: leave such classes out.
- entropy_that_raises | a class that is absent | Your function raises an error for a class without
    rows. By convention 0 log 0 = 0, so leave such a class out.
- nothing_without_all_classes | a class that is absent | You return 0 as soon as a class is absent.
    Only that class contributes nothing: the node may still be mixed.
- lambda counts: -sum(c * np.log2(c) for c in counts if c > 0) | counts for shares | You took the
    logarithm of counts: divide by their sum first.
- lambda counts: -entropy(counts) | sign | The logarithm of a share is negative: the sum needs a
    minus sign.
- summed_surprise | not averaged | You added the surprises. Weight each by the share of its class.
- lambda counts: entropy(counts) / np.log2(len(counts)) | scaled to 1 | You divided by the largest
    possible entropy. Bits are not scaled: four equal classes have 2.
- gini | Gini, not entropy | This is the Gini impurity: the question asks for the entropy.
! fi_teach.basics.impurity, fi_teach.trees.c45, fi_teach.trees.cart
> 9 Yes and 5 No have 0.940 bits, nearly one full yes-or-no question a day: knowing how often people
    play says little about a single day.

# golf.gain: What the heat tells | number, 1 star, 6 min, 2 points
? Three entropies: all days (11, 7), hot days (5, 1), the others (6, 6).
? They are 0.964, 0.650 and 1 bit. How many of the 18 days does each child hold?
? The parent's entropy less the mean of the children's, each weighted by its share of the days.
= value(HEAT, unit="bits", tolerance=0.0031)
- HEAT * np.log(2) | gain in nats | These are nats. Bits need logarithms of base 2.
- DAYS * HEAT | in bits times days | This is the gain summed over all 18 days: the question asks for
    one day.
- entropy([11, 7]) - HEAT | what is left | This is the children's mean entropy: the gain is the
    parent's entropy less this.
- 1 - entropy([11, 7]) + HEAT | the parent is not one bit | You took the parent's entropy as 1 bit:
    11 to 7 is not half and half.
- entropy([11, 7]) - entropy([5, 1]) / 3 | one child forgotten | The days that were not hot are
    missing from your sum: half of them were full, half were not.
- entropy([11, 7]) - 2 / 3 | one child forgotten | The hot days are not pure either.
- entropy([11, 7]) - entropy([5, 1]) - 1 | children taken off in full | You subtracted both
    children's entropies in full: weight each by its share of the days. No gain is negative.
- entropy([11, 7]) - (entropy([5, 1]) + 1) / 2 | children counted alike | You averaged the children
    as if both held equally many days.
- gini([11, 7]) - gini([5, 1]) / 3 - 1 / 3 | Gini, not entropy | This is the decrease in Gini: the
    question asks for entropy.
> Being told whether it was hot saves 0.08 of the 0.96 questions a day. The tree asks a better
    question first.

# golf.gain_ratio: A fee for many branches | implement, 3 stars, 12 min, 0 points
? You need two entropies: one of the classes, and one of the sizes of the *branches*.
? The gain is the parent's class entropy less the mean class entropy of the branches, weighted by
    rows.
? The split information is the entropy of the branch sizes; divide the gain by it, both in bits.
= function(branches_of, gain_ratio, lists=True)
- gain | gain, not ratio | This is the gain. Divide it by the split information, the entropy of the
    branch sizes.
- lambda b: gain_ratio(b) / np.log(2) | split information in nats | Your gain is in bits and your
    split information in nats: a ratio needs one base for both.
- lambda b: gain_ratio(b) * np.log(2) | gain in nats | Your gain is in nats and your split
    information in bits: a ratio needs one base for both.
- lambda b: gain(b) / entropy(np.sum(b, axis=0)) | divided by the classes' entropy | You divided by
    the entropy of the *classes*. The fee is for the branches: divide by the entropy of their sizes.
- lambda b: gain(b) / len(b) | divided by the branches | You divided by the number of branches.
    Their sizes matter too: take the entropy of the sizes.
- ratio_unweighted | branches not weighted | In the gain, each branch's entropy is weighted by its
    share of the rows.
- lambda b: 1 / gain_ratio(b) | upside down | Your ratio is upside down: divide the gain by the
    split information.
! fi_teach.basics.impurity, fi_teach.trees.c45, fi_teach.trees.cart
> The ratio says what part of a split's information is about the target. Outlook in three branches
    gains 0.247 bits for 1.577 bits of split information, a ratio of 0.156. Humidity gains 0.152 for
    1 bit, a ratio of 0.152, so the two are nearly equal.

# golf.recode: The same weather, other codes | number, 2 stars, 8 min, 2 points
? Which days can one cut now separate? Write the two cuts in words.
? The new order allows sunny, rain | overcast. Overcast days: 4 Yes. The others: 5 Yes, 5 No.
? The overcast days have entropy 0. How much do the other ten keep, weighted by their share of the
    days?
= value(gain([[5, 5], [4, 0]]), unit="bits", tolerance=0.0042)
- gain([[2, 3], [7, 2]]) | the old order | That is the best cut in the *old* order, sunny against
    the rest. It is still possible but no longer the best.
- gain([[2, 3], [4, 0], [3, 2]]) | three branches | That is Outlook cut into three. A numeric column
    is cut into two.
- gain([[5, 5], [4, 0]]) * np.log(2) | gain in nats | These are nats. Bits need logarithms of base
    2.
- 10 / 14 | what is left | This is the children's mean entropy: the gain is the parent's 0.940 less
    this.
- 14 * gain([[5, 5], [4, 0]]) | in bits times days | This is the gain summed over all 14 days: the
    question asks for one day.
> 0.226 bits is more than Humidity's 0.152, so with these codes the root is Outlook and the tree is
    different. Nothing about the weather has changed. How categories are coded is a choice, and the
    tree depends on it.

# golf.tied_leaf: A leaf that is not pure | number, 2 stars, 6 min, 2 points
? Which days are in the two children? Write down how many *yes* and *no* each holds.
? Strong wind: two yes and two no. What is the entropy of two against two?
? The six days begin with 0.918 bits each. Subtract what the four days of the mixed leaf keep.
= value(TIED_WIND, unit=("bits times days", "bits", "bit days", "days times bits"), tolerance=0.006)
- left(4, 2) | forgetting the leaf | You counted both children as pure. The leaf of strong wind
    holds two yes and two no: it *answers* yes, but its four days have 1 bit each, and that is not
    taken away.
- left(4, 2) - 1 | the leaf not weighted | The mixed leaf holds four days: its 1 bit counts four
    times.
- TIED_WIND / 6 | a day's decrease | This is the decrease per day: the notes add it up over the six
    days.
- TIED_WIND / DAYS | a share of all days | You divided by all 18 days: here decreases are counted in
    bits times days.
- TIED_SKY | the other split | This is the decrease of the fifth split, on Sky.
> The decrease is 1.51, not the 5.51 of the notes. A leaf's printed answer names a class that is not
    in the minority; it does not say that the leaf is pure.

# golf.shares: The shares, put right | number, 2 stars, 6 min, 2 points
? Add up the decreases of each feature over all of its splits.
? Day 3.296, Sky 4.200 + 0.755, Wind 1.594 and your own number.
? Divide each by the sum of these three, not by another tree's total.
= value(shares(of_museum()))
- shares(of_museum(4, 2)) | forgetting the leaf | These are the shares of the notes, with the two
    mixed leaves counted as pure.
- shares(of_museum(4, 0)) | one leaf of two | The leaf of two days is counted correctly, but the
    leaf of four days is treated as pure.
- shares(of_museum(0, 2)) | one leaf of two | The leaf of four days is counted correctly. But the
    fifth split has a mixed leaf, too: the table's last column has its exact decrease.
- of_museum() | not normalised | The decreases are right. Shares are these divided by their sum.
- shares({"Day": DAY, "Sky": TIED_SKY, "Wind": TIED_WIND}) | the last split only | Sky and Wind are
    split on twice: add both decreases.
- shares({"Day": DAY, "Sky": (SKY + TIED_SKY) / 2, "Wind": (WIND + TIED_WIND) / 2}) | mean of the
    splits | You averaged over a feature's splits. A feature that is split on twice gets both
    decreases: add them up.
- {f: d / left(11, 7) for f, d in of_museum().items()} | another tree's total | You divided by
    17.35, the total of a tree with pure leaves. This tree takes away less, so your shares do not
    add up to 1.
> Sky 0.44, Day 0.29, Wind 0.27. By the notes Wind came first, with 0.41: counting mixed leaves as
    pure has changed the ranking.

# golf.whose_total: Half mended | predict, 2 stars, 5 min, 2 points
? What do the decreases of a tree add up to, leaf by leaf?
? The root's entropy less what the leaves keep. In the notes no leaf keeps anything.
? Which leaf is still counted as pure, and how much does the other mixed leaf keep?
= choice("b")
- "a" | a sum is no witness | The fourth row is now 4 bits lower, so the sum is, too. Normalising
    comes after the sum: it spreads an error over all shares and removes none.
- "c" | one leaf overlooked | 11.35 is what the tree takes away when both mixed leaves keep what
    they have. In the fifth row the leaf of two days still counts as pure.
- "d" | a sum that telescopes | No tree has to be grown. The decreases add up to the root less the
    leaves, whatever the splits are, so each mixed leaf that is counted as pure adds exactly what it
    really keeps.
> The total of the decreases is the root less the leaves. So a total equal to the root's entropy,
    here 17.35, does not prove that its parts are right: it shows that all leaves were counted as
    pure. When you check a sum, ask what it would be if you had made a mistake.

# golf.mend_rules: Find the bug: rules that decide nothing | mend, 2 stars, 10 min, 0 points
? Run the rules on all 14 days. On which two do they differ from the table?
? They are days 6 and 14. Both are rainy and windy, and both end in an `if` whose two branches give
    the same answer.
? An idle `if` decides something once its two branches give different answers. Which code tells
    these two days from the others?
= function(fourteen_days, decision, planted=printed_rules)
- rules_without((3, 3, 2, 2)) | one day left | Thirteen of fourteen days are right: one of the two
    idle questions is mended, the other is not.
- rules_without((3, 2, 1, 2)) | one day left | Thirteen of fourteen days are right: the idle
    question in the other half still decides nothing.
- wind_decides | every windy day | Now every windy day is a No, but on days 7, 11 and 12 golf was
    played in strong wind.
- lambda *codes: "Yes" | the majority | Your rules always answer Yes. That is right on 9 days of 14
    and needs no tree.
> A split can lower the entropy, and so get importance, without changing a single answer. MDI
    measures how certain the tree is on its training rows, not what it decides.

# golf.test_shares: Write a test for shares | test, 2 stars, 10 min, 0 points
? Choose decreases whose shares you know, such as 1, 2 and 5, and compare with a tolerance.
? Shares add up to 1. Do they also if they are not round, as for 1, 1 and 1?
? Give one feature the decrease 0 and ask for its entry: it must be there, and 0.
= catches()
+ shares | refuses a right one | Your test refuses a right implementation. Work its cases out again,
    and compare with a tolerance: 0.1 + 0.2 is 0.30000000000000004.
+ in_another_order | exact equality or order | Your test refuses a right implementation that lists
    the features in another order, with a last bit rounded differently: compare feature by feature
    and with a tolerance.
- by_the_largest | misses the largest as 1 | An implementation that divides by the largest passes
    your test.
- by_the_rows | misses another total | An implementation that divides by 14 instead of by the sum
    passes your test.
- without_zeros | misses a lost feature | An implementation that drops features with decrease 0
    passes your test. Temperature has 0, and that is a result.
- truncated | misses cut-off decimals | An implementation that cuts shares off after two decimals
    passes your test: use shares such as 1/3, and see that they add up to 1.
- equal | misses equal shares | An implementation that gives every feature the same passes your
    test: use decreases that differ.
- of_squares | misses squared decreases | An implementation that squares the decreases first passes
    your test: compare every share with its value.
> One of the planted bugs is a real one: in the golf post 0.16 + 0.48 + 0.35 = 0.99, because 0.487
    was cut off to 0.48. Checking that shares add up to 1 is the cheapest test there is.

# golf.report: Which of the four do you report? | explain, 2 stars, 10 min, 3 points
? Is one of the four trees better than the others?
? Which statements are true of all four?
? What could you report instead of one number?
= by_hand
* 1 | the four trees are equally good by the algorithm's own criterion, so no single number is *the*
    importance of wind
* 1 | an honest report gives the range (0.20 to 0.36) or all four, and says that it comes from ties
* 1 | it names what holds in all four: Outlook first, Wind second, Humidity 0.16, Temperature 0
""", vars(implementations) | globals())
