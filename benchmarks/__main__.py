"""Run the benchmark: a table in the terminal, and benchmarks/results.json, from
which the book's page is made.

    python -m benchmarks [--quick] [--only WORD] [--asked] [--out FILE]

--asked measures what the page's first table shows, and plots that were never drawn,
and leaves the other figures in the file as they are;
the file says when each part was measured, with what.
"""

import argparse
import datetime
import json
import os
import platform
import time
import warnings
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    # before NumPy is imported: what is compared is the work, not the number of cores
    os.environ[variable] = "1"

import pandas as pd  # noqa: E402
from tqdm import tqdm  # noqa: E402

from benchmarks.cases import ASKED, GROUPS, cases_of  # noqa: E402
from benchmarks.machine import processor  # noqa: E402
from benchmarks.measure import Missing, measure, processor_time  # noqa: E402
from benchmarks.scaling import Growth, growths, measure_growth  # noqa: E402
from benchmarks.verdict import exponent, goals  # noqa: E402

RESULTS = Path(__file__).with_name("results.json")
PACKAGES = ("numpy", "pandas", "scikit-learn", "shap", "woodelf-explainer", "xgboost-cpu",
            "knockpy", "sage-importance")


def versions():
    """What was compared -> {package: version}; "missing" where it is not installed."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "missing"
    return found


def machine():
    """Where and when, with what, and how busy the machine was:
    its load average just now (1 is this benchmark alone)."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {"processor": processor(), "cores": os.cpu_count(), "system": platform.system(),
            "python": platform.python_version(),
            "date": datetime.date.today().isoformat(), "load": load, "versions": versions()}


def run(quick, wanted, keep, asked=False):
    """Measure group after group what is wanted -> (rows, growth lines);
    what cannot be compared keeps its place and says why.

    wanted : of a case or a growth -> whether it is measured; asked :
        only the groups of the first table, in every size; quick then means few repeats

    keep(rows, lines) is called after each group, so that a run that is interrupted loses one group
    and not all.
    """
    rows, lines = [], []
    groups = ASKED if asked else dict.fromkeys(GROUPS, quick)
    with tqdm(total=len(groups) + 1, desc="benchmark", unit="group") as bar:
        for group, in_short in groups.items():
            for case in cases_of(group, in_short):
                if wanted(case):
                    bar.set_postfix_str(f"{case.method}, {case.setting}"[:70])
                    rows.append(asdict(case) if isinstance(case, Missing) else measure(case, quick))
            bar.update()
            keep(rows, lines)
        for growth in growths():
            if wanted(growth):
                bar.set_postfix_str(f"scaling of {growth.title}")
                lines.append(measure_growth(growth, quick, asked))
                keep(rows, lines)
        bar.update()
    return rows, lines


def name_of(case):
    """What --only looks for a word in."""
    return (f"scaling {case.title}" if isinstance(case, Growth)
             else f"{case.method} {case.setting} {case.against}")


def wanted_among(only, stored):
    """Which cases are measured: by a word, or, with what is stored, what was asked for and plots
    that are not there yet."""
    if stored is None:
        return lambda case: only in name_of(case)
    drawn = {growth["key"] for growth in stored["scaling"]}

    def asked(case):
        return (case.key not in drawn if isinstance(case, Growth)
                 else getattr(case, "work", None) is not None)

    return lambda case: asked(case) and only in name_of(case)


def joined(stored, rows, lines):
    """The stored figures with the new in their places -> (rows, lines);
    a newer release of a peer takes its older one's place."""
    def work(row):
        return row["method"], row["setting"], row["against"].split()[0]

    fresh = {work(row): row for row in rows}
    kept = [fresh.pop(work(row), row) for row in stored["rows"]]
    return kept + list(fresh.values()), stored["scaling"] + lines


def shown(rows):
    """The rows as a table for the terminal."""
    columns = ["method", "setting", "against", "ours (s)", "before", "ratio", "lowest", "highest",
               "goal", "difference", "from definition", "peak (MB)", "why"]
    told = [row | {"goal": "; ".join(f"{goal}: {verdict}" for goal, verdict in goals(row))}
            if "ratio" in row else row for row in rows]
    table = pd.DataFrame(told).reindex(columns=columns)
    return table.drop(columns="why" if table["why"].isna().all() else []).to_string(
        index=False, na_rep="", float_format=lambda v: f"{v:.3g}")


def asked(rows):
    """The table of what was asked for: the ratio before, now, and the goal."""
    columns = {"method": "method", "work": "work", "against": "against", "before": "before",
               "ratio": "now", "must": "goal", "aim": "then"}
    found = [row for row in rows if row.get("work") and "ratio" in row]
    table = pd.DataFrame(found).reindex(columns=list(columns)).rename(columns=columns)
    return table.to_string(index=False, na_rep="", float_format=lambda v: f"{v:.3g}")


def slope(points):
    """A fitted exponent as the terminal prints it."""
    fitted = exponent(points)
    return "too few sizes" if fitted is None else f"{fitted:.2f}"


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks",
                                     description="fi_teach against its peers, one thread, in turn.")
    parser.add_argument("--quick", action="store_true",
                        help="fewer sizes and repeats, under three minutes")
    parser.add_argument("--only", default="",
                        help="only cases whose name holds this word; "
                             "'scaling' for the growth lines alone")
    parser.add_argument("--asked", action="store_true",
                        help="only what the page's first table shows; the rest of the file stays")
    parser.add_argument("--out", type=Path, default=None,
                        help="where to write the figures (default: "
                             "benchmarks/results.json for a full run)")
    chosen = parser.parse_args()
    warnings.filterwarnings("ignore")
    out = chosen.out or (RESULTS if chosen.asked or not (chosen.only or chosen.quick) else None)
    start = time.perf_counter()
    stored = json.loads(RESULTS.read_text(encoding="utf-8")) if chosen.asked else None

    def keep(rows, lines):
        if not out:
            return
        found = {"machine": machine(), "minutes": round((time.perf_counter() - start) / 60, 1)}
        if stored:
            rows, lines = joined(stored, rows, lines)
            found = {"machine": stored["machine"], "minutes": stored["minutes"], "asked": found}
        out.write_text(json.dumps(found | {"rows": rows, "scaling": lines}, indent=1) + "\n",
                       encoding="utf-8")

    rows, lines = run(chosen.quick, wanted_among(chosen.only, stored), keep, asked=chosen.asked)
    print(shown(rows))
    print(asked(rows))
    print("ratio: peer's time / ours; above 1 we are faster.")
    for growth in lines:
        print(f"{growth['title']}, time ~ {growth['variable']}^k:",
              ", ".join(f"{line['name']} k = {slope(line['points'])}" for line in growth["lines"]))
    print(f"{(time.perf_counter() - start) / 60:.1f} minutes, {processor_time() / 60:.1f} of them "
          "on the processor.", json.dumps(machine()))


if __name__ == "__main__":
    main()
