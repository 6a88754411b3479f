"""Box sizes and edges of a DAG -> Layout: where every box stands and how every edge runs.

The steps, one module each: `ranks` (which layer), `components` (split, and pack at the end), `layers` (long edges
become vertices), `order` (few `crossings`, from several `starts`), `columns` (what stays straight), `placing` (x),
`routes` (points of edges), `wrapping` (rows, where it would be a strip). Beside them, `topological` order.

`frontend/layout/` is the same program; a test holds the two equal to the last bit. So: plain `+=` loops, stable
sorts, no function whose last digit may differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tapeviz.views.layout.columns import straight_columns
from tapeviz.views.layout.components import connected_parts, pack
from tapeviz.views.layout.layers import build_layers
from tapeviz.views.layout.order import order_layers
from tapeviz.views.layout.placing import place_columns
from tapeviz.views.layout.ranks import move_to_border, rank_nodes
from tapeviz.views.layout.routes import Gaps, Point, route
from tapeviz.views.layout.wrapping import wrapped

__all__ = ["ACROSS", "DOWN", "GAPS", "BoxSize", "Flow", "Layout", "Point", "layout"]

GAPS = Gaps(node=24.0, edge=14.0, layer=36.0)
ACROSS = Gaps(node=24.0, edge=14.0, layer=56.0)
"""Where the flow runs to the right: between two layers there is room for a number on an edge."""


class Flow(NamedTuple):
    """Which way a picture runs, from sources to targets: down, or `across` to the right.

    With an `aspect`, what is too long is wrapped into rows, for a room so many times as long along the flow as wide; 0:
    it is not.
    """

    across: bool = False
    aspect: float = 0.0


DOWN = Flow()


class BoxSize(NamedTuple):
    """How much room one node takes in the picture, in px."""

    width: float
    height: float


@dataclass(frozen=True)
class Layout:
    """Centres of the boxes and points of the edges, in px from the top left corner, in the order they were given.

    An edge leaves one box border and ends on another. Between two of its points it runs straight along the flow, or
    it changes lanes inside the gap between two layers: painted as an S with its ends along the flow, it meets no box.
    `crossings` says how many edges cross, each pair once per gap between layers.
    """

    x: list[float] = field(default_factory=list)
    y: list[float] = field(default_factory=list)
    edges: list[list[Point]] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0
    crossings: int = 0


def layout(
    nodes: Sequence[BoxSize],
    edges: Sequence[tuple[int, int]],
    *,
    ports: Mapping[int, int] | None = None,
    gaps: Gaps = GAPS,
    aspect: float = 0.0,
) -> Layout:
    """Lay out a DAG in layers, sources first.

    `edges` are (tail, head) pairs of indices into `nodes`; equal pairs are drawn side by side. Where `ports` are given,
    nodes that all edges leave (-1) or arrive at (1), they stand before, or after, all others, and parts that are not
    connected stand side by side. `gaps` are the least distances. A part that would be longer along the flow than suits
    a room `aspect` times as long as wide is wrapped into rows; 0: never. Raises ValueError, naming node indices, for an
    edge to a node that is not there and for a cycle.

    >>> picture = layout([BoxSize(60, 20), BoxSize(40, 20)], [(0, 1)])
    >>> picture.x, picture.y, picture.edges
    ([30.0, 30.0], [10.0, 66.0], [[(30.0, 20.0), (30.0, 56.0)]])
    """
    _check_ends(len(nodes), edges)
    rank = rank_nodes(len(nodes), edges)
    parts = connected_parts(len(nodes), edges)
    for part in parts:
        move_to_border(rank, part.nodes, ports or {})
    pictures = [
        _lay_out_part([nodes[v] for v in part.nodes], part.edges, [rank[v] for v in part.nodes], gaps, aspect)
        for part in parts
    ]
    corners, width, height = pack(
        [(picture.width, picture.height) for picture in pictures], gaps.node, one_row=ports is not None
    )
    x, y = [0.0] * len(nodes), [0.0] * len(nodes)
    points: list[list[Point]] = [[] for _ in edges]
    for part, picture, (left, top) in zip(parts, pictures, corners, strict=True):
        for v, px, py in zip(part.nodes, picture.x, picture.y, strict=True):
            x[v], y[v] = px + left, py + top
        for e, line in zip(part.edge_ids, picture.edges, strict=True):
            points[e] = [(px + left, py + top) for px, py in line]
    return Layout(x, y, points, width, height, sum(picture.crossings for picture in pictures))


def _lay_out_part(
    nodes: list[BoxSize], edges: list[tuple[int, int]], rank: list[int], gaps: Gaps, aspect: float
) -> Layout:
    """Lay out one connected component, its top left corner at (0, 0)."""
    graph = build_layers(rank, edges)
    crossings = order_layers(graph)
    columns = straight_columns(graph)
    widths = [node.width for node in nodes]
    x = place_columns(graph, columns, widths, gaps)
    placed = route(graph, nodes, edges, x, gaps)
    return Layout(*(wrapped(rank, nodes, edges, placed, aspect) if aspect else placed), crossings)


def _check_ends(count: int, edges: Sequence[tuple[int, int]]) -> None:
    for e, (tail, head) in enumerate(edges):
        if not (0 <= tail < count and 0 <= head < count):
            raise ValueError(f"edge {e} joins nodes {tail} and {head}, but there are {count} nodes")
