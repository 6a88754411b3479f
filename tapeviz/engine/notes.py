"""What happens beside ops -> records in the open log, or in the flight recorder: leaves, names, reads, errors."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.recording import Trace, asked, current, flown
from tapeviz.events.log import EventLog
from tapeviz.events.program.exceptions import note_error
from tapeviz.events.program.frames import asking_frame, enter_frame, users_frame
from tapeviz.events.raw import Named
from tapeviz.events.types import LeafCreated, ReadOut, Watched
from tapeviz.events.values import spec_of


def note(
    kind: object,
    inputs: object = None,
    outputs: object = None,
    values: object = None,
    attrs: object = None,
    scope: object = None,
) -> None:
    """Append a record that is not of an op to the open log, or else, in a `scope`, to the flight recorder."""
    log = current.get().log
    frame = asking_frame(2) if kind is ReadOut else users_frame(2)  # the two frames before are the library's
    code, lasti = frame.f_code, frame.f_lasti
    if log is None:
        flown.append(
            kind, inputs, outputs, None if values is None else spec_of(values), attrs, (), (), scope, code, lasti
        )
        return
    if frame is not log.frame:
        enter_frame(log, frame)
    values = None if values is None else log.keep(values)
    log.append(kind, inputs, outputs, values, attrs, code, lasti, log.scope)


def note_return() -> None:
    """A function of the user's returned: the open log forgets its frame, which kept local values alive."""
    log, frame = current.get().log, users_frame(2)
    if log is not None and frame is not log.frame:
        enter_frame(log, frame)


def note_raised(error: BaseException) -> None:
    """Log an error in the open log, or else in that of the last gradient call, whose None may have led to it."""
    note_error(current.get().log or asked.get()(), error)


def note_leaf(tensor: Any, parents: tuple[int, ...] = ()) -> None:
    """Log a tensor that no op made: a constant or a variable, perhaps made from tensors (`parents`)."""
    log = current.get().log
    if log is not None:
        log.mentioned.add(tensor._id)
        if not tensor._self_watched:
            tensor._traces = current.get().unfollowed
    about, scope, *_ = tensor._origin
    note(LeafCreated, parents, tensor._id, tensor._value, about, scope)


def note_name(tensor: object, name: str, *, instead: bool = False) -> None:
    """Give a tensor a name in the open log, if the user's source has none for it; with `instead`, in any case."""
    log, raw_id = current.get().log, getattr(tensor, "_id", None)
    if log is not None and raw_id is not None:
        if instead:
            log.append(Named, None, raw_id)
        log.append(Named, None, raw_id, None, name)


def watch(log: EventLog, trace: Trace, tensor: Any) -> None:
    """Let `trace` follow a tensor, as the user asked for by `tape.watch`, and log it."""
    trace.watched[tensor._id] = tensor
    frame = users_frame(1)
    log.raw += (Watched, (trace.id,), tensor._id, None, "explicit", (), (), None, frame.f_code, frame.f_lasti)
