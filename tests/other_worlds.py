"""Two worlds that no chapter draws: a censored time, and several targets.

`compare` says which methods do not apply there.
"""

import numpy as np
import pandas as pd

from fi_teach.worlds.world import World, truth_table

# x1 ... x4 on y1, y2, y3
COEFFICIENTS = np.array([[2.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, -1.0, 3.0], [0.0, 0.0, 0.0]])


def survival(n=400, *, log_hazard_ratios=(1.0, -0.5, 0.0, 0.0), censoring=0.5, rng=0):
    """Proportional hazards: time ~ Exp(exp(sum_j b_j x_j)), x ~ N(0, 1),
    observed until an independent Exp(censoring)."""
    b, rng = np.array(log_hazard_ratios), np.random.default_rng(rng)
    X = pd.DataFrame(rng.standard_normal((n, len(b))), columns=[f"x{j + 1}" for j in range(len(b))])
    due = rng.exponential(size=n) * np.exp(-X.to_numpy() @ b)
    lost = rng.exponential(size=n) / censoring
    real = X.columns[b != 0]
    return World(
        X=X,
        y=pd.DataFrame({"time": np.minimum(due, lost), "event": (due <= lost).astype(int)}),
        truth=truth_table(X, associated=real, relevant=real, used=real, causal=real),
        name="survival",
        description="Times to an event under proportional hazards, partly censored.",
        task="survival",
        ideal=lambda X: np.asarray(X, float) @ b,
        hidden=pd.DataFrame({"event_time": due}),
    )


def several_outputs(n=400, *, noise=0.5, rng=0):
    """Three targets at once: y1 = 2 x1 + x2, y2 = x2 - x3, y3 = 3 x3, each + noise * e; x ~ N(0, 1), x4 is noise."""
    rng = np.random.default_rng(rng)
    X = pd.DataFrame(rng.standard_normal((n, 4)), columns=["x1", "x2", "x3", "x4"])
    signal = X.to_numpy() @ COEFFICIENTS
    outputs, real = ["y1", "y2", "y3"], ["x1", "x2", "x3"]
    per_output = pd.DataFrame(2 * COEFFICIENTS**2, index=X.columns, columns=outputs)
    return World(
        X=X,
        y=pd.DataFrame(signal + noise * rng.standard_normal(signal.shape), columns=outputs),
        truth=truth_table(X, associated=real, relevant=real, used=real, causal=real, importance=per_output.sum(axis=1)),
        name="several_outputs",
        description="Three targets that share features.",
        task="several outputs",
        ideal=lambda X: np.asarray(X, float) @ COEFFICIENTS,
        extra={"per_output": per_output},
    )
