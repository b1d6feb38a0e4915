"""Write the report: one self-contained page, whose first screen is the answer, and JSON."""

import json
from html import escape
from pathlib import Path

import numpy as np

from fi_audit.columns import RULE
from fi_audit.importance import power
from fi_audit.pictures import of_importances
from fi_audit.results import (
    Audit,
    Finding,
    Measure,
    Sentence,
    Subgroup,
    as_plain,
    number,
    percent,
    title,
)

SIGNS = {"well": "✓", "note": "•", "ask": "?", "stop": "✗", "not asked": "–"}
QUESTIONS = {
    "What does the model predict, and how well?": (
        "what the model predicts", "skill", "calibration"),
    "Are the rows independent, new to the model, and in time?": (
        "the same rows in training and test", "rows entered twice", "related rows", "time",
        "groups"),
    "Could a column be a leak?": ("possible leakage", "known too late"),
    "Are all columns features?": (
        "constant columns", "identifiers", "the same in other units", "gaps that tell"),
}
MEASURES = {
    "used": "What does the model rely on, column by column?",
    "used together": "What does it rely on, group by group?",
    "conditional": "What does it use that the other columns do not tell?",
    "relevant": "What would a copy miss that was fitted without the column?",
    "associated": "What does a column tell when it is taken alone?",
    "null copies": "How large does nothing look?",
}
FIRST = 3  # sentences on the first screen
STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --soft: #57606a; --line: #d0d6dc;
  --clear: #0b5fa5; --pale: #8d99a6; --stop: #a4161a; --ask: #96500a; --band: #eef1f4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebee; --paper: #15181c; --soft: #a7b0ba;
  --line: #3a424b; --clear: #63b0ea; --pale: #77828e; --stop: #ff8d85; --ask: #f0b860;
  --band: #22272d; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 50rem; padding: 1.4rem 1rem 4rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.1rem; margin: 0; } h2 { font-size: 1.15rem; margin: 1.5rem 0 .3rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
.rows { color: var(--soft); font-size: .9rem; margin: .2rem 0 1rem; }
.answer { font-size: 1.3rem; line-height: 1.4; margin: 0 0 1rem; overflow-wrap: anywhere; }
figure { margin: 0; } figcaption, .if, .soft { color: var(--soft); font-size: .88rem; }
ul.say { list-style: none; padding: 0; margin: 0; }
ul.say li { position: relative; padding: .4rem 0 .4rem 1.7rem; border-top: 1px solid var(--line);
  overflow-wrap: anywhere; }
ul.say li::before { content: attr(data-sign); position: absolute; left: .2rem; font-weight: 700; }
.well::before, .well > .sign { color: var(--clear); } .stop::before, .stop > .sign {
  color: var(--stop); } .ask::before, .ask > .sign { color: var(--ask); }
.if { display: block; }
details { border-top: 1px solid var(--line); padding: .5rem 0; }
summary { cursor: pointer; font-weight: 600; } summary .soft { font-weight: 400; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .88rem; width: 100%; margin: .4rem 0 1rem; }
caption { text-align: left; color: var(--soft); padding: .3rem 0; }
th, td { text-align: left; padding: .25rem .7rem .25rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; overflow-wrap: anywhere; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; } svg .soft { fill: var(--soft);
  font-size: 12px; }
svg .null { fill: var(--band); } svg .zero { stroke: var(--pale); stroke-width: 1; }
svg .clear { --hue: var(--clear); font-weight: 650; } svg .unclear { --hue: var(--pale); }
svg .asked { --hue: var(--ask); } svg g line { stroke: var(--hue); stroke-width: 2.5; }
svg g circle { fill: var(--hue); } svg .clear text { font-weight: 650; }
@media (max-width: 34rem) { .answer { font-size: 1.12rem; } svg text { font-size: 19px; }
  svg .soft { font-size: 16px; } }
@media print { :root { color-scheme: light; --ink: #000; --paper: #fff; --soft: #333;
  --line: #bbb; --clear: #0b5fa5; --pale: #777; --stop: #a4161a; --ask: #7a4b00; --band: #eee; }
  @page { margin: 14mm; } body { padding: 0; font-size: 9.5pt; max-width: none; }
  .answer { font-size: 12.5pt; } .first { break-after: page; } li, figure, details {
  break-inside: avoid; } svg { max-height: 9.5cm; } }
"""


def write(audit: Audit, folder: str | Path) -> tuple[Path, Path]:
    """Write report.html and report.json into a folder -> their paths."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    page, data = folder / "report.html", folder / "report.json"
    page.write_text(as_page(audit), encoding="utf-8")
    text = json.dumps(as_plain(audit), ensure_ascii=False, indent=1, allow_nan=False)
    data.write_text(text + "\n", encoding="utf-8")
    return page, data


def as_page(audit: Audit) -> str:
    """Build the whole report as one page of HTML."""
    body = [f'<section class="first">{first_screen(audit)}</section>', "<section>",
            "<h2>The rest, by question</h2>"]
    for question, checks in QUESTIONS.items():
        found = [f for f in audit.findings if f.check in checks]
        body.append(_details(question, _short_answer(found), _findings(found)))
    for question, words in MEASURES.items():
        measure = audit.measure(question)
        if measure is not None:
            body.append(_details(words, _clear(measure), _measure(measure)))
    groups = "; ".join(", ".join(members) for members in audit.clusters)
    if audit.measures:
        body.append(_details("Which columns go together?", groups or "no two",
                             f"<p>{escape(groups or 'No two.')}</p><p class='soft'>"
                             f"{escape(RULE)}.</p>"))
    for kind in ("group", "period"):
        some = tuple(part for part in audit.parts if part.kind == kind)
        if some:
            body.append(_details(f"How well does the model do by {kind}?",
                                 f"{len(some)} {kind}s", _subgroups(some)))
    may, may_not = ([s for s in audit.sentences if s.may is side] for side in (True, False))
    body.append(_details("What may be written, all of it", f"{len(may)} sentences",
                         _sentences(may)))
    body.append(_details("What may not be written", f"{len(may_not)} sentences",
                         _sentences(may_not)))
    about = "".join(f"<tr><th scope='row'>{escape(what)}</th><td>{escape(text)}</td></tr>"
                    for what, text in audit.about.items())
    body.append(_details("What was judged, sampled and computed?", audit.about["sampled"],
                         f"<table><caption>The audit</caption>{about}</table>"))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Audit of a model: {escape(audit.about['model'])}</title>"
        f"<style>{STYLE}</style></head><body><main>" + "\n".join(body)
        + "</section></main></body></html>\n")


def first_screen(audit: Audit) -> str:
    """Build what is read first: the answer, the picture, four sentences, what to do next."""
    may, may_not = chosen(audit)
    used = audit.measure("used")
    picture = ""
    if used is not None:
        unit = ("Share of the model's skill that is lost when a column, or a correlated group, is "
                "shuffled; above 100% the shuffled model is worse than none"
                if np.isfinite(used.share).any()
                else f"Rise of the {used.unit} when a column, or a correlated group, is shuffled")
        reach = power(used)
        shows = (f" These rows can show an importance of about {percent(reach)} or more."
                 if np.isfinite(reach) else "")
        hidden = len(used.members) - 16
        picture = (f"<figure>{of_importances(audit)}<figcaption>{escape(unit)}. Lines are 95% "
                   "intervals that hold for all columns together. Grey: may matter, cannot be "
                   f"shown with these rows.{shows} “?”: ask whether it is a leak."
                   + (f" {hidden} more below." if hidden > 0 else "") + "</figcaption></figure>")
    asks = "".join(f'<li class="ask" data-sign="?">{escape(text)}</li>' for text in audit.asks)
    return (
        f"<h1>Audit of {escape(audit.about['model'])}</h1>"
        f'<p class="rows">{escape(audit.about["table"])} · judged on '
        f"{escape(audit.about['judged on'])}</p>"
        f'<p class="answer">{escape(audit.answer)}</p>{picture}'
        + (f"<h2>You may write</h2>{_sentences(may)}" if may else "")
        + (f"<h2>You may not write</h2>{_sentences(may_not)}" if may_not else "")
        + f"<h2>Before you send this</h2><ul class='say'>{asks or NOTHING}</ul>")


NOTHING = '<li class="well" data-sign="✓">Nothing is left to ask of this table.</li>'


def chosen(audit: Audit) -> tuple[list[Sentence], list[Sentence]]:
    """Choose three sentences that may be written, of different kinds first, and one that not."""
    may = [s for s in audit.sentences if s.may]
    relied = [s for s in may if s.kind in ("used", "used together")]
    relied.sort(key=lambda s: -_value(audit, s))
    others = [next((s for s in may if s.kind == kind), None)
              for kind in ("relevant", "skill", "ranking", "associated")]
    first = [s for s in (*relied[:1], *others) if s is not None]
    if len(relied) > 1 and first[1:] and first[1].kind != "relevant":
        first.insert(1, relied[1])
    first = (first + [s for s in may if s not in first])[:FIRST]
    may_not = [s for s in audit.sentences if not s.may]
    preferred = [s for s in may_not if s.kind in ("skill", "used", "used together")] + [
        s for s in may_not if s.kind == "causal"] + may_not
    return first, preferred[:1]


def _value(audit: Audit, sentence: Sentence) -> float:
    measure = audit.measure(sentence.kind)
    return measure.row(sentence.about)[0] if measure is not None else 0.0


# --- the parts below ---


def _details(question: str, short: str, inside: str) -> str:
    return (f"<details><summary>{escape(question)} <span class='soft'>{escape(short)}</span>"
            f"</summary>{inside}</details>")


def _short_answer(found: list[Finding]) -> str:
    """The gravest finding in its first sentence."""
    grave = [f for f in found if f.verdict in ("stop", "ask")] or [
        f for f in found if f.check in ("what the model predicts", "skill", "possible leakage")]
    return " ".join(f.text.partition(". ")[0].removesuffix(".") + "." for f in grave[:2]) or (
        "nothing to report")


def _clear(measure: Measure) -> str:
    names = [measure.names[j] for j in np.argsort(-measure.value) if measure.clear[j]]
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return f"clear of zero: {', '.join(names[:4])}{more}" if names else "no column is clear of zero"


def _findings(findings: list[Finding]) -> str:
    items = "".join(
        f'<li class="{f.verdict.replace(" ", "-")}" data-sign="{SIGNS[f.verdict]}">'
        f"<b>{escape(f.check)}</b> {escape(f.text)}"
        + (f'<span class="if">{escape(f.ask)}</span>' if f.ask else "") + "</li>"
        for f in findings)
    return f"<ul class='say'>{items}</ul>"


def _sentences(some: list[Sentence]) -> str:
    items = "".join(
        f'<li class="{"well" if s.may else "stop"}" data-sign="{"✓" if s.may else "✗"}">'
        f'“{escape(s.text)}” <span class="if">{escape(s.condition)}</span></li>' for s in some)
    return f"<ul class='say'>{items}</ul>" if some else "<p>Nothing.</p>"


def _measure(measure: Measure) -> str:
    order = np.argsort(-measure.value, kind="stable")
    as_text = percent if measure.question == "associated" else number
    head = ["column", "share of the skill", "from", "to", measure.unit, "from", "to"]
    has_share = bool(np.isfinite(measure.share).any())
    rows = []
    for j in order:
        cells = [percent(x) for x in measure.share[:, j]] if has_share else []
        cells += [as_text(x[j]) for x in (measure.value, measure.low, measure.high)]
        rows.append(f'<th scope="row">{escape(title(measure.members[j]))}</th>'
                    + "".join(f'<td class="n">{cell}</td>' for cell in cells))
    return _table(measure.how, head if has_share else [head[0], *head[4:]], rows)


def _subgroups(parts: tuple[Subgroup, ...]) -> str:
    rates = list(dict.fromkeys(rate for part in parts for rate in part.extra))
    head = ["part", "rows", "mean loss", "from", "to", "predicted", "observed", *rates]
    rows = []
    for part in parts:
        figures = [part.loss, part.low, part.high, part.predicted, part.observed]
        cells = [f"{part.n_rows:,}", *map(number, figures)]
        cells += [percent(part.extra.get(rate, np.nan)) for rate in rates]
        rows.append(f'<th scope="row">{escape(part.name)}</th>'
                    + "".join(f'<td class="n">{cell}</td>' for cell in cells))
    return _table(f"The model on each {parts[0].kind}", head, rows)


def _table(caption: str, head: list[str], rows: list[str]) -> str:
    """Build a table of a name and numbers."""
    columns = "".join(f'<th scope="col" class="{"n" if k else "words"}">{escape(name)}</th>'
                      for k, name in enumerate(head))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(caption, quote=True)}">'
        f"<table><caption>{escape(caption)}</caption><thead><tr>{columns}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>")
