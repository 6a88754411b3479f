"""A value -> its spec, and a spec -> a value that has it, for a dry run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.values.constant import make
from tapeviz.engine.values.convert import unboxed


def spec_of(value: Any) -> Any:
    """The spec of a tensor, or of a dataset, which knows its own."""
    return value._type_spec if hasattr(value, "_type_spec") else TensorSpec.of(value)


def common(one: Any, other: Any) -> Any:
    """The most specific spec that fits the values of both."""
    if not isinstance(one, TensorSpec):
        return one.common(other)
    return TensorSpec(one.shape.most_specific_compatible_shape(other.shape), one.dtype)


def of_spec(spec: Any, length: int, fill: Callable[..., Any]) -> Any:
    """A value with a spec. Unknown lengths are `length`, and the numbers are `fill(shape, dtype)`."""
    if not isinstance(spec, TensorSpec):
        return spec.filled(length, fill)
    shape = [length if each is None else each for each in spec.shape]
    empty = spec.dtype.name == "string"
    return make(unboxed(np.full(shape, b"", object) if empty else fill(shape, spec.dtype.as_numpy_dtype)))


def ramp(shape: list[int], dtype: Any) -> Any:
    """An array of 2, 0, 1, 2, 0, 1 and so on, or of False, True, ...

    A scalar is 2, because a loop may never end with 0.
    """
    return np.resize([False, True] if dtype == np.bool_ else [2, 0, 1], shape).astype(dtype)
