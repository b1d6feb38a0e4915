"""What explorables ask of traitlets: to mark the attributes that a page is told."""


class Trait:
    """An attribute; its value is set on the widget."""

    def __init__(self, *_, **__):
        self.shared = False

    def tag(self, sync=False):
        self.shared = sync
        return self


Any = Bool = Dict = Float = Instance = Int = List = Unicode = Trait
