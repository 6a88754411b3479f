"""What goes into a program's hooks on saved tensors, and what comes out of them -> what the log is told has changed.

With such hooks, PyTorch does not see by a version that the numbers are others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.autograd.graph import saved_tensors_hooks

from tapeviz.events.types import SavedChanged
from tapeviz.recorders.patches import Row
from tapeviz.recorders.torch.backward.nodes import counter
from tapeviz.recorders.torch.elements import as_array, storage_of
from tapeviz.recorders.torch.saved_hooks import is_checkpoints
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.stack import unseen

ROUNDING = 1e-4
"""How far numbers are from others, as a part of the largest, that count as changed."""
LOOKED_AT = 1024
"""How many elements of what is saved are compared, about."""


class _Packed(NamedTuple):
    """What a hook made of a saved tensor, the number of the node that saved it, and the elements that are looked at:
    None if the hook keeps others on purpose."""

    by_hook: Any
    number: int
    elements: Any


class PackedTensors:
    """Hooks that are put on saved tensors while a recording lasts."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def rows(self) -> list[Row]:
        """A hook at the block in which they are."""
        return [self._session.here.instead(saved_tensors_hooks, "__enter__", self._enter)]

    def _enter(self, enter: Any, hooks: Any) -> None:
        self._session.packs = True
        own = hooks.pack_hook, hooks.unpack_hook
        hooks.pack_hook, hooks.unpack_hook = self._watched(*own)
        try:
            enter(hooks)
        finally:
            hooks.pack_hook, hooks.unpack_hook = own

    def _watched(self, pack: Any, unpack: Any) -> tuple[Callable[[Any], _Packed], Callable[[_Packed], Any]]:
        """The same hooks, which also compare."""
        recomputed = is_checkpoints(pack)

        @wraps(pack)
        def pack_and_look(tensor: Any) -> _Packed:
            packed = pack(tensor)
            with unseen():
                compared = recomputed or _shares(packed, storage_of(tensor))
                return _Packed(packed, counter() - 1, some_of(tensor) if compared else None)

        @wraps(unpack)
        def unpack_and_look(packed: _Packed) -> Any:
            tensor = unpack(packed.by_hook)
            if packed.elements is not None and self._session.is_here:
                with unseen():
                    self._compare(packed, tensor, recomputed)
            return tensor

        return pack_and_look, unpack_and_look

    def _compare(self, packed: _Packed, tensor: Any, recomputed: bool) -> None:
        is_now = some_of(tensor)
        if is_now is None or are_alike(packed.elements, is_now):
            return
        raw_id = self._session.nodes.result_of(packed.number)
        if raw_id is not None:
            self._session.log.append(SavedChanged, None, raw_id, None, recomputed)


def _shares(packed: Any, storage: int | None) -> bool:
    """Whether what a hook made of a tensor holds its memory."""
    parts = packed if isinstance(packed, (tuple, list)) else (packed,)
    return storage is not None and any(isinstance(each, torch.Tensor) and storage_of(each) == storage for each in parts)


def are_alike(was: Any, is_now: Any) -> bool:
    """Whether numbers are the same but for rounding: where memory lies otherwise, a kernel may add up otherwise."""
    if was.shape != is_now.shape or was.dtype.kind not in "fc":
        return np.array_equal(was, is_now)
    finite = np.abs(was[np.isfinite(was)])
    return np.allclose(was, is_now, rtol=ROUNDING, atol=ROUNDING * float(finite.max(initial=0.0)), equal_nan=True)


def some_of(tensor: Any) -> Any:
    """Copies of some of the elements of a tensor, which are all over it; None where to read them would take long."""
    array = as_array(tensor.detach()) if tensor.device.type == "cpu" and tensor.layout is torch.strided else None
    return None if array is None else array.flat[:: max(1, array.size // LOOKED_AT)]
