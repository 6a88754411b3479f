"""Initializers that draw random values: uniform, normal, orthogonal."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.kernels.philox import Philox
from tapeviz.engine.specs.dtypes import DType, as_dtype
from tapeviz.tf.api.random.sampling import dims
from tapeviz.tf.keras import seeds
from tapeviz.tf.keras.initializers.base import Initializer, Shape


class Random(Initializer):
    """The base class of initializers that draw random values.

    Every call of one returns the same values, those of Keras.

    Args:
        seed: the seed; by default it is drawn.

    Raises:
        ValueError: the seed is not an integer.
    """

    def __init__(self, seed: int | None = None) -> None:
        if seed is not None and not isinstance(seed, int):
            raise ValueError(
                "`seed` argument should be an instance of `keras.random.SeedGenerator()` or an integer. "
                f"Received: seed={seed!r}. Here it should be an integer."
            )
        self.seed, self._drawn_by_ = seed, seeds.chosen(seed)

    def _shape_(self, given: Any) -> Shape:
        return dims(given)

    def _noise_(self, kind: Callable[..., Any], shape: Shape, dtype: DType) -> Any:
        """Numbers of a kind that a stream has."""
        source = Philox.of_pair(seeds.pair_of(self._drawn_by_))
        return kind(source, shape, (dtype if dtype.is_floating else as_dtype("float32")).as_numpy_dtype)


class RandomUniform(Random):
    """An initializer that fills weights with uniformly distributed values.

    Args:
        minval: the lower bound.
        maxval: the upper bound.
        seed: the seed; by default it is drawn.

    >>> bool(np.abs(RandomUniform()([100])).max() < 0.05)
    True
    """

    _settings_ = ("seed", "minval", "maxval")

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.minval, self.maxval = minval, maxval

    def _draw_(self, shape: Shape, dtype: DType) -> Any:
        noise = self._noise_(Philox.random, shape, dtype)
        low, high = (noise.dtype.type(each) for each in (self.minval, self.maxval))
        return noise * (high - low) + low


class RandomNormal(Random):
    """An initializer that fills weights with normally distributed values.

    Args:
        mean: the mean.
        stddev: the standard deviation.
        seed: the seed; by default it is drawn.

    >>> RandomNormal()([2, 3]).shape
    TensorShape([2, 3])
    """

    _settings_ = ("seed", "mean", "stddev")
    _kind_ = staticmethod(Philox.standard_normal)

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.mean, self.stddev = mean, stddev

    def _draw_(self, shape: Shape, dtype: DType) -> Any:
        noise = self._noise_(self._kind_, shape, dtype)
        return noise * noise.dtype.type(self.stddev) + noise.dtype.type(self.mean)


class TruncatedNormal(RandomNormal):
    """An initializer like `RandomNormal` that draws values further than two standard deviations from the mean again.

    >>> bool(np.abs(TruncatedNormal(stddev=1.0)([100])).max() < 2)
    True
    """

    _kind_ = staticmethod(Philox.truncated_normal)


class Orthogonal(Random):
    """An initializer of orthogonal matrices: their columns, or the rows if there are fewer, are orthonormal.

    Args:
        gain: what the matrix is multiplied by.
        seed: the seed; by default it is drawn.

    Raises:
        ValueError: when called with a shape of fewer than two axes. All axes but the last count as rows.

    >>> columns = Orthogonal()([3, 2]).numpy()
    >>> bool(np.allclose(columns.T @ columns, np.eye(2), atol=1e-6))
    True
    """

    _settings_ = ("seed", "gain")

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        super().__init__(seed)
        self.gain = gain

    def _draw_(self, shape: Shape, dtype: DType) -> Any:
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize must be at least two-dimensional. "
                f"Received: shape={shape} of rank {len(shape)}."
            )
        rows, columns = math.prod(shape[:-1]), shape[-1]
        noise = self._noise_(Philox.standard_normal, (max(rows, columns), min(rows, columns)), dtype)
        factor, triangle = np.linalg.qr(noise.astype(np.promote_types(noise.dtype, np.float32)))
        factor = factor * np.sign(np.diag(triangle))  # or some directions would be likelier than others
        return self.gain * (factor if rows >= columns else factor.T).reshape(shape)
