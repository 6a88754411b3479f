"""Tensors of floats -> their statistics, worked out where they are, in few calls, and brought here in one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import isfinite
from typing import Any

import torch

from tapeviz.events.summary import Summary

NUMBERS = 5
"""What is worked out of each tensor where it is: norm, least, greatest, sum, how many are not zero."""


def fused(tensors: Sequence[torch.Tensor]) -> list[Summary]:
    """The statistics of each. One that is not finite, or whose squares are too large, is told from its elements."""
    alike: defaultdict[torch.device, list[int]] = defaultdict(list)
    for at, each in enumerate(tensors):
        alike[each.device].append(at)
    found: dict[int, Summary] = {}
    for indices in alike.values():
        for at, numbers in zip(indices, _numbers([tensors[each] for each in indices]), strict=True):
            found[at] = _summary(tensors[at], *numbers)
    return [found[at] for at in range(len(tensors))]


def _numbers(tensors: list[torch.Tensor]) -> list[list[float]]:
    """The `NUMBERS` of tensors that are on one device."""
    parts: list[Any] = []
    for each, size in zip(tensors, torch._foreach_norm(tensors, 2, torch.float32), strict=True):
        least, greatest = torch.aminmax(each) if each.numel() else (size, size)
        parts += (size, least, greatest, each.sum(dtype=torch.float32), each.count_nonzero())
    numbers: list[float] = torch.stack([each.to(torch.float64) for each in parts]).tolist() if parts else []
    return [numbers[at : at + NUMBERS] for at in range(0, len(numbers), NUMBERS)]


def _summary(tensor: torch.Tensor, size: float, least: float, greatest: float, total: float, others: float) -> Summary:
    if not isfinite(size) or not tensor.numel():
        return Summary.of(tensor.to("cpu", torch.float32).numpy())
    zeros = tensor.numel() - int(others)
    return Summary(tuple(tensor.shape), "", least, greatest, total / tensor.numel(), size, zeros, 0, 0)
