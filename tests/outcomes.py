"""A program, which takes a framework -> its outcome as plain values; whether two outcomes agree."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.framework_programs import Program


@dataclass(frozen=True)
class Array:
    """A tensor, a variable or a NumPy array: which of them, its dtype and its numbers."""

    kind: str
    dtype: str
    value: np.ndarray

    def __repr__(self) -> str:
        return f"{self.kind} {self.dtype} {self.value.shape} {np.array2string(self.value, separator=', ')}"


class Raised:
    """What a program raised; its message is for reading only."""

    def __init__(self, name: str, message: str) -> None:
        self.name = name
        self.message = message

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Raised) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"{self.name}: {self.message.partition(chr(10))[0]}"


def plain(value: Any) -> Any:
    """A result as values that belong to no framework; structures keep their type's name."""
    if isinstance(value, np.ndarray | np.generic):
        return Array("array", str(value.dtype), _numbers(value))
    if hasattr(value, "is_numpy_compatible"):
        return ("dtype", value.name)
    if hasattr(value, "as_list"):
        return ("shape", tuple(value.as_list()))
    if hasattr(value, "dense_shape") and hasattr(value, "indices"):
        return {"slices": [plain(value.indices), plain(value.values), plain(value.dense_shape)]}
    if hasattr(value, "numpy") and hasattr(value, "dtype"):
        kind = "variable" if hasattr(value, "read_value") or hasattr(value, "path") else "tensor"
        return Array(kind, getattr(value.dtype, "name", value.dtype), _numbers(value.numpy()))
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return (type(value).__name__, [plain(each) for each in value])
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return (type(value).__name__, value)
    return type(value).__name__


def _numbers(value: Any) -> np.ndarray:
    """An array; of bfloat16, in whose dtype NumPy cannot compare all it should, the same numbers as float32."""
    array = np.asarray(value)
    return array.astype(np.float32) if array.dtype.kind == "V" else array


def outcome_of(program: Program, framework: Any, read: Callable[[Any], Any] = plain) -> Any:
    """What a program returns, as `read` makes it plain values; or the error that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return read(program(framework))
        except Exception as error:
            return Raised(type(error).__name__, str(error))


TOLERANCES = {
    "bfloat16": 3e-2,
    "float16": 4e-3,
    "float32": 1e-5,
    "float64": 1e-9,
    "complex64": 1e-5,
    "complex128": 1e-9,
}


def same(ours: Any, theirs: Any) -> bool:
    """Whether two outcomes agree; numbers up to rounding, everything else exactly."""
    if isinstance(theirs, Array):
        return isinstance(ours, Array) and _same_array(ours, theirs)
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in ours)
    if isinstance(theirs, list | tuple) and isinstance(ours, list | tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, float) and isinstance(ours, float):
        return bool(np.isclose(ours, theirs, rtol=1e-6, equal_nan=True))
    return type(ours) is type(theirs) and bool(ours == theirs)


def _same_array(ours: Array, theirs: Array) -> bool:
    if (ours.kind, ours.dtype, ours.value.shape) != (theirs.kind, theirs.dtype, theirs.value.shape):
        return False
    tolerance = TOLERANCES.get(theirs.dtype)
    if tolerance is None or theirs.value.dtype.kind not in "fc":
        return bool(np.array_equal(ours.value, theirs.value))
    size = max(1.0, float(np.max(np.abs(theirs.value), initial=0.0, where=np.isfinite(theirs.value))))
    return np.allclose(ours.value, theirs.value, rtol=tolerance, atol=tolerance * min(size, 1e3) / 10, equal_nan=True)
