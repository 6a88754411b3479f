"""A compiled function and its arguments -> the gradient calls in it, and what each of them differentiates, in values.

The function ran, and gave the program its results. Here it is traced once more, up to its gradient calls, and what
these read is computed. What a function does besides that, as a callback, is not done again.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from threading import get_ident
from typing import Any

import jax
from jax import tree_util
from jax._src import core as traces
from jax.extend import core

from tapeviz.recorders.jax.arguments import Program
from tapeviz.recorders.jax.gradient_calls import GradientCall, unknown_in, with_values
from tapeviz.recorders.jax.operands import Closed
from tapeviz.recorders.jax.places import Place


class HasEffectsError(Exception):
    """What a gradient call reads depends on an effect, as what a callback returns: it is not caused again."""


@dataclass
class Look:
    """One look into a function: the `calls` met so far in its own trace, and the places of those in others' traces."""

    trace: Any
    calls: list[tuple[GradientCall, Program]] = field(default_factory=list)
    unseen: list[Place] = field(default_factory=list)

    @property
    def is_here(self) -> bool:
        """Whether the function's own trace is the one that is running."""
        return traces.trace_ctx.trace is self.trace


@dataclass(frozen=True)
class Inside:
    """What is in a compiled function: its gradient calls, what computes their values, and the calls not reached."""

    calls: list[tuple[GradientCall, Program]]
    unseen: list[Place]
    _values: Callable[..., Sequence[Any]]

    def programs(self, arguments: Sequence[Any]) -> Iterator[tuple[GradientCall, Program]]:
        """What each gradient call differentiates, for these arrays as arguments."""
        given = iter(self._values(*arguments) if self.calls else ())
        for call, program in self.calls:
            yield call, with_values(program, [next(given) for _ in unknown_in(program)])


def inside(function: Callable[..., Any], arguments: Any, looking: Callable[[Look], Any]) -> Inside:
    """Trace `function(arguments)`, with a context `looking` in which gradient calls are noted in a `Look`.

    Raises:
        HasEffectsError: see there.
    """
    found: list[Look] = []

    def reaching(given: Any) -> list[Any]:
        look = Look(traces.trace_ctx.trace)
        with looking(look):
            function(given)
        found.append(look)
        return [each for _, program in look.calls for each in unknown_in(program)]

    with _muted():
        closed = jax.make_jaxpr(reaching)(arguments)
    look = found[0]
    return Inside(look.calls, look.unseen, _computing(closed))


def _computing(closed: Closed) -> Callable[..., Sequence[Any]]:
    """What computes the results of a jaxpr, compiled, without the equations that they do not need."""
    needed = {each for each in closed.jaxpr.outvars if isinstance(each, core.Var)}
    kept = []
    for equation in reversed(closed.jaxpr.eqns):
        if needed.isdisjoint(equation.outvars):
            continue
        if equation.effects:
            raise HasEffectsError
        kept.append(equation)
        needed.update(each for each in equation.invars if isinstance(each, core.Var))
    jaxpr = closed.jaxpr.replace(eqns=kept[::-1], effects=traces.no_effects)
    return jax.jit(core.jaxpr_as_fun(core.ClosedJaxpr(jaxpr, closed.consts)))


class _Muted(io.TextIOBase):
    """Where one thread's text is dropped, and all others' written as before."""

    def __init__(self, before: Any) -> None:
        self._before = before
        self._thread = get_ident()

    def write(self, text: str) -> int:
        return len(text) if get_ident() == self._thread else int(self._before.write(text))

    def flush(self) -> None:
        self._before.flush()


@contextmanager
def _muted() -> Iterator[None]:
    """A block in which a function that is traced once more prints nothing."""
    with redirect_stdout(_Muted(sys.stdout)):  # type: ignore[type-var]
        yield


def arrays_of(structure: Any) -> list[Any]:
    """The arrays in a structure of arguments, in the order in which they are traced."""
    return tree_util.tree_leaves(structure)
