"""A call with arguments of classes that are no tensors, but act as such -> what the class does in its place.

Such a class has a `__torch_function__` that computes with tensors, as those of linear operators and masked tensors do.
PyTorch would call it where no function mode sees what it does.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch

Tensor, Parameter = torch.Tensor, torch.nn.Parameter
PLAIN = frozenset(((), (Tensor,), (Parameter,), (Tensor, Parameter), (Parameter, Tensor)))
"""The classes of a call's arguments, as PyTorch tells of them, where no class of the program's is asked."""


def act_as_tensors(types: tuple[type, ...]) -> bool:
    """Whether a class among those of a call's arguments is no tensor's, and PyTorch can be stood in for."""
    return any(not issubclass(each, Tensor) and _answers(each) for each in types)


def hand_over(func: Any, types: tuple[type, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What PyTorch does with such a call: each class is asked, and the first that does not decline gives the result.

    Returns:
        NotImplemented where all decline.
    """
    for each in types:
        if _answers(each):
            out = each.__torch_function__(func, types, args, kwargs)  # type: ignore[attr-defined]
            if out is not NotImplemented:
                return out
    return NotImplemented


def _answers(kind: type) -> bool:
    return isinstance(inspect.getattr_static(kind, "__torch_function__", None), (classmethod, staticmethod))
