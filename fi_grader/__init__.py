"""Grade what a class has handed in: find, match, run in a sandbox, judge outside of it, report.

The student's code runs in `sandbox/inside/`, the only part of this package a sandbox contains.
Everything else never runs it. README.md follows a submission from step to step.
"""
