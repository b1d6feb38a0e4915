"""Exercise set 12b, case studies 3 to 6: leaks, group gaps, survival, several outputs."""

import numpy as np

from fi_course.questions.question_text import questions

# Definitions to judge by, slow and short.

def gap_shares_of(phi, group):
    return [column[group].mean() - column[~group].mean() for column in phi.T]


def cumulative_hazard(time, event, t):
    """Return the cumulative hazard up to t: events over those still at risk."""
    return sum(1 / sum(time >= when) for when in time[(event == 1) & (time <= t)])


def honest_among(columns, known_from, made_from, decided_at):
    """Drop columns known too late, and all that are computed from them."""
    gone = late(known_from, decided_at)
    return [name for name in columns if name not in with_all_made_of(gone, made_from)]


def late(known_from, decided_at):
    return {name for name, time in known_from.items() if time > decided_at}


def made_of(gone, made_from):
    """Return the names in `gone`, and those computed directly from one of them."""
    return gone | {name for name, parts in made_from.items() if gone & set(parts)}


def with_all_made_of(gone, made_from):
    for _ in made_from:
        gone = made_of(gone, made_from)
    return gone


# Mistaken formulas, each under the name a check gives it.

def stay(gone_of):
    """Return the columns not in gone_of(columns, known_from, made_from, decided_at)."""
    def honest_columns(columns, known_from, made_from, decided_at):
        gone = gone_of(columns, known_from, made_from, decided_at)
        return [name for name in columns if name not in gone]
    return honest_columns


dates_only = stay(lambda columns, known, made, at: late(known, at))
one_step = stay(lambda columns, known, made, at: made_of(late(known, at), made))
only_present = stay(lambda columns, known, made, at: with_all_made_of(
    late(known, at) & set(columns), made))
in_time_too = stay(lambda columns, known, made, at: with_all_made_of(
    {name for name, time in known.items() if time >= at}, made))


def parents_too(columns, known_from, made_from, decided_at):
    gone = with_all_made_of(late(known_from, decided_at), made_from)
    parents = {part for name, parts in made_from.items() if name in gone for part in parts}
    return [name for name in columns if name not in gone | parents]


def all_parts_gone(columns, known_from, made_from, decided_at):
    gone = late(known_from, decided_at)
    for _ in made_from:
        gone = gone | {name for name, parts in made_from.items() if set(parts) <= gone}
    return [name for name in columns if name not in gone]


def those_that_go(columns, known_from, made_from, decided_at):
    return [name for name in columns
            if name not in honest_among(columns, known_from, made_from, decided_at)]


def gap_of(summary):
    """Return the second group's summary of each column less the first's."""
    def gap_shares(phi, group):
        return summary(phi[group]) - summary(phi[~group])
    return gap_shares


def gap_in_percent(phi, group):
    shares = np.array(gap_shares_of(phi, group))
    return shares / shares.sum()


def concordance_of(comparable, won, tied=True):
    """Average `won(risk_i, risk_j)` over `comparable(event_i, event_j)` pairs with time_i < time_j.

    tied=False leaves out pairs with the same risk.
    """
    def concordance(time, event, risk):
        rows = sorted(zip(time, event, risk, strict=True))
        pairs = [(a[2], b[2]) for k, a in enumerate(rows) for b in rows[k + 1:]
                 if comparable(bool(a[1]), bool(b[1])) and (tied or a[2] != b[2])]
        return sum(won(*pair) for pair in pairs) / len(pairs)
    return concordance


def half_for_ties(first, second):
    return 1.0 if first > second else 0.5 if first == second else 0.0


concordance_by_definition = concordance_of(lambda first, second: first, half_for_ties)
ties_left_out = concordance_of(lambda first, second: first, half_for_ties, tied=False)


def hazard_of(at_risk):
    """Return a cumulative hazard that counts those at risk by `at_risk(time, event, when)`."""
    def hazard(time, event, t):
        event = event == 1
        return sum(1 / at_risk(time, event, when) for when in time[event & (time <= t)])
    return hazard


watched_dropped = hazard_of(lambda time, event, when: sum(time[event] >= when))


def censored_as_events(time, event, t):
    return cumulative_hazard(time, np.ones(len(time)), t)


def before_t(time, event, t):
    return cumulative_hazard(time, event, np.nextafter(t, -np.inf))


def share_with_an_event(time, event, t):
    return 1 - np.prod([1 - 1 / sum(time >= when) for when in time[(event == 1) & (time <= t)]])


def whole_time(time, event, t):
    return cumulative_hazard(time, event, np.inf)


# Cases, the smallest first.

def tables(rng):
    small = [(["a", "b"], {"a": 1}, {}, 0),
             (["a", "b"], {"a": 1, "b": 0}, {}, 0),
             (["share", "income"], {"expenditure": 1}, {"share": ["expenditure", "income"]}, 0),
             (["a", "b", "c", "d"], {"a": 5, "d": 2}, {"b": ["a"], "c": ["b"]}, 3),
             (["c", "b", "a", "d"], {"a": 5}, {"c": ["b", "d"], "b": ["a", "d"]}, 4)]
    return small + [drawn_table(rng, n) for n in range(4, 10)]


def drawn_table(rng, n):
    """Draw columns computed from earlier ones, in any order.

    One is late, some are known at the last moment, one was deleted.
    """
    names = [f"x{k}" for k in range(n)]
    known = {name: int(rng.integers(0, 4)) for name in names[:3]} | {"x0": 5, "x1": 3}
    made = {name: [names[i] for i in rng.choice(k, min(k, 2), replace=False)]
            for k, name in enumerate(names) if k > 2}
    order = [names[i] for i in rng.permutation(n)]
    in_order = {name: made[name] for name in order if name in made}
    return [name for name in order if name != "x0"], known, in_order, 3


def attributions(rng):
    small = [(np.array([[1.0], [3.0]]), np.array([False, True])),
             (np.array([[1.0, 0.0], [1.0, 2.0], [3.0, -5.0]]), np.array([False, False, True]))]
    groups = [np.arange(n) % 3 == 0 for n in range(4, 10)]
    drawn = [(rng.integers(-9, 10, (len(group), 3)) + 60.0 * np.outer(group, [1, 0, 0]), group)
             for group in groups]  # the 60 keeps the gap from being zero, which has no shares
    return small + drawn


def patients(rng):
    small = [([1, 2, 3], [1, 0, 1], [2, 2, 4]), ([2, 3, 4], [1, 0, 1], [0.5, 0.7, 0.2]),
             ([3, 1, 2, 4], [0, 0, 1, 1], [1, 2, 2, 2])]
    drawn = [(1 + rng.permutation(n), np.r_[1, rng.integers(0, 2, n - 1)], rng.integers(0, 4, n))
             for n in range(5, 11)]
    fixed = [(time, np.where(time <= 2, 1, event), risk) for time, event, risk in drawn]
    return [tuple(np.array(part, float) for part in case) for case in small + fixed]


def follow_ups(rng):
    small = [([1, 2], [1, 0], 1), ([1, 2, 3], [0, 1, 1], 2), ([1, 2, 3], [1, 1, 1], 2),
             ([5, 2, 9, 7], [1, 0, 0, 1], 6)]
    drawn = [(1 + rng.permutation(n), np.arange(n) % 2, int(rng.integers(2, n)))
             for n in range(5, 11)]
    return [(np.array(time, float), np.array(event), t) for time, event, t in small + drawn]


QUESTIONS = questions(r"""
# field_two.recall_additive: One applicant | number, 1 star, 2 min, 1 point
? What do the SHAP values of a row add up to?
? To the row's prediction, less the base value.
? Begin at the base, and give each value its sign.
= value(0.18, tolerance=0.0011)
- 0.06 | the base forgotten | This is the sum of the three values: they say how far the prediction
    is from the *base*.
- 0.22 | sizes added | You added the sizes. A SHAP value has a sign, and the second one pulls down.
- 0.14 | a mean | You averaged the three values. They are shares of one prediction: they add up.
- 0.06 - 0.12 | the wrong side | You subtracted the base: it is where the count begins.
> Because this holds for every row, it holds for the mean of any group of rows, and so for the
    difference of two groups.

# field_two.recall_copies: A hundred neighbours | predict, 1 star, 3 min, 1 point
? What can the forest still read when one of the columns is shuffled?
? Compare one column, all single ones added up, and all at once.
? Neighbours cover for each other one at a time; together they cannot.
= choice("d")
- "a" | importances do not add up | They need not add up: while one column is shuffled, its
    neighbours answer for it, a hundred times over.
- "b" | counted twice | Shared knowledge is missed in every single shuffle, so the sum of the single
    ones counts it too rarely.
- "c" | nothing is lost | Each alone may be dispensable. Shuffle all of them together, and the model
    has nothing left to read.
> With the meat spectra a window of neighbouring channels is worth many times as much as its middle
    one.

# field_two.repair_leak: Repair the leak | implement, 2 stars, 10 min, 3 points
? Begin with all names that are known too late, whether or not they are still in the table.
? What was computed from one of these must go too; and what was computed from *that*?
? Repeat the step until it adds nothing; as many steps as there are computed columns are enough.
= function(tables, honest_among)
- dates_only | dates only | You looked at the dates and at nothing else. What was *computed* from a
    late column knows what it knew: that is how `share` gave the outcome away.
- one_step | one step only | You went one step: from a late column to what was computed from it.
    Something may have been computed from that in turn.
- only_present | only what is still there | You looked for late columns among those that are still
    there. The deleted one is not, and what was made of it is: that is the colleague's slip.
- in_time_too | known at the decision taken for late | A column that is known *at* the moment of the
    decision is known in time: only later ones must go.
- parents_too | the parts thrown out too | You threw out what a late column was computed *from*.
    Income is honest; a sum of spending over income is not.
- all_parts_gone | all parts must be late | You kept what was computed from an honest column *and* a
    leak. One leaking part is enough.
- those_that_go | what must go | These are the columns that must go. The question asks for those
    that may stay.
> Whoever has found one leak should ask what was made of it, and go on asking. Only people who know
    how columns are filled in can write `made_from`.

# field_two.cut: Where to cut | number, 1 star, 3 min, 1 point
? With chance p of being good, what does accepting cost on average, and what refusing?
? Accepting costs four times the chance of being bad.
? Set the two average costs equal, and solve for p.
= value(0.8, tolerance=0.0051)
- 0.5 | the likelier outcome | One half is the cut if both errors cost the same. Here one is dearer:
    be more careful before you make it.
- 0.75 | one less a quarter | You took 1 - 1/4. Write down both average costs at a chance of 0.75:
    they are not equal yet.
- 0.2 | the other way round | That is the cut on the chance of being *bad*; the question asks for
    the chance of being good.
- 4 | a ratio, not a chance | This is the ratio of the costs. The question asks for a chance,
    between 0 and 1.
> With a ratio c the cut is c / (1 + c). Nothing was tuned, and so everything hangs on forecasts
    that keep their word.

# field_two.gap_shares: Who carries the gap? | implement, 2 stars, 8 min, 3 points
? The mean prediction of a group is the base plus a sum over features of its mean SHAP values.
? The base is the same in both groups.
? Two means of each column: over the rows of the group, and over the others. Which is taken from
    which?
= function(attributions, gap_shares_of)
- lambda phi, group: -np.array(gap_shares_of(phi, group)) | the sign | The sign is turned round: the
    group marked True comes first, and the others are subtracted.
- gap_of(lambda part: part.sum(axis=0)) | sums, not means | You compared sums. The larger group then
    has the larger sum, whatever the model says: compare means.
- gap_of(lambda part: abs(part).mean(axis=0)) | sizes | You averaged sizes. A feature that pulls
    down in one group and up in the other is just what makes a gap: keep the signs.
- gap_in_percent | a part of the gap | You divided by the whole gap. The question asks for the
    shares in units of the prediction.
- lambda phi, group: np.asarray(phi)[np.asarray(group, bool)].mean(axis=0) -
    np.asarray(phi).mean(axis=0) | against everybody | You subtracted the mean of *all* rows, which
    holds the group itself: subtract the mean of the others.
! fi_teach.importance.fairness.group_gap
> The shares add up to the whole gap of the model. They divide what it says, and not what is just.

# field_two.within: An audit within the groups | predict, 1 star, 3 min, 1 point
? What values does the protected column have in the rows of one group?
? Shuffle equal numbers.
? Would any other model get another value?
= choice("d")
- "a" | taken for a verdict | Look at the column within one group: it is constant there. What could
    a shuffle change?
- "b" | read as not used | The model may use it in every tree. Within a group all rows have the same
    value, so a shuffle changes nothing.
- "c" | put down to chance | It is exactly zero in any number of rows. More data cannot change that.
> A test that every model passes tests nothing. Ask of each check: which model would fail it?

# field_two.after_dropping: What is left | number, 1 star, 3 min, 0 points
? The gap of the new model is what counts, however the old one divided its own.
? The part that is left is new gap over old gap.
? Both gaps stand in the question: which is the whole, and which the part?
= value(0.6, tolerance=0.0051)
- 0.4 | what went | This is the part that went. The question asks for the part that is left.
- 0.5 | the old share subtracted | You took off the old forest's SHAP share. The new forest leans on
    the other columns more than the old one did.
- 0.08 / 0.096 | the share itself | You set the old share against the new gap. The two belong to
    different forests.
- 0.096 | points, not per cent | These are percentage points. The question asks which part of the
    old gap is left.
> The column's share was 8 points, and dropping it closed 6.4: the remaining columns stood in for
    the rest.

# field_two.equal_odds: Equal error rates | number, 2 stars, 6 min, 0 points
? For a false alarm the whole is: those whom the lenders granted, in that group.
? For a catch the whole is: those whom the lenders denied, in that group.
? In group A the wholes are 20 and 10; in B they are larger and smaller. Divide what the model
    denies of each by it.
= value({"false alarms A": 0.2, "false alarms B": 0.1, "catches A": 0.6, "catches B": 0.4},
    tolerance=0.0051)
- {"false alarms A": 4 / 30, "false alarms B": 4 / 45, "catches A": 6 / 30, "catches B": 2 / 45} |
    of all applicants | You divided by all applicants of the group. Then a group with more denials
    has more catches whatever the model does: divide by those granted, or denied.
- {"false alarms A": 0.4, "false alarms B": 4 / 6, "catches A": 0.6, "catches B": 2 / 6} | of the
    model's denials | You divided by all whom the model denies. That asks how often a denial is
    right; equalised odds begins with what the lenders answered.
- {"false alarms A": 0.8, "false alarms B": 0.9, "catches A": 0.4, "catches B": 0.6} | those the
    model grants | These are the shares that the model *grants*. Count those that it denies.
- {"false alarms A": 8 / 60, "false alarms B": 8 / 60, "catches A": 8 / 15, "catches B": 8 / 15} |
    both groups together | You pooled the groups. The question is whether they meet the same errors:
    one share for each.
> Both shares are higher in A, so the odds are not equal: the model is stricter there, with the
    worthy and with the others. More denials in all would raise every share.

# field_two.four_women: Four women | number, 2 stars, 5 min, 2 points
? In which pairs is it known who relapsed first? The earlier of the two must have an event.
? A with B, C and D; C with D. B was lost before anything was seen.
? A before B, C and D: right, three times. C before D: wrong.
= value(0.75, tolerance=0.011)
- 3 / 6 | all pairs | You counted six pairs. B was censored at 2 years: nobody knows whether she
    relapsed before C or D.
- 2 / 3 | censored left out | You left B out altogether. A relapsed before B was lost, so that pair
    is known: keep it.
- 0.25 | the order turned | A high risk should go with an *early* relapse. Count the pairs in which
    the earlier woman has the higher risk.
- 3 | pairs, not a share | This is the number of right pairs: divide by the number of pairs that can
    be compared.
> A coin gets 1/2 on average. With four pairs, 0.75 is one pair more than luck.

# field_two.concordance: Pairs that can be compared | implement, 3 stars, 12 min, 0 points
? Go through all ordered pairs (i, j) with time[i] < time[j].
? A pair counts if the earlier one, i, has an event; what became of j does not matter.
? Add 1 if risk[i] > risk[j], one half if they are equal, and divide by the number of pairs that
    count.
= function(patients, concordance_by_definition)
- concordance_of(lambda first, second: True, half_for_ties) | censored ones taken for events | You
    counted pairs whose earlier woman was censored. Nobody knows when she would have relapsed.
- concordance_of(lambda first, second: first and second, half_for_ties) | both must have events |
    You asked for an event in both. It is enough that the earlier one has it: the later one was
    still well then.
- concordance_of(lambda first, second: first, lambda a, b: float(a > b)) | ties count nothing | A
    tie of the risks counts one half, as in an AUC: a model that says the same of everybody must get
    1/2.
- concordance_of(lambda first, second: first, lambda a, b: float(a >= b)) | ties count whole | You
    gave ties the whole point. A model that says the same of everybody would be perfect: count one
    half.
- ties_left_out | ties left out | You left the pairs with equal risks out altogether. They can be
    compared, and count one half.
- lambda *case: 1 - concordance_by_definition(*case) | the order turned | You rewarded a high risk
    for a *late* event: turn the comparison round.
! fi_teach.basics.losses.concordance, fi_teach.basics.losses.survival_concordance
> This is Harrell's C. Permutation importance for survival is the fall of this number when a column
    is shuffled.

# field_two.mend_hazard: Find the bug: the women who were still well | mend, 2 stars, 10 min, 3
    points
? Whom does the function count as being at risk?
? A woman who is censored at 9 years was at risk at year 5.
? Over which women must the count of those at risk run?
= function(follow_ups, cumulative_hazard, planted=watched_dropped, lists=True)
- censored_as_events | censored counted as events | Now the censored women count as events. They
    belong among those at risk, and nowhere else.
- hazard_of(lambda time, event, when: len(time)) | everybody always at risk | You divide by all
    women each time. Those whose time is over are no longer at risk.
- hazard_of(lambda time, event, when: sum(time > when)) | the event's own woman left out | The woman
    who has the event at this moment was at risk just before it: count `>=`, not `>`.
- whole_time | no end | You added all events. The question asks for those up to t.
- before_t | t itself left out | You stop before t. An event at t counts: `<=`, not `<`.
- share_with_an_event | a share, not a hazard | You multiplied what is left after each event (Kaplan
    and Meier's way to a *share*). The cumulative hazard adds up.
> With the bug three years free of recurrence look far rarer than they are: the women who did best
    had been thrown out of the denominator.

# field_two.two_votes: Which split wins? | predict, 2 stars, 5 min, 2 points
? As they are, add up what each split takes off the two variances.
? P takes 2 + 0 = 2, Q takes 1 + 0.8 = 1.8.
? Standardised, each variance counts as 1: P takes 2% + 0%, Q takes 1% + 9%.
= choice("a")
- "b" | only as they are | As they are P wins, 2 against 1.8. Standardised, divide each decrease by
    its output's variance first.
- "c" | only standardised | Standardised Q wins. As they are, add 1 and 0.8 and compare with 2.
- "d" | turned round | Add up the decreases as they are: 2 + 0 against 1 + 0.8. Then divide each by
    its output's variance, and add up again.
> The forest never told anyone that it had chosen fat. Whoever adds up outputs has chosen weights,
    by choosing units.

# field_two.reply: A reply to the bank | explain, 2 stars, 10 min, 3 points
? What happened to the gap when the column was dropped?
? Why was no single column to blame?
? What was the model trained to imitate, and what is not in the table?
= by_hand
* 1 | dropping the column does not close the gap: other columns differ between the groups, and
    together they stand in for it
* 1 | a way to measure it, which needs the protected column: the gap divided among features, the gap
    of the refitted model, or proxies
* 1 | a limit: past decisions as the target, unrecorded facts, who applied; no importance says what
    is just
""", globals())
