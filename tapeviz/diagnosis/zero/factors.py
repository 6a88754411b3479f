"""GradientCall, an operand that is zero everywhere -> its name, what made it zero, and what will change it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers.run_numbers import norm_of
from tapeviz.diagnosis.op_kinds import RECTIFIERS
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import words
from tapeviz.graph import Op
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
    graph = call.graph
    for tensor in _back(call, zeros):
        made = graph.op_of(tensor)
        read = (
            None
            if made is None or len(made.inputs) != 1
            else call.numbers.value(made.inputs[0], graph.producer(tensor))
        )
        if made is not None and read is not None and read.any():
            return graph.producer(tensor) if made.op in RECTIFIERS else None
    return None


def operand_name(question: Question, call: GradientCall, zeros: int, kind: str) -> str:
    """An operand, by its name or that of what it was made of, else its `kind` and what made it so.

    What has the name of the source may be another layer's.
    """
    named = next((each for each in _back(call, zeros) if question.is_named(each)), None)
    if named is not None and question.name(named) != question.source_name:
        return f"{question.name(named)}, which is zero in every element"
    first = first_zeros(call, zeros)
    maker = call.graph.producer(first)
    if maker is not None:
        op = question.called(call.graph.ops[maker])
        return f"{kind} that is zero in every element, since {op} at {words(site_at(question.log, maker))} gives zeros"
    if maker is None and question.is_named(first) and question.name(first) != question.source_name:
        return f"{kind} that {question.name(first)}, zero in every element, makes zero"
    return f"{kind} that is zero in every element"


def first_zeros(call: GradientCall, zeros: int) -> int:
    """What zeros came from: they are passed on as long as an op reads some."""
    graph = call.graph
    while (made := graph.op_of(zeros)) is not None:
        at = graph.producer(zeros)
        read = next((each for each in made.inputs if _is_zero(call.numbers.value(each, at))), None)
        if read is None:
            break
        zeros = read
    return zeros


def _is_zero(value: Any) -> bool:
    return value is not None and value.dtype.kind in "fc" and value.size > 0 and not value.any()


def learner(call: GradientCall, zeros: int) -> int | None:
    """A source that the zeros are made of, and that gets a gradient itself: once it is updated, they are none."""
    made_of = call.ancestors_of([zeros])
    return next((each for each in call.run.sources if each in made_of and _learns(call, each)), None)


def _learns(call: GradientCall, source: int) -> bool:
    norm = norm_of(call.log, call.run.gradient(source))
    return norm is not None and norm > 0


def _back(call: GradientCall, tensor: int) -> Iterator[int]:
    """A tensor, and what it was made of by ops that read nothing else."""
    while True:
        yield tensor
        made = call.graph.op_of(tensor)
        if made is None or len(made.inputs) != 1:
            return
        (tensor,) = made.inputs
