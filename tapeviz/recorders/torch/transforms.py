"""Functions that `torch.func` differentiates or maps -> names and records for the tensors that it wraps for them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import torch
from torch._functorch import eager_transforms, vmap
from torch.utils import _pytree

from tapeviz.events.program.frames import outward
from tapeviz.recorders.local_names import arguments
from tapeviz.recorders.patches import Row
from tapeviz.recorders.torch.backward.nodes import counter
from tapeviz.recorders.torch.levels import inside, is_followed
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.values import kept


class Transforms:
    """Hooks at the transforms, which wrap the tensors of a call, so that the function gets others without a name."""

    def __init__(self, session: Session, mode: FunctionMode) -> None:
        self._session = session
        self._mode = mode

    def rows(self) -> tuple[Row, ...]:
        """Hooks at the function by which `grad` and `vjp` wrap tensors, and at that by which `vmap` collects rows."""
        recording = self._mode.recording
        return (
            recording.instead(eager_transforms, "_wrap_all_tensors", self._wrap),
            recording.instead(vmap, "_maybe_remove_batch_dim", self._gather),
        )

    def _wrap(self, wrap: Any, tensors: Any, level: int) -> Any:
        wrapped = wrap(tensors, level)
        function = _transformed()
        if function is not None:
            self._name(wrapped.items() if isinstance(wrapped, dict) else arguments(function, wrapped))
        return wrapped

    def _gather(self, gather: Any, name: str, row: Any, *how: Any) -> Any:
        start = counter()
        whole = gather(name, row, *how)
        if isinstance(row, torch.Tensor) and row is not whole and self._session.tensors.get(whole) is None:
            self._stack(row, whole, start)
        return whole

    def _stack(self, row: torch.Tensor, whole: torch.Tensor, start: int) -> None:
        """Log the result of a mapped function as a stack of its rows; `start` is the number of its first node, if any.

        What autograd follows is logged only where the rows' axis was moved: else it is what has been inside of them.
        """
        session, log = self._session, self._session.log
        inputs, frame = (session.ledger.id_of(row),), session.enter(2)
        made = session.tensors.add(whole)
        value, code = kept(log, whole), frame.f_code
        tapes: tuple[int, ...] = ()
        if is_followed(whole):
            tapes = session.tapes
            session.nodes.add(start, counter(), inputs, made)
            session.nodes.note_output(whole, made)
        log.raw += ("stack", inputs, made, value, (), (), tapes, log.scope, code, frame.f_lasti)

    def _name(self, arguments: Iterable[tuple[str, Any]]) -> None:
        """Name the arguments of a function by its parameters."""
        for name, argument in arguments:
            for path, leaf in _pytree.tree_flatten_with_path(argument)[0]:
                if isinstance(leaf, torch.Tensor) and not is_followed(inside(leaf)):
                    self._session.ledger.give_name(leaf, name + _pytree.keystr(path))


def _transformed() -> Any:
    """The function that the innermost running transform was given."""
    transforms = (each for each in outward(sys._getframe(2)) if each.f_globals is vars(eager_transforms))
    found = next(transforms, None)
    return None if found is None else found.f_locals.get("func")
