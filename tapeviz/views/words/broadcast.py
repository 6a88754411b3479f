"""An op and one of its arguments -> whether the gradient is summed because the argument was broadcast."""

from __future__ import annotations

from tapeviz.events import EventLog
from tapeviz.graph import Op

SUM = "\N{N-ARY SUMMATION}"


def is_summed(log: EventLog, op: Op, slot: int) -> bool:
    """Whether the argument at `slot` gets the sum of what its rule says over the axes along which it was stretched."""
    row = log.row_of(op)
    if row is None or not row.broadcasts or not op.outputs:
        return False
    read, made = log.tensors[op.inputs[slot]], log.tensors[op.outputs[0]]
    return read.shape != made.shape and "unknown" not in (read.dtype, made.dtype)


def summed(rule: str) -> str:
    """A rule on one line, and that it is summed; the front end's twin: `overAxes` in `words/rules.js`."""
    return f"{SUM} ({rule})" if rule.startswith(("-", "\N{MINUS SIGN}")) else f"{SUM} {rule}"
