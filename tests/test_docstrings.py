"""What a public docstring owes its reader: an example that runs, and of a method the source."""

import importlib
import inspect
import pkgutil
import re
import unicodedata
from pathlib import Path

from pybtex.database import parse_file

from fi_teach import basics, importance, trees

ROOT = Path(__file__).resolve().parents[1]
REFERENCES = parse_file(ROOT / "book/references.bib").entries.values()
READ_WHOLE = ("importance", "trees.chaid", "trees.explain", "basics.impurity", "basics.multiple_testing",
              "basics.null_test",
              "basics.value_functions")
"""Of these every public function is shown by example, whether its package exports it or not."""


def plain(name):
    """A surname without accents, braces and TeX commands: Cand{\\`e}s and Candès -> candes."""
    letters = unicodedata.normalize("NFD", re.sub(r"\\[a-zA-Z]\s+|[{}\\`'\"^~=.]", "", name))
    return "".join(letter for letter in letters if letter.isalpha()).lower()


def modules_of(name):
    """The module of that name and, of a package, all that are in it."""
    door = importlib.import_module(f"fi_teach.{name}")
    inside = pkgutil.walk_packages(getattr(door, "__path__", []), f"{door.__name__}.")
    return [door, *(importlib.import_module(found.name) for found in inside)]


def functions_of(module):
    return [thing for name, thing in vars(module).items()
            if inspect.isfunction(thing) and thing.__module__ == module.__name__ and not name.startswith("_")]


EXPORTED = [thing for package in (basics, trees, importance) for name in getattr(package, "__all__", ())
            if inspect.isfunction(thing := getattr(package, name))]
SHOWN = {f"{thing.__module__}.{thing.__name__}": thing
         for thing in [*EXPORTED,
                       *(f for name in READ_WHOLE for module in modules_of(name) for f in functions_of(module))]}
METHODS = {thing.__name__: thing for thing in EXPORTED if thing.__module__.split(".")[1] in ("trees", "importance")}
METHODS |= {thing.__name__: thing
            for thing in functions_of(importlib.import_module("fi_teach.basics.multiple_testing"))}
KNOWN = {thing.__name__: thing for thing in SHOWN.values()}


def source_of(thing):
    """What follows "Source:" in a docstring, up to the next empty line, or None."""
    found = re.search(r"Sources?: (.+?)(?:\n\s*\n|$)", inspect.getdoc(thing) or "", re.DOTALL)
    return " ".join(found[1].split()) if found else None


def unknown_works(source):
    """The years in a source for which the bibliography has no work of an author who is named beside them."""
    named = {plain(word) for word in re.findall(r"[^\W\d_]+", source)}
    known = {(entry.fields.get("year"), plain(part)) for entry in REFERENCES
             for person in entry.persons.get("author", ()) for part in person.last_names}
    return [year for year in re.findall(r"\b[12]\d{3}\b", source) if not any((year, name) in known for name in named)]


def test_every_public_function_is_shown_by_example():
    assert len(SHOWN) > len(EXPORTED)
    assert [name for name, thing in SHOWN.items() if ">>>" not in (inspect.getdoc(thing) or "")] == []


def test_every_method_names_its_source():
    """A work in the bibliography, or "as in `name`" of a function that names one."""
    for name, method in METHODS.items():
        source = source_of(method)
        assert source, f"{name} has no 'Source: ...'"
        assert unknown_works(source) == [], name
        for other in re.findall(r"as in `(\w+)`", source):
            assert other != name and other in KNOWN, (name, other)
            assert source_of(KNOWN[other]), (name, other)


def test_a_work_that_is_not_in_the_bibliography_is_found_out():
    assert unknown_works("Candès et al. (2018), sec. 3; Breiman (2001).") == []
    assert unknown_works("Breiman (2002); Nobody (1990).") == ["2002", "1990"]
