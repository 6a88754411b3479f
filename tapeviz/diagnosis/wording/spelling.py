"""A tensor, or an operand of an op -> how the user writes it, or what to call it in a sentence."""

from __future__ import annotations

import ast

import numpy as np

from tapeviz.diagnosis.op_kinds import EXTREMES
from tapeviz.diagnosis.question import Question
from tapeviz.events import Site
from tapeviz.graph import Op
from tapeviz.phrases import quoted, unquoted
from tapeviz.source.lines import LONGEST, assigned, expression, kept_attribute
from tapeviz.source.places import same_line

_FUNCTIONS = {
    **{each: f"arc{each[1:]}" for each in ("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh")},
    "div": "divide",
    "reduce_euclidean_norm": "norm",
}
"""How the function of an op is called where that is not its name."""

REVERSED = ("rdiv", "rpow", "rsub")
"""The ops that an operator is where its tensor stands on the right."""

_CASTS = ("astype", "to", "type", "bool", "int", "long", "half", "bfloat16", "float", "double")
"""What casts are called as methods."""


def written(question: Question, tensor: int) -> str | None:
    """How the user writes a tensor: its name, or a plain number; None where neither is known."""
    if question.is_named(tensor):
        return unquoted(question.name(tensor))
    value = question.log.value(tensor) if question.log.tensors[tensor].role == "literal" else None
    is_number = isinstance(value, np.ndarray | np.generic) and value.ndim == 0 and value.dtype.kind not in "bOSU"
    return f"{value:g}" if is_number else None


def spelled(question: Question, op: Op, slot: int) -> str | None:
    """How the user writes an operand of an op: as the text that stands there in the call, by its name, or a number."""
    site = None if op.site is None else question.log.sites[op.site]
    first = written(question, op.inputs[0])
    text = None
    if site is not None:
        place = place_of(op, slot, question.editor.node(site))
        text = question.call.texts.of(site).operand_text(site, place, callees(question, op), first)
    return written(question, op.inputs[slot]) if text is None or len(text) > LONGEST else text


def place_of(op: Op, slot: int, node: ast.AST | None) -> int:
    """The place of an operand in what is written: a number on the left of a tensor's operator is its second operand."""
    return 1 - slot if op.op in REVERSED and isinstance(node, ast.BinOp) else slot


def resulting(question: Question, op: Op) -> str | None:
    """How the user writes the result of an op: its name, or the call or operation that stands there.

    A name that is also that of an operand was given to the result in its place, and does not tell the two apart.
    """
    site = None if op.site is None else question.log.sites[op.site]
    name = written(question, op.outputs[0])
    taken_over = name in [spelled(question, op, slot) for slot in range(len(op.inputs))]
    if site is None or (name is not None and not taken_over):
        return name
    return question.call.texts.of(site).result_text(site, callees(question, op)) or name


def described(question: Question, tensor: int) -> str:
    """A tensor in a sentence: its name, else the call or operation that made it, as it is written, if that is short."""
    op = question.graph.op_of(tensor)
    text = None if op is None or question.is_named(tensor) or len(op.outputs) > 1 else resulting(question, op)
    return question.name(tensor) if text is None or len(text) > LONGEST else quoted(text)


def computed(question: Question, tensor: int, site: Site | None) -> str:
    """What a line computed on the path to a tensor: the tensor if it has a name, else what the line assigns."""
    if question.is_named(tensor):
        return question.name(tensor)
    if same_line(site, question.call.site):  # computed in the call of `gradient`, as its first argument
        told = next(iter(question.call.arguments), None)
    else:
        told = assigned(site) or kept_attribute(site) or expression(site)
    return question.name(tensor) if told is None else quoted(told)


def callees(question: Question, op: Op) -> tuple[str, ...]:
    """What the function of an op may be called."""
    names = op.op, _FUNCTIONS.get(op.op, op.op), question.dialect.op(op.op)
    return (*names, *(("clip_by_value",) if op.op in EXTREMES else _CASTS if op.op == "cast" else ()))
