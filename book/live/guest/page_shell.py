"""IPython's shell for a page: values, figures and errors leave it as outputs of a notebook."""

from guest import publish, send
from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

PLAIN = Config(HistoryManager={"enabled": False}, InteractiveShell={"colors": "nocolor"})
INCOMPLETE = "_IncompleteInputError"  # CPython's own name for a SyntaxError at a cell's end


class Compiler(CachingCompiler):
    """Calls a cell in tracebacks what the page calls it."""

    running = "Cell"

    def __init__(self):
        super().__init__()
        self.names = {}

    def cache(self, *code, **more):
        path = super().cache(*code, **more)
        self.names[path] = self.running
        return path

    def format_code_name(self, path):
        label, _, number = self.names.get(path, "").rpartition(" ")
        return (label, number) if number else None


class Values(DisplayHook):
    """Sends a cell's value."""

    def write_format_data(self, format_dict, md_dict=None):
        publish(format_dict, md_dict, "execute_result")

    def finish_displayhook(self):
        pass

    start_displayhook = write_output_prompt = finish_displayhook


class Displays(DisplayPublisher):
    """Sends what `display` shows; the page takes nothing back."""

    def publish(self, data, metadata=None, **_):
        publish(data, metadata)

    def clear_output(self, wait=False):
        pass


class Shell(InteractiveShell):
    """IPython without a terminal, a completer and other programs."""

    kernel = "page"  # by it the course knows a notebook

    def __init__(self):
        super().__init__(config=PLAIN, displayhook_class=Values, display_pub_class=Displays,
                         compiler_class=Compiler)

    def init_completer(self):
        pass

    def enable_gui(self, gui=None):
        pass

    def system(self, command):
        __tracebackhide__ = True
        raise OSError(f"there is no shell in a page to run {command!r} in. "
                      "In JupyterLab (make lab) there is.")

    getoutput = system_raw = system_piped = system

    def _showtraceback(self, kind, error, lines):
        name = kind.__name__.replace(INCOMPLETE, "SyntaxError")
        lines = [line.replace(INCOMPLETE, "SyntaxError") for line in lines]
        send({"output_type": "error", "ename": name, "evalue": str(error),
              "traceback": [*lines, *advice(error)]})


def advice(error):
    """Yield advice about errors that occur only in a page."""
    if isinstance(error, ModuleNotFoundError) and "fi_teach" not in str(error.name):
        yield ("A page carries only what the chapters use. "
               "In JupyterLab (make lab) you can import what you have installed.")
    if isinstance(error, OverflowError | MemoryError):
        yield ("Python in a page has 32-bit indices and at most 4 GB of memory. "
               "In JupyterLab (make lab) there is more.")
