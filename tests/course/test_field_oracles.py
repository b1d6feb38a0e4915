"""What the field cases fit by hand is what the reference libraries fit: the page's own cells are run and compared."""

import ast
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from oracles import MONTHS, breast_cancer, stored, without_ties
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.metrics import brier_score, concordance_index_ipcw
from sksurv.util import Surv

from fi_teach.trees.survival import risk_table

PAGE = Path(__file__).parents[2] / "notebooks" / "12e_survival.ipynb"


def page_with(**space):
    """The functions that the page defines, run over the names given -> a dictionary of them."""
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    space |= {"np": np, "pd": pd, "risk_table": risk_table, "days": 365.0 * np.arange(1, 6)}
    for source in ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"):
        for part in ast.parse(source).body:
            if isinstance(part, ast.FunctionDef) and not part.name.startswith("draw"):
                exec(compile(ast.Module([part], []), "12e", "exec"), space)
    return space


@pytest.fixture(scope="module")
def women():
    """The table with standardised columns, times and events, and a test third -> (Z, time, event, fit, new)."""
    Z, time, event = breast_cancer()
    order = np.random.default_rng(0).permutation(len(Z))
    return Z, time, event, order[:457], order[457:]


def test_the_page_s_cox_model_is_scikit_survival_s_and_close_to_lifelines(women):
    """Breslow's partial likelihood has one maximum, which Newton's twelve lines reach (tolerance 1e-5). lifelines
    treats ties as Efron does; with few ties slopes and errors agree within 2 per cent of a standard error."""
    Z, time, event, *_ = women
    slopes, covariance = page_with()["cox"](Z, time, event)
    reference = CoxPHSurvivalAnalysis(ties="breslow", tol=1e-12, n_iter=200).fit(Z, Surv.from_arrays(event, time))
    assert np.allclose(slopes, reference.coef_, atol=1e-5)
    errors = np.sqrt(np.diag(covariance))
    assert np.allclose(slopes, stored("Cox slopes", Z, time, event), atol=0.02 * errors.min())
    assert np.allclose(errors, stored("Cox standard errors", Z, time, event), rtol=0.02)


@pytest.fixture(scope="module")
def untied(women):
    """The same women with times that all differ: where times tie, each library has a custom of its own."""
    Z, time, event, fit, new = women
    return Z, without_ties(time), event, fit, new


def test_the_page_s_curve_is_kaplan_and_meier_s(women):
    """As lifelines draws it, at each month of six years, ties and all."""
    _, time, event, *_ = women
    reference = stored("Kaplan-Meier", time, event, MONTHS)
    np.testing.assert_allclose(page_with()["kaplan_meier"](time, event, MONTHS), reference, atol=1e-12)


def test_the_page_s_weighted_scores_are_scikit_survival_s(untied):
    """Uno's concordance up to five years, and the IPCW Brier score at each of five years."""
    Z, time, event, fit, new = untied
    page = page_with(time=time, event=event)
    known, asked = (Surv.from_arrays(event[rows], time[rows]) for rows in (fit, new))
    H = page["cox_hazards"](Z, fit, new)
    assert page["uno"](fit, new, H.sum(axis=1), 1825.0) == pytest.approx(
        concordance_index_ipcw(known, asked, H.sum(axis=1), tau=1825.0)[0], abs=1e-9)
    for k, day in enumerate(page["days"]):
        well = np.exp(-H[:, k])
        assert page["brier"](fit, new, well, day) == pytest.approx(brier_score(known, asked, well, day)[1][0], abs=1e-9)


def test_the_page_s_hazards_are_breslow_s(untied):
    """The forecast of one to five years is that of scikit-survival's Cox model."""
    Z, time, event, fit, new = untied
    page = page_with(time=time, event=event)
    reference = CoxPHSurvivalAnalysis(ties="breslow", tol=1e-12,
                                      n_iter=200).fit(Z[fit], Surv.from_arrays(event[fit], time[fit]))
    theirs = [f(page["days"]) for f in reference.predict_cumulative_hazard_function(Z[new])]
    np.testing.assert_allclose(page["cox_hazards"](Z, fit, new), theirs, rtol=1e-4)


def test_the_page_s_trend_of_slopes_is_the_test_of_grambsch_and_therneau(untied):
    """Column by column as lifelines has it; all together it does not depend on how the columns are combined."""
    Z, time, event, *_ = untied
    reference = stored("proportional hazards", Z, time, event)
    each, together = page_with()["trends"](Z, time, event)
    np.testing.assert_allclose(each, reference, rtol=1e-3)
    mixed = Z @ np.random.default_rng(1).standard_normal((Z.shape[1], Z.shape[1]))
    assert page_with()["trends"](mixed, time, event)[1] == pytest.approx(together, rel=1e-6)
    one, alone = page_with()["trends"](Z[:, :1], time, event)
    assert one[0] == pytest.approx(alone)
