"""Exercise set 12b, case studies 3 to 6: leaks, group gaps, survival, several outputs."""

import numpy as np

from fi_course.questions.checks import Mistake, by_hand, choice, function, value
from fi_course.questions.question import Question

# Definitions to judge by, slow and short.

def _gap_shares(phi, group):
    phi, group = np.asarray(phi, float), np.asarray(group, bool)
    return [column[group].mean() - column[~group].mean() for column in phi.T]


def _hazard(time, event, t):
    """Return the cumulative hazard up to t: events over those still at risk."""
    time = np.asarray(time, float)
    return sum(1 / sum(time >= when) for when, seen in zip(time, event, strict=True) if seen
               and when <= t)


def _honest_columns(columns, known_from, made_from, decided_at):
    """Drop columns known too late, and all that are computed from them."""
    gone = _late(known_from, decided_at)
    return [name for name in columns if name not in _with_all_made_of(gone, made_from)]


def _late(known_from, decided_at):
    return {name for name, time in known_from.items() if time > decided_at}


def _made_of(gone, made_from):
    """Return the names in `gone`, and those computed directly from one of them."""
    return gone | {name for name, parts in made_from.items() if gone & set(parts)}


def _with_all_made_of(gone, made_from):
    for _ in made_from:
        gone = _made_of(gone, made_from)
    return gone


# Mistaken formulas, each under the name a check gives it.

def _stay(gone_of):
    """Return the columns not in gone_of(columns, known_from, made_from, decided_at)."""
    def honest_columns(columns, known_from, made_from, decided_at):
        gone = gone_of(columns, known_from, made_from, decided_at)
        return [name for name in columns if name not in gone]
    return honest_columns


_dates_only = _stay(lambda columns, known, made, at: _late(known, at))
_one_step = _stay(lambda columns, known, made, at: _made_of(_late(known, at), made))
_only_present = _stay(lambda columns, known, made, at: _with_all_made_of(
    _late(known, at) & set(columns), made))
_in_time_too = _stay(lambda columns, known, made, at: _with_all_made_of(
    {name for name, time in known.items() if time >= at}, made))


def _parents_too(columns, known_from, made_from, decided_at):
    gone = _with_all_made_of(_late(known_from, decided_at), made_from)
    parents = {part for name, parts in made_from.items() if name in gone for part in parts}
    return [name for name in columns if name not in gone | parents]


def _all_parts_gone(columns, known_from, made_from, decided_at):
    gone = _late(known_from, decided_at)
    for _ in made_from:
        gone = gone | {name for name, parts in made_from.items() if set(parts) <= gone}
    return [name for name in columns if name not in gone]


def _those_that_go(columns, known_from, made_from, decided_at):
    return [name for name in columns
            if name not in _honest_columns(columns, known_from, made_from, decided_at)]


def _gap_of(summary):
    """Return the second group's summary of each column less the first's."""
    def gap_shares(phi, group):
        phi, group = np.asarray(phi, float), np.asarray(group, bool)
        return summary(phi[group]) - summary(phi[~group])
    return gap_shares


def _gap_in_percent(phi, group):
    shares = np.array(_gap_shares(phi, group))
    return shares / shares.sum()


def _concordance_of(comparable, won):
    """Average `won(risk_i, risk_j)` over `comparable(event_i, event_j)` pairs.

    Pairs are ordered: time_i < time_j.
    """
    def concordance(time, event, risk):
        rows = sorted(zip(time, event, risk, strict=True))
        pairs = [(a, b) for k, a in enumerate(rows) for b in rows[k + 1:]
                 if comparable(bool(a[1]), bool(b[1]))]
        return sum(won(a[2], b[2]) for a, b in pairs) / len(pairs)
    return concordance


def _half_for_ties(first, second):
    return 1.0 if first > second else 0.5 if first == second else 0.0


_concordance = _concordance_of(lambda first, second: first, _half_for_ties)


def _ties_left_out(time, event, risk):
    rows = sorted(zip(time, event, risk, strict=True))
    pairs = [(a[2], b[2]) for k, a in enumerate(rows) for b in rows[k + 1:] if a[1]
             and a[2] != b[2]]
    return sum(first > second for first, second in pairs) / len(pairs)


def _hazard_of(at_risk):
    """Return a cumulative hazard that counts those at risk by `at_risk(time, event, when)`."""
    def hazard(time, event, t):
        time, event = np.asarray(time, float), np.asarray(event, bool)
        return sum(1 / at_risk(time, event, when) for when in time[event & (time <= t)])
    return hazard


_watched_dropped = _hazard_of(lambda time, event, when: sum(time[event] >= when))


def _censored_as_events(time, event, t):
    return _hazard(time, [True] * len(time), t)


def _before_t(time, event, t):
    return _hazard(time, event, np.nextafter(t, -np.inf))


def _share_with_an_event(time, event, t):
    return 1 - np.prod([1 - 1 / sum(np.asarray(time) >= when)
                        for when, seen in zip(time, event, strict=True) if seen and when <= t])


def _whole_time(time, event, t):
    return _hazard(time, event, np.inf)


# Cases, the smallest first.

def _tables(rng):
    small = [(["a", "b"], {"a": 1}, {}, 0),
             (["a", "b"], {"a": 1, "b": 0}, {}, 0),
             (["share", "income"], {"expenditure": 1}, {"share": ["expenditure", "income"]}, 0),
             (["a", "b", "c", "d"], {"a": 5, "d": 2}, {"b": ["a"], "c": ["b"]}, 3),
             (["c", "b", "a", "d"], {"a": 5}, {"c": ["b", "d"], "b": ["a", "d"]}, 4)]
    return small + [_drawn_table(rng, n) for n in range(4, 10)]


def _drawn_table(rng, n):
    """Draw columns computed from earlier ones, in any order.

    One is late, some are known at the last moment, one was deleted.
    """
    names = [f"x{k}" for k in range(n)]
    known = {name: int(rng.integers(0, 4)) for name in names[:3]} | {"x0": 5, "x1": 3}
    made = {name: [names[i] for i in rng.choice(k, min(k, 2), replace=False)]
            for k, name in enumerate(names) if k > 2}
    order = rng.permutation(n)
    return [names[i] for i in order if i != 0], known, {names[i]: made[names[i]] for i in order
                                                        if names[i] in made}, 3


def _attributions(rng):
    small = [(np.array([[1.0], [3.0]]), np.array([False, True])),
             (np.array([[1.0, 0.0], [1.0, 2.0], [3.0, -5.0]]), np.array([False, False, True]))]
    drawn = [(rng.integers(-9, 10, (n, 3)).astype(float), np.arange(n) % 3 == 0)
             for n in range(4, 10)]
    return small + drawn


def _patients(rng):
    small = [([1, 2, 3], [1, 0, 1], [2, 2, 4]), ([2, 3, 4], [1, 0, 1], [0.5, 0.7, 0.2]),
             ([3, 1, 2, 4], [0, 0, 1, 1], [1, 2, 2, 2])]
    drawn = [(1 + rng.permutation(n), np.r_[1, rng.integers(0, 2, n - 1)], rng.integers(0, 4, n))
             for n in range(5, 11)]
    fixed = [(time, np.where(time <= 2, 1, event), risk) for time, event, risk in drawn]
    return [tuple(np.array(part, float) for part in case) for case in small + fixed]


def _follow_ups(rng):
    small = [([1, 2], [1, 0], 1), ([1, 2, 3], [0, 1, 1], 2), ([5, 2, 9, 7], [1, 0, 0, 1], 6)]
    drawn = [(1 + rng.permutation(n), np.arange(n) % 2, int(rng.integers(2, n)))
             for n in range(5, 11)]
    return [(np.array(time, float), np.array(event), t) for time, event, t in small + drawn]


RECALL = [
    Question(
        id="field_two.recall_additive", title="One applicant", kind="number", stars=1, minutes=2,
        points=1,
        hints=("What do the SHAP values of a row add up to?",
               "To the row's prediction, less the base value.",
               "Begin at the base, and give each value its sign."),
        check=value(
            0.18,
            Mistake("the base forgotten", 0.06,
                    "This is the sum of the three values: "
                    "they say how far the prediction is from the *base*."),
            Mistake("sizes added", 0.22,
                    "You added the sizes. A SHAP value has a sign, and the second one pulls down."),
            Mistake("a mean", 0.14,
                    "You averaged the three values. They are shares of one prediction: "
                    "they add up."),
            Mistake("the wrong side", 0.06 - 0.12,
                    "You subtracted the base: it is where the count begins."),
            tolerance=0.0011),
        meaning="Because this holds for every row, it holds for the mean of any group of rows, "
                "and so for the difference of two groups."),
    Question(
        id="field_two.recall_copies", title="A hundred neighbours", kind="predict", stars=1,
        minutes=3, points=1,
        hints=("What can the forest still read when one of the columns is shuffled?",
               "Compare one column, all single ones added up, and all at once.",
               "Neighbours cover for each other one at a time; together they cannot."),
        check=choice(
            "b",
            Mistake("importances do not add up", "a",
                    "They need not add up: while one column is shuffled, "
                    "its neighbours answer for it, a hundred times over."),
            Mistake("nothing is lost", "c",
                    "Each alone may be dispensable. Shuffle all of them together, "
                    "and the model has nothing left to read."),
            Mistake("counted twice", "d", "Shared knowledge is missed in every single shuffle, "
                                          "so the sum of the single ones counts it too rarely.")),
        meaning="With the meat spectra a window of neighbouring channels is worth many times as "
                "much as its middle one."),
]

LIVE = [
    Question(
        id="field_two.repair_leak", title="Repair the leak", kind="implement", stars=2, minutes=10,
        points=3,
        hints=("Begin with all names that are known too late, whether or not they are still in the "
               "table.",
               "What was computed from one of these must go too; "
               "and what was computed from *that*?",
               "Repeat the step until it adds nothing; "
               "as many steps as there are computed columns are enough."),
        check=function(
            _tables, _honest_columns,
            Mistake("dates only", _dates_only,
                    "You looked at the dates and at nothing else. "
                    "What was *computed* from a late column knows what it knew: "
                    "that is how `share` gave the outcome away."),
            Mistake("one step only", _one_step,
                    "You went one step: from a late column to what was computed from it. "
                    "Something may have been computed from that in turn."),
            Mistake("only what is still there", _only_present,
                    "You looked for late columns among those that are still there. "
                    "The deleted one is not, and what was made of it is: "
                    "that is the colleague's slip."),
            Mistake("known at the decision taken for late", _in_time_too,
                    "A column that is known *at* the moment of the decision is known in time: "
                    "only later ones must go."),
            Mistake("the parts thrown out too", _parents_too,
                    "You threw out what a late column was computed *from*. Income is honest; "
                    "a sum of spending over income is not."),
            Mistake("all parts must be late", _all_parts_gone,
                    "You kept what was computed from an honest column *and* a leak. "
                    "One leaking part is enough."),
            Mistake("what must go", _those_that_go,
                    "These are the columns that must go. "
                    "The question asks for those that may stay.")),
        meaning="Whoever has found one leak should ask what was made of it, and go on asking. "
                "Only people who know how columns are filled in can write `made_from`."),
    Question(
        id="field_two.cut", title="Where to cut", kind="number", stars=1, minutes=3, points=1,
        hints=(
            "With chance p of being good, what does accepting cost on average, "
            "and what refusing?", "Accepting costs four times the chance of being bad.",
            "Set the two average costs equal, and solve for p."),
        check=value(
            0.8,
            Mistake("the likelier outcome", 0.5,
                    "One half is the cut if both errors cost the same. Here one is dearer: "
                    "be more careful before you make it."),
            Mistake("one less a quarter", 0.75, "You took 1 - 1/4. Write down both average costs "
                                                "at a chance of .75: they are not equal yet."),
            Mistake("the other way round", 0.2, "That is the cut on the chance of being *bad*; "
                                                "the question asks for the chance of being good."),
            Mistake("per cent without its sign", 80,
                    "You count in per cent: write a share such as .05, or the sign behind it, "
                    "as in `\"5 %\"`."),
            Mistake("a ratio, not a chance", 4,
                    "This is the ratio of the costs. "
                    "The question asks for a chance, between 0 and 1."),
            tolerance=0.0051),
        meaning="With a ratio c the cut is c / (1 + c). "
                "Nothing was tuned, and so everything hangs on forecasts that keep their word."),
]

GAP = [
    Question(
        id="field_two.gap_shares", title="Who carries the gap?", kind="implement", stars=2,
        minutes=8, points=3,
        hints=("The mean prediction of a group is the base plus a sum over features of its mean "
               "SHAP values.", "The base is the same in both groups.",
               "Two means of each column: over the rows of the group, and over the others. Which "
               "is taken from which?"),
        check=function(
            _attributions, _gap_shares,
            Mistake("the sign", lambda phi, group: -np.array(_gap_shares(phi, group)),
                    "The sign is turned round: the group marked True comes first, "
                    "and the others are subtracted."),
            Mistake("sums, not means", _gap_of(lambda part: part.sum(axis=0)),
                    "You compared sums. The larger group then has the larger sum, "
                    "whatever the model says: compare means."),
            Mistake("sizes", _gap_of(lambda part: abs(part).mean(axis=0)),
                    "You averaged sizes. A feature that pulls down in one group and up in the "
                    "other is just what makes a gap: keep the signs."),
            Mistake("a part of the gap", _gap_in_percent,
                    "You divided by the whole gap. The question asks for the shares in units of "
                    "the prediction."),
            Mistake("against everybody",
                    lambda phi, group: np.asarray(phi)[np.asarray(group, bool)].mean(axis=0)
                    - np.asarray(phi).mean(axis=0),
                    "You subtracted the mean of *all* rows, which holds the group itself: "
                    "subtract the mean of the others.")),
        blocked=("fi_audit.fairness.group_gap",),
        meaning="The shares add up to the whole gap of the model. "
                "They divide what it says, and not what is just."),
    Question(
        id="field_two.within", title="An audit within the groups", kind="predict", stars=1,
        minutes=3, points=1,
        hints=("What values does the protected column have in the rows of one group?",
               "Shuffle equal numbers.", "Would any other model get another value?"),
        check=choice(
            "d",
            Mistake("taken for a verdict", "a",
                    "Look at the column within one group: it is constant there. "
                    "What could a shuffle change?"),
            Mistake("read as not used", "b",
                    "The model may use it in every tree. "
                    "Within a group all rows have the same value, so a shuffle changes nothing."),
            Mistake("put down to chance", "c",
                    "It is exactly zero in any number of rows. More data cannot change that.")),
        meaning="A test that every model passes tests nothing. Ask of each check: "
                "which model would fail it?"),
    Question(
        id="field_two.after_dropping", title="What is left", kind="number", stars=1, minutes=3,
        points=1,
        hints=("The gap of the new model is what counts, however the old one divided its own.",
               "The part that is left is new gap over old gap.", "Both gaps stand in the question: "
               "which is the whole, and which the part?"),
        check=value(
            0.6,
            Mistake("what went", 0.4,
                    "This is the part that went. The question asks for the part that is left."),
            Mistake("the old share subtracted", 0.5,
                    "You took off the old forest's SHAP share. "
                    "The new forest leans on the other columns more than the old one did."),
            Mistake("the share itself", 0.08 / 0.096,
                    "You set the old share against the new gap. "
                    "The two belong to different forests."),
            Mistake("per cent without its sign", 60,
                    "You count in per cent: write a share such as .05, or the sign behind it, "
                    "as in `\"5 %\"`."),
            Mistake("points, not per cent", 0.096,
                    "These are percentage points. The question asks which part of the old gap "
                    "is left."),
            tolerance=0.0051),
        meaning="The column's share was 8 points, and dropping it closed 6.4: "
                "the remaining columns stood in for the rest."),
]

ODDS = [
    Question(
        id="field_two.equal_odds", title="Equal error rates", kind="number", stars=2, minutes=6,
        points=2,
        hints=("For a false alarm the whole is: those whom the lenders granted, in that group.",
               "For a catch the whole is: those whom the lenders denied, in that group.",
               "In group A the wholes are 20 and 10; in B they are larger and smaller. "
               "Divide what the model denies of each by it."),
        check=value(
            {"false alarms A": 0.2, "false alarms B": 0.1, "catches A": 0.6, "catches B": 0.4},
            Mistake("of all applicants",
                    {"false alarms A": 4 / 30, "false alarms B": 4 / 45, "catches A": 6 / 30,
                     "catches B": 2 / 45},
                    "You divided by all applicants of the group. "
                    "Then a group with more denials has more catches whatever the model does: "
                    "divide by those granted, or denied."),
            Mistake("of the model's denials",
                    {"false alarms A": 0.4, "false alarms B": 4 / 6, "catches A": 0.6,
                     "catches B": 2 / 6},
                    "You divided by all whom the model denies. "
                    "That asks how often a denial is right; "
                    "equalised odds begins with what the lenders answered."),
            Mistake("those the model grants",
                    {"false alarms A": 0.8, "false alarms B": 0.9, "catches A": 0.4,
                     "catches B": 0.6},
                    "These are the shares that the model *grants*. Count those that it denies."),
            Mistake("both groups together",
                    {"false alarms A": 8 / 60, "false alarms B": 8 / 60, "catches A": 8 / 15,
                     "catches B": 8 / 15},
                    "You pooled the groups. The question is whether they meet the same errors: "
                    "one share for each."),
            Mistake("per cent without its sign",
                    {"false alarms A": 20, "false alarms B": 10, "catches A": 60, "catches B": 40},
                    "You count in per cent: write a share such as .05, or the sign behind it, "
                    "as in `\"5 %\"`."),
            tolerance=0.0051),
        meaning="Both shares are higher in A, so the odds are not equal: "
                "the model is stricter there, with the worthy and with the others. "
                "More denials in all would raise every share."),
]

SURVIVAL = [
    Question(
        id="field_two.four_women", title="Four women", kind="number", stars=2, minutes=5, points=2,
        hints=("In which pairs is it known who relapsed first? "
               "The earlier of the two must have an event.",
               "A with B, C and D; C with D. B was lost before anything was seen.",
               "A before B, C and D: right, three times. C before D: wrong."),
        check=value(
            0.75,
            Mistake("all pairs", 3 / 6, "You counted six pairs. B was censored at 2 years: "
                                        "nobody knows whether she relapsed before C or D."),
            Mistake("censored left out", 2 / 3,
                    "You left B out altogether. A relapsed before B was lost, "
                    "so that pair is known: keep it."),
            Mistake("the order turned", 0.25,
                    "A high risk should go with an *early* relapse. "
                    "Count the pairs in which the earlier woman has the higher risk."),
            Mistake("per cent without its sign", 75,
                    "You count in per cent: write a share such as .05, or the sign behind it, "
                    "as in `\"5 %\"`."),
            Mistake("pairs, not a share", 3, "This is the number of right pairs: "
                                             "divide by the number of pairs that can be compared."),
            tolerance=0.011),
        meaning="A coin gets 1/2 on average. With four pairs, .75 is one pair more than luck."),
    Question(
        id="field_two.concordance", title="Pairs that can be compared", kind="implement", stars=3,
        minutes=12, points=4,
        hints=("Go through all ordered pairs (i, j) with time[i] < time[j].",
               "A pair counts if the earlier one, i, has an event; "
               "what became of j does not matter.",
               "Add 1 if risk[i] > risk[j], one half if they are equal, "
               "and divide by the number of pairs that count."),
        check=function(
            _patients, _concordance,
            Mistake("censored ones taken for events",
                    _concordance_of(lambda first, second: True, _half_for_ties),
                    "You counted pairs whose earlier woman was censored. "
                    "Nobody knows when she would have relapsed."),
            Mistake("both must have events",
                    _concordance_of(lambda first, second: first and second, _half_for_ties),
                    "You asked for an event in both. It is enough that the earlier one has it: "
                    "the later one was still well then."),
            Mistake("ties count nothing",
                    _concordance_of(lambda first, second: first, lambda a, b: float(a > b)),
                    "A tie of the risks counts one half, as in an AUC: "
                    "a model that says the same of everybody must get 1/2."),
            Mistake("ties count whole",
                    _concordance_of(lambda first, second: first, lambda a, b: float(a >= b)),
                    "You gave ties the whole point. A model that says the same of everybody would "
                    "be perfect: count one half."),
            Mistake("ties left out", _ties_left_out,
                    "You left the pairs with equal risks out altogether. "
                    "They can be compared, and count one half."),
            Mistake("the order turned", lambda *case: 1 - _concordance(*case),
                    "You rewarded a high risk for a *late* event: turn the comparison round.")),
        blocked=("fi_teach.basics.losses.concordance",
                 "fi_teach.basics.losses.survival_concordance"),
        meaning="This is Harrell's C. Permutation importance for survival is the fall of this "
                "number when a column is shuffled."),
    Question(
        id="field_two.mend_hazard", title="Find the bug: the women who were still well",
        kind="mend", stars=2, minutes=10, points=3,
        hints=("Whom does the function count as being at risk?",
               "A woman who is censored at 9 years was at risk at year 5.",
               "Over which women must the count of those at risk "
               "run?"),
        check=function(
            _follow_ups, _hazard,
            Mistake("censored counted as events", _censored_as_events,
                    "Now the censored women count as events. "
                    "They belong among those at risk, and nowhere else."),
            Mistake("everybody always at risk", _hazard_of(lambda time, event, when: len(time)),
                    "You divide by all women each time. "
                    "Those whose time is over are no longer at risk."),
            Mistake("the event's own woman left out",
                    _hazard_of(lambda time, event, when: sum(time > when)),
                    "The woman who has the event at this moment was at risk just before it: "
                    "count `>=`, not `>`."),
            Mistake("no end", _whole_time,
                    "You added all events. The question asks for those up to t."),
            Mistake("t itself left out", _before_t,
                    "You stop before t. An event at t counts: `<=`, not `<`."),
            Mistake("a share, not a hazard", _share_with_an_event,
                    "You multiplied what is left after each event (Kaplan and Meier's way to a "
                    "*share*). The cumulative hazard adds up."),
            planted=_watched_dropped, lists=True),
        meaning="With the bug three years free of recurrence look far rarer than they are: "
                "the women who did best had been thrown out of the denominator."),
]

OUTPUTS = [
    Question(
        id="field_two.two_votes", title="Which split wins?", kind="predict", stars=2, minutes=5,
        points=2,
        hints=("As they are, add up what each split takes off the two variances.",
               "P takes 2 + 0 = 2, Q takes 1 + 0.8 = 1.8.",
               "Standardised, each variance counts as 1: P takes 2 % + 0 %, Q takes 1 % + 9 %."),
        check=choice(
            "b",
            Mistake("only as they are", "a",
                    "As they are P wins, 2 against 1.8. "
                    "Standardised, divide each decrease by its output's variance first."),
            Mistake("only standardised", "c",
                    "Standardised Q wins. As they are, add 1 and 0.8 and compare with 2."),
            Mistake("turned round", "d",
                    "Add up the decreases as they are: 2 + 0 against 1 + 0.8. "
                    "Then divide each by its output's variance, and add up again.")),
        meaning="The forest never told anyone that it had chosen fat. "
                "Whoever adds up outputs has chosen weights, by choosing units."),
    Question(
        id="field_two.reply", title="A reply to the bank", kind="explain", stars=2, minutes=10,
        points=3,
        hints=("What happened to the gap when the column was dropped?",
               "Why was no single column to blame?",
               "What was the model trained to imitate, and what is not in the table?"),
        check=by_hand,
        rubric=((1, "dropping the column does not close the gap: "
                    "other columns differ between the groups, and together they stand in for it"),
                (1, "a way to measure it, which needs the protected column: "
                    "the gap divided among features, the gap of the refitted model, or proxies"),
                (1, "a limit: past decisions as the target, unrecorded facts, who applied; "
                    "no importance says what is just")),
        meaning=""),
]

QUESTIONS = RECALL + LIVE + GAP + ODDS + SURVIVAL + OUTPUTS
