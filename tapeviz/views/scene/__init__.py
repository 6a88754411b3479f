"""Reading -> Scene: what is visible of a log with some groups unfolded, and where.

- seen       `looks`, words, flags and size of boxes and wires, by `flags`, and of folded groups by `group_contents`
- places     `placed`, what is seen and where; `nest`, frames within frames, by a `nest_plan`; `sharing`, one box for
             all uses of a leaf; `spots`, of the words of wires; `metrics`, of labels
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields

from tapeviz.replay import Run
from tapeviz.views.folding.fold import Folded
from tapeviz.views.folding.tucked import opens_tucked
from tapeviz.views.layout import DOWN, Flow, Point
from tapeviz.views.reading import Reading
from tapeviz.views.scene.looks import Look, Looks, badge_middle, badge_width, joined, looks
from tapeviz.views.scene.nest import Nested
from tapeviz.views.scene.nest_plan import HEAD
from tapeviz.views.scene.placed import looks_of, opening, place
from tapeviz.views.scene.spots import PILL_HEIGHT, Area, Spot, find_spots

MARGIN = 16.0


@dataclass(frozen=True, kw_only=True)
class SceneNode(Look):
    """A box or a folded group in its place: its top left corner, and the boxes of the sketch that it stands for."""

    x: float
    y: float
    boxes: tuple[int, ...]


@dataclass(frozen=True)
class SceneEdge:
    """A line along `points` from node `tail` to node `head`, told by their indices.

    `wires` are the wires of the sketch that it stands for; `spot` is where its badge stands.
    """

    tail: int
    head: int
    wires: tuple[int, ...]
    points: tuple[Point, ...]
    flags: tuple[str, ...]
    badge: str | None
    spot: Spot | None


@dataclass(frozen=True)
class SceneFrame:
    """The rectangle around the boxes of an unfolded group, with its title."""

    id: str
    title: str
    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True)
class Scene:
    """Everything that is seen of a log, running down, or `across` to the right; frames come after those they are in."""

    title: str
    width: float
    height: float
    nodes: tuple[SceneNode, ...]
    edges: tuple[SceneEdge, ...]
    frames: tuple[SceneFrame, ...]
    across: bool = False


def scene(
    reading: Reading,
    unfolded: Collection[int] | None = None,
    strips: Sequence[str | None] | None = None,
    run: Run | None = None,
    flow: Flow = DOWN,
    tucked: bool | None = None,
) -> Scene:
    """Lay out everything that is seen of a log.

    Args:
        reading: the log, as it was read.
        unfolded: the groups that are unfolded; None for those that are when a picture opens.
        strips: what each box of the sketch shows in place of its value; None for the values.
        run: the run whose targets have the badge of a target; None for all runs.
        flow: which way it runs.
        tucked: whether parameters are tucked into the ops that read them; None for how a picture opens.
    """
    look = looks(reading, strips=strips, run=run)
    parameters = look.tuckable(reading) if tucked is not False else {}
    if tucked is None and not opens_tucked(len(look.boxes), parameters):
        parameters = {}
    if unfolded is None:
        unfolded = opening(look, reading, parameters)
    folded, placed = place(look, reading, unfolded, parameters, flow)
    seen = looks_of(look, folded)
    nodes = [_node(*each) for each in zip(seen, placed.x, placed.y, folded.boxes_of_seen, strict=True)]
    frames = _frames(look, placed)
    edges = _edges(look, folded, placed, nodes, frames, flow)
    right = max([placed.width + MARGIN, *map(_right_of_node, nodes), *map(_right_of_edge, edges)])
    width, height = round(right + MARGIN, 2), round(placed.height + 2 * MARGIN, 2)
    return Scene(reading.title, width, height, tuple(nodes), tuple(edges), tuple(frames), flow.across)


def _node(look: Look, x: float, y: float, boxes: Sequence[int]) -> SceneNode:
    left, top = round(x - look.w / 2 + MARGIN, 2), round(y - look.h / 2 + MARGIN, 2)
    own = {each.name: getattr(look, each.name) for each in fields(look)}
    return SceneNode(**own, x=left, y=top, boxes=tuple(boxes))


def _frames(look: Looks, placed: Nested) -> list[SceneFrame]:
    return [
        SceneFrame(
            f"f{group}", look.groups[group].title, round(x + MARGIN, 2), round(y + MARGIN, 2), round(w, 2), round(h, 2)
        )
        for group, x, y, w, h in placed.frames
    ]


def _edges(
    look: Looks, folded: Folded, placed: Nested, nodes: Sequence[SceneNode], frames: Sequence[SceneFrame], flow: Flow
) -> list[SceneEdge]:
    joint = [joined([look.wires[each] for each in wire.wires]) for wire in folded.wires]
    lines = [[(x + MARGIN, y + MARGIN) for x, y in line] for line in placed.lines]
    spots = _spots([(line, each.badge) for line, each in zip(lines, joint, strict=True)], nodes, frames, flow)
    return [
        SceneEdge(wire.tail, wire.head, tuple(wire.wires), _rounded(line), each.flags, each.badge, spot)
        for wire, line, each, spot in zip(folded.wires, lines, joint, spots, strict=True)
    ]


def _rounded(line: Sequence[Point]) -> tuple[Point, ...]:
    return tuple((round(x, 2), round(y, 2)) for x, y in line)


def _spots(
    lines: Sequence[tuple[Sequence[Point], str | None]],
    nodes: Sequence[SceneNode],
    frames: Sequence[SceneFrame],
    flow: Flow,
) -> Iterator[Spot | None]:
    """The spot of every line with a badge: clear of boxes, of their badges and of the titles of frames."""
    taken = [area for node in nodes for area in _areas(node)]
    taken += [Area(frame.x, frame.y, frame.x + frame.w, frame.y + HEAD / 2) for frame in frames]
    found = iter(find_spots([(line, badge_width(badge)) for line, badge in lines if badge], taken, flow.across))
    for _, badge in lines:
        yield next(found) if badge else None


def _areas(node: SceneNode) -> Iterator[Area]:
    """What a node takes up, and its badge."""
    yield Area(node.x, node.y, node.x + node.w, node.y + node.h)
    if node.badge:
        middle, half = node.x + badge_middle(node.w, node.badge), badge_width(node.badge) / 2
        yield Area(middle - half, node.y - PILL_HEIGHT / 2, middle + half, node.y + PILL_HEIGHT / 2)


def _right_of_node(node: SceneNode) -> float:
    return max(area.right for area in _areas(node))


def _right_of_edge(edge: SceneEdge) -> float:
    return edge.spot.area(badge_width(edge.badge)).right if edge.spot and edge.badge else 0.0
