"""Functions of PyTorch that would not do the same if they were watched -> the same functions, not recorded."""

from __future__ import annotations

import torch

from tapeviz.recorders.patches import Row
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


def rows(session: Session, mode: FunctionMode) -> list[Row]:
    """The `FUNCTIONS`, called without being recorded."""
    return [session.here.within(module, name, mode.unrecorded) for module, name in FUNCTIONS]
