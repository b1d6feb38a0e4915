"""Tell the model apart first: what it predicts, its base value, and what explanations add up to."""

import numpy as np

from fi_audit.data import AuditData
from fi_audit.results import Finding, number
from fi_teach.basics.forest import Forest
from fi_teach.basics.model import raw_unit
from fi_teach.importance.tree_shap import tree_shap

ROWS_EXPLAINED = 20
BACKGROUND = 100
MOST_COLUMNS = 60


def name_of(model: object) -> str:
    """Return the model's name: a pipeline by its steps."""
    if isinstance(model, Forest):
        return "boosted trees, from the library's own file" if model.kind == "boosting" else (
            f"our {model.kind}")
    steps = [type(step).__name__ for _, step in getattr(model, "steps", ())]
    best = getattr(model, "best_estimator_", None)
    if best is not None:
        return f"{name_of(best)}, found by {type(model).__name__}"
    return ", ".join(steps) or type(model).__name__


def check_model(data: AuditData) -> Finding:
    """Say what the model predicts, and on which scale its explanations add up to what."""
    rows = data.test
    n = len(rows)
    if data.kind == "probability":
        last = float(np.average(data.prediction[:, -1], weights=data.weights_of(rows)))
        what = (f"the probability of '{data.classes[-1]}'" if len(data.classes) == 2 else
                f"the probabilities of {len(data.classes)} classes")
        mean = f"On average it says {number(last)} for '{data.classes[-1]}'"
    elif data.kind == "label":
        what = f"one of {len(data.classes)} labels, without probabilities"
        mean = "It gives no number to average"
    else:
        what = "a number, in the units of the target"
        mean = (f"On average it says "
                f"{number(float(np.average(data.prediction, weights=data.weights_of(rows))))}")
    text = f"It predicts {what}. {mean} ({n:,} rows)."
    adds, figures = _additivity(data)
    return Finding("what the model predicts", "note", f"{text} {adds}", (), figures)


def _additivity(data: AuditData) -> tuple[str, dict[str, float]]:
    """Compute TreeSHAP of some rows, and compare its sum with the model's raw score."""
    model = getattr(data.model.given, "best_estimator_", data.model.given)
    scale = {"probability": "the probability", "label": "nothing, since labels cannot be averaged"}
    otherwise = (
        "It is not made of trees that can be read from outside, so Shapley values would be sampled"
        f" on the scale of {scale.get(data.kind, 'the prediction')}; none were computed.")
    rows = data.test[:ROWS_EXPLAINED]
    others = data.some(data.test, BACKGROUND, "background")
    if len(data.names) > MOST_COLUMNS:
        return f"TreeSHAP was not tried on {len(data.names)} columns.", {}
    try:
        forest = data.model.forest
        explained = tree_shap(model, data.X.iloc[rows], background=data.X.iloc[others])
        raw = data.model.raw(data.X.iloc[rows])  # what the library itself says
    except (ValueError, AttributeError):
        return otherwise, {}
    values = explained.values
    values = values[:, :, None] if values.ndim == 2 else values
    base = np.atleast_1d(explained.base)
    off = float(np.abs(base + values.sum(axis=1) - raw.reshape(len(rows), -1)).max())
    unit = raw_unit(forest)
    adds = "add up" if off < 1e-4 * max(1.0, float(np.abs(raw).max())) else "do not add up"
    kept = {"probability": "probabilities", "units of the prediction": "predictions"}.get(unit)
    aside = "" if kept else f" (not to {'probabilities' if data.kind != 'number' else 'numbers'})"
    base_text = number(float(base[-1]))
    return (f"Its Shapley values (TreeSHAP, interventional) {adds} to the {kept or unit}{aside}: "
            f"base value {base_text}, the mean of {len(others)} background rows, checked on "
            f"{len(rows)} rows."), {"base": float(base[-1]), "off": off,
                                    "background": float(len(others))}
