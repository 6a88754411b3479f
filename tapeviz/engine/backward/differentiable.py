"""Targets or sources, as the user gives them -> tensors and variables, or the error that TensorFlow raises."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.op_errors.spelling import class_name
from tapeviz.engine.specs.dtypes import as_dtype
from tapeviz.engine.tensors.tensor_like import TensorLike


def all_differentiable(structure: object, role: str) -> list[TensorLike]:
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


def differentiable(each: object, role: str, *asked: str) -> TensorLike:
    """The target or source itself, if it is a tensor or a variable.

    Raises:
        AttributeError: it is neither; `asked` are the attributes that TensorFlow looks up, each in the one before.
        TypeError: it is neither, and no dtype can be made of it, which TensorFlow tries first.
    """
    if isinstance(each, TensorLike):
        return each
    advice = (
        f"In gradient a {role} must be a tensor or a variable, got {class_name(type(each))} {each!r}. "
        "Pass the tensor that the tape recorded, not its value."
    )
    holder, (missed, *rest) = each, asked or (_missed(each) or "",)
    while rest and hasattr(holder, missed):
        holder, missed = getattr(holder, missed), rest.pop(0)
    if not missed:
        raise TypeError(f"Cannot convert the argument `type_value`: {each!r} to a TensorFlow DType. {advice}")
    raise AttributeError(f"{class_name(type(holder))!r} object has no attribute {missed!r}. {advice}")


def _missed(each: object) -> str | None:
    """The attribute that TensorFlow misses first in something that is no tensor; None if no dtype can be made of it.

    A dtype is made of 1.0, too: float32. If there are no gradients of it, TensorFlow shows its `dtype` in a warning.
    """
    if hasattr(each, "dtype"):
        return "_id"
    try:
        named = as_dtype(each)
    except TypeError:
        return None
    return "_id" if named.is_floating or named.is_complex else "dtype"


def require_distinct(primals: list[Any]) -> None:
    """Refuse a primal that is given twice."""
    if len({id(each) for each in primals}) < len(primals):
        raise ValueError(
            "Tensor {} was specified as a primal multiple times. This may indicate an error. If it was intended, "
            f"please sum the corresponding tangents. The primals are {primals}."
        )
