"""`x.as_subclass(cls)` -> an op: PyTorch asks no mode about this call, though autograd has a node for it."""

from __future__ import annotations

from typing import Any

import torch

from tapeviz.recorders.patches import Row
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.ops import RecordedFunction, running_op
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import with_modes, without_modes


class Subclasses:
    """What makes a tensor one of the program's own class, and back."""

    def __init__(self, session: Session, mode: FunctionMode) -> None:
        self._session = session
        self._mode = mode
        self._op = RecordedFunction(session, torch.Tensor.as_subclass, "as_subclass")

    def rows(self) -> list[Row]:
        """A hook at the method."""
        return [self._mode.recording.instead(torch.Tensor, "as_subclass", self._cast)]

    def _cast(self, cast: Any, tensor: Any, *args: Any, **kwargs: Any) -> Any:
        """A class that answers calls makes results of its own class by this method: that is a part of their ops."""
        if running_op() is not None:
            return cast(tensor, *args, **kwargs)
        return without_modes(self._op)(with_modes(cast), (), (tensor, *args), kwargs)
