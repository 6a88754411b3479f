"""The op at which a gradient becomes zero -> why it does, and what to do about it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

import numpy as np

from tapeviz.diagnosis.edits.formulas import in_more_bits, leaky, of_one_unit
from tapeviz.diagnosis.edits.picking import last_steps
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers import elements, hooks
from tapeviz.diagnosis.numbers.broadcast_sums import remedy, rows_of
from tapeviz.diagnosis.numbers.operands import VALUES, equal_values
from tapeviz.diagnosis.numbers.overwritten import is_by_another, overwritten
from tapeviz.diagnosis.numbers.run_numbers import Onset
from tapeviz.diagnosis.numbers.underflow import has_slope, has_underflown
from tapeviz.diagnosis.op_kinds import (
    BOUNDED,
    EXTREMES,
    FLAT_BELOW,
    POWERS,
    PRODUCTS,
    QUOTIENT_SLOTS,
    RECTIFIERS,
    SCALINGS,
    SOFTMAX_LOSSES,
    SOFTMAXES,
    is_compiled_graph,
)
from tapeviz.diagnosis.paths.views import behind_views
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wording.safe import apart
from tapeviz.diagnosis.wording.smooth import passed_through, smooth
from tapeviz.diagnosis.zero import factors
from tapeviz.diagnosis.zero.cancel import OF_A_SUM, counts_alike, is_read_as_sum
from tapeviz.diagnosis.zero.context import ZeroContext
from tapeviz.diagnosis.zero.dead_rectifiers import SMALLER, update_before
from tapeviz.diagnosis.zero.left_out import of_what_is_left_out
from tapeviz.diagnosis.zero.lost_numbers import ON_FLAT_PART, divided_by_infinity, lost_at
from tapeviz.diagnosis.zero.out_of_range import out_of_range_index
from tapeviz.diagnosis.zero.users_rules import of_users_op
from tapeviz.diagnosis.zero.verdicts import (
    ANOTHER_AXIS,
    OF_A_BRANCH,
    OF_A_CORNER,
    OF_A_GRAPH,
    OF_A_HINGE,
    OF_A_HOOK,
    OF_A_POWER,
    OF_A_WRITE,
    OF_NO_ROWS,
    OF_NONE_WITHIN,
    OF_ONE_SIDE,
    OF_OTHER_ENTRIES,
    OF_SHARED_MEMORY,
    OF_SQUARES,
    OF_THE_LAST,
    OF_UNKNOWN,
    OFF,
    OFF_THERE,
    ONE_LOGIT,
    ONE_SHARE,
    UNEXPLAINED,
    VANISHED_UPSTREAM,
    Verdict,
)
from tapeviz.events import BackwardFinished
from tapeviz.events.catalog import BRANCH
from tapeviz.graph import Op
from tapeviz.source.places import site_at

UNNAMED = ("<lambda>", "<unnamed function>", None)
"""What a function is called that has no name."""

# ----- reasons that are known -----


def _by_a_hook(context: ZeroContext) -> Verdict | None:
    if not hooks.is_hooks_doing(context.call, context.onset):
        return None
    does, line = hooks.effect(context.call, context.onset, "zeros")
    return Verdict("zero_derivative", does, "hint", OF_A_HOOK, line=line)


def _in_a_graph(context: ZeroContext) -> Verdict | None:
    """A compiled graph is one op, and which op inside makes the zeros was not seen."""
    return OF_A_GRAPH if is_compiled_graph(context.op) else None


def _of_what_was_overwritten(context: ZeroContext) -> Verdict | None:
    found = overwritten(context.call, context.onset.step)
    if found is None or context.onset.contribution.tensor not in found.affected:
        return None
    line = site_at(context.call.log, found.write)
    wrote, fix = f"which {words(line)} overwrote", OF_A_WRITE
    if is_by_another(context.call.log, found.write):
        fix = OF_SHARED_MEMORY
        wrote = f"which was overwritten in the memory that {words(line)} shares with another library,"
    does = f"kept {context.question.name(found.tensor)}, {wrote} where autograd does not see it"
    return Verdict("inplace_modification", does, "warning", fix, line=line)


def _of_no_rows(context: ZeroContext) -> Verdict | None:
    shapes = [context.call.log.tensors[each].shape for each in context.op.outputs]
    empty = next((each for each in shapes if 0 in each), None)
    if empty is None:
        return None
    return Verdict("zero_derivative", f"has an empty result, of shape {empty}", "hint", OF_NO_ROWS)


def _of_an_index_outside(context: ZeroContext) -> Verdict | None:
    found = out_of_range_index(context.call, context.onset.step.op)
    if found is None:
        return None
    return Verdict("zero_derivative", found.effect(context.question, context.op.inputs[0]), "warning", found.fix)


def _of_another_branch(context: ZeroContext) -> Verdict | None:
    """A conditional took a branch that does not read the operand, which another one would have read."""
    branch = dict(context.op.attrs).get(BRANCH)
    if branch is None or context.slot == 0:
        return None
    own = "a branch" if branch in UNNAMED else f"the branch `{branch}`"
    operand = context.question.name(context.op.inputs[context.slot])
    does = f"takes, for these numbers, {own} that does not compute with {operand}"
    return Verdict("zero_derivative", does, "hint", OF_A_BRANCH)


def without_derivative(context: ZeroContext) -> Verdict | None:
    row = context.call.log.row_of(context.op)
    argument = None if row is None else row.argument(context.slot)
    is_flat = row is not None and argument is not None and row.vjps.get(argument) in ("0", None)
    if not is_flat and dict(context.op.attrs).get("rounding_mode") is None:
        return None
    fix = smooth(context.question, context.op)
    return Verdict("nondifferentiable_op", "has derivative zero whatever its input is", "error", fix)


def _over_one_unit(context: ZeroContext) -> Verdict | None:
    if context.op.op not in SOFTMAXES | SOFTMAX_LOSSES or not _is_single(context.call, context.op, context.slot):
        return None
    fix = ONE_LOGIT if context.op.op in SOFTMAX_LOSSES else _another_axis(context.question, context.op, context.slot)
    return Verdict("constant_by_construction", ONE_SHARE, "error", fix)


def _another_axis(question: Question, op: Op, slot: int) -> str | Fix:
    """Where a softmax runs over one entry, that another axis was meant: of a batch of rows alone, it is one unit."""
    shape = question.log.tensors[op.inputs[slot]].shape
    axis = _shared_axis(op, shape) % len(shape)
    is_plain = len(shape) == 1 or (len(shape) == 2 and axis == 1)
    if is_plain or max(shape) == 1:
        return Fix(question.dialect.cause("constant_by_construction").fix, of_one_unit(question, op))
    return ANOTHER_AXIS.format(shape=shape, axis=axis)


def _read_from_one_unit(context: ZeroContext) -> Verdict | None:
    """What an op reads is the one share of a softmax over a single unit: it is 1, which a loss may have no slope at."""
    graph = context.call.graph
    made = graph.producer(behind_views(graph, context.op.inputs[context.slot]))
    if made is None or graph.ops[made].op not in SOFTMAXES or not _is_single(context.call, graph.ops[made], 0):
        return None
    fix = _another_axis(context.question, graph.ops[made], 0)
    return Verdict("constant_by_construction", ONE_SHARE, "error", fix, at=made)


def _summed_up(context: ZeroContext) -> Verdict | None:
    if not is_read_as_sum(context.call, context.onset.step):
        return None
    return Verdict("constant_by_construction", "is read as a sum, which is always 1", "warning", OF_A_SUM)


def _by_a_zero_factor(context: ZeroContext) -> Verdict | None:
    is_factor = context.op.op in PRODUCTS and context.slot < 2
    if not is_factor or all(each.any() for each in context.values):
        return None
    (zeros,) = context.others
    made = _made_zero(context, zeros)
    if made is not None or context.call.is_made_of(zeros, context.question.source):
        return made
    return _by_zeros(context, zeros, "multiplies by", "a factor")


def _made_zero(context: ZeroContext, zeros: int) -> Verdict | None:
    """Why an operand is zero that was made of other numbers."""
    off = factors.switched_off(context.call, zeros)
    return lost_at(context.question, zeros) if off is None else _rectifier_is_off(context, off, OFF)


def _of_lost_numbers(context: ZeroContext) -> Verdict | None:
    """What is divided by infinity is zero; a power is flat at zero, which its base is because numbers were lost."""
    base, at = context.op.inputs[context.slot], context.onset.step.op
    value = context.call.numbers.value(base, at)
    is_flat = context.op.op in POWERS and context.slot == 0 and value is not None and not value.any()
    return divided_by_infinity(context.question, at) or (_made_zero(context, base) if is_flat else None)


def _too_small(context: ZeroContext) -> Verdict | None:
    """A linear op or a product made zeros in float16 of factors that are not zero."""
    dtype = context.call.log.tensors[context.onset.contribution.cotangent].dtype
    if dtype != "float16" or not all(each.any() for each in context.values):
        return None
    if context.op.op in POWERS or context.op.op in QUOTIENT_SLOTS:
        curved = has_slope(context.call, context.op, context.slot)
        return _with_more_bits(context, OF_A_POWER) if curved is not None and curved.any() else None
    if context.op.op not in PRODUCTS | SCALINGS:
        return None
    does = "multiplies factors" if context.op.op in PRODUCTS else "makes zero of numbers"
    told = f"{does} that are not zero, but too small for float16"
    return _with_more_bits(context, Verdict("precision_underflow", told, "warning"))


def _with_more_bits(context: ZeroContext, verdict: Verdict) -> Verdict:
    """A verdict about float16, with the edit that computes in float32."""
    editor, site = context.question.editor, site_at(context.call.log, context.onset.step.op)
    told = Fix.of(verdict.fix or context.question.dialect.cause(verdict.cause).fix)
    return verdict._replace(fix=Fix(told.text, in_more_bits(editor, site)))


def _of_squares_too_small(context: ZeroContext) -> Verdict | None:
    """Of numbers that are not zero, in float16, the squares are of which the op's derivative is made, as atan2's is."""
    row = context.call.log.row_of(context.op)
    formula = None if row is None else row.vjps.get(row.argument(context.slot) or "")
    if context.call.log.tensors[context.onset.contribution.cotangent].dtype != "float16" or "^{2}" not in (
        formula or ""
    ):
        return None
    at = context.onset.step.op
    read = [context.call.numbers.value(each, at) for each in context.op.inputs]
    upstream = [context.call.numbers.value(each) for each in context.onset.step.upstream if each is not None]
    if not all(each is not None and each.dtype == np.float16 and each.any() for each in (*read, *upstream)):
        return None
    return _with_more_bits(context, OF_SQUARES) if not any(np.square(each).any() for each in read) else None


def _without_derivative_there(context: ZeroContext) -> Verdict | None:
    """All that an op reads is zero, where the catalog says that it has no derivative, and the framework gives zero."""
    row = context.call.log.row_of(context.op)
    if row is None or not any(_is_corner(edge, set(row.arguments)) for edge in row.domain):
        return None
    read = [context.call.numbers.value(each, context.onset.step.op) for each in context.op.inputs]
    return OF_A_CORNER if all(each is not None and not each.any() for each in read) else None


def _is_corner(edge: str, arguments: set[str]) -> bool:
    """Whether an edge of a domain, in the words of the catalog, is where several arguments, and these all, are zero."""
    where = edge.partition(":")[0]
    return len(arguments) > 1 and where.endswith("= 0") and set(re.findall(r"\{(\w+)\}", where)) == arguments


def _rectifiers_are_off(context: ZeroContext) -> Verdict | None:
    others = [each.ndim or bool(each.any()) for each in context.values]
    is_hinge = context.op.op in ("maximum", "clamp_min") and others == [False]
    if context.op.op not in RECTIFIERS and not is_hinge:
        return None
    out = context.call.numbers.value(context.op.outputs[0])
    if is_hinge:
        return Verdict("dead_activation", OFF, "hint", OF_A_HINGE)
    return _rectifier_is_off(context, context.onset.step.op, OFF if out is None or not (out > 0).any() else OFF_THERE)


def _rectifier_is_off(context: ZeroContext, position: int, does: str) -> Verdict:
    """A rectifier is off: from the start, or since an update."""
    update = update_before(context.call, position) if does == OFF else None
    if update is None:
        edit = leaky(context.question, context.call.graph.ops[position])
        fix = Fix(context.question.dialect.cause("dead_activation").fix, edit)
        return Verdict("dead_activation", does, "hint", fix, at=position)
    return Verdict("dead_activation", f"{does} since the update at {words(update)}", "hint", SMALLER, at=position)


def _vanished_upstream(context: ZeroContext) -> Verdict | None:
    return VANISHED_UPSTREAM if has_underflown(context.call, context.onset.step) else None


def _saturated(context: ZeroContext) -> Verdict | None:
    is_clip = context.op.op in EXTREMES and _is_bound(context.call, context.onset)
    if (context.op.op not in BOUNDED and not is_clip) or counts_alike(context.call, context.onset.step):
        return None
    if context.op.op in FLAT_BELOW:
        return Verdict("saturation", ON_FLAT_PART, "hint", OF_ONE_SIDE)
    passing = passed_through(context.question, context.op, context.slot)
    fix = passing.reworded(lambda text: f"Scale the input, or {text}.")
    return Verdict("saturation", ON_FLAT_PART, "hint", fix)


def _of_equal_values(context: ZeroContext) -> Verdict | None:
    equal = equal_values(context.call, context.op)
    if not equal:
        return None
    does = f"leaves out the derivative of vectors whose {VALUES[context.op.op]} are equal, as {equal} are"
    return Verdict("zero_derivative", does, "hint", apart(context.question, context.op))


def _by_zeros(context: ZeroContext, zeros: int, does: str, kind: str) -> Verdict:
    """An operand is zero everywhere: perhaps by design, if it is about to learn."""
    learner, question = factors.learner(context.call, zeros), context.question
    fix = None
    if learner is not None:
        fix = (
            f"If that is how it starts, leave it so: {question.name(learner)} has a gradient, and once it is updated, "
            f"{question.source_name} gets one. Otherwise start from values that are not all zero."
        )
    return Verdict("zero_factor", f"{does} {factors.operand_name(question, context.call, zeros, kind)}", "hint", fix)


def _is_single(call: GradientCall, op: Op, slot: int) -> bool:
    """Whether an op that shares 1 out among the units of an axis of an operand has but one of them there."""
    shape = call.log.tensors[op.inputs[slot]].shape
    return bool(shape) and shape[_shared_axis(op, shape)] == 1


def _shared_axis(op: Op, shape: tuple[int, ...]) -> int:
    axis = dict(op.attrs).get("axis", min(1, len(shape) - 1) if op.op == "cross_entropy" else -1)
    return axis if isinstance(axis, int) else -1


def _is_bound(call: GradientCall, onset: Onset) -> bool:
    """Whether the other operand of a maximum or minimum is a fixed number."""
    op = call.graph.ops[onset.step.op]
    others = [each for at, each in enumerate(op.inputs) if at != onset.contribution.slot]
    return all(call.log.tensors[each].role in ("literal", "constant") for each in others)


def _had_none_within(context: ZeroContext) -> bool:
    """Whether a gradient was taken on the way through an op, as that of a function of Python's is, and none arrived."""
    call = context.call
    step = call.steps.get(context.onset.step.op, 0)
    before = call.step_before(step)
    marks = call.graph.marks[bisect_right(call.graph.marks, before) : bisect_left(call.graph.marks, step)]
    ends = [each for at in marks if isinstance(each := call.log.events[at], BackwardFinished)]
    return bool(ends) and all(gradient is None for each in ends for gradient in each.gradients)


def _left_out(context: ZeroContext) -> Verdict | None:
    """An op further on picks entries, none of which the source has a part in."""
    match elements.zero_entries(context.call, context.question.source):
        case [only] if only.reason.does == elements.UNREAD and only.reason.position > context.onset.step.op:
            does, at = "picks other entries alone", only.reason.position
            edit = last_steps(context.question.editor, site_at(context.call.log, at))
            fix = OF_OTHER_ENTRIES if edit is None else Fix(OF_THE_LAST, edit)
            return Verdict("unused_source", does, "hint", fix, at=at)
    return None


REASONS = (
    _by_a_hook,
    _in_a_graph,
    _of_what_was_overwritten,
    _of_no_rows,
    _of_an_index_outside,
    of_what_is_left_out,
    _of_another_branch,
    without_derivative,
    _over_one_unit,
    _read_from_one_unit,
    _summed_up,
    _by_a_zero_factor,
    _of_lost_numbers,
    _too_small,
    _rectifiers_are_off,
    _vanished_upstream,
    _saturated,
    _of_equal_values,
    _of_squares_too_small,
    _without_derivative_there,
)
"""Why an op makes a gradient zero, or None: the first that fits is told."""

OF_THE_SOURCE = frozenset({_by_a_zero_factor})
"""Those of them that may fit one source and not another, whose gradients become zero at one op."""


def of_last_resort(context: ZeroContext) -> Verdict:
    """The answer where no reason fits."""
    if _had_none_within(context):
        return OF_NONE_WITHIN
    if context.call.log.is_users(context.op):
        return of_users_op(context)
    rows = rows_of(context.call, context.onset.step, context.onset.contribution)
    if rows is not None and rows.cancel.all():
        does = f"adds one operand to {rows.number:,} rows, whose gradients cancel"
        return Verdict("constant_by_construction", does, "hint", remedy(context.call, context.onset.step.op))
    unread = _left_out(context)
    if unread is not None:
        return unread
    zeros = factors.zero_operands(context.call, context.op, context.onset.step.op, context.slot)
    if zeros:
        return _by_zeros(context, zeros[0], "reads", "an operand")
    return OF_UNKNOWN if context.call.log.row_of(context.op) is None else UNEXPLAINED
