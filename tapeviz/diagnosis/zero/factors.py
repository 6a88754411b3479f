"""GradientCall, an operand that is zero everywhere -> its name, what made it zero, and what will change it."""

from __future__ import annotations

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import RECTIFIERS
from tapeviz.diagnosis.paths.chains import Chains
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import words
from tapeviz.graph import Op, combined_before
from tapeviz.source.places import site_at

_ADDED = ("bias", "mean", "running_mean")
"""The arguments of layers that are added, or taken off."""


def zero_operands(call: GradientCall, op: Op, position: int, slot: int) -> list[int]:
    """The other operands of an op that are zero in every element; numbers that the program has written out are none.

    Nor is what is only added, or taken off, in it: no factor of its gradient.
    """
    row, rows = call.log.row_of(op), call.log.tensors
    added = [at for at in range(len(op.inputs)) if row is not None and row.argument(at) in _ADDED]
    rest = [each for at, each in enumerate(op.inputs) if at not in (slot, *added) and rows[each].role != "literal"]
    values = ((each, call.numbers.value(each, position)) for each in rest)
    return [each for each, value in values if value is not None and value.dtype.kind in "fc" and not value.any()]


def switched_off(call: GradientCall, zeros: int) -> int | None:
    """The rectifier that made zeros of other numbers, where they came to a tensor over ops that read nothing else."""
    back = call.once("zeros of zeros", lambda: Chains(lambda each: _zeros_of_zeros(call, each)))
    made = call.graph.op_of(back.end(zeros))
    is_off = made is not None and len(made.inputs) == 1 and made.op in RECTIFIERS
    return call.graph.producer(back.end(zeros)) if is_off else None


def _zeros_of_zeros(call: GradientCall, tensor: int) -> int | None:
    """What the op that made a tensor reads, if that is one and not known to be more than zeros."""
    read = _only_read(call, tensor)
    value = None if read is None else call.numbers.value(read, call.graph.producer(tensor))
    return None if value is not None and value.any() else read


def _only_zeros(call: GradientCall, tensor: int) -> int | None:
    """The zeros that an op which made a tensor reads, and nothing else."""
    read = _only_read(call, tensor)
    return read if read is not None and call.numbers.is_zero(read, call.graph.producer(tensor)) else None


def operand_name(question: Question, call: GradientCall, zeros: int, kind: str) -> str:
    """An operand, by its name or that of what it was made of, else its `kind` and what made it so.

    What has the name of the source may be another layer's.
    """
    back = call.once("named", lambda: Chains(lambda each: None if question.is_named(each) else _only_zeros(call, each)))
    named = back.end(zeros)
    if question.is_named(named) and question.name(named) != question.source_name:
        return f"{question.name(named)}, which is zero in every element"
    first = first_zeros(call, zeros)
    maker = call.graph.producer(first)
    if maker is not None:
        op = question.op_name(call.graph.ops[maker])
        return f"{kind} that is zero in every element, since {op} at {words(site_at(question.log, maker))} gives zeros"
    if maker is None and question.is_named(first) and question.name(first) != question.source_name:
        return f"{kind} that {question.name(first)}, zero in every element, makes zero"
    return f"{kind} that is zero in every element"


def first_zeros(call: GradientCall, zeros: int) -> int:
    """What zeros came from: they are passed on as long as an op reads some."""
    return call.once("first zeros", lambda: Chains(lambda each: _zeros_read(call, each))).end(zeros)


def _zeros_read(call: GradientCall, tensor: int) -> int | None:
    """The first zeros that the op which made a tensor reads; a number that is written out is part of the op."""
    made, at = call.graph.op_of(tensor), call.graph.producer(tensor)
    read = () if made is None else [each for each in made.inputs if call.log.tensors[each].role != "literal"]
    return next((each for each in read if call.numbers.is_zero(each, at)), None)


def learner(call: GradientCall, zeros: int) -> int | None:
    """A source that the zeros are made of, and that gets a gradient itself: once it is updated, they are none."""
    first = call.once("first learners", lambda: _first_learners(call)).get(zeros)
    return None if first is None else call.run.sources[first]


def _first_learners(call: GradientCall) -> dict[int, int]:
    """Tensor -> the place of the first source with a gradient that it is made of."""
    places = {source: place for place, source in reversed([*enumerate(call.run.sources)]) if _learns(call, source)}
    found = combined_before(call.graph, lambda link: places.get(link.tail), min)
    for source, place in places.items():
        found[source] = min(place, found.get(source, place))
    return found


def _learns(call: GradientCall, source: int) -> bool:
    norm = call.numbers.norm(call.run.gradient(source))
    return norm is not None and norm > 0


def _only_read(call: GradientCall, tensor: int) -> int | None:
    """What the op that made a tensor reads, if that is one."""
    made = call.graph.op_of(tensor)
    return None if made is None or len(made.inputs) != 1 else made.inputs[0]
