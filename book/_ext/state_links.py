"""Links in the text that set an explorable: `[set it to 8](#set:together=8)`.

In a notebook such a link leads nowhere, and MyST would complain that its target does not exist. On the page `page.js` moves the
control of that name in the nearest explorable that has one to the label given; several are parted by commas.
"""

from urllib.parse import unquote

from docutils import nodes
from sphinx.transforms import SphinxTransform

PREFIX = "set:"


class StateLinks(SphinxTransform):
    """Keep the links that set a state away from those that search for targets."""

    default_priority = 870  # before MyST resolves links to anchors

    def apply(self, **options):
        for link in list(self.document.findall(nodes.reference)):
            target = link.get("refid", "")
            if target.startswith(PREFIX):
                address = f"#{unquote(target)}"
                made = nodes.reference("", "", *link.children, refuri=address, internal=True)
                made["classes"].append("fi-set")
                link.replace_self(made)


def setup(app):
    app.add_transform(StateLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
