"""The tables of measured figures that a prose page lays out, filled with other figures."""

import re

from records import ROOT, filled

TEMPLATE = re.compile(r"^```\{measured\}.*\n(?::class:.*\n)?([\s\S]*?)^```$", re.MULTILINE)


def lines(page, k, record, **others):
    """The k-th of a page's templates, filled -> its lines that are not empty."""
    templates = TEMPLATE.findall((ROOT / f"book/{page}.md").read_text(encoding="utf-8"))
    return [line for line in filled(templates[k], record | others | {"record": record}).splitlines() if line]
