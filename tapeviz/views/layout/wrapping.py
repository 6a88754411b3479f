"""A long layout -> the same in rows, as a text wraps: where one edge alone leads on, the next row begins.

A row runs along the flow, as the whole did; the rows stand side by side. `frontend/layout/wrapping.js` is the same
program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from tapeviz.views.layout.routes import Point, Sizes

MOST_ROWS = 16
STRETCHES = (1.0, 1.15)
"""How much longer than its part a row may be: parts are not cut just where they should be."""
WORTH_IT = 0.85
"""How small the layout must get, beside one in fewer rows."""
GUTTER = 44.0
"""px between two rows; the edge from one to the next runs back in the middle."""
TURN = 16.0
"""How far beyond the ends of a row that edge turns."""

Place: TypeAlias = tuple[list[float], list[float], list[list[Point]], float, float]
"""x and y of the nodes, points of the edges, width and height."""


class _WrappedRow(NamedTuple):
    """Layers `first` to `last`, and how far their nodes and edges reach."""

    first: int
    last: int
    left: float
    right: float
    top: float
    bottom: float


def wrapped(rank: Sequence[int], sizes: Sizes, edges: Sequence[tuple[int, int]], placed: Place, aspect: float) -> Place:
    """The layout in as many rows as make it largest in a room so many times as long, along the flow, as it is wide.

    `rank` is the layer of every node, `sizes` their width and height. A layout that no row would make larger stays.
    """
    cuts = _cuts(rank, edges)
    bands = _bands(rank, sizes, placed)
    best: list[_WrappedRow] = []
    least = 0.0
    for length in (placed[4] / count * stretch for count in range(1, MOST_ROWS + 1) for stretch in STRETCHES):
        rows = [_row(rank, sizes, edges, placed, *ends) for ends in _breaks(bands, cuts, length)]
        across, along = _extent(rows)
        size = max(across, along / aspect)
        if not best or size < WORTH_IT * least:
            best, least = rows, size
    return placed if len(best) < 2 else _in_rows(rank, edges, placed, best)


def _cuts(rank: Sequence[int], edges: Sequence[tuple[int, int]]) -> set[int]:
    """The layers after which a row may end: one edge leads on from there."""
    change = [0] * (max(rank) - min(rank) + 2)
    for tail, head in edges:
        change[rank[tail] - min(rank)] += 1
        change[rank[head] - min(rank)] -= 1
    cuts = set()
    open_edges = 0
    for layer, each in enumerate(change):
        open_edges += each
        if open_edges == 1:
            cuts.add(layer + min(rank))
    return cuts


def _bands(rank: Sequence[int], sizes: Sizes, placed: Place) -> list[tuple[int, float, float]]:
    """Every layer that has nodes, its top and its bottom."""
    tops: dict[int, float] = {}
    bottoms: dict[int, float] = {}
    for v, layer in enumerate(rank):
        half = sizes[v][1] / 2
        tops[layer] = min(tops.get(layer, placed[1][v] - half), placed[1][v] - half)
        bottoms[layer] = max(bottoms.get(layer, placed[1][v] + half), placed[1][v] + half)
    return [(layer, tops[layer], bottoms[layer]) for layer in sorted(tops)]


def _breaks(bands: Sequence[tuple[int, float, float]], cuts: set[int], length: float) -> Iterator[tuple[int, int]]:
    """First and last layer of every row, each no longer than `length` where the cuts allow it."""
    first, start, end = bands[0][0], bands[0][1], None
    following = 0.0
    for at, (layer, top, bottom) in enumerate(bands):
        if bottom - start > length and end is not None:
            yield first, end
            first, start, end = end + 1, following, None
        following_band = bands[at + 1] if at + 1 < len(bands) else None
        # A row of its own is for boxes: ports, which have no height, stay in the row beside them.
        if layer in cuts and following_band and top < bottom and following_band[1] < following_band[2]:
            end, following = layer, following_band[1]
    yield first, bands[-1][0]


def _row(
    rank: Sequence[int], sizes: Sizes, edges: Sequence[tuple[int, int]], placed: Place, first: int, last: int
) -> _WrappedRow:
    xs, ys, lines, _, _ = placed
    own = [v for v, layer in enumerate(rank) if first <= layer <= last]
    left, right = min(xs[v] - sizes[v][0] / 2 for v in own), max(xs[v] + sizes[v][0] / 2 for v in own)
    for e, (tail, head) in enumerate(edges):
        if first <= rank[tail] and rank[head] <= last:
            left, right = min(left, *(x for x, _ in lines[e])), max(right, *(x for x, _ in lines[e]))
    top, bottom = min(ys[v] - sizes[v][1] / 2 for v in own), max(ys[v] + sizes[v][1] / 2 for v in own)
    return _WrappedRow(first, last, left, right, top, bottom)


def _extent(rows: Sequence[_WrappedRow]) -> tuple[float, float]:
    """Width and height of the rows side by side."""
    width = -GUTTER
    height = 0.0
    for row in rows:
        width += row.right - row.left + GUTTER
        height = max(height, row.bottom - row.top + 2 * TURN)
    return width, height


def _in_rows(
    rank: Sequence[int], edges: Sequence[tuple[int, int]], placed: Place, rows: Sequence[_WrappedRow]
) -> Place:
    xs, ys, lines, _, _ = placed
    moves: list[Point] = []
    gutters: list[float] = []
    across = 0.0
    for row in rows:
        moves.append((across - row.left, TURN - row.top))
        across += row.right - row.left + GUTTER
        gutters.append(across - GUTTER / 2)
    row_of = {layer: at for at, row in enumerate(rows) for layer in range(row.first, row.last + 1)}
    at = [row_of[layer] for layer in rank]
    x = [xs[v] + moves[row][0] for v, row in enumerate(at)]
    y = [ys[v] + moves[row][1] for v, row in enumerate(at)]
    points = []
    for line, (tail, head) in zip(lines, edges, strict=True):
        start, end = moves[at[tail]], moves[at[head]]
        if at[tail] == at[head]:
            points.append([(px + start[0], py + start[1]) for px, py in line])
            continue
        row = rows[at[tail]]
        begin, arrive = line[0][0] + start[0], line[-1][0] + end[0]
        turn, gutter = row.bottom + start[1] + TURN, gutters[at[tail]]
        points.append(
            [
                (begin, line[0][1] + start[1]),
                (begin, turn),
                (gutter, turn),
                (gutter, 0.0),
                (arrive, 0.0),
                (arrive, line[-1][1] + end[1]),
            ]
        )
    width, height = _extent(rows)
    return x, y, points, width, height
