"""A stand-in for anywidget: explorables are shown with their script, style and state."""

import traitlets


class AnyWidget:
    """A widget that the page draws; messages from the page are not received."""

    _esm = _css = ""

    def __init__(self, **values):
        for name, value in values.items():
            setattr(self, name, value)

    def on_msg(self, answer):
        self._answer = answer

    def send(self, content):
        """Do nothing: the page does not listen."""

    def _repr_mimebundle_(self, **_):
        shared = [name for name, trait in vars(type(self)).items()
                  if isinstance(trait, traitlets.Trait) and trait.shared]
        state = {name: getattr(self, name) for name in shared}
        esm, css = (one if isinstance(one, str) else one.read_text(encoding="utf-8")
                    for one in (self._esm, self._css))
        return {"application/x-fi-widget": {"esm": esm, "css": css, "state": state},
                "text/plain": repr(self)}, {}
