"""A tensor -> the same tensor with elements set to 0 at random, under TensorFlow's names."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

from tapeviz.engine.functions.arguments import tensor_of, value_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import vector_of
from tapeviz.engine.kernels.philox import Philox
from tapeviz.engine.ops import math
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor, make
from tapeviz.engine.values.convert import unboxed
from tapeviz.tf import random_state
from tapeviz.tf.api.random.streams import stateless_stream, stream


@export("nn.dropout")
def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: int | None = None, name: str | None = None) -> Any:
    """A tensor in which random elements are set to 0 and the others are scaled up, so that the mean is kept.

    Args:
        x: a tensor of floats.
        rate: the fraction of elements that are set to 0.
        noise_shape: the shape of the random numbers, which broadcasts to `x`; None in it stands for the length of `x`.
        seed: a seed for this call, besides that of `tf.random.set_seed`.

    Raises:
        ValueError: `rate` is not in [0, 1), not a scalar or of another dtype; or `x` has another dtype.
        InvalidArgumentError: `noise_shape` does not fit.

    >>> import tapeviz as tf
    >>> tf.nn.dropout([1.0, 2.0], rate=0.0).numpy().tolist()
    [1.0, 2.0]
    """
    found = _dropped(x, rate, noise_shape, lambda shape, dtype: stream("uniform", shape, dtype, seed))
    if isinstance(rate, Real) and rate == 0:
        random_state.seeds(seed)  # the seeds of later calls do not depend on the rate
    return found


@export("nn.experimental.stateless_dropout")
def stateless_dropout(
    x: Any, rate: Any, seed: Any, rng_alg: Any = "auto_select", noise_shape: Any = None, name: str | None = None
) -> Any:
    """The result of `tf.nn.dropout`, but the same one in every call with the same seed.

    Args:
        x: a tensor of floats.
        rate: the fraction of elements that are set to 0. With 0, the seed is not read.
        seed: two integers.
        rng_alg: the algorithm; "philox" or "auto_select".
        noise_shape: the shape of the random numbers.

    Raises:
        ValueError: as for `tf.nn.dropout`.
        InvalidArgumentError: as for `tf.nn.dropout`, or the seed does not have two integers.

    >>> import tapeviz as tf
    >>> tf.nn.experimental.stateless_dropout(tf.ones([2]), rate=0.0, seed=[1, 2]).numpy().tolist()
    [1.0, 1.0]
    """
    return _dropped(x, rate, noise_shape, lambda shape, dtype: stateless_stream(seed, rng_alg))


def _dropped(x: Any, rate: Any, noise_shape: Any, source: Callable[[tuple[int, ...], Any], Philox]) -> Any:
    """A dropout by the numbers that a source gives for a shape and a dtype."""
    is_number = isinstance(rate, Real)
    if is_number and not 0 <= rate < 1:
        raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
    x = tensor_of(x)
    if not x.dtype.is_floating:
        raise ValueError(f"dropout scales x, which must be of floats, not of {x._dtype.name}. Use tf.cast.")
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
