"""Boxes with words, flags and places."""

from __future__ import annotations

import json
import subprocess
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.views.frontend
from tapeviz.views.drawing.picture import BAR, bars
from tapeviz.views.folding.fold import is_within
from tapeviz.views.payload import payload
from tapeviz.views.reading import read
from tapeviz.views.scene import Scene, SceneNode, scene
from tapeviz.views.scene.group_contents import FLAGS_OF_ALL
from tapeviz.views.scene.looks import WireLook, badge_middle, badge_width, joined, looks
from tapeviz.views.scene.metrics import text_width
from tapeviz.views.scene.spots import Area, Spot, find_spots
from tests.literal_logs import Script
from tests.views.samples import LOGS, cube, read_out, written_between

HISTOGRAM = Path(tapeviz.views.frontend.__file__).parent / "elements" / "histogram.js"


def by_title(found: Scene) -> dict[str, SceneNode]:
    return {node.title: node for node in found.nodes}


def test_a_box_has_words_flags_and_a_badge() -> None:
    found = by_title(scene(read(read_out())))
    words = {title: (node.subtitle, node.flags, node.badge) for title, node in found.items()}
    assert words == {
        "w": ("(2, 3) float32", ("dead", "source", "none"), "None"),
        "relu": ("(w)", ("recorded", "dead"), None),
        "constant": ("(2, 3) float32", (), None),
        "scale": ("2.0 float32", ("source",), None),
        "mul": ("(constant, scale)", ("recorded",), None),
        "reduce_mean": ("(mul)", ("recorded", "target"), "target"),
    }


def test_the_cut_is_an_edge_with_a_word() -> None:
    found = scene(read(read_out()))
    [cut] = [edge for edge in found.edges if "cut" in edge.flags]
    assert (found.nodes[cut.tail].title, found.nodes[cut.head].title, cut.badge) == ("relu", "constant", ".numpy()")
    [dead] = [edge for edge in found.edges if "dead" in edge.flags]
    assert found.nodes[dead.head].title == "relu"


def test_odd_values_are_said() -> None:
    log = Script()
    x, zero = log.variable("x", 1.0), log.variable("zero", 0.0)
    with log.tape(watch=[x, zero]) as tape:
        bad = log.op("log", log.op("div", x, zero, value=np.inf), value=np.nan)
        y = log.op("mul", bad, zero, value=np.nan)
    log.backward(tape, y, [zero], steps=[(y, [0.0, 0.0])])
    badges = {title: node.badge for title, node in by_title(scene(read(log))).items()}
    assert badges == {"x": None, "zero": "zero gradient", "div": "inf", "log": "NaN", "mul": "NaN"}
    claims = {box.badge: box.claim for box in looks(read(log)).boxes if box.badge}
    assert claims == {"zero gradient": "zero", "inf": None, "NaN": None}


def test_what_another_run_gave_a_source_is_not_told_in_the_picture_of_a_run() -> None:
    w1, w2 = tf.Variable(1.0, name="w1"), tf.Variable(2.0, name="w2")
    with tf.GradientTape(persistent=True) as tape:
        first = w1 * 3.0
        second = w2 * 2.0 + w1 * 0.0
    tape.gradient(first, [w1, w2])
    tape.gradient(second, [w1, w2])
    reading = read(tape)
    told = [{node.title: node.badge for node in scene(reading, run=run).nodes} for run in reading.runs]
    assert [(each["w1"], each["w2"]) for each in told] == [(None, "None"), ("zero gradient", None)]


def test_an_infinity_that_goes_no_further_is_not_said() -> None:
    log = Script()
    x = log.variable("x", [1.0, 2.0])
    with log.tape(watch=[x]):
        hidden = log.op("masked_fill", x, value=[1.0, -np.inf])
        shifted = log.op("add", hidden, x, value=[2.0, -np.inf])
        log.op("softmax", shifted, value=[1.0, 0.0])
    assert {node.badge for node in scene(read(log)).nodes} == {None}
    assert not any("inf" in node.flags for node in scene(read(log)).nodes)


def cut_words(log: object) -> list[str | None]:
    return [wire.badge for wire in looks(read(log)).wires if "cut" in wire.flags]


@pytest.mark.parametrize("name", LOGS)
def test_a_folded_group_has_the_flags_of_the_boxes_that_it_hides(name: str) -> None:
    reading = read(LOGS[name]())
    spans, found = reading.groups.spans, looks(reading)
    for index, (group, row) in enumerate(zip(found.groups, reading.groups.rows, strict=True)):
        hidden = [
            box.flags
            for box, place in zip(found.boxes, reading.places, strict=True)
            if index <= place.group <= spans[index].end and not is_within(spans, index, place.home)
        ]
        assert {flag for flag in ("target", "source", "nan", "inf") if any(flag in flags for flags in hidden)} == {
            flag for flag in group.flags if flag in ("target", "source", "nan", "inf")
        }
        of_all = {flag for flag in FLAGS_OF_ALL if sum(flag in flags for flags in hidden) >= row.ops}
        assert of_all == {*FLAGS_OF_ALL} & {*group.flags}


def test_a_folded_group_is_skipped_only_if_all_of_its_ops_are() -> None:
    def angle(start: Any, factor: Any) -> Any:
        return tf.sin(tf.cos(tf.exp(start))) * factor

    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = angle(tf.constant(1.0), tf.constant(2.0)) + angle(tf.constant(1.0), x)
    tape.gradient(y, x)
    assert [(each.title, "skipped" in each.flags) for each in looks(read(tape)).groups] == [
        ("angle", True),
        ("angle", False),
    ]


def test_an_update_of_a_variable_is_no_cut() -> None:
    w, steps = tf.Variable(2.0, name="w"), tf.Variable(0.0, name="steps", trainable=False)
    with tf.record() as log:
        for _ in range(3):
            with tf.GradientTape() as tape:
                y = w * w
                steps.assign_add(tf.constant(1.0))
            w.assign_sub(tape.gradient(y, w) * 0.1 + 0.01 * w)
    assert cut_words(log) == []
    assert "assign_sub" in [wire.badge for wire in looks(read(log)).wires]
    assert not any("cut" in group.flags for group in looks(read(log)).groups)


def test_a_write_on_the_way_to_the_target_is_a_cut() -> None:
    w, state = tf.Variable(2.0, name="w"), tf.Variable(0.0, name="state")
    with tf.GradientTape(persistent=True) as tape:
        state.assign(w * 3.0)
        y = state * w
    tape.gradient(y, w)
    assert cut_words(tape) == ["assign"]
    with tf.GradientTape() as tape:
        state.assign(w * 3.0)
        y = state * 2.0
    tape.gradient(y, w)
    assert cut_words(tape) == ["assign"]


def test_a_written_variable_shows_what_was_written() -> None:
    w, state = tf.Variable([2.0, 3.0], name="w"), tf.Variable([0.0, 0.0], name="state")
    with tf.GradientTape() as tape:
        for factor in (3.0, 4.0):
            state.assign(w * factor)
            y = state * w
    tape.gradient(y, w)
    strips = [box.strip for box in looks(read(tape)).boxes if box.kind == "state"]
    assert strips == ["[6.0, 9.0]", "[8.0, 12.0]"]


def test_the_word_of_several_wires_is_that_of_a_cut() -> None:
    update, cut = WireLook(("skipped",), "assign"), WireLook(("cut",), ".numpy()")
    assert joined([update, cut]) == cut
    assert joined([update, update]) == WireLook(("skipped",), "assign +1")


def test_ops_without_a_name_of_their_own_are_numbered() -> None:
    assert [node.title for node in scene(read(cube())).nodes] == ["x", "mul₁", "mul₂"]
    assert scene(read(cube())).nodes[2].subtitle == "(mul₁, x)"


@pytest.mark.parametrize("name", LOGS)
def test_every_word_has_room_and_no_box_covers_another(name: str) -> None:
    found = scene(read(LOGS[name]()))
    for node in found.nodes:
        assert text_width(node.title, 13.0, bold=True) + 18 <= node.w
        assert text_width(node.subtitle, 11.0) + 18 <= node.w
        assert 0 <= node.x <= node.x + node.w <= found.width
        assert 0 <= node.y <= node.y + node.h <= found.height
    areas = [Area(node.x, node.y, node.x + node.w, node.y + node.h) for node in found.nodes]
    assert not any(one.overlaps(other) for one, other in combinations(areas, 2))


def test_a_badge_keeps_clear_of_the_box_beside_its_own() -> None:
    w, x = tf.Variable([0.0], name="w"), tf.constant([2.0])
    with tf.GradientTape() as tape:
        y = tf.square(w * x)
    tape.gradient(y, w)
    found = {node.title: node for node in scene(read(tape)).nodes}
    badged, beside = found["w"], found["x"]
    assert badged.badge == "zero gradient"
    assert badged.y + badged.h / 2 == beside.y + beside.h / 2
    assert badged.x + badge_middle(badged.w, badged.badge) + badge_width(badged.badge) / 2 < beside.x


def test_the_picture_reaches_as_far_as_its_badges() -> None:
    found = scene(read(read_out()))
    for edge in found.edges:
        if edge.spot and edge.badge:
            assert edge.spot.badge[0] + badge_width(edge.badge) / 2 < found.width


def test_words_of_wires_keep_clear_of_boxes_and_of_each_other() -> None:
    down = [(50.0, 0.0), (50.0, 100.0)]
    box = Area(65.0, 40.0, 120.0, 60.0)
    first, second, third = find_spots([(down, 40.0), (down, 40.0), (down, 40.0)], [box])
    assert first == Spot((50.0, 50.0), (18.0, 50.0))
    assert second.badge[0] > 50.0
    areas = [each.area(40.0) for each in (first, second, third)]
    assert not any(one.overlaps(other) for one, other in combinations([*areas, box], 2))


def test_a_word_with_no_free_spot_stands_in_the_middle() -> None:
    everywhere = Area(-1000.0, -1000.0, 1000.0, 1000.0)
    [spot] = find_spots([([(0.0, 0.0), (100.0, 50.0)], 30.0)], [everywhere])
    assert spot.on_wire == (50.0, 25.0)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("cube", "tape of 2 ops, mul₂ = 27.0"),
        ("chain", "tape of 400 ops, mul₄₀₀ = 1.0"),
        ("empty", "tape of 0 ops"),
        ("bare", "recording of 0 ops"),
    ],
)
def test_the_first_line(name: str, title: str) -> None:
    assert read(LOGS[name]()).title == title


def test_a_recording_is_called_by_the_function_that_ran_all_of_its_ops() -> None:
    w = tf.Variable([1.0, 2.0], name="w")

    def loss_of(scale: float) -> tf.Tensor:
        return tf.reduce_sum(w * scale)

    def main() -> tf.GradientTape:
        with tf.GradientTape() as tape:
            loss = loss_of(-0.25)
        tape.gradient(loss, w)
        return tape

    tape = main()
    assert read(tape).title == "loss_of: 2 ops, loss = −0.75"
    assert payload(tape, values=False)["title"] == "loss_of: 2 ops"

    def both() -> tf.GradientTape:
        with tf.GradientTape() as two:
            _ = loss_of(1.0) + loss_of(2.0)
        return two

    assert read(both()).title == "both: 5 ops"


def test_a_parameter_has_the_name_that_it_has_inside_of_its_scopes() -> None:
    weight, scale = tf.Variable(2.0, name="net.block.weight"), tf.Variable(3.0, name="net.scale")
    other = tf.Variable(4.0, name="block.scale")

    def block(x: tf.Tensor) -> tf.Tensor:
        return tf.exp(tf.sin(x * weight)) + other

    def net(x: tf.Tensor) -> tf.Tensor:
        return tf.tanh(block(x) * scale)

    with tf.GradientTape() as tape:
        loss = net(tf.constant(1.0)) * scale
    tape.gradient(loss, [weight, scale, other])
    shown = looks(read(tape))
    leaves = {box.title: box.whole for box in shown.boxes if box.kind == "variable"}
    assert leaves == {
        "weight": "net.block.weight: 2.0 float32",
        "net.scale": None,  # read outside, too
        "scale": "block.scale: 4.0 float32",
    }
    assert any("weight)" in box.subtitle and "net" not in box.subtitle for box in shown.boxes)


def test_what_has_no_log_is_refused() -> None:
    with pytest.raises(TypeError, match="pass a GradientTape"):
        read(3.0)


def test_a_reading_is_not_read_again() -> None:
    reading = read(cube())
    assert read(reading) is reading


def test_a_scalar_variable_shows_the_value_it_has_then() -> None:
    nodes = scene(read(written_between())).nodes
    assert [node.subtitle for node in nodes if node.title == "w"] == ["2.0 float32", "1.5 float32"]


def test_a_box_has_room_for_what_it_shows_of_its_value_and_its_gradient() -> None:
    found = by_title(scene(read(read_out())))
    strips = {title: node.strip for title, node in found.items()}
    assert strips["reduce_mean"] == "5.0"
    assert strips["scale"] is None  # its subtitle says it
    assert (strips["relu"] or "").startswith(":")
    gradients = {title: node.gradient for title, node in found.items()}
    assert gradients == {
        "w": None,
        "relu": None,
        "constant": None,
        "scale": "∇ 2.623",
        "mul": "∇ norm 0.408248",
        "reduce_mean": "∇ 1.0",
    }
    lines = {title: bool(strips[title]) + bool(gradients[title]) for title in found}
    assert {title: node.h for title, node in found.items()} == {title: 40 + 14 * lines[title] for title in found}


def test_without_values_no_box_shows_or_tells_one() -> None:
    boxes = looks(read(read_out()), values=False).boxes
    assert {(box.strip, box.gradient) for box in boxes} == {(None, None)}
    assert "2.0" not in "".join(box.subtitle for box in boxes)


@pytest.mark.node
def test_the_bars_of_a_histogram_are_those_of_the_front_end() -> None:
    letters = ":0aZ_-9"
    script = f"""
    const {{ barsOf }} = await import({json.dumps(HISTOGRAM.as_uri())});
    console.log(barsOf({json.dumps(letters[1:])}, 10, 47, 60, {BAR}));
    """
    path = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True).stdout.strip()
    points = bars(letters[1:], 10, 47, 60)
    tops = [f"V{float(y):.1f}h10.00" for (_, y) in points[1:-1:2]]
    assert path == f"M10 47{''.join(tops)}V47z"
