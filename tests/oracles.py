"""Reference figures of knockpy and lifelines, stored because these libraries install from source only.

    make oracles     compute tests/oracles.json again, in an environment of its own (needs a C compiler)

Tests build the inputs again from their seeds, and `stored` refuses inputs that the figures were not computed for.
"""

import json
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

from fi_course.tables import gbsg2

FILE = Path(__file__).with_suffix(".json")


def stored(name, *inputs):
    """Return the figures stored under a name -> (k,) array. Refuses inputs that they were not computed for."""
    figures = json.loads(FILE.read_text(encoding="utf-8"))["figures"][name]
    if not np.allclose(fingerprint(*inputs), figures["inputs"], rtol=1e-9, atol=1e-9):
        raise ValueError(f"the inputs of '{name}' are not those that its figures were computed for: "
                         f"fingerprint {fingerprint(*inputs)}, expected {figures['inputs']}; run make oracles")
    return np.array(figures["values"])


def stored_version(package):
    """Return the version that computed the stored figures, or None for a package that computed none."""
    return json.loads(FILE.read_text(encoding="utf-8"))["versions"].get(package)


def fingerprint(*inputs):
    """Summarise arrays by how many numbers they hold, their sum, and a weighted sum that depends on their order."""
    flat = np.concatenate([np.ravel(part).astype(float) for part in inputs])
    return [len(flat), float(flat.sum()), float(flat @ np.cos(np.arange(len(flat))))]


# Inputs ---------------------------------------------------------------------------------------------------------------

def ar1(p, rho):
    """Correlations rho**|j - k|."""
    return rho ** np.abs(np.subtract.outer(np.arange(p), np.arange(p)))


def random_covariance(p, seed):
    factor = np.random.default_rng(seed).normal(size=(p, 2 * p))
    return factor @ factor.T / p


def as_correlation(covariance):
    scale = np.sqrt(np.diag(covariance))
    return covariance / np.outer(scale, scale)


CORRELATIONS = {"ar 0.5": ar1(30, 0.5), "ar 0.7": ar1(30, 0.7), "ar 0.9": ar1(30, 0.9),
                "random": as_correlation(random_covariance(20, 3))}


def knockoff_statistics():
    """200 sets of 25 statistics, shifted to the right -> (200, 25), rounded to be the same on every processor."""
    rng = np.random.default_rng(4)
    return np.round([rng.normal(rng.random(), 1, size=25) for _ in range(200)], 6)


def censored(n, seed, risk=0.0):
    """Whole-number times with ties, about a third censored; `risk` is the log hazard of each row -> time, event."""
    rng = np.random.default_rng([seed, 4])
    death, leaves = rng.exponential(20 * np.exp(-risk), n), rng.exponential(40, n)
    return np.ceil(np.minimum(death, leaves)), death <= leaves


def eighty_rows():
    """80 whole-number times with ties, about a third censored -> time, event, group."""
    rng = np.random.default_rng(4)
    death, leaves = rng.exponential(20, 80), rng.exponential(40, 80)
    return np.ceil(np.minimum(death, leaves)), death <= leaves, rng.random(80) < 0.4


def breast_cancer():
    """The GBSG2 study with standardised columns -> Z, time, event."""
    X, y = gbsg2()
    return ((X - X.mean()) / X.std()).to_numpy(), y["time"].to_numpy(float), y["event"].to_numpy() == 1


def without_ties(time):
    """The same times with up to half a day added to each: where times tie, each library has a custom of its own."""
    return time + np.random.default_rng(0).uniform(0, 0.5, len(time))


MONTHS = np.arange(0, 2190, 30.0)


# Figures: each function yields (name, inputs, values) -----------------------------------------------------------------

def knockpy_figures():
    from knockpy.knockoff_stats import data_dependent_threshhold
    from knockpy.smatrix import compute_smatrix

    for name, correlation in CORRELATIONS.items():
        np.random.seed(0)  # knockpy shuffles its coordinates with the global state  # noqa: NPY002
        yield f"mvr s, {name}", [correlation], np.diag(compute_smatrix(correlation, method="mvr"))
    W = knockoff_statistics()
    yield "threshold, offset 1", [W], [data_dependent_threshhold(W=w, fdr=0.2, offset=1) for w in W]


def lifelines_figures():
    from lifelines import CoxPHFitter, KaplanMeierFitter
    from lifelines.statistics import logrank_test, proportional_hazard_test

    time, event, group = eighty_rows()
    test = logrank_test(time[group], time[~group], event[group], event[~group])
    yield "log-rank, 80 rows", [time, event, group], [test.test_statistic]

    Z, time, event = breast_cancer()
    yield "Kaplan-Meier", [time, event, MONTHS], KaplanMeierFitter().fit(time, event).survival_function_at_times(MONTHS)
    columns = pd.DataFrame(Z).add_prefix("x")
    cox = CoxPHFitter().fit(columns.assign(time=time, event=event), "time", "event")
    yield "Cox slopes", [Z, time, event], cox.params_
    yield "Cox standard errors", [Z, time, event], cox.standard_errors_

    table = columns.assign(time=without_ties(time), event=event)
    test = proportional_hazard_test(CoxPHFitter().fit(table, "time", "event"), table, time_transform="rank")
    yield "proportional hazards", [Z, without_ties(time), event], test.summary["test_statistic"]


def write():
    """Compute all figures and store them: one line each."""
    lines = []
    for name, inputs, values in (*knockpy_figures(), *lifelines_figures()):
        figures = {"inputs": fingerprint(*inputs), "values": np.asarray(values, dtype=float).tolist()}
        lines.append(f"  {json.dumps(name)}: {json.dumps(figures)}")
    versions = {package: version(package) for package in ("knockpy", "lifelines", "numpy", "scipy", "pandas")}
    FILE.write_text(f'{{\n "versions": {json.dumps(versions)},\n "figures": {{\n' + ",\n".join(lines) + "\n }\n}\n",
                    encoding="utf-8")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    write()
