"""A mode -> on top of PyTorch's stack of function modes, or out of it."""

from __future__ import annotations

import torch
from torch.overrides import TorchFunctionMode

push, pop = torch._C._push_on_torch_function_stack, torch._C._pop_torch_function_stack
count, at = torch._C._len_torch_function_stack, torch._C._get_function_stack_at


def take_out(mode: TorchFunctionMode) -> None:
    """Take one mode off the stack, whatever the program left above it."""
    above = []
    while count() and (top := pop()) is not mode:
        above.append(top)
    for each in reversed(above):
        push(each)
