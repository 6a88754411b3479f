"""A tensor -> the tensor sorted along an axis, or the indices that sort it, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.api.arguments import number_of, rank_of, value_of
from tapeviz.engine.api.exports import export
from tapeviz.engine.ops import picking


def _descending(direction: str) -> bool:
    if direction not in {"ASCENDING", "DESCENDING"}:  # a set: what has no hash is told so, as in TensorFlow
        known = "ASCENDING, DESCENDING"
        raise ValueError(f"Argument `direction` should be one of {known}. Received: direction={direction}")
    return direction == "DESCENDING"


def _sorted_axis(axis: Any) -> int:
    if rank_of(axis):
        raise ValueError(f"Argument `axis` must be a constant scalar. Received: axis={value_of(axis)}.")
    return int(value_of(axis))


@export("sort")
def sort(values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Any:
    """The numbers in order along an axis; each gradient goes back to where its number was."""
    x = number_of(values, "sort")
    return picking.sort(x, axis=_sorted_axis(axis), descending=_descending(direction))


@export("argsort")
def argsort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Any:
    """The indices that sort along an axis; equal numbers keep their order. Along the last axis, their gradient is 0."""
    x = number_of(values, "argsort")
    return picking.argsort(x, axis=_sorted_axis(axis), descending=_descending(direction))
