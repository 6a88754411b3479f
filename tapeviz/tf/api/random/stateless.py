"""Random tensors that depend on nothing but a seed of two integers, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.arguments import number_of, tensor_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.ops import joining
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.tf.api.random.sampling import (
    UNIFORM,
    WHOLE,
    accepted,
    binomial_from,
    bounded_from,
    integers_from,
    normal_from,
    require_bounds,
)
from tapeviz.tf.api.random.streams import stateless_stream


@export("random.stateless_normal")
def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = "float32",
    name: str | None = None,
    alg: Any = None,
) -> Any:
    """Normally distributed numbers that are the same in every call with the same seed.

    Args:
        shape: the shape of the result.
        seed: two integers.
        mean: the mean, which broadcasts to the shape.
        stddev: the standard deviation.
        dtype: the dtype, a floating one.
        alg: the algorithm; "philox" or "auto_select".

    >>> import tapeviz as tf
    >>> first, second = (tf.random.stateless_normal([2], seed=[1, 2]) for _ in range(2))
    >>> bool(tf.reduce_all(first == second))
    True
    """
    return normal_from(lambda: stateless_stream(seed, alg), shape, mean, stddev, dtype)


@export("random.stateless_uniform")
def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = "float32",
    name: str | None = None,
    alg: Any = None,
) -> Any:
    """Uniformly distributed numbers that are the same in every call with the same seed.

    Args:
        shape: the shape of the result.
        seed: two integers.
        minval: the lower bound, which is included.
        maxval: the upper bound, which is not included. Integers without bounds are drawn from all of their dtype.
        dtype: the dtype.
        alg: the algorithm; "philox" or "auto_select".

    Raises:
        ValueError: only one bound is given for integers, or bounds for unsigned ones.

    >>> import tapeviz as tf
    >>> tf.random.stateless_uniform([3], [1, 2], 5, 6, tf.int32).numpy().tolist()
    [5, 5, 5]
    """
    wanted = accepted(dtype, UNIFORM + WHOLE)
    if wanted.name in WHOLE and minval is not None is not maxval:
        raise ValueError(
            f"Argument `dtype` got invalid value {wanted!s} when argument `minval` is not None. Please don't use "
            "unsigned integers in this case."
        )
    require_bounds(minval, maxval, wanted)
    return bounded_from(lambda: stateless_stream(seed, alg), shape, minval, maxval, wanted)


@export("random.stateless_truncated_normal")
def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = "float32",
    name: str | None = None,
    alg: Any = None,
) -> Any:
    """The numbers of `tf.random.truncated_normal`, but the same ones in every call with the same seed.

    Args:
        shape: the shape of the result.
        seed: two integers.
        mean: the mean of the distribution before.
        stddev: its standard deviation.
        dtype: the dtype, a floating one.
        alg: the algorithm; "philox" or "auto_select".

    >>> import tapeviz as tf
    >>> tf.random.stateless_truncated_normal([2], seed=[1, 2]).shape
    TensorShape([2])
    """
    return normal_from(lambda: stateless_stream(seed, alg), shape, mean, stddev, dtype, truncated=True)


@export("random.stateless_binomial")
def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = "int32", name: str | None = None
) -> Any:
    """Numbers of successes in independent trials that are the same in every call with the same seed.

    Args:
        shape: the shape of the result, which ends with that of `counts` and `probs`.
        seed: two integers.
        counts: the numbers of trials.
        probs: the probabilities of success, of the same dtype.
        output_dtype: the dtype of the result.

    >>> import tapeviz as tf
    >>> tf.random.stateless_binomial([2], [1, 2], counts=10.0, probs=1.0).numpy().tolist()
    [10, 10]
    """
    if isinstance(counts, TensorLike):
        number_of(counts, "stateless_binomial")
    return binomial_from(stateless_stream(seed, None), shape, counts, probs, output_dtype)


@export("random.split", "random.experimental.stateless_split")
def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Any:
    """Several seeds for stateless functions, derived from one.

    Args:
        seed: two integers.
        num: how many seeds there are.
        alg: the algorithm; "philox" or "auto_select".

    Returns:
        A matrix with a seed in each row.

    >>> import tapeviz as tf
    >>> tf.random.split([1, 2], 3).shape
    TensorShape([3, 2])
    """
    given = tensor_of(seed)
    return integers_from(stateless_stream(given, alg), [num, 2], given.dtype)


@export("random.fold_in", "random.experimental.stateless_fold_in")
def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Any:
    """A seed for stateless functions, derived from another one and a number.

    Args:
        seed: two integers.
        data: the number, for instance that of a step.
        alg: the algorithm; "philox" or "auto_select".

    >>> import tapeviz as tf
    >>> tf.random.fold_in([1, 2], 7).shape
    TensorShape([2])
    """
    number = tensor_of(data)
    return joining.stack(integers_from(stateless_stream(seed, alg), [], number.dtype), number, axis=0)
