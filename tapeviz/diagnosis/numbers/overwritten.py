"""A step of a backward pass -> what its op kept for it, and a line overwrote where autograd does not look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import PRODUCTS
from tapeviz.events import EventLog, OpRecorded, OpSkipped, RecordingPaused, RecordingResumed, StateWritten
from tapeviz.events.catalog import RECOMPUTED
from tapeviz.events.row import Row
from tapeviz.events.summary import elements_of
from tapeviz.events.types import SHARED_MEMORY, SavedChanged
from tapeviz.replay import Step


class Overwritten(NamedTuple):
    """A tensor, the position of the write that gave it other numbers than its op had read, and what these went into:
    the tensors whose gradients were computed from it."""

    tensor: int
    write: int
    affected: list[int]


def is_by_another(log: EventLog, write: int) -> bool:
    """Whether another library wrote, such as NumPy: where is not known, but where it got the memory."""
    event = log.events[write]
    return isinstance(event, StateWritten) and event.how == SHARED_MEMORY


def overwritten(call: GradientCall, step: Step) -> Overwritten | None:
    """The first such tensor of a step; a call that came to its end was not stopped by its version."""
    op, end = call.graph.ops[step.op], call.position
    if not call.log.facts.shares_saved or not isinstance(op, OpRecorded) or end is None:
        return None
    for tensor in _read_again(call, step.op, op):
        writes = (at for at in call.graph.writes.get(tensor, ()) if step.op < at < end)
        write, affected = next(writes, None), _computed_from(call, op, step, tensor)
        if write is not None and affected and _has_changed(call, tensor, step.op, end):
            return Overwritten(tensor, write, affected)
    return None


def is_read_again(call: GradientCall, step: Step) -> bool:
    """Whether an op runs again ahead of its step, in a checkpoint."""
    return RECOMPUTED in call.graph.ops[step.op].attrs


def _read_again(call: GradientCall, position: int, op: OpRecorded) -> Sequence[int]:
    """What a step is computed from: what its op kept, or the leaves that this reads again in a checkpoint.

    Through the program's hooks on saved tensors it is not seen what an op keeps, but that it came back with others.
    """
    row = call.log.row_of(op)
    if RECOMPUTED in op.attrs and row is None:
        return [*op.saved, *_read_inside(call, position)]
    if RECOMPUTED not in op.attrs or row is None:
        came_back_changed = call.once("came back changed", lambda: _came_back_changed(call))
        return op.saved or ((*op.inputs, *op.outputs) if came_back_changed.intersection(op.outputs) else ())
    read = {each for argument in row.arguments for each in row.reads(argument)}
    leaves = {each: row.argument(slot) for slot, each in enumerate(op.inputs) if call.graph.producer(each) is None}
    return [each for each, argument in leaves.items() if argument in read]


def _read_inside(call: GradientCall, position: int) -> list[int]:
    """The leaves that were read by what ran in an op, with autograd off, and runs again in its step."""
    read: dict[int, None] = {}
    depth = 0
    for at in range(position - 1, -1, -1):
        event = call.log.events[at]
        depth += isinstance(event, RecordingResumed) - isinstance(event, RecordingPaused)
        if depth <= 0:
            break
        inputs = event.inputs if isinstance(event, OpSkipped) else ()
        read |= dict.fromkeys(each for each in inputs if call.graph.producer(each) is None)
    return list(read)


def _came_back_changed(call: GradientCall) -> set[int]:
    """The results of the ops that got other numbers back from the program's hooks than they had saved."""
    return {each.tensor for each in call.log.of_kind(SavedChanged).values() if not each.recomputed}


def _computed_from(call: GradientCall, op: OpRecorded, step: Step, tensor: int) -> list[int]:
    """What gets a contribution that is computed from a kept tensor: the factor of a product is for the others, and what
    is only added gets what arrives, as a bias does."""
    is_factor, row = op.op in PRODUCTS and op.inputs.count(tensor) == 1, call.log.row_of(op)
    computed = [each for each in step.contributions if not is_factor or each.tensor != tensor]
    return [each.tensor for each in computed if not _is_added(row, each.slot)]


def _is_added(row: Row | None, slot: int) -> bool:
    argument = None if row is None else row.argument(slot)
    return row is not None and argument is not None and bool(row.vjps.get(argument)) and not row.reads(argument)


def _has_changed(call: GradientCall, tensor: int, before: int, after: int) -> bool:
    """Whether a tensor is known to have other numbers at a later position: it may have got its own back."""
    was, is_now = (elements_of(call.log.value(tensor, at)) for at in (before, after))
    if was is None or is_now is None:
        return False
    return not np.array_equal(was, is_now, equal_nan=was.dtype.kind in "fc")
