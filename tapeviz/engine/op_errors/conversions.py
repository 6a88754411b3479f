"""A value that cannot become a tensor of a dtype -> the error, of TensorFlow's class."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.specs.dtypes import DType, of_numpy
from tapeviz.errors import UnimplementedError


def require_castable(have: DType, wanted: DType) -> None:
    """Raise UnimplementedError for a cast of strings to numbers, or of numbers to strings."""
    if (have._numpy.kind == "O") is not (wanted._numpy.kind == "O"):
        raise UnimplementedError(f"A cast of {have.name} to {wanted.name} is not supported: tf.cast is for numbers.")


def another_conversion(wanted: DType, tensor: Any, name: str | None = None) -> str:
    """The message about a conversion of a tensor, a variable or slices to another dtype.

    Args:
        wanted: the dtype to convert to.
        tensor: the tensor.
        name: the name of the result, if it has one.
    """
    kind = "slices" if hasattr(tensor, "_dense") else "the variable" if tensor._role == "variable" else "a tensor"
    begin = f"{name}: " if name else ""
    return f"{begin}{wanted.name} is expected, not {kind} of {tensor.dtype.name}: {tensor!r}. Use tf.cast"


def not_convertible(value: object, dtype: np.dtype[Any], advice: str = "Use tf.cast") -> TypeError:
    """The error for a value that cannot become a tensor of a dtype."""
    return TypeError(f"Cannot convert {value!r} to a tensor of {of_numpy(dtype).name}. {advice}.")
