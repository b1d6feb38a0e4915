"""A stand-in for traitlets: marks the attributes that are sent to the page."""


class Trait:
    """An attribute; its value is set on the widget."""

    def __init__(self, *_, **__):
        self.shared = False

    def tag(self, sync=False):
        self.shared = sync
        return self


Any = Bool = Dict = Float = Instance = Int = List = Unicode = Trait
