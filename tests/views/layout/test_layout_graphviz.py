"""Crossings of our layout against Graphviz's, on graphs of up to 500 nodes."""

from __future__ import annotations

import json
import shutil
import subprocess
from itertools import pairwise

import pytest

from tapeviz.views.layout import BoxSize, layout
from tests.views.layout import graphs

GRAPHS = {
    "transformer block": graphs.transformer(1),
    "transformer, 6 blocks": graphs.transformer(6),
    "rnn": graphs.rnn(30),
    "rnn with shared weights": graphs.rnn_with_shared_weights(12),
    "lstm": graphs.lstm(20),
    "neurons": graphs.neurons(2, 4),
    "inception": graphs.inception(6),
    "dense blocks": graphs.dense_blocks(2, 6),
    "encoder-decoder": graphs.encoder_decoder(4),
    "random": graphs.random_dag(60, 3),
}

Line = list[tuple[float, float]]
Segment = tuple[float, float, float, float]


def graphviz_lines(count: int, edges: list[tuple[int, int]]) -> list[Line]:
    """Every edge as dot draws it, from the centre of its tail to the centre of its head."""
    shape = 'edge [dir=none]; node [shape=box fixedsize=true width=0.8 height=0.3 label=""];'
    body = "".join(f"{v};" for v in range(count)) + "".join(f"{tail}->{head};" for tail, head in edges)
    command = ["dot", "-Tjson"]
    done = subprocess.run(command, input=f"digraph {{ {shape} {body} }}", capture_output=True, text=True, check=True)
    drawn = json.loads(done.stdout)
    centre = {node["_gvid"]: point(node["pos"]) for node in drawn["objects"]}
    lines = []
    for edge in drawn["edges"]:
        spline = sample([point(text) for text in edge["pos"].split()])
        lines.append([centre[edge["tail"]], *spline, centre[edge["head"]]])
    return lines


def point(text: str) -> tuple[float, float]:
    x, y = text.split(",")
    return float(x), -float(y)


def sample(spline: Line, pieces: int = 7) -> Line:
    """A piecewise cubic Bezier curve as a line of short segments."""
    line = [spline[0]]
    for start in range(0, len(spline) - 1, 3):
        for i in range(1, pieces + 1):
            t = i / pieces
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            controls = spline[start : start + 4]
            x = sum(weight * px for weight, (px, _) in zip(weights, controls, strict=True))
            y = sum(weight * py for weight, (_, py) in zip(weights, controls, strict=True))
            line.append((x, y))
    return line


def crossings(lines: list[Line]) -> int:
    """Crossings that an eye sees: where two lines run on top of each other, they are one."""
    heights = sorted({y for line in lines for _, y in line})
    segments = sorted({piece for line in lines for ends in pairwise(line) for piece in split(*ends, heights)})
    total = 0
    for i, one in enumerate(segments):
        for other in segments[i + 1 :]:
            if other[0] >= one[2]:
                break
            total += cross(one, other)
    return total


def split(start: tuple[float, float], end: tuple[float, float], heights: list[float]) -> list[Segment]:
    """A segment as (top y, x, bottom y, x); a vertical one cut wherever any line has a point."""
    (top, x), (bottom, next_x) = sorted([(start[1], start[0]), (end[1], end[0])])
    if x != next_x:
        return [(top, x, bottom, next_x)]
    stops = [y for y in heights if top <= y <= bottom]
    return [(above, x, below, x) for above, below in pairwise(stops)]


def cross(one: Segment, other: Segment) -> bool:
    """Whether two segments cross at a point inside both."""
    (y, x, next_y, next_x), (v, u, next_v, next_u) = one, other

    def side(px: float, py: float, ax: float, ay: float, bx: float, by: float) -> float:
        return (bx - ax) * (py - ay) - (by - ay) * (px - ax)

    parts_other = side(u, v, x, y, next_x, next_y) * side(next_u, next_v, x, y, next_x, next_y) < 0
    return parts_other and side(x, y, u, v, next_u, next_v) * side(next_x, next_y, u, v, next_u, next_v) < 0


def test_crossings_are_counted():
    assert crossings([[(0, 0), (2, 2)], [(2, 0), (0, 2)], [(5, 0), (5, 2)]]) == 1
    trunk = [(0.0, 0.0), (0.0, 4.0)]
    assert crossings([[*trunk, (1, 5)], [*trunk, (2, 5)], [(-1, 1), (1, 2)]]) == 1


@pytest.mark.slow
@pytest.mark.graphviz
@pytest.mark.parametrize("name", GRAPHS)
def test_at_most_a_fifth_more_crossings_than_graphviz(name):
    if shutil.which("dot") is None:
        pytest.skip("Graphviz's dot is not on PATH")
    count, edges = GRAPHS[name]
    edges = list(dict.fromkeys(edges))
    assert count <= 500
    ours = crossings(layout([BoxSize(77.0, 29.0)] * count, edges).edges)
    theirs = crossings(graphviz_lines(count, edges))
    assert ours <= 1.2 * theirs, f"{ours} crossings, Graphviz has {theirs}"
