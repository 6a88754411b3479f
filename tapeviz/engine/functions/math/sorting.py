"""A tensor -> the tensor sorted along an axis, or the indices that sort it, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.arguments import number_of, rank_of, value_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.ops import sorting


def _descending(direction: str) -> bool:
    if direction not in {"ASCENDING", "DESCENDING"}:  # a set: what has no hash is told so, as in TensorFlow
        known = "ASCENDING, DESCENDING"
        raise ValueError(f"Argument `direction` should be one of {known}. Received: direction={direction}")
    return direction == "DESCENDING"


def _sorted_axis(axis: object) -> int:
    if rank_of(axis):
        raise ValueError(f"Argument `axis` must be a constant scalar. Received: axis={value_of(axis)}.")
    return int(value_of(axis))


@export("sort")
def sort(values: object, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Any:
    """The elements of a tensor, sorted along an axis. The gradient of each goes to the place where the element was.

    Args:
        values: a tensor of real numbers.
        axis: the axis.
        direction: "ASCENDING" or "DESCENDING".

    Raises:
        ValueError: another direction, or an axis that is not a scalar.

    >>> import tapeviz as tf
    >>> tf.sort([3, 1, 2]).numpy().tolist()
    [1, 2, 3]
    """
    x = number_of(values, "sort")
    return sorting.sort(x, axis=_sorted_axis(axis), descending=_descending(direction))


@export("argsort")
def argsort(
    values: object, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Any:
    """The indices that sort a tensor along an axis. Equal numbers keep their order.

    Args:
        values: a tensor of real numbers.
        axis: the axis.
        direction: "ASCENDING" or "DESCENDING".
        stable: ignored.

    Raises:
        ValueError: another direction, or an axis that is not a scalar.

    >>> import tapeviz as tf
    >>> tf.argsort([3, 1, 2]).numpy().tolist()
    [1, 2, 0]
    """
    x = number_of(values, "argsort")
    return sorting.argsort(x, axis=_sorted_axis(axis), descending=_descending(direction))
