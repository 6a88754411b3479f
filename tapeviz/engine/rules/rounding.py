"""Functions of arrays -> the same for bfloat16, which TensorFlow's kernels compute in float32, rounding each result.

NumPy's functions do not do that: some return another dtype, some add up in bfloat16, and a Python float beside an array
of it gives float32. So primals are called with `StepwiseRounded` arrays, and rules with `Rounded` stand-ins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.backward.slices import Slices
from tapeviz.engine.nest import mapped
from tapeviz.engine.rules.stand_in import StandIn
from tapeviz.engine.specs.dtypes import BFLOAT16, Array
from tapeviz.engine.tensors.tensor_like import TensorLike


class StepwiseRounded(np.ndarray[Any, Any]):
    """Numbers of bfloat16 in an array of float32: ufuncs round their results, and each step of a running sum."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        if method == "at":
            self._add_up(ufunc, *inputs)
            return None
        if method == "accumulate":
            return _steps(ufunc.accumulate(_plain(self).astype(BFLOAT16), **options | {"dtype": BFLOAT16}))
        into = {} if out is None else {"out": tuple(map(_plain, out))}
        made = getattr(ufunc, method)(*map(_plain, inputs), **options, **into)
        if getattr(made, "dtype", None) != np.float32:
            return made
        rounded = made.astype(BFLOAT16)
        if out is None:
            return _steps(rounded)
        made[...] = rounded
        return out[0]

    def _add_up(self, ufunc: Any, total: Any, places: Any, values: Any) -> None:
        sums = _plain(total).astype(BFLOAT16)
        ufunc.at(sums, places, _plain(values).astype(BFLOAT16))
        total[...] = sums


def _steps(value: Array) -> Any:
    return np.asarray(value.astype(np.float32)).view(StepwiseRounded)


def _plain(value: object) -> Any:
    """An operand of a ufunc as a plain array; a Python float is rounded to bfloat16."""
    if type(value) is float:
        return np.float32(BFLOAT16.type(value))
    return value.view(np.ndarray) if type(value) is StepwiseRounded else value


class Rounded(StandIn):
    """An array of bfloat16 for rules: whatever they do with it is an op, which rounds its result."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.value.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        return BFLOAT16


def is_narrow(value: object) -> bool:
    """Whether it is an array of bfloat16, or a stand-in for one."""
    return getattr(value, "dtype", None) == BFLOAT16


def rounded(function: Callable[..., Any], at_once: bool = False) -> Callable[..., Any]:
    """The function, for arrays of bfloat16 too, also in tuples and lists; it rounds every step, or only the result."""

    def call(*values: Array, **options: Array) -> Any:
        result = function(*_widened(values, at_once), **{name: _plain(each) for name, each in options.items()})
        return _narrowed(result)

    return call


def _widened(value: Any, at_once: bool) -> Any:
    if isinstance(value, (tuple, list)):
        parts = [_widened(each, at_once) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if is_narrow(value):
        return value.astype(np.float32) if at_once else _steps(value)
    return _plain(value)


def _narrowed(result: Any) -> Any:
    if isinstance(result, (tuple, list)):
        return type(result)([_narrowed(each) for each in result])
    if result.dtype == np.float32:
        return np.asarray(result).astype(BFLOAT16)[()]
    return result.view(np.ndarray)[()] if type(result) is StepwiseRounded else result


def rounding(pull: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The VJP of an op for bfloat16: the rules get stand-ins for arrays."""

    def pulled(g: object, saved: object) -> Any:
        upstream = g if type(g) is tuple else (g,)
        if any(isinstance(each, TensorLike) for each in upstream):
            return pull(g, saved)
        return bare(pull(mapped(_standing_in, g), mapped(_standing_in, saved)))

    return pulled


def _standing_in(value: object) -> Any:
    return Rounded(value) if isinstance(value, (np.ndarray, np.generic)) and is_narrow(value) else value


def bare(value: object) -> Any:
    """The arrays behind stand-ins, in tuples and slices too; anything else as it is."""
    return mapped(_bare, value)


def _bare(value: object) -> Any:
    if type(value) is Slices:
        return Slices([(bare(rows), indices) for rows, indices in value.parts], value.shape)
    return value.value if type(value) is Rounded else value
