"""Copies that Python's `copy` makes of tensors -> leaves that hold the elements of others."""

from __future__ import annotations

from typing import Any

import torch

from tapeviz.events.program.frames import users_frame
from tapeviz.recorders.patches import Row
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import unseen


class Copies:
    """Deep copies of leaves that require a gradient, by themselves or in a module, and of results."""

    def __init__(self, session: Session, mode: FunctionMode) -> None:
        self._session = session
        self._mode = mode

    def rows(self) -> list[Row]:
        """Hooks at the copying of tensors, and of parameters, which have their own method."""
        kinds = (torch.Tensor, torch.nn.Parameter)
        return [self._mode.recording.instead(kind, "__deepcopy__", self._copy) for kind in kinds]

    def _copy(self, copy: Any, tensor: Any, memo: dict[int, Any]) -> Any:
        if id(tensor) in memo:
            return copy(tensor, memo)
        with self._mode.unrecorded():
            result = copy(tensor, memo)
        if not result.is_leaf:
            return result
        with unseen():
            if result.requires_grad or isinstance(result, torch.nn.Parameter):
                self._note(result, tensor, users_frame(1))
            elif (known := self._session.tensors.get(tensor)) is not None:
                self._session.ledger.created(result, (known,), self._session.enter(1))
        return result

    def _note(self, result: Any, tensor: Any, copier: Any) -> None:
        """`copier` is the frame of `copy.deepcopy`; that of a tensor by itself is called by the user."""
        session = self._session
        parents = (session.tensors.facts(tensor).reserved or session.ledger.id_of(tensor),)
        frame = session.enter(2)
        session.ledger.announce(result, parents, frame, named=copier.f_back is frame)
