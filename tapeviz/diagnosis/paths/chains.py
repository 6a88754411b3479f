"""What a tensor leads on to -> where chains of tensors end: each is followed once, however many begin on it."""

from __future__ import annotations

from collections.abc import Callable


class Chains:
    """Chains of tensors, in which each leads on to one other, or to none: there its chains end."""

    def __init__(self, onward: Callable[[int], int | None]) -> None:
        self._onward = onward
        self._ends: dict[int, int] = {}

    def end(self, tensor: int) -> int:
        """The last tensor of the chain that begins with one; that itself, where it leads no further."""
        way: list[int] = []
        while tensor not in self._ends:
            way.append(tensor)
            following = self._onward(tensor)
            if following is None:
                self._ends[tensor] = tensor
            else:
                tensor = following
        self._ends.update(dict.fromkeys(way, self._ends[tensor]))
        return self._ends[tensor]
