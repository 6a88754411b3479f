"""A node of autograd's graph -> the same node, which tells the recorder of each time that it is pulled back.

What a node is in the log stands in the place of its function `vjp`, and so lives as long as the node does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograd.core import VJPNode

from tapeviz.recorders.autograd.trees import Tree, ids_in


class LoggedNode:
    """The op of a node in the log, and the function that pulls it back.

    Attributes:
        vjp: the function of autograd's, from the upstream gradient to one contribution per parent.
        tree: the ids of what the op made.
        tape: the tape of its trace.
        width: how many inputs the op has in the log; 0 of one that is none there, as the first node of a trace.
        slots: for each positional argument of the primitive the index of its first input.
        parents: what the nodes of its parents are in the log, and the positions of the arguments that they are.
    """

    __slots__ = ("_pull", "argnums", "parents", "slots", "tape", "tree", "vjp", "width")

    def __init__(
        self,
        pull: Callable[[LoggedNode, Any], Any],
        vjp: Callable[[Any], Any],
        tree: Tree,
        tape: int,
        *,
        width: int = 0,
        slots: dict[int, int] | None = None,
        parents: Sequence[LoggedNode] = (),
        argnums: Sequence[int] = (),
    ) -> None:
        self._pull = pull
        self.vjp = vjp
        self.tree = tree
        self.tape = tape
        self.width = width
        self.slots = slots or {}
        self.parents = tuple(parents)
        self.argnums = tuple(argnums)

    def __call__(self, g: Any) -> Any:
        return self._pull(self, g)

    @property
    def ids(self) -> list[int]:
        """The ids of what the op made."""
        return ids_in(self.tree)


def logged(box: Any) -> LoggedNode | None:
    """What the node of a box is in the log; None for one that was made before the recording."""
    node = box._node
    return node.vjp if isinstance(node, VJPNode) and isinstance(node.vjp, LoggedNode) else None
