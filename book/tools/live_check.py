"""Run chapters in the browser's Python and hold what they print against the built book.

    python book/tools/live_check.py [NN ...] [--assets FOLDER] [--cache FOLDER] [--record]

Every code cell of a chapter that can run there is run in Chromium, in one interpreter, as a
reader's "Run all" does. A cell must print the same text as the executed chapter that the pages were
made from. Cells that differ for a reason stand in book/live/known_differences.yaml.
--record writes down what was imported, by which `make book LIVE=1` trims the libraries.
"""

import argparse
import json
import re
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "_ext")]

import yaml  # noqa: E402
from browser import browser, served  # noqa: E402 - lies beside this file
from chapter_cache import cache_folder  # noqa: E402
from live_pages import absent_cells  # noqa: E402

KNOWN_DIFFERENCES = ROOT / "book/live/known_differences.yaml"
IN_A_ZIP = re.compile(r"/usr/local/lib/\w+\.zip/(.+\.py)c?$")
START = """async () => {
  const { python } = await import(new URL("live.js", location));
  window.py = python({ parts: ["plots", "learn"] });
}"""
RUN = """async ([source, name]) => {
  const outputs = [], onOutput = (output) => outputs.push(output);
  const end = await py.run(source, { onOutput, name });
  return { ...end, outputs };
}"""
MODULES = """import sys, json
files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
print(json.dumps(sorted(filter(None, files))))"""


def executed(path, folder):
    """The chapter as it was executed for the pages -> (notebook, seconds).

    Raises SystemExit if it was not.
    """
    from jupyter_cache import get_cache

    cache = get_cache(folder)
    try:
        bundle = cache.get_cache_bundle(cache.match_cache_file(path).pk)
    except KeyError:
        words = f"{path.name} has not been executed for the book: run make book first."
        raise SystemExit(words) from None
    return bundle.nb, (bundle.record.data or {}).get("execution_seconds", 0)


def printed(outputs):
    """What is read in the outputs, as text: prints, values, figures' words.

    Addresses in memory and widgets are left out.
    """
    return re.sub(r"0x[0-9a-f]+", "0x", "".join(map(_words, outputs))).strip()


def _words(output):
    kind, data = output["output_type"], output.get("data", {})
    if kind == "stream":
        return "".join(output["text"]) if output["name"] == "stdout" else ""
    if kind == "error":
        return f"{output['ename']}: {output['evalue']}\n"
    if any("widget" in form for form in data):
        return ""
    return "".join(data.get("text/plain", "")) + "\n"


def run_chapter(tab, path, folder):
    """Run all cells that can run in a browser, in a fresh interpreter.

    -> {"seconds", "local": seconds in a kernel, "memory": the most bytes, "modules": the files that
    were imported, "absent": how many cells cannot run, "cells": [{"id", "index", "ms", "here" and
    "there": what was printed, "error": its traceback or None}]}
    """
    notebook, local = executed(path, folder)
    tab.evaluate("() => py.stop()")
    tab.evaluate("() => py.start()")
    began, cells, memory = time.perf_counter(), [], 0
    code = [pair for pair in enumerate(notebook.cells) if pair[1].cell_type == "code"]
    absent = absent_cells([cell.source for _, cell in code])
    for k, (index, cell) in enumerate(code):
        if k in absent:
            tab.evaluate(RUN, [absent[k][1], f"Cell {index}"])
            continue
        ran = tab.evaluate(RUN, [cell.source, f"Cell {index}"])
        memory = max(memory, ran["memory"])
        error = next((one for one in ran["outputs"] if one["output_type"] == "error"), None)
        cells.append({"id": cell.id, "index": index, "ms": ran["ms"],
                      "here": printed(ran["outputs"]), "there": printed(cell.outputs),
                      "error": error and "\n".join(error["traceback"])})
    seconds = time.perf_counter() - began
    modules = json.loads(tab.evaluate(RUN, [MODULES, "modules"])["outputs"][0]["text"])
    return {"seconds": seconds, "local": local, "memory": memory, "cells": cells,
            "modules": modules, "absent": len(absent)}


def differing(result, name, known):
    """The cells of a chapter that print something else and have no written reason, and the ids
    of those that have one and do not need it -> two lists"""
    excused = known.get(name, {})
    apart = [cell for cell in result["cells"] if cell["here"] != cell["there"]]
    equal = set(excused) - {cell["id"] for cell in apart}
    return [cell for cell in apart if cell["id"] not in excused], sorted(equal)


def report(name, result, bad, equal):
    """A line for the chapter, and each cell that differs."""
    print(f"{name:20} {len(result['cells']):3} cells run, {result['absent']:2} cannot, "
          f"{len(bad):2} differ; {result['seconds']:6.1f} s here, "
          f"{result['local']:5.1f} s in a kernel, "
          f"{result['memory'] / 1e6:4.0f} MB", flush=True)
    for cell in bad:
        print(f"  cell {cell['index']} ({cell['id']}): {(cell['error'] or '').splitlines()[-1:]}\n"
              f"    here:  {cell['here'][:300]!r}\n    built: {cell['there'][:300]!r}")
    if equal:
        print(f"  in {KNOWN_DIFFERENCES.name}, yet equal on this machine: {', '.join(equal)}")


def main():
    parser = argparse.ArgumentParser(description="Run chapters in the browser's Python.")
    parser.add_argument("only", nargs="*", help="chapters, such as 01 or 12a; all if none is named")
    parser.add_argument("--assets", type=Path, default=ROOT / "_build/html/_static/live")
    parser.add_argument("--cache", type=Path, default=cache_folder(ROOT, ROOT / "_build"))
    parser.add_argument("--record", action="store_true", help="write book/live/imported.json")
    parser.add_argument("--json", type=Path, help="write all that was seen")
    options = parser.parse_args()
    known, wrong, seen = yaml.safe_load(KNOWN_DIFFERENCES.read_text(encoding="utf-8")), 0, {}
    paths = [path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
             if not options.only or path.name.split("_")[0] in options.only]
    with served(options.assets) as address, browser() as chrome:
        tab = chrome.new_page()
        tab.goto(f"{address}/LICENCES.txt")
        tab.evaluate(START)
        for path in paths:
            result = run_chapter(tab, path, options.cache)
            bad, equal = differing(result, path.stem, known)
            report(path.stem, result, bad, equal)
            wrong += len(bad)
            imported = result.pop("modules")
            if options.record:
                record(f"notebooks/{path.stem}", imported)
            seen[path.stem] = result
            if options.json:
                options.json.write_text(json.dumps(seen, indent=1))
    sys.exit(bool(wrong))


def record(page, paths):
    """Add to book/live/imported.json what a page imported: the files of the library, and the parts
    that the page fetches."""
    from live import IMPORTED, PARTS, part_of

    known = json.loads(IMPORTED.read_text(encoding="utf-8"))
    files = [f"{found[1]}c" for found in map(IN_A_ZIP.match, paths) if found]
    fetched = {part_of(path, whole=True) for path in files}
    known["parts"][page] = [part for part in PARTS if part in fetched]
    known["modules"] = sorted({*known["modules"], *files})
    known["parts"] = dict(sorted(known["parts"].items()))
    IMPORTED.write_text(json.dumps(known, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
