"""What the field cases fit by hand is what the reference libraries fit: the page's own cells are run and compared."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from lifelines import CoxPHFitter
from sksurv.ensemble import RandomSurvivalForest
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.util import Surv

from fi_teach.basics.losses import concordance
from fi_teach.data import gbsg2
from fi_teach.trees import as_risk, grow_survival_forest

PAGE = Path(__file__).parents[1] / "notebooks" / "12e_survival.ipynb"


def cell_that_defines(name):
    """Run the one cell of the page that defines a function -> the function."""
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    source, = ("".join(c["source"]) for c in cells if f"def {name}(" in "".join(c["source"]))
    space = {"np": np, "pd": pd}
    exec(source, space)
    return space[name]


@pytest.fixture(scope="module")
def women():
    """The table with standardised columns, times and events, and a test third -> (Z, time, event, fit, new)."""
    X, y = gbsg2()
    order = np.random.default_rng(0).permutation(len(X))
    Z = ((X - X.mean()) / X.std()).to_numpy()
    return Z, y["time"].to_numpy(float), y["event"].to_numpy() == 1, order[:457], order[457:]


def test_the_page_s_cox_model_is_scikit_survival_s(women):
    """Breslow's partial likelihood has one maximum: Newton's twelve lines reach it (tolerance 1e-5)."""
    Z, time, event, *_ = women
    reference = CoxPHSurvivalAnalysis(ties="breslow", tol=1e-12, n_iter=200).fit(Z, Surv.from_arrays(event, time))
    assert np.allclose(cell_that_defines("cox")(Z, time, event)[0], reference.coef_, atol=1e-5)


def test_the_page_s_cox_standard_errors_are_close_to_lifelines(women):
    """lifelines treats ties as Efron does; with few ties slopes and standard errors agree within 2 per cent of a standard error."""
    Z, time, event, *_ = women
    table = pd.DataFrame(Z).add_prefix("x").assign(time=time, event=event)
    reference = CoxPHFitter().fit(table, "time", "event")
    slopes, errors = cell_that_defines("cox")(Z, time, event)
    assert np.allclose(slopes, reference.params_, atol=0.02 * errors.min())
    assert np.allclose(errors, reference.standard_errors_, rtol=0.02)


def test_our_survival_forest_orders_new_women_as_well_as_scikit_survival_s(women):
    """Same trees, same leaves, other random numbers: concordances on 229 new women within .02."""
    Z, time, event, fit, new = women
    ours = as_risk(grow_survival_forest(Z[fit], np.column_stack([time, event])[fit], n_trees=50, min_samples_leaf=15, rng=0))
    theirs = RandomSurvivalForest(50, min_samples_leaf=15, min_samples_split=30, max_features="sqrt", random_state=0)
    theirs.fit(Z[fit], Surv.from_arrays(event[fit], time[fit]))
    scores = [concordance(time[new], event[new], model.predict(Z[new])) for model in (ours, theirs)]
    assert abs(scores[0] - scores[1]) < 0.02, scores
