"""Write the report: one self-contained page whose first screen is the answer, JSON, a notebook.

The page, its picture and the notebook are in templates/; the page's templates escape all they get.
"""

import json
from dataclasses import asdict
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from fi_audit.columns import ALIKE
from fi_audit.importance import power
from fi_audit.results import Audit, Measure, Sentence, number, percent, span, title

TEMPLATES = Path(__file__).with_name("templates")
FIRST = 3  # sentences on the first screen
ROW, LEFT, WIDTH, MOST = 26, 230, 720, 16  # of the picture, and columns that it shows
NAME = 30  # letters of a name beside its line
FAR = 1.6  # times the largest figure: an interval that reaches farther ends in an arrow


def write(audit: Audit, folder: str | Path) -> tuple[Path, Path]:
    """Write report.html and report.json (NaN and infinity as null) into a folder -> their paths."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    page, data = folder / "report.html", folder / "report.json"
    page.write_text(as_page(audit), encoding="utf-8")
    text = json.dumps(asdict(audit), default=lambda value: value.tolist())
    plain = json.loads(text, parse_constant=lambda name: None)
    data.write_text(json.dumps(plain, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return page, data


def write_notebook(folder: str | Path, model: str, options: dict) -> Path:
    """Write report.ipynb, which computes the report again by read_inputs(**options) -> its path."""
    given = [f"\n    {name}={value!r}" for name, value in options.items()
             if value not in (None, False, [])]
    text = (TEMPLATES / "notebook.json").read_text(encoding="utf-8")
    for place, words in (("MODEL", model), ("OPTIONS", ",".join(given))):
        text = text.replace(place, json.dumps(words, ensure_ascii=False)[1:-1])
    path = Path(folder) / "report.ipynb"
    path.write_text(text, encoding="utf-8")
    return path


def library(name: str, what: str) -> Any:
    """Import a library that not everybody has, and say how to get it."""
    if find_spec(name) is None:
        raise ValueError(f"{what} needs {name}, which is not installed: pip install {name}.")
    return import_module(name)


@cache
def _templates() -> Any:
    """Return the templates, with what they call; everything that they are given is escaped."""
    jinja = library("jinja2", "a page")
    found = jinja.Environment(loader=jinja.FileSystemLoader(TEMPLATES), autoescape=True,
                              trim_blocks=True, lstrip_blocks=True)
    found.filters |= {"percent": percent, "number": number}
    return found


# --- the page ---


def as_page(audit: Audit) -> str:
    """Build the whole report as one page of HTML."""
    used = audit.measure("used")
    first, first_not = chosen(audit)
    reach = power(used) if used else np.nan
    return _templates().get_template("report.html").render(
        audit=audit, alike=ALIKE, first=first, first_not=first_not, used=used,
        picture=picture(audit), shows=reach if np.isfinite(reach) else 0,
        hidden=len(used.members) - MOST if used else 0)


def chosen(audit: Audit) -> tuple[list[Sentence], list[Sentence]]:
    """Choose three sentences that may be written, of different kinds first, and one that not."""
    may = [s for s in audit.sentences if s.may]
    relied = sorted((s for s in may if s.kind in ("used", "used together")),
                    key=lambda s: -audit.measure(s.kind).row(s.about)[0])
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


# --- its picture ---


def picture(audit: Audit) -> str:
    """Draw what shuffling costs as SVG: columns and groups, null level, suspects, by size."""
    used = audit.measure("used")
    if used is None:
        return ""
    form = percent if used.has_share else number
    rows = _rows(audit, used)[:MOST]
    null = max(row["nothing"] for row in rows)
    top = max(FAR * max([*(row["value"] for row in rows), null, 1e-9]), null * 1.2)
    low = min(0.0, -null, max(min(row["low"] for row in rows), -top / 2))
    scale = (WIDTH - LEFT - 70) / (top - low)

    def at(x: float) -> float:
        return round(LEFT + (min(max(x, low), top) - low) * scale, 1)
    for k, row in enumerate(rows):
        start, end = at(-row["nothing"]), at(row["nothing"])
        row |= {
            "y": ROW * k + 38, "x": at(row["value"]), "line": (at(row["low"]), at(row["high"])),
            "null": (start, round(end - start, 1)), "end": at(max(row["high"], row["value"])),
            "figure": form(row["value"]), "interval": span(row["low"], row["high"], form)}
    return library("markupsafe", "a page").Markup(_templates().get_template("picture.svg").render(
        rows=rows, unit="share of the model's skill" if used.has_share else used.unit, top=top,
        width=WIDTH, left=LEFT, height=ROW * len(rows) + 34, zero=at(0)))


def _rows(audit: Audit, used: Measure) -> list[dict]:
    """One row a column or group, the members of a group below it."""
    copies, together = audit.measure("null copies"), audit.measure("used together")
    figures = attrgetter("share" if used.has_share else "figures")
    nulls = {} if copies is None else dict(
        zip(copies.members, np.abs(figures(copies)[0]), strict=True))

    def row(measure: Measure, j: int, before: str = "") -> dict:
        members = measure.members[j]
        value, low, high = map(float, figures(measure)[:, j])
        asked = bool({*audit.suspects} & {*members})
        name = before + title(members)
        return {
            "name": name, "value": value, "low": low, "high": high,
            "short": (name if len(name) <= NAME else name[:NAME - 1] + "…") + " ?" * asked,
            "nothing": float(np.nan_to_num(nulls.get(members, 0.0))),
            "kind": "asked" if asked else "clear" if measure.clear[j] else "unclear"}
    grouped = {name for members in audit.clusters for name in members}
    blocks = [[row(used, j)] for j, one in enumerate(used.members) if one[0] not in grouped]
    if together is not None:
        for j, members in enumerate(together.members):
            inside = [row(used, used.place(name), "· ") for name in members]
            inside.sort(key=lambda one: -one["value"])
            blocks.append([row(together, j), *inside[:4]])
    blocks.sort(key=lambda block: -block[0]["value"])
    return [one for block in blocks for one in block]
