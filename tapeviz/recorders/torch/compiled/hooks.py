"""A compiled function -> the hooks of the modules in it: of those that they get later, it calls none."""

from __future__ import annotations

from types import FrameType, FunctionType, MethodType
from typing import Any, NamedTuple

import torch

from tapeviz.events.program.captures import enclosed
from tapeviz.events.program.inspection import is_a
from tapeviz.recorders.bindings import modules_in

_KINDS = {
    "_forward_pre_hooks": "forward pre-hook",
    "_forward_hooks": "forward hook",
    "_backward_pre_hooks": "backward pre-hook",
    "_backward_hooks": "backward hook",
}


class ModuleHook(NamedTuple):
    """A hook: what kind it is, the path of its module within the outermost one, and its key there."""

    kind: str
    module: str
    key: int


def modules_held_by(wrapper: FrameType) -> list[Any]:
    """The module that is compiled, or whose method is; `wrapper` is the frame in which the compiler calls it."""
    compiled = wrapper.f_locals.get("fn")
    held = [compiled]
    if str(getattr(compiled, "__module__", "")).partition(".")[0] == torch.__name__:  # it stands around a module
        held += [cell.cell_contents for cell in getattr(compiled, "__closure__", None) or ()]
    owners = [each.__self__ if type(each) is MethodType else each for each in held]
    return [each for each in owners if is_a(each, torch.nn.Module)]


def hooks_in(wrapper: FrameType) -> frozenset[ModuleHook]:
    """The hooks of all modules of a compiled function: of the one that it is, or of those that it names."""
    roots = {type(each).__name__: each for each in modules_held_by(wrapper)[:1]}
    function = wrapper.f_locals.get("fn")
    if not roots and isinstance(function, FunctionType):
        names = [each for each in function.__code__.co_names if each in function.__globals__]
        held = {**enclosed(function), **{each: function.__globals__[each] for each in names}}
        roots |= {name: each for name, each in held.items() if is_a(each, torch.nn.Module)}
    return frozenset(
        ModuleHook(kind, f"{name}.{path}" if path else name, key)
        for name, root in roots.items()
        for path, module in modules_in(root)
        for slot, kind in _KINDS.items()
        for key in getattr(module, slot)
    )
