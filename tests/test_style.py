"""The code as the linter and the type checker see it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("words", [("mypy",), ("ruff", "check", "--no-cache", ".")], ids=["mypy", "ruff"])
def test_nothing_is_found(words):
    """By the rules of pyproject.toml."""
    result = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
