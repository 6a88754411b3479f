"""A tensor that `torch.func` wraps -> the tensors inside of it: one for each transform that runs, and the elements.

Autograd may follow each of them by itself. A call leaves nodes at all levels, whose numbers follow each other; to its
user it is one op, of one tensor.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch._C import _functorch as functorch
from torch._C._functorch import peek_interpreter_stack as running
from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack as below_transforms

from tapeviz.events.catalog import MAPPED

__all__ = ["below_transforms", "inside", "is_followed", "is_row", "levels", "mapped", "running", "whole_of"]

is_row = functorch.is_batchedtensor
"""Whether a tensor is what a function mapped by `vmap` has: a row of one that has an axis more."""


def inside(tensor: torch.Tensor) -> torch.Tensor | None:
    """The tensor that a transform has wrapped; None of one that it has not."""
    return functorch.get_unwrapped(tensor) if functorch.is_functorch_wrapped_tensor(tensor) else None


def levels(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """A tensor and those inside of it, from the innermost transform's outwards."""
    each: torch.Tensor | None = tensor
    while each is not None:
        yield each
        each = inside(each)


def is_followed(tensor: torch.Tensor | None) -> bool:
    """Whether autograd follows a tensor at any level."""
    return tensor is not None and any(each.requires_grad for each in levels(tensor))


def mapped(attrs: tuple[Any, ...], result: torch.Tensor) -> tuple[Any, ...]:
    """The attributes of an op with such a result, as one of all rows: of how many, the outermost `vmap`'s first."""
    rows = [each for each in levels(result) if is_row(each)]
    if not rows:
        return attrs
    sizes = [functorch.get_unwrapped(each).shape[functorch.maybe_get_bdim(each)] for each in reversed(rows)]
    shifted = tuple([(name, _behind(value, len(rows)) if name == "axis" else value) for name, value in attrs])
    return *shifted, (MAPPED, sizes[0] if len(sizes) == 1 else tuple(sizes))


def _behind(axis: Any, count: int) -> Any:
    """An axis, or several, of a tensor before which that many others were put."""
    if isinstance(axis, tuple):
        return tuple([_behind(each, count) for each in axis])
    return axis + count if isinstance(axis, int) and axis >= 0 else axis


def whole_of(tensor: torch.Tensor) -> torch.Tensor:
    """The elements of a tensor in a plain one, with an axis in front for each `vmap` that maps it."""
    return _in_front(tensor)[0]


def _in_front(tensor: torch.Tensor) -> tuple[torch.Tensor, int]:
    """The whole tensor, without its graph, and how many axes were put in front."""
    within = inside(tensor)
    if within is None:
        return tensor.detach(), 0
    whole, count = _in_front(within)
    if not is_row(tensor):
        return whole, count
    return whole.movedim(count + functorch.maybe_get_bdim(tensor), count), count + 1
