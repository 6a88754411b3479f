"""Graph -> the ops that make probabilities, and those that take numbers for logits, in one piece or written out.

JAX has most of its losses, and its softmax, in parts: exponentials over their sum, the logarithm of such a sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tapeviz.diagnosis.paths.views import behind_views
from tapeviz.events.summary import elements_of
from tapeviz.graph import Graph, Op

LOSSES = {
    "cross_entropy": (0, "softmax"),
    "log_softmax": (0, "softmax"),
    "sigmoid_cross_entropy": (0, "sigmoid"),
    "sigmoid_cross_entropy_with_logits": (1, "sigmoid"),
    "softmax_cross_entropy_with_logits": (1, "softmax"),
    "sparse_softmax_cross_entropy_with_logits": (1, "softmax"),
}
"""An op -> the slot of its logits, and what it applies to them itself."""

_ELSEWHERE = {
    "softmax": {"sub", "mul", "gather", "getitem", "take_along", "slice", "reduce_sum"},
    "sigmoid": {"neg", "mul", "sub", "maximum", "relu", "clamp_min", "softplus", "log_sigmoid"},
}
"""What else reads the logits in a loss that is written out: the class that is right is picked, or weighs them."""

ROUNDING = 1e-2
"""How far from 1 the sum of probabilities may be, in few bits too."""


class Taken(NamedTuple):
    """The tensor that an op takes for logits, and what is applied to it there."""

    tensor: int
    applied: str
    is_whole: bool


def made_shares(graph: Graph, tensor: int) -> tuple[int, str] | None:
    """The position of the op that made a tensor of probabilities, and the function that it ends."""
    position = graph.producer(behind_views(graph, tensor))
    if position is None:
        return None
    op = graph.ops[position]
    if op.op in ("softmax", "sigmoid"):
        return position, op.op
    if op.op == "div" and (top := graph.op_of(op.inputs[0])) is not None and top.op == "exp":
        total = graph.op_of(behind_views(graph, op.inputs[1]))
        if total is not None and total.op == "reduce_sum" and total.inputs[0] == op.inputs[0]:
            return position, "softmax"
    return None


def taken_for_logits(graph: Graph, op: Op) -> Taken | None:
    """What an op takes for logits; None if it is not seen to do so."""
    if op.op in LOSSES:
        slot, applied = LOSSES[op.op]
        return Taken(behind_views(graph, op.inputs[slot]), applied, is_whole=True)
    for tensor, applied in _written_out(graph, op):
        logits = behind_views(graph, tensor)
        readers = {at for each in _views_of(graph, logits) for at, _ in graph.consumers(each)}
        others = {graph.ops[at].op for at in readers - _between(graph, logits, op)}
        if not others.isdisjoint(_ELSEWHERE[applied]):
            return Taken(logits, applied, is_whole=False)
    return None


def _written_out(graph: Graph, op: Op) -> Iterator[tuple[int, str]]:
    """What the last op of a loss that is written out has to do with: a logarithm of exponentials."""
    match op.op:
        case "softplus" | "log_sigmoid":
            yield _behind(graph, op.inputs[0], "neg"), "sigmoid"
        case "log1p":
            inner = graph.op_of(op.inputs[0])
            if inner is not None and inner.op == "exp":
                yield _behind(graph, inner.inputs[0], "neg", "abs"), "sigmoid"
        case "reduce_logsumexp":
            if _sums_to_one(graph, op.inputs[0], op):
                yield op.inputs[0], "softmax"
        case "log":
            total = graph.op_of(_behind(graph, op.inputs[0], "abs"))
            top = None if total is None or total.op != "reduce_sum" else graph.op_of(total.inputs[0])
            if total is not None and top is not None and top.op == "exp":
                less = graph.op_of(top.inputs[0])  # the largest, mostly
                for tensor in (*top.inputs[:1], *(less.inputs[:1] if less is not None and less.op == "sub" else ())):
                    if _sums_to_one(graph, tensor, total):
                        yield tensor, "softmax"


def _between(graph: Graph, tensor: int, op: Op) -> set[int | None]:
    """The positions of an op, and of those through whose first inputs it reads a tensor."""
    found = {graph.producer(op.outputs[0])}
    while (read := behind_views(graph, op.inputs[0])) != tensor and (made := graph.op_of(read)) is not None:
        found.add(graph.producer(read))
        op = made
    return found


def _behind(graph: Graph, tensor: int, *ops: str) -> int:
    """What a tensor was before some ops and views of it."""
    while (made := graph.op_of(behind_views(graph, tensor))) is not None and made.op in ops:
        tensor = made.inputs[0]
    return behind_views(graph, tensor)


def _views_of(graph: Graph, tensor: int) -> Iterator[int]:
    waiting = [tensor]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += [
            out
            for at, _ in graph.consumers(each)
            for out in graph.ops[at].outputs
            if behind_views(graph, out) == tensor and out != each
        ]


def _sums_to_one(graph: Graph, tensor: int, total: Op) -> bool:
    """Whether numbers are probabilities along the axis that an op sums over."""
    value, axis = elements_of(graph.log.value(tensor)), dict(total.attrs).get("axis")
    if value is None or value.dtype.kind != "f" or not value.size:
        return False
    along = axis if isinstance(axis, int) else tuple(axis) if isinstance(axis, tuple) else None
    try:
        sums = value.astype(np.float64).sum(along)  # type: ignore[arg-type]
    except (TypeError, ValueError):  # of other axes than these
        return False
    return bool(np.all(np.abs(sums - 1) < ROUNDING))
