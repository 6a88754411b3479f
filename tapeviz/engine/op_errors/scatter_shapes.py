"""The shapes of indices and of updates that do not fit a tensor -> the error."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from tapeviz.engine.op_errors.spelling import listed
from tapeviz.errors import InvalidArgumentError

Shape = tuple[int, ...]


def require_scattered(op: str, indices: Iterable[int], updates: Iterable[int], shape: Iterable[int]) -> None:
    """Raise InvalidArgumentError unless there is one update for each row of indices into a tensor of a shape.

    Indices into a shape without elements raise it, too.
    """
    indices, updates, shape = tuple(indices), tuple(updates), tuple(shape)
    depth = indices[-1] if indices else 0
    wanted = (*indices[:-1], *shape[depth:])
    if len(indices) < 2 or not 0 < depth <= len(shape) or updates != wanted:
        advice = f"updates of shape {wanted} are wanted" if len(indices) > 1 else "indices are rows, [[0, 1]]"
        unseen = depth > len(shape) or (bool(indices) and not updates and op != "scatter_nd")
        raise InvalidArgumentError(f"{_given(indices, updates, shape)}. In {op}: {advice}.", at_run=unseen)
    if 0 in shape and 0 not in indices:
        raise InvalidArgumentError(f"{_given(indices, updates, shape)}, which has no place. In {op}.")


def unfit_rows(indices: Shape, updates: Shape, shape: Shape) -> str | None:
    """What is said of updates that are neither a row for each index into a variable nor a number, or None."""
    fits = bool(shape) and updates in ((*indices, *shape[1:]), ())
    return None if fits else f"{_given(indices, updates, shape)}: a row for each index, or one number, is wanted"


def unfit_entries(indices: Shape, updates: Shape, shape: Shape) -> str | None:
    """What is said where there is not one update for each row of indices into a variable, or None if there is.

    A vector of indices is read as a column.
    """
    outer, depth = (indices[:-1], indices[-1]) if len(indices) > 1 else (indices, 1)
    held, named, new = (prod(each) for each in (shape, indices, updates))
    wanted = (*outer, *shape[depth:])
    has_room = bool(held and named and new) or not (named or new)
    fits = bool(shape and indices and updates) and has_room and depth <= len(shape) and updates == wanted
    return None if fits else f"{_given(indices, updates, shape)}: updates of shape {wanted} are wanted"


def _given(indices: Shape, updates: Shape, shape: Shape) -> str:
    return f"Indices of shape {listed(indices)} and updates of {listed(updates)} do not fit {listed(shape)}"
