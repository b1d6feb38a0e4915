"""Run the benchmark: a table in the terminal, and benchmarks/results.json, from which the book's page is made.

    python -m benchmarks [--quick] [--only WORD] [--out FILE]
"""

import argparse
import datetime
import json
import os
import platform
from dataclasses import asdict
from pathlib import Path

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy is imported: what is compared is the work, not the number of cores

import pandas as pd  # noqa: E402
from tqdm import tqdm  # noqa: E402

from benchmarks.cases import all_cases, versions  # noqa: E402
from benchmarks.measure import Missing, measure  # noqa: E402

RESULTS = Path(__file__).with_name("results.json")


def processor():
    """The processor's name as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def machine():
    """Where and when, and with what."""
    return {"processor": processor(), "cores": os.cpu_count(), "system": platform.system(), "python": platform.python_version(),
            "date": datetime.date.today().isoformat(), "versions": versions()}


def run(quick, only):
    """Measure the cases one by one -> list of rows; what cannot be compared keeps its place and says why."""
    rows = []
    with tqdm(all_cases(quick), desc="benchmark", unit="case") as cases:
        for case in cases:
            if only and only not in f"{case.method} {case.setting} {case.against}":
                continue
            cases.set_postfix_str(f"{case.method}, {case.setting}"[:60])
            rows.append(asdict(case) if isinstance(case, Missing) else measure(case, 3 if quick else 5))
    return rows


def shown(rows):
    """The rows as a table for the terminal."""
    columns = ["method", "setting", "against", "ours (s)", "ratio", "lowest", "highest", "must", "aim", "difference", "peak (MB)", "why"]
    table = pd.DataFrame(rows).reindex(columns=columns)
    return table.drop(columns="why" if table["why"].isna().all() else []).to_string(
        index=False, na_rep="", float_format=lambda v: f"{v:.3g}")


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="fi_teach against its peers, one thread, in turn.")
    parser.add_argument("--quick", action="store_true", help="fewer sizes and repeats, under three minutes")
    parser.add_argument("--only", default="", help="only cases whose name holds this word")
    parser.add_argument("--out", type=Path, default=None, help="where to write the figures (default: benchmarks/results.json for a full run)")
    chosen = parser.parse_args()
    rows = run(chosen.quick, chosen.only)
    print(shown(rows))
    print("ratio: peer's time / ours; above 1 we are faster.", json.dumps(machine()))
    out = chosen.out or (None if chosen.quick or chosen.only else RESULTS)
    if out:
        out.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
