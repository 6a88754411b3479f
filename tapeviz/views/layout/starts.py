"""Layered -> orders of its layers from which the search for few crossings starts."""

from __future__ import annotations

from collections.abc import Iterator

from tapeviz.views.layout.layers import Layered


def starts(graph: Layered) -> Iterator[list[list[int]]]:
    """Three ways to fill the layers of a connected graph, each made when it is asked for.

    Depth first from the sinks through arguments in their order: trees come out as the code reads. Depth first from the
    sources. Breadth first in all directions.

    >>> from tapeviz.views.layout.layers import build_layers
    >>> next(starts(build_layers([0, 0, 1], [(1, 2), (0, 2)])))
    [[1, 0], [2]]
    """
    nodes = range(graph.count)
    yield _in_layers(graph, _depth_first(graph.up, [v for v in nodes if not graph.down[v]]))
    yield _in_layers(graph, _depth_first(graph.down, [v for v in nodes if not graph.up[v]]))
    yield _in_layers(graph, _breadth_first(graph))


def _depth_first(near: list[list[int]], roots: list[int]) -> list[int]:
    """Vertices in the order in which a walk along `near` first meets them."""
    order = []
    seen = [False] * len(near)
    stack = roots[::-1]
    while stack:
        v = stack.pop()
        if not seen[v]:
            seen[v] = True
            order.append(v)
            stack.extend(reversed(near[v]))
    return order


def _breadth_first(graph: Layered) -> list[int]:
    """Vertices by their distance from the first source, down and up."""
    order = [next(v for v in range(graph.count) if not graph.up[v])]
    seen = [False] * len(graph.rank)
    seen[order[0]] = True
    for v in order:
        for near in (graph.down[v], graph.up[v]):
            for w in near:
                if not seen[w]:
                    seen[w] = True
                    order.append(w)
    return order


def _in_layers(graph: Layered, order: list[int]) -> list[list[int]]:
    layers: list[list[int]] = [[] for _ in graph.layers]
    for v in order:
        layers[graph.rank[v]].append(v)
    return layers
