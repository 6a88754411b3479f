"""GradientCall -> Findings about a softmax along another axis than that of the classes that its loss reads."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wrong.shapes import passed_in
from tapeviz.events import Site
from tapeviz.events.summary import elements_of
from tapeviz.graph import Op
from tapeviz.source.edits import Edit
from tapeviz.source.places import site_at

_SOFTMAXES = ("softmax", "log_softmax")
_ENTRY_BY_ENTRY = frozenset({"log", "cast", "identity", "neg", "clip_by_value"})
"""Ops between a softmax and what reads its classes, which leave every entry where it is."""
_PICKING = frozenset({"nll_loss", "reduce_sum", "take_along"})
"""Ops that pick the class that is right: by its number, or by the ones that all shares were multiplied by."""
_AXIS = ("axis", "dim")


def along_another_axis(call: GradientCall, sources: Iterable[int]) -> Iterator[Finding]:
    """Shares that sum to one along one axis, of which a loss picks some along another.

    Then the examples share what the classes should.
    """
    parts = call.parts(sources)
    for position in passed_in(call):
        softmax, axis = _picked(call, call.graph.ops[position]) or (None, 0)
        through = None if softmax is None else parts.first(call.graph.ops[softmax].inputs[:1])
        if softmax is not None and through is not None:
            yield _finding(Question(call, through), softmax, position, axis)


def _picked(call: GradientCall, op: Op) -> tuple[int, int] | None:
    """The position of a softmax along another axis than that along which an op picks its classes, and this axis."""
    if op.op not in _PICKING:
        return None
    tensor, axis = op.inputs[0], 1 if op.op == "nll_loss" else dict(op.attrs).get("axis")
    rank = len(call.log.tensors[tensor].shape)
    if not isinstance(axis, int) or rank < 2:
        return None
    axis %= rank
    if op.op == "reduce_sum":
        return _weighed(call, tensor, axis)
    softmax = _softmax(call, tensor, axis)
    if softmax is None or op.op == "nll_loss":
        return None if softmax is None else (softmax, axis)
    chosen = elements_of(call.log.value(op.inputs[1]))
    picks_one = chosen is not None and chosen.ndim == rank and chosen.shape[axis] == 1
    return (softmax, axis) if picks_one and _differs(chosen, _axis(call, softmax)) else None


def _weighed(call: GradientCall, product: int, axis: int) -> tuple[int, int] | None:
    """The same of what was multiplied by ones in the places of classes, and zeros elsewhere: one along this axis alone.

    What has one along another axis as well pairs examples, which may be read either way.
    """
    made = call.graph.op_of(product)
    if made is None or made.op != "mul" or len(made.inputs) != 2:
        return None
    for tensor, labels in (made.inputs, made.inputs[::-1]):
        softmax = None if labels in call.followed else _softmax(call, tensor, axis)
        ones = None if softmax is None else elements_of(call.log.value(labels))
        if softmax is None or ones is None or ones.shape != call.log.tensors[tensor].shape:
            continue
        single = [each for each in range(ones.ndim) if (ones.sum(each) == 1).all()]
        if single == [axis] and {*np.unique(ones)} == {0, 1} and _differs(ones, _axis(call, softmax)):
            return softmax, axis
    return None


def _differs(chosen: Any, axis: int) -> bool:
    """Whether another choice is made for some entries along an axis: what is the same for all picks a row or a step."""
    return bool((chosen != np.take(chosen, [0], axis)).any())


def _softmax(call: GradientCall, tensor: int, besides: int) -> int | None:
    """The position of the softmax whose logarithms a tensor has, entry by entry, if it is along an axis besides one."""
    met = set[str]()
    while (made := call.graph.op_of(tensor)) is not None and made.op in _ENTRY_BY_ENTRY:
        met.add(made.op)
        tensor = made.inputs[0]
    position = call.graph.producer(tensor)
    if made is None or position is None or not (made.op == "log_softmax" or (made.op == "softmax" and "log" in met)):
        return None
    return position if isinstance(dict(made.attrs).get("axis"), int) and _axis(call, position) != besides else None


def _axis(call: GradientCall, softmax: int) -> int:
    """The axis of a softmax that has one, from the first."""
    op = call.graph.ops[softmax]
    axis: Any = dict(op.attrs)["axis"]
    return int(axis) % len(call.log.tensors[op.outputs[0]].shape)


def _finding(question: Question, softmax: int, loss: int, axis: int) -> Finding:
    first, second = question.graph.ops[softmax], question.graph.ops[loss]
    there, own = site_at(question.log, softmax), _axis(question.call, softmax)
    applied, called = question.op_name(first), question.op_name(second)
    return question.finding(
        "api_misuse",
        there,
        f"{applied} at {words(there)} makes shares that sum to 1 along axis {own}, and {called} at "
        f"{words(site_at(question.log, loss))} picks classes along axis {axis}: those of one example do not "
        f"sum to 1. The gradient of {question.source_name} is that of another loss.",
        _fix(question, softmax, applied, axis),
        severity="warning",
        symptom="wrong",
        evidence=[softmax, loss],
    )


def _fix(question: Question, softmax: int, applied: str, axis: int) -> Fix:
    """Of rows of classes the other axis; of more axes than two it may be the classes that are not where they should."""
    op, along = question.graph.ops[softmax], f"ake {applied} along axis {axis}"
    if len(question.log.tensors[op.outputs[0]].shape) > 2:
        return Fix(f"Bring the classes to axis {axis} for the loss, or t{along}.")
    return Fix(f"T{along}.", _turned(question.editor, site_at(question.log, softmax), axis))


def _turned(editor: Editor, site: Site | None, axis: int) -> Edit | None:
    """A softmax along another axis, where the line that calls it writes along which."""
    call = editor.call(site, *_SOFTMAXES)
    if site is None or call is None or not isinstance(call.func, ast.Attribute):
        return None
    is_function = f"{editor.text(site, call.func.value)}.".startswith(editor.dialect.libraries)
    named = [each.value for each in call.keywords if each.arg in _AXIS]
    own = named or call.args[is_function:][:1]
    return editor.replace(site, own[0], str(axis)) if own else None
