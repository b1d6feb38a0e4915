"""A package's public names, so that its __init__ writes each only once."""

from types import ModuleType


def public_names(namespace: dict) -> list[str]:
    """The names in a namespace that name no module and do not begin with an underscore, sorted.

    >>> public_names({"tree": ModuleType("tree"), "Tree": dict, "_node": 1})
    ['Tree']
    """
    return sorted(
        name for name, thing in namespace.items()
        if not name.startswith("_") and not isinstance(thing, ModuleType))
