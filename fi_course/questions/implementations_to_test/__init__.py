"""Right and wrong implementations on which students' tests are run, one module for each set.

Implementations are code, and code can be read. So they alone go out to students, sealed against a
passing glance; nothing else that a check knows belongs here.
"""
