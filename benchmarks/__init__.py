"""fi_teach against its peers: `make bench`, or `make bench QUICK=1` for the short of it."""

import sys
from pathlib import Path

# A check compares with a definition that only tests have.
sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
