"""Integers among the arguments -> ints and tuples of ints, as TensorFlow converts them.

Attributes of an op are converted by Python's `int`. Inputs become tensors: of the dtype that they must have or, if the
op allows several, of int32, and of their own dtype only if that fails.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from contextlib import suppress
from typing import Any

import numpy as np

from tapeviz.engine.api.arguments import exactly, hinted, rank_of
from tapeviz.engine.op_dtypes import TAKES
from tapeviz.engine.op_errors.conversions import another_conversion, not_convertible
from tapeviz.engine.op_errors.dtypes import wrong_dtype
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.specs.dimension import Dimension
from tapeviz.engine.specs.dtypes import as_dtype, of_numpy
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.tracing.building import in_graph
from tapeviz.engine.values.convert import array_of, holds_tensors
from tapeviz.engine.values.python_values import no_tensor
from tapeviz.errors import InvalidArgumentError

INT32, INT64 = as_dtype("int32"), as_dtype("int64")

_SCALAR = "input must be scalar, not of shape {shape}: one integer is expected."

# ----- used by Python code alone -----


def int_of(value: Any) -> int:
    """An int, from a tensor, an array or anything with `__index__`.

    Raises:
        TypeError: what is no integer.
        ValueError: None.
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
    """An int, which in TensorFlow becomes a tensor of int64, perhaps with a name.

    Raises:
        ValueError: a tensor of another dtype.
        TypeError: what is no integer.
        InvalidArgumentError: several.
    """
    if isinstance(value, TensorLike) and value._dtype is not INT64:
        raise ValueError(another_conversion(INT64, value, name))
    what = f"{name} must be a" if name else "input must be"
    return _only(array_of(value, INT64), f"{what} scalar, not of shape {{shape}}: one integer is expected.")


def whole(value: Any, name: str) -> Any:
    """The array of an argument that must be an integer or a vector of integers.

    Raises:
        TypeError: other numbers, or texts.
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
    """An int that is an attribute of TensorFlow's op, not an input: any single number, truncated.

    Raises:
        TypeError: a text, None, or several numbers.
    """
    if type(value) is int:
        return value
    number = value._value if isinstance(value, TensorLike) else value
    with suppress(TypeError, ValueError):
        if not isinstance(number, str) and not np.ndim(number):
            return int(number)
    raise TypeError(f"Expected int for argument {name!r} not {value!r}.")


def flag_of(value: Any, name: str, unless_told: bool = False) -> bool:
    """A bool that is an attribute of TensorFlow's op, not an input; None for its default.

    Raises:
        TypeError: what is merely truthy or falsy, such as 1.
    """
    if value is not None and type(value) is not bool:
        raise TypeError(f"Expected bool for argument {name!r} not {value!r}.")
    return unless_told if value is None else value


def settings_of(values: Any, name: str) -> tuple[int, ...]:
    """The ints of an attribute that is a list, or a single int; a tensor or an array counts as a list."""
    several = isinstance(values, (list, tuple, np.ndarray, Tensor))
    single = type(values) is int or not (several or rank_of(values))
    return tuple([setting_of(each, name) for each in ((values,) if single else values)])


# ----- inputs -----


def integers_of(value: Any, attr: str, *others: Any, hint: Any = INT32, strict: bool | None = None) -> Any:
    """The array of an input of integers.

    Args:
        value: the input; what is no tensor is converted to the dtype `hint`.
        attr: the attribute of TensorFlow's op that is its dtype; it allows some dtypes.
        others: the other inputs of the op.
        strict: whether it is an error if it cannot be converted, or has its own dtype then. By default it is an error
            if this and the other inputs are tensors, arrays and numbers, as TensorFlow then converts them in C++.

    Raises:
        InvalidArgumentError: a dtype that the attribute does not have.
        TypeError: what does not fit.
        ValueError: None.
    """
    graph = in_graph.get()
    if graph is not None and (isinstance(value, TensorLike) or holds_tensors(value)):
        graph.shape_by_values()
    if isinstance(value, TensorLike):
        array = value._value
    else:
        strict = all(isinstance(each, QUICK) for each in (value, *others)) if strict is None else strict
        array = (array_of if strict else hinted)(read_out(value, hint), hint)
    if array.dtype not in TAKES[attr]:
        raise wrong_dtype(attr, array.dtype, repr(value))
    return array


QUICK = (TensorLike, np.ndarray, np.generic, int, float)
"""What TensorFlow converts in C++; anything else, such as a list, it converts in Python."""


def read_out(value: Any, hint: Any) -> Any:
    """A list with numbers in place of tensors, which are cast to the hint."""
    if isinstance(value, TensorLike):
        return (value._value if hint is None else value._value.astype(hint._numpy)).tolist()
    return [read_out(each, hint) for each in value] if holds_tensors(value) else value


def one_of(
    value: Any,
    attr: str,
    *others: Any,
    hint: Any = INT32,
    strict: bool | None = None,
    otherwise: str = _SCALAR,
) -> int:
    """An input that must be a single integer.

    Raises:
        InvalidArgumentError: it has axes; `otherwise` is the text, with fields for its `shape` and `rank`.
    """
    if type(value) is int:
        return value
    return _only(integers_of(value, attr, *others, hint=hint, strict=strict), otherwise)


def int32_of(value: Any, op: str, slot: int, *others: Any, otherwise: str) -> int:
    """Input number `slot` of an op that must be a single int32; errors are those of `exactly`."""
    return value if type(value) is int else _only(exactly(value, "int32", op, slot, *others)._value, otherwise)


def _only(array: Any, otherwise: str) -> int:
    require(not array.ndim, otherwise.format(shape=listed(array.shape), rank=array.ndim))
    return int(array)


def axis_in(
    axis: Any, *others: Any, attr: str = ".Tidx", otherwise: str = "'dim' must be a tensor with a single value:"
) -> int:
    """A single axis, which may be in a list.

    Raises:
        InvalidArgumentError: a list of several, told as `otherwise` says.
    """
    if type(axis) is int:
        return axis
    array = integers_of(axis, attr, *others)
    require(array.size == 1, f"{otherwise} One axis is expected, got {axis}.")
    return int(array.reshape(())[()])


def axis_of(axis: Any, *others: Any) -> int | tuple[int, ...] | None:
    """The axes of a reduction: None for all of them."""
    if axis is None or type(axis) is int:
        return axis
    if isinstance(axis, (list, tuple)) and all(isinstance(each, int) for each in axis):
        return tuple(map(int, axis))
    array = integers_of(axis, ".Tidx", *others)  # a matrix of axes is read row by row, as TensorFlow does
    return tuple(array.reshape(-1).tolist()) if array.ndim else int(array)


def ints_of(
    values: Any,
    *others: Any,
    attr: str = ".Tshape",
    hint: Any = INT32,
    strict: bool | None = None,
    otherwise: str = "",
) -> tuple[int, ...]:
    """A tuple of ints from a shape, a list, an array, a tensor, or a number.

    Raises:
        InvalidArgumentError: a matrix; `otherwise` is the text, with fields for its `shape` and `rank`. Or as
            `integers_of`.
    """
    if type(values) is int:
        return (values,)
    if isinstance(values, (list, tuple)) and all(type(each) is int or isinstance(each, Dimension) for each in values):
        return tuple(map(int, values))
    array = integers_of(values, attr, *others, hint=hint, strict=strict)
    if array.ndim > 1:
        said = (otherwise or _NO_VECTOR[attr]).format(shape=listed(array.shape), rank=array.ndim, size=array.size)
        raise InvalidArgumentError(f"{said}. A vector of integers is expected, got {values!r}.")
    return tuple(array.reshape(-1).tolist())


_NO_VECTOR = defaultdict(
    lambda: "sizes input must be 1-D, not {shape}",
    {
        ".index_type": "dims must represent a vector, got shape {shape}",
        ".Tshift": "shift must be a scalar or a 1-D vector. Found: {shape}",
        ".Taxis": "axis must be a scalar or a 1-D vector. Found: {shape}",
        "split.Tlen": "size of the split_tensor must be 1-D and have the same elements as outputs "
        "got {rank} -D and {size} elements",
    },
)
"""TensorFlow's message about a matrix in place of a vector, by the attribute that is its dtype."""

NO_SHAPE = "shape must be a vector of {{int32,int64}}, got shape {shape}"
"""Its message about a shape that is no vector."""


def shape_of(dims: Any, *others: Any, at_run: bool = False, **reading: Any) -> tuple[int, ...]:
    """The shape of a new tensor; `at_run`: a negative length is an error at run time, not while a graph is built.

    Raises:
        InvalidArgumentError: a negative length; otherwise as `ints_of`.
    """
    shape = ints_of(dims, *others, **reading)
    negative = next((length for length in shape if length < 0), None)
    if negative is not None:
        raise InvalidArgumentError(f"Dimension {negative} must be >= 0, got the shape {shape}.", at_run=at_run)
    return shape


def require_vector_in_graph(values: Any) -> None:
    """Raise the error for a single number as a shape, which only kernels take for a vector of one.

    Raises:
        ValueError: while a graph is built.
    """
    if in_graph.get() is not None and not rank_of(values):
        raise ValueError(f"Shape must be rank 1 but is rank 0: a vector is expected, got {values!r}: write [{values}].")


def vector_of(values: Any, otherwise: str, *others: Any, **reading: Any) -> tuple[int, ...]:
    """The same as `ints_of`, for what must be a vector.

    Raises:
        InvalidArgumentError: a single number or a matrix; `otherwise` is the text.
    """
    found = ints_of(values, *others, otherwise=otherwise, **reading)
    if not rank_of(values):
        said = otherwise.format(shape="[]", rank=0)
        raise InvalidArgumentError(f"{said}: a vector is expected, got {values!r}: write [{values}].")
    return found
