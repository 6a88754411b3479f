"""Nodes of tinygrad's graph -> ids of the log, for as long as the program has them; and tensors by their nodes."""

from __future__ import annotations

import weakref
from typing import Any

from tinygrad import Tensor

from tapeviz.recorders.identity import RawIds

Nodes = weakref.WeakKeyDictionary


class Ledger:
    """Which node is which tensor of the log.

    A node that was realized is another one from then on, a buffer, to which no op leads: `realized` says of which
    tensor it holds the numbers. `leaves` are the tensors that no op made; `stored` is what is in whose `.grad`.
    """

    def __init__(self) -> None:
        self._ids: Nodes[Any, int] = Nodes()
        self.realized: Nodes[Any, int] = Nodes()
        self.leaves: dict[int, weakref.ref[Any]] = {}
        self.stored: dict[int, int] = {}
        self._tensors = RawIds()

    def note(self, uop: Any, raw_id: int) -> None:
        """A node has this id."""
        self._ids[uop] = raw_id

    def note_leaf(self, tensor: Any, raw_id: int) -> None:
        """A tensor that no op made has this id."""
        self._ids[tensor.uop] = raw_id
        self.leaves[raw_id] = weakref.ref(tensor)
        self.note_tensor(tensor, raw_id)

    def note_tensor(self, tensor: Any, raw_id: int) -> None:
        """A tensor of the program is this one, whichever node it is made of later."""
        self._tensors.note(tensor, raw_id)

    def id_of(self, uop: Any) -> int | None:
        """The id of a node that is in the log; else None."""
        return self._ids.get(uop)

    def resolve(self, obj: Any) -> int | None:
        """The id of a tensor of the program; None for anything else."""
        if not isinstance(obj, Tensor):
            return None
        noted = self._tensors.id_of(obj)
        found = self._ids.get(obj.uop) if noted is None else noted
        return found if found is not None else self.realized.get(obj.uop)

    def written(self, uop: Any) -> list[Any]:
        """A buffer has other numbers from now on: the nodes that were computed of what it held are others, too."""
        base = uop.base
        cache: dict[Any, bool] = {}
        kept = set(self.leaves)
        stale = [
            node
            for node, raw in list(self._ids.items())
            if node.topovisit(lambda at: at is base or any(cache[each] for each in at.src), cache) and raw not in kept
        ]
        for node in stale:
            del self._ids[node]
        return stale
