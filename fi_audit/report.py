"""Write the report: one self-contained page, and the same as JSON."""

import json
from html import escape
from pathlib import Path

from fi_audit.correlated_columns import RULE
from fi_audit.intervals import number, percent
from fi_audit.pictures import of_measure, of_subgroups
from fi_audit.results import Audit, Finding, Measure, Sentence, Subgroup, as_plain, from_plain

SIGNS = {"well": "✓ well", "note": "• note", "ask": "? ask", "stop": "✗ stop",
         "not asked": "– not asked"}
TITLES = {
    "associated": "Does the column, taken alone, tell something?",
    "used": "Does this model use it?",
    "null copies": "How large does nothing look?",
    "used together": "Does this model use the group?",
    "conditional": "Does the model use what the others do not tell?",
    "relevant": "Would a refit miss it?",
}
STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --soft: #57606a;
  --line: #c4cbd3; --bar: #0b6bb3; --pale: #8d99a6; --stop: #a4161a; --ask: #7a4b00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebee; --paper: #15181c; --soft: #a7b0ba;
  --line: #434b54; --bar: #58a6e0; --pale: #77828e; --stop: #ff8d85; --ask: #f0b860; } }
@media print { :root { color-scheme: light; --ink: #000; --paper: #fff; --soft: #333;
  --line: #999; --bar: #0b6bb3; --pale: #777; --stop: #a4161a; --ask: #7a4b00; }
  section { break-inside: avoid-page; } a { color: inherit; } }
body { margin: 0 auto; max-width: 52rem; padding: 1.5rem 1rem 4rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
h3 { font-size: 1.05rem; margin-top: 1.8rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; width: 100%; }
caption { text-align: left; color: var(--soft); padding: .3rem 0; }
th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
tbody th { min-width: 6.5rem; overflow-wrap: anywhere; }
tbody th + td { white-space: nowrap; } header th + td { white-space: normal; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.stop { color: var(--stop); font-weight: 600; } .ask { color: var(--ask); font-weight: 600; }
.if { color: var(--soft); font-size: .92rem; display: block; }
li { margin-bottom: .7rem; }
svg { width: 100%; height: auto; max-width: 40rem; display: block; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
@media (max-width: 34rem) { svg text { font-size: 15px; }
  .checks thead { display: none; } .checks tr { display: block; padding: .4rem 0;
    border-bottom: 1px solid var(--line); }
  .checks th, .checks td { display: inline-block; border: 0; padding: 0 .8rem 0 0; }
  .checks td:last-child { display: block; } }
svg rect.clear { fill: var(--bar); } svg rect.unclear { fill: var(--pale); }
svg .reach { stroke: var(--ink); stroke-width: 1.6; }
svg .zero { stroke: var(--line); stroke-width: 1; }
"""


def write(audit: Audit, folder: str | Path) -> tuple[Path, Path]:
    """Write report.html and report.json into a folder, created if missing -> their paths."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    page, data = folder / "report.html", folder / "report.json"
    page.write_text(as_page(audit), encoding="utf-8")
    text = json.dumps(as_plain(audit), ensure_ascii=False, indent=1, allow_nan=False)
    data.write_text(text + "\n", encoding="utf-8")
    return page, data


def read(path: str | Path) -> Audit:
    """Read the audit from a report.json. Raises ValueError for a file that is none."""
    try:
        audit = from_plain(json.loads(Path(path).read_text(encoding="utf-8")))
    except (json.JSONDecodeError, UnicodeDecodeError, TypeError):
        audit = None
    if not isinstance(audit, Audit):
        raise ValueError(f"{path} is no report of an audit: expected its report.json.")
    return audit


def as_page(audit: Audit) -> str:
    """Build the whole report as one page of HTML."""
    may = [s for s in audit.sentences if s.may]
    may_not = [s for s in audit.sentences if not s.may]
    body = [
        "<header><h1>What may be said about this model</h1>",
        _about(audit.about), "</header><main>",
        _section("First: is there anything to explain?", _findings(audit.findings)),
        _section("What may be written", _sentences(may)),
        _section("What may not be written", _sentences(may_not)),
        _section("The figures", _clusters(audit.clusters) + "".join(
            _measure(measure) for measure in audit.measures)),
    ]
    for kind, title in (("group", "By group"), ("period", "By period")):
        some = tuple(part for part in audit.parts if part.kind == kind)
        if some:
            body.append(_section(title, _subgroups(some, audit.about["judged by"])))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Audit of a model: {escape(audit.about['model'])}</title>"
        f"<style>{STYLE}</style></head><body>" + "\n".join(body) + "</main></body></html>\n")


def _section(title: str, inside: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{inside}</section>"


def _about(about: dict[str, str]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(what)}</th><td>{escape(text)}</td></tr>'
        for what, text in about.items())
    return f"<table><caption>What was judged, and how</caption>{rows}</table>"


def _findings(findings: tuple[Finding, ...]) -> str:
    rows = [
        [f'<th scope="row">{escape(f.check)}</th>',
         f'<td class="{f.verdict.replace(" ", "-")}">{SIGNS[f.verdict]}</td>',
         f"<td>{escape(f.text)}</td>"]
        for f in findings]
    return _table("What would make every importance worthless", ["check", "verdict", "seen"],
                  ["".join(row) for row in rows], kind="wide checks")


def _sentences(some: list[Sentence]) -> str:
    if not some:
        return "<p>Nothing.</p>"
    items = "".join(
        f'<li>{escape(s.text)} <span class="if">{escape(s.condition)}</span></li>' for s in some)
    return f"<ul>{items}</ul>"


def _clusters(groups: tuple[tuple[str, ...], ...]) -> str:
    rule = f"<p>Spoken of together: {escape(RULE)}. "
    if not groups:
        return rule + "No two columns do.</p>"
    items = "".join(f"<li>{escape(', '.join(members))}</li>" for members in groups)
    return rule + f"</p><ul>{items}</ul>"


def _measure(measure: Measure) -> str:
    order = sorted(range(len(measure.names)), key=lambda j: -measure.value[j])
    as_text = percent if measure.question == "associated" else number
    rows = [
        f'<th scope="row">{escape(measure.names[j])}</th>' + "".join(
            f'<td class="n">{as_text(x[j])}</td>'
            for x in (measure.value, measure.low, measure.high))
        + f"<td>{'yes' if measure.clear[j] else 'no'}</td>"
        for j in order]
    table = _table(f"{measure.how}, in {measure.unit}",
                   ["column", "figure", "from", "to", "clear of zero"], rows, numbers=3)
    return f"<h3>{escape(TITLES[measure.question])}</h3>{of_measure(measure)}{table}"


def _subgroups(parts: tuple[Subgroup, ...], unit: str) -> str:
    rates = list(dict.fromkeys(rate for part in parts for rate in part.extra))
    head = ["part", "rows", f"mean {unit}", "from", "to", "mean predicted", "mean observed", *rates]
    rows = []
    for part in parts:
        figures = [part.loss, part.low, part.high, part.predicted, part.observed]
        cells = [f"{part.n_rows:,}", *map(number, figures)]
        cells += [percent(part.extra.get(rate, float("nan"))) for rate in rates]
        rows.append(f'<th scope="row">{escape(part.name)}</th>'
                    + "".join(f'<td class="n">{cell}</td>' for cell in cells))
    return of_subgroups(parts, unit) + _table(
        f"The model on each {parts[0].kind}", head, rows, numbers=len(head) - 1)


def _table(
    caption: str, head: list[str], rows: list[str], *, numbers: int = 0, kind: str = "wide"
) -> str:
    """Build a table; numbers : how many columns behind the first hold some; kind : its class."""
    columns = "".join(
        f'<th scope="col" class="{"n" if 0 < k <= numbers else "words"}">{escape(name)}</th>'
        for k, name in enumerate(head))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f'<div class="{kind}" role="region" tabindex="0" '
        f'aria-label="{escape(caption, quote=True)}">'
        f"<table><caption>{escape(caption)}</caption><thead><tr>{columns}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>")
