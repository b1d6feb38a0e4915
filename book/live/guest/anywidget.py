"""A stand-in for anywidget: explorables are shown with their script, style and state."""

from traitlets import HasTraits


class AnyWidget(HasTraits):
    """A widget that the page draws; messages from the page are not received."""

    _esm = _css = ""

    def on_msg(self, answer):
        self._answer = answer

    def send(self, content):
        """Do nothing: the page does not listen."""

    def _repr_mimebundle_(self, **_):
        state = {name: getattr(self, name) for name in self.trait_names(sync=True)}
        esm, css = (one if isinstance(one, str) else one.read_text(encoding="utf-8")
                    for one in (self._esm, self._css))
        return {"application/x-fi-widget": state | {"_esm": esm, "_css": css},
                "text/plain": repr(self)}, {}
