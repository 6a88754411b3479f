"""A function of PyTorch's that is written in Python -> the ops inside it, in a scope of its name if several."""

from __future__ import annotations

from typing import Any

from torch.overrides import TorchFunctionMode

from tapeviz.events.program.frames import resume, scope_called
from tapeviz.events.raw import SCOPE, STRIDE
from tapeviz.recorders.torch.function_bodies import Body
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import pop, push


class CompositeFunction:
    """One such function: its `body` runs with the mode enabled, but without handing the call itself to the mode again.

    If the same function is handed to the mode again while it runs, as by `unflatten`, that call is an op.
    """

    __slots__ = ("_body", "_is_running", "_mode", "_name", "_op", "_session")

    def __init__(self, session: Session, mode: TorchFunctionMode, body: Body, op: Body, name: str) -> None:
        self._body = body
        self._is_running = False
        self._op = op
        self._session = session
        self._mode = mode
        self._name = name

    def __call__(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._is_running:
            return self._op(func, types, args, kwargs)
        session = self._session
        frame = session.enter(1)
        log = session.log
        outer, begin = log.scope, log.end
        log.scope = node = scope_called(self._name, outer, frame)
        push(self._mode)
        self._is_running = True
        try:
            return self._body(func, types, args, kwargs)
        except Exception as error:
            session.fail(error)
            raise
        finally:
            self._is_running = False
            pop()
            resume(log, frame, outer)
            raw, since = log.raw, begin - log.packed.length
            if since >= 0:  # else some of its records are packed, which are many
                inside = [at for at in range(since + SCOPE, len(raw), STRIDE) if raw[at] is node]
                if len(inside) == 1:
                    raw[inside[0]] = outer
