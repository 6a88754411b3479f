"""A function of JAX and its arguments -> the log of the gradients that it takes, or else of its own gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any

import jax
from jax import tree_util

from tapeviz.events.defaults import Defaults
from tapeviz.events.log import EventLog
from tapeviz.events.program.exceptions import note_error
from tapeviz.events.program.frames import enter_frame, users_frame
from tapeviz.events.types import GradientUnseen
from tapeviz.recorders.frameworks import FRAMEWORKS
from tapeviz.recorders.jax.arguments import Program, check_function, positions, trace, weights
from tapeviz.recorders.jax.effects import EFFECTS, can_run_again
from tapeviz.recorders.jax.internals import ARE_KNOWN
from tapeviz.recorders.jax.ledger import Ledger
from tapeviz.recorders.jax.own_gradients import (
    are_same,
    as_it_runs,
    has_gradients,
    is_one_number,
    read_by,
    takes_gradients,
    unless_taken,
)
from tapeviz.recorders.jax.passes import Passes
from tapeviz.recorders.jax.places import Place
from tapeviz.recorders.jax.printing import Muted
from tapeviz.recorders.jax.values import is_differentiable
from tapeviz.recorders.session import recorded
from tapeviz.validation import function_first


class JaxLog(EventLog):
    """What `record_jax` returns: the log of a function's passes, with what the function returned and its gradients.

    Attributes:
        result: what the function returned.
        gradients: what `jax.grad` returns, in the same structure, but None for an integer; None altogether where no
            gradient was asked for, and of a function that takes gradients itself.
    """

    def __init__(self, values: str, max_bytes: int) -> None:
        super().__init__(framework="jax", values=values, max_bytes=max_bytes)
        self.result: Any = None
        self.gradients: Any = None


@dataclass(frozen=True)
class Call:
    """A function and its arguments, called at a `place`; which are `differentiated`, as positions and as `argnums`."""

    f: Callable[..., Any]
    args: Sequence[Any]
    named: Mapping[str, Any]
    argnums: int | Sequence[int]
    differentiated: tuple[int, ...]
    has_aux: bool
    budget: tuple[str, int]
    frame: FrameType

    @contextmanager
    def log(self) -> Iterator[JaxLog]:
        """A block in which a log is written; an error that leaves it has the log as its attribute."""
        log = JaxLog(*self.budget)
        enter_frame(log, self.frame)
        try:
            yield log
        except Exception as error:
            note_error(log, error)
            error.log = log  # type: ignore[attr-defined]
            raise
        finally:
            log.close()

    def place(self, log: EventLog) -> Place:
        """The user's instruction, in the scope that the log is in."""
        return Place(log.scope, self.frame.f_code, self.frame.f_lasti)

    def traced(self) -> tuple[Program, Any]:
        """The program that is differentiated, and the form of its results."""
        return trace(self.f, self.args, self.named, self.differentiated, self.has_aux)


def record(
    f: Callable[..., Any],
    args: Sequence[Any],
    argnums: int | Sequence[int],
    has_aux: bool,
    values: str | None,
    max_bytes: int | None,
    named: Mapping[str, Any],
) -> JaxLog:
    """The implementation of `record_jax`."""
    FRAMEWORKS["jax"].check_version()
    function_first(f, "record_jax")
    differentiated, budget = positions(argnums, len(args)), Defaults.checked(values, max_bytes)
    call = Call(f, args, named, argnums, differentiated, has_aux, budget, users_frame(2))
    outer = recorded.set(None)  # what is computed here is the log's own, and no part of an open `record()`
    try:
        may_be_step = ARE_KNOWN and argnums == 0 and not has_aux  # nothing says what of it is to be differentiated
        return _of_step_or_loss(call) if may_be_step else _of_loss(call, call.traced)
    finally:
        recorded.reset(outer)


def _of_loss(call: Call, traced: Callable[[], tuple[Program, Any]], *, runs_again: bool = False) -> JaxLog:
    """What `jax.value_and_grad` does with a function."""
    with call.log() as log:
        ledger = Ledger()
        log.resolvers += (ledger.id_of,)
        program, out = traced()
        if call.differentiated:
            check_function(call.f, out, call.has_aux)
        results, arrived = Passes(log, ledger, program, call.place(log), runs_again=runs_again).run()
    log.result = tree_util.tree_unflatten(tree_util.tree_structure(out), results)
    gradients = tuple(_structured([call.args[each] for each in call.differentiated], arrived))
    log.gradients = gradients[0] if isinstance(call.argnums, int) else gradients or None
    return log


def _of_step_or_loss(call: Call) -> JaxLog:
    """What a function does that takes gradients itself, or what `jax.value_and_grad` does with it.

    It is traced up to its first gradient, and then runs. What it returns and changes tells whether it is a loss still.
    """
    failure: Exception | None = None
    with call.log():
        try:
            traced = unless_taken(call.traced)
        except jax.errors.JAXTypeError as error:  # a step may look at its numbers, and take a gradient after that
            traced, failure = None, error
    if traced is not None and not takes_gradients(traced[0].jaxpr):
        return _of_loss(call, lambda: traced)
    before = read_by(call.f, call.args)
    with call.log() as log:
        log.result = as_it_runs(log, call.f, call.args, call.named)
        if failure is not None and not has_gradients(log):
            raise failure
        is_step = not is_one_number(log.result) or not are_same(before, read_by(call.f, call.args))
        loss = None if is_step or failure is not None else traced or _traced_again(call)
        if loss is not None and not can_run_again(loss[0].jaxpr):
            place = call.place(log)
            log.append(GradientUnseen, attrs=EFFECTS, code=place.code, lasti=place.lasti, scope=place.scope)
            return log
    return log if loss is None else _of_loss(call, lambda: loss, runs_again=True)


def _traced_again(call: Call) -> tuple[Program, Any] | None:
    """The function as JAX traces it, if it can; what it prints has been printed."""
    with suppress(Exception), redirect_stdout(Muted()):
        return call.traced()
    return None


def _structured(arguments: Iterable[Any], arrived: Sequence[Any]) -> Iterator[Any]:
    """The gradients of the leaves of arguments in their structures: zeros where nothing arrived, as JAX has it."""
    given = iter(arrived)
    for argument in arguments:
        leaves, structure = tree_util.tree_flatten(argument)
        kinds = zip(leaves, weights(argument), strict=True)
        found = [_or_zeros(next(given), leaf) if is_weight else None for leaf, is_weight in kinds]
        yield tree_util.tree_unflatten(structure, found)


def _or_zeros(gradient: Any, leaf: Any) -> Any:
    zeros = jax.numpy.zeros_like(leaf)
    return gradient if gradient is not None else zeros if is_differentiable(zeros) else None
