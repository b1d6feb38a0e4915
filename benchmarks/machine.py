"""Describe the machine that something was measured on."""

import os
import platform
import time
from pathlib import Path


def machine():
    """Return where and when, with what, and how busy it was: its load average just now, where 1 is
    one program alone -> dict."""
    return {"processor": processor(), "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.release().split('-')[0]}",
            "python": platform.python_version(), "date": time.strftime("%Y-%m-%d"),
            "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None}


def processor():
    """Return the processor's name, as the system reports it -> str."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines
                    if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
