"""Run the benchmark: a table in the terminal, and benchmarks/results.json, from
which the book's page is made.

    python -m benchmarks [--quick] [--only WORD] [--out FILE]
"""

import argparse
import json
import os
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

from benchmarks.cases import GROUPS, cases_of  # noqa: E402
from benchmarks.machine import machine  # noqa: E402
from benchmarks.measure import Missing, measure, processor_time  # noqa: E402
from benchmarks.scaling import growths, measure_growth  # noqa: E402
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


def run(quick, only, keep):
    """Measure group after group what has the word `only` in its name -> (rows, growth lines);
    what cannot be compared keeps its place and says why.

    keep(rows, lines) is called after each group, so that a run that is interrupted loses one group
    and not all.
    """
    rows, lines = [], []
    with tqdm(total=len(GROUPS) + 1, desc="benchmark", unit="group") as bar:
        for group in GROUPS:
            for case in cases_of(group, quick):
                if only in f"{case.method} {case.setting} {case.against}":
                    bar.set_postfix_str(f"{case.method}, {case.setting}"[:70])
                    rows.append(asdict(case) if isinstance(case, Missing) else measure(case, quick))
            bar.update()
            keep(rows, lines)
        for growth in growths():
            if only in f"scaling {growth.title}":
                bar.set_postfix_str(f"scaling of {growth.title}")
                lines.append(measure_growth(growth, quick))
                keep(rows, lines)
        bar.update()
    return rows, lines


def shown(rows):
    """The rows as a table for the terminal."""
    columns = ["method", "setting", "against", "ours (s)", "before", "ratio", "lowest", "highest",
               "goal", "difference", "from definition", "peak (MB)", "why"]
    told = [row | {"goal": "; ".join(f"{goal}: {verdict}" for goal, verdict in goals(row))}
            if "ratio" in row else row for row in rows]
    table = pd.DataFrame(told).reindex(columns=columns)
    return table.drop(columns="why" if table["why"].isna().all() else []).to_string(
        index=False, na_rep="", float_format=lambda v: f"{v:.3g}")


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks",
                                     description="fi_teach against its peers, one thread, in turn.")
    parser.add_argument("--quick", action="store_true",
                        help="fewer sizes and repeats, under three minutes")
    parser.add_argument("--only", default="",
                        help="only cases whose name holds this word; "
                             "'scaling' for the growth lines alone")
    parser.add_argument("--out", type=Path, default=None,
                        help="where to write the figures (default: "
                             "benchmarks/results.json for a full run)")
    chosen = parser.parse_args()
    warnings.filterwarnings("ignore")
    out = chosen.out or (None if chosen.only or chosen.quick else RESULTS)
    start = time.perf_counter()

    def keep(rows, lines):
        if out:
            found = {"machine": machine() | {"versions": versions()},
                     "minutes": round((time.perf_counter() - start) / 60, 1),
                     "rows": rows, "scaling": lines}
            out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")

    rows, lines = run(chosen.quick, chosen.only, keep)
    print(shown(rows))
    print("ratio: peer's time / ours; above 1 we are faster.")
    for growth in lines:
        print(f"{growth['title']}, time ~ {growth['variable']}^k:",
              ", ".join(f"{line['name']} k = {exponent(line['points']) or float('nan'):.2f}"
                        for line in growth["lines"]))
    print(f"{(time.perf_counter() - start) / 60:.1f} minutes, {processor_time() / 60:.1f} of them "
          "on the processor.", json.dumps(machine()))


if __name__ == "__main__":
    main()
