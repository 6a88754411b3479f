"""A function of PyTorch tensors, and values for them -> its results, and what pulls gradients back through it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch


def pull_back(
    function: Callable[..., list[Any]], like: Sequence[Any], values: Sequence[Any]
) -> tuple[list[Any], Callable[[Sequence[Any]], list[Any]]]:
    """Run a function of tensors on arrays, which become tensors on the devices of those that are `like` them."""
    pairs = zip(like, values, strict=True)
    inputs = [torch.tensor(value, device=each.device).requires_grad_() for each, value in pairs]
    outputs = function(*inputs)

    def pull(upstream: Sequence[Any]) -> list[Any]:
        wanted = [(out, torch.tensor(g)) for out, g in zip(outputs, upstream, strict=True) if out.requires_grad]
        if not wanted:
            return [None] * len(inputs)
        seeds = [g.to(out) for out, g in wanted]
        found = torch.autograd.grad([out for out, _ in wanted], inputs, seeds, allow_unused=True, retain_graph=True)
        return [None if each is None else each.cpu().numpy() for each in found]

    return [each.detach().cpu().numpy() for each in outputs], pull
