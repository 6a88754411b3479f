"""GradientCall -> Findings about indices out of range, where the framework raises nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import words
from tapeviz.source.places import site_at

AXES = "axes"
"""The attribute of a lookup that does not look whether its indices are inside: what they index."""


class OutOfRangeIndex(NamedTuple):
    """An index, and what it is outside of: `size` entries along an axis."""

    entry: int
    size: int
    axis: int

    def effect(self, question: Question, table: int) -> str:
        """What the lookup does, after its name."""
        entries = f"{self.size} rows" if self.axis == 0 else f"{self.size} entries of axis {self.axis}"
        outside = f"index {self.entry} is outside the {entries} of {question.name(table)}"
        return f"reads another entry where {outside}, and {question.log.facts.framework} raises nothing"

    @property
    def fix(self) -> str:
        """What to write instead."""
        return f"Let every index be from 0 to {self.size - 1}: no gradient goes to any other."


def out_of_range_index(call: GradientCall, position: int) -> OutOfRangeIndex | None:
    """The first index of a lookup that is outside of what it indexes."""
    op = call.graph.ops[position]
    axes = dict(op.attrs).get(AXES)
    indices = call.numbers.value(op.inputs[1], position) if isinstance(axes, tuple) else None
    if not isinstance(axes, tuple) or indices is None:
        return None
    shape = call.log.tensors[op.inputs[0]].shape
    for place, axis in enumerate(each for each in axes if isinstance(each, int)):
        size, column = shape[axis], indices[..., place]
        outside = column[(column < 0) | (column >= size)]
        if outside.size:
            first = int(outside[0])
            return OutOfRangeIndex(
                first if first >= 0 else first - size, size, axis
            )  # a negative one was counted from the end
    return None


def indexed_outside(call: GradientCall, sources: list[int]) -> Iterator[Finding]:
    """The lookups that dropped part of a gradient, but not all of it."""
    for step in call.run.steps:
        found, op = out_of_range_index(call, step.op), call.graph.ops[step.op]
        if found is None:
            continue
        led = call.ancestors_of(op.inputs[:1])
        source = next((each for each in sources if each in led), None)
        if source is None or call.numbers.badness(call.run.gradient(source)) == "zero":
            continue
        question, site = Question(call, source), site_at(call.log, step.op)
        yield question.finding(
            "zero_derivative",
            site,
            f"{question.op_name(op)} at {words(site)} {found.effect(question, op.inputs[0])}.",
            found.fix,
            severity="hint",
            symptom="wrong",
            evidence=[step.op],
        )
