"""Parameters in the boxes of the ops that read them."""

from __future__ import annotations

import tapeviz as tv
from tapeviz.views.drawing.picture import picture
from tapeviz.views.payload import payload
from tapeviz.views.reading import read
from tapeviz.views.scene import Scene, scene


def layers(count: int) -> tv.GradientTape:
    """Layers with a weight and a bias each; the first weight is used once more."""
    weights = [tv.Variable([[0.5, 0.1], [0.2, 0.4]], name=f"w{each}") for each in range(count)]
    biases = [tv.Variable([0.1, 0.2], name=f"b{each}") for each in range(count)]
    with tv.GradientTape() as tape:
        h = tv.constant([[1.0, 2.0]])
        for w, b in zip(weights, biases, strict=True):
            h = tv.tanh(tv.matmul(h, w) + b)
        loss = tv.reduce_sum(tv.matmul(h, weights[0]))
    tape.gradient(loss, [*weights, *biases])
    return tape


def titles(drawn: Scene) -> list[str]:
    return [node.title for node in drawn.nodes if node.kind == "variable"]


def whole(tape: tv.GradientTape, tucked: bool | None = None) -> Scene:
    reading = read(tape)
    return scene(reading, range(len(reading.groups.rows)), tucked=tucked)


def test_a_model_opens_with_the_parameters_of_its_layers_tucked_in() -> None:
    assert set(titles(whole(layers(6)))) == {"w0"}, "one that two ops read keeps its boxes"
    assert set(titles(whole(layers(6), tucked=False))) >= {"w5", "b5"}


def test_a_small_graph_shows_them() -> None:
    assert titles(whole(layers(1))) == ["w0", "b0"] or "b0" in titles(whole(layers(1)))


def test_an_op_has_a_dot_for_each() -> None:
    drawn = whole(layers(6))
    groups = {group.id: group for group in picture(drawn).groups}
    counts = {
        node.title: sum(getattr(each, "fill", "") == "variable" for each in groups[node.id].marks)
        for node in drawn.nodes
    }
    assert {title for title, count in counts.items() if count} == {
        *(t for t in counts if t.startswith(("matmul", "add"))),
        "w0",
    } - {
        "matmul₁",
        "matmul₇",
    }


def test_what_has_no_gradient_is_not_tucked_away() -> None:
    lost, kept = tv.Variable([[1.0]], name="lost"), [tv.Variable([[0.5]], name=f"w{each}") for each in range(8)]
    with tv.GradientTape() as tape:
        h = tv.constant(tv.matmul(tv.constant([[2.0]]), lost).numpy())
        for w in kept:
            h = tv.tanh(tv.matmul(h, w))
    tape.gradient(h, [lost, *kept])
    assert titles(whole(tape)) == ["lost"]


def test_a_page_is_told_which_they_are() -> None:
    packed = payload(layers(6))["scene"]
    assert packed["tucked"]
    assert len(packed["parameters"]) == 11
    assert {packed["nodes"][op]["kind"] for _, op in packed["parameters"]} == {"op"}
    assert not payload(layers(1))["scene"]["tucked"]
