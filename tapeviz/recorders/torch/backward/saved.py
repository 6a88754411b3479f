"""The nodes of one op -> which of its inputs and outputs they keep for the backward pass."""

from __future__ import annotations

from typing import Any

import torch

from tapeviz.recorders.torch.backward.nodes import LEAF
from tapeviz.recorders.torch.elements import storage_of
from tapeviz.recorders.torch.saved_hooks import has_saved_hooks
from tapeviz.recorders.torch.values import node_of, spec_of, tensors_in


def saved_by(out: Any, start: int, inputs: list[Any]) -> tuple[int, ...] | None:
    """The saved tensors of an op, as indices into its inputs and output; `start` is the number of its first node.

    None if there are hooks on saved tensors, since reading these would call the hooks.
    """
    if has_saved_hooks():
        return None
    candidates = (*inputs, out)
    kept: list[Any] = []
    pending, seen = [out.grad_fn], {node_of(each) for each in inputs}
    while pending:
        node = pending.pop()
        if node is None or node in seen or node._sequence_nr() < start or type(node) is LEAF:
            continue
        seen.add(node)
        kept += _kept_by(node)
        pending += [each for each, _ in node.next_functions]
    return tuple(sorted({at for each in kept for at in _slots_of(each, candidates)}))


def keeps_own(out: Any, inputs: list[Any]) -> bool:
    """Whether the node of a user's function keeps numbers that are neither its inputs nor what it gives.

    They were made of these inside, as the slope is in `ctx.slope = x.cos()`. Masks and indices are no such numbers.
    Which it keeps of several results and their inputs is noted nowhere else: then all that it keeps counts.
    """
    node = next((each.grad_fn for each in tensors_in(out) if each.grad_fn is not None), None)
    if node is None or has_saved_hooks():
        return False
    candidates = (*inputs, out) if isinstance(out, torch.Tensor) else ()
    numbers = (each for each in _kept_by(node) if each.is_floating_point() or each.is_complex())
    return any(not _slots_of(each, candidates) for each in numbers)


def _slots_of(kept: Any, candidates: tuple[Any, ...]) -> list[int]:
    """The indices of the candidates that are a kept tensor, or else of those that it is a view of."""
    same = [at for at, each in enumerate(candidates) if storage_of(each) == storage_of(kept)]
    return [at for at in same if _layout(candidates[at]) == _layout(kept)] or same


def _kept_by(node: Any) -> list[Any]:
    """The tensors that a node keeps; the node of a user's function has them in `saved_tensors`, or as attributes."""
    found: list[Any] = tensors_in(getattr(node, "__dict__", None))
    for name in dir(node):
        if name.startswith("_saved_") or name == "saved_tensors":
            try:
                value = getattr(node, name)
            except RuntimeError:  # freed already, or changed in place
                continue
            found += value if isinstance(value, (tuple, list)) else (value,)
    return [each for each in found if isinstance(each, torch.Tensor)]


def _layout(tensor: Any) -> tuple[Any, ...]:
    """Which elements of its storage a tensor has, and in which order; its layout, if it is sparse or nested."""
    is_plain = tensor.layout is torch.strided and not tensor.is_nested
    where = (tensor.storage_offset(), tensor.stride()) if is_plain else (tensor.layout,)
    return *where, *spec_of(tensor)
