"""Run `fi-teach audit MODEL TABLE --target Y --out FOLDER`: from files to a report."""

import hashlib
import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, MutableMapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

import fi_teach
from fi_audit.files import read_model, read_table, with_categories
from fi_audit.inputs import make_inputs
from fi_audit.report import write
from fi_audit.results import Audit, as_plain, from_plain
from fi_audit.run import run
from fi_teach.basics.model import as_model

A_MINUTE = 60
NAMES_OF_ROWS = ("groups", "time", "protected", "weight")


def audit_files(options: Namespace) -> int:
    """Read, audit and write -> 0, or 1 if no importance may be written."""
    inputs = inputs_of(options)
    seconds = inputs.seconds()
    if seconds > A_MINUTE:
        print(f"This will take about {round(seconds / 60) or 1} min; stopped, it goes on where it "
              "was when called again.", file=sys.stderr)
    steps = Steps(Path(options.out), _key(options))
    audit = run(inputs, progress=progress(), done=steps)
    paths = write(audit, options.out)
    steps.delete()
    print(summary(audit, paths))
    return int(any(finding.verdict == "stop" for finding in audit.findings))


def inputs_of(options: Namespace):
    """Build the inputs of the audit from files and options."""
    table = read_table(options.table)
    _check_target(table, options.target)
    model = read_model(options.model)
    more = None
    if options.test is not None and options.test not in table:
        more = read_table(options.test)
        _check_target(more, options.target)
    known_from = _known_from(options.known_from)
    beside = {getattr(options, name) for name in NAMES_OF_ROWS} | {options.test}
    beside |= {when for when in known_from.values() if when in table}
    features = with_categories(model, _without(model, table, options.target, beside))
    test: Any = None
    if more is not None:
        more_features = more.drop(columns=options.target)
        test = (_same_columns(more_features, features), more[options.target])
    elif options.test is not None:
        test = _as_bool(table[options.test], options.test)
    return make_inputs(
        model, features, table[options.target], test=test, groups=options.groups,
        time=options.time, protected=options.protected, known_from=known_from,
        sample_weight=options.weight, quick=options.quick, rng=options.seed)


def _check_target(table: pd.DataFrame, target: str) -> None:
    if target not in table:
        some = ", ".join(map(str, table.columns[:10]))
        raise ValueError(f"--target is {target!r}, which is no column of the table: it has {some}.")


def _without(
    model: Any, table: pd.DataFrame, target: str, beside: set[str | None]
) -> pd.DataFrame:
    """Drop the target; a model without column names gets all other columns."""
    table = table.drop(columns=target)
    if as_model(model).names is not None:
        return table
    named = [name for name in beside if name in table]
    if named:
        raise ValueError(
            f"the model does not know its columns' names, so {named[0]!r} cannot be told from "
            "them: fit it on a DataFrame.")
    return table.set_axis([f"x{j}" for j in range(table.shape[1])], axis=1)


def _same_columns(more: pd.DataFrame, features: pd.DataFrame) -> pd.DataFrame:
    """Convert the test rows to the columns' types (categories among them)."""
    if len(more.columns) == len(features.columns) and "x0" in features and "x0" not in more:
        more = more.set_axis(features.columns, axis=1)
    kinds = {name: "category" for name in features
             if name in more and isinstance(features[name].dtype, pd.CategoricalDtype)}
    return more.astype(kinds)


def _as_bool(column: pd.Series, name: str):
    """Convert a column of true and false (1 and 0) -> (n,) bool."""
    values = set(column.dropna().unique().tolist())
    if column.isna().any() or not values <= {0, 1}:
        raise ValueError(
            f"--test is {name!r}, a column with values such as {sorted(map(str, values))[:3]}: "
            "expected true or false (1 or 0), or the path of another table.")
    return column.to_numpy().astype(bool)


def _known_from(given: list[str]) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for text in given:
        name, sign, when = text.partition("=")
        if not sign or not name or not when:
            raise ValueError(
                f"--known-from is {text!r}, expected COLUMN=DATE or COLUMN=OTHER-COLUMN.")
        known[name] = float(when) if _is_number(when) else when
    return known


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def progress() -> Callable | None:
    """Return tqdm's progress bar, if tqdm is installed."""
    if find_spec("tqdm") is None:
        return None
    from tqdm import tqdm
    return lambda steps: tqdm(list(steps), desc="audit", unit="step", file=sys.stderr)


def summary(audit: Audit, paths: tuple[Path, ...]) -> str:
    """Summarize the audit in a few lines for the terminal."""
    lines = [f"{f.verdict}: {f.text}" for f in audit.findings if f.verdict in ("ask", "stop")]
    lines.append(f"{len(audit.may)} sentences may be written, {len(audit.may_not)} may not.")
    return "\n".join([*lines, *(f"Wrote {path}" for path in paths)])


# --- going on after an interruption ---


class Steps(MutableMapping):
    """The results of finished steps, kept in a file so that a stopped audit goes on.

    Only findings of the same files, options and version count.
    """

    def __init__(self, folder: Path, key: str) -> None:
        self.path = folder / f"unfinished-{key}.jsonl"
        self.found: dict[str, Any] = {}
        folder.mkdir(parents=True, exist_ok=True)
        if self.path.is_file():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                self._take(line)

    def _take(self, line: str) -> None:
        try:
            step = json.loads(line)
        except json.JSONDecodeError:
            return  # the line that was being written when it stopped
        self.found[step["step"]] = from_plain(step["found"])

    def __setitem__(self, name: str, found: Any) -> None:
        self.found[name] = found
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"step": name, "found": as_plain(found)}) + "\n")

    def __getitem__(self, name: str) -> Any:
        return self.found[name]

    def __delitem__(self, name: str) -> None:
        del self.found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def delete(self) -> None:
        """Delete the file, when the audit is done."""
        self.path.unlink(missing_ok=True)


def _key(options: Namespace) -> str:
    """Hash the files, the options and the version."""
    digest = hashlib.sha256(fi_teach.__version__.encode())
    for path in (options.model, options.table, options.test):
        if path and Path(path).is_file():
            digest.update(Path(path).read_bytes())
    said = {k: v for k, v in vars(options).items() if k not in ("run", "out", "command")}
    digest.update(json.dumps(said, sort_keys=True).encode())
    return digest.hexdigest()[:12]
