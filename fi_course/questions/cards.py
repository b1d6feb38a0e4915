"""Show messages as cards: coloured boxes in a notebook, plain text elsewhere."""

import re
from dataclasses import dataclass
from html import escape
from textwrap import indent

COLOURS = {"right": "#1a7f4b", "wrong": "#b3261e", "not started": "#7a828c", "by hand": "#2f6db5",
           "note": "#2f6db5"}


@dataclass(frozen=True, repr=False)
class Card:
    """A title, paragraphs and perhaps a listing, shown as HTML or as text.

    The text never reads as a number. As HTML the parts in `folded`, (heading, text) each, open at a
    click, every hint inside the one before; as text `calls` say how to ask for them.
    """

    title: str
    paragraphs: tuple = ()
    listing: str = ""
    tone: str = "note"
    calls: tuple = ()
    folded: tuple = ()

    def __repr__(self):
        parts = (self.title, *self.paragraphs, *self.calls, indent(self.listing, "    "))
        return "\n".join(part for part in parts if part)

    def _repr_html_(self):
        words = "".join(f"<p style='margin:.3em 0'>{_marked(p)}</p>" for p in self.paragraphs if p)
        listing = (f"<pre style='margin:.3em 0;white-space:pre-wrap'>{escape(self.listing)}</pre>"
                   if self.listing else "")
        return (
            f"<div role='status' style='border-left:4px solid {COLOURS[self.tone]};padding:.2em "
            f".8em;margin:.3em 0'><strong>{_marked(self.title)}</strong>{words}{listing}"
            f"{''.join(map(_folded, self.folded))}</div>")


def _folded(part):
    """Return a part that opens at a click; several texts lie one inside the other."""
    heading, *texts = part
    inside = ""
    for number, text in reversed([*enumerate(texts, 1)]):
        shown = (f"<pre style='white-space:pre-wrap'>{escape(text)}</pre>" if "\n" in text
                 else f"<p style='margin:.3em 0'>{_marked(text)}</p>")
        name = f"{heading} {number} of {len(texts)}" if len(texts) > 1 else heading
        inside = f"<details><summary>{name}</summary>{shown}{inside}</details>"
    return inside


def _marked(text):
    """Return escaped text in which `backticks` become code and *stars* emphasis."""
    def tagged(match):
        code, words = match.groups()
        return f"<code>{code}</code>" if code else f"<em>{words}</em>"
    return re.sub(r"`([^`]+)`|\*(?=\S)([^*`]+)(?<=\S)\*", tagged, escape(text, quote=False))
