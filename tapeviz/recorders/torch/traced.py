"""`torch.jit.trace` -> the same, unseen: it runs the program for its graph's sake, where the recorder has no place."""

from __future__ import annotations

from functools import wraps
from typing import Any

import torch

from tapeviz.recorders.patches import Patches
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session


class Tracers:
    """The functions of PyTorch's that run a function, or a module, to write down what it calls."""

    def __init__(self, session: Session, mode: FunctionMode) -> None:
        self._session = session
        self._mode = mode

    def install(self, patches: Patches) -> None:
        """`trace` calls `trace_module` by a name of its own."""
        for name in ("trace", "trace_module"):
            patches.wrap(torch.jit, name, self._unseen)

    def _unseen(self, original: Any) -> Any:
        @wraps(original)
        def tracing(*args: Any, **kwargs: Any) -> Any:
            if not self._session.is_here or self._mode.looks_away():
                return original(*args, **kwargs)
            with self._mode.aside():
                return original(*args, **kwargs)

        return tracing
