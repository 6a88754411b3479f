"""Reads and writes of `.grad` -> records: who looked, what was found, when it was stored or cleared."""

from __future__ import annotations

from typing import Any

import torch

from tapeviz.events.program.frames import is_library
from tapeviz.events.types import GradientCleared, GradientRead, GradientStored
from tapeviz.recorders.keras import is_trainer
from tapeviz.recorders.torch.elements import as_array
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.values import node_of, spec_of

_read: Any = vars(torch._C.TensorBase)["grad"].__get__
CLEARING = ("zero_", "_foreach_zero_")


def grad_of(tensor: Any) -> Any:
    """The gradient stored in a tensor, without PyTorch's warning for a tensor that stores none."""
    return _read(tensor) if node_of(tensor) is None or tensor.retains_grad else None


class GradAttribute:
    """Records when the program reads `.grad` of a tensor, stores a gradient there or clears it."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def stored(
        self, run: int, tensor: Any, gradient: Any, raw_id: int, value: Any, *, accumulated: bool, apart: bool
    ) -> None:
        """A backward pass left a gradient in a tensor, or added to the one there; it may be `apart` from what arrived.

        It has its raw id already.
        """
        session = self._session
        owner = session.tensors.learn(gradient).gradient_of = session.ledger.id_of(tensor)
        session.values.add(raw_id, value)
        kept = spec_of(gradient) if value is True else value
        session.log.append(GradientStored, (run, raw_id, apart), owner, kept, accumulated)

    def access(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """`t.grad`, `t.grad = g` and `del t.grad`."""
        tensor = args[0]
        if func.__name__ == "__get__":
            out = func(*args, **kwargs)
            asking = self._session.asking_file(2)
            if not is_library(asking) or is_trainer(asking):
                self._note_read(tensor, out)
            return out
        if grad_of(tensor) is not None and (func.__name__ == "__delete__" or _is_nothing(args[1])):
            self._session.note(GradientCleared, None, self._session.ledger.id_of(tensor), None, ".grad = None")
        return func(*args, **kwargs)

    def zeroed(self, how: str, tensors: list[Any]) -> None:
        """These tensors were set to zero in place, which clears the stored gradients among them."""
        if how in CLEARING:
            for tensor in tensors:
                owner = self._owner_of(tensor)
                if owner is not None:
                    self._session.note(GradientCleared, None, owner, None, f".grad.{how.removeprefix('_foreach_')}()")

    def cleared(self, tensors: list[Any]) -> None:
        """The program has set the gradients of these tensors to None, all in one place."""
        place = self._session.place(1)
        for raw_id in map(self._session.ledger.id_of, tensors):
            self._session.log.append(GradientCleared, None, raw_id, None, ".grad = None", *place)

    def _owner_of(self, gradient: Any) -> int | None:
        """The raw id of the tensor whose `.grad` it is, or shares its elements with, as `.grad.data` does."""
        tensors = self._session.tensors
        found = tensors.facts(gradient).gradient_of
        return found if found is not None else tensors.facts(tensors.original(gradient)).gradient_of

    def _note_read(self, tensor: Any, gradient: Any) -> None:
        session = self._session
        session.note(
            GradientRead, None if gradient is None else session.ledger.id_of(gradient), session.ledger.id_of(tensor)
        )


def _is_nothing(gradient: Any) -> bool:
    """Whether a gradient is None or all zeros.

    The elements are read only on the CPU, to wait for no other device, and only of plain tensors, since those of other
    classes, such as PyTorch's fake tensors, may have none.
    """
    if type(gradient) is not torch.Tensor or not gradient.is_cpu:
        return gradient is None
    elements = as_array(gradient)
    return elements is not None and not elements.any()
