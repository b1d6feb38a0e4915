"""How long the book takes: the sum of what its chapters say of themselves, so
that the start page cannot fall behind.

A chapter's opening table has a row `| **Time** | 50 minutes, and 15 more
for the detective section |`.
"""

import json
import re
from pathlib import Path

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

LOGGER = logging.getLogger(__name__)
TIME = re.compile(r"\*\*Time\*\* \| (\d+) minutes(?:.*?and (\d+) more)?")
PARTS = ("main", "optional")


def minutes_of(path):
    """A notebook's minutes -> (main line, optional sections), or None if it does not say."""
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    found = TIME.search("\n".join("".join(cell["source"]) for cell in cells
                                  if cell["cell_type"] == "markdown"))
    return found and tuple(int(minutes or 0) for minutes in found.groups())


class ReadingTime(SphinxRole):
    """`{reading-time}` followed by `main` or `optional`:
    hours over all chapters of the book, rounded."""

    def run(self):
        total = 0
        for page in sorted(page for page in self.env.found_docs if page.startswith("notebooks/")):
            self.env.note_dependency(self.env.doc2path(page, base=False))
            minutes = minutes_of(self.env.doc2path(page))
            if minutes is None:
                LOGGER.warning("the chapter does not say how many minutes it takes", location=page)
            total += minutes[PARTS.index(self.text)] if minutes else 0
        return [nodes.Text(f"{round(total / 60)}")], []


def setup(app):
    app.add_role("reading-time", ReadingTime())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
