"""Buffers of a model that several processes train -> their norms, as each pass meets them.

Running statistics, and what a program keeps for itself beside its parameters, are changed by ops, by kernels that no
version counter tells of, and by other processes. So they are looked at where a module is called from outside of all
modules, once between two backward passes: one call for all that are alike, whose result is read when someone asks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, ref

import torch
from torch.nn.parallel import DistributedDataParallel

from tapeviz.events.program.inspection import attributes, is_a, named
from tapeviz.events.types import BuffersMeasured
from tapeviz.recorders.bindings import modules_in
from tapeviz.recorders.torch.distributed import local_part, placement_in
from tapeviz.recorders.torch.levels import running
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.values import COPIED, held_itself, is_wrapper, unwatched

MOST = 1 << 20
"""Bytes of a buffer up to which its norm is taken: those of more would take a pass noticeable time."""
FLOATS = frozenset((torch.float16, torch.bfloat16, torch.float32, torch.float64))
"""What is compared between processes: a count or the state of a generator is a process's own."""
_attributes_of: Callable[[Any], dict[str, Any]] = vars(torch.nn.Module)["__dict__"].__get__
"""As `attributes`, of a module, in less time."""


class _BufferSlot(NamedTuple):
    """Where a buffer is held, by its name in the model; another tensor may be put there at any time."""

    path: str
    module: ref[Any]
    name: str


@dataclass
class _KnownModule:
    """What is known of a module that was called: its buffers, as of a number of registrations, and the last pass."""

    registrations: int
    slots: list[_BufferSlot]
    passes: int = -1


class Buffers:
    """Notes those that are saved with their module, and that no wrapper hands out to all processes anyway."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: WeakKeyDictionary[Any, _KnownModule] = WeakKeyDictionary()
        self._handed_out: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()
        self._registrations = 0
        self._is_one_of_several = getattr(torch.distributed, "is_initialized", bool)

    def registered(self) -> None:
        """A module has got a buffer, or a part."""
        self._registrations += 1

    def measure(self, module: Any, path_of: Callable[[Any], str]) -> None:
        """A module is called, by none that is recorded; `path_of` gives the name of one in the model."""
        session = self._session
        if not self._is_one_of_several() or session.nodes.is_in_pass or running() is not None:
            return
        found = self._known.get(module)
        if found is None or found.registrations != self._registrations:
            several = torch.distributed.get_world_size() > 1 and session.log.keeps_values
            slots = list(self._slots(module, path_of)) if several else []
            found = self._known[module] = _KnownModule(self._registrations, slots)
        if found.slots and found.passes != session.passes:
            found.passes = session.passes
            with unwatched():
                self._note(found.slots)

    def _note(self, slots: list[_BufferSlot]) -> None:
        log, known = self._session.log, self._session.tensors.ids
        alike: defaultdict[Any, list[tuple[str, int | None, Any]]] = defaultdict(list)
        for path, module, name in slots:
            held = module()
            buffer = None if held is None else _attributes_of(held).get("_buffers", {}).get(name)
            own = _compared(buffer)
            if own is not None:
                shape = own.shape if own.nbytes <= COPIED else None
                alike[None if own.is_cpu else own.device, own.dtype, shape].append((path, known.get(id(buffer)), own))
        for (device, dtype, shape), group in alike.items():
            if device is not None and device.type == "cuda" and torch.cuda.is_current_stream_capturing():
                continue  # what is captured is the program's
            paths, ids, tensors = zip(*group, strict=True)
            norms = _norms(tensors, torch.float64 if dtype is torch.float64 else torch.float32, shape is not None)
            self._session.open()
            log.append(BuffersMeasured, ids, None, log.keep(held_itself(norms)), paths)

    def _slots(self, root: Any, path_of: Callable[[Any], str]) -> Iterator[_BufferSlot]:
        """The buffers that are saved with a module and those inside."""
        modules = list(modules_in(root))
        for _, module in modules:
            if is_a(module, DistributedDataParallel) and module.broadcast_buffers:
                self._hand_out(module)
        seen: set[int] = set()
        for _, module in modules:
            left_out = {*getattr(module, "_non_persistent_buffers_set", ()), *self._handed_out.get(module, ())}
            for name, buffer in named(attributes(module).get("_buffers")):
                if name not in left_out and id(buffer) not in seen:
                    seen.add(id(buffer))
                    path = path_of(module)
                    yield _BufferSlot(f"{path}.{name}" if path else name, ref(module), name)

    def _hand_out(self, model: Any) -> None:
        """A wrapper broadcasts its buffers ahead of each forward pass: from one to the next these are meant to differ,
        also where a part of the model is called by itself."""
        ignored = getattr(model, "parameters_to_ignore", ())
        for path, module in modules_in(model.module):
            own = (name for name, _ in named(attributes(module).get("_buffers")))
            names = {name for name in own if (f"{path}.{name}" if path else name) not in ignored}
            if names and self._handed_out.get(module) != names:
                self._handed_out[module] = names
                self._registrations += 1  # so that other modules are looked at again that have it inside


def _norms(tensors: tuple[Any, ...], dtype: Any, is_small: bool) -> Any:
    """The norms of tensors of a device and a dtype; small ones, of one shape, are brought together, which is sooner."""
    if is_small:
        return torch.linalg.vector_norm(torch.stack(tensors).view(len(tensors), -1), dim=1, dtype=dtype)
    return torch.stack(torch._foreach_norm(tensors, 2, dtype))


def _compared(buffer: Any) -> Any:
    """What this process has of a buffer, if every one is to have the same; None of any other."""
    if buffer is None or not is_a(buffer, torch.Tensor):
        return None
    own = buffer
    if type(buffer) is not torch.Tensor and is_wrapper(buffer):
        own = local_part(buffer)
        if own is None or set(placement_in(buffer).split(", ")) != {"Replicate()"}:
            return None
    is_plain = own.dtype in FLOATS and own.layout is torch.strided and not own.is_meta
    return own if is_plain and 0 < own.nbytes <= MOST else None
