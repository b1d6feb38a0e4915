"""What a student's test is tried on: right and wrong implementations, one module a set that asks
for a test.

Implementations are code, and code can be read. So they alone go out to students, sealed against a
passing glance; nothing else that a check knows belongs here.
"""
