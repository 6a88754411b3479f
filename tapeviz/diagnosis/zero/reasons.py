"""The op at which a gradient becomes zero -> why it does, and what to do about it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

import numpy as np

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers import elements, hooks
from tapeviz.diagnosis.numbers.broadcast_sums import CURE, rows_of
from tapeviz.diagnosis.numbers.operands import VALUES, equal_values
from tapeviz.diagnosis.numbers.overwritten import overwritten
from tapeviz.diagnosis.numbers.run_numbers import Birth
from tapeviz.diagnosis.numbers.underflow import has_slope, has_underflown
from tapeviz.diagnosis.op_kinds import (
    BOUNDED,
    EXTREMES,
    POWERS,
    PRODUCTS,
    RECTIFIERS,
    SCALINGS,
    SOFTMAX_LOSSES,
    SOFTMAXES,
)
from tapeviz.diagnosis.paths.views import behind_views
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wording.safe import apart
from tapeviz.diagnosis.wording.smooth import passed_through, smooth
from tapeviz.diagnosis.zero import factors
from tapeviz.diagnosis.zero.cancel import OF_A_SUM, counts_alike, is_read_as_sum
from tapeviz.diagnosis.zero.context import Met
from tapeviz.diagnosis.zero.dead_rectifiers import SMALLER, put_out
from tapeviz.diagnosis.zero.lost_numbers import divided_by_infinity, lost
from tapeviz.diagnosis.zero.out_of_range import stray
from tapeviz.diagnosis.zero.verdicts import (
    ANOTHER_AXIS,
    HERE,
    OF_A_CORNER,
    OF_A_DROPOUT,
    OF_A_HINGE,
    OF_A_HOOK,
    OF_A_MASK,
    OF_A_PADDING,
    OF_A_POWER,
    OF_A_WRITE,
    OF_NO_ROWS,
    OF_NONE_WITHIN,
    OF_OTHER_ENTRIES,
    OF_SQUARES,
    OFF,
    OFF_THERE,
    ONE_LOGIT,
    ONE_SHARE,
    OWN,
    SPENT,
    Why,
)
from tapeviz.events import BackwardFinished
from tapeviz.graph import Op
from tapeviz.source.places import site_at

# ----- reasons that are known -----


def _by_a_hook(met: Met) -> Why | None:
    if not hooks.is_spoilt(met.call, met.birth, "zero"):
        return None
    does, line = hooks.effect(met.call, met.birth, "zeros")
    return Why("zero_derivative", does, "hint", OF_A_HOOK, line=line)


def _of_what_was_overwritten(met: Met) -> Why | None:
    found = overwritten(met.call, met.birth.step)
    if found is None or met.birth.contribution.tensor not in found.spoilt:
        return None
    line = site_at(met.call.log, found.write)
    does = f"kept {met.question.name(found.tensor)}, which {words(line)} overwrote where autograd does not see it"
    return Why("inplace_modification", does, "warning", OF_A_WRITE, line=line)


def _of_no_rows(met: Met) -> Why | None:
    shapes = [met.call.log.tensors[each].shape for each in met.op.outputs]
    empty = next((each for each in shapes if 0 in each), None)
    if empty is None:
        return None
    return Why("zero_derivative", f"has an empty result, of shape {empty}", "hint", OF_NO_ROWS)


def _of_an_index_outside(met: Met) -> Why | None:
    found = stray(met.call, met.birth.step.op)
    if found is None:
        return None
    return Why("zero_derivative", found.effect(met.question, met.op.inputs[0]), "warning", found.fix)


def _of_what_is_left_out(met: Met) -> Why | None:
    """A dropout, a mask or the row of a padding takes all that an op reads from the target."""
    attrs, read = dict(met.op.attrs), [met.call.numbers.value(each) for each in met.op.inputs]
    if met.op.op == "dropout" and attrs.get("p") == 1.0:
        return Why("zero_derivative", "drops every element of its input, at a rate of 1", "hint", OF_A_DROPOUT)
    if met.op.op == "masked_fill" and met.slot == 0 and read[1] is not None and read[1].all():
        return Why("zero_derivative", "fills every element of its input", "hint", OF_A_MASK)
    padding = attrs.get("padding_idx")
    if padding is not None and met.slot == 0 and read[1] is not None and (read[1] == padding).all():
        does = f"reads the row of `padding_idx`, {padding}, alone, which gets no gradient"
        return Why("zero_derivative", does, "hint", OF_A_PADDING)
    return None


def _without_derivative(met: Met) -> Why | None:
    row = met.call.log.row_of(met.op)
    argument = None if row is None else row.argument(met.slot)
    is_flat = row is not None and argument is not None and row.vjps.get(argument) in ("0", None)
    if not is_flat and dict(met.op.attrs).get("rounding_mode") is None:
        return None
    fix = smooth(met.question, met.op)
    return Why("nondifferentiable_op", "has derivative zero whatever its input is", "error", fix)


def _over_one_unit(met: Met) -> Why | None:
    if met.op.op not in SOFTMAXES | SOFTMAX_LOSSES or not _is_single(met.call, met.op, met.slot):
        return None
    fix = ONE_LOGIT if met.op.op in SOFTMAX_LOSSES else _another_axis(met.call, met.op, met.slot)
    return Why("constant_by_construction", ONE_SHARE, "error", fix)


def _another_axis(call: GradientCall, op: Op, slot: int) -> str | None:
    """Where a softmax runs over one entry, that another axis was meant: of a batch of rows alone, it is one unit."""
    shape = call.log.tensors[op.inputs[slot]].shape
    axis = _shared_axis(op, shape) % len(shape)
    is_plain = len(shape) == 1 or (len(shape) == 2 and axis == 1)
    return None if is_plain or max(shape) == 1 else ANOTHER_AXIS.format(shape=shape, axis=axis)


def _read_from_one_unit(met: Met) -> Why | None:
    """What an op reads is the one share of a softmax over a single unit: it is 1, which a loss may have no slope at."""
    graph = met.call.graph
    made = graph.producer(behind_views(graph, met.op.inputs[met.slot]))
    if made is None or graph.ops[made].op not in SOFTMAXES or not _is_single(met.call, graph.ops[made], 0):
        return None
    return Why("constant_by_construction", ONE_SHARE, "error", _another_axis(met.call, graph.ops[made], 0), at=made)


def _summed_up(met: Met) -> Why | None:
    if not is_read_as_sum(met.call, met.birth.step):
        return None
    return Why("constant_by_construction", "is read as a sum, which is always 1", "warning", OF_A_SUM)


def _by_a_zero_factor(met: Met) -> Why | None:
    is_factor = met.op.op in PRODUCTS and met.slot < 2
    if not is_factor or all(each.any() for each in met.values):
        return None
    (zeros,) = met.others
    if met.call.is_made_of(zeros, met.question.source):
        return None
    off = factors.switched_off(met.call, zeros)
    if off is not None:
        return _off(met, off, OFF)
    return lost(met.question, zeros) or _by_zeros(met, zeros, "multiplies by", "a factor")


def _of_lost_numbers(met: Met) -> Why | None:
    """What is divided by infinity is zero; a power is flat at zero, which its base is because numbers were lost."""
    base, at = met.op.inputs[met.slot], met.birth.step.op
    value = met.call.numbers.value(base, at)
    is_flat = met.op.op in POWERS and met.slot == 0 and value is not None and not value.any()
    return divided_by_infinity(met.question, at) or (lost(met.question, base) if is_flat else None)


def _too_small(met: Met) -> Why | None:
    """A linear op or a product made zeros in float16 of factors that are not zero."""
    dtype = met.call.log.tensors[met.birth.contribution.cotangent].dtype
    if dtype != "float16" or not all(each.any() for each in met.values):
        return None
    if met.op.op in POWERS:
        curved = has_slope(met.call, met.op, met.slot)
        return OF_A_POWER if curved is not None and curved.any() else None
    if met.op.op not in PRODUCTS | SCALINGS:
        return None
    does = "multiplies factors" if met.op.op in PRODUCTS else "makes zero of numbers"
    return Why("precision_underflow", f"{does} that are not zero, but too small for float16", "warning")


def _of_squares_too_small(met: Met) -> Why | None:
    """Of numbers that are not zero, in float16, the squares are of which the op's derivative is made, as atan2's is."""
    row = met.call.log.row_of(met.op)
    formula = None if row is None else row.vjps.get(row.argument(met.slot) or "")
    if met.call.log.tensors[met.birth.contribution.cotangent].dtype != "float16" or "^{2}" not in (formula or ""):
        return None
    at = met.birth.step.op
    read = [met.call.numbers.value(each, at) for each in met.op.inputs]
    upstream = [met.call.numbers.value(each) for each in met.birth.step.upstream if each is not None]
    if not all(each is not None and each.dtype == np.float16 and each.any() for each in (*read, *upstream)):
        return None
    return OF_SQUARES if not any(np.square(each).any() for each in read) else None


def _without_derivative_there(met: Met) -> Why | None:
    """All that an op reads is zero, where the catalog says that it has no derivative, and the framework gives zero."""
    row = met.call.log.row_of(met.op)
    if row is None or not any(_is_corner(edge, set(row.arguments)) for edge in row.domain):
        return None
    read = [met.call.numbers.value(each, met.birth.step.op) for each in met.op.inputs]
    return OF_A_CORNER if all(each is not None and not each.any() for each in read) else None


def _is_corner(edge: str, arguments: set[str]) -> bool:
    """Whether an edge of a domain, in the words of the catalog, is where several arguments, and these all, are zero."""
    where = edge.partition(":")[0]
    return len(arguments) > 1 and where.endswith("= 0") and set(re.findall(r"\{(\w+)\}", where)) == arguments


def _switched_off(met: Met) -> Why | None:
    others = [each.ndim or bool(each.any()) for each in met.values]
    is_hinge = met.op.op in ("maximum", "clamp_min") and others == [False]
    if met.op.op not in RECTIFIERS and not is_hinge:
        return None
    out = met.call.numbers.value(met.op.outputs[0])
    if is_hinge:
        return Why("dead_activation", OFF, "hint", OF_A_HINGE)
    return _off(met, met.birth.step.op, OFF if out is None or not (out > 0).any() else OFF_THERE)


def _off(met: Met, position: int, does: str) -> Why:
    """A rectifier is off: from the start, or since an update."""
    update = put_out(met.call, position) if does == OFF else None
    if update is None:
        return Why("dead_activation", does, "hint", at=position)
    return Why("dead_activation", f"{does} since the update at {words(update)}", "hint", SMALLER, at=position)


def _spent(met: Met) -> Why | None:
    return SPENT if has_underflown(met.call, met.birth.step) else None


def _flat(met: Met) -> Why | None:
    is_clip = met.op.op in EXTREMES and _is_bound(met.call, met.birth)
    if (met.op.op not in BOUNDED and not is_clip) or counts_alike(met.call, met.birth.step):
        return None
    fix = f"Scale the input, or {passed_through(met.question, met.op, met.slot)}."
    return Why("saturation", "is on its flat part for every element of its input", "hint", fix)


def _of_equal_values(met: Met) -> Why | None:
    equal = equal_values(met.call, met.op)
    if not equal:
        return None
    does = f"leaves out the derivative of vectors whose {VALUES[met.op.op]} are equal, as {equal} are"
    return Why("zero_derivative", does, "hint", apart(met.question, met.op))


def _by_zeros(met: Met, zeros: int, does: str, kind: str) -> Why:
    """An operand is zero everywhere: perhaps by design, if it is about to learn."""
    learner, question = factors.learner(met.call, zeros), met.question
    fix = None
    if learner is not None:
        fix = (
            f"If that is how it starts, leave it so: {question.name(learner)} has a gradient, and once it is updated, "
            f"{question.source_name} gets one. Otherwise start from values that are not all zero."
        )
    return Why("zero_factor", f"{does} {factors.operand_name(question, met.call, zeros, kind)}", "hint", fix)


def _is_single(call: GradientCall, op: Op, slot: int) -> bool:
    """Whether an op that shares 1 out among the units of an axis of an operand has but one of them there."""
    shape = call.log.tensors[op.inputs[slot]].shape
    return bool(shape) and shape[_shared_axis(op, shape)] == 1


def _shared_axis(op: Op, shape: tuple[int, ...]) -> int:
    axis = dict(op.attrs).get("axis", min(1, len(shape) - 1) if op.op == "cross_entropy" else -1)
    return axis if isinstance(axis, int) else -1


def _is_bound(call: GradientCall, birth: Birth) -> bool:
    """Whether the other operand of a maximum or minimum is a fixed number."""
    op = call.graph.ops[birth.step.op]
    others = [each for at, each in enumerate(op.inputs) if at != birth.contribution.slot]
    return all(call.log.tensors[each].role in ("literal", "constant") for each in others)


def _had_none_within(met: Met) -> bool:
    """Whether a gradient was taken on the way through an op, as that of a function of Python's is, and none arrived."""
    call = met.call
    step = call.steps.get(met.birth.step.op, 0)
    before = call.step_before(step)
    marks = call.graph.marks[bisect_right(call.graph.marks, before) : bisect_left(call.graph.marks, step)]
    ends = [each for at in marks if isinstance(each := call.log.events[at], BackwardFinished)]
    return bool(ends) and all(gradient is None for each in ends for gradient in each.gradients)


def _left_out(met: Met) -> Why | None:
    """An op further on picks entries, none of which the source has a part in."""
    match elements.zero_entries(met.call, met.question.source):
        case [only] if only.reason.does == elements.UNREAD:
            does = "picks other entries alone"
            return Why("zero_derivative", does, "hint", OF_OTHER_ENTRIES, at=only.reason.position)
    return None


REASONS = (
    _by_a_hook,
    _of_what_was_overwritten,
    _of_no_rows,
    _of_an_index_outside,
    _of_what_is_left_out,
    _without_derivative,
    _over_one_unit,
    _read_from_one_unit,
    _summed_up,
    _by_a_zero_factor,
    _of_lost_numbers,
    _too_small,
    _switched_off,
    _spent,
    _flat,
    _of_equal_values,
    _of_squares_too_small,
    _without_derivative_there,
)
"""Why an op makes a gradient zero, or None: the first that fits is told."""


def of_last_resort(met: Met) -> Why:
    """The answer where no reason fits."""
    if met.call.log.is_users(met.op):
        return OF_NONE_WITHIN if _had_none_within(met) else OWN
    rows = rows_of(met.call, met.birth.step, met.birth.contribution)
    if rows is not None and rows.cancel.all():
        does = f"adds one operand to {rows.number:,} rows, whose gradients cancel"
        return Why("constant_by_construction", does, "hint", CURE)
    unread = _left_out(met)
    if unread is not None:
        return unread
    zeros = factors.zero_operands(met.call, met.op, met.birth.step.op, met.slot)
    return _by_zeros(met, zeros[0], "reads", "an operand") if zeros else HERE
