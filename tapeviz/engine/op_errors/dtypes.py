"""An op and a dtype that it does not take, or two dtypes that differ -> the error, of TensorFlow's class."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine.op_dtypes import ALLOWED, TAKES, spoken
from tapeviz.engine.specs.dtype_sets import EVERY, TRUTH
from tapeviz.engine.specs.dtypes import BY_NAME, of_numpy
from tapeviz.errors import InvalidArgumentError, NotFoundError, UnimplementedError

QUOTIENTS = ("div", "truediv", "divide_no_nan")
"""The ops whose dtypes TensorFlow checks in Python."""
UNIMPLEMENTED = ("silu", "tile", "where_true")
"""The ops with kernels for a dtype that are not implemented on a CPU."""


def dtype_and_shape(array: Any) -> str:
    """What an error says of an array: `float32 of shape (2,)`."""
    return f"{of_numpy(array.dtype).name} of shape {array.shape}"


def wrong_dtype(op: str, dtype: np.dtype[Any], given: str = "") -> Exception:
    """The error for a dtype that an op, or one of its attributes (`gather.Tindices`), does not take.

    >>> str(wrong_dtype("floor", np.dtype(object)))
    'floor takes float16, float32, float64 or bfloat16, not string. Use tf.cast.'
    """
    name, _, attr = spoken(op).partition(".")
    if TAKES.get(op) is TRUTH:
        return another_dtype(name, np.dtype(bool), dtype, f"a tensor of {of_numpy(dtype).name}")
    taken = TAKES[op] if attr or op in ALLOWED else EVERY  # without a row it was NumPy that refused
    *some, last = [each for each, dtype in BY_NAME.items() if dtype in taken] or ["another dtype"]
    names = f"{', '.join(some)} or {last}" if some else last
    said = f"{name or 'The op'} takes {names}, not {given or of_numpy(dtype).name}. Use tf.cast."
    if op in QUOTIENTS:
        return TypeError(said)
    if dtype in (ALLOWED[op] if attr or op in ALLOWED else EVERY):
        return UnimplementedError(said) if op in UNIMPLEMENTED else without_kernel(said)
    return InvalidArgumentError(said, in_graph=TypeError)


def without_kernel(said: str) -> NotFoundError:
    """The error for a dtype or an attribute for which TensorFlow has no kernel on a CPU, though its op allows it."""
    error = NotFoundError(said)
    error.in_graph = partial(InvalidArgumentError, at_run=True)
    return error


def require_taken(op: str, dtype: np.dtype[Any]) -> None:
    """Raise the error for a dtype, unless the op takes it."""
    if dtype not in TAKES[op]:
        raise wrong_dtype(op, dtype)


def mixed_dtypes(op: str, x: Any, y: Any) -> Exception:
    """The error for two tensors of different dtypes."""
    return unlike_dtypes(op, x.dtype, y.dtype, f"{dtype_and_shape(x)} and {dtype_and_shape(y)}")


def unlike_dtypes(op: str, first: np.dtype[Any], other: np.dtype[Any], given: str) -> Exception:
    """The error for two different dtypes; TensorFlow first checks if the op takes the first, except in quotients."""
    plain = op.partition(".")[0]
    if op not in QUOTIENTS and first not in TAKES.get(op, TAKES.get(plain, EVERY)):
        return wrong_dtype(op, first)
    return another_dtype(op, first, other, given)


def another_dtype(op: str, wanted: np.dtype[Any], have: np.dtype[Any], given: str) -> Exception:
    """The error for an input of another dtype; for quotients it is a TypeError."""
    op = spoken(op).partition(".")[0]
    dtypes = f"{of_numpy(have).name} where {of_numpy(wanted).name} is expected"
    said = f"{op} got {given}: {dtypes}. Use tf.cast on one of them."
    return TypeError(said) if op in QUOTIENTS else InvalidArgumentError(said, in_graph=TypeError)
