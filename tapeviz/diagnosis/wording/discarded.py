"""An op whose results a `where` partly discards -> how to keep the op's input away from its edges."""

from __future__ import annotations

import numpy as np

from tapeviz.diagnosis.edits.formulas import instead_of_argument, instead_of_operand
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.safe import at_edge
from tapeviz.diagnosis.wording.spelling import spelled
from tapeviz.events.catalog import WITHIN
from tapeviz.events.summary import elements_of
from tapeviz.graph import Op
from tapeviz.phrases import unquoted

SAFE = {"acos": "0.0", "acosh": "2.0", "asin": "0.0", "atanh": "0.0", "erf_inv": "0.0"}
"""The number at which an op and its derivative are finite, where that is not 1."""

INSIDE = {
    **dict.fromkeys(("log", "pow", "rsqrt", "sqrt"), "{x} > 0.0"),
    **dict.fromkeys(("acos", "asin", "atanh", "erf_inv"), "tf.abs({x}) < 1.0"),
    "acosh": "{x} > 1.0",
}
"""Where an op and its derivative are finite."""


def safe_first(question: Question, op: Op, where: Op | None) -> Fix:
    """In place of the input of a branch that a `where` discards."""
    name, called, safe = spelled(question, op, at_edge(question, op)), question.op_name(op), SAFE.get(op.op, "1.0")
    own = f"put {safe} in its discarded entries with a `tf.where` of its own"
    mask = None if where is None or where.op != "where" else _mask(question, op, where, name)
    branches = _branches(question, op, where)
    if name is None:
        return Fix(f"Make what {called} reads safe first: {own}.")
    if mask is None or len(branches) != 1:
        return Fix(f"Make `{name}` safe first: {own}, under the same condition, and compute {called} from that.")
    values = f"{name}, {safe}" if branches == [0] else f"{safe}, {name}"
    code = f"tf.where({mask}, {values})"
    is_known = where is not None and mask_is_known(question, op, where, mask)
    edit = instead_of_operand(question, op, at_edge(question, op), code) if is_known else None
    return Fix(f"Make `{name}` safe first: compute {called} from `{code}`.", edit)


def _branches(question: Question, op: Op, where: Op | None) -> list[int]:
    """The branches of a `where` that an op is in: 0 is the one where its condition holds."""
    read = [] if where is None else [question.call.ancestors_of([each]) for each in where.inputs[1:]]
    return [slot for slot, tensors in enumerate(read) if op.outputs[0] in tensors]


def finite_argument(question: Question, op: Op, where: Op | None) -> Fix | None:
    """Finite numbers in the place of others in what a package is given, if a `where` discards what comes of these."""
    site = None if op.site is None else question.log.sites[op.site]
    branches = _branches(question, op, where)
    if WITHIN not in dict(op.attrs) or where is None or where.op != "where" or len(branches) != 1:
        return None
    condition = elements_of(question.log.value(where.inputs[0]))
    leaves = question.graph.ancestors(op.inputs) & question.graph.leaves.keys()
    named = [each for each in sorted(leaves) if _is_broken(question, each, condition, branches[0])]
    if len(named) != 1 or not question.is_named(named[0]):
        return None
    name = unquoted(question.name(named[0]))
    code = question.dialect.expression(f"tf.where(tf.math.is_finite({name}), {name}, 0.0)")
    edit = instead_of_argument(question.editor, site, name, code)
    return None if edit is None else Fix(f"Give it finite numbers there: write `{code}` for `{name}`.", edit, True)


def _is_broken(question: Question, leaf: int, condition: np.ndarray | None, branch: int) -> bool:
    """Whether a leaf has numbers that are not finite, all of them where a condition takes the other branch."""
    value = elements_of(question.log.value(leaf))
    if value is None or condition is None or value.shape != condition.shape or value.dtype.kind != "f":
        return False
    broken = ~np.isfinite(value)
    return bool(broken.any()) and not bool((broken & (condition.astype(bool) == (branch == 0))).any())


def _mask(question: Question, op: Op, where: Op, name: str | None) -> str | None:
    """The condition of a `where`, of the op's input if it is one of its result, which is not there yet."""
    if op.outputs[0] not in question.call.ancestors_of([where.inputs[0]]):
        return spelled(question, where, 0)
    inside = INSIDE.get(op.op)
    return None if inside is None or name is None else inside.format(x=_atom(name))


def _atom(text: str) -> str:
    """An expression as an operand: in parentheses, unless it is a name."""
    return text if text.isidentifier() else f"({text})"


def edge_left_out(question: Question, op: Op) -> Fix | None:
    """In place of a condition that lets an op meet its edge; None where nobody can say where that is."""
    name, inside = spelled(question, op, 0), INSIDE.get(op.op)
    if name is None or inside is None:
        return None
    condition = inside.format(x=_atom(name))
    code = f"tf.where({condition}, {name}, {SAFE.get(op.op, '1.0')})"
    return Fix(
        f"The condition of the `where` lets {question.op_name(op)} meet its edge: let it be `{condition}`, and make "
        f"`{name}` safe first: compute {question.op_name(op)} from `{code}`.",
        instead_of_operand(question, op, 0, code),
    )


def mask_is_known(question: Question, op: Op, where: Op, mask: str) -> bool:
    """Whether the name of a condition stands for it before an op runs; what is no name is written out there."""
    made, used = question.made_at(where.inputs[0]), question.graph.producer(op.outputs[0])
    return not mask.isidentifier() or (made is not None and used is not None and made < used)
