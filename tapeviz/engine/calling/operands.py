"""An operand that is no tensor -> its array, in the dtype of the tensor that is the other operand."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.op_dtypes import spoken
from tapeviz.engine.op_errors.conversions import not_convertible
from tapeviz.engine.op_errors.dtypes import unlike_dtypes
from tapeviz.engine.specs.dtypes import BFLOAT16, of_numpy
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.convert import array_of, holds_tensors
from tapeviz.engine.values.python_values import no_tensor

FLOATS = frozenset((np.float16, np.float32, np.float64, BFLOAT16.type))
_CONVERTED_FIRST = ("add", "matmul", "div", "truediv")
"""Ops for which TensorFlow makes a tensor of the second operand before it compares the dtypes."""


class HoldsTensors(Exception):
    """An operand is a list of tensors. An op has to stack it, so that gradients flow through it."""


def literal(value: Any, like: Any, op: str, *, leads: bool = False) -> Any:
    """The array of an operand that is not a tensor.

    Args:
        value: the operand.
        like: the array of the other operand, a tensor, whose dtype it gets; None if there is none.
        op: the name of the op.
        leads: whether it is the first operand.

    Raises:
        TypeError: a number does not fit the dtype (InvalidArgumentError as for `beside`).
        ValueError: the operand is None, or not a number, a list or an array.
        HoldsTensors: it is a list of tensors.
    """
    kind = type(value)
    if (kind is float or kind is int) and like is not None:
        scalar = type(like) if type(like) is not np.ndarray else like.dtype.type
        if scalar in FLOATS:
            return scalar(value)
    if isinstance(value, np.generic) and (like is None or value.dtype == like.dtype):
        return value
    if kind is np.ndarray and (like is None or value.dtype == like.dtype):
        return value.copy()  # the user may write into theirs before the backward pass
    if like is None:
        return array_of(value)
    if holds_tensors(value):
        raise HoldsTensors
    return beside(value, like.dtype, op, leads=leads)


def beside(value: Any, dtype: np.dtype[Any], op: str, *, leads: bool = False) -> Any:
    """The array of an operand in the dtype of the other one, a tensor.

    Args:
        value: the operand.
        dtype: the dtype of the tensor.
        op: the name of the op.
        leads: whether it is the first operand.

    Raises:
        TypeError: a Python number or string does not fit the dtype (InvalidArgumentError for the second one of + and
            @).
        ValueError: the operand is None, or not a number, a list or an array.
    """
    if value is None:
        raise ValueError(f"{no_tensor(None)} It is an operand of {op}. Is it a gradient that is None?")
    if isinstance(value, TensorLike):
        return value._value
    if hasattr(value, "_dense"):
        return value._dense()._value
    wanted = of_numpy(dtype)
    try:
        return array_of(value, wanted)
    except (TypeError, ValueError) as error:
        have = array_of(value).dtype
        given = f"a tensor of {wanted.name} and {value!r}, which is {of_numpy(have).name}"
        if op in _CONVERTED_FIRST and not leads:
            raise unlike_dtypes(op, dtype, have, given) from None
        if isinstance(error, ValueError):
            raise
        advice = f"In {spoken(op)} of {given}: use tf.cast on one of them"
        raise not_convertible(value, dtype, advice) from None
