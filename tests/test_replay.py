"""The backward pass again, from logs written by hand."""

from __future__ import annotations

import pytest

from tapeviz.events import BackwardFinished
from tapeviz.replay import Track, forward, joint_track, runs, tensor_track, tracks
from tests.literal_logs import Script


@pytest.fixture
def cube() -> tuple[Script, int, int, int]:
    """y = x * x * x at 3: the log, x, the inner product, y."""
    log = Script()
    x = log.variable("x", 3.0)
    with log.tape(watch=[x]) as tape:
        inner = log.op("mul", x, x, value=9.0, saved=(0, 1))
        y = log.op("mul", inner, x, value=27.0, saved=(0, 1))
    log.backward(tape, y, [x], steps=[(y, [3.0, 9.0]), (inner, [9.0, 9.0])], sums={x: [18.0, 27.0]})
    return log, log.dense(x), log.dense(inner), log.dense(y)


def test_a_step_carries_the_running_sums(cube: tuple[Script, int, int, int]) -> None:
    log, x, inner, _ = cube
    [run] = runs(log)
    told = [
        [(each.tensor, float(log.value(each.cotangent)), float(log.value(each.total)), each.parts, each.final)
         for each in step.contributions]
        for step in run.steps
    ]  # fmt: skip
    assert told == [
        [(inner, 3.0, 3.0, 1, True), (x, 9.0, 9.0, 1, False)],
        [(x, 9.0, 18.0, 2, False), (x, 9.0, 27.0, 3, True)],
    ]
    assert float(log.value(run.gradient(x))) == 27.0  # type: ignore[arg-type]


def test_tracks_follow_the_gradient(cube: tuple[Script, int, int, int]) -> None:
    log, x, inner, y = cube
    [run] = runs(log)
    first, last = forward(log)
    found = tracks(log, run)
    assert found.ops == {
        last: ((0, "reached"), (1, "active"), (2, "done")),
        first: ((0, "waiting"), (1, "reached"), (2, "active"), (3, "done")),
    }
    assert found.tensors == {y: (0,), inner: (1,), x: (1, 2, 2)}
    assert found.arguments == {(last, 0): 1, (last, 1): 1, (first, 0): 2, (first, 1): 2}


def test_what_no_gradient_reaches_is_in_no_track() -> None:
    log = Script()
    x, u = log.variable("x"), log.variable("u")
    with log.tape(watch=[x, u]) as tape:
        y = log.op("square", x)
        log.op("square", u)
    log.backward(tape, y, [x, u], steps=[(y, [2.0])], missing=[u])
    [run] = runs(log)
    found = tracks(log, run)
    assert set(found.ops) == {forward(log)[0]}
    assert log.dense(u) not in found.tensors
    assert run.gradient(log.dense(u)) is None


def test_an_op_whose_step_never_came_stays_reached() -> None:
    log = Script()
    x = log.variable("x")
    with log.tape(watch=[x]) as tape:
        h = log.op("square", x)
        y = log.op("square", h)
    log.backward(tape, y, [x], steps=[(y, [2.0])])
    [run] = runs(log)
    assert tracks(log, run).ops[forward(log)[0]] == ((0, "waiting"), (1, "reached"))


def test_a_run_that_broke_off_has_no_gradients(cube: tuple[Script, int, int, int]) -> None:
    log, x, _, _ = cube
    del log.raw[-10:]
    assert not any(isinstance(event, BackwardFinished) for event in log.events)
    [run] = runs(log)
    assert (len(run.steps), run.gradients, run.gradient(x)) == (2, None, None)


@pytest.mark.parametrize(
    ("steps", "track"),
    [
        ([0], ((0, "reached"), (1, "done"))),
        ([2], ((0, "waiting"), (2, "active"), (3, "done"))),
        ([1, 4], ((0, "waiting"), (1, "active"), (2, "reached"), (4, "active"), (5, "done"))),
        ([0, 3], ((0, "reached"), (3, "active"), (4, "done"))),
    ],
)
def test_a_box_is_active_while_gradients_arrive_and_done_after_the_last(steps: list[int], track: object) -> None:
    assert tensor_track(steps) == track


def test_one_of_several_uses_waits_for_the_others() -> None:
    assert tensor_track([1], last=3) == ((0, "waiting"), (1, "active"), (2, "reached"), (4, "done"))


def test_ops_that_are_seen_as_one() -> None:
    first: Track = ((0, "waiting"), (1, "reached"), (3, "active"), (4, "done"))
    second: Track = ((0, "reached"), (2, "active"), (3, "done"))
    assert joint_track([first, second]) == ((0, "reached"), (2, "active"), (4, "done"))
    assert joint_track([first]) == first
    assert joint_track([((0, "waiting"), (1, "reached"))]) == ((0, "waiting"), (1, "reached"))
