"""Random tensors under TensorFlow's names; shapes, dtypes and seeds are TensorFlow's, the numbers NumPy's."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from tapeviz.engine import random
from tapeviz.engine.api.arguments import int_of, ints_of, shape_of, tensor_of, value_of, vector_of
from tapeviz.engine.api.table import export
from tapeviz.engine.constant import make
from tapeviz.engine.convert import array_of, unboxed
from tapeviz.engine.dtypes import as_dtype, require
from tapeviz.engine.ops import array, math, picking, reduction
from tapeviz.engine.refusals import not_convertible
from tapeviz.engine.sentences import listed
from tapeviz.engine.tensor import TensorLike

export("random.set_seed")(random.set_seed)


def _drawn(values: Any, dtype: Any) -> Any:
    return make(unboxed(np.asarray(values).astype(as_dtype(dtype).as_numpy_dtype)))


def _scaled(noise: Any, mean: Any, stddev: Any) -> Any:
    """Standard noise with a mean and deviation; gradients flow to those if they are tensors."""
    if isinstance(mean, TensorLike) or isinstance(stddev, TensorLike):
        return make(noise) * stddev + mean
    kind = noise.dtype.type
    return make(unboxed(np.asarray(noise * kind(stddev) + kind(mean))))


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
    noise = random.generator(seed).standard_normal(_dims(shape))
    return _scaled(_typed(noise, dtype), mean, stddev)


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
    noise = _truncated(random.generator(seed), shape)
    return _scaled(_typed(noise, dtype), mean, stddev)


def _truncated(source: np.random.Generator, shape: Any) -> Any:
    """Standard noise; what is further than 2 from 0 is drawn again."""
    noise = np.asarray(source.standard_normal(_dims(shape)))
    while (outside := np.abs(noise) > 2).any():
        noise[outside] = source.standard_normal(int(outside.sum()))
    return noise


def _typed(noise: Any, dtype: Any) -> Any:
    """Noise in a dtype that has fractions."""
    if not as_dtype(dtype).is_floating:
        wanted = np.dtype(as_dtype(dtype).as_numpy_dtype)
        raise not_convertible(0.0, wanted, "Normally distributed numbers are floating-point numbers")
    return unboxed(np.asarray(noise).astype(as_dtype(dtype).as_numpy_dtype))


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
    return _uniform(random.generator(seed), shape, minval, maxval, dtype)


_UNIFORM = ("float16", "bfloat16", "float32", "float64", "int32", "int64")


def _uniform(source: np.random.Generator, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Any:
    wanted = as_dtype(dtype)
    if wanted.name not in _UNIFORM:
        raise ValueError(f"Argument `dtype` got invalid value {wanted!s}. Accepted dtypes are {', '.join(_UNIFORM)}.")
    if wanted.is_integer:
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {wanted!r}.")
        low, high = array_of(minval, wanted), array_of(maxval, wanted)
        require(bool(np.all(low < high)), f"Need minval < maxval, got {low} >= {high}.", in_graph=None)
        return _drawn(source.integers(low, high, _dims(shape)), wanted)
    noise = _typed(source.random(_dims(shape), dtype=np.float32 if wanted.name == "float32" else np.float64), wanted)
    top = 1 if maxval is None else maxval
    if isinstance(minval, (list, tuple)) or isinstance(top, (list, tuple)):
        minval, top = (np.asarray(each, wanted.as_numpy_dtype) for each in (minval, top))
    if isinstance(minval, TensorLike) or isinstance(top, TensorLike):
        return make(noise) * (top - minval) + minval
    return _scaled(noise, minval, top - minval)


def _fixed(seed: Any) -> np.random.Generator:
    """The same numbers for the same pair of seeds, always."""
    return np.random.default_rng([each & 0xFFFFFFFF for each in ints_of(seed)])


def _pair(seed: Any) -> Any:
    """The seed of a stateless op, two ints."""
    shape = np.shape(value_of(seed))
    require(shape == (2,), f"seed must have shape [2], not {listed(shape)}. Got {seed!r}.")
    return seed


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
    return _scaled(_typed(_fixed(_pair(seed)).standard_normal(_dims(shape)), dtype), mean, stddev)


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
    """Uniform numbers that depend on `seed`, two ints, alone."""
    return _uniform(_fixed(_pair(seed)), shape, minval, maxval, dtype)


@export("random.shuffle")
def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Any:
    """The rows in random order. No gradient."""
    x = array.stop_gradient(tensor_of(value))
    if not x.ndim:
        return x
    order = random.generator(seed).permutation(x.shape[0]).astype(np.int32)
    return picking.gather(x, order, axis=0, batch_dims=0)


@export("random.categorical")
def categorical(
    logits: Any, num_samples: Any, dtype: Any = "int64", seed: int | None = None, name: str | None = None
) -> Any:
    """Class indices drawn with probabilities softmax(logits), `num_samples` for each row. No gradient."""
    rows = value_of(logits)
    require(rows.ndim == 2, f"logits should be a matrix, got shape {listed(rows.shape)}.")
    count = int_of(num_samples)
    require(count >= 0, f"num_samples should be non-negative, got {count}.")
    noise = random.generator(seed).gumbel(size=(rows.shape[0], count, rows.shape[1]))
    return reduction.categorical(tensor_of(logits), noise, dtype=as_dtype(dtype or "int64").name)


@export("nn.dropout")
def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: int | None = None, name: str | None = None) -> Any:
    """The numbers, a share `rate` of them set to 0 at random and the others scaled up to keep the mean.

    Raises:
        ValueError: a rate outside [0, 1), or integers.
        InvalidArgumentError: a `noise_shape` that does not broadcast with the numbers.
    """
    x = tensor_of(x)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x.dtype}"
        )
    share = float(value_of(rate))
    if not 0 <= share < 1:
        raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={share}")
    if share == 0:
        return x
    kept = random.generator(seed).random(_noise_shape(noise_shape, tuple(x.shape))) >= share
    return math.mask(x * (1 / (1 - share)), make(unboxed(kept)))


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
        ValueError: nothing to copy from, or a `state`: the numbers are not TensorFlow's.

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
    def _of(cls, source: np.random.Generator) -> Generator:
        made: Generator = object.__new__(cls)
        made._source = source
        return made

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """The same numbers for the same seed, always."""
        return cls._of(_fixed(seed))

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """Other numbers at every run."""
        return cls._of(np.random.default_rng())

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", name: str | None = None
    ) -> Any:
        """Normally distributed numbers of a shape."""
        return _scaled(_typed(self._source.standard_normal(_dims(shape)), dtype), mean, stddev)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = "float32", name: str | None = None
    ) -> Any:
        """Numbers from `minval` up to, not including, `maxval` (1 unless told)."""
        return _uniform(self._source, shape, minval, maxval, dtype)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", name: str | None = None
    ) -> Any:
        """Normally distributed numbers within two deviations of the mean."""
        return _scaled(_typed(_truncated(self._source, shape), dtype), mean, stddev)
