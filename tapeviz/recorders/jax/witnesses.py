"""A function of the user's with a derivative of its own -> the gradient that JAX has for what it computes.

It is taken once of each line that calls such a function, and once more at inputs a few roundings away, so that a reader
knows where it is not sure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.extend import core

from tapeviz.events.body_ops import body_since, is_telling, narrowest, passed
from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import is_library
from tapeviz.events.types import VjpWitnessed
from tapeviz.recorders.jax.operands import Closed, LoggedOp, Operand
from tapeviz.recorders.jax.values import is_differentiable, kept, zeros_of
from tapeviz.recorders.runs import one_or_all

ROUNDINGS = 4
"""How far the inputs nearby are."""
_SHAPING = frozenset({"max", "broadcast_in_dim", "reshape", "squeeze", "expand_dims", "select_n", "is_finite"})
"""What may become of the largest number of a row before a softmax subtracts it."""


@dataclass(frozen=True)
class JaxWitness:
    """One call of the function: what it computes, what it calls its arguments, and the ops that it ran."""

    function: Callable[..., Sequence[Any]]
    names: tuple[str, ...]
    ran: tuple[str, ...]
    narrowest: str

    def testify(self, log: EventLog, op: LoggedOp, upstream: Sequence[Any], rule: Sequence[Any]) -> None:
        """Log what the user's rule gave for an upstream gradient, and what JAX has for it."""
        seeds = [zeros_of(each.value) if g is None else g for g, each in zip(upstream, op.outputs, strict=True)]
        primals = [each.value for each in op.inputs]
        around = list(map(_near, primals, range(len(primals))))
        try:
            witness, nearby = (self._gradients(op, each, seeds) for each in (primals, around))
        except Exception:  # what JAX cannot differentiate, as a loop without an end known before
            return
        rows = (upstream, rule, witness, nearby)
        values = tuple([tuple([None if each is None else kept(log, each) for each in row]) for row in rows])
        ids = one_or_all(tuple(each.entry for each in op.outputs))
        log.append(VjpWitnessed, None, ids, values, (self.names, self.ran, self.narrowest))

    def _gradients(self, op: LoggedOp, values: list[Any], seeds: list[Any]) -> list[Any]:
        slots = [slot for slot, each in enumerate(op.inputs) if each.perturbed]

        def of_perturbed(*perturbed: Any) -> tuple[Any, ...]:
            operands = list(values)
            for slot, value in zip(slots, perturbed, strict=True):
                operands[slot] = value
            return tuple(self.function(*operands))

        found = dict(zip(slots, jax.vjp(of_perturbed, *[values[slot] for slot in slots])[1](tuple(seeds)), strict=True))
        return [found.get(slot) for slot in range(len(values))]


class JaxWitnesses:
    """The lines of which there is a witness."""

    def __init__(self) -> None:
        self._known: set[Any] = set()

    def witness(
        self, log: EventLog, function: Closed, inputs: Sequence[Operand], since: int, key: Any
    ) -> Callable[..., None] | None:
        """What testifies of a call, whose ops are in the log `since` an entry; None if something has, or is not to."""
        is_known = key in self._known or not is_telling(each.value for each in inputs)
        body = None if is_known else body_since(log, since)
        if body is None or _is_cut(function.jaxpr):
            return None
        self._known.add(key)
        arguments = getattr(function.jaxpr.debug_info, "arg_names", None) or ()
        named = tuple([str(each or "") for each in arguments]) if len(arguments) == len(inputs) else ("",) * len(inputs)
        dtypes = [str(each.dtype) for each in inputs]
        return JaxWitness(core.jaxpr_as_fun(function), named, passed(body), narrowest(body, dtypes)).testify


def _is_cut(jaxpr: Any) -> bool:
    """Whether the program itself stops gradients in a function: what JAX has for it is not the derivative then."""
    parts: list[Any] = [
        getattr(part, "jaxpr", part)
        for equation in jaxpr.eqns
        for each in equation.params.values()
        for part in (each if isinstance(each, (tuple, list)) else (each,))
    ]
    made = {variable: equation for equation in jaxpr.eqns for variable in equation.outvars}
    stops = [each.invars[0] for each in jaxpr.eqns if each.primitive.name == "stop_gradient"]
    own = [each for each in parts if hasattr(each, "eqns") and not is_library(each.debug_info.func_filename or "")]
    return not all(_is_of_largest(each, made) for each in stops) or any(map(_is_cut, own))


def _is_of_largest(atom: Any, equations: dict[Any, Any]) -> bool:
    """Whether a number is the largest of its row, as a softmax subtracts it: the result does not depend on it."""
    pending = [atom]
    while pending:
        each = pending.pop()
        equation = None if isinstance(each, core.Literal) else equations.get(each)
        name = "" if equation is None else equation.primitive.name
        if name in _SHAPING and equation is not None:
            pending += [other for other in equation.invars if not isinstance(other, core.Literal)]
        elif name != "reduce_max":
            return False
    return True


def _epsilon(dtype: Any) -> float:
    return float(jax.numpy.finfo(dtype).eps)  # type: ignore[no-untyped-call]


def _near(value: Any, number: int) -> Any:
    """A value a few roundings away from an array."""
    if not is_differentiable(value) or not value.size:
        return value
    counted = np.arange(value.size, dtype=np.float64).reshape(value.shape)
    apart = np.sin(counted * 12.9898 + number * 78.233)  # as good as random, and the same at each run
    sizes = jax.numpy.abs(value) + jax.numpy.abs(value).mean() / 64
    step = ROUNDINGS * _epsilon(value.dtype)
    return value + (step * sizes * jax.numpy.asarray(apart, sizes.dtype)).astype(value.dtype)
