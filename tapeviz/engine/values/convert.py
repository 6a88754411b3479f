"""Python numbers, lists, arrays and tensors -> arrays, under TensorFlow's dtype rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.op_errors.conversions import not_convertible
from tapeviz.engine.op_errors.dtypes import mixed_dtypes
from tapeviz.engine.op_errors.reasons import failed
from tapeviz.engine.specs.dtypes import DIFFERENTIABLE, Array, DType, as_dtype, of_numpy
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.python_values import OF_TRUTH, PLAIN, no_tensor, of_list, of_plain, texts, unconverted

SINGLE = np.dtype(np.float32)
Boxed = tuple[np.float32, np.ndarray[Any, Any]]
"""A number as a scalar, and as an array of shape (), which is quicker in arithmetic with arrays."""


class _Boxes(dict[float, Boxed]):
    """Numbers as operands, each converted only once, but for 0: 0.0 and -0.0 are the same key."""

    def __missing__(self, value: float) -> Boxed:
        scalar = np.float32(value)
        array = np.asarray(scalar)
        array.flags.writeable = False
        if value:
            if len(self) > 1000:
                self.clear()
            self[value] = scalar, array
        return scalar, array


BOXED = _Boxes()


def holds_tensors(value: object) -> bool:
    """Whether a value is a list, however nested, with a tensor in it."""
    if not isinstance(value, (list, tuple)):
        return False
    return any(isinstance(each, TensorLike) or holds_tensors(each) for each in value)


def bare(value: Any) -> Any:
    """A value with arrays in place of tensors, in lists too."""
    if isinstance(value, TensorLike):
        return value._value
    return [bare(each) for each in value] if holds_tensors(value) else value


def array_of(value: Any, dtype: DType | None = None) -> Any:
    """The array of a value: Python floats become float32, ints int32 (int64 where they are too big).

    Raises:
        ValueError: None, a ragged list, or something no array can be made of.
        TypeError: the value does not fit `dtype`; in a graph, no array can be made of it.
    """
    if isinstance(value, TensorLike):
        found = value._value
    elif isinstance(value, (np.ndarray, np.generic)):
        found = _of_numpy(value, dtype)
    elif isinstance(value, (list, tuple, range)):
        found = _of_sequence(value, dtype)
    elif isinstance(value, PLAIN):
        found = of_plain(value, dtype)
    elif hasattr(value, "__array__"):
        value = _asked(value)
        found = _of_numpy(value, dtype)
    elif _is_sequence(value):
        found = _of_sequence(_as_list(value), dtype)
    elif value is None or in_graph.get() is None:
        raise ValueError(no_tensor(value))
    else:
        raise TypeError(f"{unconverted(value)} Make it of tensors, numbers or lists.")
    if dtype is not None:
        found = _fitted(found, value, dtype)
    return unboxed(found)


def _of_sequence(value: Any, dtype: DType | None) -> Any:
    """The array of a list; if there are tensors in it, element by element."""
    if not holds_tensors(value):
        return of_list(value, dtype)
    found = [array_of(each, dtype) for each in value]
    require_one_shape(found)
    return np.stack(found)


def require_one_shape(elements: Sequence[Any]) -> None:
    """Raise the error of a stack for elements of a list with tensors in it, if their shapes differ."""
    arrays = [array_of(each) for each in elements]
    if any(each.shape != arrays[0].shape for each in arrays):
        raise failed("stack", ValueError(), arrays, {"axis": 0})


def require_one_dtype(tensors: Sequence[TensorLike]) -> None:
    """Raise the error of a stack for the first tensor of another dtype than the one before all."""
    for each in tensors:
        if each._dtype is not tensors[0]._dtype:
            raise mixed_dtypes("stack", tensors[0]._value, each._value)


def expected(wanted: object, tensor: TensorLike) -> TypeError:
    """The error for a tensor that is no value of a dtype, or of what was given as one."""
    return TypeError(f"Expected tensor {tensor} with dtype {wanted!r}, but got dtype {tensor.dtype!r}. Use tf.cast.")


def in_range(value: Any, array: Any) -> Any:
    """The array that was made of a value, unless a Python float in it became infinite.

    Raises:
        ValueError: one did.
    """
    converted = (
        array.dtype == np.float32 and isinstance(value, (float, list, tuple)) and not isinstance(value, np.generic)
    )
    infinite = converted and np.isinf(array).sum()
    if infinite and infinite > np.isinf(np.asarray(value, np.float64)).sum():
        raise ValueError("A number is out of range for the float32 of a constant: give tf.float64 as the dtype.")
    return array


def unboxed(array: object) -> Any:
    """An array of shape () as a NumPy scalar, with which arithmetic is several times faster; strings stay arrays."""
    if type(array) is np.ndarray and array.ndim == 0 and array.dtype.kind != "O":
        return array[()]
    return np.array(array, object) if type(array) is bytes else array


def _of_numpy(value: Any, dtype: DType | None) -> Any:
    """A copy of an array, in the wanted dtype, converted by NumPy.

    Raises:
        ValueError, TypeError: TensorFlow does not have its dtype, or it cannot be converted.
    """
    if dtype is not None and (dtype.name == "string" or value.dtype.kind in "OUS" or not _is_known(value.dtype)):
        try:
            value = np.asarray(value).astype(dtype.as_numpy_dtype)
        except (ValueError, TypeError) as error:
            raise type(error)(f"{error}. No tensor of {dtype.name} can be made of {value!r}.") from None
    if value.dtype.kind in "OUS":
        return texts(np.asarray(value), value.shape)
    if not _is_known(value.dtype):
        raise ValueError(
            f"Failed to convert a NumPy array to a Tensor (Unsupported numpy type: {_numpy_name(value.dtype)})."
        )
    return np.array(value, value.dtype.newbyteorder("="))


def _is_known(dtype: np.dtype[Any]) -> bool:
    """Whether TensorFlow has that dtype."""
    try:
        of_numpy(dtype)
    except TypeError:
        return False
    return True


def _numpy_name(dtype: np.dtype[Any]) -> str:
    """What NumPy's C API calls a dtype: `NPY_DATETIME`."""
    return f"NPY_{dtype.type.__name__.removesuffix('64').upper()}"


def _asked(value: object) -> Any:
    """The array of an object with `__array__`."""
    if isinstance(value, type):  # `np.float32` for `np.float32(1)`
        raise TypeError(
            f"unbound method generic.__array__() needs an argument: {value.__name__} is a dtype, no number."
        )
    return np.asarray(value.__tf_tensor__() if hasattr(value, "__tf_tensor__") else value)


_NO_SEQUENCES: tuple[type[Any], ...] = (str, bytes, dict, TensorShape, TensorLike, np.ndarray, np.generic)


def _is_sequence(value: object) -> bool:
    """Whether a value is indexed by numbers, like a list: a `deque`, or an object of a user's class."""
    kinds = type(value).__mro__  # `hasattr` would also look in the metaclass, as that of an enum
    numbered = all(any(name in vars(kind) for kind in kinds) for name in ("__getitem__", "__len__"))
    return numbered and not isinstance(value, _NO_SEQUENCES)


def _as_list(value: Array) -> Any:
    """A sequence as a list, and those in it, too."""
    return [_as_list(each) if _is_sequence(each) else each for each in value]


NUMERIC = "biu" + DIFFERENTIABLE


def _fitted(array: Any, value: Any, dtype: DType) -> Any:
    """The array in a dtype, if TensorFlow converts it without a cast, as it does with all of NumPy's numbers."""
    have, want = array.dtype.kind, np.dtype(dtype.as_numpy_dtype).kind
    if of_numpy(array.dtype) is dtype:
        return array
    cast = isinstance(value, (np.ndarray, np.generic)) and have in NUMERIC and want in NUMERIC
    fits = have == want or (have in "iu" and want in "iu" + DIFFERENTIABLE) or (have == "f" and want in DIFFERENTIABLE)
    if have == "b" and want != "b":
        fits = dtype.name in OF_TRUTH
    if isinstance(value, TensorShape):
        fits = dtype.name in ("int32", "int64")
    if isinstance(value, TensorLike) or not (cast or fits or not array.size):
        have = of_numpy(array.dtype)
        if isinstance(value, TensorLike):
            raise expected(dtype, value)
        raise not_convertible(value, np.dtype(dtype.as_numpy_dtype), f"It is {have.name}: use tf.cast")
    return (array.real if have == "c" and want not in "bc" else array).astype(dtype.as_numpy_dtype)


def dtype_or_none(dtype: object) -> DType | None:
    """The dtype of an argument; None for None."""
    return None if dtype is None else as_dtype(dtype)
