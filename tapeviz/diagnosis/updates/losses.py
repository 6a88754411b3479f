"""Graph, the start of a pass -> its loss, as far as that is a mean times constants."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose, prod

from tapeviz.diagnosis.updates.sums import Factor, Term
from tapeviz.events import BackwardStarted
from tapeviz.events.summary import elements_of
from tapeviz.graph import Graph

MEANS = {"reduce_mean"}
_MEAN = ("reduction", "mean")
"""The attribute of a loss that is the mean over its examples."""
SAME = {"cast", "identity", "reshape", "squeeze"}
"""Ops that leave the number of a loss as it is."""
_QUOTIENTS = {"div", "divide_no_nan"}


@dataclass(frozen=True)
class PassLoss:
    """The target of a pass: a mean over `rows`, and the constant factors that follow, of its gradient, too."""

    rows: int | None
    factors: tuple[Factor, ...]

    @property
    def weight(self) -> float:
        """The product of the factors."""
        return prod(each.value for each in self.factors)


def loss_of(graph: Graph, pass_: Term) -> PassLoss | None:
    """The loss of a pass; None if it is no mean times constants."""
    event = graph.log.events[pass_.began]
    if not isinstance(event, BackwardStarted) or len(event.targets) != 1:
        return None
    tensor, factors = event.targets[0], list[Factor]()
    while (op := graph.op_of(tensor)) is not None:
        if op.op in MEANS or _MEAN in op.attrs:
            return PassLoss(_rows(graph, op.inputs[0]), (*factors, *pass_.factors))
        if op.op == "reduce_sum":
            size = prod(graph.log.tensors[op.inputs[0]].shape)
            if not factors or not isclose(factors[-1].value * size, 1.0, rel_tol=1e-6):
                return None
            return PassLoss(_rows(graph, op.inputs[0]), (*factors[:-1], *pass_.factors))
        if op.op not in SAME:
            is_product = op.op == "mul" and len(op.inputs) == 2
            slot = 1 if not is_product or not graph.is_computed(op.inputs[1]) else 0
            is_scaled = is_product or (op.op in _QUOTIENTS and len(op.inputs) == 2)
            factor = constant(graph, op.inputs[slot]) if is_scaled else None
            if not factor:
                return None
            factors.append(Factor(factor if is_product else 1.0 / factor, graph.producer(tensor) or 0))
            tensor = op.inputs[1 - slot]
        else:
            tensor = op.inputs[0]
    return None


def _rows(graph: Graph, tensor: int) -> int | None:
    shape = graph.log.tensors[tensor].shape
    return shape[0] if shape else None


def constant(graph: Graph, tensor: int) -> float | None:
    """The number of a tensor that is nothing but that, or is computed from nothing but numbers."""
    value = None if graph.is_computed(tensor) else elements_of(graph.log.value(tensor))
    return float(value.item()) if value is not None and value.size == 1 else None
