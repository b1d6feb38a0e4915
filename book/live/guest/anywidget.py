"""What explorables ask of anywidget: to be shown with their script, style and state."""

import traitlets


class AnyWidget:
    """A widget that the page draws; it is told nothing back."""

    _esm = _css = ""

    def __init__(self, **values):
        for name, value in values.items():
            setattr(self, name, value)

    def on_msg(self, answer):
        self._answer = answer

    def send(self, content):
        """Nobody listens."""

    def _repr_mimebundle_(self, **_):
        shared = [name for name, trait in vars(type(self)).items()
                  if isinstance(trait, traitlets.Trait) and trait.shared]
        state = {name: getattr(self, name) for name in shared}
        esm, css = (one if isinstance(one, str) else one.read_text(encoding="utf-8")
                    for one in (self._esm, self._css))
        return {"application/x-fi-widget": {"esm": esm, "css": css, "state": state},
                "text/plain": repr(self)}, {}
