"""Run a chapter's code cells under one seed and record whether each assertion and claim holds.

A cell is rewritten so that a statement that does not hold is noted, with the numbers it compared,
and the cell goes on. `assert ...`, `claim(...)` and calls such as
`np.testing.assert_allclose(...)` count; those inside a function or a `try` are left as they are,
for there they belong to the function. A statement is about one draw, an illustration, if its cell
begins with a line `# this draw: ...` or its own lines carry a comment `# this draw`.
"""

import ast
import io
import linecache
import os
import sys
import time
import types
import warnings
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from hashlib import blake2b

import numpy as np
import shifted_seeds
from robustness import code_cells

ONE_SEED = "# this draw"
NAME = "__record__"  # by which a rewritten cell reaches the Record
TESTS = ("allclose", "isclose", "array_equal", "all", "any")
MEANT_TO_FAIL = "raises-exception"  # the tag by which Jupyter, too, knows such a cell
VALUES_KEPT, VALUES_HASHED = 4, 1000


def called(node):
    """The last part of a called name: np.testing.assert_equal -> assert_equal."""
    return getattr(node.func, "id", getattr(node.func, "attr", ""))


def claim_of(node):
    """The claim that a statement of code settles, "" for another assertion, None for other code."""
    call = getattr(node, "value", None)
    name = called(call) if isinstance(node, ast.Expr) and isinstance(call, ast.Call) else ""
    if isinstance(node, ast.Assert) or name.startswith("assert_"):
        return ""
    return str(getattr([*call.args, None][0], "value", "")) if name == "claim" else None


class Rewriter(ast.NodeTransformer):
    """Wrap each assertion of a cell, and enter it into the record."""

    def __init__(self, record, cell, source):
        self.record, self.cell, self.source, self.number = record, cell, source, 0
        self.one_seed = source.lstrip().startswith(ONE_SEED)

    def visit_FunctionDef(self, node):
        return node

    visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_FunctionDef

    def visit_Try(self, node):
        return node if node.handlers else self.generic_visit(node)

    def visit_Assert(self, node):
        """with __record__.statement(place): node"""
        claim = claim_of(node)
        if claim is None:
            return node
        lines = self.source.splitlines()[node.lineno - 1:node.end_lineno]
        place = self.record.enter(
            cell=self.cell, number=self.number, claim=claim, source=self.words(node),
            one_seed=self.one_seed or any(ONE_SEED in line for line in lines))
        self.number += 1
        guard = ast.withitem(reach("statement", ast.Constant(place)))
        return ast.copy_location(ast.With([guard], [self.reporting(node)]), node)

    visit_Expr = visit_Assert

    def words(self, node):
        """A piece of the source on one line."""
        return " ".join(ast.get_source_segment(self.source, node).split())

    def reporting(self, node):
        """The statement with each of its parts, and each number that it compares, reported."""
        if isinstance(node, ast.Assert):
            node.test = self.parts(node.test)
            return node
        for keyword in node.value.keywords:
            check = keyword.arg in ("holds", "fails")
            keyword.value = self.parts(keyword.value) if check else watched(keyword.value)
        node.value.args = list(map(watched, node.value.args))
        return node

    def parts(self, node):
        """The parts of `a and b and c`, the elements of a list, or the whole, reported."""
        many = ("values" if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And)
                else "elts" if isinstance(node, ast.List | ast.Tuple) else None)
        if not many:
            return self.part(node)
        setattr(node, many, [one if isinstance(one, ast.Starred) else self.part(one)
                             for one in getattr(node, many)])
        return node

    def part(self, node):
        """__record__.part("its source", node), with what it compares reported."""
        return reach("part", ast.Constant(self.words(node)), Watcher().visit(node))


def reach(method, *arguments):
    """The expression __record__.method(*arguments)."""
    return ast.Call(ast.Attribute(ast.Name(NAME, ast.Load()), method, ast.Load()),
                    list(arguments), [])


class Watcher(ast.NodeTransformer):
    """Report the operands of comparisons and the arguments of tests such as np.allclose or all."""

    def visit_Compare(self, node):
        self.generic_visit(node)
        node.left, *node.comparators = map(watched, [node.left, *node.comparators])
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        if called(node) in TESTS:
            node.args = list(map(watched, node.args))
            if isinstance(node.func, ast.Attribute) and node.args == []:
                node.func.value = watched(node.func.value)
        return node


def watched(node):
    """The node reported; what is plain in the source, or reports for itself, stays as it is."""
    inner = (ast.Constant, ast.Starred, ast.Compare, ast.GeneratorExp)
    return node if isinstance(node, inner) else reach("see", node)


def short(value):
    """Format a value shortly: numbers to four digits.

    >>> short(0.123456), short(np.array([1.0, 2.5])), short("MDI")
    ('0.1235', '[1, 2.5]', "'MDI'")
    """
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | float | np.number):
        return f"{value:.4g}"
    if hasattr(value, "to_numpy") and hasattr(value, "dtype"):
        value = value.to_numpy()
    if isinstance(value, np.ndarray | list | tuple) and np.ndim(value) and len(value) < 9:
        return "[" + ", ".join(map(short, value)) + "]"
    text = " ".join(repr(value).split())
    return text if len(text) < 80 else text[:77] + "..."


def as_bytes(value):
    """Bytes that differ where values differ."""
    value = value.to_numpy() if hasattr(value, "to_numpy") else value
    if isinstance(value, np.ndarray):
        return value.tobytes() if value.dtype != object else repr(value.tolist()).encode()
    text = repr(value)
    return b"" if " at 0x" in text else text.encode()


class Record:
    """The statements of a chapter, and what the rewritten cells report of each while they run."""

    def __init__(self):
        self.statements, self.now, self.seen, self.false = [], None, [], []

    def enter(self, **statement):
        """Add a statement, whether it holds not known yet -> its place."""
        self.statements.append(
            statement | {"held": None, "hashed": 0, "digest": blake2b(digest_size=8)})
        return len(self.statements) - 1

    @contextmanager
    def statement(self, place):
        """Run an assertion: one that fails is noted, and the cell goes on."""
        self.now, self.seen, self.false = self.statements[place], [], []
        try:
            yield
            held, because = True, ""
        except Exception as error:
            name = type(error).__name__
            said = str(error) if name == "AssertionError" else f"{name}: {error}"
            held, because = False, "; ".join(self.false) or said
        if self.now["held"] is not False:
            self.now.update(held=held, because=because)

    def see(self, value):
        """Note a value that is compared; it passes through."""
        self.seen = [*self.seen, value][-VALUES_KEPT:]
        if self.now["hashed"] < VALUES_HASHED:
            self.now["hashed"] += 1
            self.now["digest"].update(as_bytes(value))
        return value

    def part(self, source, value):
        """Note a part that is not true, with the last values that it compared."""
        truths = [bool(truth) for truth in np.ravel(np.asarray(value, dtype=object))]
        if not all(truths):
            which = f" [{truths.index(False)}]" if len(truths) > 1 else ""
            values = f" ({', '.join(map(short, self.seen))})" if self.seen else ""
            self.false.append(source + which + values)
        self.now["digest"].update(repr(truths).encode())
        self.seen = []
        return value

    def told(self, errors):
        """The statements for JSON; of one that was not reached, the error that ended its cell."""
        for one in self.statements:
            if one["held"] is None:
                one |= {"held": False, "because": errors.get(one["cell"], "it was not reached")}
            yield one | {"digest": one["digest"].hexdigest()}


def run_seed(path, draw):
    """Run a notebook's code cells under one seed in this process -> what came out, for JSON.

    What counts is what is computed. A figure is built but never rendered, `display` shows nothing,
    and of what a cell prints, or ends with, the words are kept. Times are the processor's, so that
    a busy machine tells the same as an idle one.
    """
    import IPython.display
    import matplotlib.pyplot as plt

    started, record, module = time.process_time(), Record(), types.ModuleType("__main__")
    os.chdir(path.parent)
    warnings.simplefilter("ignore")
    plt.show = IPython.display.display = module.display = lambda *things, **named: None
    setattr(module, NAME, record)
    sys.modules["__main__"] = module
    shifted_seeds.use(draw)
    errors, printed = {}, {}
    for id, source, tags in code_cells(path):
        tree = ast.fix_missing_locations(Rewriter(record, id, source).visit(ast.parse(source)))
        error, printed[id] = run_cell(id, source, tree, vars(module))
        plt.close("all")
        if error and MEANT_TO_FAIL not in tags:
            errors[id] = error
    return {"draw": draw, "seconds": time.process_time() - started, "errors": errors,
            "printed": printed, "statements": list(record.told(errors))}


def run_cell(id, source, tree, namespace):
    """Execute one cell without showing anything -> (its error in a line or None, its print, to
    which the value belongs that it ends with)."""
    name, said, error = f"<{id}>", io.StringIO(), None
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    last = [tree.body.pop()] if tree.body and isinstance(tree.body[-1], ast.Expr) else []
    with redirect_stdout(said), redirect_stderr(io.StringIO()):
        try:
            exec(compile(tree, name, "exec"), namespace)
            exec(compile(ast.Interactive(last), name, "single"), namespace)
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}"
    return error, said.getvalue()
