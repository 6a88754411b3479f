"""An op that stops being finite -> the formula to write instead, in the names of the log."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fixes import at_edge, spelled
from tapeviz.diagnosis.wording.places import words
from tapeviz.events.summary import oddities
from tapeviz.graph import Op

AT_EDGE = {
    "acos": "tf.acos(tf.clip_by_value({x}, -1.0 + 1e-6, 1.0 - 1e-6))",
    "asin": "tf.asin(tf.clip_by_value({x}, -1.0 + 1e-6, 1.0 - 1e-6))",
    "atan2": "tf.atan2({x}, {y} + 1e-12)",
    "atanh": "tf.atanh(tf.clip_by_value({x}, -1.0 + 1e-6, 1.0 - 1e-6))",
    "div": "tf.math.divide_no_nan({x}, {y})",
    "log": "tf.math.log({x} + 1e-7)",
    "pow": "tf.pow({x} + 1e-12, {y})",
    "reciprocal": "tf.math.reciprocal_no_nan({x})",
    "reduce_euclidean_norm": "tf.sqrt(tf.reduce_sum(tf.square({x})) + 1e-12)",
    "rsqrt": "tf.math.rsqrt({x} + 1e-12)",
    "sqrt": "tf.sqrt({x} + 1e-12)",
}
"""What to write for an op at the edge of its domain."""

IN_FORWARD = {
    "div": "tf.math.divide_no_nan({x}, {y})",
    "reciprocal": "tf.math.reciprocal_no_nan({x})",
}
"""What to write for an op whose value is not finite."""

_POSITIVE = "Make what it reads positive by nature: a square, `tf.exp` or `tf.math.softplus` of what it is now."
_BOUNDED = "Scale or clip what it reads: in {dtype}, `tf.exp` overflows beyond {exponent}."
_LARGE = "Scale the numbers down, or compute with their logarithms: {dtype} ends at {largest}."
_DEVIATION = (
    "Give it two entries or more, or pass `correction=0`: else it divides by their number less one, which is 0."
)
_ADVICE = {
    **dict.fromkeys(("log", "sqrt", "rsqrt", "pow"), _POSITIVE),
    **dict.fromkeys(("mul", "matmul", "add", "reduce_sum", "reduce_prod", "square"), _LARGE),
    **dict.fromkeys(("standard_deviation", "variance"), _DEVIATION),
    **dict.fromkeys(("exp", "cosh", "sinh", "expm1"), _BOUNDED),
    **dict.fromkeys(("acos", "asin", "atanh"), "Keep what it reads between -1 and 1: `tf.clip_by_value` or `tf.tanh`."),
    "softmax": "Mask with a large negative number, such as -1e9, in place of minus infinity.",
}

_LOGARITHMS = {"softmax": "tf.nn.log_softmax({x})", "sigmoid": "tf.math.log_sigmoid({x})"}
"""The logarithms of these that have no edge."""

_SQUARES = {
    "norm": "tf.reduce_sum(tf.square({x}){axis})",
    **dict.fromkeys(("reduce_std", "std"), "tf.math.reduce_variance({x}{axis})"),
}
"""What a function takes the root of, by its name."""

_RANGES = {"float16": ("65504", "11.1"), "float64": ("1.8e308", "709.8"), "complex128": ("1.8e308", "709.8")}
_RANGE = ("3.4e38", "88.7")
"""The largest number of a dtype, and the largest that `exp` takes; of all others those of float32."""


def instead(question: Question, position: int) -> str:
    """In place of an op at the edge of its domain."""
    op = question.graph.ops[position]
    stable = _whole(question, op) or _filled(question, op, AT_EDGE.get(op.op))
    if stable is not None:
        return _write(question, op, stable)
    name = spelled(question, op, at_edge(question, op))
    if name is None:
        what = f"what {question.called(op)} reads"
        return f"Keep {what} away from the edge: add a small number, such as 1e-12, or clip it."
    return f"Keep `{name}` away from the edge: add a small number, as in `{name} + 1e-12`, or clip it."


def guarded(question: Question, position: int) -> str | None:
    """In place of an op that overflows or leaves its domain; None where only general advice is known."""
    op = question.graph.ops[position]
    stable = _whole(question, op) or _filled(question, op, IN_FORWARD.get(op.op))
    return _write(question, op, stable) if stable is not None else _advice(question, op)


def _write(question: Question, op: Op, stable: str) -> str:
    """The formula, and where to write it: of a logarithm of another function's softmax, in that function."""
    made = _taken_of(question, op) if stable == _logarithm(question, op) else None
    sites = [None if each is None or each.site is None else question.log.sites[each.site] for each in (op, made)]
    own, other = sites
    if made is None or own is None or other is None or own.function == other.function:
        return f"Write `{stable}` instead."
    whole = f"the {question.called(op)} of that {question.called(made)}"
    return f"Write `{stable}` at {words(other)}, and use that here: it is {whole}."


def _advice(question: Question, op: Op) -> str | None:
    """What to do about an op for which no formula is known; a power of numbers that are too large overflows."""
    overflows = op.op == "pow" and oddities(question.log.value(op.outputs[0])) == ("inf",)
    dtype = question.log.tensors[op.outputs[0]].dtype
    largest, exponent = _RANGES.get(dtype, _RANGE)
    told = _LARGE if overflows else _ADVICE.get(op.op)
    return None if told is None else told.format(dtype=dtype, largest=largest, exponent=exponent)


def _whole(question: Question, op: Op) -> str | None:
    return next((found for find in _WHOLES if (found := find(question, op)) is not None), None)


def _filled(question: Question, op: Op, template: str | None) -> str | None:
    """A template with the operands of an op written out, None where the user has no way of writing one of them."""
    if template is None:
        return None
    names = {name: spelled(question, op, slot) for slot, name in enumerate("xy"[: len(op.inputs)])}
    if any(names.get(each) is None for each in "xy" if f"{{{each}}}" in template):
        return None
    return template.format(**names)


# ----- formulas that are worth more whole than in parts -----


def _exponentials(question: Question, op: Op) -> str | None:
    """A softmax, a softplus or the log of a sum, written by hand from `exp`."""
    if op.op != "exp":
        return None
    alike = [each for each in _after(question, op.inputs[0]) if each.op == "exp"]
    onward = [step for each in alike for step in _after(question, each.outputs[0])]
    names = [each.op for each in onward]
    if "div" in names and "reduce_sum" in names:
        return _filled(question, op, "tf.nn.softmax({x})")
    further = [each.op for step in onward for each in _after(question, step.outputs[0])]
    if "reduce_sum" in names and "log" in further:
        return _filled(question, op, "tf.reduce_logsumexp({x})")
    if "log1p" in names or ("add" in names and "log" in further):
        return _filled(question, op, "tf.math.softplus({x})")
    return None


def _logarithm(question: Question, op: Op) -> str | None:
    """The log of a softmax or a sigmoid, or one that is multiplied by what it is taken of."""
    if op.op != "log":
        return None
    made = _taken_of(question, op)
    if made is not None:
        return _filled(question, made, _LOGARITHMS[made.op])
    own = op.inputs[0]
    if any(each.op == "mul" and own in each.inputs for each in _after(question, op.outputs[0])):
        return _filled(question, op, "tf.math.xlogy({x}, {x})")
    return None


def _taken_of(question: Question, op: Op) -> Op | None:
    """The softmax or sigmoid that a logarithm is taken of."""
    made = question.graph.op_of(op.inputs[0]) if op.op == "log" else None
    return made if made is not None and made.op in _LOGARITHMS else None


def _after(question: Question, tensor: int) -> Iterator[Op]:
    """The ops that read a tensor."""
    return (question.graph.ops[position] for position, _ in question.graph.consumers(tensor))


def _root(question: Question, op: Op) -> str | None:
    """The root within a norm or a standard deviation."""
    if op.op != "sqrt" or op.site is None:
        return None
    site = question.log.sites[op.site]
    for name, square in _SQUARES.items():
        call = question.call.texts.of(site).call(site, name)
        if call is not None and len(call.args) == 1:
            axis = "".join(f", {each.arg}={ast.unparse(each.value)}" for each in call.keywords)
            whole = square.format(x=ast.unparse(call.args[0]), axis=axis)
            return f"tf.sqrt({whole} + 1e-12)"
    return None


def _mean(question: Question, op: Op) -> str | None:
    """The mean of what may be nothing."""
    if op.op != "reduce_mean" or 0 not in question.log.tensors[op.inputs[0]].shape:
        return None
    return _filled(question, op, "tf.math.divide_no_nan(tf.reduce_sum({x}), tf.cast(tf.size({x}), tf.float32))")


_WHOLES: tuple[Callable[[Question, Op], str | None], ...] = (_exponentials, _logarithm, _root, _mean)
