"""Write the sentences that the figures allow, each with its condition, and those they do not."""

from collections.abc import Iterator

from fi_audit.inputs import AuditInputs
from fi_audit.intervals import number, percent, span
from fi_audit.questions import title
from fi_audit.results import Finding, Measure, Sentence, Subgroup
from fi_audit.subgroups import gap

MOST = 12  # sentences of a kind
ABOUT_MODEL = "It speaks of this fitted model on rows like these, not of the world."
CHECKS_THAT_CONDITION = ("rows entered twice", "the same rows in training and test",
                         "rows split by group", "null copies")


def sentences(
    inputs: AuditInputs, findings: tuple[Finding, ...], clusters: tuple[tuple[str, ...], ...],
    measures: dict[str, Measure], parts: tuple[Subgroup, ...],
) -> tuple[Sentence, ...]:
    """Write all sentences, in the order of the report."""
    made = list(_of_findings(findings))
    importances = [
        *_of_used(measures, clusters), *_of_groups(measures, clusters),
        *_of_relevant(measures, clusters), *_of_associated(measures["associated"])]
    made += [_with_conditions(sentence, inputs, findings) for sentence in importances]
    made += _of_subgroups(parts, inputs)
    made += _not_allowed(measures, clusters)
    return tuple(made)


def _with_conditions(
    sentence: Sentence, inputs: AuditInputs, findings: tuple[Finding, ...]
) -> Sentence:
    """Add conditions to a sentence, or withdraw it, as the checks demand."""
    stops = [f for f in findings if f.verdict == "stop"]
    suspects = [f for f in findings if f.check == "knows too much" and f.verdict == "ask"]
    condition, may = sentence.condition, sentence.may
    if stops:
        condition, may = "Not while this stands: " + stops[0].text, False
    elif suspects and set(sentence.about) & set(suspects[0].about):
        condition, may = "Not before somebody has been asked: " + suspects[0].text, False
    if may and not len(inputs.fitted):
        condition += " Only if the model never saw these rows."
    asks = [f for f in findings if f.verdict == "ask" and f.check in CHECKS_THAT_CONDITION]
    if may and asks:
        condition += f" First settle {' and '.join(repr(f.check) for f in asks)}."
    return Sentence(sentence.kind, sentence.about, sentence.text, condition, may)


def _of_findings(findings: tuple[Finding, ...]) -> Iterator[Sentence]:
    for finding in findings:
        if finding.check == "better than none":
            stops = [f for f in findings if f.verdict == "stop" and f is not finding]
            condition = "Rows drawn as these were."
            if stops:
                condition = "Not while this stands: " + stops[0].text
            yield Sentence("skill", (), finding.text, condition, not stops)
        elif finding.verdict in ("ask", "stop"):
            yield Sentence("leak" if finding.about else "rows", finding.about, finding.text,
                           "It is about the table; no interval.", True)


# --- importances ---


def _of_used(measures: dict[str, Measure], clusters: tuple) -> Iterator[Sentence]:
    """A column is used if its interval is above zero and its figure above every null copy's."""
    used, nothing = measures["used"], measures["null copies"].value.max()
    grouped = {name for members in clusters for name in members}
    for name in _clear_first(used, MOST):
        if name not in grouped and used.row(name)[0] > nothing:
            yield Sentence(
                "used", (name,),
                f"Shuffling {name!r} raises the model's {used.unit} by {_figure(used, name)}: "
                "the model uses it.", ABOUT_MODEL, True)


def _of_groups(measures: dict[str, Measure], clusters: tuple) -> Iterator[Sentence]:
    together = measures.get("used together")
    if together is None:
        return
    for members in clusters:
        name = title(members)
        if together.row(name)[1] > 0:
            yield Sentence(
                "used together", members,
                f"Shuffling {_listed(members)} together raises the model's {together.unit} by "
                f"{_figure(together, name)}: the model uses them, taken together.",
                ABOUT_MODEL, True)


def _of_relevant(measures: dict[str, Measure], clusters: tuple) -> Iterator[Sentence]:
    """A column is relevant if both the refit and the conditional shuffle are clear of zero."""
    refits, conditional = measures.get("relevant"), measures["conditional"]
    together = measures.get("used together")
    of = {title(members): members for members in clusters}
    if refits is None:
        return
    for name in _clear_first(refits, MOST):
        members = of.get(name, (name,))
        beside = together if together and name in of else conditional
        if beside.row(name)[1] <= 0:
            continue
        how = "all together" if name in of else "among rows alike in the others"
        yield Sentence(
            "relevant", members,
            f"{_listed(members)} {'tell' if name in of else 'tells'} something that the other "
            f"columns do not: a refit without makes {_figure(refits, name)} more {refits.unit}, "
            f"and shuffling {how} costs {_figure(beside, name)}.",
            "It speaks of this learner and these columns; another column could tell the same.",
            True)


def _of_associated(alone: Measure) -> Iterator[Sentence]:
    for name in _clear_first(alone, MOST):
        value, low, high = alone.row(name)
        yield Sentence(
            "associated", (name,),
            f"Alone, {name!r} tells {percent(value)} of the target's spread "
            f"({span(low, high, percent)}).",
            "By its bins' means, without any other column: it may stand for another.", True)


# --- groups and periods ---


def _of_subgroups(parts: tuple[Subgroup, ...], inputs: AuditInputs) -> list[Sentence]:
    made = []
    for kind, what in (("group", "groups"), ("period", "periods")):
        some = tuple(part for part in parts if part.kind == kind)
        found = gap(some)
        if found is None:
            continue
        best, worst, difference, low, high = found
        seen = "higher" if low > 0 else "higher, which is not clear of zero,"
        made.append(Sentence(
            kind, (best.name, worst.name),
            f"Between {what}, the model's {inputs.test_set.unit} is {number(difference)} "
            f"({span(low, high)}) {seen} for {worst.name} than for {best.name} "
            f"({worst.n_rows:,} and {best.n_rows:,} rows).",
            "Chosen as the largest gap of all pairs.", True))
        if low <= 0:
            made.append(Sentence(
                kind, (), f"The model works equally well for all {what}.",
                f"A gap of up to {number(high)} is as compatible with these rows.", False))
    return made


# --- what may not ---


def _not_allowed(measures: dict[str, Measure], clusters: tuple) -> list[Sentence]:
    used = measures["used"]
    first = max(used.names, key=lambda name: used.row(name)[0])
    made = [Sentence(
        "causal", (first,), f"Changing {first!r} would change the target.",
        f"No measure of these rows answers that: {_figure(used, first)} is what a prediction "
        "loses, whether the column causes the target or only goes with it.", False)]
    for members in clusters:
        figures = "; ".join(f"{name!r} {_figure(used, name)}" for name in members[:4])
        made.append(Sentence(
            "member", members, f"Of {_listed(members)}, this one matters and that one does not.",
            f"They go together, so each one's figure depends on what the others carry: {figures}.",
            False))
    unclear = [name for name in used.names if not used.row(name)[1] > 0]
    for name in sorted(unclear, key=lambda name: -used.row(name)[2])[:MOST]:
        value, low, high = used.row(name)
        because = (
            f"Up to {number(high)} is compatible with these rows (figure {number(value)})."
            if high > 0 else
            f"The figure is {number(value)} ({span(low, high)}): this model does not profit from "
            "it on these rows, which says nothing about another model.")
        made.append(Sentence("nothing", (name,), f"{name!r} does not matter.", because, False))
    if "relevant" not in measures:
        made.append(Sentence(
            "relevant", (), "A column tells what no other column tells.",
            "That takes refits, and 0 were made: no learner, or no rows to fit it on, was given.",
            False))
    return made


def _clear_first(measure: Measure, most: int) -> list[str]:
    """Return the names whose figures are clear of zero, largest first."""
    clear = [name for name in measure.names if measure.row(name)[1] > 0]
    return sorted(clear, key=lambda name: -measure.row(name)[0])[:most]


def _figure(measure: Measure, name: str) -> str:
    value, low, high = measure.row(name)
    return f"{number(value)} ({span(low, high)})"


def _listed(members: tuple[str, ...]) -> str:
    words = [repr(name) for name in members[:6]]
    if len(members) > 6:
        words.append(f"{len(members) - 6} more")
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
