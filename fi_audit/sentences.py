"""Write the sentences that the figures allow, each with its condition, and those they do not.

A kind of sentence has one function, whose first line says when it is true. A suspicion adds a
condition to a sentence and never removes a true one; a model that no score tells from nothing, and
rows that the model was fitted on, leave no sentence about what the model relies on.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from fi_audit.data import AuditData
from fi_audit.importance import power
from fi_audit.results import Audit, Finding, Measure, Sentence, listed, number, percent, span, title
from fi_audit.skill import Score, in_words
from fi_audit.subgroups import gap

MOST = 10  # sentences of a kind
NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
OF_THE_MODEL = ("skill", "ranking", "used", "used together", "relevant", "group", "period")
OF_THE_ROWS = ("rows entered twice", "the same rows in training and test", "related rows")


@dataclass(frozen=True, eq=False)
class Facts:
    """What the sentences are made of: an audit without them, its data and scores."""

    data: AuditData
    scores: list[Score]
    main: Score
    audit: Audit
    no_refit: str

    def findings(self, verdict: str) -> list[Finding]:
        return [f for f in self.audit.findings if f.verdict == verdict]

    @property
    def carriers(self) -> list[tuple[Measure, tuple[str, ...]]]:
        """What is clear of zero: columns by themselves, and groups of correlated ones."""
        grouped = {name for members in self.audit.clusters for name in members}
        return [(self.audit.measure(question), one) for question in ("used", "used together")
                for one in self.audit.clear(question) if len(one) > 1 or one[0] not in grouped]


def sentences(facts: Facts) -> tuple[Sentence, ...]:
    """Write all sentences, in the order of the report."""
    made = [*_skill(facts), *_used(facts), *_relevant(facts), *_associated(facts),
            *_subgroups(facts), *_not_allowed(facts)]
    return tuple(_with_conditions(sentence, facts) for sentence in made)


def _with_conditions(sentence: Sentence, facts: Facts) -> Sentence:
    """Add what must be settled first, or withdraw a sentence that the rows cannot bear."""
    if not sentence.may or sentence.kind not in (*OF_THE_MODEL, "associated"):
        return sentence
    condition, suspects = sentence.condition, facts.audit.suspects
    touched = set(sentence.about) & set(suspects)
    if sentence.kind in OF_THE_MODEL:
        if facts.data.seen:
            return replace(sentence, may=False, condition=(
                "The model was fitted on these rows: figures on them flatter. It takes rows that "
                "it has not seen, or a copy that is fitted on a part (--refit)."))
        for stop in facts.findings("stop"):
            return replace(sentence, may=False, condition="Not while this stands: " + stop.text)
        if touched or (suspects and sentence.kind in ("skill", "ranking")):
            condition += (f" And only if {listed(suspects)} "
                          f"{'is' if len(suspects) == 1 else 'are'} known before the outcome: ask.")
    elif touched:
        condition += " It may have been written down after the outcome: ask."
    asks = [f.check for f in facts.findings("ask") if f.check in OF_THE_ROWS]
    if asks:
        condition += f" First settle what is asked under “{'” and “'.join(asks)}”."
    return replace(sentence, condition=condition)


def _shares(measure: Measure, members: tuple[str, ...]) -> str:
    """A figure as a share of the skill, with its interval; in the loss's unit where it has none."""
    value, low, high = measure.share[:, measure.place(members)]
    if np.isfinite(value):
        return f"costs {percent(value)} of its skill ({span(low, high, percent)})"
    value, low, high = measure.row(members)
    return f"raises the {measure.unit} by {number(value)} ({span(low, high)})"


# --- what may be written ---


def _skill(facts: Facts) -> Iterator[Sentence]:
    """True if the same model on new rows has a skill inside the interval."""
    data, main = facts.data, facts.main
    rows = "On rows that it was fitted on" if data.seen else "On rows like these"
    for score in facts.scores:
        kind = "ranking" if score.name == "ranking" else "skill"
        if score.clear and (score is main or kind == "ranking"):
            yield Sentence(kind, (), f"{data.who} {in_words(data, score)}.",
                           f"{rows} ({len(score.rows):,} of them), by the {score.unit}.", True)


def _used(facts: Facts) -> Iterator[Sentence]:
    """True if shuffling the column, or the group together, costs as much as is said on new rows."""
    alone = [one for one in facts.carriers if one[0].question == "used"]
    groups = facts.carriers[len(alone):]
    for measure, members in (*alone[:MOST], *groups[:MOST]):
        together = ", taken together" if len(members) > 1 else ""
        yield Sentence(
            measure.question, members, f"{facts.data.who} relies on {listed(members)}{together}: "
            f"shuffling {'them' if together else 'it'} {_shares(measure, members)}.",
            "They are correlated, so the figure belongs to all of them and to none alone."
            if together else "On rows like these. It says what the predictions rest on, not what "
            "causes the target.", True)


def _relevant(facts: Facts) -> Iterator[Sentence]:
    """True if the column tells of the target what the other columns do not."""
    refits = facts.audit.measure("relevant")
    for members in facts.audit.clear("relevant")[:MOST] if refits else ():
        together = len(members) > 1
        beside = facts.audit.measure("used together" if together else "conditional")
        if beside is None or members not in beside.members or beside.row(members)[1] <= 0:
            continue
        value, low, high = refits.row(members)
        yield Sentence(
            "relevant", members, f"{listed(members)} {'together add' if together else 'adds'} "
            "information that the other columns do not contain: a copy of the model, fitted again "
            f"without, has {number(value)} ({span(low, high)}) more {refits.unit}.",
            "About this way of fitting and these columns; another column could carry the same.",
            True)


def _associated(facts: Facts) -> Iterator[Sentence]:
    """True if the column alone tells of the target as much as is said."""
    for members in facts.audit.clear("associated")[:MOST]:
        value, low, high = facts.audit.measure("associated").row(members)
        yield Sentence(
            "associated", members, f"Taken alone, {listed(members)} accounts for {percent(value)} "
            f"of the target's variance ({span(low, high, percent)}).",
            "By the means in its bins, without any model: it may stand for another column.", True)


def _subgroups(facts: Facts) -> Iterator[Sentence]:
    """True if the gap on new rows lies inside the interval."""
    for kind in ("group", "period"):
        found = gap(tuple(part for part in facts.audit.parts if part.kind == kind))
        if found is None:
            continue
        best, worst, difference, low, high = found
        if low > 0:
            yield Sentence(
                kind, (best.name, worst.name),
                f"The {facts.main.unit} of {facts.data.subject.removesuffix(',')} is "
                f"{number(difference)} ({span(low, high)}) higher for {worst.name} than for "
                f"{best.name} ({worst.n_rows:,} and {best.n_rows:,} rows).",
                f"Chosen as the largest gap between two {kind}s; the groups may differ in what "
                "there is to predict.", True)
        else:
            yield Sentence(
                kind, (best.name, worst.name), f"The model works equally well for all {kind}s.",
                f"A gap of up to {number(high)} ({facts.main.unit}) is as compatible with these "
                "rows.", False)


# --- what may not ---


def _not_allowed(facts: Facts) -> Iterator[Sentence]:
    used = facts.audit.measure("used")
    clear = facts.audit.clear("used") + facts.audit.clear("used together")
    first = clear[0] if clear else used.members[int(used.value.argmax())]
    yield Sentence(
        "causal", first, f"Changing {listed(first)} would change the target.",
        f"It goes with the target in these {len(facts.data.y):,} rows. A cause takes an argument "
        "from outside the table.", False)
    for members in facts.audit.clusters[:MOST]:
        shares = "; ".join(f"'{name}' {_shares(used, (name,))}" for name in members[:3])
        yield Sentence("member", members, f"Of {listed(members)}, one matters and the others do "
                       "not.", f"They are correlated, so what one costs depends on what the others "
                       f"carry. Alone: {shares}.", False)
    unclear = tuple(one[0] for j, one in enumerate(used.members) if not used.clear[j])
    if unclear and facts.main.clear:
        reach = power(used)
        bound = percent(reach) + " of the skill" if np.isfinite(reach) else number(
            float(np.median(used.high - used.value)))
        yield Sentence(
            "nothing", unclear, f"{listed(unclear)} {'do' if len(unclear) > 1 else 'does'} not "
            "matter.", f"These rows can show an importance of about {bound} or more; smaller ones "
            "stay unseen.", False)
    if facts.audit.measure("relevant") is None:
        yield Sentence("relevant", (), "A column adds what no other column contains.",
                       f"0 copies of the model were fitted without a column: {facts.no_refit}",
                       False)


# --- the answer ---


def answer(facts: Facts) -> str:
    """Say in a line or two whether the model can be explained, what carries it, what to ask."""
    data, main = facts.data, facts.main
    if data.seen:
        first = ("The model was fitted on these rows, so they cannot say how well it predicts nor "
                 "what it relies on.")
    elif not main.clear:
        return ("The model cannot be explained: on these rows no score tells it from a prediction "
                "that needs no model, so its importances mean nothing.")
    elif facts.findings("stop"):
        return ("No importance of this model may be written yet. "
                + facts.findings("stop")[0].text)
    else:
        grade = "predicts well enough to be explained" if main.name != "ranking" else (
            "ranks well enough to be explained, though its numbers are no better than a constant")
        said = in_words(data, main)
        if main.name != "ranking" and data.kind == "probability":
            said += "".join(f" and {in_words(data, score).split(' (')[0]}"
                            for score in facts.scores if score.name == "ranking")
        first = f"{data.who} {grade}: it {said}. {_carried(facts)}"
    suspects = facts.audit.suspects
    if suspects:
        looks = "looks" if len(suspects) == 1 else "look"
        return (f"{first} {listed(suspects)} {looks} like a leak: ask before you publish "
                "anything.")
    rows = [f for f in facts.findings("ask") if f.check in (*OF_THE_ROWS, "time")]
    related = rows and "nearer" in (rows[0].figures or {})
    return " ".join([first, *(
        "Some rows seem to belong together, which makes every interval too narrow."
        if related else f.text for f in rows[:1])])


def _carried(facts: Facts) -> str:
    """Name what carries the model: columns that are clear, groups by their members."""
    ordered = [one for _, one in sorted(facts.carriers, key=lambda one: -one[0].row(one[1])[0])]
    if not ordered:
        return "No single feature can be shown to carry it."
    names = [f"'{one[0]}'" if len(one) == 1 else f"the group ({title(one)})" for one in ordered]
    shown = names[:3] if len(names) > 4 else names
    text = " and ".join([", ".join(shown[:-1]), shown[-1]] if shown[1:] else shown)
    count = NUMBERS[len(names)] if len(names) < len(NUMBERS) else str(len(names))
    what = "features" if len(names) > 1 else "feature"
    if any(len(one) > 1 for one in ordered):
        what += " or groups" if len(names) > 1 else " or group"
    first = ", first" if len(shown) < len(names) else ""
    return f"{count} {what} {'carries' if len(names) == 1 else 'carry'} it{first}: {text}."
