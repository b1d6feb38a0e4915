"""Show messages as cards: coloured boxes in a notebook, plain text elsewhere."""

import re
from dataclasses import dataclass
from html import escape
from textwrap import indent

COLOURS = {"right": "#1a7f4b", "wrong": "#b3261e", "not started": "#8a6d00", "by hand": "#2f6db5",
           "note": "#2f6db5"}


@dataclass(frozen=True, repr=False)
class Card:
    """A title, paragraphs and perhaps a listing, shown as HTML or as text.

    The text never reads as a number.
    """

    title: str
    paragraphs: tuple = ()
    listing: str = ""
    tone: str = "note"

    def __repr__(self):
        listing = indent(self.listing, "    ")
        return "\n".join(part for part in (self.title, *self.paragraphs, listing) if part)

    def _repr_html_(self):
        words = "".join(f"<p style='margin:.3em 0'>{_marked(p)}</p>" for p in self.paragraphs if p)
        listing = (f"<pre style='margin:.3em 0;white-space:pre-wrap'>{escape(self.listing)}</pre>"
                   if self.listing else "")
        return (
            f"<div role='status' style='border-left:4px solid {COLOURS[self.tone]};padding:.2em "
            f".8em;margin:.3em 0'><strong>{_marked(self.title)}</strong>{words}{listing}</div>")


def _marked(text):
    """Return escaped text in which `backticks` become code and *stars* emphasis."""
    def tagged(match):
        code, words = match.groups()
        return f"<code>{code}</code>" if code else f"<em>{words}</em>"
    return re.sub(r"`([^`]+)`|\*(?=\S)([^*`]+)(?<=\S)\*", tagged, escape(text, quote=False))


def in_notebook():
    """Return whether this runs in a Jupyter kernel, where cards are drawn -> bool."""
    import sys
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return hasattr(shell, "kernel")


def draw(card):
    """Show a card in the notebook -> whether there was a notebook to show it in."""
    if in_notebook():
        from IPython.display import display
        display(card)
    return in_notebook()
