"""GradientCall -> Findings about gradients that are zero because the contributions that arrive add up to nothing."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import ADDITIVE, PRODUCTS, SOFTMAXES, VIEWS
from tapeviz.diagnosis.paths.chains import Chains
from tapeviz.diagnosis.paths.views import behind_views
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import words
from tapeviz.graph import Graph
from tapeviz.replay import Contribution, Step
from tapeviz.source.places import site_at
from tapeviz.source.statements import callee

OF_A_SUM = "Read single shares of the softmax, or a weighted sum of them: all of them together are always 1."
"""What to write in place of the sum of a softmax."""

ROUNDING = 4e-7
"""What is left of a sum that cancels, relative to its parts, is no more than this in float32."""


def cancelled(call: GradientCall, source: int) -> Finding | None:
    """Contributions that add up to zero: the op where their paths meet does not change with what they arrive at.

    That is the source, what is made of it alone, or some tensor on its way.
    """
    only = call.once("single readers", lambda: Chains(lambda each: _only_result(call, each))).end(source)
    on_the_way = [each.contribution.tensor for each in call.numbers.onsets(source, "zero") if each.is_of_total]
    contributions = call.numbers.contributions
    for tensor in (only, *on_the_way):
        if _cancels(call, [each.cotangent for _, each in contributions.get(tensor, ())]):
            return _at(Question(call, source), tensor)
    return None


def _at(question: Question, tensor: int) -> Finding:
    """The contributions to a tensor cancel."""
    call, source = question.call, question.source
    position = call.numbers.dominators.of(tensor)
    if position is not None and _is_share_of_itself(call, tensor, position):
        return _of_one_unit(question, tensor, position)
    site = site_at(call.log, position)
    name = question.name(tensor)
    met = "the target" if position is None else question.name(call.graph.ops[position].outputs[0])
    if met == name:
        met = f"the next {name.removeprefix('the ')}"
    return question.finding(
        "constant_by_construction",
        site,
        f"{name} reaches {met} by several paths, which meet at {words(site)} and cancel there: for "
        f"these numbers {met} does not change with it, and the gradient of {question.target_name} with respect to "
        f"{question.source_name} is zero.",
        _what_drops_out(question, tensor == source and _is_summand(call, call.numbers.contributions[tensor])),
        severity="hint",
        symptom="zero",
        evidence=[position],
    )


def _what_drops_out(question: Question, is_summand: bool) -> str:
    name = question.source_name
    if is_summand:
        return f"What is added on both sides of a difference drops out: leave {name} out, or leave it be."
    return (
        f"If that is a minimum, all is well. Otherwise use an expression that changes with {name}, or "
        f"{question.say('hold back')} what is meant to be constant in it."
    )


def _of_one_unit(question: Question, tensor: int, position: int) -> Finding:
    """A softmax of a single unit that is written out, or computed so by a function of that name."""
    site = site_at(question.log, position)
    call = None if site is None else question.call.texts.of(site).call_at(site)
    if call is not None and callee(call) in SOFTMAXES:
        divided = f"`{callee(call)}` at {words(site)} is over a single unit, whose"
    else:
        divided = f"{question.name(tensor)} is divided by its own sum over a single unit at {words(site)}: its"
    return question.finding(
        "constant_by_construction",
        site,
        f"{divided} share is always 1: the gradient of {question.target_name} with respect to {question.source_name} "
        "is zero everywhere.",
        symptom="zero",
        evidence=[position],
    )


def nearly_cancelled(call: GradientCall, sources: list[int]) -> Iterator[Finding]:
    """The same for gradients that would be zero but for rounding."""
    for source in sources:
        if call.numbers.badness(call.run.gradient(source)) is None:
            lost = call.once("lost but for rounding", lambda: _lost_but_for_rounding(call)).get(source)
            if lost is not None:
                question = Question(call, source)
                yield _at(question, lost.tensor) if lost.sum_of is None else _summed_up(question, lost.sum_of)


class _Lost(NamedTuple):
    """Why only rounding is left of what arrives at a tensor: what arrives at `tensor` cancels, or a softmax at the
    position `sum_of` is read as a sum."""

    tensor: int
    sum_of: int | None = None


def _lost_but_for_rounding(call: GradientCall) -> dict[int, _Lost]:
    """The tensors that a gradient arrives at which is zero but for rounding; those on their way among them."""
    contributions, lost = call.numbers.contributions, dict[int, _Lost]()
    through: dict[int, _Lost] = {}  # an op, of whose contributions nothing is left

    def settle(tensor: int) -> None:
        read = [each for each in contributions.get(tensor, ()) if not call.numbers.is_bad(each[1].cotangent, "zero")]
        left = [each.cotangent for op, each in read if op not in through]
        if read and not left:
            lost[tensor] = through[read[0][0]]
        elif _cancels(call, left):
            lost[tensor] = _Lost(tensor)

    for step in call.run.steps:
        outputs = [each for each in call.graph.ops[step.op].outputs if each in contributions]
        for each in outputs:
            settle(each)
        if outputs and lost.keys() >= set(outputs):
            through[step.op] = lost[outputs[0]]
        elif is_read_as_sum(call, step):
            through[step.op] = _Lost(step.contributions[0].tensor, step.op)
    for source in call.run.sources:
        settle(source)
    return lost


def is_read_as_sum(call: GradientCall, step: Step) -> bool:
    """Whether a step is that of a softmax all of whose shares count alike, and that not because they are equal."""
    if not counts_alike(call, step):
        return False
    graph, op = call.graph, call.graph.ops[step.op]
    (shares,) = op.outputs
    return not _is_alike(call.numbers.value(shares), dict(op.attrs).get("axis", -1)) or _is_only_added(graph, shares)


def counts_alike(call: GradientCall, step: Step) -> bool:
    """Whether a step is that of a softmax, and its upstream gradient the same for every unit of the axis."""
    op = call.graph.ops[step.op]
    return op.op == "softmax" and _is_alike(call.numbers.value(step.upstream[0]), dict(op.attrs).get("axis", -1))


def _is_alike(values: Any, axis: Any) -> bool:
    """Whether the numbers along an axis are all the same; False if they are not known, or it is several axes."""
    if values is None or values.ndim == 0 or not isinstance(axis, int):
        return False
    return bool((values == values.take([0], axis)).all())


def _is_only_added(graph: Graph, tensor: int) -> bool:
    """Whether all that is computed of a tensor is sums of its numbers."""
    waiting = [tensor]
    for each in waiting:
        for position, _ in graph.consumers(each):
            if graph.ops[position].op not in ADDITIVE | VIEWS:
                return False
            waiting += graph.ops[position].outputs
    return True


def _summed_up(question: Question, position: int) -> Finding:
    """A source all of which goes into a softmax that is read as a sum."""
    site = site_at(question.log, position)
    return question.finding(
        "constant_by_construction",
        site,
        f"`softmax` at {words(site)} is read as a sum, which is always 1: the gradient of "
        f"{question.target_name} with respect to {question.source_name} is zero but for rounding.",
        OF_A_SUM,
        severity="warning",
        symptom="zero",
        evidence=[position],
    )


def _only_result(call: GradientCall, tensor: int) -> int | None:
    """What the only op makes that sent a tensor a contribution: what arrives at both is the same."""
    read = call.numbers.contributions.get(tensor, ())
    return call.graph.ops[read[0][0]].outputs[0] if len(read) == 1 else None


def _cancels(call: GradientCall, cotangents: list[int]) -> bool:
    """Whether contributions that are not zero add up to zero, or to what rounding leaves of it."""
    values = [call.numbers.value(each) for each in cotangents]
    known = [np.asarray(each, np.float64) for each in values if each is not None and each.dtype.kind == "f"]
    if len(known) < len(values) or len(known) < 2 or len({each.shape for each in known}) > 1:
        return False
    most = max(float(np.abs(each).max(initial=0.0)) for each in known)
    return 0.0 < most < np.inf and float(np.abs(sum(known)).max(initial=0.0)) <= ROUNDING * most


def _is_share_of_itself(call: GradientCall, tensor: int, position: int) -> bool:
    """Whether the paths meet where a tensor is divided by its own sum over axes of length 1: a softmax of one unit."""
    graph, op = call.graph, call.graph.ops[position]
    if op.op != "div" or op.inputs[0] != tensor:
        return False
    total = graph.op_of(behind_views(graph, op.inputs[1]))
    sizes = [prod(call.log.tensors[each].shape) for each in (tensor, *(total.outputs[:1] if total else ()))]
    return total is not None and total.op == "reduce_sum" and total.inputs[0] == tensor and sizes[0] == sizes[1]


def _is_summand(call: GradientCall, uses: list[tuple[int, Contribution]]) -> bool:
    """Whether all ops that read a tensor add it to something."""
    named = [(call.graph.ops[position].op, each.slot) for position, each in uses]
    return all(op == "add" or (op in PRODUCTS and slot == 2) for op, slot in named)
