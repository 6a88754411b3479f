"""Folding, and layout in frames, in Python and in JavaScript: the same, to the last bit."""

from __future__ import annotations

import json
import random
from dataclasses import asdict
from itertools import combinations, pairwise
from typing import Any

import pytest

import tapeviz as tf
from tapeviz.views.folding.fold import Folded, GroupSpan, Placement, fold
from tapeviz.views.layout import DOWN, BoxSize, Flow, Point
from tapeviz.views.payload import payload
from tapeviz.views.reading import read
from tapeviz.views.scene import scene
from tapeviz.views.scene.nest import Nested, nest
from tapeviz.views.scene.nest_plan import MOST_APART
from tapeviz.views.scene.spots import Area
from tests.views.javascript import in_javascript
from tests.views.samples import LOGS

SEEDS = range(12)
FLOWS = [DOWN, Flow(across=True), Flow(across=True, aspect=1.6)]


def program(seed: int) -> tuple[list[Placement], list[tuple[int, int]], list[GroupSpan], set[int]]:
    """A random order of ops in random groups, with wires that lead on and leaves that several ops share."""
    draw = random.Random(seed)
    count = 20 + 8 * seed
    spans: list[GroupSpan] = []
    group_of = [-1] * count

    def cut(start: int, end: int, parent: int) -> None:
        at = start
        while at < end:
            length = draw.randint(1, max(1, (end - start) // 2))
            if length > 2 and draw.random() < 0.7:
                spans.append(GroupSpan(parent, -1))
                own = len(spans) - 1
                inner = range(at, min(end, at + length))
                for op in inner:
                    group_of[op] = own
                cut(inner.start, inner.stop, own)
                spans[own] = GroupSpan(parent, len(spans) - 1)
            at += length

    cut(0, count, -1)
    places: list[Placement] = []
    wires: list[tuple[int, int]] = []
    boxes: list[int] = []
    for op in range(count):
        box = len(places)
        if draw.random() < 0.5:
            shared = draw.random() < 0.5
            places.append(
                Placement(group_of[op], -1 if shared else group_of[op], 1000 + (draw.randrange(3) if shared else op))
            )
            box += 1
            wires.append((box - 1, box))
        for earlier in draw.sample(boxes, min(len(boxes), draw.randint(0, 2))):
            wires.append((earlier, box))
        if boxes and draw.random() < 0.7:
            wires += [(boxes[-1], box)] * draw.randint(1, 2)
        places.append(Placement(group_of[op], group_of[op], op))
        boxes.append(box)
    return places, wires, spans, {group for group in range(len(spans)) if draw.random() < 0.5}


def parameters(seed: int) -> dict[int, int]:
    """Some of the leaves, each with the op that reads it."""
    places, wires, _, _ = program(seed)
    led_to, draw = {head for _, head in wires}, random.Random(seed)
    heads = dict(wires)
    return {box: heads[box] for box in range(len(places)) if box in heads and box not in led_to and draw.random() < 0.6}


def nested(seed: int) -> tuple[list[Any], Folded]:
    """What `nest` is called with for a program."""
    places, wires, spans, unfolded = program(seed)
    folded = fold(places, wires, spans, unfolded)
    draw = random.Random(seed)
    sizes = [BoxSize(draw.uniform(20, 150), draw.uniform(20, 50)) for _ in folded.seen]
    titles = [draw.uniform(20, 200) for _ in spans]
    ends = [(wire.tail, wire.head) for wire in folded.wires]
    return [sizes, [each.parent for each in folded.seen], ends, [span.parent for span in spans], titles], folded


@pytest.mark.node
def test_folding_is_the_same() -> None:
    tucked = {seed: parameters(seed) for seed in SEEDS}
    ours = [fold(*program(seed), tucked[seed]) for seed in SEEDS]
    calls = []
    for seed in SEEDS:
        places, wires, spans, unfolded = program(seed)
        calls.append(
            [
                [place._asdict() for place in places],
                wires,
                [span._asdict() for span in spans],
                {"set": sorted(unfolded)},
                [[box, op] for box, op in tucked[seed].items()],
            ]
        )
    for mine, theirs in zip(ours, in_javascript("sight/fold.js", "fold", calls), strict=True):
        assert asdict(mine) == {"seen": theirs["seen"], "of_box": theirs["ofBox"], "wires": theirs["wires"]}


@pytest.mark.node
@pytest.mark.parametrize("flow", FLOWS)
def test_layout_in_frames_is_the_same_to_the_last_bit(flow: Flow) -> None:
    calls = [nested(seed)[0] for seed in SEEDS]
    sent = [[[size._asdict() for size in sizes], *rest, flow._asdict()] for sizes, *rest in calls]
    for call, theirs in zip(calls, in_javascript("sight/nest.js", "nest", sent), strict=True):
        ours = nest(*call, flow)
        found = asdict(ours) | {"frames": [frame._asdict() for frame in ours.frames]}
        assert json.loads(json.dumps(found)) == theirs


def loop(rounds: int) -> tf.GradientTape:
    w, unused = tf.Variable(1.5, name="w"), tf.Variable(1.0, name="unused")
    with tf.GradientTape() as tape:
        y = tf.constant(1.0)
        for _ in range(rounds):
            y = tf.sin(y * w) + y
        loss = tf.square(y)
    tape.gradient(loss, [w, unused])
    return tape


@pytest.mark.node
@pytest.mark.parametrize(
    ("unfolded", "flow"),
    [(None, DOWN), ([], DOWN), ([0], DOWN), ([0, 1, 2], DOWN), (None, FLOWS[1]), ([0, 1, 2], FLOWS[2])],
)
def test_a_page_shows_what_the_static_picture_does(unfolded: list[int] | None, flow: Flow) -> None:
    logs = [*(make() for make in LOGS.values()), loop(4), loop(200)]
    calls, ours = [], []
    for log in logs:
        reading = read(log)
        packed = payload(reading)["scene"]
        known = [group for group in unfolded or () if group < len(reading.groups.rows)]
        ours.append(scene(reading, None if unfolded is None else known, flow=flow))
        calls.append([packed, packed["unfolded"] if unfolded is None else known, flow._asdict()])
    for drawn, seen in zip(ours, in_javascript("sight/sight.js", "sightOf", calls), strict=True):
        assert [node.id for node in drawn.nodes] == [box["id"] for box in seen["boxes"]]
        for node, box in zip(drawn.nodes, seen["boxes"], strict=True):
            assert (node.x, node.y, node.w, node.h) == pytest.approx(
                (box["x"], box["y"], box["w"], box["h"]), abs=0.006
            )
            assert (list(node.boxes), list(node.flags), node.badge) == (box["boxes"], box["flags"], box["badge"])
        for edge, wire in zip(drawn.edges, seen["wires"], strict=True):
            assert [c for p in edge.points for c in p] == pytest.approx(
                [c for p in wire["points"] for c in p], abs=0.006
            )
            assert (list(edge.flags), edge.badge, list(edge.wires)) == (wire["flags"], wire["badge"], wire["wires"])
            spot = wire["spot"]
            assert (edge.spot and asdict(edge.spot)) == (
                spot
                and {
                    "on_wire": pytest.approx(spot["onWire"], abs=0.011),
                    "badge": pytest.approx(spot["badge"], abs=0.011),
                }
            )
        assert [frame.title for frame in drawn.frames] == [frame["title"] for frame in seen["frames"]]


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("seed", SEEDS)
def test_frames_hold_their_own_and_nothing_else(seed: int, flow: Flow) -> None:
    call, folded = nested(seed)
    sizes, _, _, outer, _ = call
    placed: Nested = nest(*call, flow)
    frames = {group: Area(x, y, x + w, y + h) for group, x, y, w, h in placed.frames}
    boxes = [
        Area(x - size.width / 2, y - size.height / 2, x + size.width / 2, y + size.height / 2)
        for x, y, size in zip(placed.x, placed.y, sizes, strict=True)
    ]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    for seen, box in zip(folded.seen, boxes, strict=True):
        around = set()
        group = seen.parent
        while group >= 0:
            around.add(group)
            group = outer[group]
        for group, area in frames.items():
            assert box.overlaps(area) == (group in around)


def _across(line: list[Point], y: float) -> float:
    """Where a line that runs down is at a height."""
    below = next(index for index, point in enumerate(line) if point[1] >= y)
    (x1, y1), (x2, y2) = line[below - 1], line[below]
    return x1 + (x2 - x1) * (y - y1) / (y2 - y1)


@pytest.mark.parametrize("skips", [2, 3, 4, 5])
def test_of_few_skip_connections_from_one_frame_into_another_each_is_a_line_in_order(skips: int) -> None:
    count = 2 * skips + 1
    chain = [(each, each + 1) for each in range(count - 1)]
    crossing = [(each, count - 1 - each) for each in range(skips)]
    parents = [0] * skips + [-1] + [1] * skips
    placed = nest([BoxSize(60.0, 20.0)] * count, parents, chain + crossing, [-1, -1], [0.0, 0.0])
    lines = placed.lines[len(chain) :]
    beside = [_across(line, placed.y[skips]) for line in lines]
    assert len(set(beside)) == (skips if skips <= MOST_APART else 1)
    leaving = [_across(line, placed.frames[0].y + placed.frames[0].h) for line in lines]
    assert sorted(range(skips), key=beside.__getitem__) == sorted(range(skips), key=leaving.__getitem__)


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("seed", SEEDS)
def test_wires_join_their_boxes(seed: int, flow: Flow) -> None:
    call, folded = nested(seed)
    placed = nest(*call, flow)
    along, beside = (placed.x, placed.y) if flow.across else (placed.y, placed.x)
    sizes = [(size.width, size.height) if flow.across else (size.height, size.width) for size in call[0]]
    for wire, line in zip(folded.wires, placed.lines, strict=True):
        points = [(x, y) if flow.across else (y, x) for x, y in line]
        (start, start_beside), (end, end_beside) = points[0], points[-1]
        assert abs(start_beside - beside[wire.tail]) <= sizes[wire.tail][1] / 2
        assert start == pytest.approx(along[wire.tail] + sizes[wire.tail][0] / 2)
        assert abs(end_beside - beside[wire.head]) <= sizes[wire.head][1] / 2
        assert end == pytest.approx(along[wire.head] - sizes[wire.head][0] / 2)
        assert flow.aspect or all(before[0] <= after[0] + 1e-6 for before, after in pairwise(points))
