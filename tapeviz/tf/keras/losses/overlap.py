"""How little a predicted set overlaps the true one, as in the segmentation of pictures -> losses."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.floats import EPSILON
from tapeviz.tf.keras.losses.base import MEAN, LossFunction


def dice(y_true: Any, y_pred: Any, axis: Any = None) -> Any:
    """1 - 2 |A ∩ B| / (|A| + |B|) of two sets (the Sørensen-Dice coefficient).

    Args:
        y_true: for each element, 1 if it is in the true set, else 0; or a number between.
        y_pred: likewise for the predicted set.
        axis: the axes of the sets; all by default.

    >>> round(float(dice([1.0, 1.0], [1.0, 0.0])), 4)
    0.3333
    """
    y_pred = tensor_of(y_pred)
    y_true = tf["cast"](y_true, y_pred.dtype)
    both, true, predicted = (tf["reduce_sum"](each, axis=axis) for each in (y_true * y_pred, y_true, y_pred))
    return 1 - 2.0 * both / (true + predicted + EPSILON)


def tversky(y_true: Any, y_pred: Any, alpha: float = 0.5, beta: float = 0.5, axis: Any = None) -> Any:
    """1 - |A ∩ B| / (|A ∩ B| + alpha |A - B| + beta |B - A|) of two sets (the Tversky index).

    Args:
        y_true: for each element, 1 if it is in the true set A, else 0; or a number between.
        y_pred: likewise for the predicted set B.
        alpha: the weight of what is missing in the prediction.
        beta: the weight of what is only in the prediction.
        axis: the axes of the sets; all by default.

    >>> round(float(tversky([1.0, 1.0], [1.0, 0.0], alpha=1.0)), 4)
    0.5
    """
    y_pred = tensor_of(y_pred)
    y_true = tf["cast"](y_true, y_pred.dtype)
    both, only_true, only_predicted = (
        tf["reduce_sum"](each, axis=axis) for each in (y_true * y_pred, (1 - y_pred) * y_true, y_pred * (1 - y_true))
    )
    return 1 - both / (both + only_true * alpha + only_predicted * beta + EPSILON)


class Dice(LossFunction):
    """How little a predicted set overlaps the true one, by `dice`.

    Args:
        reduction: how the losses are combined, as in `Loss`.
        name: the name of the loss.
        axis: the axes of the sets; by default all, so that there is a single loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> round(float(tf.keras.losses.Dice()(tf.constant([1.0, 1.0]), tf.constant([1.0, 0.0]))), 4)
    0.3333
    """

    _settings_ = (*LossFunction._settings_, "axis")

    def __init__(
        self, reduction: str | None = MEAN, name: str | None = "dice", axis: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(dice, name, reduction, dtype, axis=axis)


class Tversky(LossFunction):
    """How little a predicted set overlaps the true one, by `tversky`.

    Args:
        alpha: the weight of what is missing in the prediction.
        beta: the weight of what is only in the prediction.
        reduction: how the losses are combined, as in `Loss`.
        name: the name of the loss.
        axis: the axes of the sets; by default all, so that there is a single loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> round(float(tf.keras.losses.Tversky(1.0)(tf.constant([1.0, 1.0]), tf.constant([1.0, 0.0]))), 4)
    0.5
    """

    _settings_ = (*LossFunction._settings_, "alpha", "beta", "axis")

    def __init__(
        self,
        alpha: float = 0.5,
        beta: float = 0.5,
        reduction: str | None = MEAN,
        name: str | None = "tversky",
        axis: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(tversky, name, reduction, dtype, alpha=alpha, beta=beta, axis=axis)
