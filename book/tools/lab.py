"""Lay out a student's folder, and open JupyterLab in it: `make lab`.

    python book/tools/lab.py [--folder lab] [OPTION OF JUPYTERLAB ...]

The folder holds copies of the chapters and sets, a start page and the claims, and no solutions.
What lies there already is left as it is: a set is somebody's work. The sets as they are handed out,
which `fi-teach grade` reads, are never opened.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from fi_grader.release import START, student_folder

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = (*(f"@jupyter/nbgrader:{part}" for part in (
    "assignment-list", "course-list", "create-assignment", "formgrader", "menu")),
    "@jupyterlab/apputils-extension:announcements")
"""What a student does not need: nbgrader without its Validate, a question about news."""


def lay_out(folder, project=ROOT):
    """Write what is not there yet -> the paths that were kept."""
    files = student_folder(project)
    hidden = {"disabledExtensions": dict.fromkeys(LEFT_OUT, True)}
    files[".jupyter/labconfig/page_config.json"] = json.dumps(hidden).encode()
    kept = []
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(content)
        elif path.read_bytes() != content:
            kept.append(name)
    return kept


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "lab", help="where (default: lab/)")
    options, for_jupyter = parser.parse_known_args()
    kept = lay_out(options.folder)
    print(f"A student's folder: {options.folder}" + (
        f"; {len(kept)} files there are yours and stay as they are. "
        "Delete one to get it as it is handed out." if kept else ""), flush=True)
    places = [str(options.folder.resolve() / ".jupyter"), os.environ.get("JUPYTER_CONFIG_PATH")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, places))
    os.execv(sys.executable, [
        sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={options.folder.resolve()}",
        f"--LabApp.default_url=/lab/tree/{START}", *for_jupyter])
