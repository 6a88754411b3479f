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
from tapeviz.recorders.torch.levels import inside, is_followed
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.values import node_of


class Transforms:
    """Hooks at the transforms, which wrap the tensors of a call, so that the function gets others without a name."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def rows(self) -> tuple[Row, ...]:
        """Hooks at the function by which `grad` and `vjp` wrap tensors, and at that by which `vmap` collects rows."""
        here = self._session.here
        return (
            here.instead(eager_transforms, "_wrap_all_tensors", self._wrap),
            here.instead(vmap, "_unwrap_batched", self._gather),
        )

    def _wrap(self, wrap: Any, tensors: Any, level: int) -> Any:
        wrapped = wrap(tensors, level)
        function = _transformed()
        if function is not None:
            self._name(wrapped.items() if isinstance(wrapped, dict) else arguments(function, wrapped))
        return wrapped

    def _gather(self, gather: Any, mapped: Any, *how: Any) -> Any:
        gathered = gather(mapped, *how)
        for row, whole in zip(*map(_pytree.tree_leaves, (mapped, gathered)), strict=True):
            if isinstance(row, torch.Tensor) and row is not whole and node_of(whole) is None:
                self._stack(row, whole)
        return gathered

    def _stack(self, row: torch.Tensor, whole: torch.Tensor) -> None:
        """Log the result of a mapped function as a stack of its rows, for a tensor that autograd does not follow."""
        session, log = self._session, self._session.log
        inputs, frame = (session.ledger.id_of(row),), session.enter(2)
        made = session.tensors.add(whole)
        value, code = session.values.hold(whole, made), frame.f_code
        log.raw += ("stack", inputs, made, value, (), (), (), log.scope, code, frame.f_lasti)

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
