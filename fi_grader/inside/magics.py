"""Magics and shell lines of a notebook: what times or hides code runs it, what reaches outside does nothing."""

PASSED_ON = {"time", "timeit", "prun", "capture"}
"""Magics whose line or cell is Python to be run."""


def compiled(source, name):
    """A cell as code, its magics and shell lines turned into calls first if it is no plain Python.

    Raises SyntaxError if it is not Python either way.
    """
    try:
        return compile(source, name, "exec", dont_inherit=True)
    except SyntaxError:
        return compile(_transformed(source), name, "exec", dont_inherit=True)


def _transformed(source):
    try:
        from IPython.core.inputtransformer2 import TransformerManager
    except ImportError:
        return source
    return TransformerManager().transform_cell(source)


class Shell:
    """What `get_ipython()` gives to a transformed cell: nothing here starts a process or reads a file."""

    def __init__(self, variables):
        self.variables = variables

    def run_line_magic(self, name, line, *_):
        if name in PASSED_ON - {"capture"}:
            exec(compile(line, f"%{name}", "exec", dont_inherit=True), self.variables)

    def run_cell_magic(self, name, line, cell):
        if name in PASSED_ON:
            exec(compiled(cell, f"%%{name}"), self.variables)

    def system(self, line):
        """A shell line does nothing."""

    getoutput = getsystem = system
    set_next_input = system
