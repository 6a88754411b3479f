"""Functions of PyTorch that would not do the same if they were watched -> the same functions, not recorded."""

from __future__ import annotations

from functools import wraps
from typing import Any

import torch

from tapeviz.recorders.patches import Patches
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session

FUNCTIONS = (
    # They run a function, or a module, to write down what it calls; what the recorder calls is no part of that.
    (torch.jit, "trace"),
    (torch.jit, "trace_module"),
    # Modules ask it whether one of their tensors overrides functions. In evaluation mode a transformer layer has a
    # fused kernel, whose numbers differ in the last bits, where none does; a function mode counts as an override.
    # PyTorch's functions ask the same by another name, to hand their calls to the mode.
    (torch.overrides, "has_torch_function"),
)
"""The functions: where each is looked up, and by what name."""


class UnrecordedFunctions:
    """The `FUNCTIONS`, called aside from the recording."""

    def __init__(self, session: Session, mode: FunctionMode) -> None:
        self._session = session
        self._mode = mode

    def install(self, patches: Patches) -> None:
        """Each is called by its name in its module."""
        for module, name in FUNCTIONS:
            patches.wrap(module, name, self._calling_aside)

    def _calling_aside(self, original: Any) -> Any:
        @wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not self._session.is_here:
                return original(*args, **kwargs)
            with self._mode.aside():
                return original(*args, **kwargs)

        return call
