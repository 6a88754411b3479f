"""A variable and a value -> the variable with another value, as `tf.keras.backend` does it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tapeviz.engine.functions.exports import EXPORTS as tf


def set_value(x: Any, value: Any) -> None:
    """Assign a value, which may be an array, to a variable.

    >>> from tapeviz.keras import backend as K
    >>> x = K.variable(1.0)
    >>> K.set_value(x, 2.0)
    >>> float(x)
    2.0
    """
    x.assign(np.asarray(value, dtype=x.dtype.name))


def batch_set_value(tuples: Iterable[Sequence[Any]]) -> None:
    """Assign values to several variables, given as pairs.

    >>> from tapeviz.keras import backend as K
    >>> x = K.variable(1.0)
    >>> K.batch_set_value([(x, 2.0)])
    >>> float(x)
    2.0
    """
    for x, value in tuples:
        set_value(x, value)


def update(x: Any, new_x: Any) -> Any:
    """Assign a tensor to a variable, and return the variable.

    >>> from tapeviz.keras import backend as K
    >>> float(K.update(K.variable(1.0), 2.0))
    2.0
    """
    return x.assign(new_x)


def update_add(x: Any, increment: Any) -> Any:
    """Add a tensor to a variable, and return the variable.

    >>> from tapeviz.keras import backend as K
    >>> float(K.update_add(K.variable(1.0), 2.0))
    3.0
    """
    return x.assign_add(increment)


def update_sub(x: Any, decrement: Any) -> Any:
    """Subtract a tensor from a variable, and return the variable.

    >>> from tapeviz.keras import backend as K
    >>> float(K.update_sub(K.variable(1.0), 2.0))
    -1.0
    """
    return x.assign_sub(decrement)


def moving_average_update(x: Any, value: Any, momentum: float) -> Any:
    """Move a variable towards a value, and return the variable: `x * momentum + value * (1 - momentum)`.

    >>> from tapeviz.keras import backend as K
    >>> float(K.moving_average_update(K.variable(1.0), 2.0, 0.75))
    1.25
    """
    momentum, value = tf["cast"](momentum, x.dtype), tf["cast"](value, x.dtype)
    return x.assign_sub((x - value) * (1 - momentum))
