"""An op that stops being finite, for which no formula is known -> what to do about it."""

from __future__ import annotations

from tapeviz.diagnosis.edits.formulas import masked_finitely
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.masks import is_of_mask
from tapeviz.events.summary import oddities
from tapeviz.graph import Op

POSITIVE = "Make what it reads positive by nature: a square, `tf.exp` or `tf.math.softplus` of what it is now."
_BOUNDED = "Scale or clip what it reads: in {dtype}, `tf.exp` overflows beyond {exponent}."
_LARGE = "Scale the numbers down, or compute with their logarithms: {dtype} ends at {largest}."
_WEIGHTS = "Start from smaller weights, or normalise from layer to layer: {dtype} ends at {largest}."
_MASKED = "Mask with a large negative number, such as {hidden}, in place of minus infinity."
_EMPTY = "Leave the term out where there is nothing to read: the mean of no entries is NaN."
_MATRIX = "Add a small part of the identity to the matrix, such as 1e-4 of it: it has {lack}."
_LABELS = "Leave the batch out where all of its labels are `ignore_index`: the mean of no entries is NaN."
_PATHS = (
    "Leave out targets that do not fit, as `zero_infinity=True` does: an input needs a step for each label, and one "
    "more between two that are the same."
)
_DEVIATION = (
    "Give it two entries or more, or pass `correction=0`: else it divides by their number less one, which is 0."
)
_ADVICE = {
    **dict.fromkeys(("log", "sqrt", "rsqrt", "pow"), POSITIVE),
    **dict.fromkeys(("mul", "add", "reduce_sum", "reduce_prod", "square", "cast"), _LARGE),
    **dict.fromkeys(("matmul", "linear", "addmm", "conv", "conv2d"), _WEIGHTS),
    **dict.fromkeys(("standard_deviation", "variance"), _DEVIATION),
    **dict.fromkeys(("exp", "cosh", "sinh", "expm1"), _BOUNDED),
    **dict.fromkeys(("acos", "asin", "atanh"), "Keep what it reads between -1 and 1: `tf.clip_by_value` or `tf.tanh`."),
    "softmax": _MASKED,
    "cross_entropy": _LABELS,
    "ctc_loss": _PATHS,
    "cholesky": _MATRIX.format(lack="to be positive definite"),
    **dict.fromkeys(("inv", "solve"), _MATRIX.format(lack="no inverse")),
}

_RANGES = {"float16": ("65504", "11.1"), "float64": ("1.8e308", "709.8"), "complex128": ("1.8e308", "709.8")}
_RANGE = ("3.4e38", "88.7")
"""The largest number of a dtype, and the largest that `exp` takes; of all others those of float32."""


def advice(question: Question, op: Op) -> Fix | None:
    """What to do about an op for which no formula is known; a power of numbers that are too large overflows."""
    if 0 in question.log.tensors[op.inputs[0]].shape:
        return Fix(_EMPTY)
    overflows = op.op == "pow" and oddities(question.log.value(op.outputs[0])) == ("inf",)
    dtype = question.log.tensors[op.outputs[0]].dtype
    if not overflows and (is_of_mask(question, op) or _ADVICE.get(op.op) == _MASKED):
        return without_infinity(question, op)
    told = _LARGE if overflows else _ADVICE.get(op.op)
    if dtype == "float16" and told in (_LARGE, _WEIGHTS, _BOUNDED):
        told = f"Compute it in float32. Otherwise {told[0].lower()}{told[1:]}"
    return None if told is None else Fix(_filled(told, dtype))


def without_infinity(question: Question, op: Op) -> Fix:
    """How to mask what an op makes NaN or infinity of."""
    dtype = question.log.tensors[op.outputs[0]].dtype
    return Fix(_filled(_MASKED, dtype), masked_finitely(question, op, _hiding(dtype)))


def largest(dtype: str) -> str:
    """The largest number of a dtype, as it is told."""
    return _RANGES.get(dtype, _RANGE)[0]


def _filled(sentence: str, dtype: str) -> str:
    """A sentence with the numbers of a dtype."""
    exponent = _RANGES.get(dtype, _RANGE)[1]
    return sentence.format(dtype=dtype, largest=largest(dtype), exponent=exponent, hidden=_hiding(dtype))


def _hiding(dtype: str) -> str:
    """The number that hides an entry in a mask."""
    return "-1e4" if dtype == "float16" else "-1e9"
