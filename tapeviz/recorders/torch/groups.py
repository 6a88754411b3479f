"""A group of processes, and what it is asked to do together -> what an op says of that."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
import torch.distributed as dist

from tapeviz.recorders.torch.elements import bytes_of
from tapeviz.recorders.torch.values import tensors_in

MOST = 8
"""Ranks that are listed one by one."""

Attributes = tuple[tuple[str, Any], ...]
"""Attributes of an op."""


@dataclass
class Replica:
    """One wrapped model: its `group` of processes, and the program's `hook` that reduces gradients, if not the mean.

    It `synchronises` in the next pass. Where `in_buckets`, `.grad` is a part of a buffer that each pass writes over.
    A buffer is reduced when all parameters in it, of `needed` in all, have got a gradient; 0: it waits for none.
    """

    group: Attributes
    hook: str | None
    in_buckets: bool
    synchronises: bool
    needed: int


class Shard(NamedTuple):
    """What a whole parameter was gathered from: the program's `own`, by raw id, among an op's arguments and results.

    `is_reduced` says whether the next pass sums gradients up over the processes, and shares them out. `passes` came
    before.
    """

    own: dict[int, Any]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    is_reduced: Callable[[], bool]
    passes: int = 0


def about_group(group: Any) -> Attributes:
    """The attributes of a collective that tell its group: "world" or its ranks, and how many these are.

    Of a group that a package has made by itself only the number is known.
    """
    try:
        ranks = dist.get_process_group_ranks(group)
    except KeyError:
        return (("ranks", group.size()),)
    return ("group", _in_words(ranks)), ("ranks", len(ranks))


def about_mesh(mesh: Any) -> Attributes:
    """The attribute of what is done in each process of a mesh alone: its ranks, as of a group."""
    return (("mesh", _in_words(mesh.mesh.reshape(-1).tolist())),)


def _in_words(ranks: list[int]) -> str:
    if len(ranks) == dist.get_world_size():
        return "world"
    return ", ".join(map(str, ranks)) if len(ranks) <= MOST else f"{ranks[0]} to {ranks[-1]}"


def about_call(group: Any, arguments: Iterable[Any], sent: Any) -> Attributes:
    """The same, with the operation if it has one, and how many bytes of this process it is given."""
    operation = next((("operation", name) for each in arguments if (name := _operation(each))), None)
    size = ("bytes", sum(map(bytes_of, tensors_in(sent))))
    return (*about_group(group), *([operation] if operation else ()), size)


def about_peer(group: Any, name: str, peer: int = -1, tag: int = 0, *_: Any) -> Attributes:
    """The attributes of what goes to another process, or comes from it, by its number in the group: its rank."""
    try:
        rank = dist.get_global_rank(group, peer)
    except (KeyError, ValueError):  # a group of a package's own; from anywhere
        return ()
    return (name, rank), *((("tag", tag),) if tag else ())


def group_in(arguments: Iterable[Any]) -> Any:
    """The group among the arguments of a function; by default all processes."""
    kind = torch._C._distributed_c10d.ProcessGroup
    return next((each for each in arguments if isinstance(each, kind)), None)


def _operation(argument: Any) -> str | None:
    """The name of a reduction, which may be in the options of a call; None for any other argument."""
    found = getattr(argument, "reduceOp", argument)
    found = getattr(found, "op", found)
    return _NAMES.get(found.name, found.name.lower()) if isinstance(found, dist.ReduceOp.RedOpType) else None


_NAMES = {"AVG": "mean"}
