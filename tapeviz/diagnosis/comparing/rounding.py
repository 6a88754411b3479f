"""Graph -> by how much rounding may have changed each gradient, relative to its norm: worked out from its own sums.

Errors are followed through the recorded ops and their VJPs, each as a root mean square: an op hands on the errors of
what it reads, adds one rounding, and one for each term of its sums. A sum whose terms cancel hands on more, by the
norms of what went in and of what came out. Roundings are independent of each other, so that their squares add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import hypot, inf, isfinite, nan, prod, sqrt
from typing import TypeAlias

from tapeviz.diagnosis.numbers.slips import SINGLE, epsilon
from tapeviz.diagnosis.op_kinds import ADDITIVE, DIFFERENCES, PRODUCTS, SCALINGS, SOFTMAX_LOSSES
from tapeviz.events import EventLog
from tapeviz.events.summary import elements_of, norm, size_of
from tapeviz.graph import Graph, Op
from tapeviz.replay import Contribution, Run, Step

SURE = 6
"""How many times the error to expect a difference may be, and still be one of rounding."""
OPS_PER_TENSOR = 4
"""How many ops there are to a parameter, forward and back, where nothing is known but the gradients."""
Shape: TypeAlias = Sequence[int]
Errors: TypeAlias = dict[int, float]
"""Tensor -> its expected error, relative to its norm."""

_CONTRACTIONS = (PRODUCTS - {"mul", "multiply_no_nan", "div"}) | {"addmm"}
"""Ops that sum products of two operands."""


def of_runs(graph: Graph, runs: Iterable[Run]) -> Errors:
    """The expected error of every cotangent of some runs."""
    known = of_ops(graph)
    found: Errors = {}
    for run in runs:
        for step in run.steps:
            _backward(graph, step, known, found)
    return found


def of_shapes(shapes: Iterable[Shape], dtype: str) -> float:
    """The expected error of gradients of which nothing is known but their shapes, computed in a dtype.

    Every sum behind them has as many terms as the largest has entries, and those over features as many as an axis.

    >>> of_shapes([(64, 64), (64,)], "float32") < 1e-5 < of_shapes([(64, 64)], "bfloat16")
    True
    """
    shapes = list(shapes)
    terms = max(map(prod, shapes), default=1) + sum(max(shape, default=1) for shape in shapes)
    return _rounding(dtype, terms, OPS_PER_TENSOR * len(shapes))


def of_sum(dtype: str, terms: int) -> float:
    """The expected error of a sum of numbers of a dtype."""
    return _rounding(dtype, terms) if terms > 1 else 0.0


def _rounding(dtype: str, terms: float, results: float = 1.0) -> float:
    """The error of sums in a dtype, whose `results` are rounded to it: those of half precision are summed in single."""
    unit = epsilon(dtype) / 2
    return hypot(unit * sqrt(results), min(unit, SINGLE / 2) * sqrt(terms))


# ----- forward -----


def of_ops(graph: Graph) -> Errors:
    """The expected error of every result of a program's ops."""
    errors: Errors = {}
    for position, op in graph.ops.items():
        inherited = sqrt(sum((errors.get(each, 0.0) * _share(graph, op, position, each)) ** 2 for each in op.inputs))
        for output in op.outputs:
            own = _rounding(graph.log.tensors[output].dtype, _terms(graph, op, output))
            errors[output] = hypot(inherited, own)
    return errors


def _share(graph: Graph, op: Op, position: int, tensor: int) -> float:
    """How much of an input's relative error an output has: as much, and more where the terms of a sum cancel."""
    log, output = graph.log, op.outputs[0]
    if len(op.outputs) > 1:
        return 1.0
    if op.op in ADDITIVE:
        count = _size(log, output) / max(1, _size(log, tensor))  # what is broadcast is there so often
        weight = sqrt(count) if count > 1 else count if op.op in SCALINGS else 1.0
        return _quotient(weight * _norm(log, tensor, position), _norm(log, output))
    if op.op in _CONTRACTIONS and len(op.inputs) > 1:
        one, other = op.inputs[:2]
        product = _norm(log, one, position) * _norm(log, other, position)
        return _quotient(product / sqrt(_contracted(log, one, other, output)), _norm(log, output))
    return 1.0


def _terms(graph: Graph, op: Op, output: int) -> float:
    """How many terms the sums have that an op gives."""
    log = graph.log
    if op.op in _CONTRACTIONS and len(op.inputs) > 1:
        return _contracted(log, op.inputs[0], op.inputs[1], output)
    return max([1.0, *(_size(log, each) / max(1, _size(log, output)) for each in op.inputs)])


def _contracted(log: EventLog, one: int, other: int, output: int) -> float:
    """The length of the axes over which a product sums: of (b, k) and (k, n), which give (b, n), it is k."""
    sizes = [max(1, _size(log, each)) for each in (one, other, output)]
    return max(1.0, sqrt(sizes[0] * sizes[1] / sizes[2]))


# ----- back -----


def _backward(graph: Graph, step: Step, known: Mapping[int, float], errors: Errors) -> None:
    op, log = graph.ops[step.op], graph.log
    upstream = [each for each in step.upstream if each is not None]
    read = sqrt(sum(known.get(each, 0.0) ** 2 for each in (*op.inputs, *op.outputs)))
    arrived = sqrt(sum(errors.get(each, 0.0) ** 2 for each in upstream))
    for each in step.contributions:
        terms, share = _summed(log, op, step.op, each, upstream)
        own = _rounding(log.tensors[each.cotangent].dtype, terms)
        errors[each.cotangent] = share * hypot(hypot(arrived, read if op.op not in ADDITIVE else 0.0), own)
        if each.total != each.cotangent:
            errors[each.total] = max(errors.get(each.total, 0.0), errors[each.cotangent] * _apart(log, each))


def _summed(log: EventLog, op: Op, position: int, about: Contribution, upstream: Sequence[int]) -> tuple[float, float]:
    """How many terms a VJP sums to a contribution, and how much they cancel."""
    if not upstream:
        return 1.0, 1.0
    arrived, sent = upstream[0], about.cotangent
    others = [each for slot, each in enumerate(op.inputs[:2]) if slot != about.slot]
    if op.op in SOFTMAX_LOSSES:
        return 1.0, max(1.0, _quotient(_largest(log, op, arrived, sent), _norm(log, sent)))
    if op.op in DIFFERENCES - ADDITIVE and len(op.inputs) > 1:
        return 1.0, _cancelled(log, op, position)
    if op.op in _CONTRACTIONS and about.slot < 2 and others:
        terms = _contracted(log, arrived, others[0], sent)
        product = _norm(log, arrived) * _norm(log, others[0], position) / sqrt(terms)
        return terms, max(1.0, _quotient(product, _norm(log, sent)))
    terms = max(1.0, _size(log, arrived) / max(1, _size(log, sent)))
    if terms > 1 and (op.op in ADDITIVE or op.op in _CONTRACTIONS):
        return terms, max(1.0, _quotient(_norm(log, arrived), _norm(log, sent)))
    return terms, 1.0


def _largest(log: EventLog, op: Op, upstream: int, sent: int) -> float:
    """The norm that the gradient of a softmax loss has where every example is far off: probabilities less labels."""
    given, shape = _norm(log, upstream), log.tensors[sent].shape
    rows = prod(shape[:-1])
    averaged = _size(log, upstream) == 1 and dict(op.attrs).get("reduction") != "sum"
    return given / sqrt(rows) if averaged and rows else given * (sqrt(rows) if _size(log, upstream) == 1 else 1.0)


def _cancelled(log: EventLog, op: Op, position: int) -> float:
    """How much larger the two operands of a difference are than that."""
    one, other = (elements_of(log.value(each, position)) for each in op.inputs[:2])
    if one is None or other is None or not {one.dtype.kind, other.dtype.kind} <= set("fc"):
        return 1.0
    return max(1.0, _quotient(norm(one) + norm(other), norm(one - other)))


def _apart(log: EventLog, about: Contribution) -> float:
    """How much larger a contribution is than the sum that it is part of."""
    return max(1.0, _quotient(_norm(log, about.cotangent), _norm(log, about.total)))


def _norm(log: EventLog, tensor: int, at: int | None = None) -> float:
    """The norm of a tensor; NaN where it is not known."""
    found = size_of(log.value(tensor, at))
    return nan if found is None else found


def _size(log: EventLog, tensor: int) -> int:
    return prod(log.tensors[tensor].shape)


def _quotient(part: float, whole: float) -> float:
    """A share of norms; 1 where they are not known."""
    if not isfinite(part) or not isfinite(whole):
        return 1.0
    return part / whole if whole else inf if part else 1.0
