"""Numbers that probabilities are compared with, all at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.floats import EPSILON, floatx
from tapeviz.tf.keras.losses.operands import convert_to_tensor


class Thresholds:
    """Numbers that probabilities are compared with.

    Args:
        values: numbers, from 0 to 1 if they are to be `checked`.

    Raises:
        ValueError: one is not a number from 0 to 1.

    >>> Thresholds([0.0, 0.5, 1.0]).below([0.5, 0.6]).numpy().tolist()
    [[True, True], [False, True], [False, False]]
    """

    def __init__(self, values: list[Any], checked: bool = True) -> None:
        wrong = [each for each in values if each is None or not 0 <= each <= 1] if checked else []
        if wrong:
            raise ValueError(f"Threshold values must be in [0, 1]. Received: {wrong}")
        self.values = values
        count = len(values)
        self.spread = count >= 3 and np.allclose(values, np.linspace(0.0, 1.0, count), atol=EPSILON)
        """Whether they lie from 0 to 1 at equal distances."""

    def below(self, y_pred: Any) -> Any:
        """Whether each threshold, along a first axis, lies below each prediction.

        Among thresholds at equal distances, predictions are measured in those distances, as Keras does.
        """
        y_pred = tf["cast"](y_pred, floatx())
        edges: Any = self.values
        if self.spread:
            last = len(self.values) - 1
            y_pred = tf["clip_by_value"](y_pred, 0.0, 1.0) * last
            edges = [-1 if self.values[0] < 0 else 0, *range(1, last + 1)]
        return y_pred > convert_to_tensor(np.reshape(edges, (-1,) + (1,) * y_pred.ndim), y_pred.dtype)
