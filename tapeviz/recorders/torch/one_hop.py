"""A function of PyTorch's that is written in Python -> its body, without the question whether a mode wants the call."""

from __future__ import annotations

from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

import torch

Body = Callable[[Any, Any, tuple[Any, ...], dict[str, Any]], Any]
"""(function, types, arguments, keywords) -> the result."""

_ASKED_BY = ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")


def skipping_one_hop(func: Any) -> Body:
    """What calls `func` so that it does not hand the call to a mode again; what its body calls is handed on."""
    if hasattr(torch._C, "_skip_one_hop_torch_function"):  # since PyTorch 2.13
        return torch._C._skip_one_hop_torch_function
    body = _unasking(func) if isinstance(func, FunctionType) else func

    def call(func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return body(*args, **kwargs)

    return call


def _unasking(func: FunctionType) -> FunctionType:
    """The function again, in whose module the answer is always no: it keeps its code, and with it its lines.

    So it is of the functions that it closes over, which ask in its place where it chooses one, as `max_pool2d` does.
    """

    def again(each: FunctionType, closure: tuple[CellType, ...] | None) -> FunctionType:
        names = {**each.__globals__, **dict.fromkeys(_ASKED_BY, _no)}
        body = FunctionType(each.__code__, names, each.__name__, each.__defaults__, closure)
        body.__kwdefaults__ = each.__kwdefaults__
        return body

    def held(cell: CellType) -> CellType:
        each = cell.cell_contents
        return CellType(again(each, each.__closure__)) if isinstance(each, FunctionType) else cell

    return again(func, func.__closure__ and tuple(map(held, func.__closure__)))


def _no(*relevant: Any) -> bool:
    return False
