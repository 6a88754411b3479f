"""Values -> variables and constants, and what can be asked of them and done to them in `tf.keras.backend`."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.engine.tensors.variable import Variable
from tapeviz.engine.values.constant import constant as make
from tapeviz.tf.keras import seeds
from tapeviz.tf.keras.floats import floatx


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Any:
    """A constant tensor, by default of the dtype `floatx`.

    Args:
        value: its value.
        dtype: its dtype.
        shape: its shape, if the value is to be repeated or reshaped.

    >>> constant([1, 2]).dtype.name
    'float32'
    """
    return make(value, dtype=dtype or floatx(), shape=shape, name=name)


def variable(value: Any, dtype: Any = None, name: str | None = None, constraint: Any = None) -> Variable:
    """A variable, by default of the dtype `floatx`.

    Args:
        value: its first value.
        dtype: its dtype.
        name: its name.
        constraint: a function that is applied after each step of an optimizer.

    >>> variable([1, 2]).dtype.name
    'float32'
    """
    return Variable(value, dtype=dtype or floatx(), name=name, constraint=constraint)


def zeros(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A variable filled with zeros, or a tensor if it has no elements.

    >>> zeros([2]).numpy().tolist()
    [0.0, 0.0]
    """
    return _filled("zeros", shape, dtype, name)


def ones(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A variable filled with ones, or a tensor if it has no elements.

    >>> ones([2]).numpy().tolist()
    [1.0, 1.0]
    """
    return _filled("ones", shape, dtype, name)


def _filled(kind: str, shape: Any, dtype: Any, name: str | None) -> Any:
    """A variable; a tensor where there is no number in it."""
    filled = tf[kind](shape, dtype or floatx())
    return variable(filled, dtype, name) if all(filled.shape) else filled


def eye(size: int, dtype: Any = None, name: str | None = None) -> Variable:
    """A variable that is an identity matrix.

    >>> eye(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return variable(tf["eye"](size, dtype=dtype or floatx()), dtype, name)


# ----- random numbers; without a seed, by one that NumPy draws -----


def _drawn(kind: str, shape: Any, first: Any, second: Any, dtype: Any, seed: int | None) -> Any:
    return tf[f"random.{kind}"](shape, first, second, dtype or floatx(), seeds.of_numpy(seed))


def random_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: int | None = None
) -> Any:
    """Normally distributed numbers: `tf.random.normal`. Without a seed, NumPy draws one.

    >>> random_normal([2, 3]).shape
    TensorShape([2, 3])
    """
    return _drawn("normal", shape, mean, stddev, dtype, seed)


def random_uniform(
    shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: int | None = None
) -> Any:
    """Uniformly distributed numbers: `tf.random.uniform`. Without a seed, NumPy draws one.

    >>> random_uniform([2, 3]).shape
    TensorShape([2, 3])
    """
    return _drawn("uniform", shape, minval, maxval, dtype, seed)


def truncated_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: int | None = None
) -> Any:
    """Normally distributed numbers within two standard deviations: `tf.random.truncated_normal`.

    Without a seed, NumPy draws one.

    >>> truncated_normal([2, 3]).shape
    TensorShape([2, 3])
    """
    return _drawn("truncated_normal", shape, mean, stddev, dtype, seed)
