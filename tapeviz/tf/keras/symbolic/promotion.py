"""The dtypes of operands -> the one that Keras computes in (`keras.backend.result_type`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.specs.dtypes import DType, as_dtype
from tapeviz.tf.keras.floats import floatx

_BOOL, _INTEGER, _FLOAT, _COMPLEX = range(4)
_OF_PYTHON = {bool: _BOOL, int: _INTEGER, float: _FLOAT, complex: _COMPLEX}


def kind_of(operand: Any) -> Any:
    """The dtype of a tensor, an array or a placeholder; the class of any other operand."""
    return getattr(operand, "dtype", type(operand))


def result_type(*kinds: Any) -> str:
    """The dtype of the result of an operation: a tensor of integers and one of float16 give float16.

    Args:
        kinds: the dtypes of the operands, or `bool`, `int`, `float` and `complex` for Python numbers. A Python number
            changes only the kind of the result: integers and a float give `floatx`.

    Raises:
        ValueError: an operand is not a number.

    >>> result_type("int32", "float16"), result_type("int64", float), result_type("uint8", int)
    ('float16', 'float32', 'uint8')
    """
    ranks = [_rank(kind) for kind in kinds]
    highest = max(ranks)
    deciding = {
        as_dtype(kind) for kind, rank in zip(kinds, ranks, strict=True) if rank == highest and kind not in _OF_PYTHON
    }
    if not deciding:
        return ("bool", "int32", floatx(), "complex64")[highest]
    return _integer(deciding) if highest == _INTEGER else _widest(deciding)


def _rank(kind: Any) -> int:
    if kind in _OF_PYTHON:
        return _OF_PYTHON[kind]
    if isinstance(kind, type) and not issubclass(kind, np.generic):
        if kind is not str:
            raise ValueError(f"Invalid dtype: {kind.__name__}. An operand is a number, an array or a tensor.")
        kind = "string"
    dtype = as_dtype(kind)
    if dtype.name == "string":
        raise ValueError("dtype='string' is not a valid dtype for Keras type promotion.")
    return _COMPLEX if dtype.is_complex else _FLOAT if dtype.is_floating else _INTEGER if dtype.is_integer else _BOOL


def _integer(dtypes: set[DType]) -> str:
    """The integers that hold all of these; where there are none, floats."""
    found = np.result_type(*[each.as_numpy_dtype for each in dtypes])
    return found.name if found.kind in "iu" else floatx()


def _widest(dtypes: set[DType]) -> str:
    """The one of most bytes; of float16 and bfloat16, neither of which holds the other, float32."""
    size = max(each.size for each in dtypes)
    widest = [each.name for each in dtypes if each.size == size]
    return widest[0] if len(widest) == 1 else "float32"
