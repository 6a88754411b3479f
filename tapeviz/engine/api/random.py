"""Random tensors under TensorFlow's names, shapes, dtypes and seeds.

The numbers are TensorFlow's too; those of `categorical` where TensorFlow does not share out the rows among threads, as
it does where they are many.
"""

from __future__ import annotations

from copy import deepcopy
from math import prod
from numbers import Real
from typing import Any

import numpy as np

from tapeviz.engine import random
from tapeviz.engine.api.arguments import int_of, ints_of, shape_of, tensor_of, value_of, vector_of
from tapeviz.engine.api.table import export
from tapeviz.engine.constant import convert_to_tensor, make
from tapeviz.engine.convert import array_of, unboxed
from tapeviz.engine.dtypes import DType, as_dtype, of_numpy, require
from tapeviz.engine.kernels.philox import RESERVED, Philox
from tapeviz.engine.ops import array, math, picking, reduction
from tapeviz.engine.refusals import failed, wrong_dtype
from tapeviz.engine.sentences import listed
from tapeviz.engine.table import OPS
from tapeviz.engine.tensor import TensorLike
from tapeviz.errors import UnimplementedError

export("random.set_seed")(random.set_seed)


def _drawn(values: Any, dtype: Any) -> Any:
    return make(unboxed(np.asarray(values).astype(as_dtype(dtype).as_numpy_dtype)))


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
    return _normal(_noise(_stream("normal", shape, dtype, seed), shape, dtype), mean, stddev, dtype)


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
    source = _stream("truncated_normal", shape, dtype, seed)
    return _normal(_noise(source, shape, dtype, truncated=True), mean, stddev, dtype)


def _stream(kernel: str, shape: Any, dtype: Any, seed: Any) -> Philox:
    """The numbers of the next call of a kernel, which has one for each dtype."""
    return random.stream(f"{kernel} {as_dtype(dtype).name}", RESERVED * prod(_dims(shape)), seed)


def _normal(noise: Any, mean: Any, stddev: Any, dtype: Any) -> Any:
    """Standard noise with a mean and deviation, all in one dtype.

    Raises:
        InvalidArgumentError: a dtype without fractions.
    """
    wanted = as_dtype(dtype)
    shift, scale = (_beside(each, wanted) for each in (mean, stddev))
    if not wanted.is_floating:
        raise wrong_dtype("random.normal", np.dtype(wanted.as_numpy_dtype), attr="dtype")
    return _scaled(_typed(noise, wanted), shift, scale)


def _beside(value: Any, dtype: DType) -> Any:
    """A parameter of a distribution in a dtype: a tensor, which gradients flow to, or an array."""
    return convert_to_tensor(value, dtype) if isinstance(value, TensorLike) else array_of(value, dtype)


def _typed(noise: Any, dtype: DType) -> Any:
    return unboxed(np.asarray(noise).astype(dtype.as_numpy_dtype))


@export("random.uniform")
def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Numbers from `minval` up to, not including, `maxval` (1 unless told).

    Raises:
        ValueError: integers without a `maxval`.
        TypeError: integers between bounds that are none.
    """
    return _uniform(_stream("uniform", shape, dtype, seed), shape, minval, maxval, dtype)


_UNIFORM = ("float16", "bfloat16", "float32", "float64", "int32", "int64")
_WHOLE = ("uint32", "uint64")
"""Dtypes of which only numbers between no bounds are drawn."""


def _accepted(dtype: Any, names: tuple[str, ...]) -> DType:
    wanted = as_dtype(dtype)
    if wanted.name not in names:
        raise ValueError(f"Argument `dtype` got invalid value {wanted!s}. Accepted dtypes are {', '.join(names)}.")
    return wanted


def _uniform(source: Philox, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Any:
    wanted = _accepted(dtype, _UNIFORM)
    if wanted.is_integer:
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {wanted!r}.")
        low, high = array_of(minval, wanted), array_of(maxval, wanted)
        for which, bound in (("minval", low), ("maxval", high)):
            require(
                not bound.shape, f"{which} must be 0-D, got shape {listed(bound.shape)}. In uniform of {wanted.name}."
            )
        nothing = 0 in _dims(shape)
        require(nothing or bool(low < high), f"Need minval < maxval, got {low} >= {high}.", in_graph=None)
        return _drawn(source.integers(low, high, _dims(shape), wanted.as_numpy_dtype), wanted)
    noise = unboxed(source.random(_dims(shape), wanted.as_numpy_dtype))
    ends = (minval, 1 if maxval is None else maxval)
    low, high = (_beside(each, wanted) for each in ends)
    return _scaled(noise, low, high - low)


def _bounded(source: Philox, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Any:
    """Uniform numbers; integers of the whole range of their dtype where there are no bounds."""
    wanted = _accepted(dtype, _UNIFORM + _WHOLE)
    if wanted.is_integer and (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer `dtype` argument {wanted!s}, argument `minval` and `maxval` must be both None or not None. "
            f"Got `minval`={minval} and `maxval`={maxval}."
        )
    if minval is not None and wanted.name in _WHOLE:
        raise ValueError(
            f"Argument `dtype` got invalid value {wanted!s} when argument `minval` is not None. Please don't use "
            "unsigned integers in this case."
        )
    if minval is not None or not wanted.is_integer:
        return _uniform(source, shape, minval, maxval, wanted)
    return _drawn(source.integers(0, 0, _dims(shape), wanted.as_numpy_dtype, endpoint=True), wanted)


def _fixed(seed: Any, alg: Any) -> Philox:
    """The same numbers for the same seed of a stateless op, two ints, always."""
    _checked(alg)
    shape = np.shape(value_of(seed))
    require(shape == (2,), f"seed must have shape [2], not {listed(shape)}. Got {seed!r}.")
    if isinstance(seed, TensorLike) and seed.dtype.name not in ("int32", "int64"):
        raise wrong_dtype("a stateless random function", seed._value.dtype, attr="Tseed")
    return Philox.of_pair(ints_of(seed))


def _checked(alg: Any) -> None:
    """Refuse what is no name or number of the algorithm that there is, Philox, or of none in particular.

    Raises:
        UnimplementedError: ThreeFry, which TensorFlow has on other devices than CPU and GPU alone.
        ValueError: anything else.
    """
    if alg in ("threefry", 2):
        raise UnimplementedError(f"The ThreeFry algorithm is not there for CPUs: alg={alg!r}. Use 'philox'.")
    if alg not in (None, "philox", "auto_select", 1, 3):
        raise ValueError(f"Argument `alg` got unsupported value {alg}. Supported values: 'philox', 'auto_select'.")


def _noise(source: Philox, shape: Any, dtype: Any, *, truncated: bool = False) -> Any:
    """Standard noise; what its dtype should be, `_normal` asks."""
    kind = as_dtype(dtype).as_numpy_dtype if as_dtype(dtype).is_floating else np.float32
    draw = source.truncated_normal if truncated else source.standard_normal
    return draw(_dims(shape), kind)


def _dims(shape: Any) -> tuple[int, ...]:
    """The shape of what is drawn, which must be a vector."""
    vector_of(shape, "shape")
    return shape_of(shape)


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
    return _normal(_noise(_fixed(seed, alg), shape, dtype), mean, stddev, dtype)


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
    return _bounded(_fixed(seed, alg), shape, minval, maxval, dtype)


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
    wanted = _accepted(dtype or "int64", ("int32", "int64"))
    rows = value_of(logits)
    require(rows.ndim == 2, f"logits should be a matrix, got shape {listed(rows.shape)}.")
    count = int_of(num_samples)
    require(count >= 0, f"num_samples should be non-negative, got {count}.")
    require(rows.shape[1] > 0, "num_classes should be positive, got 0.")
    kernel, kept = f"categorical {of_numpy(rows.dtype).name} {wanted.name}", -(-count // 4) * 4
    source = random.stream(kernel, 2 * RESERVED * rows.shape[0] * kept, seed)
    noise = source.random((rows.shape[0], count), np.float64)
    return reduction.categorical(tensor_of(logits), noise, dtype=wanted.name)


@export("nn.dropout")
def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: int | None = None, name: str | None = None) -> Any:
    """The numbers, a share `rate` of them set to 0 at random and the others scaled up to keep the mean.

    Raises:
        ValueError: a rate outside [0, 1), no scalar or of another dtype; numbers that are integers.
        InvalidArgumentError: a `noise_shape` that does not broadcast with the numbers.
    """
    is_number = isinstance(rate, Real)
    if is_number and not 0 <= rate < 1:
        raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
    x = tensor_of(x)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x.dtype}"
        )
    if is_number and rate == 0:
        random.stream("uniform", 0, seed)  # what is drawn next does not hang on the rate
        return convert_to_tensor(x)
    scaled = x * (1 / (1 - rate)) if is_number else x / (1 - _rate_beside(x, rate))
    shape, kind = _noise_shape(noise_shape, tuple(x.shape)), x._value.dtype
    kept = _stream("uniform", shape, x.dtype, seed).random(shape, kind) >= value_of(rate).astype(kind)
    return math.mask(scaled, make(unboxed(kept)))


def _rate_beside(x: TensorLike, rate: Any) -> TensorLike:
    """A rate that is a tensor, to which gradients flow.

    Raises:
        ValueError: it is none, no scalar or of another dtype than the numbers.
    """
    if not isinstance(rate, TensorLike):
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    rate.shape.assert_has_rank(0)
    if rate.dtype is not x.dtype:
        raise ValueError(
            f"`x.dtype` must be compatible with `rate.dtype`. Received: x.dtype={x.dtype} and rate.dtype={rate.dtype}"
        )
    return rate


def _noise_shape(given: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """In what shape a dropout draws, to be broadcast; a length that is None is that of the numbers."""
    if given is None:
        return shape
    if isinstance(given, (list, tuple)) and len(given) == len(shape):
        given = [own if each is None else each for each, own in zip(given, shape, strict=True)]
    return vector_of(given, "noise_shape")


@export("random.Generator")
class Generator:
    """A source of random numbers of its own, whatever the global seed; a copy of one goes on as that would.

    Raises:
        ValueError: nothing to copy from, or a `state`.

    >>> import tapeviz as tf
    >>> a, b = (tf.random.Generator.from_seed(3).normal([2]) for _ in range(2))
    >>> bool(tf.reduce_all(a == b))
    True
    """

    def __init__(self, copy_from: Generator | None = None, state: None = None, alg: Any = None) -> None:
        if copy_from is None or state is not None:
            raise ValueError("Generator: make one by Generator.from_seed(seed), or from another (`copy_from`).")
        self._source = deepcopy(copy_from._source)

    @classmethod
    def _of(cls, source: Philox) -> Generator:
        made: Generator = object.__new__(cls)
        made._source = source
        return made

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """The same numbers for the same seed, always: an integer however large, or up to three numbers."""
        _checked(alg)
        if isinstance(seed, int):
            words = [seed >> shift for shift in (0, 64, 128)]
        else:
            given = array.cast(tensor_of(seed), dtype="int64", source=tensor_of(seed).dtype.name)
            words = [0, 0, 0, *given._value.reshape(-1)[:3].tolist()][-3:]
        return cls._of(Philox.of_state(words))

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """Other numbers at every run."""
        _checked(alg)
        first, second, count = (int(each) for each in np.random.default_rng().integers(0, 2**32, 3))
        return cls._of(Philox((first, second), count))

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", name: str | None = None
    ) -> Any:
        """Normally distributed numbers of a shape."""
        return _normal(_noise(self._source.ahead(_dims(shape)), shape, dtype), mean, stddev, dtype)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = "float32", name: str | None = None
    ) -> Any:
        """Numbers from `minval` up to, not including, `maxval` (1 unless told); integers without bounds are any."""
        return _bounded(self._source.ahead(_dims(shape)), shape, minval, maxval, dtype)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", name: str | None = None
    ) -> Any:
        """Normally distributed numbers within two deviations of the mean."""
        return _normal(_noise(self._source.ahead(_dims(shape)), shape, dtype, truncated=True), mean, stddev, dtype)
