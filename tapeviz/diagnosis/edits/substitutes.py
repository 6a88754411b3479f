"""An op without a gradient -> the edit that puts in its place ops that have one, with the same value or one near it."""

from __future__ import annotations

import ast

from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.edits.picking import is_plain
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.spelling import spelled
from tapeviz.events import Site
from tapeviz.graph import Op
from tapeviz.source.edits import Edit
from tapeviz.source.statements import callee

_MOVED_FROM_MEAN = "({x} - {mean}) * {y} + {mean}"
_SAME = {"adjust_contrast": (_MOVED_FROM_MEAN, "tf.reduce_mean({x}, axis=[-3, -2], keepdims=True)")}
"""Functions of TensorFlow's whose ops have no gradient, and the same in ops that have one, of their two arguments."""

_COUNTED = "tf.reduce_sum(tf.nn.relu(1 - tf.abs({position} - tf.range({bins}.0))), axis=0)"
_POSITION = "(tf.reshape({x}, [-1, 1]) - {low}) / {width} - 0.5"
_FROM_ZERO = "tf.reshape({x}, [-1, 1]) / {width} - 0.5"
"""A histogram in which a number counts the less for a bin the farther it is from the middle of it."""


def same_with_gradient(editor: Editor, site: Site | None) -> Edit | None:
    """A function whose op has no gradient, written out in ops that have one."""
    match editor.calls(site, *_SAME):
        case [ast.Call(args=[x, y], keywords=[]) as call] if site is not None and is_plain(x) and is_plain(y):
            template, mean = _SAME[callee(call)]
            of = editor.operand(site, x)
            code = template.format(x=of, y=editor.operand(site, y), mean=mean.format(x=of))
            return editor.replace(site, call, ast.unparse(ast.parse(code, mode="eval")))
    return None


def counted_smoothly(question: Question, op: Op) -> Edit | None:
    """A histogram by how near numbers are to the middles of its bins, in the place of one that counts them."""
    attrs, x = dict(op.attrs), spelled(question, op, 0)
    bins, low, high = (attrs.get(each) for each in ("bins", "min", "max"))
    if x is None or not isinstance(bins, int) or not isinstance(low, int | float) or not isinstance(high, int | float):
        return None
    if not low < high:  # by itself from the smallest number to the largest
        return None
    position = (_POSITION if low else _FROM_ZERO).format(x=x, low=low, width=(high - low) / bins)
    node = question.editor.node(question.site_of(op))
    is_written = isinstance(node, ast.Call) and callee(node) == op.op
    code = _COUNTED.format(position=f"({position})", bins=bins)
    return question.editor.instead(question.site_of(op), code) if is_written else None
