"""A tensor -> its running sums and products along an axis, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.arguments import number_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import flag_of, one_of
from tapeviz.engine.ops import running


def _scanned(axis: object) -> int:
    return one_of(axis, ".Tidx", otherwise="ScanOp: axis must be a scalar, not {shape}")


def _ways(exclusive: object, reverse: object) -> dict[str, bool]:
    """How an axis is gone along."""
    return {"exclusive": flag_of(exclusive, "exclusive"), "reverse": flag_of(reverse, "reverse")}


@export("cumsum", "math.cumsum")
def cumsum(x: object, axis: object = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Any:
    """The sums of the first elements along an axis.

    Args:
        x: a tensor of numbers.
        axis: the axis.
        exclusive: whether each sum leaves out the element at its own place.
        reverse: whether the sums run from the end to the start.

    >>> import tapeviz as tf
    >>> tf.cumsum([1, 2, 3]).numpy().tolist()
    [1, 3, 6]
    """
    return running.cumsum(number_of(x, "cumsum"), axis=_scanned(axis), **_ways(exclusive, reverse))


@export("math.cumprod")
def cumprod(
    x: object, axis: object = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Any:
    """The products of the first elements along an axis. As in TensorFlow, the gradient is wrong where an element is 0.

    Args:
        x: a tensor of numbers.
        axis: the axis.
        exclusive: whether each product leaves out the element at its own place.
        reverse: whether the products run from the end to the start.

    >>> import tapeviz as tf
    >>> tf.math.cumprod([1, 2, 3]).numpy().tolist()
    [1, 2, 6]
    """
    return running.cumprod(number_of(x, "cumprod"), axis=_scanned(axis), **_ways(exclusive, reverse))


@export("math.cumulative_logsumexp")
def cumulative_logsumexp(
    x: object, axis: object = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Any:
    """The logarithms of the sums of the exponentials of the first elements along an axis.

    Args:
        x: a tensor of floats.
        axis: the axis.
        exclusive: whether each sum leaves out the element at its own place.
        reverse: whether the sums run from the end to the start.

    >>> import tapeviz as tf
    >>> print(tf.math.cumulative_logsumexp([0.0, 0.0]).numpy())
    [0. 0.6931472]
    """
    number = number_of(x, "cumulative_logsumexp")
    return running.cumulative_logsumexp(number, axis=_scanned(axis), **_ways(exclusive, reverse))
