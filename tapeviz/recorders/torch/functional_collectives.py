"""Collectives that give new tensors -> ops, named as the module that the user calls them by.

Those of `torch.distributed.nn.functional` are gradient functions of PyTorch's; those that DTensor is made of, which the
field calls `funcol`, are ops of its dispatcher.
"""

from __future__ import annotations

from typing import Any

import torch

from tapeviz.recorders.torch.groups import Attributes, about_call, about_group, about_mesh, group_in
from tapeviz.recorders.torch.ops import RecordedFunction
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.values import tensors_in

FOLLOWED = {
    "_AllGather": "all_gather",
    "_AllGatherBase": "all_gather",
    "_AllReduce": "all_reduce",
    "_AlltoAll": "all_to_all",
    "_AlltoAllSingle": "all_to_all_single",
    "_Broadcast": "broadcast",
    "_Gather": "gather",
    "_Reduce": "reduce",
    "_Reduce_Scatter": "reduce_scatter",
    "_Scatter": "scatter",
}
"""The classes of `torch.distributed.nn.functional` -> its functions."""

_DTENSOR = {"_FromTorchTensor": "from_local", "_ToTorchTensor": "to_local", "Redistribute": "redistribute"}
"""The classes behind methods of a distributed tensor -> these."""
_MOVES = {"SR": "all_gather", "PR": "all_reduce", "PS": "reduce_scatter", "SS": "all_to_all"}
"""What processes have of a tensor before and after, by initials -> the collective that it takes; others take none."""

_DISPATCHED = frozenset({"_c10d_functional", "_c10d_functional_autograd"})


def followed(cls: Any) -> str | None:
    """The name of the op of a gradient function, if that is a collective."""
    if cls.__module__ == "torch.distributed.nn.functional" and cls.__name__ in FOLLOWED:
        return f"dist.nn.{FOLLOWED[cls.__name__]}"
    if cls.__module__.startswith("torch.distributed.tensor.") and cls.__name__ in _DTENSOR:
        return f"dtensor.{_DTENSOR[cls.__name__]}"
    return None


def about_followed(cls: Any, args: tuple[Any, ...]) -> Attributes:
    """What the op says of the arguments of such a function."""
    if cls.__module__ == "torch.distributed.nn.functional":
        return about_call(group_in(args), args, args)
    if _DTENSOR[cls.__name__] != "redistribute":
        return about_mesh(args[1]) if _DTENSOR[cls.__name__] == "from_local" else ()
    tensor, mesh, placements = args[:3]
    about: Attributes = ()
    for axis, (before, after) in enumerate(zip(tensor.placements, placements, strict=True)):
        move = None if before == after else _MOVES.get(_initial(before) + _initial(after))
        if move is not None and mesh.size(axis) > 1:
            about += ("collective", move), *about_group(mesh.get_group(axis)), ("bytes", tensor._local_tensor.nbytes)
    return about


def _initial(placement: Any) -> str:
    return "S" if placement.is_shard() else "R" if placement.is_replicate() else "P"


def is_dispatched(func: Any) -> bool:
    """Whether a function is a collective of PyTorch's dispatcher."""
    return _qualified(func)[0] in _DISPATCHED


def _qualified(func: Any) -> tuple[str, str]:
    """The namespace of an op of the dispatcher, and its name there; empty for any other function."""
    namespace, _, name = str(getattr(func, "_qualified_op_name", getattr(func, "_name", ""))).partition("::")
    plain = name.partition(".")[0]
    return namespace, "wait_tensor" if plain == "_wrap_tensor_autograd" else plain


class DispatchedCollective(RecordedFunction):
    """A collective of the dispatcher, which is given the name of a group, and that of a reduction."""

    __slots__ = ()

    def __init__(self, session: Session, func: Any) -> None:
        super().__init__(session, func, f"funcol.{_qualified(func)[1]}")

    def __call__(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        texts: list[Any] = [each for each in args if isinstance(each, str)]
        about = about_call(torch._C._distributed_c10d._resolve_process_group(texts[-1]), (), args) if texts else ()
        self._more = (*about, *(("operation", each) for each in texts[:-1]))
        return super().__call__(func, types, args, kwargs)

    def _one(self, start: int, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super()._one(start, out, tuple(tensors_in(args)), {})

    def _many(self, start: int, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super()._many(start, out, tuple(tensors_in(args)), {})
