"""A weight, or what a layer gives -> a penalty on it, a term of the loss."""

from __future__ import annotations

import math
from typing import Any

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.registry import Registry, by_names
from tapeviz.tf.keras.serialization import Configured, serialized, tells_arguments
from tapeviz.tf.names import missing


class Regularizer(Configured):
    """The base class of regularizers (`tf.keras.regularizers.Regularizer`).

    A regularizer is called with a weight, or the output of a layer, and returns a penalty that is added to the loss.

    >>> import tapeviz as tf
    >>> class Spread(Regularizer):
    ...     def __call__(self, x):
    ...         return tf.math.reduce_variance(x)
    >>> float(Spread()(tf.constant([1.0, 3.0])))
    1.0
    """

    _module_ = "keras.regularizers"

    def __call__(self, x: Any) -> Any:
        return 0.0

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor by name.

        Raises:
            NotImplementedError: the class does not define it.
        """
        if not self._settings_:
            raise NotImplementedError(f"{self} does not implement get_config()")
        return super().get_config()


@tells_arguments
class L1L2(Regularizer):
    """The sum of the absolute values times one factor plus the sum of the squares times another one.

    Args:
        l1: the factor of the absolute values.
        l2: the factor of the squares.

    Raises:
        ValueError: a factor is negative, infinite or not a number.

    >>> import tapeviz as tf
    >>> float(L1L2(l1=0.5, l2=0.25)(tf.constant([2.0, -2.0])))
    4.0
    """

    def __init__(self, l1: float | None = 0.0, l2: float | None = 0.0) -> None:
        self.l1, self.l2 = _factor("l1", l1 or 0.0), _factor("l2", l2 or 0.0)

    def __call__(self, x: Any) -> Any:
        x = tensor_of(x)
        penalties = [_scaled(self.l1, tf["abs"](x))] if self.l1 else []
        penalties += [_scaled(self.l2, tf["square"](x))] if self.l2 else []
        return sum(penalties[1:], penalties[0]) if penalties else tf["zeros"]([], x.dtype.name)


@tells_arguments
class L1(Regularizer):
    """The sum of the absolute values times a factor.

    Args:
        l1: the factor.

    Raises:
        ValueError: the factor is negative, infinite or not a number.

    >>> import tapeviz as tf
    >>> float(L1(0.5)(tf.constant([2.0, -2.0])))
    2.0
    """

    def __init__(self, l1: float | None = 0.01) -> None:
        self.l1 = _factor("l1", 0.01 if l1 is None else l1)

    def __call__(self, x: Any) -> Any:
        return _scaled(self.l1, tf["abs"](tensor_of(x)))


@tells_arguments
class L2(Regularizer):
    """The sum of the squares times a factor.

    Args:
        l2: the factor.

    Raises:
        ValueError: the factor is negative, infinite or not a number.

    >>> import tapeviz as tf
    >>> float(L2(0.5)(tf.constant([2.0, -2.0])))
    4.0
    """

    def __init__(self, l2: float | None = 0.01) -> None:
        self.l2 = _factor("l2", 0.01 if l2 is None else l2)

    def __call__(self, x: Any) -> Any:
        return _scaled(self.l2, tf["square"](tensor_of(x)))


@tells_arguments
class OrthogonalRegularizer(Regularizer):
    """The mean of the absolute cosines between different rows, or columns, of a matrix, times a factor.

    Args:
        factor: the factor.
        mode: "rows" or "columns".

    Raises:
        ValueError: the factor is negative, infinite or not a number, or another mode; when called, not with a matrix.

    >>> import tapeviz as tf
    >>> float(OrthogonalRegularizer(0.5)(tf.eye(3)))
    0.0
    """

    def __init__(self, factor: float = 0.01, mode: str = "rows") -> None:
        if mode not in ("rows", "columns"):
            raise ValueError(
                f'Invalid value for argument `mode`. Expected one of {{"rows", "columns"}}. Received: mode={mode}'
            )
        self.factor, self.mode = _factor("factor", factor), mode

    def __call__(self, inputs: Any) -> Any:
        matrix = tensor_of(inputs)
        if matrix.ndim != 2:
            raise ValueError(
                f"Inputs to OrthogonalRegularizer must have rank 2. Received: inputs.shape={tuple(matrix.shape)}"
            )
        rows = matrix if self.mode == "rows" else tf["transpose"](matrix)
        rows = tf["nn.l2_normalize"](rows, axis=1)
        size = rows.shape[0]
        products = tf["matmul"](rows, rows, transpose_b=True) * (1.0 - tf["eye"](size, dtype=rows.dtype.name))
        return self.factor * 0.5 * tf["reduce_sum"](tf["abs"](products)) / (size * (size - 1.0) / 2.0)


def _factor(name: str, value: Any) -> float:
    if not isinstance(value, (float, int)) or not math.isfinite(value) or value < 0:
        raise ValueError(f"Invalid value for argument {name}: expected a non-negative float.Received: {name}={value}")
    return float(value)


def _scaled(factor: float, values: Any) -> Any:
    return tf["cast"](factor, values.dtype) * tf["reduce_sum"](values)


_known = Registry("regularizer", by_names((Regularizer, L1, L2, L1L2, OrthogonalRegularizer)))
l1, l2, l1_l2, orthogonal_regularizer = L1, L2, L1L2, OrthogonalRegularizer


def get(identifier: Any) -> Any:
    """A regularizer.

    Args:
        identifier: its name, its class, its config, or the regularizer itself, which may be a function. None stays
            None.

    Raises:
        ValueError: an unknown name.

    >>> get("l2").l2
    0.01
    """
    return _known.get(identifier)


def serialize(regularizer: Any) -> Any:
    """A description of a regularizer as plain values, from which `deserialize` can make another one.

    >>> serialize(L2(0.5))["class_name"]
    'L2'
    """
    return serialized(regularizer)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """A regularizer from the description that `serialize` returns.

    Args:
        config: the description, or a name. As in Keras, an unknown name is returned unchanged.
        custom_objects: the user's classes by their names.

    Raises:
        ValueError: the description has no name.
        TypeError: the class is unknown, or does not accept the config.

    >>> type(deserialize(serialize(L2(0.5)))).__name__
    'L2'
    """
    return _known.deserialize(config, custom_objects)


__all__ = sorted({*_known.by_name, "deserialize", "get", "serialize"} - {"regularizer", "l1l2"})
__getattr__ = missing(__name__)
