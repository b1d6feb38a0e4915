"""Compile magics and shell lines: those that time or hide code run it, all others do nothing."""

from contextlib import suppress

PASSED_ON = {"time", "timeit", "prun", "capture"}
"""Magics whose line or cell is Python to be run."""


def compiled(source, name):
    """Compile a cell; magics and shell lines become calls if it is not plain Python.

    Raises SyntaxError if it is not Python either way.
    """
    try:
        return compile(source, name, "exec", dont_inherit=True)
    except SyntaxError:
        with suppress(ImportError):
            from IPython.core.inputtransformer2 import TransformerManager
            source = TransformerManager().transform_cell(source)
        return compile(source, name, "exec", dont_inherit=True)


class Shell:
    """The object that `get_ipython()` returns: it starts no process and reads no file."""

    def __init__(self, variables):
        self.variables = variables

    def run_line_magic(self, name, line, *_):
        if name in PASSED_ON - {"capture"}:
            exec(compile(line, f"%{name}", "exec", dont_inherit=True), self.variables)

    def run_cell_magic(self, name, line, cell):
        if name in PASSED_ON:
            exec(compiled(cell, f"%%{name}"), self.variables)

    def system(self, line):
        """Ignore a shell line."""

    getoutput = getsystem = system
    set_next_input = system
