"""A call with arguments of classes that are not tensors, but act like them -> the result of the class's own code.

Such a class has a `__torch_function__` that computes with tensors, as those of linear operators and masked tensors do.
PyTorch would call it where no function mode sees what it does.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch

Tensor, Parameter = torch.Tensor, torch.nn.Parameter
PLAIN = frozenset(((), (Tensor,), (Parameter,), (Tensor, Parameter), (Parameter, Tensor)))
"""The classes of arguments, as PyTorch passes them, for which no class of the program's handles the call."""


def act_as_tensors(types: tuple[type, ...]) -> bool:
    """Whether a class of a call's arguments is not one of tensors, and handles calls itself."""
    return any(not issubclass(each, Tensor) and _answers(each) for each in types)


def hand_over(func: Any, types: tuple[type, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of such a call, as in PyTorch: from the first class that handles it.

    Returns:
        The result; NotImplemented if no class handles the call.
    """
    for each in types:
        if _answers(each):
            out = each.__torch_function__(func, types, args, kwargs)  # type: ignore[attr-defined]
            if out is not NotImplemented:
                return out
    return NotImplemented


def _answers(kind: type) -> bool:
    return isinstance(inspect.getattr_static(kind, "__torch_function__", None), (classmethod, staticmethod))
