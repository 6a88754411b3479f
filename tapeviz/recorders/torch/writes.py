"""A call that changes a tensor in place -> what became of it.

Where autograd follows the change, or nobody trains the tensor, it is an op whose result goes on under the old name. A
variable stays the same variable: its new value was written into it.
"""

from __future__ import annotations

from typing import Any

import torch

from tapeviz.events.raised import note_error
from tapeviz.events.types import StateWritten
from tapeviz.recorders.torch.arguments import Arguments
from tapeviz.recorders.torch.gradients import Gradients
from tapeviz.recorders.torch.names import naming
from tapeviz.recorders.torch.nodes import counter
from tapeviz.recorders.torch.session import Session

Tensor = torch.Tensor
IN_PLACE = ("in_place", True)
"""The attribute of an op that overwrote its first input."""


class Write:
    """One function of PyTorch's that changes its first argument."""

    def __init__(self, session: Session, gradients: Gradients, func: Any, name: str) -> None:
        known = naming(name)
        self._session = session
        self._gradients = gradients
        self._how = name
        self._name = "setitem" if name == "__setitem__" else known.name
        self._arguments = Arguments(session, func, known)

    def __call__(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        session, target = self._session, args[0] if args else None
        if not isinstance(target, Tensor):
            return func(*args, **kwargs)
        owner = session.owner_of(target)
        if not self._is_known(args):
            return self._first(func, target, owner, args, kwargs)
        session.open()
        inputs, attrs = self._arguments.split(args, kwargs)
        attrs = (*attrs, IN_PLACE)
        base = target._base if owner is None else None
        before = () if base is None else (session.id_of(base),)
        for each in (target, owner):
            session.about_to_change(each)
        start = counter()
        try:
            out = func(*args, **kwargs)
        except Exception as error:
            note_error(session.log, error)
            raise
        changed = (target,) if base is None else (target, base)
        self._log(start, changed, inputs + before, attrs, owner)
        self._gradients.zeroed(self._how, [target])
        return out

    def _is_known(self, args: tuple[Any, ...]) -> bool:
        """Whether the log knows the tensor, or one that goes in."""
        ids = self._session.tensors.ids
        return any(id(each) in ids for each in args)

    def _first(self, func: Any, target: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A tensor that the log never mentioned gets its first values; only the user's own line counts."""
        session = self._session
        try:
            out = func(*args, **kwargs)
        except Exception as error:
            self._arguments.split(args, kwargs)
            note_error(session.log, error)
            raise
        if owner is not None and session.in_users_code(2):
            session.note(StateWritten, None, session.id_of(owner), session.hold(owner, session.id_of(owner)), self._how)
        return out

    def _log(self, start: int, changed: tuple[Any, ...], inputs: Any, attrs: Any, owner: Any) -> None:
        session = self._session
        log, tensors = session.log, session.tensors
        frame = session.enter(2)
        variable = None if owner is None else session.id_of(owner)
        ids = tuple([tensors.add(each) for each in changed])
        values = tuple([session.hold(each, raw) for each, raw in zip(changed, ids, strict=True)])
        followed = changed[0].grad_fn is not None
        outputs: Any = ids if len(ids) > 1 else ids[0]
        if followed:
            for each, raw_id in zip(changed, ids, strict=True):
                session.nodes.place(each, raw_id)  # a view makes its node when it is asked for it
            session.nodes.add(start, counter(), inputs, outputs)
        tapes = session.tapes if followed else ()
        value = values if len(ids) > 1 else values[0]
        code, lasti = frame.f_code, frame.f_lasti
        name = self._name if len(ids) == 1 else self._how
        log.raw += (name, inputs, outputs, value, attrs, (), tapes, log.scope, code, lasti)
        if variable is not None:
            if owner is changed[0]:
                tensors.bind(owner, variable)
            held = session.hold(owner, variable)
            log.append(StateWritten, ids[0], variable, held, self._how, code, lasti, log.scope)
