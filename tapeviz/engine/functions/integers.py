"""Integers among the arguments: one, a vector, several of one dtype -> ints, tuples of ints and arrays.

As TensorFlow converts them: attributes of an op by Python's `int`. Inputs become tensors: of the dtype that they must
have or, if the op allows several, of int32, and of their own dtype only if that fails.
"""

from __future__ import annotations

import operator
from contextlib import suppress
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import exactly, hinted, rank_of
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.op_dtypes import TAKES
from tapeviz.engine.op_errors.conversions import another_conversion, not_convertible
from tapeviz.engine.op_errors.dtypes import mixed_dtypes, wrong_dtype
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.specs.dtypes import DType, as_dtype, of_numpy
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.convert import array_of, holds_tensors, require_one_dtype, require_one_shape
from tapeviz.engine.values.python_values import no_tensor
from tapeviz.errors import InvalidArgumentError

INT32, INT64 = as_dtype("int32"), as_dtype("int64")

_SCALAR = "input must be scalar, not of shape {shape}: one integer is expected."

# ----- used by Python code alone -----


def int_of(value: Any) -> int:
    """An int, from a tensor, an array or another integer.

    Raises:
        TypeError: the value is not an integer.
        ValueError: the value is None.
    """
    if isinstance(value, TensorLike):
        value = value._value
    if value is None:
        raise ValueError(f"{no_tensor(None)} An integer is expected.")
    try:
        return operator.index(value)
    except TypeError:
        raise not_convertible(value, INT32._numpy, "An integer is expected") from None


def long_of(value: Any, name: str | None = None) -> int:
    """An int from an argument that TensorFlow makes a tensor of int64, whose `name` its errors contain.

    Raises:
        ValueError: a tensor of another dtype.
        TypeError: the value is not an integer.
        InvalidArgumentError: there are several.
    """
    if isinstance(value, TensorLike) and value._dtype is not INT64:
        raise ValueError(another_conversion(INT64, value, name))
    what = f"{name} must be a" if name else "input must be"
    return _only(array_of(value, INT64), f"{what} scalar, not of shape {{shape}}: one integer is expected.")


def whole(value: object, name: str) -> Any:
    """The array of an argument that must be an integer or a vector of integers.

    Raises:
        TypeError: another dtype.
        ValueError: a matrix.
    """
    array = hinted(value, INT32)
    if array.size and array.dtype.kind not in "iu":
        given = f"Received `tensor` = {array} of dtype: {of_numpy(array.dtype)}."
        raise TypeError(f"Argument `tensor` (name: {name}) must be of type integer. {given}")
    if array.ndim > 1:
        raise ValueError(f"Shape {array.shape} must have rank at most 1. It is that of {name}.")
    return array


# ----- attributes of ops -----


def setting_of(value: Any, name: str) -> int:
    """An int from an argument that is an attribute of TensorFlow's op, not an input. Fractions are cut off.

    Raises:
        TypeError: a string, None, or several numbers.
    """
    if type(value) is int:
        return value
    number = value._value if isinstance(value, TensorLike) else value
    with suppress(TypeError, ValueError):
        if not isinstance(number, str) and not np.ndim(number):
            return int(number)
    raise TypeError(f"The argument {name!r} is an integer, not {value!r}: give an int.")


def flag_of(value: object, name: str, unless_told: bool = False) -> bool:
    """A bool from an argument that is an attribute of TensorFlow's op, not an input; `unless_told` for None.

    Raises:
        TypeError: the value is not a bool. Numbers are not accepted.
    """
    if value is not None and type(value) is not bool:
        raise TypeError(f"Expected bool for argument {name!r} not {value!r}.")
    return unless_told if value is None else value


def settings_of(values: Any, name: str) -> tuple[int, ...]:
    """The ints of an attribute of TensorFlow's op that is a list, from a list, a tensor, an array or a single int."""
    several = isinstance(values, (list, tuple, np.ndarray, Tensor))
    single = type(values) is int or not (several or rank_of(values))
    return tuple([setting_of(each, name) for each in ((values,) if single else values)])


# ----- inputs -----


def integers_of(value: Any, attr: str, *others: object, hint: Any = INT32, strict: bool | None = None) -> Any:
    """The array of an input of integers.

    Args:
        value: the input.
        attr: the attribute of TensorFlow's op that is its dtype; it allows some dtypes.
        others: the other inputs of the op.
        hint: the dtype to which anything but a tensor is converted.
        strict: whether it is an error if that fails. Otherwise the value has its own dtype. By default it is an error
            if all inputs are tensors, arrays and numbers, which TensorFlow converts in C++.

    Raises:
        InvalidArgumentError: the attribute does not allow the dtype.
        TypeError: the value cannot be converted.
        ValueError: the value is None.
    """
    if isinstance(value, TensorLike):
        array = value._value
    else:
        strict = all(isinstance(each, QUICK) for each in (value, *others)) if strict is None else strict
        array = (array_of if strict else hinted)(read_out(value, hint, one_dtype=not strict), hint)
    if array.dtype not in TAKES[attr]:
        raise wrong_dtype(attr, array.dtype, repr(value))
    return array


QUICK = (TensorLike, np.ndarray, np.generic, int, float)
"""What TensorFlow converts in C++; anything else, such as a list, it converts in Python."""


def read_out(value: Any, hint: Any, one_dtype: bool = True) -> Any:
    """A list in which tensors are replaced by their numbers, cast to the dtype `hint`.

    Raises:
        InvalidArgumentError: its elements have different shapes or, with `one_dtype`, its tensors different dtypes.
    """
    if isinstance(value, TensorLike):
        return (value._value if hint is None else value._value.astype(hint._numpy)).tolist()
    if not holds_tensors(value):
        return value
    if one_dtype and all(isinstance(each, Tensor) for each in value):
        require_one_dtype(value)
    found = [read_out(each, hint, one_dtype) for each in value]
    if not all(type(each) is int for each in found):
        require_one_shape(found)
    return found


def one_of(
    value: object,
    attr: str,
    *others: object,
    hint: object = INT32,
    strict: bool | None = None,
    otherwise: str = _SCALAR,
) -> int:
    """An int from an input that must be a scalar. The other arguments are those of `integers_of`.

    Raises:
        InvalidArgumentError: it is not. `otherwise` is the text, with fields for its `shape` and `rank`.
    """
    if type(value) is int:
        return value
    return _only(integers_of(value, attr, *others, hint=hint, strict=strict), otherwise)


def int32_of(value: object, op: str, *others: object, otherwise: str) -> int:
    """An int from an input that must be an int32 scalar. Errors are those of `exactly` and `one_of`."""
    return value if type(value) is int else _only(exactly(value, "int32", op, *others)._value, otherwise)


def _only(array: Any, otherwise: str) -> int:
    require(not array.ndim, otherwise.format(shape=listed(array.shape), rank=array.ndim))
    return int(array)


def axis_in(
    axis: object, *others: object, attr: str = ".Tidx", otherwise: str = "'dim' must be a tensor with a single value:"
) -> int:
    """A single axis, which may be in a list.

    Raises:
        InvalidArgumentError: there are several. `otherwise` is the beginning of the text.
    """
    if type(axis) is int:
        return axis
    array = integers_of(axis, attr, *others)
    require(array.size == 1, f"{otherwise} One axis is expected, got {axis}.")
    return int(array.reshape(())[()])


def axis_of(axis: object, *others: object) -> int | tuple[int, ...] | None:
    """The axes of a reduction: an int, a tuple, or None for all."""
    if axis is None or type(axis) is int:
        return axis
    if isinstance(axis, (list, tuple)) and all(isinstance(each, int) for each in axis):
        return tuple(map(int, axis))
    array = integers_of(axis, ".Tidx", *others)  # a matrix of axes is read row by row, as TensorFlow does
    return tuple(array.reshape(-1).tolist()) if array.ndim else int(array)


def ints_of(
    values: object,
    *others: object,
    attr: str = ".Tshape",
    hint: object = INT32,
    strict: bool | None = None,
    otherwise: str = "",
) -> tuple[int, ...]:
    """A tuple of ints from a shape, a list, an array, a tensor or a number, by `integers_of`.

    Raises:
        InvalidArgumentError: a matrix. `otherwise` is the text, with fields for its `shape` and `rank`. Or as
            for `integers_of`.
    """
    if type(values) is int:
        return (values,)
    if isinstance(values, (list, tuple)) and all(type(each) is int for each in values):
        return tuple(values)
    array = integers_of(values, attr, *others, hint=hint, strict=strict)
    if array.ndim > 1:
        said = (otherwise or "no matrix, of shape {shape}").format(shape=listed(array.shape), rank=array.ndim)
        raise InvalidArgumentError(f"{said}: a vector of integers is expected, got {values!r}.")
    return tuple(array.reshape(-1).tolist())


NO_SHAPE = "shape must be a vector of {{int32,int64}}, got shape {shape}"
"""The message about a shape that is no vector."""


def shape_of(dims: Any, *others: Any, at_run: bool = False, **reading: Any) -> tuple[int, ...]:
    """The shape of a new tensor, by `ints_of`.

    Args:
        dims: the lengths.
        others: the other inputs of the op.
        at_run: whether a negative length is found only when a graph runs, not while it is built.
        reading: further arguments of `ints_of`.

    Raises:
        InvalidArgumentError: a length is negative; or as for `ints_of`.
    """
    shape = ints_of(dims, *others, **reading)
    negative = next((length for length in shape if length < 0), None)
    if negative is not None:
        raise InvalidArgumentError(f"Dimension {negative} must be >= 0, got the shape {shape}.", at_run=at_run)
    return shape


def require_vector_in_graph(values: object) -> None:
    """Check that a shape is a vector while a graph is built. Eagerly, TensorFlow's kernels read a scalar as a vector.

    Raises:
        ValueError: it is a scalar, and a graph is being built.
    """
    if in_graph.get() is not None and not rank_of(values):
        raise ValueError(f"Shape must be rank 1 but is rank 0: a vector is expected, got {values!r}: write [{values}].")


def vector_of(values: Any, otherwise: str, *others: Any, **reading: Any) -> tuple[int, ...]:
    """The ints of an input that must be a vector, by `ints_of`.

    Raises:
        InvalidArgumentError: it is a scalar or a matrix. `otherwise` is the text.
    """
    found = ints_of(values, *others, otherwise=otherwise, **reading)
    if not rank_of(values):
        said = otherwise.format(shape="[]", rank=0)
        raise InvalidArgumentError(f"{said}: a vector is expected, got {values!r}: write [{values}].")
    return found


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
