"""Random tensors of a distribution, drawn one call after the other, with TensorFlow's names and numbers."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.exports import export
from tapeviz.tf import random_state
from tapeviz.tf.api.random.sampling import (
    UNIFORM,
    accepted,
    normal_from,
    uniform_from,
)
from tapeviz.tf.api.random.streams import stream

export("random.set_seed")(random_state.set_seed)


@export("random.normal")
def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Normally distributed numbers.

    Args:
        shape: the shape of the result.
        mean: the mean, which broadcasts to the shape.
        stddev: the standard deviation.
        dtype: the dtype, a floating one.
        seed: a seed for this call, besides that of `tf.random.set_seed`.

    >>> import tapeviz as tf
    >>> tf.random.normal([2, 3]).shape
    TensorShape([2, 3])
    """
    return normal_from(lambda: stream("normal", shape, dtype, seed), shape, mean, stddev, dtype)


@export("random.truncated_normal")
def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Normally distributed numbers, of which those further than two standard deviations from the mean are drawn again.

    Args:
        shape: the shape of the result.
        mean: the mean of the distribution before.
        stddev: its standard deviation.
        dtype: the dtype, a floating one.
        seed: a seed for this call, besides that of `tf.random.set_seed`.

    >>> import tapeviz as tf
    >>> bool(tf.reduce_all(tf.abs(tf.random.truncated_normal([100])) <= 2.0))
    True
    """
    return normal_from(
        lambda: stream("truncated_normal", shape, dtype, seed), shape, mean, stddev, dtype, truncated=True
    )


@export("random.uniform")
def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Uniformly distributed numbers.

    Args:
        shape: the shape of the result.
        minval: the lower bound, which is included.
        maxval: the upper bound, which is not included; by default 1, for integers it is needed.
        dtype: the dtype, a floating one, int32 or int64.
        seed: a seed for this call, besides that of `tf.random.set_seed`.

    Raises:
        ValueError: `maxval` is missing for integers.
        TypeError: a bound of integers is not an integer.

    >>> import tapeviz as tf
    >>> tf.random.uniform([3], 5, 6, tf.int32).numpy().tolist()
    [5, 5, 5]
    """
    wanted = accepted(dtype, UNIFORM)
    return uniform_from(lambda: stream("uniform", shape, wanted, seed), shape, minval, maxval, wanted)
