"""Onset -> Finding: a gradient that becomes too large for its dtype on the way back, away from any domain edge."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.nan.bad_input import huge_variable
from tapeviz.diagnosis.numbers.layers import layered_path
from tapeviz.diagnosis.numbers.run_numbers import Onset, norm_of
from tapeviz.diagnosis.op_kinds import may_have_pole
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.advice import largest
from tapeviz.diagnosis.wording.places import words
from tapeviz.events.summary import is_finite
from tapeviz.source.places import site_at

LARGE = 1e18
"""An upstream gradient beyond this may overflow even at an op whose derivative can be infinite."""

LAYERS = 3
"""So many layers tell how much the gradient grows from one to the next."""

_FACTORS = (
    "Make the factors smaller: start from smaller weights, or normalise from layer to layer. If it is training that "
    "makes the weights so large, clip the gradients of each step (`tf.clip_by_global_norm`)."
)
_HALF = "Compute it in float32, or scale the loss up by less."


def overflows(call: GradientCall, onset: Onset) -> bool:
    """Whether a contribution is not finite because the numbers that met are large, and not because of an edge."""
    op = call.graph.ops[onset.step.op]
    if not may_have_pole(call.log, op):
        return all(is_finite(call.log.value(each, onset.step.op)) for each in op.inputs)
    upstream = call.numbers.upstream_of_bad(onset)
    return upstream is not None and bool((np.abs(upstream).astype(np.float64) > LARGE).all())


def overflow(question: Question, onset: Onset) -> Finding:
    """The finding: what becomes too large, how large it was before, and how it grew."""
    op, site = question.graph.ops[onset.step.op], site_at(question.log, onset.step.op)
    dtype = question.log.tensors[onset.contribution.cotangent].dtype
    grown, smaller = _huge_variable(question) or growth(question, onset) or ("", _FACTORS)
    return question.finding(
        "exploding_depth",
        site,
        f"{question.op_name(op)} at {words(site)} makes the gradient larger than any {dtype}, beyond "
        f"{largest(dtype)}: that of {question.source_name} is not finite."
        f"{_before(question, onset)}{grown}",
        _HALF if dtype == "float16" else smaller,
        symptom="nan",
        evidence=[onset.step.op, onset.step.position],
        because=question.op_name(op),
    )


def _before(question: Question, onset: Onset) -> str:
    """How large the gradient was at the target, and when it came to the op."""
    call = question.call
    here = _norm(call, onset.step.upstream)
    began = next((norm for step in call.run.steps if (norm := _norm(call, step.upstream)) is not None), None)
    if here is None or began is None:
        return ""
    op = question.op_name(question.graph.ops[onset.step.op])
    return f" Its norm is {began:.2g} at {question.target_name}, and {here:.2g} before {op}."


def _norm(call: GradientCall, upstream: tuple[int | None, ...]) -> float | None:
    """The norm of the first upstream gradient of a step that has any."""
    return next((norm_of(call.log, each) for each in upstream if each is not None), None)


def growth(question: Question, onset: Onset) -> tuple[str, str] | None:
    """By how much the gradient grows from layer to layer, if there are several on its way, and what to do.

    Of all sources that are not finite because of one op, the first that is asked about says it: the rest of their
    paths is the same.
    """
    call, source = question.call, question.source
    path = call.once(("growth", onset.step.position), lambda: layered_path(call, source))
    if path.decay is None or path.decay <= 1 or len(path.layers) < LAYERS:
        return None
    return f" The gradient grows {path.decay:.2g}-fold from layer to layer.", _FACTORS


def _huge_variable(question: Question) -> tuple[str, str] | None:
    """A sentence and a fix if training steps have made a variable huge that the target was computed from."""
    makers: Iterator[int | None] = (question.graph.producer(each) for each in question.call.targets)
    return next((told for each in makers if each is not None and (told := huge_variable(question, each))), None)
