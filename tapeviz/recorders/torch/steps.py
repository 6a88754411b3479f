"""Optimizers -> the parameters each was given, and its steps."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any

import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from tapeviz.events.raw import next_id
from tapeviz.events.types import Attrs, OptimizerCreated, OptimizerStepped, ParameterUpdated, StateWritten
from tapeviz.recorders.patches import Registered, Row
from tapeviz.recorders.plain_values import plain
from tapeviz.recorders.torch.grad_attribute import GradAttribute, grad_of
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import unseen
from tapeviz.recorders.torch.values import COPIED, held

Optimizer = torch.optim.Optimizer
_PLAIN = frozenset((torch.Tensor, torch.nn.Parameter))


class Optimizers:
    """The optimizers of a program. The ops of their steps are not logged."""

    def __init__(self, session: Session, mode: FunctionMode, gradients: GradAttribute) -> None:
        self._session = session
        self._mode = mode
        self._gradients = gradients
        self._ids: dict[int, int] = {}
        self._before_step: list[_Before] = []
        self._versions: list[int] = []

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
            self._keep(optimizer)
            self._versions = [each._version for each in parameters]
        step = self._mode.begin_step(sys._getframe(1), _PLAIN.issuperset(map(type, parameters)))
        loud = partial(self._loud, optimizer, parameters, step)
        return (args[0], *map(loud, args[1:])), {name: loud(each) for name, each in kwargs.items()}

    def _keep(self, optimizer: Any, calls: int = 0) -> None:
        """Copy what the step goes by, after so many calls of its closure."""
        self._before_step = list(_small(optimizer, calls)) if self._session.log.keeps_values else []

    def _loud(self, optimizer: Any, parameters: list[Any], step: FrameType, closure: Any) -> Any:
        """A closure that is logged although it runs inside a step, which may have changed the parameters before.

        The step goes on by the gradients that it has taken, or left as they were.
        """
        if not callable(closure):
            return closure
        calls = 0

        def call() -> Any:
            nonlocal calls
            calls += 1
            self._mode.end_step()
            with unseen():
                if changed := self._changed(parameters):
                    if _takes_steps(optimizer):
                        self._updated(optimizer)
                    self._stepped(changed)
            try:
                return closure()
            finally:
                with unseen():
                    for each in parameters:
                        self._session.values.about_to_change(each)
                    self._keep(optimizer, calls)
                self._mode.begin_step(step, _PLAIN.issuperset(map(type, parameters)))

        return call

    def _changed(self, parameters: list[Any]) -> list[Any]:
        """Those that were written in place since this was asked before, or since the step began."""
        before, self._versions = self._versions, [each._version for each in parameters]
        return [each for each, *two in zip(parameters, before, self._versions, strict=True) if two[0] != two[1]]

    def _after(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        session = self._session
        if not session.is_here:
            return
        self._mode.end_step(sys._getframe(1))
        with unseen():
            number = self._number_of(optimizer)
            parameters = _parameters(optimizer)
            changed = [each for each in parameters if grad_of(each) is not None]
            session.note(OptimizerStepped, tuple(map(session.ledger.id_of, changed)), None, None, number)
            if _takes_steps(optimizer):  # the last call of its closure may have shown that it is at an end
                changed = self._changed(parameters)
            if changed:
                self._updated(optimizer)
                self._stepped(changed)

    def _number_of(self, optimizer: Any) -> int:
        if id(optimizer) not in self._ids:
            self._note_created(optimizer)
        return self._ids[id(optimizer)]

    def _updated(self, optimizer: Any) -> None:
        """Record what the step had to go by, of small parameters."""
        session, before, number = self._session, self._before_step, self._number_of(optimizer)
        self._before_step = []
        for each in before:
            values = tuple([session.log.keep(held(value)) for value in (each.gradient, *each.state.values())])
            raw_id = session.ledger.id_of(each.parameter)
            session.note(ParameterUpdated, None, raw_id, values, (number, tuple(each.state), each.options))

    def _stepped(self, changed: list[Any]) -> None:
        """Record that a step has written these parameters."""
        session, log = self._session, self._session.log
        frame = session.enter(1)
        for each in changed:
            raw_id = session.ledger.id_of(each)
            place = frame.f_code, frame.f_lasti, log.scope
            log.append(StateWritten, None, raw_id, session.values.hold(each, raw_id), "step", *place)


@dataclass(frozen=True)
class _Before:
    """A parameter as a step finds it: copies of its gradient and of what the optimizer has kept of it."""

    parameter: Any
    gradient: Any
    state: dict[str, Any]
    options: Attrs


def _takes_steps(optimizer: Any) -> bool:
    """Whether a step is made of several, each by the gradient that a call of its closure takes.

    A line search calls it at weights that are tried, and puts these back.
    """
    return isinstance(optimizer, torch.optim.LBFGS) and not optimizer.param_groups[0]["line_search_fn"]


def _small(optimizer: Any, calls: int) -> Iterator[_Before]:
    """The parameters of an optimizer that are small and have a gradient; of larger ones copies would cost too much."""
    for group in optimizer.param_groups:
        options = tuple((name, plain(_number(value))) for name, value in group.items() if name != "params")
        for each in group["params"]:
            gradient = grad_of(each)
            if gradient is None or each.nbytes > COPIED or type(gradient) is not torch.Tensor or gradient.is_sparse:
                continue
            kept = optimizer.state.get(each, {}).items()
            tensors = {name: value.detach().clone() for name, value in map(_stacked, kept) if _is_small(value)}
            numbers = tuple((name, value) for name, value in kept if type(value) in (int, float))
            yield _Before(each, gradient.detach().clone(), tensors, (*options, *numbers, ("calls", calls)))


def _stacked(kept: tuple[str, Any]) -> tuple[str, Any]:
    """What an optimizer keeps by a name: a list of tensors, as LBFGS has of its last steps, as one."""
    name, value = kept
    if isinstance(value, list) and value and all(map(_is_small, value)):
        return name, torch.stack(value)
    return name, value


def _is_small(value: Any) -> bool:
    return type(value) is torch.Tensor and value.numel() <= COPIED


def _number(value: Any) -> Any:
    """A hyperparameter, which may be a tensor of one number."""
    return value.item() if isinstance(value, torch.Tensor) and value.numel() == 1 and value.is_cpu else value


def _parameters(optimizer: Any) -> list[Any]:
    return [each for group in optimizer.param_groups for each in group["params"]]
