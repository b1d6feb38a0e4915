"""The code as the linter and the type checker see it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


IMPORTS = ("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()")
TOOLS = {"types": ("-m", "mypy"), "lint": ("-m", "ruff", "check", "--no-cache", "."), "imports": IMPORTS}


@pytest.mark.parametrize("words", TOOLS.values(), ids=TOOLS)
def test_nothing_is_found(words):
    """By the rules of pyproject.toml."""
    result = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
