"""Time the building of the book, in a copy that leaves the real one alone.

    python book/tools/bench.py
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from build import HERE, SOURCES

ROOT = HERE.parent.parent
PROSE = "book/sources.md"


def copy_sources(target):
    """What a build reads, and nothing else."""
    for path in sorted({path for pattern in SOURCES for path in ROOT.glob(pattern) if path.is_file()}):
        copy = target / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)


def seconds(root):
    """How long one build takes."""
    started = time.perf_counter()
    subprocess.run([sys.executable, str(HERE / "build.py"), "--root", str(root)], check=True, capture_output=True)
    return time.perf_counter() - started


def append(path, line):
    """Edit a file by one more line."""
    path.write_text(path.read_text(encoding="utf-8") + f"\n{line}\n", encoding="utf-8")


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        copy_sources(root)
        print(f"clean build, {len(list((root / 'notebooks').glob('*.ipynb')))} chapters  {seconds(root):6.1f} s", flush=True)
        print(f"nothing changed          {seconds(root):6.1f} s", flush=True)
        append(root / PROSE, "One more sentence.")
        print(f"one page of prose        {seconds(root):6.1f} s", flush=True)
        append(root / "fi_teach/__init__.py", "# one more line")
        print(f"one line of fi_teach     {seconds(root):6.1f} s", flush=True)


if __name__ == "__main__":
    main()
