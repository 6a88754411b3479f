"""An op that stops being finite -> the formula to write instead, in the names of the log."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tapeviz.diagnosis.edits.formulas import instead_of
from tapeviz.diagnosis.numbers.operands import VALUES
from tapeviz.diagnosis.op_kinds import PARTS, QUOTIENT_SLOTS, VIEWS
from tapeviz.diagnosis.paths.views import behind_views
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.advice import POSITIVE, advice, without_infinity
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.logarithms import along_axis, axes_of, of_logits
from tapeviz.diagnosis.wording.masks import is_of_mask
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wording.spelling import spelled
from tapeviz.events.summary import elements_of
from tapeviz.graph import Op
from tapeviz.phrases import quoted
from tapeviz.source.places import same_line
from tapeviz.source.statements import callee

AT_EDGE = {
    "acos": "tf.acos(tf.clip_by_value({x}, -1.0 + 1e-6, 1.0 - 1e-6))",
    "acosh": "tf.acosh(tf.where({x} > 1.0 + 1e-6, {x}, 1.0 + 1e-6))",
    "asin": "tf.asin(tf.clip_by_value({x}, -1.0 + 1e-6, 1.0 - 1e-6))",
    "atan2": "tf.atan2({x}, {y} + 1e-12)",
    "atanh": "tf.atanh(tf.clip_by_value({x}, -1.0 + 1e-6, 1.0 - 1e-6))",
    "div": "tf.math.divide_no_nan({x}, {y})",
    "rdiv": "tf.math.divide_no_nan({y}, {x})",
    "log": "tf.math.log({x} + 1e-7)",
    "pow": "tf.pow({x} + 1e-12, {y})",
    "reciprocal": "tf.math.reciprocal_no_nan({x})",
    "reduce_euclidean_norm": "tf.sqrt(tf.reduce_sum(tf.square({x})) + 1e-12)",
    "rsqrt": "tf.math.rsqrt({x} + 1e-12)",
    "sqrt": "tf.sqrt({x} + 1e-12)",
}
"""What to write for an op at the edge of its domain."""

_SMALL = {"1e-12": "1e-4", "1e-7": "1e-4", "1e-6": "1e-2"}
"""Numbers in these formulas -> those for a dtype of 16 bits, in which they are 0, or nothing beside 1."""

IN_FORWARD = {
    "div": "tf.math.divide_no_nan({x}, {y})",
    "rdiv": "tf.math.divide_no_nan({y}, {x})",
    "reciprocal": "tf.math.reciprocal_no_nan({x})",
}
"""What to write for an op whose value is not finite."""

_VARIANCE = "tf.math.reduce_variance({x}{options})"
_SQUARES = {"norm": "tf.reduce_sum(tf.square({x}){options})", "reduce_std": _VARIANCE, "std": _VARIANCE}
"""What a function takes the root of, by its name."""

_OF_SQUARES = ("axis", "keepdims", "ddof")
"""The options of such a function that are those of its square, too."""


def instead(question: Question, position: int) -> Fix:
    """In place of an op at the edge of its domain."""
    op = question.graph.ops[position]
    if op.op == "pow" and _is_negative(question, op, position):
        return Fix(POSITIVE)
    if is_of_mask(question, op):
        return without_infinity(question, op)
    return _at_edge(question, op, position)


def _is_negative(question: Question, op: Op, position: int) -> bool:
    """Whether some number that an op reads first is below 0."""
    read = elements_of(question.log.value(op.inputs[0], position))
    return read is not None and bool((read < 0).any())


def _is_at_zero(question: Question, op: Op, position: int) -> bool:
    """Whether an op gives infinity for zeros among numbers none of which is below 0."""
    read = elements_of(question.log.value(op.inputs[0], position)) if op.op in ("log", "rsqrt") else None
    return read is not None and bool((read >= 0).all()) and not read.all()


def _for_dtype(question: Question, op: Op, text: str) -> str:
    """Code or a sentence with numbers that the dtype of what an op reads can tell from nothing."""
    if question.log.tensors[op.inputs[0]].dtype not in ("float16", "bfloat16"):
        return text
    small = _SMALL | ({"1e-12": "1e-3"} if op.op == "rsqrt" else {})  # whose slope at 1e-4 is beyond float16
    return re.sub(r"\b1e-\d+", lambda found: small.get(found[0], found[0]), text)


def _at_edge(question: Question, op: Op, position: int) -> Fix:
    """What to do about an op at the edge of its domain."""
    template = AT_EDGE.get(op.op)
    safe = _stable(question, op) or _written(question, op, _filled(question, op, template))
    if safe is not None:
        return safe
    return Fix(_for_dtype(question, op, apart(question, op) if op.op in VALUES else _away(question, op, position)))


def _away(question: Question, op: Op, position: int) -> str:
    """What to do about an op at the edge of its domain, where it is not known how the program writes what it reads."""
    template = AT_EDGE.get(op.op)
    if template is not None:
        reads = " and ".join(each for each in "xy" if f"{{{each}}}" in template)
        verb = "are" if " and " in reads else "is"
        return f"Use `{template.format(x='x', y='y')}` instead, where {reads} {verb} what {question.op_name(op)} reads."
    slot = at_edge(question, op)
    name, read = spelled(question, op, slot), elements_of(question.log.value(op.inputs[slot], position))
    what = f"what {question.op_name(op)} reads" if name is None else quoted(name)
    if read is not None and read.all():  # a small number leads away from an edge at 0 alone
        return f"Keep {what} away from the edge: clip it to where the derivative is finite."
    number = "such as 1e-12" if name is None else f"as in `{name} + 1e-12`"
    return f"Keep {what} away from the edge: add a small number, {number}, or clip it."


def at_edge(question: Question, op: Op) -> int:
    """The slot of an op at some numbers of which it or its derivative is not finite."""
    known = question.log.row_of(op)
    slot = 0 if known is None or known.pole is None else known.arguments.index(known.pole)
    return slot if slot < len(op.inputs) else 0


def guarded(question: Question, position: int) -> Fix | None:
    """In place of an op that overflows or leaves its domain; None where only general advice is known."""
    op = question.graph.ops[position]
    template = AT_EDGE.get(op.op) if _is_at_zero(question, op, position) else IN_FORWARD.get(op.op)
    return _stable(question, op) or _written(question, op, _filled(question, op, template)) or advice(question, op)


def _stable(question: Question, op: Op) -> Fix | None:
    """What to write for an op together with those around it."""
    return of_logits(question, op) or _divided(question, op) or _in_a_log(question, op) or _whole(question, op)


def _written(question: Question, op: Op, stable: str | None, whole: Op | None = None) -> Fix | None:
    """Code in the place of an op, or of a `whole` that it is a part of."""
    if stable is None:
        return None
    code = _for_dtype(question, op, stable)
    edit = instead_of(question, whole or op, code)
    return Fix(f"{'Use' if edit is None else 'Write'} `{code}` instead.", edit)


def _whole(question: Question, op: Op) -> Fix | None:
    found = next((found for find in _WHOLES if (found := find(question, op)) is not None), None)
    return None if found is None else _written(question, op, found.code, found.whole)


class _Whole(NamedTuple):
    """A formula, and the last of the ops that it takes the place of."""

    code: str
    whole: Op


def _filled(question: Question, op: Op, template: str | None) -> str | None:
    """A template with the operands of an op written out, None where the user has no way of writing one of them."""
    if template is None:
        return None
    names = {name: spelled(question, op, slot) for slot, name in enumerate("xy"[: len(op.inputs)])}
    if any(names.get(each) is None for each in "xy" if f"{{{each}}}" in template):
        return None
    return template.format(**names)


# ----- formulas that are worth more whole than in parts -----


def _exponentials(question: Question, op: Op) -> _Whole | None:
    """A softmax, a softplus or the log of a sum, written by hand from `exp`."""
    if op.op != "exp":
        return None
    alike = [each for each in question.readers(op.inputs[0]) if each.op == "exp"]
    onward = [step for each in alike for step in _further_readers(question, each.outputs[0])]
    names = [each.op for each in onward]
    if "div" in names and "reduce_sum" in names:
        shares = [step for step in onward if step.op == "div"]
        logs = [each for step in shares for each in question.readers(step.outputs[0]) if each.op == "log"]
        along = along_axis(question, next(each for each in onward if each.op == "reduce_sum"))
        function = "tf.nn.log_softmax" if logs else "tf.nn.softmax"
        code = None if along is None else f"{function}({{x}}{along})"
        return _whole_of(question, op, code, [*logs, *shares])
    logs = [each for step in onward for each in question.readers(step.outputs[0]) if each.op == "log"]
    if "reduce_sum" in names and logs:
        total = next(each for each in onward if each.op == "reduce_sum")
        return _whole_of(question, op, f"tf.reduce_logsumexp({{x}}{_options(question, total)})", logs)
    if "log1p" in names or ("add" in names and logs):
        return _whole_of(question, op, "tf.math.softplus({x})", [each for each in onward if each.op == "log1p"] or logs)
    return None


def _whole_of(question: Question, op: Op, template: str | None, ends: list[Op]) -> _Whole | None:
    """A template with the operands of an op written out, for all ops up to the first of `ends`."""
    code = _filled(question, op, template)
    return None if code is None else _Whole(code, ends[0])


def _further_readers(question: Question, tensor: int) -> Iterator[Op]:
    """The ops that read a tensor, a part of it or a view."""
    for op in question.readers(tensor):
        yield op
        if op.op in PARTS | VIEWS and op.inputs[0] == tensor:
            yield from (step for each in op.outputs for step in _further_readers(question, each))


def _options(question: Question, total: Op) -> str:
    """Those of a sum, in words that all frameworks understand: of several axes a tuple, even of all there are."""
    axes, rank = axes_of(question, total)
    axis = axes if len(axes) != 1 else -1 if axes[0] == rank - 1 else axes[0]
    keepdims = ", keepdims=True" if dict(total.attrs).get("keepdims") else ""
    return f"{f', axis={axis}' if rank > 1 else ''}{keepdims}"


def _logarithm(question: Question, op: Op) -> _Whole | None:
    """A log of a sum of exponentials, or one that is multiplied by what it is taken of."""
    if op.op != "log":
        return None
    total = question.graph.op_of(behind_views(question.graph, op.inputs[0]))
    power = None if total is None or total.op != "reduce_sum" else question.graph.op_of(total.inputs[0])
    if total is not None and power is not None and power.op == "exp":
        return _whole_of(question, power, f"tf.reduce_logsumexp({{x}}{_options(question, total)})", [op])
    products = [each for each in question.readers(op.outputs[0]) if each.op == "mul" and op.inputs[0] in each.inputs]
    return _whole_of(question, op, "tf.math.xlogy({x}, {x})", products) if products else None


def _deviation(question: Question, op: Op) -> _Whole | None:
    """A norm or a standard deviation, kept from zero."""
    code = _root(question, op)
    return None if code is None else _Whole(code, op)


def _root(question: Question, op: Op, least: str = "1e-12", least_variance: str = "1e-12") -> str | None:
    """The root within a norm or a standard deviation, kept from zero."""
    if op.op != "sqrt" or op.site is None:
        return None
    site = question.log.sites[op.site]
    call = question.call.texts.of(site).call_at(site)
    square = None if call is None else _SQUARES.get(callee(call))
    if call is None or square is None or any(each.arg not in _OF_SQUARES for each in call.keywords):
        return None
    given = {str(each.arg): ast.unparse(each.value) for each in call.keywords}
    match call:
        case ast.Call(func=ast.Attribute(value=of), args=[axis]) if _is_constant(axis):
            given = {"axis": ast.unparse(axis), **given}
        case ast.Call(args=[of]) | ast.Call(func=ast.Attribute(value=of), args=[]):
            pass
        case _:
            return None
    options = "".join(f", {name}={value}" for name, value in given.items())
    least = least_variance if square == _VARIANCE else least
    return f"tf.sqrt({square.format(x=ast.unparse(of), options=options)} + {least})"


def _is_constant(node: ast.expr) -> bool:
    """Whether an argument is a number, or several: of a method, an axis."""
    return not any(isinstance(each, ast.Name | ast.Call) for each in ast.walk(node))


def _divided(question: Question, op: Op) -> Fix | None:
    """A quotient by a root: to guard the quotient is not enough, since the root's own derivative is infinite at 0."""
    if op.op not in QUOTIENT_SLOTS:
        return None
    above_slot, below_slot = QUOTIENT_SLOTS[op.op]
    root = question.graph.op_of(behind_views(question.graph, op.inputs[below_slot]))
    if root is None or root.op not in ("sqrt", "reduce_euclidean_norm"):
        return None
    safe = _root(question, root, least_variance="1e-5") or _filled(question, root, AT_EDGE[root.op])
    if safe is None:
        return None
    above = spelled(question, op, above_slot)
    here, there = (None if each.site is None else question.log.sites[each.site] for each in (op, root))
    if above is None or not same_line(here, there):
        code = _for_dtype(question, op, safe)
        edit, so = instead_of(question, root, code), "so that what is divided by is never 0"
        return Fix(f"{'Use' if edit is None else 'Write'} `{code}` at {words(there)}, {so}.", edit)
    above = above if above.isidentifier() else f"({above})"
    return _written(question, op, f"{above} / {safe}")


def _in_a_log(question: Question, op: Op) -> Fix | None:
    """A quotient that a logarithm is taken of: 0 in its place, as elsewhere, has none either."""
    if op.op != "div" or not any(each.op == "log" for each in question.readers(op.outputs[0])):
        return None
    above, below = (spelled(question, op, slot) for slot in (0, 1))
    if above is None or below is None:
        return None
    return _written(question, op, f"{above if above.isidentifier() else f'({above})'} / ({below} + 1e-7)")


def apart(question: Question, op: Op) -> str:
    """In place of a matrix with two equal eigenvalues or singular values."""
    name, shape = spelled(question, op, 0), question.log.tensors[op.inputs[0]].shape
    different = f", as in `{name} + tf.linalg.diag(tf.range({shape[-1]}.0) * 1e-4)`" if name else ""
    if len(shape) < 2 or shape[-1] != shape[-2]:
        different = ""
    return (
        f"Add different small numbers to the diagonal{different}, so that no two {VALUES[op.op]} are equal, or do "
        "without the gradient of the vectors: that of the values is defined."
    )


def _mean(question: Question, op: Op) -> _Whole | None:
    """The mean of what may be nothing."""
    if op.op != "reduce_mean" or question.log.tensors[op.inputs[0]].shape != (0,):
        return None
    return _whole_of(question, op, "tf.reduce_sum({x}) / max(len({x}), 1)", [op])


_WHOLES: tuple[Callable[[Question, Op], _Whole | None], ...] = (_exponentials, _logarithm, _deviation, _mean)
