"""The results of a graph -> the outputs of one op, as in TensorFlow."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.recording import current, pass_on_tangents
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.tensor import Tensor


def as_one(result: Any) -> Any:
    """The results of a graph as the outputs of one op, as in TensorFlow.

    In the gradient of one of them, the gradients of the others are zeros. So a source on which only those depend gets
    zeros, not None.
    """
    now = current.get()
    tensors = [each for each in nest.flatten(result) if isinstance(each, Tensor)]
    for each in tensors:
        for trace in each._traces:
            trace.results.add(each._id)
    if not now.traces or len(tensors) < 2 or not any(now.meet(each) for each in tensors):
        return result
    current.set(now.with_accumulators(()))
    try:
        made = OPS["identity_n"](*tensors)
    finally:
        current.set(now)
    pass_on_tangents(tensors, made)
    following = iter(made)
    return nest.map_structure(lambda each: next(following) if isinstance(each, Tensor) else each, result)
