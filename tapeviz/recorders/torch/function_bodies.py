"""A function of PyTorch's that is written in Python -> its body, which does not hand the call to a mode again."""

from __future__ import annotations

from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

import torch

Body = Callable[[Any, Any, tuple[Any, ...], dict[str, Any]], Any]
"""(function, types, arguments, keywords) -> the result."""

_ASKED_BY = ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")


def skipping_one_hop(func: Any) -> Body:
    """A function that calls `func` without handing that call to a mode; the calls inside of it are handed on."""
    if hasattr(torch._C, "_skip_one_hop_torch_function"):  # since PyTorch 2.13
        return torch._C._skip_one_hop_torch_function
    body = _unasking(func) if isinstance(func, FunctionType) else func

    def call(func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return body(*args, **kwargs)

    return call


def _unasking(func: FunctionType) -> FunctionType:
    """A copy of a function, with the same code, for which `has_torch_function` in its module is always False.

    Functions in its closure are copied likewise: they make this check if it chooses among them, as `max_pool2d` does.
    """

    def copy_of(each: FunctionType, closure: tuple[CellType, ...] | None) -> FunctionType:
        names = {**each.__globals__, **dict.fromkeys(_ASKED_BY, _no)}
        body = FunctionType(each.__code__, names, each.__name__, each.__defaults__, closure)
        body.__kwdefaults__ = each.__kwdefaults__
        return body

    def held(cell: CellType) -> CellType:
        each = cell.cell_contents
        return CellType(copy_of(each, each.__closure__)) if isinstance(each, FunctionType) else cell

    return copy_of(func, func.__closure__ and tuple(map(held, func.__closure__)))


def _no(*relevant: Any) -> bool:
    return False
