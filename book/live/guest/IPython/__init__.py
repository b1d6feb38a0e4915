"""What notebooks, pandas and the course ask of IPython, where there is none:
`get_ipython`, `display`."""

from IPython import display
from IPython.display import SHELL

version_info = (9, 0, 0, "")


def get_ipython():
    """The shell of this page."""
    return SHELL


__all__ = ["display", "get_ipython"]
