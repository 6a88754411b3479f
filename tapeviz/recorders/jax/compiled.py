"""Calls of functions that `jax.jit` compiled -> a look at the gradient calls inside, after each has run.

A function runs as it is compiled. JAX keeps to itself, in C++, which function it has compiled for which arguments, and
calls no Python for one that it knows; while a recording lasts, it is made to ask each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
from jax import tree_util
from jax._src import pjit

from tapeviz.recorders.jax.arithmetic import Arithmetic
from tapeviz.recorders.jax.gradient_calls import GradientCalls
from tapeviz.recorders.jax.inside import ArrivedGradient, Inside, inside
from tapeviz.recorders.jax.places import Place, moved
from tapeviz.recorders.jax.session import Session
from tapeviz.recorders.jax.steps import LoggedSteps
from tapeviz.recorders.patches import Row, replaced


class CompiledCalls:
    """The program's calls of functions that `jax.jit` made, each of which is looked into after it has run."""

    def __init__(self, session: Session, calls: GradientCalls, arithmetic: Arithmetic, steps: LoggedSteps) -> None:
        self._session = session
        self._calls = calls
        self._arithmetic = arithmetic
        self._steps = steps
        self._info: Any = None
        self._known: dict[Any, tuple[Any, Inside]] = {}

    def rows(self) -> list[Row]:
        """Hooks at what finds a compiled function for its arguments, at what runs it, and at what would be kept."""
        here = self._session.here
        return [
            here.instead(pjit, "_infer_params", self._traced),
            here.instead(pjit, "_run_python_pjit", self._run),
            replaced(pjit, "_get_fastpath_data", lambda *about: None),
        ]

    def _traced(self, original: Any, fun: Any, info: Any, *rest: Any) -> Any:
        with self._session.paused(), self._session.failing():  # what is traced is looked into when it has run
            found = original(fun, info, *rest)
        self._info = info
        return found

    def _run(self, original: Any, found: Any, arrays: Any, fun: Any, *rest: Any) -> Any:
        args, kwargs = rest[-2:]
        probe, info = self._session.probe, self._info
        if probe is not None and probe.is_here:
            static, as_arrays = _static(info, args), partial(tree_util.tree_map, _as_array)
            positional = [each if index in static else as_arrays(each) for index, each in enumerate(args)]
            named = {name: each if name in info.static_argnames else as_arrays(each) for name, each in kwargs.items()}
            outputs = fun(*positional, **named)  # in one trace with what is looked at
            return outputs, None, None, None, found.params["jaxpr"], None, None, []
        if probe is not None or not self._session.is_seen:
            return original(found, arrays, fun, *rest)
        with self._session.paused():
            gives_away = any(found.params["donated_invars"])
            kept = self._kept(args, kwargs) if gives_away else (args, kwargs)
        with self._session.failing():
            result = original(found, arrays, fun, *rest)
        place, has_steps = self._session.here_now(), False
        with self._calls.seeing(place):
            inside, traced = self._inside(fun, info, found.params["jaxpr"], place, *kept)
            has_steps = bool(inside.steps)
            with self._session.paused():
                results, computed = tree_util.tree_leaves(result[0]), inside.computed(traced)
                arrived = self._calls.inside(inside, place, computed, results)
                for step in inside.steps:
                    here = step.place._replace(scope=moved(step.place.scope, inside.around.scope, place.scope))
                    gradients = [_gradient(each.gradient, computed, arrived) for each in step.traced.written]
                    self._steps.made_inside(here, step.of(traced, results), gradients, gives_away)
        if not has_steps:
            self._arithmetic.note(found.params["jaxpr"], arrays, result[0])
        return result

    def _kept(self, *arguments: Any) -> Any:
        """The arguments of a function that is given the memory of some of them, copied, each known as the original."""

        def copied(each: Any) -> Any:
            if not isinstance(each, jax.Array):
                return each
            copy = jax.numpy.copy(each)
            self._session.ledger.copied(each, copy)
            return copy

        return tree_util.tree_map(copied, arguments)

    def _inside(
        self, fun: Any, info: Any, compiled: Any, place: Place, args: Any, kwargs: Any
    ) -> tuple[Inside, list[Any]]:
        """The gradient calls in a function that ran, looked for once for each time that JAX itself traced it."""
        static = _static(info, args)
        traced = [each for index, each in enumerate(args) if index not in static]
        named = {name: each for name, each in kwargs.items() if name not in info.static_argnames}

        def run(arguments: Any) -> Any:
            positional = iter(arguments[0])
            every = [each if index in static else next(positional) for index, each in enumerate(args)]
            return fun(*every, **(kwargs | arguments[1]))

        key = id(compiled), place.code, place.lasti
        if key not in self._known:
            self._known[key] = compiled, inside(run, (traced, named), place, self._session.probing)
        return self._known[key][1], tree_util.tree_leaves((traced, named))


def _static(info: Any, args: Sequence[Any]) -> set[int]:
    """The places of those arguments that are no arrays to a compiled function, which is compiled for their values."""
    return {each % len(args) for each in info.static_argnums if each < len(args)}


def _as_array(value: Any) -> Any:
    """A number or an array of numpy as what a compiled function is given in its place."""
    return value if isinstance(value, jax.Array) else jax.numpy.asarray(value)


def _gradient(
    which: ArrivedGradient | int | None, computed: Sequence[Any], arrived: Sequence[tuple[int | None, ...]]
) -> Any:
    """The gradient that a step goes by: the raw id of one that has arrived, the array that was computed of some, or
    None, if it is not known, or its call was not seen this time."""
    if not isinstance(which, ArrivedGradient):
        return None if which is None else computed[which]
    return arrived[which.call][which.slot] if which.slot < len(arrived[which.call]) else None
