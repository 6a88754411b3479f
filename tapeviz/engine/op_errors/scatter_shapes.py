"""The shapes of indices and of updates that do not fit a tensor -> TensorFlow's error, or its message."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from tapeviz.engine.op_errors.messages.base import Shape
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.errors import InvalidArgumentError


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
        message = f"{scatter_mismatch(op, indices, updates, shape)}. In {op}: {advice}."
        raise InvalidArgumentError(message, at_run=unseen)
    if 0 in shape and 0 not in indices:
        raise InvalidArgumentError(f"Indices and updates specified for empty output shape. In {op}: {listed(shape)}.")


def scatter_mismatch(op: str, indices: Shape, updates: Shape, shape: Shape) -> str:
    """The message about shapes where there is not one update for each row of indices into a shape."""
    for called, each in (("Indices", indices), ("Updates", updates)):
        if not each:
            return f"{called} shape must have rank at least one. Found:[]"
    *outer, depth = indices
    rank, news, into = len(outer), f"updates[shape={listed(updates)}]", f"input[shape={listed(shape)}]"
    alike = list(updates[:rank]) == outer
    if (op == "scatter_nd" and not shape) or (not depth and 0 not in updates):
        return "Indices and updates specified for empty output shape"
    if not depth:
        return "Only indices.shape[-1] values between 1 and 5 are currently supported.  Requested rank: 0"
    if op != "scatter_nd" and not alike:
        both = f"Indices shape: {listed(indices)}, updates shape:{listed(updates)}"
        return f"Outer dimensions of indices and update must match. {both}"
    if op != "scatter_nd":
        inner = "Inner dimensions of output shape must match inner dimensions of updates shape"
        return f"{inner}. Output: {listed(shape)} updates: {listed(updates)}"
    if alike and (outer or updates != shape[depth:]):
        return f"Dimensions [{depth},{len(shape)}) of {into} must match dimensions [{rank},{len(updates)}) of {news}"
    span = f"dimensions [0,{max(rank, 1)})"
    return f"{span.capitalize()} of indices[shape={listed(indices)}] must match {span} of {news}"


def row_scatter_mismatch(indices: Shape, updates: Shape, shape: Shape) -> str | None:
    """The message where updates are neither a row for each index into a variable nor a number, or None if they are."""
    if shape and updates in ((*indices, *shape[1:]), ()):
        return None
    if shape and len(updates) == len(indices) + len(shape) - 1 and updates[: len(indices)] != indices:
        return f"The shape of indices ({listed(indices)}) must be a prefix of the shape of updates ({listed(updates)})"
    rule = "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = []"
    got = f"updates.shape {listed(updates)}, indices.shape {listed(indices)}, params.shape {listed(shape)}"
    return f"{rule}, got {got}"


def in_place_scatter_mismatch(indices: Shape, updates: Shape, shape: Shape) -> str | None:
    """The message where there is not one update for each row of indices into a variable, or None if there is.

    A vector of indices is read as a column.
    """
    if not shape:
        return "Output must be at least 1-D, got shape: []"
    outer, depth = (indices[:-1], indices[-1]) if len(indices) > 1 else (indices, 1)
    held, named, new = (prod(each) for each in (shape, indices, updates))
    if not (held and named and new) and (named or new):
        return f"Indices and updates specified for empty output.  indices shape: {listed(indices)}"
    called = f"indices[shape={listed(indices)}]", f"updates[shape={listed(updates)}]"
    if not (indices and updates) or indices[0] != updates[0]:
        first, news = (f"{each} = {of[0]}" if of else each for each, of in zip(called, (indices, updates), strict=True))
        return f"Dimensions [0,1) of {first} must match dimensions [0,1) of {news}"
    of_rank = len(updates) - len(outer) == len(shape) - depth
    if len(updates) < len(outer) or (of_rank and updates[: len(outer)] != outer):
        span = f"imensions [0,{len(outer)}) of"
        return f"D{span} {called[0]} must match d{span} {called[1]}"
    if not of_rank or updates[len(outer) :] != shape[depth:]:
        inner = f"Dimensions [{depth},{len(shape)}) of input[shape={listed(shape)}]"
        return f"{inner} must match dimensions [{depth},{len(updates)}) of {called[1]}"
    return None
