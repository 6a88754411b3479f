"""A stream of numbers -> tensors of a shape, a dtype and a distribution: what the functions of `tf.random` share."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from numbers import Integral
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import NO_SHAPE, shape_of, vector_of
from tapeviz.engine.kernels.binomial import binomial
from tapeviz.engine.kernels.philox import Philox
from tapeviz.engine.op_errors.dtypes import another_dtype, require_taken
from tapeviz.engine.op_errors.memory import allocated
from tapeviz.engine.op_errors.reasons import failed
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.specs.dtypes import DType, as_dtype
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor, make
from tapeviz.engine.values.convert import array_of, bare, unboxed
from tapeviz.errors import InvalidArgumentError, UnimplementedError


@export("random.Algorithm")
class Algorithm(Enum):
    """The algorithms of random numbers (`tf.random.Algorithm`). Only Philox is available."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_ALGORITHMS = (
    "Supported values are philox for the Philox algorithm, threefry for the ThreeFry algorithm, and auto_select for "
    "auto-selection. There is no ThreeFry on CPUs."
)


def algorithm(alg: Any) -> int:
    """The number of an algorithm, after a check that it is Philox or left open.

    Raises:
        UnimplementedError: ThreeFry, which TensorFlow does not have on CPUs.
        ValueError: another number or name.
        TypeError: another kind of argument.
    """
    number = Algorithm.__members__.get(alg.upper(), alg) if isinstance(alg, str) else alg
    number = number.value if isinstance(number, Algorithm) else number
    if not isinstance(number, (str, Integral, TensorLike)):
        raise TypeError(f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int. Use 'philox'.")
    if number == Algorithm.THREEFRY.value:
        raise UnimplementedError(f"The ThreeFry algorithm is not there for CPUs: alg={alg!r}. Use 'philox'.")
    if number not in (Algorithm.PHILOX.value, Algorithm.AUTO_SELECT.value):
        raise ValueError(f"Argument `alg` got unsupported value {alg}. {_ALGORITHMS}")
    return int(number)


def dims(shape: Any, attr: str = ".Tshape") -> tuple[int, ...]:
    """The shape of the numbers to draw, given as a vector. `attr` is TensorFlow's name for its dtype."""
    shape = tuple(shape) if isinstance(shape, list) else shape
    return shape_of(vector_of(shape, NO_SHAPE, attr=attr, hint=None), at_run=True)


# ----- normal numbers -----


StreamSource = Callable[[], Philox]
"""What gives the stream to draw from: TensorFlow takes seeds when it has read the parameters of a distribution."""


def normal_from(
    source: StreamSource, shape: Any, mean: Any, stddev: Any, dtype: Any, *, truncated: bool = False
) -> Any:
    """Normally distributed numbers from a stream.

    Args:
        source: a function that returns the stream.
        shape: the shape of the result.
        mean: the mean.
        stddev: the standard deviation.
        dtype: the dtype of the result and of both parameters.
        truncated: whether numbers further than two standard deviations from the mean are drawn again.

    Raises:
        InvalidArgumentError: the dtype is not a floating one.
    """
    wanted = as_dtype(dtype)
    shift, scale = _beside(mean, wanted, "mean"), _beside(stddev, wanted, "stddev")
    stream = source()
    draw = stream.truncated_normal if truncated else stream.standard_normal
    noise = allocated(draw, dims(shape), wanted.as_numpy_dtype if wanted.is_floating else np.float32)
    require_taken("normal.dtype", wanted._numpy)
    return _scaled(unboxed(np.asarray(noise).astype(wanted.as_numpy_dtype)), shift, scale)


def _beside(value: Any, dtype: DType, name: str) -> Any:
    """A parameter of a distribution in a dtype: a tensor, which gradients flow to, or an array."""
    return convert_to_tensor(value, dtype, name=name) if isinstance(value, TensorLike) else array_of(value, dtype)


def _scaled(noise: Any, mean: Any, stddev: Any) -> Any:
    """Standard noise with a mean and deviation; gradients flow to those if they are tensors."""
    if isinstance(mean, TensorLike) or isinstance(stddev, TensorLike):
        return make(noise) * stddev + mean
    return make(unboxed(np.asarray(_broadcast("add", _broadcast("mul", noise, stddev), mean))))


def _broadcast(op: str, x: Any, y: Any) -> Any:
    """An op on arrays.

    Raises:
        InvalidArgumentError: their shapes do not broadcast.
    """
    try:
        return OPS[op].primal(x, y)
    except ValueError as error:
        raise failed(op, error, (x, y)) from error


# ----- uniform numbers -----

UNIFORM = ("float16", "bfloat16", "float32", "float64", "int32", "int64")
WHOLE = ("uint32", "uint64")
"""Dtypes of which only numbers between no bounds are drawn."""


def accepted(dtype: Any, names: tuple[str, ...]) -> DType:
    """A dtype, after a check that its name is among `names`.

    Raises:
        ValueError: it is not.
    """
    wanted = as_dtype(dtype)
    if wanted.name not in names:
        known = ", ".join(f"tf.{name}" for name in names)
        raise ValueError(f"Argument `dtype` got invalid value {wanted!s}. Accepted dtypes are ({known}).")
    return wanted


def uniform_from(source: StreamSource, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Any:
    """Uniformly distributed numbers from a stream.

    Args:
        source: a function that returns the stream.
        shape: the shape of the result.
        minval: the lower bound, which is included.
        maxval: the upper bound, which is not included; None for 1.
        dtype: the dtype of the result and of both bounds.

    Raises:
        ValueError: `maxval` is missing for integers.
        InvalidArgumentError: a bound of integers is not a scalar, they are not in order, or the dtype cannot be drawn.
        NotFoundError: unsigned integers.
    """
    wanted = as_dtype(dtype)
    if wanted.is_integer and maxval is None:
        raise ValueError(f"uniform needs maxval for {wanted!r}: integers go from minval to maxval - 1.")
    bounds = _beside(minval, wanted, "min"), _beside(1 if maxval is None else maxval, wanted, "max")
    if wanted.is_integer:
        low, high = map(bare, bounds)
        stream = source()
        require_taken("uniform_int.dtype", wanted._numpy)
        for which, bound in (("minval", low), ("maxval", high)):
            require(
                not bound.shape, f"{which} must be 0-D, got shape {listed(bound.shape)}. In uniform of {wanted.name}."
            )
        nothing = 0 in dims(shape)
        require(nothing or bool(low < high), f"Need minval < maxval, got {low} >= {high}.", at_run=True)
        return _drawn(stream.integers(low, high, dims(shape), wanted.as_numpy_dtype), wanted)
    low, high = bounds
    stream = source()
    require_taken("uniform.dtype", wanted._numpy)
    noise = unboxed(allocated(stream.random, dims(shape), wanted.as_numpy_dtype))
    return _scaled(noise, low, high - low)


_ONE_BOUND = (
    "For integer `dtype` argument {!s}, argument `minval` and `maxval` must be both None or not None. "
    "Got `minval`={} and `maxval`={}."
)


def require_bounds(minval: Any, maxval: Any, dtype: Any, said: str = _ONE_BOUND) -> None:
    """Check that integers have either two bounds or none.

    Raises:
        ValueError: one of them is missing.
    """
    if as_dtype(dtype).is_integer and (minval is None) != (maxval is None):
        raise ValueError(said.format(as_dtype(dtype), minval, maxval))


def bounded_from(source: StreamSource, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Any:
    """Uniformly distributed numbers from a stream; integers without bounds are drawn from all of their dtype.

    Raises:
        InvalidArgumentError: the dtype cannot be drawn.
        NotFoundError: unsigned integers with bounds.
    """
    wanted = as_dtype(dtype)
    if minval is not None or not wanted.is_integer:
        return uniform_from(source, shape, minval, maxval, wanted)
    return integers_from(source(), shape, wanted)


def integers_from(source: Philox, shape: Any, dtype: Any) -> Any:
    """Integers from a stream, drawn from all of their dtype.

    Raises:
        InvalidArgumentError: the dtype is not an integer one of 32 or 64 bits.
    """
    wanted = as_dtype(dtype)
    require_taken("uniform_full_int.dtype", wanted._numpy)
    return _drawn(source.integers(0, 0, dims(shape), wanted.as_numpy_dtype, endpoint=True), wanted)


def _drawn(values: Any, dtype: Any) -> Any:
    return make(unboxed(np.asarray(values).astype(as_dtype(dtype).as_numpy_dtype)))


# ----- numbers of successes -----


def pairs_of(shape: Any, counts: Any, probs: Any) -> tuple[Any, Any, int]:
    """The parameters of a binomial distribution, broadcast to each other.

    Returns:
        A vector of the numbers of trials, one of the probabilities, and how many samples are drawn from each pair.

    Raises:
        InvalidArgumentError: the dtypes differ or are integers, or `shape` does not end with the shape of the
            parameters.
    """
    trials, chances = tensor_of(counts)._value, tensor_of(probs)._value
    if trials.dtype != chances.dtype:
        raise another_dtype("binomial", trials.dtype, chances.dtype, "counts and probs")
    require_taken("binomial", trials.dtype)
    try:
        together = np.broadcast_shapes(trials.shape, chances.shape)
    except ValueError as error:
        raise failed("mul", error, (trials, chances)) from error
    whole = dims(shape)
    if whole[len(whole) - len(together) :] != together or len(whole) < len(together):
        raise InvalidArgumentError(
            f"Shape passed in must end with broadcasted shape. In binomial: {listed(whole)} and {listed(together)}."
        )
    samples = int(np.prod(whole[: len(whole) - len(together)], dtype=np.int64))
    return np.broadcast_to(trials, together).reshape(-1), np.broadcast_to(chances, together).reshape(-1), samples


def binomial_from(source: Philox, shape: Any, counts: Any, probs: Any, dtype: Any) -> Any:
    """Numbers of successes in independent trials, from a stream.

    Raises:
        InvalidArgumentError: as for `pairs_of`, or the dtype cannot be counted in.
    """
    wanted = as_dtype(dtype)
    require_taken("binomial.dtype", wanted._numpy)
    found = binomial(source, *pairs_of(shape, counts, probs))
    with np.errstate(invalid="ignore"):
        return _drawn(found.reshape(dims(shape)), wanted)
