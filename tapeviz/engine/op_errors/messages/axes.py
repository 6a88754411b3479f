"""A wrong axis -> TensorFlow's message."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.op_errors.messages.base import MessageFunction, Values
from tapeviz.errors import Unforeseen


def is_axis(axis: int, rank: int) -> bool:
    """Whether an array of this rank has this axis, which may be negative."""
    return -rank <= axis < rank


def _reduction(values: Values, *, axis: Any, keepdims: bool) -> str | None:
    rank, met = values[0].ndim, set()
    for each in axis if isinstance(axis, tuple) else (axis,):
        if not is_axis(each, rank):
            return f"Invalid reduction dimension ({each} for input with {rank} dimension(s)"
        if each % rank in met:
            return Unforeseen(f"Invalid reduction arguments: Axes contains duplicate dimension: {each % rank}")
        met.add(each % rank)
    return None


def no_such_axis(what: str, from_first: bool = False) -> MessageFunction:
    """The message function of an op, whose message begins with `what`.

    With `from_first`, a negative axis is given as the positive one.
    """

    def found(values: Values, *, axis: int, **rest: Any) -> str | None:
        rank = values[0].ndim
        if is_axis(axis, rank):
            return None
        told = axis + rank if from_first and axis < 0 else axis
        return Unforeseen(f"{what} in the range [{-rank}, {rank}), but got {told}")

    return found


def _argument(values: Values, *, axis: int, **rest: Any) -> str | None:
    """A graph finds the mistake only if the input is not a vector."""
    found = no_such_axis("Expected dimension")(values, axis=axis)
    return found if found is None or values[0].ndim < 2 else str(found)


def _one_hot(values: Values, *, axis: int, **rest: Any) -> str:
    return Unforeseen(f"Expected axis to be -1 or between [0, {values[0].ndim + 1}).  But received: {axis}")


def _roll(values: Values, *, shift: Any, axis: Any) -> str | None:
    rank = values[0].ndim
    far = next((i if i >= 0 else i + rank for i in axis if not is_axis(i, rank)), None)
    return None if far is None else Unforeseen(f"axis {far} is out of range")


def _reverse(values: Values, *, axis: Any) -> str | None:
    rank = values[0].ndim
    for place, i in enumerate(axis):
        if not is_axis(i, rank):
            return f"'axis'[{place}] = {i} is out of valid range [0, {rank - 1}"
        if i % rank in {each % rank for each in axis[:place]}:
            return f"axis {i % rank} specified more than once."
    return None


_REDUCTIONS = ("sum", "mean", "max", "min", "prod", "any", "all", "logsumexp", "variance", "euclidean_norm")

MESSAGES: dict[str, MessageFunction] = {
    **{f"reduce_{each}": _reduction for each in _REDUCTIONS},
    **dict.fromkeys(("cumsum", "cumprod", "cumulative_logsumexp"), no_such_axis("ScanOp: Expected scan axis", True)),
    **dict.fromkeys(("argmax", "argmin"), _argument),
    "one_hot": _one_hot,
    "reverse": _reverse,
    "roll": _roll,
}
