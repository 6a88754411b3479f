"""GradientCall -> hints about differentiated quantities that may be meant as constants: targets and advantages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tapeviz.diagnosis.edits import calls
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import DIFFERENCES, LOGARITHMS, LOOKUPS, POWERS, VIEWS
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import origin, words
from tapeviz.diagnosis.wrong.shapes import passed_in
from tapeviz.graph import Op
from tapeviz.phrases import unquoted
from tapeviz.source.edits import Edit
from tapeviz.source.places import site_at

TRANSPARENT = frozenset(
    {*LOOKUPS, "neg", "reduce_sum", "take_along", "nll_loss", "getitem", "squeeze", "reshape", "mul"}
)
"""Ops between a log-probability and the product that it is weighted in."""
SIZES = POWERS | {"abs", "reduce_norm", "reduce_euclidean_norm"}
"""Ops that give how large a difference is, of either sign."""
CARRIERS = VIEWS | {"cast", "div", "mul", "neg"}
"""Ops between a difference and its size."""


def missing_stop_gradient(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """A learning target, or the weight of a log-probability, that was made from what it is to teach.

    `reward + 0.9 * value(next)` against `value(state)`; `log_prob * (reward - value)`. The log cannot tell whether the
    gradient through it is meant, so it is no more than a hint.
    """
    wanted = set(sources)
    for position in passed_in(call):
        op = call.graph.ops[position]
        taught = _bootstrapped(call, op) if op.op in DIFFERENCES else _weight(call, op) if op.op == "mul" else None
        if taught is None:
            continue
        through = sorted(wanted & call.about(taught).reached)
        if through:
            yield _finding(Question(call, through[0]), taught, position)


def _bootstrapped(call: GradientCall, op: Op) -> int | None:
    """Of a difference, the operand that is data plus a fraction of what was made from the other one's parameters.

    A difference whose size nobody takes has no operand that is a target: more of the one is better, and less of the
    other.
    """
    operands = op.inputs[:2] if op.op != "sub" or _is_sized(call, op) else ()
    for target, guess in (operands, operands[::-1]) if len(operands) == 2 else ():
        made = call.graph.op_of(target)
        if made is None or made.op != "add" or not {target, guess} <= call.followed:
            continue
        learned = [each for each in made.inputs if each in call.followed]
        scaled = call.graph.op_of(learned[0]) if len(learned) == 1 else None
        if scaled is None or scaled.op != "mul" or call.followed.issuperset(scaled.inputs):
            continue
        if target in call.ancestors_of([guess]):  # as what a softmax reads is of the logarithm that it takes off
            continue
        if _parameters(call, target) & _parameters(call, guess):
            return target
    return None


def _is_sized(call: GradientCall, difference: Op) -> bool:
    """Whether the size of a difference is taken, also of what it is scaled to."""
    pending, seen = [difference], set()
    while pending:
        for each in pending.pop().outputs:
            for position, _ in call.graph.consumers(each):
                reader = call.graph.ops[position]
                if reader.op in SIZES or (reader.op == "mul" and len(set(reader.inputs)) < len(reader.inputs)):
                    return True
                if reader.op in CARRIERS and position not in seen:
                    seen.add(position)
                    pending.append(reader)
    return False


def _parameters(call: GradientCall, tensor: int) -> set[int]:
    """The followed leaves that a tensor was made from."""
    return call.ancestors_of([tensor]) & call.graph.leaves.keys() & call.followed


def _weight(call: GradientCall, op: Op) -> int | None:
    """Of a product with a log-probability, the other factor, if it is data less something learned."""
    for weight, other in (op.inputs, op.inputs[::-1]) if len(op.inputs) == 2 else ():  # of a node alone, one is unknown
        made = call.graph.op_of(weight)
        if made is None or made.op != "sub" or not {weight, other} <= call.followed:
            continue
        data = [each for each in made.inputs if each not in call.followed]
        if len(data) == 1 and call.log.tensors[data[0]].role != "literal" and _is_logarithm(call, other):
            return weight
    return None


def _is_logarithm(call: GradientCall, tensor: int) -> bool:
    """Whether a tensor is the logarithm of a share or a density, or picked or summed from one.

    `logits - logsumexp(logits)` is one, and so is a distribution's `-(x - mean)**2 / (2 * var) - log(scale)`.
    """
    pending, seen = [tensor], set()
    while pending:
        each = pending.pop()
        made = None if each in seen else call.graph.op_of(each)
        seen.add(each)
        if made is None:
            continue
        if made.op in LOGARITHMS:
            return True
        if made.op == "sub":
            pending += made.inputs
        elif made.op in TRANSPARENT:
            pending += [each for each in made.inputs if each in call.followed][:1]
    return False


def _is_read_elsewhere(call: GradientCall, tensor: int, position: int) -> bool:
    """Whether the gradient also comes to a tensor by another op than the one at a position."""
    links = call.graph.links_from(tensor)
    return any(link.position != position and link.head in call.reached and call.passes(link) for link in links)


def _finding(question: Question, tensor: int, position: int) -> Finding:
    site, name = question.made_on(tensor), question.name(tensor)
    learns = _is_read_elsewhere(question.call, tensor, position)
    used = words(site_at(question.log, position))
    hold = question.say("hold back")
    where = f" at {used}, {hold} it there alone: what else reads it learns by it." if learns else f", {hold} it."
    edit = _held_back(question, tensor, position if learns else None)
    return question.finding(
        "missing_stop_gradient",
        site,
        f"The gradient of {question.target_name} also passes through {name}, {origin(site)} and used at "
        f"{used}: {question.source_name} learns to move {name}, not only to meet it.",
        Fix(f"If {name} is meant as a constant{where}", edit),
        severity="hint",
        symptom="wrong",
        evidence=[question.made_at(tensor), position],
    )


def _held_back(question: Question, tensor: int, read: int | None) -> Edit | None:
    """A tensor is constant from the line on that makes it, or where an op at a position reads it."""
    site, name = question.made_on(tensor), unquoted(question.name(tensor))
    if read is not None:
        return calls.detached(question.editor, site_at(question.log, read), name)
    return calls.held_back(question.editor, site, name)
