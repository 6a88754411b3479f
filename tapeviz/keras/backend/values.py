"""Values -> variables and constants, and what can be asked of them and done to them in `tf.keras.backend`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from tapeviz.engine.api import EXPORTS as tf
from tapeviz.engine.tensors.variable import Variable
from tapeviz.engine.values.constant import constant as make
from tapeviz.keras import seeds
from tapeviz.keras.floats import floatx


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Any:
    """A tensor, in the dtype `floatx` by default.

    >>> constant([1, 2]).dtype.name
    'float32'
    """
    return make(value, dtype=dtype or floatx(), shape=shape, name=name)


def variable(value: Any, dtype: Any = None, name: str | None = None, constraint: Any = None) -> Variable:
    """A variable, in the dtype `floatx` by default.

    >>> variable([1, 2]).dtype.name
    'float32'
    """
    return Variable(value, dtype=dtype or floatx(), name=name, constraint=constraint)


def zeros(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A variable of zeros.

    >>> zeros([2]).numpy().tolist()
    [0.0, 0.0]
    """
    return _filled("zeros", shape, dtype, name)


def ones(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A variable of ones.

    >>> ones([2]).numpy().tolist()
    [1.0, 1.0]
    """
    return _filled("ones", shape, dtype, name)


def _filled(kind: str, shape: Any, dtype: Any, name: str | None) -> Any:
    """A variable; a tensor where there is no number in it."""
    filled = tf[kind](shape, dtype or floatx())
    return variable(filled, dtype, name) if all(filled.shape) else filled


def eye(size: int, dtype: Any = None, name: str | None = None) -> Variable:
    """A variable with ones on the diagonal.

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
    """Numbers drawn from a normal distribution.

    >>> random_normal([2, 3]).shape
    TensorShape([2, 3])
    """
    return _drawn("normal", shape, mean, stddev, dtype, seed)


def random_uniform(
    shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: int | None = None
) -> Any:
    """Numbers drawn evenly between two.

    >>> random_uniform([2, 3]).shape
    TensorShape([2, 3])
    """
    return _drawn("uniform", shape, minval, maxval, dtype, seed)


def truncated_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: int | None = None
) -> Any:
    """Numbers drawn from a normal distribution, none further than two deviations from its mean.

    >>> truncated_normal([2, 3]).shape
    TensorShape([2, 3])
    """
    return _drawn("truncated_normal", shape, mean, stddev, dtype, seed)


# ----- what is asked of them -----


def get_value(x: Any) -> Any:
    """The array of a tensor or variable; anything else as it is.

    >>> get_value(constant([1.0]))
    array([1.], dtype=float32)
    """
    return x.numpy() if tf["is_tensor"](x) else x


def eval(x: Any) -> Any:
    """The same.

    >>> eval(constant([1.0]))
    array([1.], dtype=float32)
    """
    return get_value(x)


def batch_get_value(tensors: Iterable[Any]) -> list[Any]:
    """The arrays of tensors or variables.

    >>> batch_get_value([constant([1.0])])
    [array([1.], dtype=float32)]
    """
    return [each.numpy() for each in tensors]


def dtype(x: Any) -> str:
    """The dtype by its name.

    >>> dtype(constant(1))
    'float32'
    """
    return str(x.dtype.base_dtype.name)


def ndim(x: Any) -> int:
    """The number of axes.

    >>> ndim(constant([[1, 2]]))
    2
    """
    rank: int = x.shape.rank
    return rank


def int_shape(x: Any) -> tuple[int, ...]:
    """The lengths of the axes.

    >>> int_shape(constant([[1, 2]]))
    (1, 2)
    """
    return tuple(x.shape)


def count_params(x: Any) -> int:
    """How many numbers there are.

    >>> count_params(constant([[1, 2]]))
    2
    """
    return int(np.prod(x.shape.as_list()))


def gradients(loss: Any, variables: Any) -> NoReturn:
    """What TensorFlow does not do while it runs op by op.

    Raises:
        RuntimeError: always; it says what to use in its place.
    """
    raise RuntimeError(
        "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead: compute the loss "
        "inside `with tf.GradientTape() as tape:`, then call `tape.gradient(loss, variables)`."
    )


# ----- what is done to variables -----


def set_value(x: Any, value: Any) -> None:
    """Give a variable a value.

    >>> x = variable(1.0)
    >>> set_value(x, 2.0)
    >>> float(x)
    2.0
    """
    x.assign(np.asarray(value, dtype=x.dtype.name))


def batch_set_value(tuples: Iterable[Sequence[Any]]) -> None:
    """Give each of several variables its value.

    >>> x = variable(1.0)
    >>> batch_set_value([(x, 2.0)])
    >>> float(x)
    2.0
    """
    for x, value in tuples:
        set_value(x, value)


def update(x: Any, new_x: Any) -> Any:
    """Give a variable a value. Returns the variable.

    >>> float(update(variable(1.0), 2.0))
    2.0
    """
    return x.assign(new_x)


def update_add(x: Any, increment: Any) -> Any:
    """Add to a variable. Returns the variable.

    >>> float(update_add(variable(1.0), 2.0))
    3.0
    """
    return x.assign_add(increment)


def update_sub(x: Any, decrement: Any) -> Any:
    """Subtract from a variable. Returns the variable.

    >>> float(update_sub(variable(1.0), 2.0))
    -1.0
    """
    return x.assign_sub(decrement)


def moving_average_update(x: Any, value: Any, momentum: float) -> Any:
    """Bring a running mean nearer to a value. Returns the variable.

    >>> float(moving_average_update(variable(1.0), 2.0, 0.75))
    1.25
    """
    momentum, value = tf["cast"](momentum, x.dtype), tf["cast"](value, x.dtype)
    return x.assign_sub((x - value) * (1 - momentum))
