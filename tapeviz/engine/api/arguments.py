"""What a user passes -> tensors, axes and shapes, as TensorFlow reads them."""

from __future__ import annotations

import operator
from collections import defaultdict
from contextlib import suppress
from typing import Any

import numpy as np

from tapeviz.engine.constant import constant, convert_to_tensor, parents_of
from tapeviz.engine.convert import array_of, beside, no_tensor
from tapeviz.engine.dtypes import as_dtype, of_numpy, require
from tapeviz.engine.refusals import (
    another_conversion,
    another_dtype,
    mixed_dtypes,
    not_convertible,
    spelled,
    wrong_dtype,
)
from tapeviz.engine.sentences import listed
from tapeviz.engine.shape import TensorShape
from tapeviz.engine.takes import TAKES, TRUTH
from tapeviz.engine.tensor import TensorLike
from tapeviz.errors import InvalidArgumentError


def tensor_of(value: Any, dtype: Any = None) -> TensorLike:
    """A tensor or variable as it is, anything else as a constant; a list of tensors is stacked."""
    return value if isinstance(value, TensorLike) else convert_to_tensor(value, dtype)


def number_of(value: Any, op: str) -> TensorLike:
    """A tensor of a dtype that an op takes, for an attribute of its own (`gather.Tindices`) or its main one.

    Raises:
        InvalidArgumentError: a dtype that TensorFlow's op is not defined for.
        NotFoundError: one that it has no kernel for.
    """
    taken = TAKES[op]
    if taken is TRUTH and isinstance(value, (np.ndarray, np.generic)):
        value = value.astype(bool)
    tensor = tensor_of(value, "bool" if taken is TRUTH else None)
    have = tensor._value.dtype
    if have in taken:
        return tensor
    raise wrong_dtype(op, have)


def exactly(value: Any, dtype: str, op: str, slot: int, *others: Any) -> TensorLike:
    """Input number `slot` of an op, of which there is one dtype.

    Raises:
        InvalidArgumentError: a tensor of another dtype.
        ValueError: the same, where lists or arrays are among the `others`: TensorFlow makes tensors of all of them.
    """
    have = value.dtype if isinstance(value, TensorLike) else None
    if have is None or have.name == dtype or any(isinstance(each, (list, tuple, np.ndarray)) for each in others):
        return convert_to_tensor(value, dtype)
    raise another_dtype(op, as_dtype(dtype)._numpy, have._numpy, f"a tensor of {have.name}", slot)


def dtype_of(wanted: Any, op: str) -> str:
    """The name of a dtype that an op is to give, for one of its attributes (`unique.out_idx`).

    Raises:
        InvalidArgumentError: a dtype that TensorFlow's op does not give.
        NotFoundError: one that it has no kernel for.
    """
    dtype = as_dtype(wanted)
    if dtype._numpy not in TAKES[op]:
        raise wrong_dtype(op, dtype._numpy)
    return dtype.name


def together(op: str, *values: Any) -> list[Any]:
    """Operands of one dtype, the first tensor's: what is no tensor takes it, or becomes a constant if none is.

    Raises:
        InvalidArgumentError: a tensor of another dtype, or a dtype that the op is not defined for.
        NotFoundError: a dtype that the op has no kernel for.
    """
    taken, first = TAKES[op], values[0]
    if not isinstance(first, TensorLike):
        first = next((each for each in values if isinstance(each, TensorLike)), None)
    if first is None:
        first = tensor_of(values[0], "bool" if taken is TRUTH else None)
        values = (first, *values[1:])
    dtype = first._value.dtype
    for each in values:
        if isinstance(each, TensorLike) and each._value.dtype != dtype:
            slot = next(i for i, value in enumerate(values) if value is each)
            raise mixed_dtypes(op, first._value, each._value, slot)
    other = np.dtype(bool) if taken is TRUTH else dtype
    found = [each if isinstance(each, TensorLike) else plain(each, other, op) for each in values]
    if dtype not in taken:
        raise wrong_dtype(op, dtype)
    return found


def plain(value: Any, dtype: np.dtype[Any], op: str) -> Any:
    """A number as an array beside a tensor; an array or a list becomes a tensor of its own."""
    if isinstance(value, (list, tuple)) and parents_of(value):
        return convert_to_tensor(value, of_numpy(dtype))
    if isinstance(value, (np.ndarray, list, tuple)):
        return constant(beside(value, dtype, op))
    return beside(value, dtype, op)


def value_of(value: Any) -> Any:
    """The array of an argument that no gradient flows to."""
    if isinstance(value, TensorLike):
        value._read()
    return array_of(value)


def require_tensor(op: str, attribute: str, *values: Any) -> None:
    """What TensorFlow asks for an attribute that only tensors, variables and arrays have.

    Raises:
        AttributeError: a list, a number.
    """
    for each in values:
        if not hasattr(each, attribute):
            raise AttributeError(
                f"{type(each).__name__!r} object has no attribute {attribute!r}. In {op}: make a tensor of {each!r} "
                "by tf.constant."
            )


def int_of(value: Any, attr: str = "", dtype: Any = np.int32) -> int:
    """An int, from anything that stands for one; of a tensor, the dtype is the attribute `attr` of TensorFlow's op.

    `dtype` is what TensorFlow makes of what is no tensor.

    Raises:
        InvalidArgumentError: a tensor of another dtype than that takes, or several numbers.
        TypeError: what is no integer.
        ValueError: None.
    """
    if isinstance(value, TensorLike):
        value = _integers(value, attr) if attr else value._value
    if attr and np.ndim(value):
        raise InvalidArgumentError(
            f"input must be scalar, not of shape {listed(np.shape(value))}: one integer is expected."
        )
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(())[()]
    if value is None:
        raise ValueError(f"{no_tensor(None)} An integer is expected.")
    try:
        return operator.index(value)
    except TypeError:
        raise not_convertible(value, np.dtype(dtype), "An integer is expected") from None


def setting_of(value: Any, name: str) -> int:
    """An int that TensorFlow's op has for a setting, not an input: of any one number, what is before its point.

    Raises:
        TypeError: a text, None, or several numbers.
    """
    if not isinstance(value, str):
        with suppress(TypeError, ValueError):
            return int(value)
    raise TypeError(f"Expected int for argument {name!r} not {value!r}.")


def long_of(value: Any) -> int:
    """The same, where TensorFlow makes an int64 of it.

    Raises:
        ValueError: a tensor of another dtype.
    """
    if isinstance(value, TensorLike) and value.dtype.name != "int64":
        raise ValueError(another_conversion(as_dtype("int64"), value))
    return int_of(value, dtype=np.int64)


def _integers(tensor: TensorLike, attr: str) -> Any:
    """The array of a tensor that an attribute takes, of int32 or int64 unless told otherwise.

    Raises:
        InvalidArgumentError: it is of another dtype.
    """
    value = tensor._value
    if value.dtype not in TAKES[attr]:
        raise wrong_dtype(attr, value.dtype, repr(tensor))
    return value


def as_read(axis: Any, input: Any = None) -> Any:
    """An axis of an op that makes a tensor of it by itself, so that a float is one of another dtype.

    Where the `input` is a tensor already, TensorFlow makes an int32 of its axis, or fails.
    """
    return tensor_of(axis) if isinstance(axis, float) and not isinstance(input, TensorLike) else axis


def one_axis(axis: Any, otherwise: str, attr: str = ".Tidx") -> int:
    """The axis of an op that takes no vector of them.

    Raises:
        InvalidArgumentError: a vector, with what TensorFlow says `otherwise` of its `shape` and `rank`.
    """
    lengths = np.shape(getattr(axis, "_value", axis))
    require(not lengths, otherwise.format(shape=listed(lengths), rank=len(lengths)))
    return axis_in(axis, attr)


def axis_in(axis: Any, attr: str = ".Tidx") -> int:
    """The one axis that may be given as a list of one; `attr` is TensorFlow's for its dtype.

    Raises:
        InvalidArgumentError: a text, or a list of several.
    """
    if isinstance(axis, (list, tuple, str)) or (type(axis) is not int and np.ndim(getattr(axis, "_value", axis))):
        axes = ints_of(axis, attr=attr)
        require(len(axes) == 1, f"'dim' must be a tensor with a single value: one axis is expected, got {axis}.")
        return axes[0]
    return int_of(axis, attr)


def ints_of(values: Any, error: type[Exception] = InvalidArgumentError, attr: str = ".Tshape") -> tuple[int, ...]:
    """A tuple of ints: from a shape, a list, an array, a tensor, or one number; `attr` is TensorFlow's for their dtype.

    Raises:
        Exception: the `error` for what holds no integers: TensorFlow's class for a tensor of another dtype, unless an
            attribute of the op is meant, which is a TypeError.
        ValueError: None.
    """
    if type(values) is int:
        return (values,)
    if isinstance(values, TensorLike):
        values = _integers(values, attr)
    if values is None:
        raise ValueError(f"{no_tensor(None)} Integers are expected.")
    try:
        if isinstance(values, (list, tuple, TensorShape)):
            return tuple(map(int_of, values))
        array = np.asarray(values)
        if not array.size or array.dtype.kind in "iu":
            return tuple(array.reshape(-1).tolist())
    except (TypeError, ValueError):
        pass
    found = np.asarray(array_of(values))
    if found.dtype.kind in "iu":
        said = _NO_VECTOR[".index_type" if error is TypeError else attr].format(listed(found.shape))
        raise InvalidArgumentError(f"{said}. A vector of integers is expected, got {values!r}.")
    if error is TypeError:
        raise not_convertible(values, np.dtype(np.int32), "Integers are expected")
    raise error(
        f"Value for attr '{attr.rpartition('.')[2]}' of {spelled(found.dtype)} is not in the list of allowed values. "
        f"Integers are expected, got {values!r}."
    )


_NO_VECTOR = defaultdict(
    lambda: "sizes input must be 1-D, not {}",
    {
        ".T": "shape must be a vector of {{int32,int64}}, got shape {}",
        ".index_type": "dims must represent a vector, got shape {}",
        ".Tmultiples": "Expected multiples to be 1-D, but got shape {}",
    },
)
"""What TensorFlow says of a matrix for a vector, by the attribute of the op."""


def shape_of(dims: Any, error: type[Exception] = InvalidArgumentError, attr: str = ".Tshape") -> tuple[int, ...]:
    """The lengths of a new tensor.

    Raises:
        InvalidArgumentError: a negative length; or the `error` for what holds no integers.
    """
    shape = ints_of(dims, error, attr)
    negative = next((length for length in shape if length < 0), None)
    if negative is not None:
        raise InvalidArgumentError(f"Dimension {negative} must be >= 0, got the shape {shape}.")
    return shape


def vector_of(
    values: Any, otherwise: str, attr: str = ".Tshape", error: type[Exception] = InvalidArgumentError
) -> tuple[int, ...]:
    """The same as `ints_of`, of what must be a vector.

    Raises:
        InvalidArgumentError: a single number, with what TensorFlow says `otherwise`.
    """
    found = ints_of(values, error, attr)
    if np.ndim(getattr(values, "_value", values)) == 0:
        raise InvalidArgumentError(f"{otherwise}: a vector is expected, got {values!r}: write [{values}].")
    return found


def unfit(values: Any) -> type[Exception]:
    """The class of the error for `values` that are no integers, where the argument before them has the say."""
    return InvalidArgumentError if isinstance(values, TensorLike) else TypeError


def whole(values: Any, name: str) -> Any:
    """The array of an argument that is one integer, or a vector of them.

    Raises:
        TypeError: other numbers, or texts.
        ValueError: a matrix.
    """
    array = np.asarray(value_of(values))
    if array.size and array.dtype.kind not in "iu":
        given = f"Received `tensor` = {array} of dtype: {of_numpy(array.dtype)}."
        raise TypeError(f"Argument `tensor` (name: {name}) must be of type integer. {given}")
    if array.ndim > 1:
        raise ValueError(f"Shape {array.shape} must have rank at most 1. It is that of {name}.")
    return array


def axis_of(axis: Any) -> int | tuple[int, ...] | None:
    """The axes of a reduction: None for all of them."""
    if axis is None or type(axis) is int:
        return axis
    if isinstance(axis, TensorLike):
        return ints_of(axis, attr=".Tidx") if axis.ndim else ints_of(axis, attr=".Tidx")[0]
    return ints_of(axis, attr=".Tidx") if isinstance(axis, (list, tuple, str)) or np.ndim(axis) else int_of(axis)
