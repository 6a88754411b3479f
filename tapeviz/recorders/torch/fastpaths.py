"""Modules of PyTorch that take another way when they are watched -> the way they take alone.

In evaluation mode a transformer layer uses a fused kernel, whose numbers differ in the last bits, unless one of its
tensors overrides functions. A function mode counts as an override, so the question is answered as if there were none.
"""

from __future__ import annotations

from typing import Any

import torch

from tapeviz.recorders.patches import Patches
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session


class FastPaths:
    """The question `torch.overrides.has_torch_function` that modules ask."""

    def __init__(self, session: Session, mode: FunctionMode) -> None:
        self._session = session
        self._mode = mode

    def install(self, patches: Patches) -> None:
        """Functions ask another name for it, to be handed to the mode."""
        patches.wrap(torch.overrides, "has_torch_function", self._asking)

    def _asking(self, ask: Any) -> Any:
        def has_torch_function(relevant: Any) -> bool:
            if not self._session.is_here:
                return bool(ask(relevant))
            with self._mode.aside():
                return bool(ask(relevant))

        return has_torch_function
