"""Calls of `autograd.Function.apply` -> one op each, named by the class.

PyTorch makes such a class, too, of what the user registers with an operator of `torch.library`: that is an op already,
and has a gradient of the user's.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from functools import partial
from typing import Any

import torch
from torch.nn.modules._functions import BackwardHookFunction

from tapeviz.events.catalog import CUSTOM, RECOMPUTED
from tapeviz.events.program.inspection import arguments_of
from tapeviz.recorders.patches import Row, Wrapped
from tapeviz.recorders.torch.custom_ops import CapturingOp, Checkpoint, UserFunction, recorded_as
from tapeviz.recorders.torch.functional_collectives import followed
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.ops import RecordedFunction, running_op
from tapeviz.recorders.torch.pauses import Pauses
from tapeviz.recorders.torch.registered import RegisteredGradient, registered_with
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import seen, unseen
from tapeviz.recorders.torch.users_reads import reading
from tapeviz.recorders.torch.witnesses import Draws

Function = torch.autograd.Function


class CustomFunctions:
    """Hooks for functions that define their own gradients."""

    def __init__(self, session: Session, mode: FunctionMode, pauses: Pauses) -> None:
        self._session = session
        self._mode = mode
        self._pauses = pauses
        self._ops: dict[Any, RecordedFunction] = {}

    def rows(self) -> list[Row]:
        """A hook at the class method `apply`, which all such functions inherit."""
        return [Wrapped(Function, "apply", self._applying)]

    def _applying(self, before: Any) -> Any:
        def original(cls: Any, *args: Any, **kwargs: Any) -> Any:
            return before.__get__(None, cls)(*args, **kwargs)  # a class method, of PyTorch's C from 2.15 on

        def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
            within = running_op() if self._mode.is_recording else None
            if within is not None and (registered := registered_with(cls)) is not None:
                return self._registered(partial(original, cls, *args, **kwargs), cls, args, within, registered)
            if within is not None or not self._mode.is_recording:
                return original(cls, *args, **kwargs)
            self._session.open()
            with unseen():  # this is no call of a public function, around which PyTorch asks no mode
                run = partial(self._run, original, cls)
                return self._witnessed(lambda: self._op(cls)(run, (), args, kwargs), cls, args)

        return classmethod(apply)

    def _registered(
        self, call: Any, cls: Any, args: tuple[Any, ...], op: RecordedFunction, registered: RegisteredGradient
    ) -> Any:
        """The call of an operator, whose kernel may be computed again for a witness of the gradient of the user's."""
        op.has_gradient_of_the_users(registered.rule)
        transcript = self._session.witnesses.transcript(cls, args)
        if transcript is None:
            return call()
        draws = Draws()
        with reading(args, transcript):
            out = call()
        self._session.witnesses.prepare(cls, args, out, transcript, draws, registered.arguments)
        return out

    def _witnessed(self, call: Any, cls: Any, args: tuple[Any, ...]) -> Any:
        """The call of a user's function, which may be computed again for a witness of its gradient."""
        op = self._op(cls)
        if not isinstance(op, UserFunction):
            return call()
        transcript = self._session.witnesses.transcript(cls, args)
        if transcript is None:
            return call()
        draws, op.transcript = Draws(), transcript
        try:
            out = call()
        finally:
            op.transcript = None
        self._session.witnesses.prepare(cls, args, out, transcript, draws, _arguments(cls))
        return out

    def _run(self, original: Any, cls: Any, *args: Any, **kwargs: Any) -> Any:
        with ExitStack() as around:
            around.enter_context(seen())
            op = self._op(cls)
            if isinstance(op, UserFunction):
                around.enter_context(self._mode.unrecorded())
            else:
                around.enter_context(self._pauses.pause())
                package = cls.__module__.partition(".")[0]
                around.enter_context(self._mode.only_user_functions(sys._getframe(), package))
            if isinstance(op, CapturingOp):
                around.enter_context(op.reading(args))
            return original(cls, *args, **kwargs)

    def _op(self, cls: Any) -> RecordedFunction:
        if cls not in self._ops:
            name = "backward_hook" if cls is BackwardHookFunction else followed(cls) or cls.__name__
            kind = recorded_as(cls)
            self._ops[cls] = kind(self._session, cls, name, (CUSTOM, RECOMPUTED) if kind is Checkpoint else (CUSTOM,))
        return self._ops[cls]


def _arguments(cls: Any) -> tuple[str, ...]:
    """What `forward` of a user's function calls what it is given."""
    own = arguments_of(cls.forward)
    return own if cls.setup_context is not torch.autograd.function._SingleLevelFunction.setup_context else own[1:]
