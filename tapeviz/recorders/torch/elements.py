"""A PyTorch tensor -> where its elements are, and an array of them, in their place where NumPy can read them there."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

_LENDS = hasattr(torch._C, "_to_dlpack_versioned")  # since PyTorch 2.10
_MAIN_MEMORY = (1, 0)
"""The kind and the number of the device, as DLPack has them."""


def storage_of(tensor: torch.Tensor) -> int | None:
    """The identity of a tensor's storage, which all views of it share; None where it has none, as a sparse tensor.

    It is not the address of the elements: PyTorch does not give that of a fake tensor, and all tensors without elements
    have the same.
    """
    try:
        return int(tensor.untyped_storage()._cdata)
    except (RuntimeError, NotImplementedError):
        return None


def has_memory(tensor: torch.Tensor) -> bool:
    """Whether a strided tensor may be read: its storage is as large as it has to be."""
    return tensor.numel() == 0 or tensor.untyped_storage().nbytes() > 0


def bytes_of(tensor: torch.Tensor) -> int:
    """How many bytes the elements of a tensor take, those of a sparse one with their indices."""
    if tensor.layout is torch.sparse_coo:  # which has no `nbytes`
        return tensor._indices().nbytes + tensor._values().nbytes
    return tensor.nbytes


def view_of(tensor: torch.Tensor) -> tuple[Any, ...] | None:
    """What tells a view of a storage from another: which elements it has, and how they are laid out and read.

    None for a tensor without a storage.
    """
    storage = storage_of(tensor)
    if storage is None:
        return None
    return storage, tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.is_conj(), tensor.is_neg()


class _Lent:
    """A plain tensor in main memory as NumPy takes it, without the questions that PyTorch asks about it in Python."""

    __slots__ = ("_tensor",)

    def __init__(self, tensor: torch.Tensor) -> None:
        self._tensor = tensor

    def __dlpack__(self, **options: Any) -> Any:
        return torch._C._to_dlpack_versioned(self._tensor)

    def __dlpack_device__(self) -> tuple[int, int]:
        return _MAIN_MEMORY


def _lent(tensor: torch.Tensor) -> Any:
    """What gives a tensor's memory: itself, or of a plain one in less time."""
    is_plain = type(tensor) is torch.Tensor and tensor.is_cpu and tensor.layout is torch.strided
    return _Lent(tensor) if _LENDS and is_plain and not (tensor.requires_grad or tensor.is_conj()) else tensor


def as_array(tensor: torch.Tensor) -> Any:
    """The elements of a tensor of any dtype, layout and device as an array; None where it has none to read."""
    try:
        if tensor._is_zerotensor():  # zeros without memory, as the gradient of `sgn`
            tensor = torch.zeros(tensor.shape, dtype=tensor.dtype, device="cpu")
        if tensor.is_neg():  # a view with the sign flipped
            tensor = tensor.resolve_neg()
        if tensor.untyped_storage().device.type == "meta":  # that of a fake tensor, too, whatever its own device is
            return None
        if not has_memory(tensor):
            return None
        return np.from_dlpack(_lent(tensor))  # runs no op of PyTorch's, and so nothing that may wait for a device
    except (RuntimeError, TypeError, NotImplementedError, BufferError):  # it is not simply an array of NumPy's
        pass
    try:
        dense = tensor.to_dense() if tensor.layout is not torch.strided else tensor
        plain = dense.detach().resolve_conj().resolve_neg().cpu()
        narrow = plain.is_floating_point() and plain.dtype not in (torch.float16, torch.float32, torch.float64)
        return (plain.float() if narrow else plain).numpy()
    except (RuntimeError, TypeError, NotImplementedError):  # a meta tensor, a wrapper of a transformation
        return None
