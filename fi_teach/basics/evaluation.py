"""A model, a table, a target and a loss, checked and matched to one another once.

Every method that compares losses starts here, so that labels, columns and losses mean the same
everywhere.
"""

from collections.abc import Iterable
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.losses import (
    LOSSES,
    NUMBER_LOSSES,
    PROBABILITY_LOSSES,
    UNITS,
    Loss,
    class_codes,
    column_labels,
    row_loss,
    zero_one,
)
from fi_teach.basics.model import Model, as_model
from fi_teach.basics.results import Importance
from fi_teach.basics.shuffles import receiver_donor_variance
from fi_teach.basics.tables import check_real_table, check_weights, positions_of
from fi_teach.basics.target import check_y, encode_labels, holds_labels, places_among


class Evaluation:
    """The loss of each row's prediction, for a table and for changed copies of it.

    model : a fitted model or a function of a table
    X (n, p) : any table that the model takes; never changed. It is kept in the model's column order
    y (n,) : labels of any kind or numbers, or (n, n_outputs) numbers
    loss : "squared" (or "mse"), "absolute", "zero_one", "log_loss", "brier", or a function of
        (y, prediction) -> one number a row. None follows the model: "zero_one" for a
        classifier, "squared" for a model of numbers. A bare function does not say which it is: then
        strings, booleans and categories make "zero_one", numbers "squared", and a function that
        returns one column a class "log_loss".
    sample_weight (n,) : how much each row counts in a mean loss; None: all alike
    groups (n,) : rows of one label belong together (one patient's visits); None: each row alone

    whole : the target of a larger set that these rows are a part of, if they are: then y may be
        constant here, and labels that only occur there count too

    names, n_rows, n_features : of the table
    y : as the loss meets it: for probabilities the number of each row's column
    unit : what the loss is counted in
    weights (n,) : sample_weight, scaled to a mean of 1
    groups (n,) : int64 codes 0 ... G-1, or None

    >>> test_set = Evaluation(lambda X: X[:, 0], np.array([[1.0], [3.0]]), [1.0, 2.0])
    >>> test_set.unit, test_set.losses_before
    ('squared error', array([0., 1.]))
    """

    def __init__(
        self,
        model: object,
        X: ArrayLike,
        y: ArrayLike,
        loss: str | Loss | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        whole: ArrayLike | None = None,
    ) -> None:
        self.model: Model = as_model(model)
        table = self.model.arrange(check_real_table(X))
        self.n_rows, self.n_features = table.shape
        self.names = self.model.column_names(table)
        self._labels = table if isinstance(X, pd.DataFrame) else np.empty((0, self.n_features))
        self.X = self.model.as_asked(table)

        whole = y if whole is None else whole
        self.loss: Loss = row_loss(loss) if loss is not None else self._loss_for(whole)
        self.unit = UNITS.get(self.loss, "loss")
        self.y = self._coded(y, whole)
        self.weights, self.groups = check_weights_and_groups(sample_weight, groups, self.n_rows)

    def losses(self, table: ArrayLike, rows: NDArray | None = None) -> NDArray:
        """The loss of each row of a table like X: (m, p) -> (m,).

        rows (m,) : whose targets they are; None for all of X's rows in their order
        """
        return self.losses_of(self.predict(table), rows)

    def losses_of(self, prediction: NDArray, rows: NDArray | None = None) -> NDArray:
        """The loss of given predictions: (m,) or (m, K) -> (m,)."""
        y = self.y if rows is None else self.y[rows]
        losses = np.asarray(self.loss(y, prediction), dtype=float)
        if losses.shape != (len(y),):
            raise ValueError(
                f"the loss returned shape {losses.shape} for {len(y)} rows: expected one number a "
                "row, not their mean (a whole-set measure is a score).")
        return losses

    def losses_of_raw(self, raw: NDArray, rows: NDArray) -> NDArray:
        """The loss of given raw scores of the model's trees: (m, n_outputs), rows (m,) -> (m,)."""
        forest = self.model.forest
        if self.loss in PROBABILITY_LOSSES:
            return self.losses_of(forest.probabilities_of(raw), rows)
        if self.loss is zero_one and forest.classes is not None:
            shares = forest.probabilities_of(raw).round(12)  # ties are ties up to rounding
            return (shares.argmax(axis=1) != self._class_numbers[rows]).astype(float)
        return self.losses_of(forest.prediction_of(raw), rows)

    @cached_property
    def _class_numbers(self) -> NDArray:
        """The class number of each row's label; numbers compare faster than labels."""
        return places_among(self.y, np.asarray(self.model.forest.classes))

    def predict(self, table: ArrayLike) -> NDArray:
        """Predict what the loss takes: labels, numbers, or probabilities (m, K)."""
        if self.loss in PROBABILITY_LOSSES:
            return self.model.probabilities(table, arranged=True)
        return self.model.predict(table, arranged=True)

    @cached_property
    def prediction_before(self) -> NDArray:
        """The predictions of the unchanged rows."""
        return self.predict(self.X)

    @cached_property
    def losses_before(self) -> NDArray:
        """The loss of each unchanged row -> (n,)."""
        return self.losses_of(self.prediction_before)

    def positions(self, columns: object) -> list[int]:
        """The positions in X of the caller's columns (see tables.positions_of)."""
        return positions_of(columns, self._labels, self.names)

    # --- what a change of the table costs ---

    def variance_of_mean_gain(
        self, gains: NDArray, donors: NDArray, within: NDArray | None = None
    ) -> float:
        """shuffles.receiver_donor_variance with these rows' weights and groups."""
        return receiver_donor_variance(
            gains, donors, within, weights=self.weights, groups=self.groups)

    def importance(
        self,
        measured: Iterable[tuple[NDArray, float]],
        method: str,
        names: tuple | None = None,
    ) -> Importance:
        """Each feature's gains in loss (n, K), and the variance of their mean, as an Importance."""
        pairs = [(self.weights @ gains / self.n_rows, variance) for gains, variance in measured]
        draws, variances = zip(*pairs, strict=True)
        spread = np.std(draws, axis=1, ddof=1) if len(draws[0]) > 1 else None
        return Importance(
            names or self.names, np.array(draws), method, self.unit, np.sqrt(variances), spread)

    # --- how the target meets the loss ---

    def _loss_for(self, y: ArrayLike) -> Loss:
        """The default loss for this kind of model."""
        model = self.model
        if model.is_function and np.ndim(y) == 1 and model.predict(self.X, arranged=True).ndim == 2:
            return LOSSES["log_loss"]
        of_classes = holds_labels(y) if model.is_classifier is None else model.is_classifier
        return LOSSES["zero_one"] if of_classes else LOSSES["squared"]

    def _coded(self, y: ArrayLike, whole: ArrayLike) -> NDArray:
        """Encode the target as the loss takes it."""
        numeric = self.loss in NUMBER_LOSSES
        y = check_y(y, self.n_rows, numeric=numeric, several=True, varies=y is whole)
        classes = self.model.classes
        if self.loss in PROBABILITY_LOSSES and classes is None:
            n_classes = self.prediction_before.shape[1]
            return class_codes(y, n_classes, column_labels(whole, n_classes))
        if self.loss in PROBABILITY_LOSSES:
            return encode_labels(y, classes)[1]
        if self.loss is zero_one and classes is not None:
            _check_some_known(whole, classes)
        if self.loss is zero_one and classes is None:
            _check_labels(self.prediction_before, holds_labels(whole))
        return y


def check_groups(groups: ArrayLike, n_rows: int) -> NDArray:
    """Encode the groups of rows, at least two and without gaps, as integers (n,) from 0."""
    labels = np.asarray(groups)
    if labels.shape != (n_rows,) or pd.isna(labels).any():
        raise ValueError(
            f"groups has shape {labels.shape}, expected the label of each row's group, "
            f"shape ({n_rows},), without gaps.")
    classes, codes = encode_labels(labels)
    if len(classes) < 2:
        raise ValueError(
            "groups puts all rows into one group: how the importance varies between groups "
            "cannot be seen. Give at least two.")
    return codes


def check_weights_and_groups(
    sample_weight: ArrayLike | None, groups: ArrayLike | None, n_rows: int
) -> tuple[NDArray, NDArray | None]:
    """Row weights of mean 1 (n,), and the codes of the rows' groups (n,) or None."""
    weights = check_weights(sample_weight, n_rows)
    codes = None if groups is None else check_groups(groups, n_rows)
    return weights / weights.mean(), codes


def _check_some_known(y: ArrayLike, classes: NDArray) -> None:
    """Refuse a target of which the model knows no label at all."""
    if (places_among(y, classes) < 0).all():
        raise ValueError(
            f"y holds labels such as {np.asarray(y).tolist()[0]!r}, none of which the model knows: "
            f"it has {', '.join(map(repr, classes.tolist()))}. "
            "Give y in the words that it was fitted on.")


def _check_labels(prediction: NDArray, holds_words: bool) -> None:
    """Refuse predictions with fractions where y holds classes."""
    fractions = prediction.dtype.kind == "f" and (prediction != np.floor(prediction)).any()
    if holds_words and fractions:
        raise ValueError(
            "y holds classes (strings, booleans or categories), but the model predicts numbers "
            f"such as {prediction.flat[0]:.3g}. Choose 'log_loss' or 'brier' if they are "
            "probabilities, or give y as numbers for 'squared'.")
