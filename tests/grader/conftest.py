"""The makers of submissions lie in a folder of their own, beside these tests; known answers beside the questions'."""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "grader/submissions"), str(TESTS / "course/questions")]
