"""A small table as people have them: words, truth values, categories, dates and gaps, and a pipeline for it."""

import numpy as np
import pandas as pd

FEATURES = ["age", "town", "pay", "member", "grade", "since", "size"]


def shop(n=300, rng=0):
    """Who buys? Pay decides, and living in Ulm; size goes with pay; age has gaps; 40 shops."""
    rng = np.random.default_rng(rng)
    table = pd.DataFrame({
        "age": rng.normal(40, 9, n), "town": rng.choice(["Ulm", "Bonn", "Kiel"], n), "pay": rng.gamma(3, 900, n),
        "member": rng.random(n) < 0.4, "grade": pd.Categorical(rng.choice(["low", "high"], n)),
        "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
        "shop": rng.integers(0, 40, n), "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(n), unit="D")})
    table["size"] = 0.9 * table["pay"] + rng.normal(0, 90, n)
    buys = (table["pay"] > 2500) ^ (rng.random(n) < 0.1) | ((table["town"] == "Ulm") & (rng.random(n) < 0.6))
    table.loc[rng.random(n) < 0.15, "age"] = np.nan
    table.loc[rng.random(n) < 0.1, "town"] = None
    table["bought"] = np.where(buys, "yes", "no")
    return table


def pipeline(n_trees=10):
    """Words one-hot, gaps filled, a forest; its columns go by name, so it can be fitted on no table without them."""
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
    return make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), ["town", "grade"]), (SimpleImputer(), ["age", "pay", "size"]),
            (FunctionTransformer(as_days), ["since"]), ("passthrough", ["member"])),
        RandomForestClassifier(n_trees, min_samples_leaf=3, random_state=0))


def as_days(dates):
    return dates.apply(lambda column: (column - pd.Timestamp("2020-01-01")).dt.days)
