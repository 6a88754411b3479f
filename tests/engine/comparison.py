"""A program that takes a framework -> its results as plain values, and whether two frameworks agree on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.framework_programs import Program, Raised


def outcome(program: Program, framework: Any) -> Any:
    """The program's results as plain values, or the class of its error."""
    try:
        return plain(program(framework))
    except Exception as error:
        return Raised(type(error).__name__)


def plain(result: Any) -> Any:
    """Tensors as (dtype, array); structures kept."""
    if isinstance(result, dict):
        return {key: plain(value) for key, value in result.items()}
    if isinstance(result, (list, tuple)):
        return [plain(each) for each in result]
    if hasattr(result, "dense_shape"):
        return ["slices", plain(result.indices), plain(result.values), plain(result.dense_shape)]
    if hasattr(result, "numpy"):
        return (result.dtype.name, np.asarray(result.numpy()))
    return result


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in ours)
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, tuple):
        (our_dtype, our_value), (dtype, value) = ours, theirs
        return our_dtype == dtype and our_value.shape == value.shape and np.allclose(our_value, value, equal_nan=True)
    return bool(ours == theirs)
