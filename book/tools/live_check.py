"""Run chapters in the browser's Python and hold what they print against the built book.

    python book/tools/live_check.py [NN ...] [--engine firefox]

Every code cell of a chapter that can run there is run in one interpreter, as a reader's "Run all"
does. A cell must print the same text as the executed chapter that the pages were made from. Cells
that differ for a reason stand in book/live/known_differences.yaml.
"""

import argparse
import re
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "_ext")]

import yaml  # noqa: E402
from browser import served  # noqa: E402 - lies beside this file
from chapter_cache import cache_folder  # noqa: E402
from live_engines import ENGINES  # noqa: E402

KNOWN_DIFFERENCES = ROOT / "book/live/known_differences.yaml"
START = """async () => {
  const { Python } = await import(new URL("live.js", location));
  window.py = new Python();
}"""
AFRESH = "async () => { py.stop(); await py.start(); }"
RUN = """async ([source, options]) => {
  const outputs = [], onOutput = (output) => outputs.push(output);
  const end = await py.run(source, { onOutput, ...options });
  return { ...end, outputs };
}"""


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


def run_chapter(evaluate, path, folder):
    """Run all cells that can run in a browser, in a fresh interpreter.

    -> {"seconds", "local": seconds in a kernel, "memory": the most bytes, "absent": how many cells
    cannot run, "cells": [{"id", "index", "here" and "there": what was printed, "error": its
    traceback or None}]}
    """
    notebook, local = executed(path, folder)
    evaluate(AFRESH)
    began, cells, memory, absent = time.perf_counter(), [], 0, 0
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        partly = any(tag.startswith("needs-") for tag in cell.metadata.get("tags", []))
        absent += partly
        ran = evaluate(RUN, [cell.source, {"name": f"Cell {index}", "partly": partly}])
        if partly:
            continue
        memory = max(memory, ran["memory"])
        error = next((one for one in ran["outputs"] if one["output_type"] == "error"), None)
        cells.append({"id": cell.id, "index": index, "here": printed(ran["outputs"]),
                      "there": printed(cell.outputs),
                      "error": error and "\n".join(error["traceback"])})
    return {"seconds": time.perf_counter() - began, "local": local, "memory": memory,
            "absent": absent, "cells": cells}


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
    parser.add_argument("--engine", choices=ENGINES, default="chromium")
    options = parser.parse_args()
    known, wrong = yaml.safe_load(KNOWN_DIFFERENCES.read_text(encoding="utf-8")), 0
    paths = [path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
             if not options.only or path.name.split("_")[0] in options.only]
    folder = cache_folder(ROOT, ROOT / "_build")
    with (served(ROOT / "_build/live") as address,
          ENGINES[options.engine]() as tab):
        tab.goto(f"{address}/LICENCES.txt")
        tab.evaluate(START)
        for path in paths:
            result = run_chapter(tab.evaluate, path, folder)
            bad, equal = differing(result, path.stem, known)
            report(path.stem, result, bad, equal)
            wrong += len(bad)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
