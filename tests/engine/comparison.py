"""A program that takes a framework -> its results as plain values, and whether two frameworks agree on them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

Program = Callable[[Any], Any]


def programs_of(module: ModuleType) -> dict[str, Program]:
    """The programs of a module, by name; what begins with an underscore only helps them."""
    members = inspect.getmembers(module, inspect.isfunction)
    return {name: each for name, each in members if each.__module__ == module.__name__ and not name.startswith("_")}


def outcome(program: Program, framework: Any) -> Any:
    """The program's results as plain values, or the class of its error."""
    try:
        return plain(program(framework))
    except Exception as error:
        return type(error).__name__


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
