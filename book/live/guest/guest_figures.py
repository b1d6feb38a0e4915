"""matplotlib's backend in a page: figures are drawn by Agg, and `plt.show()` shows them
where the cell is."""

from matplotlib.backends.backend_agg import FigureCanvasAgg as FigureCanvas
from matplotlib.backends.backend_agg import FigureManagerBase as FigureManager


def show(*_, **__):
    """Show the figures drawn until now."""
    import guest

    guest.show_figures()


__all__ = ["FigureCanvas", "FigureManager", "show"]
