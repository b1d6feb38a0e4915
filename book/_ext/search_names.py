"""The search finds a method by the names that other books, papers and libraries give it.

Sphinx indexes a page's keywords with its words; here they are, page by page. No reader sees them.
"""

from docutils import nodes

OTHER_NAMES = {
    "notebooks/01_trees": "CART recursive partitioning Gini impurity entropy information gain AID",
    "notebooks/02_golf": "C4.5 ID3 gain ratio Quinlan play tennis weather data",
    "notebooks/03_mdi": "MDI Gini importance mean decrease impurity feature_importances_ gain "
                        "bagging random forest gradient boosting AdaBoost",
    "notebooks/04_bias": "MDI bias cardinality MDI-oob debiased MDI Boruta conditional inference "
                         "PIMP null importances target permutation",
    "notebooks/05_permutation": "MDA mean decrease accuracy permutation_importance model reliance "
                                "Fisher shuffle out-of-bag",
    "notebooks/06_negative": "confidence interval negative importance Phipson Smyth p-value "
                             "U-statistic bootstrap",
    "notebooks/07_correlated": "LOCO drop-column leave one covariate out conditional permutation "
                               "CPI conditional predictive impact grouped importance",
    "notebooks/08_shapley": "Shapley value cooperative game KernelSHAP Kernel SHAP Shapley "
                            "sampling SAGE",
    "notebooks/09_treeshap": "SHAP TreeSHAP Tree SHAP beeswarm TreeExplainer pred_contribs "
                             "pred_contrib path-dependent interventional interactions SAGE",
    "notebooks/10_knockoffs": "knockoff filter model-X FDR false discovery rate conditional "
                              "randomization test CRT stability selection",
    "notebooks/11_causality": "DAG confounder collider mediator backdoor adjustment do-operator "
                              "M-bias positivity overlap sensitivity analysis omitted variable "
                              "asymmetric Shapley causal Shapley",
    "notebooks/12c_credit": "target leakage credit scoring logistic regression calibration "
                            "reliability adverse action reason codes reject inference ECOA",
    "notebooks/12d_mortgages": "fairness bias audit HMDA Blinder Oaxaca demographic parity "
                               "disparate impact equalized odds proxy missing values MCAR MNAR",
    "notebooks/12g_diagnostics": "leakage target leak duplicates train test contamination",
    "notebooks/12h_drift": "concept drift covariate shift data drift monitoring PSI time series "
                           "rolling origin backtest",
    "notebooks/13_choosing": "which method comparison benchmark of importance measures",
    "notebooks/14_own_model": "XGBoost LightGBM scikit-learn feature_importances_ importance_type "
                              "weight gain total_gain cover split one-hot dummy target encoding "
                              "missing values imputation audit report pred_contribs Hessian",
}


def add_keywords(app, doctree):
    """A meta node with the page's other names."""
    names = OTHER_NAMES.get(app.env.docname)
    if names:
        doctree += nodes.meta("", name="keywords", content=", ".join(names.split()), lang="en")


def setup(app):
    app.connect("doctree-read", add_keywords)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
