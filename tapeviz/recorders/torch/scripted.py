"""Calls of what TorchScript has compiled -> ops, one for each node that the call leaves, at the line of the call.

No call inside of it is seen. An argument that wants a gradient, and that none of the nodes leads to, is an input of the
last op all the same: what has become of it in there is not known, but that it gets no gradient.
"""

from __future__ import annotations

from typing import Any

import torch

from tapeviz.phrases import BY_TORCHSCRIPT
from tapeviz.recorders.patches import Row
from tapeviz.recorders.runs import one_or_all
from tapeviz.recorders.torch.backward.nodes import counter
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import unseen
from tapeviz.recorders.torch.values import kept, node_of, tensors_in


class ScriptedFunctions:
    """Functions, and methods of modules, that TorchScript has compiled or traced."""

    def __init__(self, session: Session, mode: FunctionMode) -> None:
        self._session = session
        self._mode = mode

    def rows(self) -> list[Row]:
        """Hooks at the calls of both."""
        kinds = (torch.jit.ScriptFunction, torch._C.ScriptMethod)
        return [self._mode.recording.instead(kind, "__call__", self._run) for kind in kinds]

    def _run(self, call: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
        start = counter()
        out = call(function, *args, **kwargs)
        with unseen():
            self._log(function.name, start, tensors_in((out,)), tensors_in((args, kwargs)))
        return out

    def _log(self, name: str, start: int, results: list[Any], operands: list[Any]) -> None:
        session = self._session
        read = tuple([session.ledger.id_of(each) for each in operands if each.requires_grad])
        followed = [each for each in results if _since(each, start)]
        if not read and not followed:  # a module's own parameters are none of its operands
            return
        frame = session.enter(2)
        if followed:
            session.nodes.adopt_call(f"{name}{BY_TORCHSCRIPT}", followed, read, frame)
        elif results := [each for each in results if session.tensors.get(each) is None]:
            ids, log = tuple([session.tensors.add(each) for each in results]), session.log
            values = one_or_all(tuple([kept(log, each) for each in results]))
            log.raw += (name, read, one_or_all(ids), values, (), (), (), log.scope, frame.f_code, frame.f_lasti)


def _since(tensor: Any, start: int) -> bool:
    node = node_of(tensor)
    return node is not None and node._sequence_nr() >= start
