"""`tf.zeros_initializer` and its like: a shape and a dtype -> the first value of a variable. Keras has its own.

One without a seed draws other numbers each time it is called, where Keras' repeats its first.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from tapeviz.engine.functions.array.creation import ones, zeros
from tapeviz.engine.functions.exports import export
from tapeviz.engine.specs.dtypes import DType, as_dtype
from tapeviz.engine.values.constant import constant
from tapeviz.tf.api.random.distributions import normal, uniform
from tapeviz.tf.api.random.stateless import stateless_normal, stateless_uniform

_OF_A_PART = ("partition_shape", "partition_offset")


class Initializer:
    """The base class of the initializers: called with a shape and a dtype, they return the first value of a variable.

    Raises:
        TypeError: when called with an unknown keyword.
        ValueError: when called with a dtype that the initializer does not support.
    """

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A new initializer with these arguments."""
        return cls(**{name: value for name, value in config.items() if name != "dtype"})

    def _filled_(self, shape: Any, part: dict[str, Any]) -> Any:
        """The shape to fill; for a variable that is made in parts, that of one part."""
        for keyword in part:
            if keyword not in _OF_A_PART:
                raise TypeError(f"Keyword argument should be one of {list(_OF_A_PART)}. Received: {keyword}")
        return part.get("partition_shape", shape)


def _number(dtype: Any) -> DType:
    """A dtype of numbers or truths."""
    wanted = as_dtype(dtype)
    if wanted.name == "string":
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {wanted}.")
    return wanted


@export("zeros_initializer")
class Zeros(Initializer):
    """An initializer that fills variables with zeros.

    >>> import tapeviz as tf
    >>> tf.zeros_initializer()([2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 0.], dtype=float32)>
    """

    def __call__(self, shape: Any, dtype: Any = "float32", **kwargs: Any) -> Any:
        return zeros(self._filled_(shape, kwargs), _number(dtype))


@export("ones_initializer")
class Ones(Initializer):
    """An initializer that fills variables with ones.

    >>> import tapeviz as tf
    >>> tf.ones_initializer()([2], "int32")
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 1], dtype=int32)>
    """

    def __call__(self, shape: Any, dtype: Any = "float32", **kwargs: Any) -> Any:
        return ones(self._filled_(shape, kwargs), _number(dtype))


@export("constant_initializer")
class Constant(Initializer):
    """An initializer that fills variables with given values.

    Args:
        value: a number for all elements, or a list or an array with one for each.
        support_partition: whether it accepts the keywords for variables that are made in parts.

    Raises:
        TypeError: the value is of another kind; or, when called, its size does not fit the shape.

    >>> import tapeviz as tf
    >>> tf.constant_initializer([0, 1, 2, 3])([2, 2])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[0, 1],
           [2, 3]], dtype=int32)>
    """

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, list or tuple of "
                "values, or numpy.ndarray."
            )
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        self._filled_(shape, kwargs)
        if kwargs and not self.support_partition:
            raise ValueError("Constant initializer doesn't support partition-related arguments")
        return constant(self.value, dtype=dtype, shape=shape)

    def get_config(self) -> dict[str, Any]:
        """The value."""
        return {"value": self.value}


@export("random_uniform_initializer")
class RandomUniform(Initializer):
    """An initializer that fills variables with uniformly distributed numbers.

    Args:
        minval: the lower bound, which is included.
        maxval: the upper bound, which is not included.
        seed: if given, every call returns the same numbers.

    >>> import tapeviz as tf
    >>> first = tf.random_uniform_initializer(seed=1)
    >>> bool(tf.reduce_all(first([3]) == first([3])))
    True
    """

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: int | None = None) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = "float32", **kwargs: Any) -> Any:
        wanted = as_dtype(dtype)
        if not (wanted.is_floating or wanted.is_integer):
            raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {wanted}.")
        within = (self._filled_(shape, kwargs), *_seeded(self.seed), self.minval, self.maxval, wanted)
        return uniform(*within) if self.seed is None else stateless_uniform(*within)

    def get_config(self) -> dict[str, Any]:
        """The bounds and the seed."""
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


@export("random_normal_initializer")
class RandomNormal(Initializer):
    """An initializer that fills variables with normally distributed numbers.

    Args:
        mean: the mean.
        stddev: the standard deviation.
        seed: if given, every call returns the same numbers.

    >>> import tapeviz as tf
    >>> first = tf.random_normal_initializer(stddev=0.1)
    >>> bool(tf.reduce_all(first([3]) == first([3])))
    False
    """

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: int | None = None) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = "float32", **kwargs: Any) -> Any:
        wanted = as_dtype(dtype)
        if not wanted.is_floating:
            raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {wanted}.")
        around = (self._filled_(shape, kwargs), *_seeded(self.seed), self.mean, self.stddev, wanted)
        return normal(*around) if self.seed is None else stateless_normal(*around)

    def get_config(self) -> dict[str, Any]:
        """The mean, the standard deviation and the seed."""
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


def _seeded(seed: int | None) -> list[list[int]]:
    """The argument that a stateless function takes after the shape, if there is a seed."""
    return [] if seed is None else [[seed, 0]]
