"""The batches that steps of a kind had before, and an error of one -> the error that TensorFlow raises.

It makes a graph of a step for the first batch, and for one of other lengths a graph that leaves those open. What does
not fit is then no mistake of the graph: it is met where the graph runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from tapeviz.engine import nest
from tapeviz.errors import InvalidArgumentError, OpError
from tapeviz.events.program.frames import PACKAGE_FILES

Shapes: TypeAlias = Sequence[Any]
"""Of each tensor of a batch the lengths, None where they are open; None if even their number is."""


def shapes_of(batch: Any, whole: bool) -> Shapes:
    """The shapes of a batch in a graph: without the number of examples, unless they are `whole`."""
    return [tuple(each.shape)[0 if whole else 1 :] for each in nest.flatten(batch) if each is not None]


def widened(before: Shapes | None, shapes: Shapes) -> Shapes:
    """The shapes of a graph for the batches before and for one more batch.

    >>> widened([(2, 3), (1,)], [(2, 4), (1, 1)])
    [(2, None), None]
    """
    if before is None or len(before) != len(shapes):
        return shapes
    return [_common(one, other) for one, other in zip(before, shapes, strict=True)]


def as_met(error: ValueError, shapes: Shapes, inputs: int) -> Exception:
    """The error that TensorFlow raises for a batch.

    Args:
        error: the error that was raised here.
        shapes: the shapes that the graph has for the batch.
        inputs: how many of them are those of inputs.
    """
    by_shape = isinstance(error.__cause__, OpError) or "shape" in str(error)
    if not by_shape or _is_users_own(error):
        return error
    if None in shapes[:inputs]:
        return ValueError(f"Cannot take the length of shape with unknown rank. {error}")
    if any(shape is not None and None in shape for shape in shapes):
        return InvalidArgumentError(f"Graph execution error: {error}")
    return error


def _is_users_own(error: Exception) -> bool:
    """Whether the user's code raised the error itself, and not an op or a tool."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and at.tb_frame.f_code.co_filename not in PACKAGE_FILES


def _common(one: Any, other: Any) -> Any:
    if one is None or len(one) != len(other):
        return None
    return tuple(mine if mine == theirs else None for mine, theirs in zip(one, other, strict=True))
