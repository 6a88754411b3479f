"""An allocation for which there is not enough memory -> TensorFlow's error."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from tapeviz.engine.op_errors.spelling import listed, spelled
from tapeviz.errors import InvalidArgumentError, ResourceExhaustedError


def exhausted(error: Exception) -> ResourceExhaustedError:
    """TensorFlow's error for want of memory, with shape and dtype if NumPy's error has them."""
    shape, dtype = getattr(error, "shape", None), getattr(error, "dtype", None)
    if shape is None or dtype is None:
        return ResourceExhaustedError(f"OOM when allocating tensor. {error}")
    return _without_room(shape, dtype)


def allocated(make: Callable[..., Any], shape: tuple[int, ...], dtype: Any) -> Any:
    """The result of a NumPy function, which allocates an array of a shape and a dtype.

    Raises:
        ResourceExhaustedError: there is no room for it.
        InvalidArgumentError: it has more elements than can be counted.
    """
    try:
        return make(shape, dtype)
    except (MemoryError, ValueError) as error:
        if prod(shape) > np.iinfo(np.int64).max:
            raise InvalidArgumentError(f"Shape {listed(shape)} would have more than 2**63 - 1 elements") from None
        raise _without_room(shape, np.dtype(dtype)) from error


def _without_room(shape: tuple[int, ...], dtype: np.dtype[Any]) -> ResourceExhaustedError:
    size = prod(shape) * dtype.itemsize / 2**30
    return ResourceExhaustedError(
        f"OOM when allocating tensor with shape{listed(shape)} and type {spelled(dtype)}. It would take {size:,.1f} "
        "GiB: is one of two shapes stretched that should be the same?"
    )
