"""Question, an op that gives NaN or infinity -> whether that comes of a mask, which hides entries by minus infinity."""

from __future__ import annotations

from tapeviz.diagnosis.op_kinds import RESHAPING, VIEWS
from tapeviz.diagnosis.paths.trail import STOP
from tapeviz.diagnosis.question import Question
from tapeviz.events.summary import oddities
from tapeviz.graph import Op


def is_of_mask(question: Question, op: Op) -> bool:
    """Whether an op makes NaN of the infinity of a mask: it shifts a row of nothing else, or takes it times 0.

    Or passes it on, as the logarithm of a sum of exponentials does where all of them are 0.
    """
    return _is_shift(question, op) or _reads_written_infinity(question, op) or _sums_nothing(question, op)


def _sums_nothing(question: Question, op: Op) -> bool:
    """Whether an op takes the logarithm of a sum of exponentials, some of them of an infinity."""
    made = question.graph.op_of(op.inputs[0]) if op.op == "log" else None
    while made is not None and made.op in ("abs", "reduce_sum", *VIEWS):
        made = question.graph.op_of(made.inputs[0])
    return made is not None and made.op == "exp" and "inf" in oddities(question.log.value(made.inputs[0]))


def _reads_written_infinity(question: Question, op: Op) -> bool:
    """Whether an operand of a product is infinite and was made with the infinity that the program writes in a mask."""
    rows = question.log.tensors
    infinite = [each for each in op.inputs if "inf" in oddities(question.log.value(each))] if op.op == "mul" else []
    leaves = question.call.ancestors_of(infinite) & question.graph.leaves.keys() if infinite else set()
    written = (each for each in leaves if rows[each].role in ("literal", "constant"))
    return any("inf" in oddities(question.log.value(each)) for each in written)


def _is_shift(question: Question, op: Op) -> bool:
    """Whether an op takes the largest number of each row from that row, as the first step of a softmax does.

    Or the logarithm of the sum of the row's exponentials, as that of a softmax does.
    """
    if op.op != "sub":
        return False
    read = op.inputs[1]
    while (made := question.graph.op_of(read)) is not None and made.op in (STOP, "maximum", "clamp_min", *RESHAPING):
        read = made.inputs[-1]
    return made is not None and made.op in ("reduce_max", "reduce_logsumexp") and made.inputs[0] == op.inputs[0]
