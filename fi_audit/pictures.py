"""Draw the bars of a report with their intervals, as SVG without dependencies.

Colours come from the page's style, so that they follow light, dark and print.
"""

from html import escape

import numpy as np

from fi_audit.intervals import number
from fi_audit.results import Measure, Subgroup

ROW, LEFT, WIDTH, MOST = 26, 200, 640, 20
NAME = 26  # letters of a name beside its bar


def of_measure(measure: Measure) -> str:
    """Draw the largest values of a measure, each with its interval."""
    first = np.argsort(-np.nan_to_num(measure.value))[:MOST]
    names = [measure.names[j] for j in first]
    return _bars(f"{measure.how}, in {measure.unit}", names, *(
        [float(x[j]) for j in first] for x in (measure.value, measure.low, measure.high)))


def of_subgroups(parts: tuple[Subgroup, ...], unit: str) -> str:
    """Draw the mean loss of each subgroup, with its interval."""
    return _bars(f"mean {unit} by {parts[0].kind}", [part.name for part in parts],
                 [p.loss for p in parts], [p.low for p in parts], [p.high for p in parts])


def _bars(what: str, names: list[str], value: list[float], low: list[float],
          high: list[float]) -> str:
    finite = [x for x in (*value, *low, *high, 0.0) if np.isfinite(x)]
    smallest, largest = min(finite), max(finite)
    scale = (WIDTH - LEFT - 90) / ((largest - smallest) or 1.0)

    def at(x: float) -> float:
        return round(LEFT + (x - smallest) * scale, 1)

    words = "; ".join(
        f"{name} {number(v)} ({number(a)} to {number(b)})"
        for name, v, a, b in zip(names, value, low, high, strict=True))
    height = ROW * len(names) + 10
    drawn = [f'<svg role="img" viewBox="0 0 {WIDTH} {height}" '
             f'aria-label="{escape(what, quote=True)}: {escape(words, quote=True)}">']
    drawn.append(f'<line class="zero" x1="{at(0)}" x2="{at(0)}" y1="0" y2="{height}"/>')
    for k, (name, v, a, b) in enumerate(zip(names, value, low, high, strict=True)):
        y = ROW * k + 18
        short = name if len(name) <= NAME else name[: NAME - 1] + "…"
        drawn.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{escape(short)}</text>')
        if not np.isfinite([v, a, b]).all():
            continue
        clear = "clear" if a > 0 else "unclear"
        x, wide = min(at(0), at(v)), abs(at(v) - at(0))
        drawn.append(f'<rect class="{clear}" x="{x}" y="{y - 7}" width="{wide:.1f}" height="14"/>')
        drawn.append(f'<line class="reach" x1="{at(a)}" x2="{at(b)}" y1="{y}" y2="{y}"/>')
        drawn.append(f'<text x="{at(max(b, v, 0)) + 6}" y="{y + 4}">{number(v)}</text>')
    return "".join(drawn) + "</svg>"
