"""PyTorch's stack of function modes: putting one on or taking it out, and calls that the modes on it do not see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

push, pop = torch._C._push_on_torch_function_stack, torch._C._pop_torch_function_stack
count, at = torch._C._len_torch_function_stack, torch._C._get_function_stack_at
unseen, seen = torch._C.DisableTorchFunction, torch._C._EnableTorchFunction
"""Contexts in which the program does not see the calls of PyTorch, being the recorder's own, and does again."""


def take_out(mode: TorchFunctionMode) -> None:
    """Take one mode off the stack, whatever the program left above it."""
    above = []
    while count() and (top := pop()) is not mode:
        above.append(top)
    for each in reversed(above):
        push(each)


def hidden(handler: Callable[..., Any]) -> Callable[..., Any]:
    """A handler whose own calls the program does not see: no mode of its, such as a default device's, and no class of
    tensors."""

    def around(*args: Any) -> Any:
        with unseen():
            return handler(*args)

    return around


def shown(func: Callable[..., Any]) -> Callable[..., Any]:
    """A function that a hidden handler calls on behalf of the program: modes see its calls again."""

    def around(*args: Any, **kwargs: Any) -> Any:
        with seen():
            return func(*args, **kwargs)

    around.__name__ = getattr(func, "__name__", around.__name__)
    return around
