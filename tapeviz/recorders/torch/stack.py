"""PyTorch's stack of function modes: adding and removing modes, and calls that the modes do not see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

push, pop = torch._C._push_on_torch_function_stack, torch._C._pop_torch_function_stack
count, at = torch._C._len_torch_function_stack, torch._C._get_function_stack_at
unseen, seen = torch._C.DisableTorchFunction, torch._C._EnableTorchFunction
"""Blocks in which the program's modes do not see calls, which are the recorder's own, and in which they do again."""


class ModeRemoval:
    """Removes a mode from the stack, and leaves those above it there. A call that is broken off may be repeated."""

    def __init__(self, mode: TorchFunctionMode) -> None:
        self._mode = mode
        self._others: list[Any] | None = None

    def __call__(self) -> None:
        if self._others is None:
            self._others = [each for each in map(at, range(count())) if each is not self._mode]
        others, same = self._others, 0
        while same < min(count(), len(others)) and at(same) is others[same]:
            same += 1
        while count() > same:
            pop()
        while count() < len(others):
            push(others[count()])


def lift(mode: TorchFunctionMode) -> Callable[[], None] | None:
    """Take a mode off the stack, from under those above it; what puts it back. None if it is not on the stack."""
    modes = list(map(at, range(count())))
    where = next((index for index, each in enumerate(modes) if each is mode), None)
    if where is None:
        return None

    def rest(others: list[Any]) -> None:
        while count() > where:
            pop()
        for each in others:
            push(each)

    rest(modes[where + 1 :])
    return lambda: rest([mode, *map(at, range(where, count()))])


@contextmanager
def only(mode: TorchFunctionMode) -> Iterator[None]:
    """A block in which one mode is on the stack, and no other."""
    others = []
    while count():
        others.append(pop())
    push(mode)
    try:
        yield
    finally:
        while count():
            pop()
        for each in reversed(others):
            push(each)


def without_modes(handler: Callable[..., Any]) -> Callable[..., Any]:
    """A handler whose own calls no mode of the program sees, such as a default device, and no class of tensors."""

    def around(*args: Any) -> Any:
        with unseen():
            return handler(*args)

    return around


def with_modes(func: Callable[..., Any]) -> Callable[..., Any]:
    """A function that a hidden handler calls for the program, so that modes see its calls again."""

    def around(*args: Any, **kwargs: Any) -> Any:
        with seen():
            return func(*args, **kwargs)

    around.__name__ = getattr(func, "__name__", around.__name__)
    return around
