"""Small tables, and what is asked of them, for tests of importances."""

import numpy as np
import pandas as pd


def first(X):
    """A model that predicts the first column."""
    return np.asarray(X)[:, 0]


def close(one, other, tolerance=1e-12):
    np.testing.assert_allclose(one, other, rtol=0, atol=tolerance)


def few_and_many_values(seed, n=120, p=5, K=None):
    """Columns of few and many values, and a target that depends on three of them: a number, or one of K labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, 1], X[:, 2] = np.round(X[:, 1]), rng.integers(0, 2, n)
    signal = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)
    return X, signal if K is None else np.digitize(signal, np.quantile(signal, np.linspace(0, 1, K + 1)[1:-1]))


def words_dates_and_gaps(n=120):
    """Words, dates, truth values, numbers and gaps; y depends on the first and the last column."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame({
        "sky": pd.Series(rng.choice(["sun", "rain", "snow"], n), dtype="category"),
        "wind": rng.choice(["west", "east"], n),
        "day": pd.date_range("2024-01-01", periods=n),
        "mild": rng.random(n) < 0.5,
        "size": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
    })
    table.loc[::9, "wind"] = None
    return table, warmth(table)


def warmth(table):
    return (table["sky"] == "sun") * 2.0 + table["size"].fillna(0)
