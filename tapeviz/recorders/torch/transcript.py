"""The calls of PyTorch's functions that a user's own function makes -> the same calls on other tensors.

Autograd is off in such a function. Made again with autograd on, on copies, its calls give the gradient that PyTorch has
for what the function computed. No line of the user's runs for that; what cannot be made again exactly `spoils` it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, MethodWrapperType, WrapperDescriptorType
from typing import Any, NamedTuple

import numpy as np
import torch
from torch._C import _is_any_autocast_enabled as is_any_autocast_enabled

from tapeviz.events.program.inspection import is_filled
from tapeviz.recorders.torch.kinds import kind_of, name_of
from tapeviz.recorders.torch.names import signature_of
from tapeviz.recorders.torch.values import tensors_in

MOST_CALLS = 200
MOST_BYTES = 1 << 24
"""How many calls are noted of one function, and how many bytes of tensors, those that it is given included."""

_SAME = frozenset({"detach", "data", "detach_"})
"""What gives the same elements: that it cuts them off says nothing where autograd is off."""
_UNFILLED = frozenset({"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"})
_OF_A_SHAPE = frozenset(
    {"zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full", "rand_like", "randn_like"}
)
_TO_INTEGERS = frozenset({"to", "type", "type_as", "int", "long", "short", "char", "byte", "bool", "astype"})
_ALONE = (type(None), bool, int, float, complex, str, type(...), torch.dtype, torch.device, torch.layout)
_PLAIN = (*_ALONE, torch.memory_format, np.number, np.bool_)
"""The types of arguments that mean the same at another time."""
_DESCRIBED = (BuiltinFunctionType, MethodDescriptorType, MethodWrapperType, WrapperDescriptorType)


class Unrepeatable(Exception):
    """A function does something that cannot be made again exactly."""


class _Tensor(NamedTuple):
    """The place of a tensor among those of a transcript."""

    number: int


class _Call(NamedTuple):
    """One call: its arguments, with slots in the places of tensors, and the slots of its results."""

    function: Any
    kind: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    results: list[int]


class Transcript:
    """What a function calls, from `arguments` on; `is_standing` says of a tensor whether it was there before.

    A tensor that was not, and that no call gave, is made by code that PyTorch does not see.
    """

    def __init__(self, arguments: Iterable[Any], is_standing: Callable[[Any], bool]) -> None:
        self._is_standing = is_standing
        self._indices: dict[int, int] = {}
        self._held: list[Any] = []  # so that no other tensor gets the identity of one
        self._constants: dict[int, Any] = {}
        self._calls: list[_Call] = []
        self._bytes = 0
        self.narrowest = ""
        self.is_spoilt = False
        self.inputs = [each for each in arguments if isinstance(each, torch.Tensor)]
        self._versions: list[int] = []
        try:
            if len(set(map(id, self.inputs))) < len(self.inputs):
                raise Unrepeatable  # which of its places a tensor is read for is not seen
            for each in self.inputs:
                self._add(each)
                self._versions.append(each._version)
        except (Unrepeatable, RuntimeError):
            self.spoil()

    def spoil(self) -> None:
        """Give up, and let go of all tensors."""
        self.is_spoilt = True
        self._indices, self._held, self._constants, self._calls, self.inputs = {}, [], {}, [], []

    # ----- while the function runs -----

    def before(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call | None:
        """The call that is about to be made, for `after`; None if it is none to be made again."""
        kind = kind_of(func)
        if self.is_spoilt or kind in ("silent", "pause", "watch", "retain"):
            return None
        try:
            self._check(func, kind, name_of(func))
            return _Call(func, kind, self._in_slots(args), self._in_slots(kwargs), [])
        except (Unrepeatable, RuntimeError):
            self.spoil()
            return None

    def after(self, call: _Call, out: Any) -> None:
        """The call has been made, and gave `out`."""
        if self.is_spoilt:
            return
        try:
            call.results.extend(self._add(each) for each in tensors_in((out,)))
        except (Unrepeatable, RuntimeError):
            self.spoil()
            return
        self._calls.append(call)
        if len(self._calls) > MOST_CALLS:
            self.spoil()

    def _check(self, func: Any, kind: str, name: str) -> None:
        """Refuse a function that takes tensors elsewhere, and one that may not be PyTorch's own."""
        module = getattr(func, "__module__", None) or "torch"
        is_own = isinstance(func, _DESCRIBED) or (
            isinstance(func, FunctionType) and module.partition(".")[0] == "torch"
        )
        if kind in ("backward", "gradient", "assign") or name == "__dlpack__" or name in _UNFILLED or not is_own:
            raise Unrepeatable
        if is_any_autocast_enabled() and name != "to":
            raise Unrepeatable

    def _in_slots(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return _Tensor(self._slot(value))
        if type(value) in (tuple, list, torch.Size):
            return type(value)(map(self._in_slots, value)) if type(value) is not torch.Size else value
        if type(value) is dict:
            return {name: self._in_slots(each) for name, each in value.items()}
        if type(value) is slice:
            return slice(*map(self._in_slots, (value.start, value.stop, value.step)))
        if isinstance(value, _PLAIN):
            return value
        raise Unrepeatable

    def _slot(self, tensor: Any) -> int:
        """The slot of a tensor that is read; of one that was there before, a copy as it is now is kept."""
        found = self._indices.get(id(tensor))
        if found is not None:
            return found
        if not self._is_standing(tensor):
            raise Unrepeatable
        index = self._add(tensor)
        self._constants[index] = tensor.detach().clone()
        return index

    def _add(self, tensor: Any) -> int:
        found = self._indices.get(id(tensor))
        if found is not None:
            return found
        if not is_plain(tensor):
            raise Unrepeatable
        self._bytes += tensor.nbytes
        if self._bytes > MOST_BYTES:
            raise Unrepeatable
        if tensor.dtype.is_floating_point or tensor.dtype.is_complex:
            self._narrow(tensor.dtype)
        self._held.append(tensor)
        index = self._indices[id(tensor)] = len(self._held) - 1
        return index

    def _narrow(self, dtype: torch.dtype) -> None:
        name = str(dtype).removeprefix("torch.")
        if name.startswith(("float8", "float4")):
            raise Unrepeatable
        if not self.narrowest or torch.finfo(dtype).eps > torch.finfo(getattr(torch, self.narrowest)).eps:
            self.narrowest = name

    # ----- after it -----

    @property
    def ran(self) -> tuple[str, ...]:
        """The catalog's names of the ops that were called, in order."""
        return tuple([signature_of(name_of(each.function)).name for each in self._calls if each.kind != "read"])

    def close(self, out: Any) -> list[int | None]:
        """The function has returned `out`: the slot of each result of it, None of what is no tensor."""
        results = out if isinstance(out, tuple) else (out,)
        unchanged = all(each._version == version for each, version in zip(self.inputs, self._versions, strict=True))
        slots = [self._indices.get(id(each)) if isinstance(each, torch.Tensor) else None for each in results]
        lost = any(isinstance(each, torch.Tensor) and at is None for each, at in zip(results, slots, strict=True))
        if lost or not unchanged or not self._calls or any(at is not None and at < len(self.inputs) for at in slots):
            raise Unrepeatable
        self._held, self._indices = [], {}
        return slots

    def replay(self, inputs: list[Any], constants: Container[str] = ()) -> dict[int, Any]:
        """The tensors of all slots, computed anew of these inputs; what the ops named `constants` give is cut off."""
        found = dict(enumerate(inputs)) | {index: each.clone() for index, each in self._constants.items()}
        for call in self._calls:
            args, kwargs = _filled(call.args, found), _filled(call.kwargs, found)
            is_followed = any(each.requires_grad for each in tensors_in((args, kwargs)))
            if call.kind == "read":
                if is_followed and any(each.dtype.is_floating_point for each in tensors_in((args,))):
                    raise Unrepeatable
                continue
            name = name_of(call.function)
            out = args[0] if name in _SAME else call.function(*args, **kwargs)
            made = list(tensors_in((out,)))
            if len(made) != len(call.results) or (is_followed and any(_is_lost(each, name) for each in made)):
                raise Unrepeatable
            if signature_of(name).name in constants:
                made = [each.detach() for each in made]
            found.update(zip(call.results, made, strict=True))
        return found


def _is_lost(tensor: Any, name: str) -> bool:
    """Whether what an op made of something that autograd follows has lost that, where a derivative may be."""
    if tensor.dtype.is_floating_point or tensor.dtype.is_complex:
        return not tensor.requires_grad and name not in _OF_A_SHAPE
    return name in _TO_INTEGERS and tensor.dtype is not torch.bool


def _filled(value: Any, found: dict[int, Any]) -> Any:
    """Arguments with tensors in the places of their slots."""
    if type(value) is _Tensor:
        return found[value.number]
    if type(value) in (tuple, list):
        return type(value)([_filled(each, found) for each in value])
    if type(value) is dict:
        return {name: _filled(each, found) for name, each in value.items()}
    if type(value) is slice:
        return slice(*[_filled(each, found) for each in (value.start, value.stop, value.step)])
    return value


def is_plain(tensor: Any) -> bool:
    """Whether a tensor is simply one of PyTorch's: of no other class, with elements, and no transform's."""
    is_own = type(tensor) in (torch.Tensor, torch.nn.Parameter)
    if not is_own or torch._C._functorch.is_functorch_wrapped_tensor(tensor) or tensor.is_nested:
        return False
    is_odd = tensor.is_meta or tensor.is_quantized or tensor.is_inference() or tensor._is_zerotensor()
    return tensor.layout is torch.strided and not is_odd


def standing(*roots: Any) -> Iterator[Any]:
    """The tensors in what a function can reach without running anything: structures, modules, closures, objects."""
    pending: list[tuple[Any, int]] = [(each, 0) for each in roots]
    seen: set[int] = set()
    while pending and len(seen) < 2000:
        each, depth = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, torch.Tensor):
            yield each
        elif depth < 5:
            pending += [(part, depth + 1) for part in _parts(each)]


def _parts(value: Any) -> list[Any]:
    if type(value) in (tuple, list) or (isinstance(value, tuple) and hasattr(value, "_fields")):
        return list(value)
    if type(value) is dict:
        return list(value.values())
    if isinstance(value, FunctionType):
        cells = [each.cell_contents for each in value.__closure__ or () if is_filled(each)]
        names = [value.__globals__[name] for name in value.__code__.co_names if name in value.__globals__]
        return [*cells, *names, *(value.__defaults__ or ())]
    if isinstance(value, type):
        return list(vars(value).values()) if not value.__module__.startswith("torch") else []
    if isinstance(value, (staticmethod, classmethod)):
        return [value.__func__]
    own = getattr(value, "__dict__", None) if not isinstance(value, _PLAIN) else None
    is_package = type(value).__module__.startswith("torch.") and not isinstance(value, torch.nn.Module)
    return list(own.values()) if type(own) is dict and not is_package and type(value).__name__ != "module" else []
