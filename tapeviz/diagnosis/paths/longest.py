"""Run -> the longest path its gradient took to each tensor: through every pass of a loop, every layer of a model."""

from __future__ import annotations

from collections.abc import Iterator

from tapeviz.graph import Graph, Link
from tapeviz.replay import Run


class LongestPaths:
    """The longest way that the gradient of one run takes to each tensor, link by link, seen from the targets."""

    def __init__(self, graph: Graph, run: Run) -> None:
        self._lengths: dict[int, int] = dict.fromkeys(run.targets, 0)
        self._links: dict[int, Link] = {}
        for step in run.steps:
            op = graph.ops[step.op]
            head = max((each for each in op.outputs if each in self._lengths), key=self.length, default=None)
            if head is None:
                continue
            for each in step.contributions:
                if self.length(head) >= self.length(each.tensor):
                    self._lengths[each.tensor] = self.length(head) + 1
                    self._links[each.tensor] = Link(each.tensor, head, step.op, each.slot, op.op)

    def length(self, tensor: int) -> int:
        """How many links the path to a tensor has; 0 for what no gradient went to."""
        return self._lengths.get(tensor, 0)

    def link(self, tensor: int) -> Link | None:
        """The first link of the path to a tensor; None for what no gradient went to, and for a target."""
        return self._links.get(tensor)

    def links(self, tensor: int) -> Iterator[Link]:
        """The links of the path, one by one, the tensor's own first: paths are long, and their beginning may do."""
        while (link := self._links.get(tensor)) is not None:
            yield link
            tensor = link.head
