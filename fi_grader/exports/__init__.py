"""Export points to Moodle, Canvas and Gradescope.

Each takes the file that the platform hands out and gives it back filled in, so that it imports as
it is; the file that came is never written over.
"""
