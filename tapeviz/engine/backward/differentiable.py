"""Targets or sources, as the user gives them -> tensors and variables, or the error that TensorFlow raises."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.backward.slices import IndexedSlices
from tapeviz.engine.specs.dtypes import as_dtype
from tapeviz.engine.tensor_like import TensorLike

_HEAP = 1 << 9
"""The flag of a class that was made while Python ran."""


def all_differentiable(structure: Any, role: str) -> list[TensorLike]:
    """The targets or sources in a structure."""
    if isinstance(structure, TensorLike):
        return [structure]
    if type(structure) is list:
        for each in structure:
            if not isinstance(each, TensorLike):
                break
        else:
            return structure
    return [differentiable(each, role) for each in nest.flatten(structure)]


def differentiable(each: Any, role: str, wrong: type[Exception] | None = None) -> TensorLike:
    """A target or source, which must be a tensor or a variable.

    Raises:
        wrong: it is neither; without one, TensorFlow's class, which depends on what it is instead.
    """
    if isinstance(each, TensorLike):
        return each
    kind = wrong or (AttributeError if _names_dtype(each) else TypeError)
    said = f"Cannot convert the argument `type_value`: {each!r} to a TensorFlow DType"
    if kind is AttributeError:
        said = f"{_called(type(each))!r} object has no attribute {_missed(each, role, bool(wrong))!r}"
    raise kind(
        f"{said}. In gradient a {role} must be a tensor or a variable, got {type(each).__name__} {each!r}. "
        "Pass the tensor that the tape recorded, not its value."
    )


def _names_dtype(each: Any) -> bool:
    """Whether something has a dtype for TensorFlow, which asks for that first, or is one: 1.0 is float32."""
    if isinstance(each, IndexedSlices):
        return True
    try:
        as_dtype(each)
    except TypeError:
        return False
    return True


def _called(kind: type) -> str:
    """What Python's own errors call a class: with its module where it is written in C."""
    return kind.__name__ if kind.__flags__ & _HEAP else f"{kind.__module__}.{kind.__name__}".removeprefix("builtins.")


def _missed(each: Any, role: str, of_rows: bool) -> str:
    """What TensorFlow asks a target or source for that is no tensor."""
    if role == "target" and of_rows:
        return "shape"
    return "dtype" if role == "source" and not of_rows and not hasattr(each, "dtype") else "_id"
