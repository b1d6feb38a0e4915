"""fi_teach: feature importance for tree models, from scratch, in code that a student can read.

Notation, the same in every docstring and chapter:

====  ====================================    ====  ========================================
t     node of a tree                          S     coalition, a set of features (players)
i     row                                     v     game: v(S) is what coalition S earns
j     feature                                 phi   Shapley values, one a feature
n     rows                                    f     a model's prediction function
p     features                                q     target false discovery rate
====  ====================================    ====  ========================================

Layers (an import points down, never up; methods do not import one another):

    plots > importance > trees > fast > basics, worlds, data

``importance`` and ``trees`` are there to be read: one file a method. ``basics`` holds what they
share, ``fast`` what makes them fast, ``worlds`` data with a known truth, ``data`` small tables.
All but ``plots`` import NumPy and pandas only.

Three packages beside this one build on it: ``fi_audit`` (a report on a model), ``fi_course``
(questions, explorables, claims, real tables) and ``fi_grader`` (a folder of submissions).
"""

__version__ = "0.2.0"
