"""An op and one of its arguments -> whether its gradient is summed, as the argument was stretched to fit the others."""

from __future__ import annotations

from tapeviz.events import EventLog
from tapeviz.graph import Op

ENTRYWISE = frozenset(
    {
        *("add", "atan2", "complex", "div", "divide_no_nan", "mask", "maximum", "minimum", "mod", "mul"),
        *("multiply_no_nan", "polygamma", "pow", "sigmoid_cross_entropy_with_logits", "squared_difference", "sub"),
        *("where", "xdivy", "xlog1py", "xlogy"),
        *("leaky_relu_grad", "reciprocal_grad", "relu6_grad", "relu_grad", "rsqrt_grad"),
        *("sigmoid_cross_entropy_grad", "sigmoid_grad", "sqrt_grad"),
    }
)
"""The ops with a derivative that compute entry by entry with operands that are stretched to one shape."""

SUM = "\N{N-ARY SUMMATION}"


def is_summed(log: EventLog, op: Op, slot: int) -> bool:
    """Whether the argument at `slot` gets the sum of what its rule says over the axes along which it was stretched."""
    if op.op not in ENTRYWISE or not op.outputs:
        return False
    read, made = log.tensors[op.inputs[slot]], log.tensors[op.outputs[0]]
    return read.shape != made.shape and "unknown" not in (read.dtype, made.dtype)


def summed(rule: str) -> str:
    """A rule on one line, and that it is summed; the front end's twin: `overAxes` in `words/rules.js`."""
    return f"{SUM} ({rule})" if rule.startswith(("-", "\N{MINUS SIGN}")) else f"{SUM} {rule}"
