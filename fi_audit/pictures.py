"""Draw importances with their intervals as SVG, without dependencies.

Colours come from the page's style, so that they follow light, dark and print.
"""

from html import escape

import numpy as np

from fi_audit.results import Audit, Measure, number, percent, title

ROW, LEFT, WIDTH, MOST = 26, 230, 720, 16
NAME = 30  # letters of a name beside its line
FAR = 1.6  # times the largest figure: an interval that reaches farther ends in an arrow


def of_importances(audit: Audit) -> str:
    """Draw what shuffling costs: columns and groups, null level, suspects, largest on top."""
    used = audit.measure("used")
    if used is None:
        return ""
    as_share = bool(np.isfinite(used.share).any())
    rows = _rows(audit, used, as_share)
    shown = rows[:MOST]
    null = max(row["null"] for row in shown)
    values = [row["value"] for row in shown]
    top = max(FAR * max([*values, null, 1e-9]), null * 1.2)
    low = min(0.0, -null, max(min(row["low"] for row in shown), -top / 2))
    scale = (WIDTH - LEFT - 70) / (top - low)

    def at(x: float) -> float:
        return round(LEFT + (min(max(x, low), top) - low) * scale, 1)
    form = percent if as_share else number
    height = ROW * len(shown) + 34
    words = "; ".join(f"{row['name']} {form(row['value'])} ({form(row['low'])} to "
                      f"{form(row['high'])}){row['note']}" for row in shown)
    unit = "share of the model's skill" if as_share else used.unit
    drawn = [
        f'<svg role="img" viewBox="0 0 {WIDTH} {height}" aria-label="Cost of shuffling, as '
        f'{escape(unit, quote=True)}, with 95% intervals: {escape(words, quote=True)}">',
        f'<line class="zero" x1="{at(0)}" x2="{at(0)}" y1="20" y2="{height - 8}"/>',
        f'<text class="soft" x="{at(0)}" y="13" text-anchor="middle">grey: what its '
        "shuffled copy reaches</text>"]
    for k, row in enumerate(shown):
        y = ROW * k + 38
        drawn.append(
            f'<rect class="null" x="{at(-row["null"])}" y="{y - 11}" '
            f'width="{at(row["null"]) - at(-row["null"]):.1f}" height="22"/>'
            f'<g class="{row["kind"]}"><text x="{LEFT - 10}" y="{y + 4}" '
            f'text-anchor="end">{escape(_short(row["name"]))}{row["mark"]}</text>'
            f'<line x1="{at(row["low"])}" x2="{at(row["high"])}" y1="{y}" y2="{y}"/>'
            f'<circle cx="{at(row["value"])}" cy="{y}" r="{5 if row["kind"] != "unclear" else 3.5}"'
            f'/><text x="{at(max(row["high"], row["value"])) + 8}" y="{y + 4}">'
            f'{"→ " if row["high"] > top else ""}{form(row["value"])}</text></g>')
    return "".join(drawn) + "</svg>"


def _rows(audit: Audit, used: Measure, as_share: bool) -> list[dict]:
    """One row a column or group, the members of a group below it."""
    suspects = set(next((f.about for f in audit.findings if f.check == "possible leakage"
                         and f.verdict == "ask"), ()))
    together = audit.measure("used together")
    copies = audit.measure("null copies")
    nulls = {} if copies is None else dict(zip(
        copies.members, np.nan_to_num(np.abs(_figures(copies, as_share)[0])), strict=True))
    alone = {one: _row(used, j, as_share, suspects, nulls) for j, one in enumerate(used.members)}
    blocks = []
    grouped: set[str] = set()
    for j, members in enumerate(together.members if together is not None else ()):
        assert together is not None
        head = _row(together, j, as_share, suspects, nulls)
        inside = sorted((alone[(name,)] for name in members), key=lambda row: -row["value"])
        blocks.append([head, *({**row, "name": "· " + row["name"]} for row in inside[:4])])
        grouped |= set(members)
    blocks += [[row] for one, row in alone.items() if one[0] not in grouped]
    blocks.sort(key=lambda block: -block[0]["value"])
    return [row for block in blocks for row in block]


def _row(measure: Measure, j: int, as_share: bool, suspects: set[str], nulls: dict) -> dict:
    value, low, high = (float(x[j]) for x in _figures(measure, as_share))
    asked = bool(suspects & set(measure.members[j]))
    kind = "asked" if asked else "clear" if measure.clear[j] else "unclear"
    return {"name": title(measure.members[j]), "value": value, "low": low, "high": high,
            "null": float(nulls.get(measure.members[j], 0.0)), "kind": kind,
            "mark": " ?" if asked else "", "note": ", ask whether it is a leak" if asked else ""}


def _figures(measure: Measure, as_share: bool) -> np.ndarray:
    return measure.share if as_share else np.array([measure.value, measure.low, measure.high])


def _short(name: str) -> str:
    return name if len(name) <= NAME else name[: NAME - 1] + "…"
