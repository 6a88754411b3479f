"""One box for all uses of a leaf, where it crosses no wire; in Python and in JavaScript the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.views.payload import payload
from tapeviz.views.reading import read
from tapeviz.views.scene import scene
from tapeviz.views.scene.sharing import MOST_SEEN
from tests.literal_logs import Script
from tests.views.javascript import in_javascript
from tests.views.samples import cube, written_between


def taped(program: Callable[[], Any]) -> tv.GradientTape:
    with tv.GradientTape() as tape:
        program()
    return tape


def step(x: tv.Variable, w: tv.Variable) -> Any:
    return tv.tanh(tv.matmul(x, w))


def twice_through_one_layer() -> tv.GradientTape:
    x, w = tv.Variable([[1.0, 2.0]], name="x"), tv.Variable([[0.3, -0.2], [0.1, 0.4]], name="w")
    return taped(lambda: step(step(x, w), w))


def two_functions_with_one_weight() -> tv.GradientTape:
    x, w = tv.Variable([[1.0, 2.0]], name="x"), tv.Variable([[0.3, -0.2], [0.1, 0.4]], name="w")

    def first(x: Any) -> Any:
        return tv.exp(step(x, w))

    def second(x: Any) -> Any:
        return tv.sin(step(x, w))

    return taped(lambda: second(first(x)))


def crossed(count: int) -> Callable[[], Script]:
    """The sum of every product of so many variables with so many others, whose wires cross."""

    def program() -> Script:
        log = Script()
        rows = [log.variable(f"r{each}", 1.0) for each in range(count)]
        columns = [log.variable(f"c{each}", 2.0) for each in range(count)]
        with log.tape(watch=[*rows, *columns]):
            log.op("add_n", *(log.op("mul", row, column) for row in rows for column in columns))
        return log

    return program


def many_uses(count: int) -> tv.GradientTape:
    x = tv.Variable(0.5, name="x")

    def program() -> Any:
        y = x
        for _ in range(count):
            y = tv.sin(y) * x
        return y

    return taped(program)


GRAPHS: dict[str, tuple[Callable[[], Any], dict[str, int]]] = {
    "x * x * x": (cube, {"x": 1}),
    "a layer twice": (twice_through_one_layer, {"x": 1, "w": 1}),
    "one weight in two functions": (two_functions_with_one_weight, {"x": 1, "w": 1}),
    "another value each time": (written_between, {"w": 2}),
    "two by two": (crossed(2), {"r0": 1, "c0": 1, "c1": 1, "r1": 2}),
    "three by three": (crossed(3), {"r0": 3, "c0": 3}),
    "in a loop": (lambda: many_uses(8), {"x": 1}),
}
"""Programs, and how many boxes some of their leaves have."""


def boxes_of(log: Any, title: str) -> int:
    reading = read(log)
    return sum(node.title == title for node in scene(reading, range(len(reading.groups.rows))).nodes)


@pytest.mark.parametrize("name", GRAPHS)
def test_a_leaf_is_one_box_where_its_wires_cross_no_other(name: str) -> None:
    make, counts = GRAPHS[name]
    log = make()
    assert {title: boxes_of(log, title) for title in counts} == counts


def test_in_a_large_picture_every_use_has_its_own_box() -> None:
    small, large = many_uses(MOST_SEEN // 3), many_uses(MOST_SEEN)
    assert (boxes_of(small, "x"), boxes_of(large, "x")) == (1, MOST_SEEN + 1)


def test_one_box_has_every_wire_of_its_uses() -> None:
    drawn = scene(read(cube()))
    assert [(drawn.nodes[edge.tail].title, drawn.nodes[edge.head].title) for edge in drawn.edges] == [
        ("x", "mul₁"),
        ("x", "mul₁"),
        ("mul₁", "mul₂"),
        ("x", "mul₂"),
    ]
    assert drawn.nodes[0].boxes == (0, 2)


@pytest.mark.node
def test_python_and_javascript_share_alike() -> None:
    ours, calls = [], []
    for make, _ in GRAPHS.values():
        reading = read(make())
        groups = len(reading.groups.rows)
        for unfolded in ([], list(range(groups))):
            ours.append(scene(reading, unfolded))
            calls.append([payload(reading)["scene"], unfolded])
    for drawn, seen in zip(ours, in_javascript("sight/sight.js", "sightOf", calls), strict=True):
        assert [(node.id, list(node.boxes)) for node in drawn.nodes] == [
            (box["id"], box["boxes"]) for box in seen["boxes"]
        ]
        assert [(edge.tail, edge.head, list(edge.wires)) for edge in drawn.edges] == [
            (wire["tail"], wire["head"], wire["wires"]) for wire in seen["wires"]
        ]
