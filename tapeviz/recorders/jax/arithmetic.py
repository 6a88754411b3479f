"""What a program computes from gradients that JAX has returned -> ops in the log, each evaluated once more.

So the sum of micro-batches, a clip or a division is known that comes before the step of an optimizer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import tree_util
from jax._src import core as traces
from jax.extend import core

from tapeviz.events.raw import Mentioned, next_id
from tapeviz.recorders.jax.effects import can_run_again
from tapeviz.recorders.jax.forward import Forward
from tapeviz.recorders.jax.operands import Operand
from tapeviz.recorders.jax.session import Session
from tapeviz.recorders.jax.values import kept
from tapeviz.recorders.patches import Row
from tapeviz.recorders.session import unheard

MOST = 12
"""So many equations may be in a function for which it counts as arithmetic, as a norm does."""


class Arithmetic:
    """Hooks at primitives that run as they are called; functions that JAX compiles come by way of `compiled`."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._log = session.log

    def rows(self) -> list[Row]:
        """The method that runs one primitive on arrays."""
        return [self._session.here.instead(traces.EvalTrace, "process_primitive", self._primitive)]

    def _primitive(self, original: Any, trace: Any, primitive: Any, arrays: Any, params: Any) -> Any:
        result = original(trace, primitive, arrays, params)
        if self._session.probe is None and any(self._session.ledger.is_followed(each) for each in arrays):
            with self._session.noting(), self._session.paused():
                jaxpr = jax.make_jaxpr(lambda *operands: primitive.bind(*operands, **params))(*arrays)
                self._note(jaxpr, arrays, result)
        return result

    def note(self, jaxpr: Any, arrays: Sequence[Any], result: Any) -> None:
        """Log what a jaxpr has computed of arrays, if any of them comes of a gradient and it is short enough."""
        if any(map(self._session.ledger.is_followed, arrays)) and _is_short(jaxpr) and can_run_again(jaxpr):
            with self._session.noting(), self._session.paused():
                self._note(jaxpr, arrays, result)

    def _note(self, jaxpr: Any, arrays: Sequence[Any], result: Any) -> None:
        ledger = self._session.ledger
        place = self._session.here_now()
        operands = list(map(self._operand, arrays))
        with unheard():
            forward = Forward(self._log, 0, {}, reverses=False, ran_at=place)
            outputs = forward.closed(jaxpr, operands, place)
        for each, operand in zip(tree_util.tree_leaves(result), outputs, strict=True):
            if type(operand.entry) is int:
                ledger.follow(each, operand.entry)

    def _operand(self, value: Any) -> Operand:
        """An array, or a number of Python's, which has no identity to speak of."""
        array = jax.numpy.asarray(value)
        return Operand(array, self.entry_of(value) if array is value else np.asarray(array)[()])

    def entry_of(self, array: Any, role: str = "constant") -> int:
        """The raw id of an array, which is mentioned now if it is in no record yet."""
        known = self._session.ledger.id_of(array)
        if known is not None:
            return known
        raw = next_id()
        frame = self._session.enter()
        about = (role, role == "variable", None)
        self._log.append(
            Mentioned, None, raw, kept(self._log, jax.numpy.asarray(array)), about, frame.f_code, frame.f_lasti
        )
        self._session.ledger.note(array, raw)
        return raw

    def write(self, op: str, inputs: tuple[int, ...], result: Any) -> int:
        """Log an op as a whole; the raw id of its result."""
        raw = next_id()
        self._log.raw += (op, inputs, raw, kept(self._log, result), (), (), (), *_place(self._session))
        return raw


def _place(session: Session) -> tuple[Any, Any, int]:
    frame = session.enter()
    return session.log.scope, frame.f_code, frame.f_lasti


def _is_short(jaxpr: Any) -> bool:
    return sum(_size(each) for each in jaxpr.jaxpr.eqns) <= MOST


def _size(equation: core.JaxprEqn) -> int:
    inner = list(traces.jaxprs_in_params(equation.params))
    return sum(_size(each) for one in inner for each in one.eqns) if inner else 1
