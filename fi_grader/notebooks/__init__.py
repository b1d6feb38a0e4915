"""Notebooks: what was handed out, what came back, and which cell of one is which of the other."""
