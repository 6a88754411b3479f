"""Random tensors under TensorFlow's names, shapes, dtypes and seeds.

The numbers are TensorFlow's too; those of `categorical` where TensorFlow does not share out the rows among threads, as
it does where they are many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from numbers import Real
from typing import Any

import numpy as np

from tapeviz.engine import random
from tapeviz.engine.api.arguments import number_of, tensor_of, value_of
from tapeviz.engine.api.exports import export
from tapeviz.engine.api.integers import INT64, int32_of, integers_of, vector_of
from tapeviz.engine.api.random.sampling import (
    UNIFORM,
    WHOLE,
    accepted,
    algorithm,
    binomial_from,
    bounded_from,
    dims,
    integers_from,
    normal_from,
    require_bounds,
    uniform_from,
)
from tapeviz.engine.kernels.philox import RESERVED, Philox
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array, joining, math, picking, reduction
from tapeviz.engine.specs.dtypes import as_dtype, of_numpy
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor, make
from tapeviz.engine.values.convert import unboxed
from tapeviz.errors import InvalidArgumentError

export("random.set_seed")(random.set_seed)


@export("random.normal")
def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Normally distributed numbers of a shape."""
    return normal_from(lambda: _stream("normal", shape, dtype, seed), shape, mean, stddev, dtype)


@export("random.truncated_normal")
def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Normally distributed numbers, those further than two deviations from the mean drawn again."""
    return normal_from(
        lambda: _stream("truncated_normal", shape, dtype, seed), shape, mean, stddev, dtype, truncated=True
    )


def _stream(kernel: str, shape: Any, dtype: Any, seed: Any) -> Philox:
    """The numbers of the next call of a kernel, which has one for each dtype."""
    with _seeds_taken(seed):
        count = prod(dims(shape, ".T"))
    return random.stream(f"{kernel} {as_dtype(dtype).name}", RESERVED * count, seed)


@contextmanager
def _seeds_taken(seed: Any) -> Iterator[None]:
    """Around what a kernel refuses: by then TensorFlow has taken the seeds of the call."""
    try:
        yield
    except InvalidArgumentError:
        random.seeds(seed)
        raise


@export("random.uniform")
def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Numbers from `minval` up to, not including, `maxval` (1 by default).

    Raises:
        ValueError: integers without a `maxval`.
        TypeError: integers between bounds that are none.
    """
    wanted = accepted(dtype, UNIFORM)
    return uniform_from(lambda: _stream("uniform", shape, wanted, seed), shape, minval, maxval, wanted)


def _fixed(seed: Any, alg: Any) -> Philox:
    """The stream of a stateless op: always the same numbers for its seed, two ints."""
    algorithm("auto_select" if alg is None else alg)
    words = integers_of(seed, "a stateless random function.Tseed", hint=INT64)
    require(words.shape == (2,), f"seed must have shape [2], not {listed(words.shape)}. Got {seed!r}.")
    return Philox.of_pair(tuple(words.tolist()))


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
    return normal_from(lambda: _fixed(seed, alg), shape, mean, stddev, dtype)


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
    return bounded_from(lambda: _fixed(seed, alg), shape, minval, maxval, wanted)


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
    return normal_from(lambda: _fixed(seed, alg), shape, mean, stddev, dtype, truncated=True)


@export("random.stateless_binomial")
def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = "int32", name: str | None = None
) -> Any:
    """How many of `counts` trials succeed, each with a chance of `probs`, by `seed`, two ints, alone."""
    if isinstance(counts, TensorLike):
        number_of(counts, "stateless_binomial")
    return binomial_from(_fixed(seed, None), shape, counts, probs, output_dtype)


@export("random.split", "random.experimental.stateless_split")
def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Any:
    """`num` new seeds for stateless functions from one, as rows."""
    given = tensor_of(seed)
    return integers_from(_fixed(given, alg), [num, 2], given.dtype)


@export("random.fold_in", "random.experimental.stateless_fold_in")
def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Any:
    """A new seed for stateless functions from one and a number."""
    number = tensor_of(data)
    return joining.stack(integers_from(_fixed(seed, alg), [], number.dtype), number, axis=0)


@export("random.shuffle")
def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Any:
    """The rows in random order. No gradient."""
    x = array.stop_gradient(tensor_of(value))
    swaps = max(x.shape[0] - 1, 0) if x.ndim else 0
    source = random.stream(f"shuffle {x.dtype.name}", -(-swaps // 4), seed)
    if not x.ndim:
        return x
    order = source.permutation(x.shape[0])
    return picking.gather(x, order, axis=0, batch_dims=0)


@export("random.categorical")
def categorical(
    logits: Any, num_samples: Any, dtype: Any = "int64", seed: int | None = None, name: str | None = None
) -> Any:
    """Class indices drawn with probabilities softmax(logits), `num_samples` for each row. No gradient.

    Raises:
        ValueError: indices that are neither int32 nor int64.
        InvalidArgumentError: logits that are no matrix, or of no class, or a negative number of samples.
    """
    wanted = accepted(dtype or "int64", ("int32", "int64"))
    with _seeds_taken(seed):
        rows = number_of(logits, "multinomial")._value
        require(rows.ndim == 2, f"logits should be a matrix, got shape {listed(rows.shape)}.")
        said = "num_samples should be a scalar, got shape {shape}."
        count = int32_of(num_samples, "categorical", 1, otherwise=said)
        require(count >= 0, f"num_samples should be non-negative, got {count}.")
        require(rows.shape[1] > 0, "num_classes should be positive, got 0.")
    kernel, kept = f"categorical {of_numpy(rows.dtype).name} {wanted.name}", -(-count // 4) * 4
    source = random.stream(kernel, 2 * RESERVED * rows.shape[0] * kept, seed)
    noise = source.random((rows.shape[0], count), np.float64)
    return reduction.categorical(tensor_of(logits), noise, dtype=wanted.name)


@export("nn.dropout")
def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: int | None = None, name: str | None = None) -> Any:
    """The tensor with a fraction `rate` of its elements set to 0 at random, and the others scaled up to keep the mean.

    Raises:
        ValueError: a rate outside [0, 1), no scalar or of another dtype; numbers that are integers.
        InvalidArgumentError: a `noise_shape` that does not broadcast with the numbers.
    """
    found = _dropped(x, rate, noise_shape, lambda shape, dtype: _stream("uniform", shape, dtype, seed))
    if isinstance(rate, Real) and rate == 0:
        random.seeds(seed)  # the seeds of later calls do not depend on the rate
    return found


@export("nn.experimental.stateless_dropout")
def stateless_dropout(
    x: Any, rate: Any, seed: Any, rng_alg: Any = "auto_select", noise_shape: Any = None, name: str | None = None
) -> Any:
    """A dropout that depends on `seed`, two ints, alone; with a rate of 0 no seed is needed.

    Raises:
        ValueError, InvalidArgumentError: as `dropout`; and for a seed that is not two ints.
    """
    return _dropped(x, rate, noise_shape, lambda shape, dtype: _fixed(seed, rng_alg))


def _dropped(x: Any, rate: Any, noise_shape: Any, source: Callable[[tuple[int, ...], Any], Philox]) -> Any:
    """A dropout by the numbers that a source gives for a shape and a dtype."""
    is_number = isinstance(rate, Real)
    if is_number and not 0 <= rate < 1:
        raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
    x = tensor_of(x)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x._dtype}"
        )
    if is_number and rate == 0:
        return convert_to_tensor(x)
    scaled = x * (1 / (1 - rate)) if is_number else x / (1 - _rate_beside(x, rate))
    shape, kind = _noise_shape(noise_shape, tuple(x.shape)), x._value.dtype
    kept = source(shape, x.dtype).random(shape, kind) >= value_of(rate).astype(kind)
    return math.mask(scaled, make(unboxed(kept)))


def _rate_beside(x: TensorLike, rate: Any) -> TensorLike:
    """A rate that is a tensor, to which gradients flow.

    Raises:
        ValueError: it is none, no scalar or of another dtype than the numbers.
    """
    if not isinstance(rate, TensorLike):
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    rate.shape.assert_has_rank(0)
    if rate._dtype is not x._dtype:
        received = f"x.dtype={x._dtype} and rate.dtype={rate._dtype}"
        raise ValueError(f"`x.dtype` must be compatible with `rate.dtype`. Received: {received}")
    return rate


def _noise_shape(given: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """In what shape a dropout draws, to be broadcast; a length that is None is that of the numbers."""
    if given is None:
        return shape
    given = (given,) if type(given) is int and len(shape) == 1 else given
    if isinstance(given, (list, tuple)) and len(given) == len(shape):
        given = [own if each is None else each for each, own in zip(given, shape, strict=True)]
    return vector_of(given, "noise_shape", strict=True)
