"""Storages whose elements become others behind the versions of tensors -> tensors of which these do not tell.

A library that shares parameters out gives memory back and gets it again, at each step; what another process sends is
written into a buffer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tapeviz.recorders.hooks import When
from tapeviz.recorders.patches import Row
from tapeviz.recorders.torch.elements import storage_of

_given_back: dict[int, int] = {}
_received: dict[int, int] = {}
"""Storages by identity -> weak references to them: as long as there is one, no other storage has the same."""
_free: Callable[[int], None] = torch.UntypedStorage._free_weak_ref
_MOST = 1000
"""How many are kept before those are left out that exist no more."""


def was_given_back(tensor: torch.Tensor) -> bool:
    """Whether the memory of a tensor was given back in a recording, so that nothing is known of what it holds now."""
    return bool(_given_back) and storage_of(tensor) in _given_back


def note_received(tensor: torch.Tensor) -> None:
    """Other processes write into the memory of a tensor, now and perhaps again."""
    key = storage_of(tensor)
    if key is not None and key not in _received:
        _forget_gone(_received)
        storage: Any = tensor.untyped_storage()
        _received[key] = storage._weak_ref()


def is_received(tensor: torch.Tensor) -> bool:
    """Whether other processes write into the memory of a tensor."""
    return bool(_received) and storage_of(tensor) in _received


def rows(here: When, ahead: Callable[[int], None]) -> tuple[Row, ...]:
    """A hook at what gives memory back; `ahead` is called with the storage before it does."""

    def note(storage: Any, size: int) -> None:
        key = storage._cdata
        if size < storage.nbytes() and key not in _given_back:
            ahead(key)
            _forget_gone(_given_back)
            _given_back[key] = storage._weak_ref()

    return (here.before(torch.UntypedStorage, "resize_", note),)


def _forget_gone(storages: dict[int, int]) -> None:
    if len(storages) < _MOST:
        return
    for key, weak in list(storages.items()):
        if torch.UntypedStorage._expired(weak):
            _free(storages.pop(key))
