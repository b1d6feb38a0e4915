"""Submissions: whose each file is, and what is in it."""
