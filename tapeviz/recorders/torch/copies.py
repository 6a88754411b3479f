"""Copies that Python's `copy` makes of tensors, nested tensors, DLPack, NumPy's arrays -> leaves of their elements."""

from __future__ import annotations

from typing import Any

import torch
import torch.utils.dlpack

from tapeviz.events.program.frames import users_frame
from tapeviz.recorders.patches import Row
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import unseen
from tapeviz.recorders.torch.values import tensors_in


class Copies:
    """Deep copies of leaves that require a gradient, by themselves or in a module, and of results; what else holds the
    elements of tensors, made by functions about which PyTorch asks no mode."""

    def __init__(self, session: Session, mode: FunctionMode) -> None:
        self._session = session
        self._mode = mode

    def rows(self) -> list[Row]:
        """Hooks at the copying of tensors, and of parameters, which have their own method, and at the functions."""
        kinds, instead = (torch.Tensor, torch.nn.Parameter), self._mode.recording.instead
        copying = [instead(kind, "__deepcopy__", self._copy) for kind in kinds]
        modules = (torch, torch.utils.dlpack)
        return [
            *copying,
            instead(torch.nested, "nested_tensor", self._nest),
            *(instead(module, "from_dlpack", self._share) for module in modules),
            *(instead(torch, name, self._take) for name in ("from_numpy", "frombuffer")),
        ]

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

    def _nest(self, make: Any, *args: Any, **kwargs: Any) -> Any:
        with self._mode.unrecorded():
            result = make(*args, **kwargs)
        self._join(result, (args, kwargs))
        return result

    def _share(self, make: Any, *args: Any, **kwargs: Any) -> Any:
        for each in tensors_in(args):
            self._session.lent.lend(each)
        with self._mode.unrecorded():  # it asks the tensor for its memory, as another library would
            result = make(*args, **kwargs)
        self._join(result, args)
        return result

    def _take(self, make: Any, *args: Any, **kwargs: Any) -> Any:
        result = make(*args, **kwargs)
        with unseen():
            self._session.ledger.born_here(result, (), self._session.enter(1))
            self._session.lent.lend(result)
        return result

    def _join(self, result: Any, arguments: Any) -> None:
        """Note a leaf and the tensors whose elements it holds, if it was made of tensors."""
        with unseen():
            parts = tuple([self._session.ledger.id_of(each) for each in tensors_in(arguments)])
            if parts:
                self._session.ledger.created(result, parts, self._session.enter(2))

    def _note(self, result: Any, tensor: Any, copier: Any) -> None:
        """`copier` is the frame of `copy.deepcopy`; that of a tensor by itself is called by the user."""
        session = self._session
        parents = (session.tensors.facts(tensor).reserved or session.ledger.id_of(tensor),)
        frame = session.enter(2)
        session.ledger.announce(result, parents, frame, named=copier.f_back is frame)
