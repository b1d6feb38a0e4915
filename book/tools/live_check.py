"""Run chapters in the browser's Python and hold what they print against the built book.

    python book/tools/live_check.py [NN ...] [--engine firefox]

Every code cell of a chapter that can run there is run in one interpreter, as a reader's "Run all"
does. A cell must print the same text as the executed chapter that the pages were made from. Cells
that differ for a reason stand in book/live/known_differences.yaml.

No engine is driven: each opens a page that runs the cells and sends back what they put out.
Firefox and WebKit are the system's own (Debian: firefox-esr, or webkit2gtk-driver and xvfb).
"""

import argparse
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "_ext")]

import yaml  # noqa: E402
from browser import browser, served  # noqa: E402 - lies beside this file
from chapter_cache import cache_folder  # noqa: E402
from serve import Quiet  # noqa: E402

KNOWN_DIFFERENCES = ROOT / "book/live/known_differences.yaml"
PAGE = """<!doctype html><meta charset="utf-8"><title>Cells</title><script type="module">
import { Python } from "../live/live.js";
const py = new Python();
for (const cells of await (await fetch("cells.json")).json()) {
  const ran = [];
  py.stop();
  await py.start().catch(() => {}); // the first cell says why
  for (const [source, options] of cells) {
    const outputs = [], onOutput = (output) => outputs.push(output);
    ran.push({ ...await py.run(source, { onOutput, ...options }), outputs });
  }
  await fetch("ran", { method: "POST", body: JSON.stringify(ran) });
}
</script>"""
PATIENCE = 600  # seconds that a chapter may take
COMMANDS = {"firefox": "firefox-esr --headless --no-remote --profile .",
            "webkit": "xvfb-run --auto-servernum /usr/lib/*/webkit2gtk-4*/MiniBrowser"}


def executed(path, folder):
    """The chapter as it was executed for the pages -> (notebook, seconds)."""
    from jupyter_cache import get_cache

    cache = get_cache(folder)
    try:
        bundle = cache.get_cache_bundle(cache.match_cache_file(path).pk)
    except KeyError:
        sys.exit(f"{path.name} has not been executed for the book: run make book first.")
    return bundle.nb, (bundle.record.data or {}).get("execution_seconds", 0)


def cells_of(notebook):
    """The code cells with the options of their runs -> [(index, cell, options)]."""
    cells = [(k, cell) for k, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    return [(k, cell, {"name": f"Cell {k}", "partly": any(
        tag.startswith("needs-") for tag in cell.metadata.get("tags", []))}) for k, cell in cells]


def printed(outputs):
    """What is read in the outputs, as text: prints, values, figures' words.

    Addresses in memory and widgets are left out.
    """
    words = []
    for output in outputs:
        data = output.get("data", {})
        if output["output_type"] == "error":
            words.append(f"{output['ename']}: {output['evalue']}\n")
        elif output["output_type"] != "stream" and not any("widget" in form for form in data):
            words.append("".join(data.get("text/plain", "")) + "\n")
        elif output.get("name") == "stdout":
            words += output["text"]
    return re.sub(r"0x[0-9a-f]+", "0x", "".join(words)).strip()


def compared(cells, ran):
    """What each whole cell put out in the browser beside what the pages have -> list of dicts."""
    found = []
    for (index, cell, options), here in zip(cells, ran, strict=True):
        error = next((one for one in here["outputs"] if one["output_type"] == "error"), None)
        if not options["partly"]:
            found.append({"id": cell.id, "index": index, "here": printed(here["outputs"]),
                          "there": printed(cell.outputs),
                          "error": error and "\n".join(error["traceback"])})
    return found


@contextmanager
def opened_in(engine, url):
    """The page in a browser meanwhile: Chromium as in all tests, else the system's own."""
    if engine == "chromium":
        with browser() as chrome:
            chrome.new_page().goto(url)
            yield
        return
    if not shutil.which(COMMANDS[engine].split()[0]):
        sys.exit("Not installed: apt-get install firefox-esr, or webkit2gtk-driver and xvfb.")
    with tempfile.TemporaryDirectory() as profile:
        process = subprocess.Popen(f"exec {COMMANDS[engine]} {url}", shell=True, cwd=profile,
                                   start_new_session=True, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        yield
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def run_chapters(paths, folder, opened):
    """Run all cells that can run in a browser, of each chapter in a fresh interpreter.

    opened : url -> context in which a browser shows it
    -> for each chapter {"seconds", "local": seconds in a kernel, "memory": the most bytes,
    "absent": how many cells cannot run, "cells": see `compared`}
    """
    chapters = [executed(path, folder) for path in paths]
    cells, said = [cells_of(notebook) for notebook, _ in chapters], queue.Queue()

    class Taking(Quiet):
        def do_POST(self):
            said.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

    check = ROOT / "_build/live-check"
    check.mkdir(exist_ok=True)
    (check / "index.html").write_text(PAGE, encoding="utf-8")
    asked = [[(cell.source, options) for _, cell, options in some] for some in cells]
    (check / "cells.json").write_text(json.dumps(asked), encoding="utf-8")
    with (served(ROOT / "_build", Taking) as address, opened(f"{address}/live-check/index.html")):
        for some, (_, local) in zip(cells, chapters, strict=True):
            ran = said.get(timeout=PATIENCE)
            yield {"seconds": sum(one["ms"] for one in ran) / 1000, "local": local,
                   "memory": max(one["memory"] for one in ran),
                   "absent": sum(options["partly"] for *_, options in some),
                   "cells": compared(some, ran)}


def differing(result, name, known):
    """The cells of a chapter that print something else and have no written reason, and the ids
    of those that have one and do not need it -> two lists"""
    excused = known.get(name, {})
    apart = [cell for cell in result["cells"] if cell["here"] != cell["there"]]
    equal = set(excused) - {cell["id"] for cell in apart}
    return [cell for cell in apart if cell["id"] not in excused], sorted(equal)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Run chapters in the browser's Python.")
    parser.add_argument("only", nargs="*", help="chapters, such as 01 or 12a; all if none is named")
    parser.add_argument("--engine", choices=["chromium", *COMMANDS], default="chromium")
    options = parser.parse_args()
    known, wrong = yaml.safe_load(KNOWN_DIFFERENCES.read_text(encoding="utf-8")), 0
    paths = [path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
             if not options.only or path.name.split("_")[0] in options.only]
    found = run_chapters(paths, cache_folder(ROOT, ROOT / "_build"),
                         partial(opened_in, options.engine))
    for path, result in zip(paths, found, strict=True):
        bad, equal = differing(result, path.stem, known)
        print(f"{path.stem:20} {len(result['cells']):3} cells run, {result['absent']:2} cannot, "
              f"{len(bad):2} differ; {result['seconds']:6.1f} s here, "
              f"{result['local']:5.1f} s in a kernel, {result['memory'] / 1e6:4.0f} MB", flush=True)
        for cell in bad:
            last = (cell["error"] or "").splitlines()[-1:]
            print(f"  cell {cell['index']} ({cell['id']}): {last}\n"
                  f"    here:  {cell['here'][:300]!r}\n    built: {cell['there'][:300]!r}")
        if equal:
            print(f"  in {KNOWN_DIFFERENCES.name}, yet equal on this machine: {', '.join(equal)}")
        wrong += len(bad)
    sys.exit(bool(wrong))
