"""Settle claims of the sources: `claim` asserts the verdict in a cell and shows the figure.

The statements stand in `book/claims.yaml`, in the course's own words. The ledger page of the book
is made from the badges that claims leave, so that a figure on it is one that the build computed,
and a verdict that the code does not bear out stops the build.
"""

from dataclasses import dataclass
from functools import cache
from html import escape
from numbers import Number
from pathlib import Path

import numpy as np

LEDGER = Path(__file__).resolve().parents[1] / "book" / "claims.yaml"
VERDICTS = {"holds": "✓ holds", "conditional": "◐ holds under a condition",
            "fails": "✗ does not hold", "shown": "▸ announced there, done here",
            "open": "○ not for code to settle"}
CHECKS = {"holds": "holds=...",
          "conditional": "both holds=... (where it is true) and fails=... (where it is not)",
          "fails": "fails=... (the counterexample)",
          "shown": "holds=... (what the chapter carries out)"}


@cache
def read_ledger(path=None):
    """Read the ledger: its entries by id, each a dict of id, source, claim, verdict and chapter.

    path : None is book/claims.yaml beside the package, or above the working directory

    What code cannot settle (verdict "open") has `because`, the reason, in place of a chapter.
    Raises ValueError outside the course's folder, since the ledger belongs to no package.
    """
    import yaml

    above = (folder / "book/claims.yaml" for folder in (Path.cwd(), *Path.cwd().parents))
    path = path or next(filter(Path.exists, (LEDGER, *above)), LEDGER)
    if not Path(path).exists():
        raise ValueError(
            f"no claims ledger at {path}: claims are settled inside the course's folder, "
            "where fi_teach is installed with `pip install -e . -e ./fi_course`.")
    return {entry["id"]: entry for entry in yaml.safe_load(Path(path).read_text(encoding="utf-8"))}


@dataclass(frozen=True)
class Badge:
    """A settled claim as a cell shows it: text in a terminal, a box with a link on a page."""

    id: str
    source: tuple
    claim: str
    verdict: str
    figure: str

    def __repr__(self):
        return (f"{self.id} {VERDICTS[self.verdict]} ({', '.join(self.source)}): {self.claim}. "
                f"Computed here: {self.figure}")

    def _repr_html_(self):
        """Return the badge as HTML; the ledger page is made from its data attributes."""
        id, verdict, figure = escape(self.id), escape(self.verdict), escape(self.figure)
        anchor, sources = id.lower(), escape(", ".join(self.source))
        return (
            f'<div class="fi-claim" id="claim-{anchor}" data-claim="{id}" '
            f'data-verdict="{verdict}" data-figure="{figure}" '
            'style="border-left: 0.25rem solid; padding-left: 0.8rem">'
            f'<div><a href="../book/ledger.ipynb#cell-id={id}">{id}</a> '
            f"<strong>{VERDICTS[self.verdict]}</strong> <small>{sources}</small></div>"
            f"<div>“{escape(self.claim)}.”</div><div>Computed here: {figure}</div></div>")


def verdict_of(holds, fails):
    """Return the verdict of a cell's checks; a claim with both kinds of checks is conditional."""
    if holds is None and fails is None:
        raise ValueError(
            "claim came without a check: give holds=... (a condition that must be true), fails=... "
            "(a counterexample), or both for a claim that is true only under a condition.")
    if fails is None:
        return "holds"
    return "fails" if holds is None else "conditional"


def check(id, name, value):
    """Assert that every truth value in `value` is true; None means that nothing was checked."""
    if value is None:
        return
    truths = np.ravel(np.asarray(value)).tolist()
    if not truths or not all(isinstance(truth, bool) for truth in truths):
        raise ValueError(
            f"{name} of claim {id} came as {value!r}, expected True or False, or a list of them: "
            "write a comparison, such as abs(decrease - 1.245) < 5e-4.")
    if not all(truths):
        raise AssertionError(
            f"{id}: check {truths.index(False) + 1} of {len(truths)} under {name} is False, so the "
            "cell does not show what it says. Mend the computation; if it is right, the verdict in "
            "book/claims.yaml must change.")


def figure_text(figure):
    """Format a figure for the badge: strings unchanged, numbers to four digits.

    >>> figure_text("3.244 printed, 1.245 counted"), figure_text((0.48071, 0.2872, 7))
    ('3.244 printed, 1.245 counted', '0.4807, 0.2872, 7')
    """
    if isinstance(figure, str):
        return figure.strip()
    if isinstance(figure, Number):
        return f"{figure:.4g}"
    return ", ".join(figure_text(part) for part in figure)


def settle(id, *, holds=None, fails=None, figure, ledger=None):
    """Return the badge of a claim if its checks confirm the ledger's verdict; raises as `claim`."""
    entries = read_ledger(ledger)
    if id not in entries:
        raise ValueError(
            f"no claim {id!r} in the ledger (its ids run like {', '.join(list(entries)[:3])}): "
            "correct the id, or enter the claim in book/claims.yaml.")
    entry, shown = entries[id], verdict_of(holds, fails)
    verdict = entry["verdict"]
    if verdict == "open":
        raise ValueError(
            f"claim {id} is one that code cannot settle ({entry['because']}): take the call out, "
            "or give the claim another verdict and a chapter in book/claims.yaml.")
    if not figure_text(figure):
        raise ValueError(f"claim {id} came with an empty figure: "
                         "say in a few words or numbers what was computed.")
    check(id, "holds", holds)
    check(id, "fails", fails)
    if shown == "holds" and verdict == "shown":
        shown = "shown"
    if shown != verdict:
        raise AssertionError(
            f"{id}: the ledger says {verdict!r}, which needs {CHECKS[verdict]}; these checks show "
            f"{shown!r}. Complete them, or correct the verdict in book/claims.yaml.")
    return Badge(id, tuple(entry["source"]), entry["claim"], verdict, figure_text(figure))


def claim(id, *, holds=None, fails=None, figure):
    """Settle one claim of the ledger: assert its verdict, record its figure, show its badge.

    id     : the claim's name in book/claims.yaml, such as "GLF-04"
    holds  : a truth value, or several, that must be true for the claim to be true
    fails  : a truth value, or several: the counterexample is seen
    figure : what was computed, a short text or number(s)

    `holds` alone gives the verdict "holds", `fails` alone "fails", both "conditional". For a claim
    that only announces something (verdict "shown") `holds` says that the cell carries it out.

    Raises ValueError for an unknown id, no check, a check that is no truth value, or an empty
    figure; AssertionError if a check is false or the verdict is not the ledger's.

    >>> claim("MID-01", holds=5 / 8 * 0.32 == 0.2, figure=0.2)  # doctest: +NORMALIZE_WHITESPACE
    MID-01 ✓ holds (midterm slides): Split on attendance: children Gini .32 and 0,
    weighted .2, decrease .3. Computed here: 0.2
    """
    from IPython.display import display

    display(settle(id, holds=holds, fails=fails, figure=figure))
