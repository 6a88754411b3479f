"""Python numbers, lists, arrays and tensors -> arrays, under TensorFlow's dtype rules."""

from __future__ import annotations

from contextlib import suppress
from numbers import Number
from typing import Any

import numpy as np

from tapeviz.engine.refusals.ops import not_convertible
from tapeviz.engine.specs.dtypes import DIFFERENTIABLE, FLOATING, DType, as_dtype, of_numpy
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.tensor import TensorLike

INT32 = np.iinfo(np.int32)
SINGLE = np.dtype(np.float32)
Boxed = tuple[np.float32, np.ndarray[Any, Any]]
"""A number as a scalar, and as an array of shape (), which beside an array is quicker."""
BOXED: dict[float, Boxed] = {}
"""The commonest literals beside arrays: a constant in an expression is converted once, not once per op."""


def holds_tensors(value: Any) -> bool:
    """Whether a value is a list, however nested, with a tensor in it."""
    if not isinstance(value, (list, tuple)):
        return False
    return any(isinstance(each, TensorLike) or holds_tensors(each) for each in value)


def bare(value: Any) -> Any:
    """A value for NumPy to look at: arrays for tensors, in lists too."""
    if isinstance(value, TensorLike):
        return value._value
    return [bare(each) for each in value] if holds_tensors(value) else value


def boxed(value: float) -> Boxed:
    """Convert a literal and keep it; 0 is not kept, because 0.0 and -0.0 are one key."""
    scalar = np.float32(value)
    array = np.asarray(scalar)
    array.flags.writeable = False
    if value:
        if len(BOXED) > 1000:
            BOXED.clear()
        BOXED[value] = scalar, array
    return scalar, array


def no_tensor(value: Any) -> str:
    """What is said of a value of which no tensor can be made."""
    return f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor."


def array_of(value: Any, dtype: DType | None = None) -> Any:
    """The array of a value: Python floats become float32, ints int32 (int64 where they are too big).

    Raises:
        ValueError: None, a ragged list, or something no array can be made of.
        TypeError: the value does not fit `dtype`.
    """
    if isinstance(value, TensorLike):
        found = value._value
    elif isinstance(value, (np.ndarray, np.generic)):
        found = _of_numpy(value, dtype)
    elif isinstance(value, (list, tuple, range)):
        found = _of_list(value, dtype)
    elif isinstance(value, _PLAIN):
        found = _of_plain(value, dtype)
    elif hasattr(value, "__array__"):
        value = _asked(value)
        found = _of_numpy(value, dtype)
    elif _is_sequence(value):
        found = _of_list(_as_list(value), dtype)
    else:
        raise ValueError(no_tensor(value))
    if dtype is not None:
        found = _fitted(found, value, dtype)
    return unboxed(found)


def in_range(value: Any, array: Any) -> Any:
    """The array of a leaf, none of whose Python floats became infinite on the way.

    Raises:
        ValueError: one did.
    """
    converted = (
        array.dtype == np.float32 and isinstance(value, (float, list, tuple)) and not isinstance(value, np.generic)
    )
    infinite = converted and np.isinf(array).sum()
    if infinite and infinite > np.isinf(np.asarray(value, np.float64)).sum():
        raise ValueError("Can't convert Python sequence with a value out of range for a double-precision float.")
    return array


def unboxed(array: Any) -> Any:
    """A value of shape () as a NumPy scalar, on which arithmetic is several times faster; strings stay arrays."""
    if type(array) is np.ndarray and array.ndim == 0 and array.dtype.kind != "O":
        return array[()]
    return np.array(array, object) if type(array) is bytes else array


def _of_numpy(value: Any, dtype: DType | None) -> Any:
    """A copy of an array, in the wanted dtype: NumPy converts it, as it would convert anything.

    Raises:
        ValueError, TypeError: its dtype is none of TensorFlow's, or what is in it does not go into the wanted one.
    """
    if dtype is not None and (dtype.name == "string" or value.dtype.kind in "OUS" or not _is_known(value.dtype)):
        try:
            value = np.asarray(value).astype(dtype.as_numpy_dtype)
        except (ValueError, TypeError) as error:
            raise type(error)(f"{error}. No tensor of {dtype.name} can be made of {value!r}.") from None
    if value.dtype.kind in "OUS":
        return _texts(np.asarray(value), value.shape)
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


_PLAIN: tuple[type[Any], ...] = (int, float, complex, str, bytes, TensorShape)


def _of_plain(value: Any, dtype: DType | None) -> Any:
    if isinstance(value, (bool, float, complex)):
        return np.asarray(value, _kind_of(value) if dtype is None or dtype.name not in EXACT else None)
    if isinstance(value, int):
        return _integers(np.asarray(value), dtype)
    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
        return _integers(np.array(value.as_list(), np.int64))
    return np.array(value.encode() if isinstance(value, str) else value, dtype=object)


def _asked(value: Any) -> Any:
    """The array that an object says it is."""
    if isinstance(value, type):  # `np.float32` for `np.float32(1)`
        raise TypeError(
            f"unbound method generic.__array__() needs an argument: {value.__name__} is a dtype, no number."
        )
    return np.asarray(value)


_NO_SEQUENCES: tuple[type[Any], ...] = (str, bytes, dict, TensorShape, TensorLike, np.ndarray, np.generic)


def _is_sequence(value: Any) -> bool:
    """Whether Python indexes a value by numbers, as it does a list: a `deque`, or an object of a user's class."""
    kind = type(value)
    numbered = hasattr(kind, "__getitem__") and hasattr(kind, "__len__")
    return numbered and not isinstance(value, _NO_SEQUENCES)


def _as_list(value: Any) -> Any:
    """A sequence as a list of what is in it, and so on."""
    return [_as_list(each) if _is_sequence(each) else each for each in value]


def _of_list(value: Any, dtype: DType | None) -> Any:
    """A list as TensorFlow reads it: its first number decides, what follows must fit.

    Python floats after an int make it float32. Where float64 is wanted in the end, they are not rounded on the way.
    """
    if holds_tensors(value):
        return np.stack([array_of(each, dtype) for each in value])
    try:
        array = np.array(value)
    except ValueError as error:
        lengths = _lengths(value)
        if 0 in lengths:
            return np.zeros(lengths, np.float32)
        raise ValueError(f"{_amiss(value, lengths)} It holds {value!r}.") from error
    if not array.size:
        return array.astype(np.float32)
    if _beyond_int64(array, value):
        return _large(np.array(value, object), dtype)
    if array.dtype.kind in "OUS":
        return _texts(value, array.shape)
    number = _first_of(value)
    if not isinstance(number, (Number, np.generic, np.ndarray)):  # NumPy made an array of it, by itself
        raise ValueError(no_tensor(number))
    first = _kind_of(number)
    as_wanted = dtype is not None and dtype.name in _OF_TRUTH and array.dtype.kind in _WITHIN[dtype._numpy.kind]
    if array.dtype.kind not in _ACCEPTS[first.kind] and not as_wanted:
        raise ValueError(f"{_MIXED} It begins with {first}, and all of it would be {array.dtype}.")
    if array.dtype.kind in "iu":
        return _integers(array, dtype) if first.kind in "bi" else array.astype(first)
    if dtype is not None and dtype.name in EXACT:
        return array
    return array.astype(first if first.kind == array.dtype.kind else _kind_of(1.0))


_RAGGED = "Can't convert non-rectangular Python sequence to Tensor."
_MIXED = "Can't convert Python sequence with mixed types to Tensor."

NUMERIC = "biu" + DIFFERENTIABLE
_ACCEPTS = {"b": "b", "i": "biuf", "f": "biuf", "c": "biufc", "V": "V"}
"""Per kind of a list's first number: the kinds of what NumPy makes of the whole list."""

EXACT = ("float64", "complex128")
"""The wanted dtypes for which Python floats are not rounded to float32."""


_SEVERAL: tuple[type[Any], ...] = (list, tuple, range, np.ndarray, TensorShape)


def _holds_several(value: Any) -> bool:
    return isinstance(value, _SEVERAL) and getattr(value, "ndim", 1) != 0


def _lengths(value: Any) -> tuple[int, ...]:
    """The shape of what a list begins with, which TensorFlow takes for that of the list."""
    lengths = []
    while _holds_several(value):
        lengths.append(len(value))
        value = value[0] if lengths[-1] else None
    return tuple(lengths)


def _amiss(value: Any, lengths: tuple[int, ...]) -> str:
    """What is wrong with the first part of a list that does not go with these lengths; "" where all is well."""
    if not lengths:
        return _MIXED if _holds_several(value) else ""
    if not _holds_several(value) or len(value) != lengths[0]:
        return _RAGGED
    return next(filter(None, (_amiss(each, lengths[1:]) for each in value)), "")


def _first_of(value: Any) -> Any:
    while np.ndim(value) and hasattr(value, "__getitem__"):
        value = next(each for each in value if np.size(each))
    return value


def _kind_of(number: Any) -> np.dtype[Any]:
    """The dtype that one number gives a list."""
    if isinstance(number, (np.inexact, np.bool_, np.ndarray)) and number.dtype.kind not in "iu":
        return number.dtype
    for kind, dtype in ((bool, np.bool_), ((int, np.integer, np.ndarray), np.int32), (float, np.float32)):
        if isinstance(number, kind):
            return np.dtype(dtype)
    return np.dtype(np.complex128)


def _integers(array: Any, dtype: DType | None = None) -> Any:
    """Integers as int32, or as int64 where one is too big."""
    if array.dtype.kind == "O" or array.dtype == np.uint64:
        return _large(array, dtype)
    fits = INT32.min <= int(array.min(initial=0)) and int(array.max(initial=0)) <= INT32.max
    return array.astype(np.int32 if fits else np.int64)


def _beyond_int64(array: Any, value: Any) -> bool:
    """Whether a list holds an integer that int64 does not: NumPy makes objects, or floats, of all of it."""
    if array.dtype.kind == "O":
        return all(isinstance(each, int) for each in array.flat)
    if array.dtype != np.float64 or not np.abs(array).max() >= 2.0**63:
        return False
    return any(isinstance(each, int) and not -(2**63) <= each < 2**63 for each in np.array(value, object).flat)


def _large(array: Any, dtype: DType | None) -> Any:
    """Integers that int64 does not hold, where a dtype is wanted that does.

    Raises:
        ValueError: none is, or it does not hold them either.
    """
    wanted = None if dtype is None else np.dtype(dtype.as_numpy_dtype)
    with suppress(OverflowError):
        if wanted is not None and wanted.kind in FLOATING:
            return array.astype(np.float64)
        if wanted == np.uint64:
            return array.astype(np.uint64)
    raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")


def _texts(value: Any, shape: tuple[int, ...]) -> Any:
    """A nested list of texts, as bytes."""
    flat = np.array(value, dtype=object).reshape(-1).tolist()
    others = [each for each in flat if not isinstance(each, (str, bytes))]
    if isinstance(value, np.ndarray) and others:
        kind = type(others[0]).__name__
        raise ValueError(f"Failed to convert a NumPy array to a Tensor (Unsupported object type {kind}).")
    if flat and not isinstance(flat[0], (str, bytes, Number, np.generic)):
        raise ValueError(no_tensor(flat[0]))
    if flat and all(isinstance(each, (Number, np.generic)) for each in flat):
        raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
    if others:
        raise ValueError(f"{_MIXED} It holds {value!r}.")
    out = np.empty(len(flat), object)
    out[:] = [each.encode() if isinstance(each, str) else bytes(each) for each in flat]
    return out.reshape(shape)


_OF_TRUTH = ("float16", "float32", "float64", "int32", "int64", "uint64", "complex128")
"""The dtypes in which TensorFlow takes True for 1, and reads a list whatever it begins with."""
_WITHIN = {"i": "biu", "u": "biu", "f": "biuf", "c": "biufc"}
"""The kinds of what such a list may be, by that of its dtype."""


def _fitted(array: Any, value: Any, dtype: DType) -> Any:
    """`array` in `dtype`, where TensorFlow converts without being asked to cast: NumPy's numbers always."""
    have, want = array.dtype.kind, np.dtype(dtype.as_numpy_dtype).kind
    if of_numpy(array.dtype) is dtype:
        return array
    cast = isinstance(value, (np.ndarray, np.generic)) and have in NUMERIC and want in NUMERIC
    fits = have == want or (have in "iu" and want in "iu" + DIFFERENTIABLE) or (have == "f" and want in DIFFERENTIABLE)
    if have == "b" and want != "b":
        fits = dtype.name in _OF_TRUTH
    if isinstance(value, TensorShape):
        fits = dtype.name in ("int32", "int64")
    if isinstance(value, TensorLike) or not (cast or fits or not array.size):
        have = of_numpy(array.dtype)
        if isinstance(value, TensorLike):
            text = f"Expected tensor {value} with dtype {dtype!r}, but got dtype {have!r}. Use tf.cast."
            raise TypeError(text)
        raise not_convertible(value, np.dtype(dtype.as_numpy_dtype), f"It is {have.name}: use tf.cast")
    return (array.real if have == "c" and want not in "bc" else array).astype(dtype.as_numpy_dtype)


def dtype_or_none(dtype: Any) -> DType | None:
    """A dtype argument as the user spells it."""
    return None if dtype is None else as_dtype(dtype)
