"""Python's numbers, strings and nested lists of them -> arrays, with the dtypes that TensorFlow gives them."""

from __future__ import annotations

from contextlib import suppress
from numbers import Number
from typing import Any

import numpy as np

from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.specs.dtypes import FLOATING, Array, DType
from tapeviz.engine.specs.shape import TensorShape

INT32 = np.iinfo(np.int32)


def no_tensor(value: object) -> str:
    """The message about a value that cannot become a tensor; about None, while a graph is built, it is shorter."""
    if value is None and in_graph.get() is not None:
        return "None values not supported."
    return f"No tensor can be made of {value!r} of type {type(value).__name__}: give a number, a list or an array."


UNKNOWN_LENGTH = "A length that a graph does not know is None: tf.shape(x)[0] is a tensor."


def unconverted(value: object) -> str:
    """The message about a value in a graph of which there is no array."""
    return (
        f"Failed to convert elements of {value!r} to Tensor. Consider casting elements to a supported type. See "
        "https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes."
    )


PLAIN: tuple[type[Any], ...] = (int, float, complex, str, bytes, TensorShape)


def of_plain(value: object, dtype: DType | None) -> Any:
    if isinstance(value, (bool, float, complex)):
        return np.asarray(value, _kind_of(value) if dtype is None or dtype.name not in EXACT else None)
    if isinstance(value, int):
        return _integers(np.asarray(value), dtype)
    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
        return _integers(np.array(value.as_list(), np.int64))
    return np.array(value.encode() if isinstance(value, str) else value, dtype=object)


def of_list(value: Array, dtype: DType | None) -> Any:
    """The array of a list as TensorFlow reads it: the first number decides on the dtype, the others must fit.

    Python floats after an int make it float32; if the wanted dtype is wider, they are not rounded.
    """
    try:
        array = np.array(value)
    except UnicodeDecodeError:  # beside strings, NumPy takes bytes for ASCII
        return texts(value, np.shape(np.array(value, object)))
    except ValueError as error:
        lengths = _lengths(value)
        if 0 in lengths:
            return np.zeros(lengths, np.float32)
        raise ValueError(f"{_amiss(value, lengths)} It holds {value!r}.") from error
    if not array.size:
        return array.astype(np.float32)
    if _beyond_int64(array, value):
        return _large(np.array(value, object), dtype)
    if array.dtype.kind == "O" and in_graph.get() is not None and any(each is None for each in array.ravel().tolist()):
        raise TypeError(f"{unconverted(value)} {UNKNOWN_LENGTH}")
    if array.dtype.kind in "OUS":
        return texts(value, array.shape)
    number = _first_of(value)
    if not isinstance(number, (Number, np.generic, np.ndarray)):  # an object of which NumPy made an array
        raise ValueError(no_tensor(number))
    first = _kind_of(number)
    as_wanted = dtype is not None and dtype.name in OF_TRUTH and array.dtype.kind in _WITHIN[dtype._numpy.kind]
    if array.dtype.kind not in _ACCEPTS[first.kind] and not as_wanted:
        raise ValueError(f"{MIXED} It begins with {first}, and all of it would be {array.dtype}.")
    if array.dtype.kind in "iu":
        return _integers(array, dtype) if first.kind in "bi" else array.astype(first)
    if dtype is not None and dtype.name in EXACT:
        return array
    return array.astype(first if first.kind == array.dtype.kind else _kind_of(1.0))


_RAGGED = "Can't convert non-rectangular Python sequence to Tensor."


MIXED = "Can't convert Python sequence with mixed types to Tensor."


_ACCEPTS = {"b": "b", "i": "biuf", "f": "biuf", "c": "biufc", "V": "V"}
"""By the kind of a list's first number: the kinds that NumPy's array of the whole list may have."""


EXACT = ("float64", "complex128")
"""The dtypes for which Python floats are not rounded to float32 first."""


_SEVERAL: tuple[type[Any], ...] = (list, tuple, range, np.ndarray, TensorShape)


def _holds_several(value: object) -> bool:
    return isinstance(value, _SEVERAL) and getattr(value, "ndim", 1) != 0


def _lengths(value: Any) -> tuple[int, ...]:
    """The shape of the first element at each depth of a list, which TensorFlow takes for the list's."""
    lengths = []
    while _holds_several(value):
        lengths.append(len(value))
        value = value[0] if lengths[-1] else None
    return tuple(lengths)


def _amiss(value: Array, lengths: tuple[int, ...]) -> str:
    """The message about the first element of a list that does not fit these lengths; "" if all do."""
    if not lengths:
        return MIXED if _holds_several(value) else ""
    if not _holds_several(value) or len(value) != lengths[0]:
        return _RAGGED
    return next(filter(None, (_amiss(each, lengths[1:]) for each in value)), "")


def _first_of(value: Array) -> Any:
    while np.ndim(value) and hasattr(value, "__getitem__"):
        value = next(each for each in value if np.size(each))
    return value


def _kind_of(number: object) -> np.dtype[Any]:
    """The dtype of a list that begins with this number."""
    if isinstance(number, (np.inexact, np.bool_, np.ndarray)) and number.dtype.kind not in "iu":
        return number.dtype
    for kind, dtype in ((bool, np.bool_), ((int, np.integer, np.ndarray), np.int32), (float, np.float32)):
        if isinstance(number, kind):
            return np.dtype(dtype)
    return np.dtype(np.complex128)


def _integers(array: Array, dtype: DType | None = None) -> Any:
    """Integers as int32, or as int64 where one is too big."""
    if array.dtype.kind == "O" or array.dtype == np.uint64:
        return _large(array, dtype)
    fits = INT32.min <= int(array.min(initial=0)) and int(array.max(initial=0)) <= INT32.max
    return array.astype(np.int32 if fits else np.int64)


def _beyond_int64(array: Array, value: Array) -> bool:
    """Whether a list holds an integer beyond int64, of which NumPy makes an array of objects or floats."""
    if array.dtype.kind == "O":
        return all(isinstance(each, int) for each in array.flat)
    if array.dtype != np.float64 or not np.abs(array).max() >= 2.0**63:
        return False
    return any(isinstance(each, int) and not -(2**63) <= each < 2**63 for each in np.array(value, object).flat)


def _large(array: Array, dtype: DType | None) -> Any:
    """Integers beyond int64, as an array of the wanted dtype if that holds them.

    Raises:
        ValueError: none is, or it does not hold them either.
    """
    wanted = None if dtype is None else np.dtype(dtype.as_numpy_dtype)
    with suppress(OverflowError):
        if wanted is not None and wanted.kind in FLOATING:
            return array.astype(np.float64)
        if wanted == np.uint64:
            return array.astype(np.uint64)
    raise ValueError("An integer in this list is out of range for a tensor: give floats, or tf.uint64 as the dtype.")


_NUMBERS: tuple[type[Any], ...] = (int, float, complex, np.generic)
"""The numbers of which TensorFlow makes tensors; of others, such as fractions, it does not."""


def texts(value: object, shape: tuple[int, ...]) -> Any:
    """The array of a nested list of strings, as bytes."""
    flat = np.array(value, dtype=object).reshape(-1).tolist()
    others = [each for each in flat if not isinstance(each, (str, bytes))]
    if isinstance(value, np.ndarray) and others:
        kind = type(others[0]).__name__
        raise ValueError(
            f"No tensor can be made of a NumPy array of objects, here of type {kind}: give numbers of one dtype."
        )
    if flat and not isinstance(flat[0], (str, bytes, *_NUMBERS)):
        raise ValueError(no_tensor(flat[0]))
    if flat and all(isinstance(each, _NUMBERS) for each in flat):
        raise ValueError(
            "An integer in this list is out of range for a tensor: give floats, or tf.uint64 as the dtype."
        )
    if others:
        raise ValueError(f"{MIXED} It holds {value!r}.")
    out = np.empty(len(flat), object)
    out[:] = [each.encode() if isinstance(each, str) else bytes(each) for each in flat]
    return out.reshape(shape)


OF_TRUTH = ("float16", "float32", "float64", "int32", "int64", "uint64", "complex128")
"""The dtypes in which True is 1 for TensorFlow; lists for them may begin with any number."""


_WITHIN = {"i": "biu", "u": "biu", "f": "biuf", "c": "biufc"}
"""By the kind of such a dtype: the kinds that NumPy's array of the list may have."""
