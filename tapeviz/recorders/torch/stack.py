"""A mode -> on top of PyTorch's stack of function modes, or out of it; what the program's own modes must not see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


unseen, seen = torch._C.DisableTorchFunction, torch._C._EnableTorchFunction
"""Contexts in which calls of PyTorch are not recorded, being the recorder's own, and in which they are again."""


def hidden(handler: Callable[..., Any]) -> Callable[..., Any]:
    """The same handler, whose own calls the program does not see: no mode, as that of a default device, and no class of
    tensors."""

    def around(*args: Any) -> Any:
        with unseen():
            return handler(*args)

    return around


def shown(func: Callable[..., Any]) -> Callable[..., Any]:
    """A function that a hidden handler calls for the program: modes see its calls."""

    def around(*args: Any, **kwargs: Any) -> Any:
        with seen():
            return func(*args, **kwargs)

    around.__name__ = getattr(func, "__name__", around.__name__)
    return around
