"""fi_teach: feature importance for tree models, from scratch, in code that a student can read.

Notation, the same in every docstring and chapter:

====  ====================================    ====  ========================================
t     node of a tree                          S     coalition, a set of features (players)
i     row                                     v     game: v(S) is what coalition S earns
j     feature                                 phi   Shapley values, one a feature
n     rows                                    f     a model's prediction function
p     features                                q     target false discovery rate
====  ====================================    ====  ========================================

Floors (an import points down a floor, never up):

    course > auditing > plots, compare > importance > trees > fast > basics, worlds, data

``trees`` and ``importance`` are there to be read: one file a method. ``basics`` holds what they all
speak of, ``fast`` what makes them fast, ``auditing`` asks them all about a reader's own model,
``course`` runs the course. All but the last two and ``plots`` import NumPy and pandas only.
"""

__version__ = "0.2.0"


def __getattr__(name: str) -> object:
    """fi_teach.audit is loaded when it is asked for: it stands on most of the package."""
    if name == "audit":
        from fi_teach.auditing import audit
        return audit
    raise AttributeError(f"module 'fi_teach' has no attribute {name!r}")
