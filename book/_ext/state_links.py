"""Links in the text that set an explorable: `[set it to 8](#set:together=8)`.

MyST would complain that its target does not exist. On the page and in JupyterLab the explorable's
own script moves the control of that name, in the nearest explorable that has one, to the label
given; several wishes are parted by commas. A comma, per cent or equals sign *in* a label is
written as addresses write it: %2C, %25, %3D.
"""

from urllib.parse import quote, unquote

from docutils import nodes
from sphinx import addnodes

PREFIX = "set:"


def keep(app, doctree):
    """Make links of the references to states, before Sphinx looks
    for them among the book's targets."""
    for link in list(doctree.findall(addnodes.pending_xref)):
        target = link.get("reftarget") or ""
        if target.startswith(PREFIX):
            words = link[0].children if len(link) else [nodes.Text(unquote(target))]
            address = quote(target, safe="%:=,")
            link.replace_self(
                nodes.reference("", "", *words, refuri=f"#{address}", internal=True,
                                classes=["fi-set"])
            )


def setup(app):
    app.connect("doctree-read", keep)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
