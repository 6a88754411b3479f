"""Storages that give their memory back and get it again -> tensors whose elements are not those that they had.

A library that shares parameters out does so at each step, and hides it from the versions of tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tapeviz.recorders.hooks import When
from tapeviz.recorders.patches import Row
from tapeviz.recorders.torch.elements import storage_of

_given_back: dict[int, int] = {}
"""Storages by identity -> weak references to them: as long as there is one, no other storage has the same."""
_free: Callable[[int], None] = torch.UntypedStorage._free_weak_ref
_MOST = 1000
"""How many are kept before those are left out that exist no more."""


def was_given_back(tensor: torch.Tensor) -> bool:
    """Whether the memory of a tensor was given back in a recording, so that nothing is known of what it holds now."""
    return bool(_given_back) and storage_of(tensor) in _given_back


def rows(here: When, ahead: Callable[[int], None]) -> tuple[Row, ...]:
    """A hook at what gives memory back; `ahead` is called with the storage before it does."""

    def note(storage: Any, size: int) -> None:
        key = storage._cdata
        if size < storage.nbytes() and key not in _given_back:
            ahead(key)
            _forget_gone()
            _given_back[key] = storage._weak_ref()

    return (here.before(torch.UntypedStorage, "resize_", note),)


def _forget_gone() -> None:
    if len(_given_back) < _MOST:
        return
    for key, weak in list(_given_back.items()):
        if torch.UntypedStorage._expired(weak):
            _free(_given_back.pop(key))
