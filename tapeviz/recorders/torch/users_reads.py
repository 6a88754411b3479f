"""A block in which a function of the user's runs -> what it reads besides its arguments, as from a closure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from tapeviz.recorders.torch.kinds import kind_of
from tapeviz.recorders.torch.stack import count, unseen
from tapeviz.recorders.torch.transcript import Transcript
from tapeviz.recorders.torch.values import tensors_in


class CapturedReads(TorchFunctionMode):
    """Sees what a function reads that wants a gradient, and is not among its `arguments`."""

    def __init__(self, arguments: tuple[Any, ...], transcript: Transcript | None) -> None:
        super().__init__()
        self._transcript = transcript
        self._made: dict[int, torch.Tensor] = {}
        self._arguments = {id(each) for each in arguments}  # autograd looks into no structure
        self._found: dict[int, torch.Tensor] = {}

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        with unseen():
            if kind_of(func) == "watch":
                self._made[id(args[0])] = args[0]
            new = [each for each in tensors_in((args, kwargs or {})) if self._is_read_besides(each)]
            if new and kind_of(func) in ("op", "enter", "read"):
                self._found.update((id(each), each) for each in new)
            call = None if self._transcript is None else self._transcript.before(func, args, kwargs or {})
        out = func(*args, **(kwargs or {}))
        with unseen():
            if call is not None and self._transcript is not None:
                self._transcript.after(call, out)
            self._made.update((id(each), each) for each in tensors_in((out,)) if each.requires_grad)
        return out

    def _is_read_besides(self, tensor: torch.Tensor) -> bool:
        """Autograd is off in here, so that what is computed wants no gradient; what is made may want one, though."""
        return tensor.requires_grad and id(tensor) not in self._arguments and id(tensor) not in self._made

    @property
    def found(self) -> tuple[torch.Tensor, ...]:
        return tuple(self._found.values())


@contextmanager
def reading(arguments: tuple[Any, ...], transcript: Transcript | None) -> Iterator[CapturedReads]:
    """A block in which a function of the user's runs."""
    if transcript is not None and count():
        transcript.spoil()  # a mode of the program's may change what functions give
    reads = CapturedReads(arguments, transcript)
    with reads:
        yield reads
