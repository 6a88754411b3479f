"""A training of several steps: the last one opens, with its parameters in its ops; those before it stay folded."""

from __future__ import annotations

import tapeviz as tv
from tapeviz.events import EventLog
from tapeviz.views.reading import read
from tapeviz.views.scene import Scene, scene


def training(steps: int, layers: int = 4, shared: bool = False) -> EventLog:
    """Steps of layers in a loop; with `shared`, all layers have one weight."""
    weights = [tv.Variable([[0.5, 0.1], [0.2, 0.4]], name=f"w{each}") for each in range(1 if shared else layers)]
    optimizer = tv.keras.optimizers.SGD(0.1)
    with tv.record() as log:
        for _ in range(steps):
            with tv.GradientTape() as tape:
                h = tv.constant([[1.0, 2.0]])
                for layer in range(layers):
                    h = tv.tanh(tv.matmul(h, weights[layer % len(weights)]) + 0.1)
                loss = tv.reduce_mean(tv.square(h))
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
    return log


def seen(log: EventLog) -> tuple[list[str], list[str]]:
    """What a picture opens with: the titles of folded groups and variables, and those of frames."""
    drawn: Scene = scene(read(log))
    return [each.title for each in drawn.nodes if each.kind in ("group", "variable")], [
        each.title for each in drawn.frames
    ]


def test_the_step_that_is_shown_opens_and_the_others_do_not() -> None:
    assert seen(training(3)) == (["iteration 1", "iteration 2", "iteration × 4"], ["iteration × 3", "iteration 3"])


def test_the_steps_between_the_first_and_the_last_are_one_box() -> None:
    assert seen(training(8)) == (["iteration 1", "iteration 2 … 7", "iteration × 4"], ["iteration × 8", "iteration 8"])


def test_a_weight_that_a_pass_meets_more_than_once_has_a_box_in_the_step_that_is_open() -> None:
    """And none beside the steps that are folded, which have read it as it was then."""
    assert seen(training(3, shared=True)) == (
        ["iteration 1", "iteration 2", "w0", "iteration × 4"],
        ["iteration × 3", "iteration 3"],
    )


def test_a_loop_within_a_step_ends_with_it() -> None:
    rows = read(training(3)).groups.rows
    assert [row.times for row in rows if row.kind == "repeat"] == [3, 4, 4, 4]
