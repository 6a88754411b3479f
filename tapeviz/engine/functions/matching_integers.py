"""Several inputs of integers that must have the same dtype, such as begin and size of a slice -> their arrays."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import hinted
from tapeviz.engine.functions.integers import INT32, QUICK, read_out
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.op_dtypes import TAKES
from tapeviz.engine.op_errors.conversions import another_conversion
from tapeviz.engine.op_errors.dtypes import mixed_dtypes, wrong_dtype
from tapeviz.engine.specs.dtypes import DType, of_numpy
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.convert import array_of


def matching_integers(attr: str, *values: object, hint: DType | None = None) -> list[Any]:
    """The arrays of inputs of one dtype: that of the first tensor among them, or else that of the first input.

    Args:
        attr: the attribute of TensorFlow's op that is the dtype of all of them (`slice.Index`); it allows some dtypes.
        values: the inputs.
        hint: the dtype to try for the first input if its own is not allowed.

    Raises:
        InvalidArgumentError: tensors have different dtypes, or the attribute does not allow the dtype.
        ValueError: tensors have different dtypes, and there is a list among the inputs.
        TypeError: an input cannot be converted to the dtype of the others.
    """
    if all(map(_are_ints, values)):  # as nearly always
        with suppress(OverflowError):
            return [np.array(each, np.int32) for each in values]
    in_python = in_graph.get() is not None or not all(isinstance(each, QUICK) for each in values)
    decides = next((each for each in values if isinstance(each, Tensor if in_python else TensorLike)), None)
    wanted = None if decides is None else decides._dtype
    arrays: list[Any] = []
    for value in values:
        if isinstance(value, TensorLike) and wanted not in (None, value._dtype):
            if in_python:
                raise ValueError(another_conversion(wanted, value))
            raise mixed_dtypes(attr, arrays[0], value._value)
        arrays.append(_of_dtype(value, wanted) if wanted else _first(value, attr, hint))
        wanted = wanted or of_numpy(arrays[0].dtype)
    if arrays[0].dtype not in TAKES[attr]:
        raise wrong_dtype(attr, arrays[0].dtype, repr(values[0]))
    return arrays


def _are_ints(value: object) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(type(each) is int for each in value)


def _first(value: object, attr: str, hint: DType | None) -> Any:
    array = _of_dtype(value, None)
    return array if hint is None or array.dtype in TAKES[attr] else hinted(value, hint)


def _of_dtype(value: object, wanted: DType | None) -> Any:
    return value._value if isinstance(value, TensorLike) else array_of(read_out(value, wanted or INT32), wanted)
