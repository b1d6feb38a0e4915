"""Run chapters in the browser's Python and hold what they print against the built book.

    python book/tools/live_check.py [NN ...] [--engine firefox]

Every code cell of a chapter that can run there is run in one interpreter, as a reader's "Run all"
does. A cell must print the same text as the executed chapter that the pages were made from. Cells
that differ for a reason stand in book/live/known_differences.yaml.

Chromium is driven by Playwright, as in all tests. Firefox and WebKit are the system's own
(Debian: firefox-esr, webkit2gtk-driver and xvfb), which Playwright does not drive: Firefox listens
for Marionette, WebKit has a WebDriver, and both speak WebDriver's commands.
"""

import argparse
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "_ext")]

import yaml  # noqa: E402
from browser import browser, served  # noqa: E402 - lies beside this file
from chapter_cache import cache_folder  # noqa: E402

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
PATIENCE = 600_000  # milliseconds that one script may take
CALL = """const [given, done] = arguments;
Promise.resolve(({script})(given)).then(
  (value) => done([value]), (error) => done({{ error: String(error) }}));"""


# --- a chapter in a tab ---


def executed(path, folder):
    """The chapter as it was executed for the pages -> (notebook, seconds)."""
    from jupyter_cache import get_cache

    cache = get_cache(folder)
    try:
        bundle = cache.get_cache_bundle(cache.match_cache_file(path).pk)
    except KeyError:
        sys.exit(f"{path.name} has not been executed for the book: run make book first.")
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


# --- tabs of three engines ---


class Tab:
    """A tab that takes WebDriver's commands.

    command : (name as Marionette has it, path as WebDriver has it, parameters) -> its value
    """

    def __init__(self, command):
        self.command = command
        command("WebDriver:SetTimeouts", "timeouts", {"script": PATIENCE})

    def goto(self, url):
        self.command("WebDriver:Navigate", "url", {"url": url})

    def evaluate(self, script, given=None):
        """Call a JavaScript function -> what it returns, waited for."""
        answer = self.command("WebDriver:ExecuteAsyncScript", "execute/async",
                              {"script": CALL.format(script=script), "args": [given]})
        if isinstance(answer, dict):
            raise RuntimeError(answer["error"])
        return answer[0]


def program(*names):
    """The path of an installed program. Raises SystemExit with what to install."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise SystemExit(f"This engine needs {names[0]}, which is not installed: "
                         f"apt-get install firefox-esr webkit2gtk-driver xvfb")
    return found


@contextmanager
def running(port, *command):
    """A program that listens at a port, ended afterwards."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("localhost", port)) == 0:
                    break
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


@contextmanager
def chromium():
    """A tab with `goto` and `evaluate`; so is what the two below yield."""
    with browser() as chrome:
        yield chrome.new_page()


@contextmanager
def firefox():
    port, path = free_port(), program("firefox-esr", "firefox")
    with tempfile.TemporaryDirectory() as profile:
        Path(profile, "user.js").write_text(f'user_pref("marionette.port", {port});\n')
        with (running(port, path, "--headless", "--marionette", "--profile", profile),
              socket.create_connection(("localhost", port)) as door, door.makefile("rb") as heard):

            def receive():
                length = b""
                while (one := heard.read(1)) != b":":
                    length += one
                return json.loads(heard.read(int(length)))

            def command(name, _, parameters):
                message = json.dumps([0, 1, name, parameters])
                door.sendall(f"{len(message)}:{message}".encode())
                _, _, error, result = receive()
                if error:
                    raise RuntimeError(error["message"])
                return result.get("value", result)

            receive()  # its greeting
            command("WebDriver:NewSession", "", {})
            yield Tab(command)


@contextmanager
def webkit():
    port, path = free_port(), program("WebKitWebDriver")
    with running(port, program("xvfb-run"), "--auto-servernum", path, f"--port={port}"):
        root = f"http://localhost:{port}/session"

        def post(url, parameters, method="POST"):
            request = urllib.request.Request(url, json.dumps(parameters).encode(), method=method)
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)["value"]

        session = f"{root}/{post(root, {'capabilities': {}})['sessionId']}"
        yield Tab(lambda _, path, parameters: post(f"{session}/{path}", parameters))
        post(session, {}, "DELETE")


ENGINES = {"chromium": chromium, "firefox": firefox, "webkit": webkit}


def main():
    parser = argparse.ArgumentParser(description="Run chapters in the browser's Python.")
    parser.add_argument("only", nargs="*", help="chapters, such as 01 or 12a; all if none is named")
    parser.add_argument("--engine", choices=ENGINES, default="chromium")
    options = parser.parse_args()
    known, wrong = yaml.safe_load(KNOWN_DIFFERENCES.read_text(encoding="utf-8")), 0
    paths = [path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
             if not options.only or path.name.split("_")[0] in options.only]
    folder = cache_folder(ROOT, ROOT / "_build")
    with served(ROOT / "_build/live") as address, ENGINES[options.engine]() as tab:
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
