"""A Python function that TensorFlow runs as an op -> names for the tensors that it is called with."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

from tensorflow.python.ops import script_ops
from tensorflow.python.util import nest

from tapeviz.events.program.frames import open_scopes
from tapeviz.events.raw import Named
from tapeviz.recorders.patches import Row
from tapeviz.recorders.scoped import Scoped
from tapeviz.recorders.tensorflow.ledger import Ledger
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.values import is_eager

CALLED = "py_function"
"""The scope of the calls, whatever function they call."""

LIBRARY: str = script_ops.__file__
"""Where TensorFlow takes the gradient of such a function: the names in that file are not the user's."""


def rows(session: Session, ledger: Ledger) -> list[Row]:
    """Every call of a function that is given tensors, as that of a `py_function` is."""

    def name_it(tensor: Any, name: str | None) -> None:
        """The line that calls the function gives its name to the result of the op, and to nothing inside."""
        raw = ledger.mention(tensor, session.enter())
        session.log.append(Named, None, raw)
        if name is not None:
            session.log.append(Named, None, raw, None, name)

    def called(call: Any, function: Any, device: Any, arguments: Any) -> Any:
        if function._is_grad_func:
            return call(function, device, arguments)
        for name, tensor in _named(function._func, arguments):
            name_it(tensor, name)
        with Scoped(session.log, CALLED, session.enter(), sys._getframe()):
            results = call(function, device, arguments)
        for each in nest.flatten(results):
            if is_eager(each) and not ledger.knows(each):
                name_it(each, None)  # made of an array that the function gave
        return results

    open_scopes(called.__code__)
    return [session.running.instead(script_ops.EagerFunc, "_call", called)]


def _named(function: Any, arguments: Any) -> Iterator[tuple[str, Any]]:
    """The tensors that a function is called with, and its own names for them."""
    try:
        bound = inspect.signature(function).bind(*arguments)
    except (TypeError, ValueError):  # one written in C, or a call that is to fail
        return
    yield from ((name, each) for name, each in bound.arguments.items() if is_eager(each))
