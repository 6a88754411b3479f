"""Batches of inputs and labels, and a weight for each class -> the batches with a weight for each example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.values.constant import make
from tapeviz.errors import InvalidArgumentError


class ClassWeights:
    """The weights of examples by their class, from `fit(class_weight=...)`; classes that it leaves out weigh 1.

    Args:
        weights: a dict from class numbers to weights.
        closed: whether a label beyond the last class of the dict is an error, as it is for a dataset in Keras.

    Raises:
        AttributeError: `weights` is not a dict.
        ValueError: it is empty, although `closed`.

    >>> from tapeviz.engine.values.constant import constant
    >>> ClassWeights({1: 3.0}).of(constant([[0.9, 0.1], [0.2, 0.8]])).numpy().tolist()
    [1.0, 3.0]
    """

    def __init__(self, weights: Mapping[int, float], closed: bool = False) -> None:
        if not hasattr(weights, "get"):
            raise AttributeError(
                f"{type(weights).__name__!r} object has no attribute 'get': `class_weight` is a dict from the numbers "
                f"of classes to how much they count, as {{0: 1.0, 1: 5.0}}. Received: {weights}"
            )
        if closed and not weights:
            raise ValueError("`class_weight` is empty: leave it out, or give a weight for each class of the dataset.")
        self._weights = dict(weights)
        self._end = max(weights) + 1 if closed else None

    def weighed(self, x: Any, y: Any, weight: Any) -> Any:
        """A batch `(x, y)` with the weights of its examples as third part.

        Raises:
            ValueError: the batch already has weights, or has no labels or a structure of labels.
        """
        if weight is not None:
            raise ValueError("You cannot `class_weight` and `sample_weight` at the same time.")
        if y is None or nest.is_nested(y):
            raise ValueError(
                f"`class_weight` is only supported for Models with a single output, and with labels. Received: y={y}"
            )
        return x, y, self.of(y)

    def of(self, labels: Any) -> Any:
        """The weight of each example. Labels are class numbers, or vectors whose largest entry marks the class.

        Raises:
            TypeError: an example of an array has several labels.
            InvalidArgumentError: a label of a dataset is negative, or above the largest class in the dict.
        """
        classes = labels._value
        if classes.ndim > 1:
            classes = classes[..., 0] if classes.shape[-1] == 1 else classes.argmax(-1)
        classes = np.round(classes).astype(np.int32)
        if self._end is None and classes.ndim != 1:
            raise TypeError(
                "only 0-dimensional arrays can be converted to Python scalars: `class_weight` is for one label an "
                f"example, these are of shape {labels.shape}."
            )
        known, places = np.unique(classes, return_inverse=True)
        for each in known:
            if self._end is not None and not 0 <= each < self._end:
                raise InvalidArgumentError(
                    f"{each} is not in [0, {self._end}): `class_weight` says nothing of this class of the dataset."
                )
        found = np.array([float(self._weights.get(int(each), 1.0)) for each in known], np.float32)
        return make(found[places].reshape(classes.shape))
