"""A PyTorch tensor -> what a log holds of it: the storage it shares, and the version that says whether it changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import _disable_current_modes

from tapeviz.events.log import EventLog
from tapeviz.events.summaries import SMALL as TOGETHER
from tapeviz.events.summaries import Summaries
from tapeviz.events.summary import Packed, Summary, size_of
from tapeviz.events.values import OBJECT, SMALL, HeldTensor, ReleasedTensor, readable
from tapeviz.recorders.torch.distributed import local_part, placement_in
from tapeviz.recorders.torch.elements import as_array
from tapeviz.recorders.torch.fused import fused
from tapeviz.recorders.torch.levels import below_transforms, running, whole_of
from tapeviz.recorders.torch.storages import was_given_back

_STRIDED, _NO_DISPATCH = torch.strided, torch.Tensor.__torch_dispatch__
_ROWS = frozenset((torch.float32, torch.float64))
_FUSED = frozenset((torch.float32, torch.float16, torch.bfloat16))
_TENSOR = torch.Tensor
_new = object.__new__
detach = torch._C.TensorBase.detach
_modes, _below_modes = torch._C._len_torch_dispatch_stack, torch._C._DisableTorchDispatch
Spec = tuple[tuple[int, ...], str] | tuple[tuple[int, ...], str, str]
COPIED = 4096
"""Bytes up to which a tensor is copied before a program changes it in place, so that its old value stays known, and up
to which statistics stay of it when the log lets it go. Of a larger gradient statistics stay when it is changed."""


@cache
def dtype_name(dtype: torch.dtype) -> str:
    """NumPy's name of a dtype, or PyTorch's where NumPy has none such.

    >>> dtype_name(torch.float32), dtype_name(torch.bfloat16)
    ('float32', 'bfloat16')
    """
    return str(dtype).removeprefix("torch.")


def spec_of(tensor: torch.Tensor) -> Spec:
    """The shape and dtype of a tensor: one object for all tensors of the same.

    Of one that is nested, whose parts have shapes of their own, their number is the shape; one of a lazy module's has
    none until its first call. Of one that is distributed it is the part that this process has.
    """
    try:
        if type(tensor) is torch.Tensor:
            return spec_with(tensor.shape, tensor.dtype)
    except RuntimeError:  # it is nested
        pass
    if is_wrapper(tensor) and (local := local_part(tensor)) is not None:
        shape, dtype, *_ = spec_of(local)
        return shape, dtype, placement_in(tensor)
    try:
        return spec_with((tensor.size(0),) if tensor.is_nested else tensor.shape, tensor.dtype)
    except (RuntimeError, ValueError):
        return spec_with((), tensor.dtype)


@cache
def spec_with(shape: tuple[int, ...], dtype: torch.dtype) -> Spec:
    """The spec of a shape and a dtype, as PyTorch has them."""
    return tuple(shape), dtype_name(dtype)


def is_wrapper(tensor: torch.Tensor) -> bool:
    """Whether a tensor is of a class that says itself what its elements are: its storage may hold nothing of them."""
    return type(tensor) is not torch.Tensor and type(tensor).__torch_dispatch__ is not _NO_DISPATCH


def alias(tensor: torch.Tensor) -> torch.Tensor:
    """The same elements without their graph; the program's own modes do not see the recorder do this."""
    if is_wrapper(tensor):
        with _disable_current_modes():
            return detach(tensor)
    if not _modes():
        return detach(tensor)
    with _below_modes():
        return detach(tensor)


@contextmanager
def unwatched() -> Iterator[None]:
    """A block for ops of the recorder's own: no mode of the program sees them, and no graph comes of them."""
    with torch._C.DisableTorchFunction(), _below_modes(), torch.no_grad():
        yield


def node_of(tensor: Any) -> Any:
    """The node of autograd's that made a tensor, None for a leaf.

    None as well where PyTorch does not tell: of a view that was made while autograd was off, and changed since.
    """
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def is_made_since(tensor: Any, start: int) -> bool:
    """Whether a tensor's node is numbered from `start` on: a user's function may change its operands in place."""
    node = node_of(tensor)
    return node is not None and bool(node._sequence_nr() >= start)


class HeldTorchTensor(HeldTensor):
    """A tensor in a log, without its graph; nothing is copied or synchronised until someone reads it."""

    __slots__ = ("__weakref__", "_spec", "version")

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = detach(tensor) if type(tensor) is torch.Tensor and not _modes() else alias(tensor)
        self._spec: Spec | None = None
        self.placement = None
        self.nbytes = tensor.nbytes if tensor.layout is _STRIDED else 0
        self.version: int | None
        try:
            self.version = tensor._version
        except RuntimeError:  # of an inference tensor
            self.version = None

    @property
    def spec(self) -> Spec:
        """The shape and dtype, which are looked up when someone asks, or the tensor is let go."""
        found = self._spec
        if found is None:
            found = self._spec = spec_with(self.tensor.shape, self.tensor.dtype)
        return found

    def let_go(self) -> Any:
        """As of any tensor; what it was like stays known."""
        self._spec = self.spec
        return super().let_go()

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return self.spec[0]

    @property
    def dtype(self) -> str:  # type: ignore[override]
        return self.spec[1]

    @property
    def is_near(self) -> bool:
        return self.tensor.device.type == "cpu" and self.dtype != "bfloat16" and not self.dtype.startswith("float8")

    @property
    def is_unchanged(self) -> bool:
        """Whether the elements are those that the tensor had when it was recorded."""
        return (self.version is None or self.tensor._version == self.version) and not was_given_back(self.tensor)

    @property
    def is_whole(self) -> bool:
        """Whether the elements are here, and those that the tensor had when it was recorded."""
        return type(self.tensor) is not ReleasedTensor and self.is_unchanged

    def elements(self) -> torch.Tensor | None:
        """The elements as a tensor; None where they are not known any more: small ones are, if the log lets them go."""
        if type(self.tensor) is ReleasedTensor:
            return elements_left(self.tensor.value)
        return self.tensor if self.is_unchanged else None

    def read(self) -> Any:
        """The elements as an array; None where the program changed them since."""
        with torch._C.DisableTorchFunction():
            return as_array(self.tensor) if self.is_unchanged else None

    def copy(self) -> None:
        """Go on with a copy: the program is about to change the elements."""
        if self.is_whole:
            with _below_modes():
                self.tensor = self.tensor.clone()
            self.version = None

    def outdate(self) -> None:
        """The program is about to change the elements, and the version does not tell: they are known no more."""
        if self.is_whole:
            self.version = -1

    def summarise(self) -> int:
        """Go on with statistics alone, as far as these cost little; by how many bytes less it counts."""
        found = self._statistics() if self.is_whole else None
        if found is None:
            return 0
        cost, self._spec = self.cost, self.spec
        self.tensor = ReleasedTensor(Packed.of(found))
        return cost

    @classmethod
    def norms(cls, held: Sequence[HeldTorchTensor]) -> list[float | None]:
        """The norms of several, each device's in one call, and brought here in one."""
        found: list[float | None] = [None] * len(held)
        alike: defaultdict[Any, list[int]] = defaultdict(list)
        for index, each in enumerate(held):
            if each.is_whole and each.is_summable:
                alike[each.tensor.device].append(index)
            else:
                found[index] = size_of(readable(each))
        with unwatched():
            for indices in alike.values():
                sizes = torch.stack(torch._foreach_norm([held[each].tensor for each in indices], 2, torch.float32))
                for index, size in zip(indices, sizes.tolist(), strict=True):
                    found[index] = size
        return found

    @classmethod
    def let_go_of(cls, held: Sequence[HeldTorchTensor]) -> None:
        """As of any tensors; of those that leave statistics, all are worked out at once."""
        cls._leave_statistics([each for each in held if SMALL < each.nbytes <= COPIED])
        for each in held:
            if type(each.tensor) is not ReleasedTensor:
                if each.nbytes > COPIED:
                    each.tensor = ReleasedTensor(each.spec)
                else:
                    each.let_go()

    @classmethod
    def settle(cls, held: Sequence[HeldTorchTensor]) -> list[Any]:
        """As of any tensors; those that are plain are looked at by the shortest way."""
        cls._leave_statistics([each for each in held if each.nbytes > SMALL])
        return super().settle(held)

    @classmethod
    def _leave_statistics(cls, held: Sequence[HeldTorchTensor]) -> None:
        """Go on with the statistics of those that are plain floats in main memory, and what they were.

        Small ones of one shape are brought together by PyTorch, which is sooner.
        """
        alike: defaultdict[tuple[Any, Any], list[HeldTorchTensor]] = defaultdict(list)
        with unwatched():
            for each in held:
                tensor, version = each.tensor, each.version
                # floats of NumPy's, in main memory and one after the other
                is_plain = type(tensor) is _TENSOR and tensor.is_cpu and (dtype := tensor.dtype) in _ROWS
                if is_plain and tensor.is_contiguous() and (version is None or tensor._version == version):
                    if was_given_back(tensor):
                        continue
                    if each.nbytes <= TOGETHER:
                        alike[tensor.shape, dtype].append(each)
                    elif tensor.data_ptr():
                        each._spec = spec = spec_with(tensor.shape, dtype)
                        each.tensor = ReleasedTensor(Packed.of_array(tensor.numpy(), spec[0]))
            for (shape, dtype), group in alike.items():
                spec, rows = spec_with(shape, dtype), torch.stack([each.tensor for each in group]).view(len(group), -1)
                left = Summaries(rows.numpy(), [spec[0]] * len(group)).packed()
                for each, packed in zip(group, left, strict=True):
                    each.tensor, each._spec = ReleasedTensor(packed), spec

    @classmethod
    def statistics(cls, held: Sequence[HeldTorchTensor]) -> list[Packed | None]:
        """As of any tensors; of those beyond main memory, or of dtypes that NumPy has not, in fused calls."""
        found = super().statistics(held)
        others = [at for at, each in enumerate(held) if found[at] is None and each.is_summable and each.is_whole]
        with unwatched() if others else nullcontext():
            for at, summary in zip(others, fused([held[each].tensor for each in others]), strict=True):
                found[at] = Packed.of(replace(summary, dtype=held[at].dtype))
        return found

    @property
    def is_summable(self) -> bool:
        """Whether PyTorch has a fused norm for it: of floats of up to 32 bits in plain memory."""
        tensor = self.tensor
        return tensor.dtype in _FUSED and tensor.layout is _STRIDED and not is_wrapper(tensor) and not tensor.is_meta

    def summarised(self) -> Any:
        """Statistics of a small tensor in main memory; of others the shape: a long training would wait for them."""
        return (self._statistics() if self.nbytes <= COPIED else None) or self.spec

    def _statistics(self) -> Summary | None:
        """Those of real numbers in main memory, where the program has not changed them."""
        with torch._C.DisableTorchFunction():
            tensor = self.tensor
            here = tensor.device.type == "cpu" and tensor.is_floating_point()
            array = as_array(tensor) if here and self.is_unchanged else None
            if array is None:
                return None
            found = Summary.of(array)
            return found if found.dtype == self.dtype else replace(found, dtype=self.dtype)


class BorrowedTensor(HeldTorchTensor):
    """A variable's value, whose elements the program holds anyway: they count only when it does no longer, or when they
    are a copy."""

    __slots__ = ("is_borrowed",)

    def __init__(self, value: HeldTorchTensor) -> None:
        self.tensor, self.version, self.nbytes = value.tensor, value.version, value.nbytes
        self._spec, self.placement = value._spec, value.placement
        self.is_borrowed = True

    @property
    def cost(self) -> int:
        found = super().cost
        return min(found, OBJECT) if self.is_borrowed else found

    def copy(self) -> None:
        if self.is_whole:
            self.is_borrowed = False
        super().copy()


def elements_left(value: Any) -> torch.Tensor | None:
    """The elements of a small tensor that the log has let go; None of what is only a summary, or a shape."""
    return torch.as_tensor(value) if isinstance(value, (np.ndarray, np.generic)) else None


def held(tensor: torch.Tensor) -> HeldTorchTensor | Spec:
    """What a log holds of a tensor; of one without elements to hold, only the shape."""
    try:
        is_plain = type(tensor) is _TENSOR and tensor.layout is _STRIDED and not (_modes() or tensor.is_nested)
        return _held_plain(tensor) if is_plain and running() is None else _held_odd(tensor)
    except (RuntimeError, ValueError):  # it has no elements, as one of a batch of seeds
        return spec_of(tensor)


def _held_plain(tensor: torch.Tensor) -> HeldTorchTensor:
    """Of nearly all tensors."""
    return held_itself(detach(tensor))


def held_itself(tensor: torch.Tensor) -> HeldTorchTensor:
    """What a log holds of a plain tensor without a graph that only the log has, in half the time that a call of the
    class takes."""
    value = _new(HeldTorchTensor)
    value.tensor, value.nbytes = tensor, tensor.nbytes
    value._spec = value.placement = None
    try:
        value.version = tensor._version
    except RuntimeError:  # of an inference tensor
        value.version = None
    return value


def _held_odd(tensor: torch.Tensor) -> HeldTorchTensor | Spec:
    """Of a tensor that a transform wraps, that is of a class of its own, or whose elements are not in one place."""
    if running() is not None:
        with below_transforms(), _below_modes(), torch._C.DisableTorchFunction():
            return held(whole_of(tensor))
    if is_wrapper(tensor):
        local = local_part(tensor)
        part = spec_of(tensor) if local is None else held(local)
        if isinstance(part, HeldTorchTensor):
            if local is not None:
                part.placement = placement_in(tensor)
            if part.nbytes <= COPIED:
                part.copy()  # its version does not tell of what changes the distributed one in place
        return part
    return spec_of(tensor) if tensor.is_nested else HeldTorchTensor(tensor)


def kept(log: EventLog, tensor: torch.Tensor) -> Any:
    """What a log has of a tensor: its elements within the budget, or only its shape and dtype."""
    if not log.keeps_values:
        return spec_of(tensor)
    value = held(tensor)
    if type(value) is HeldTorchTensor and (total := log.bytes + value.nbytes + OBJECT) <= log.max_bytes:
        log.bytes = total
        return value
    return log.keep(value)


def tensors_in(value: Any) -> list[Any]:
    """The tensors in nested lists, tuples and dicts, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [each for part in value for each in tensors_in(part)] if isinstance(value, (list, tuple)) else []
