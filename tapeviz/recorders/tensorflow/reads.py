"""An op is called with variables among its arguments -> records of their reads, of which TensorFlow tells nobody.

The fast path into an op reads a variable in C++, where neither the op callback nor the variable notices. So the
arguments of the call are noted, and compared with the tensors that the op ran with.
"""

from __future__ import annotations

from typing import Any

from tensorflow.python import pywrap_tfe
from tensorflow.python.ops import resource_variable_ops

from tapeviz.recorders.patches import Row, Wrapped
from tapeviz.recorders.tensorflow.names import is_write
from tapeviz.recorders.tensorflow.tapes import Tapes

FIRST_INPUT = 3
"""Before the inputs of an op come TensorFlow's context, the op's name and the user's name for it."""


class Reads:
    """The arguments of the op that is being run, and the variables among them."""

    def __init__(self, tapes: Tapes) -> None:
        self._tapes = tapes
        self._arguments: tuple[Any, ...] = ()
        self._kinds: dict[type, bool] = {}

    def rows(self) -> list[Row]:
        """What every op is called with; the wrapper is its own, since it is in the way of every op."""
        return [Wrapped(pywrap_tfe, "TFE_Py_FastPathExecute", self._executing)]

    def _executing(self, execute: Any) -> Any:
        session, ledger = self._tapes.session, self._tapes.ledger

        def fast_path_execute(*arguments: Any) -> Any:
            if not session.is_here:
                return ledger.elsewhere.ran(arguments[FIRST_INPUT:], execute(*arguments))
            if is_write(arguments[1]):
                ledger.about_to_be_written(arguments[FIRST_INPUT])
            before, self._arguments = self._arguments, arguments
            try:
                return execute(*arguments)
            finally:
                self._arguments = before

        return fast_path_execute

    def notice(self, name: str, inputs: Any) -> None:
        """An op ran with these tensors; where one stands for a variable, the variable was read."""
        arguments = self._arguments
        if not arguments or arguments[1] != name:
            return
        given = arguments[FIRST_INPUT : FIRST_INPUT + len(inputs)]
        kinds = self._kinds
        for each in given:
            kind = type(each)
            if kind not in kinds:
                kinds[kind] = issubclass(kind, (resource_variable_ops.BaseResourceVariable, list))
            if kinds[kind]:
                self._read(given, inputs)
                return

    def _read(self, arguments: Any, inputs: Any) -> None:
        flat = [each for argument in arguments for each in (argument if isinstance(argument, list) else (argument,))]
        for each, tensor in zip(flat, inputs, strict=False):
            if isinstance(each, resource_variable_ops.BaseResourceVariable) and each._handle is not tensor:
                self._tapes.access(each)
                self._tapes.ledger.read(each._handle, tensor)
                self._tapes.record((each._handle,), (tensor,))
