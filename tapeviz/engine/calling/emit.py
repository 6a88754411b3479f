"""An op's result -> its tensor(s), a node on every tape that follows an input, and a record in the log.

The commonest cases are recorded by `quick`; this is for all others.
"""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING, Any

from tapeviz.engine.recording import APART, Apart, Recording, Trace, flown
from tapeviz.engine.specs.dtypes import DIFFERENTIABLE
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.events.program.frames import enter_users_frame, users_frame
from tapeviz.events.values import spec_of

if TYPE_CHECKING:
    from tapeviz.engine.custom_gradient import CustomCall
    from tapeviz.engine.op import Op


def fly(op: Op | CustomCall, entries: tuple[Any, ...], out: object, attributes: tuple[Any, ...] = ()) -> Tensor:
    """Note an op in the flight recorder, as no log is open. Returns its result."""
    tensor = Tensor._new(out)
    frame = users_frame(2)
    flown.append(op.name, entries, tensor._id, spec_of(out), attributes, (), (), None, frame.f_code, frame.f_lasti)
    return tensor


class OpCall:
    """One application of an op.

    Attributes:
        operands: tensors and arrays, as they were given.
        entries: for each operand the id of the tensor, or the array: what the log contains.
        values: their arrays.
        followed: for each operand, the tapes that follow it.
        uneven: whether an operand may have been broadcast, so that its cotangent has to be summed.
        attributes: the op's attributes by name.
    """

    __slots__ = ("attributes", "entries", "followed", "op", "operands", "uneven", "values")

    def __init__(
        self,
        op: Op | CustomCall,
        operands: tuple[Any, ...],
        entries: tuple[Any, ...],
        values: tuple[Any, ...],
        followed: tuple[Any, ...],
        uneven: bool = False,
        attributes: dict[str, Any] | None = None,
    ) -> None:
        self.op = op
        self.operands = operands
        self.entries = entries
        self.values = values
        self.followed = followed
        self.uneven = uneven
        self.attributes = attributes or {}

    def as_tensors(self) -> tuple[Any, ...]:
        """The operands as tensors with their present values: a variable may have changed when they are needed."""
        return tuple(
            [
                Tensor._again(value, entry, followed) if isinstance(operand, TensorLike) else value
                for operand, value, entry, followed in zip(
                    self.operands, self.values, self.entries, self.followed, strict=True
                )
            ]
        )


def emit(now: Recording, call: OpCall, out: Any) -> Any:
    """Record and log an op in the general case. Returns its output as a tensor, or several as a tuple of tensors."""
    log, op = now.log, call.op
    many = type(out) is tuple
    if log is None and not many:
        return fly(op, call.entries, out, tuple(call.attributes.items()))
    result: Any = tuple([Tensor._new(each) for each in out]) if many else Tensor._new(out)
    ids = tuple([each._id for each in result]) if many else result._id
    attrs = tuple(call.attributes.items())
    if log is None:
        frame = users_frame(2)
        specs = tuple([spec_of(each) for each in out])
        flown.append(op.name, call.entries, ids, specs, attrs, (), (), None, frame.f_code, frame.f_lasti)
        return result
    saves, follow = _record(now, call, out, ids)
    for each in result if many else (result,):
        kind = each._value.dtype.kind
        carries = follow and kind in DIFFERENTIABLE
        each._traces = now.unfollowed if not carries else follow if kind == "f" else APART[kind](follow)
    frame = enter_users_frame(log, _getframe(2))
    kept = tuple([log.keep(each) for each in out]) if many else log.keep(out)
    tapes = now.ids if follow is now.traces else tuple([trace.id for trace in follow])
    log.raw += (op.name, call.entries, ids, kept, attrs, saves, tapes, log.scope, frame.f_code, frame.f_lasti)
    for accumulator in now.accumulators:
        accumulator.carry(call, result)
    return result


def _record(now: Recording, call: OpCall, out: Any, ids: Any) -> tuple[tuple[int, ...], tuple[Trace, ...]]:
    """Add a node to every tape that follows an input. Returns the indices of what was saved, and those tapes.

    For an op with several outputs their shapes and dtypes are saved too, to make zeros for outputs without a gradient.
    """
    follow = tuple([trace for trace in now.traces if any(trace in each for each in call.followed)])
    if not follow:
        return (), ()
    specs = tuple([(each.shape, each.dtype) for each in out]) if type(out) is tuple else None
    apart = next((type(each) for each in call.followed if isinstance(each, Apart)), None)
    saves: dict[int, None] = {}
    for trace in follow:
        plan = call.op.plan(tuple([trace in each for each in call.followed]), call.uneven, apart)
        saved = plan.pick(out, call.attributes, *call.values)
        trace.nodes += (plan, call.entries, ids, saved if specs is None else (saved, specs))
        saves.update(dict.fromkeys(plan.saves))
    return tuple(saves), now.traces if len(follow) == len(now.traces) else follow
