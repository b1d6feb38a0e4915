"""Hand the points on to Moodle, Canvas, Gradescope and nbgrader.

Moodle and Canvas hand out a file that comes back filled in, so that it imports as it is; the file
that came is never written over.
"""
