"""Random tensors that depend on nothing but a seed of two integers, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.api.arguments import number_of, tensor_of
from tapeviz.engine.api.exports import export
from tapeviz.engine.api.random.sampling import (
    UNIFORM,
    WHOLE,
    accepted,
    binomial_from,
    bounded_from,
    integers_from,
    normal_from,
    require_bounds,
)
from tapeviz.engine.api.random.streams import stateless_stream
from tapeviz.engine.ops import joining
from tapeviz.engine.tensors.tensor_like import TensorLike


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
    """Normally distributed numbers that depend on `seed`, two ints, alone."""
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
    """Uniform numbers that depend on `seed`, two ints, alone: from `minval` up to, not including, `maxval`.

    Without bounds, integers are any of their dtype.

    Raises:
        ValueError: integers with one bound, unsigned ones with bounds.
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
    """Normally distributed numbers within two deviations of the mean that depend on `seed`, two ints, alone."""
    return normal_from(lambda: stateless_stream(seed, alg), shape, mean, stddev, dtype, truncated=True)


@export("random.stateless_binomial")
def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = "int32", name: str | None = None
) -> Any:
    """How many of `counts` trials succeed, each with a chance of `probs`, by `seed`, two ints, alone."""
    if isinstance(counts, TensorLike):
        number_of(counts, "stateless_binomial")
    return binomial_from(stateless_stream(seed, None), shape, counts, probs, output_dtype)


@export("random.split", "random.experimental.stateless_split")
def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Any:
    """`num` new seeds for stateless functions from one, as rows."""
    given = tensor_of(seed)
    return integers_from(stateless_stream(given, alg), [num, 2], given.dtype)


@export("random.fold_in", "random.experimental.stateless_fold_in")
def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Any:
    """A new seed for stateless functions from one and a number."""
    number = tensor_of(data)
    return joining.stack(integers_from(stateless_stream(seed, alg), [], number.dtype), number, axis=0)
