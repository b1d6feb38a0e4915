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
from fi_audit.results import (
    Finding,
    Measure,
    Sentence,
    Subgroup,
    listed,
    number,
    percent,
    span,
    title,
)
from fi_audit.skill import Score, lower_text, ranking_text, skill_text
from fi_audit.subgroups import gap

MOST = 10  # sentences of a kind
NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
OF_THE_MODEL = ("skill", "ranking", "used", "used together", "relevant", "group", "period")
OF_THE_ROWS = ("rows entered twice", "the same rows in training and test", "related rows")


@dataclass(frozen=True, eq=False)
class Facts:
    """What the sentences are made of."""

    data: AuditData
    scores: list[Score]
    main: Score
    findings: tuple[Finding, ...]
    clusters: tuple[tuple[str, ...], ...]
    measures: dict[str, Measure]
    parts: tuple[Subgroup, ...]
    no_refit: str

    def finding(self, check: str) -> Finding | None:
        return next((f for f in self.findings if f.check == check), None)

    @property
    def stops(self) -> list[Finding]:
        return [f for f in self.findings if f.verdict == "stop"]

    @property
    def who(self) -> str:
        return self.data.subject[0].upper() + self.data.subject[1:]

    @property
    def suspects(self) -> tuple[str, ...]:
        found = self.finding("possible leakage")
        return found.about if found and found.verdict == "ask" else ()


def sentences(facts: Facts) -> tuple[Sentence, ...]:
    """Write all sentences, in the order of the report."""
    made = [*_skill(facts), *_used(facts), *_together(facts), *_relevant(facts),
            *_associated(facts), *_subgroups(facts), *_not_allowed(facts)]
    return tuple(_with_conditions(sentence, facts) for sentence in made)


def _with_conditions(sentence: Sentence, facts: Facts) -> Sentence:
    """Add what must be settled first, or withdraw a sentence that the rows cannot bear."""
    if not sentence.may or sentence.kind not in (*OF_THE_MODEL, "associated"):
        return sentence
    condition = sentence.condition
    if sentence.kind in OF_THE_MODEL:
        if facts.data.seen:
            return replace(sentence, may=False, condition=(
                "The model was fitted on these rows: figures on them flatter. It takes rows that "
                "it has not seen, or a copy that is fitted on a part (--refit)."))
        if facts.stops:
            return replace(sentence, may=False,
                           condition="Not while this stands: " + facts.stops[0].text)
        touched = set(sentence.about) & set(facts.suspects)
        if facts.suspects and (touched or sentence.kind in ("skill", "ranking")):
            names = listed(facts.suspects)
            condition += (f" And only if {names} {'is' if len(facts.suspects) == 1 else 'are'} "
                          "known before the outcome: ask.")
    elif set(sentence.about) & set(facts.suspects):
        condition += " It may have been written down after the outcome: ask."
    asks = [f.check for f in facts.findings if f.verdict == "ask" and f.check in OF_THE_ROWS]
    if asks:
        condition += f" First settle what is asked under “{'” and “'.join(asks)}”."
    return replace(sentence, condition=condition)


def _shares(measure: Measure, members: tuple[str, ...]) -> str:
    """A figure as a share of the skill, with its interval; in the loss's unit where it has none."""
    j = measure.place(members)
    value, low, high = measure.share[:, j]
    if np.isfinite(value):
        return f"costs {percent(value)} of its skill ({span(low, high, percent)})"
    value, low, high = measure.row(members)
    return f"raises the {measure.unit} by {number(value)} ({span(low, high)})"


def clear_members(measure: Measure | None, facts: Facts) -> list[tuple[str, ...]]:
    """Columns (groups) clear of zero and above their own shuffled copy, largest first."""
    if measure is None:
        return []
    copies = facts.measures.get("null copies")

    def above(members: tuple[str, ...]) -> bool:
        if copies is None or members not in copies.members:
            return True
        return measure.row(members)[0] > copies.row(members)[0]
    order = np.argsort(-measure.value, kind="stable")
    found = [measure.members[j] for j in order if measure.clear[j]]
    return [members for members in found if above(members)]


# --- what may be written ---


def _skill(facts: Facts) -> Iterator[Sentence]:
    """True if the same model on new rows has a skill inside the interval."""
    data, n = facts.data, f"{len(facts.main.rows):,}"
    rows = "rows that it was fitted on" if data.seen else "rows like these"
    condition = f"On {rows} ({n} of them), by the {facts.main.unit}."
    made = []
    if facts.main.clear:
        made.append(Sentence("ranking" if facts.main.name == "ranking" else "skill", (),
                             skill_text(data, facts.main) + ".", condition, True))
    for score in facts.scores:
        if score.name == "ranking" and score is not facts.main and score.clear:
            made.append(Sentence("ranking", (), ranking_text(data, score) + ".",
                                 f"On {rows}.", True))
    yield from made


def _used(facts: Facts) -> Iterator[Sentence]:
    """True if shuffling the column costs this model something on new rows, as much as is said."""
    grouped = {name for members in facts.clusters for name in members}
    found = [one for one in clear_members(facts.measures.get("used"), facts)
             if one[0] not in grouped]
    for members in found[:MOST]:
        yield Sentence(
            "used", members, f"{facts.who} relies on {listed(members)}: shuffling it "
            f"{_shares(facts.measures['used'], members)}.",
            "On rows like these. It says what the predictions rest on, not what causes the "
            "target.", True)


def _together(facts: Facts) -> Iterator[Sentence]:
    """True if shuffling the correlated columns together costs as much as is said."""
    measure = facts.measures.get("used together")
    for members in clear_members(measure, facts)[:MOST]:
        if measure is not None:
            yield Sentence(
                "used together", members, f"{facts.who} relies on {listed(members)}, taken "
                f"together: shuffling them {_shares(measure, members)}.",
                "They are correlated, so the figure belongs to all of them and to none alone.",
                True)


def _relevant(facts: Facts) -> Iterator[Sentence]:
    """True if the column tells of the target what the other columns do not."""
    refits = facts.measures.get("relevant")
    if refits is None:
        return
    conditional, together = (facts.measures.get(q) for q in ("conditional", "used together"))
    for members in clear_members(refits, facts)[:MOST]:
        beside = together if len(members) > 1 else conditional
        if beside is None or members not in beside.members or beside.row(members)[1] <= 0:
            continue
        value, low, high = refits.row(members)
        what = "together add" if len(members) > 1 else "adds"
        yield Sentence(
            "relevant", members, f"{listed(members)} {what} information that the other columns "
            f"do not contain: a copy of the model, fitted again without, has {number(value)} "
            f"({span(low, high)}) more {refits.unit}.",
            "About this way of fitting and these columns; another column could carry the same.",
            True)


def _associated(facts: Facts) -> Iterator[Sentence]:
    """True if the column alone tells of the target as much as is said."""
    measure = facts.measures.get("associated")
    if measure is None:
        return
    order = np.argsort(-measure.value, kind="stable")
    for j in [j for j in order if measure.clear[j]][:MOST]:
        yield Sentence(
            "associated", measure.members[j], f"Taken alone, {listed(measure.members[j])} "
            f"accounts for {percent(measure.value[j])} of the target's variance "
            f"({span(measure.low[j], measure.high[j], percent)}).",
            "By the means in its bins, without any model: it may stand for another column.", True)


def _subgroups(facts: Facts) -> Iterator[Sentence]:
    """True if the gap on new rows lies inside the interval."""
    for kind, what in (("group", "groups"), ("period", "periods")):
        some = tuple(part for part in facts.parts if part.kind == kind)
        found = gap(some)
        if found is None:
            continue
        best, worst, difference, low, high = found
        if low > 0:
            yield Sentence(
                kind, (best.name, worst.name),
                f"The {facts.main.unit} of {facts.data.subject.removesuffix(',')} is "
                f"{number(difference)} ({span(low, high)}) higher for {worst.name} than for "
                f"{best.name} ({worst.n_rows:,} and {best.n_rows:,} rows).",
                f"Chosen as the largest gap between two {what}; the groups may differ in what "
                "there is to predict.", True)
        else:
            yield Sentence(
                kind, (best.name, worst.name), f"The model works equally well for all {what}.",
                f"A gap of up to {number(high)} ({facts.main.unit}) is as compatible with these "
                "rows.", False)


# --- what may not ---


def _not_allowed(facts: Facts) -> Iterator[Sentence]:
    used = facts.measures.get("used")
    if used is None:
        return
    clear = clear_members(used, facts)
    first = clear[0] if clear else used.members[int(used.value.argmax())]
    together = clear_members(facts.measures.get("used together"), facts)
    if together and not (set(first) & {name for one in together for name in one}) and not clear:
        first = together[0]
    yield Sentence(
        "causal", first, f"Changing {listed(first)} would change the target.",
        f"It goes with the target in these {len(facts.data.y):,} rows. A cause takes an argument "
        "from outside the table.", False)
    for members in facts.clusters[:MOST]:
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
    if "relevant" not in facts.measures:
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
    elif facts.stops:
        return f"No importance of this model may be written yet. {facts.stops[0].text}"
    else:
        grade = "predicts well enough to be explained" if main.name != "ranking" else (
            "ranks well enough to be explained, though its numbers are no better than a constant")
        first = f"{facts.who} {grade}: it {_in_short(facts)}. {_carried(facts)}"
    suspects = facts.suspects
    leak = "" if not suspects else (
        f" {listed(suspects)} {'looks' if len(suspects) == 1 else 'look'} like a leak: ask before "
        "you publish anything.")
    rows = [f for f in facts.findings if f.verdict == "ask" and f.check in (*OF_THE_ROWS, "time")]
    others = f" {rows[0].text if rows[0].check != 'related rows' else _related(rows[0])}" if (
        rows and not suspects) else ""
    return first + leak + others


def _related(finding: Finding) -> str:
    return ("Some rows seem to belong together, which makes every interval too narrow."
            if finding.figures and "nearer" in finding.figures else finding.text)


def _in_short(facts: Facts) -> str:
    score = facts.main
    ranking = next((s for s in facts.scores if s.name == "ranking"), None)
    removed = lower_text(score)
    if score.name == "ranking":
        text = ranking_text(facts.data, score)
        return text.removeprefix(facts.who + " ")
    if ranking is not None and facts.data.kind == "probability":
        text = ranking_text(facts.data, ranking).removeprefix(facts.who + " ")
        return f"{removed} and {text.split(' (')[0]}"
    return removed


def _carried(facts: Facts) -> str:
    """Name what carries the model: columns that are clear, groups by their members."""
    grouped = {name for members in facts.clusters for name in members}
    alone = [one for one in clear_members(facts.measures.get("used"), facts)
             if one[0] not in grouped]
    groups = clear_members(facts.measures.get("used together"), facts)
    share = {one: m.row(one)[0] for one, m in [
        *((one, facts.measures["used"]) for one in alone),
        *((one, facts.measures["used together"]) for one in groups)]}
    ordered = sorted(share, key=lambda one: -share[one])
    if not ordered:
        return "No single feature can be shown to carry it."
    names = [f"'{one[0]}'" if len(one) == 1 else f"the group ({title(one)})" for one in ordered]
    shown = names[:3] if len(names) > 4 else names
    text = ", ".join(shown) if len(shown) < len(names) or len(shown) == 1 else (
        ", ".join(shown[:-1]) + " and " + shown[-1])
    count = NUMBERS[len(names)] if len(names) < len(NUMBERS) else str(len(names))
    what = "feature" if not groups else "feature or group" if len(names) == 1 else (
        "features or groups")
    what += "s" if len(names) > 1 and not groups else ""
    first = ", first" if len(shown) < len(names) else ""
    return f"{count} {what} {'carries' if len(names) == 1 else 'carry'} it{first}: {text}."
