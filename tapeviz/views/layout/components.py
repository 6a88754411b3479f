"""A graph -> its connected components; the sizes of their pictures -> one packed picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt

_ASPECT = 1.6  # width to height of a picture of many small parts


@dataclass
class Part:
    """A connected component: its nodes, its edges among those (by position in `nodes`), and where they come from."""

    nodes: list[int] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)
    edge_ids: list[int] = field(default_factory=list)


def connected_parts(count: int, edges: Sequence[tuple[int, int]]) -> list[Part]:
    """Connected components by first node.

    >>> [part.nodes for part in connected_parts(4, [(0, 2), (1, 3)])]
    [[0, 2], [1, 3]]
    """
    near: list[list[int]] = [[] for _ in range(count)]
    for tail, head in edges:
        near[tail].append(head)
        near[head].append(tail)
    label = [-1] * count
    parts: list[Part] = []
    for start in range(count):
        if label[start] < 0:
            _flood(start, near, label, len(parts))
            parts.append(Part())
    position = [0] * count
    for v in range(count):
        nodes = parts[label[v]].nodes
        position[v] = len(nodes)
        nodes.append(v)
    for e, (tail, head) in enumerate(edges):
        part = parts[label[tail]]
        part.edges.append((position[tail], position[head]))
        part.edge_ids.append(e)
    return parts


def _flood(start: int, near: list[list[int]], label: list[int], mark: int) -> None:
    label[start] = mark
    stack = [start]
    while stack:
        for w in near[stack.pop()]:
            if label[w] < 0:
                label[w] = mark
                stack.append(w)


def pack(
    sizes: Sequence[tuple[float, float]], spacing: float, *, one_row: bool = False
) -> tuple[list[tuple[float, float]], float, float]:
    """Top left corner of every picture, in rows (or one row) from left to right; width and height of the whole.

    >>> pack([(30.0, 10.0), (20.0, 10.0)], 5.0)
    ([(0.0, 0.0), (0.0, 15.0)], 30.0, 25.0)
    """
    area = widest = 0.0
    for width, height in sizes:
        area += (width + spacing) * (height + spacing)
        widest = max(widest, width)
    limit = max(widest, sqrt(area * _ASPECT))
    corners = []
    left = top = row_height = total = 0.0
    for width, height in sizes:
        if left > 0 and left + width > limit and not one_row:
            left, top, row_height = 0.0, top + row_height + spacing, 0.0
        corners.append((left, top))
        total = max(total, left + width)
        left += width + spacing
        row_height = max(row_height, height)
    return corners, total, top + row_height
