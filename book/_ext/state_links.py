"""Links in the text that set an explorable: `[set it to 8](#set:together=8)`.

In a notebook such a link leads nowhere, and MyST would complain that its target does not exist.
On the page `page.js` moves the control of that name, in the nearest explorable that has one, to the
label given; several wishes are parted by commas.
"""

from urllib.parse import unquote

from docutils import nodes
from sphinx import addnodes

PREFIX = "set:"


def keep(app, doctree):
    """Make links of the references to states, before Sphinx looks for them among the book's targets."""
    for link in list(doctree.findall(addnodes.pending_xref)):
        target = unquote(link.get("reftarget") or "")
        if target.startswith(PREFIX):
            words = link[0].children if len(link) else [nodes.Text(target)]
            link.replace_self(
                nodes.reference("", "", *words, refuri=f"#{target}", internal=True, classes=["fi-set"])
            )


def setup(app):
    app.connect("doctree-read", keep)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
