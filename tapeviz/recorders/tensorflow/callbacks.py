"""A Python function that TensorFlow runs as an op -> names for the tensors that it is called with."""

from __future__ import annotations

import sys
from typing import Any

from tensorflow.python.ops import script_ops
from tensorflow.python.util import nest

from tapeviz.events.program.frames import open_scopes
from tapeviz.recorders.local_names import arguments
from tapeviz.recorders.naming import rename, take_name
from tapeviz.recorders.patches import Row
from tapeviz.recorders.scopes import Scoped
from tapeviz.recorders.tensorflow.ledger import Ledger
from tapeviz.recorders.tensorflow.session import Session
from tapeviz.recorders.tensorflow.values import is_eager

SCOPE = "py_function"
"""The scope of the calls, whatever function they call."""

LIBRARY: str = script_ops.__file__
"""Where TensorFlow takes the gradient of such a function: the names in that file are not the user's."""


def rows(session: Session, ledger: Ledger) -> list[Row]:
    """Every call of a function that is given tensors, as that of a `py_function` is."""

    def calling(call: Any, function: Any, device: Any, inputs: Any) -> Any:
        """The line that calls it gives its name to the result of the op, and to nothing inside."""
        if function._is_grad_func:
            return call(function, device, inputs)
        for name, each in arguments(function._func, inputs):
            if is_eager(each):
                rename(session.log, ledger.mention(each, session.enter()), name)
        with Scoped(session.log, SCOPE, session.enter(), sys._getframe()):
            results = call(function, device, inputs)
        for each in nest.flatten(results):
            if is_eager(each) and not ledger.knows(each):
                take_name(session.log, ledger.mention(each, session.enter()))  # made of an array that it gave
        return results

    open_scopes(calling.__code__)
    return [session.running.instead(script_ops.EagerFunc, "_call", calling)]
