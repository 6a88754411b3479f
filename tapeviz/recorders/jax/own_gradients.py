"""A function of JAX -> whether it takes gradients itself, as a training step does, and the log of it as it runs.

A loss may take gradients too, as a penalty on them, or the residual of an equation. It is told from a step by what it
returns, one number, and by what it changes, nothing: its gradients serve to compute that number.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from threading import get_ident
from typing import Any, TypeVar

import jax
from jax import tree_util
from jax._src import core as traces
from jax.extend import core

from tapeviz.events.log import EventLog
from tapeviz.events.program.inspection import attributes
from tapeviz.events.types import BackwardStarted, GradientUnseen
from tapeviz.events.undo import Undo, surely
from tapeviz.recorders.hooks import When
from tapeviz.recorders.jax.arguments import is_array
from tapeviz.recorders.jax.internals import TAKING
from tapeviz.recorders.jax.operands import Closed
from tapeviz.recorders.jax.places import transforms_of
from tapeviz.recorders.jax.printing import Held
from tapeviz.recorders.jax.recording import JaxRecorder
from tapeviz.recorders.patches import Patches
from tapeviz.recorders.session import recorded

T = TypeVar("T")
DEPTH = 3
"""How far into objects it is looked for arrays: a trainer has a model, which has layers, which have weights."""


class _TakenError(BaseException):
    """A gradient is about to be taken; no `except Exception` of the program's is to catch it."""


def unless_taken(trace: Callable[[], T]) -> T | None:
    """What `trace` gives; None if what it traces takes a gradient: there it is left, before it changes anything by it.

    What the function prints until then it prints again as it runs.
    """
    patches, thread, printed = Patches(), get_ident(), Held()

    def taken(original: Any, *args: Any, **options: Any) -> Any:
        raise _TakenError

    def act() -> T | None:
        here = When(lambda: get_ident() == thread)
        patches.install([here.instead(owner, name, taken) for owner, name in TAKING])
        try:
            with redirect_stdout(printed):
                found = trace()
        except _TakenError:
            return None
        except Exception as error:
            if not isinstance(error, jax.errors.JAXTypeError):  # then the function runs
                printed.let_go()
            raise
        printed.let_go()
        return found

    return surely(act, patches.undo)


def as_it_runs(log: EventLog, f: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What `f` returns, once it has run, with each gradient that it takes in the log."""
    recorder, undo = JaxRecorder(), Undo()

    def act() -> Any:
        undo.add(lambda: recorded.set(None))
        recorded.set(log)
        undo.add(recorder.stop)
        recorder.start(log)
        return f(*args, **named)

    return surely(act, undo.run)


def has_gradients(log: EventLog) -> bool:
    """Whether a gradient was taken in a log, seen or not."""
    return bool(log.of_kind(BackwardStarted) or log.of_kind(GradientUnseen))


def takes_gradients(jaxpr: Closed) -> bool:
    """Whether a jaxpr has equations of a reverse pass: of what was compiled before, nothing is called to trace it."""
    return any(map(_takes, jaxpr.jaxpr.eqns))


def _takes(equation: core.JaxprEqn) -> bool:
    bodies = (getattr(each, "jaxpr", each) for each in traces.jaxprs_in_params(equation.params))
    return "transpose" in transforms_of(equation) or any(_takes(each) for body in bodies for each in body.eqns)


def is_one_number(result: Any) -> bool:
    """Whether a function that returned this may be a loss."""
    leaves = tree_util.tree_leaves(result)
    return len(leaves) == 1 and isinstance(leaves[0], jax.Array) and not leaves[0].shape


def read_by(f: Callable[..., Any], args: Sequence[Any]) -> list[Any]:
    """The arrays that a function has before or after it runs: in its arguments, its object, its variables."""
    at: Any = inspect.unwrap(f)
    held = [*args, attributes(at), getattr(at, "__self__", None)]
    with suppress(TypeError):
        read = inspect.getclosurevars(getattr(at, "__func__", at))
        held += [read.globals, read.nonlocals]
    return list(_arrays(held, DEPTH))


def _arrays(value: Any, depth: int) -> Iterator[Any]:
    with suppress(Exception):  # some structures, as a dictionary with keys of several kinds, are none of JAX's
        for leaf in tree_util.tree_leaves(value):
            if is_array(leaf):
                yield leaf
            elif depth:
                yield from _arrays(attributes(leaf), depth - 1)


def are_same(before: Sequence[Any], after: Sequence[Any]) -> bool:
    """Whether arrays are the same objects."""
    return len(before) == len(after) and all(one is other for one, other in zip(before, after, strict=True))
