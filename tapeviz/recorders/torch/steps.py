"""Optimizers -> the parameters each was given, and its steps."""

from __future__ import annotations

import sys
from functools import partial
from types import FrameType
from typing import Any

import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from tapeviz.events.raw import next_id
from tapeviz.events.types import OptimizerCreated, OptimizerStepped, StateWritten
from tapeviz.recorders.patches import Registered, Row
from tapeviz.recorders.torch.grad_attribute import GradAttribute, grad_of
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import unseen

Optimizer = torch.optim.Optimizer
_PLAIN = frozenset((torch.Tensor, torch.nn.Parameter))


class Optimizers:
    """The optimizers of a program. The ops of their steps are not logged."""

    def __init__(self, session: Session, mode: FunctionMode, gradients: GradAttribute) -> None:
        self._session = session
        self._mode = mode
        self._gradients = gradients
        self._ids: dict[int, int] = {}

    def rows(self) -> tuple[Row, ...]:
        """Hooks at the making and the steps of optimizers, and at `zero_grad`."""
        here = self._session.here
        return (
            here.failed(Optimizer, "__init__", self._session.fail),
            here.after(Optimizer, "__init__", self._created),
            self._mode.recording.instead(Optimizer, "zero_grad", self._clear),
            Registered(register_optimizer_step_pre_hook, self._before),
            Registered(register_optimizer_step_post_hook, self._after),
        )

    def _created(self, optimizer: Any, *args: Any, **kwargs: Any) -> None:
        with unseen():
            self._note_created(optimizer)

    def _clear(self, clear: Any, optimizer: Any, set_to_none: bool = True) -> Any:
        """Record each cleared gradient once, instead of all reads of it in PyTorch."""
        if not set_to_none:
            return clear(optimizer, set_to_none)
        with self._mode.unrecorded():
            with unseen():
                full = [each for each in _parameters(optimizer) if grad_of(each) is not None]
            found = clear(optimizer)
            with unseen():
                if full:
                    self._gradients.cleared(full)
        return found

    def _note_created(self, optimizer: Any) -> None:
        parameters = tuple(map(self._session.ledger.id_of, _parameters(optimizer)))
        number = self._ids[id(optimizer)] = next_id()
        self._session.note(OptimizerCreated, parameters, None, None, (number, type(optimizer).__name__))

    def _before(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Begin a step: keep the values of small parameters, and log nothing inside the step except its closure."""
        if not self._session.is_here:
            return None
        parameters = _parameters(optimizer)
        with unseen():
            for parameter in parameters:
                self._session.values.about_to_change(parameter)
        step = self._mode.begin_step(sys._getframe(1), _PLAIN.issuperset(map(type, parameters)))
        loud = partial(self._loud, parameters, step)
        return (args[0], *map(loud, args[1:])), {name: loud(each) for name, each in kwargs.items()}

    def _loud(self, parameters: list[Any], step: FrameType, closure: Any) -> Any:
        """A closure that is logged although it runs inside a step, which may have changed the parameters before."""
        if not callable(closure):
            return closure

        versions = [each._version for each in parameters]

        def call() -> Any:
            self._mode.end_step()
            with unseen():
                now = [each._version for each in parameters]
                self._stepped([each for each, *two in zip(parameters, versions, now, strict=True) if two[0] != two[1]])
                versions[:] = now
            try:
                return closure()
            finally:
                with unseen():
                    for each in parameters:
                        self._session.values.about_to_change(each)
                self._mode.begin_step(step, _PLAIN.issuperset(map(type, parameters)))

        return call

    def _after(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        session = self._session
        if not session.is_here:
            return
        self._mode.end_step(sys._getframe(1))
        with unseen():
            if id(optimizer) not in self._ids:
                self._note_created(optimizer)
            changed = [each for each in _parameters(optimizer) if grad_of(each) is not None]
            ids = tuple(map(session.ledger.id_of, changed))
            session.note(OptimizerStepped, ids, None, None, self._ids[id(optimizer)])
            self._stepped(changed)

    def _stepped(self, changed: list[Any]) -> None:
        """Record that a step has written these parameters."""
        session, log = self._session, self._session.log
        frame = session.enter(1)
        for each in changed:
            raw_id = session.ledger.id_of(each)
            place = frame.f_code, frame.f_lasti, log.scope
            log.append(StateWritten, None, raw_id, session.values.hold(each, raw_id), "step", *place)


def _parameters(optimizer: Any) -> list[Any]:
    return [each for group in optimizer.param_groups for each in group["params"]]
