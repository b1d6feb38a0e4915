"""Describe the machine that something was measured on."""

import platform
from pathlib import Path


def processor():
    """Return the processor's name, as the system reports it -> str."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines
                    if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
