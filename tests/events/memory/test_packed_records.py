"""A log whose older records are packed reads as the same log whose records are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.events import EventLog
from tapeviz.events.memory.packed_records import PackedRecords
from tapeviz.events.raw import STRIDE, Missed
from tapeviz.events.summary import Summary
from tests.events.stored import views
from tests.settling import settle_early


def nested(**options: Any) -> EventLog:
    """Backward passes that run while others do: a custom gradient asks for gradients itself."""

    @tv.custom_gradient
    def cube(x: Any) -> tuple[Any, Callable[[Any], Any]]:
        def grad(upstream: Any) -> Any:
            for _ in range(3):
                with tv.GradientTape() as inner:
                    inner.watch(x)
                    y = x * x * x
                slope = inner.gradient(y, x)
            return upstream * slope

        return x * x * x, grad

    x = tv.Variable(0.5)
    with tv.record(**options) as log:
        for _ in range(2):
            with tv.GradientTape() as tape:
                y = x
                for _ in range(4):
                    y = tv.sin(cube(y) * 2.0)
            tape.gradient(y, x)
    return log


def recursive(**options: Any) -> EventLog:
    """Every call is a scope within that of its caller, deeper than pickle goes."""

    def down(x: Any, depth: int) -> Any:
        return tv.sin(down(tv.sin(x), depth - 1)) if depth else x

    x = tv.Variable(0.5)
    with tv.record(**options) as log:
        for _ in range(2):
            with tv.GradientTape() as tape:
                y = down(x, 400)
            tape.gradient(y, x)
    return log


def of_higher_order(**options: Any) -> EventLog:
    """A pass that is recorded by an outer tape."""
    x = tv.Variable([0.5, 1.5])
    with tv.record(**options) as log:
        for _ in range(3):
            with tv.GradientTape() as outer:
                with tv.GradientTape() as inner:
                    y = tv.reduce_sum(tv.exp(x) * x)
                first = inner.gradient(y, x)
            outer.gradient(first, x)
    return log


@pytest.fixture(params=[nested, pytest.param(recursive, marks=pytest.mark.slow), of_higher_order])
def program(request: pytest.FixtureRequest) -> Callable[..., EventLog]:
    return request.param


@pytest.mark.parametrize("options", [{}, {"values": "none"}, {"max_bytes": 600}, {"max_bytes": 0}])
def test_every_view_is_the_same(
    program: Callable[..., EventLog], options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = program(**options)
    settle_early(monkeypatch)
    log = program(**options)
    assert plain.packed.length == 0
    assert log.packed.length > len(log.raw)
    assert log.end == plain.end == len(log.records())
    assert views(log) == views(plain)
    assert log.bytes == plain.bytes
    for row in plain.tensors:
        ours, theirs = log.versions(row.id), plain.versions(row.id)
        assert [since for since, _ in ours] == [since for since, _ in theirs]
        assert str(log.value(row.id)) == str(plain.value(row.id))


def test_the_budget_reaches_what_has_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values that fit when their records settled are let go when later ones need the room, oldest first."""
    settle_early(monkeypatch)
    w = tv.Variable(np.ones(100, np.float32))
    with tv.record(max_bytes=4000) as log:
        for _ in range(20):
            with tv.GradientTape() as tape:
                loss = tv.reduce_sum(w * w)
            tape.gradient(loss, w)
            assert log.bytes <= 4000
    made = [log.value(event.outputs[0]) for event in log.events if isinstance(event, tv.events.OpRecorded)]
    kinds = [type(each) for each in made if each.shape]
    assert kinds == sorted(kinds, key=lambda kind: kind is np.ndarray)
    assert kinds[0] is Summary
    assert kinds[-1] is np.ndarray


def test_a_tape_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    settle_early(monkeypatch)
    x = tv.Variable(1.0)
    with tv.record() as log:
        with tv.GradientTape(persistent=True) as tape:
            y = x
            for _ in range(5):
                y = tv.sin(y)
        for _ in range(5):
            tape.gradient(y, x)
    assert log.packed.length
    assert len(tape.log.events) == len(log.events)
    assert len(list(tv.replay.runs(tape.log))) == 5


def test_what_a_step_gave_is_asked_of_the_latest_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """A history of a training does not have all steps before unpacked at each, for a constant of that step either."""

    def trained() -> tuple[EventLog, list[float]]:
        w, history = tv.Variable([0.5, 1.5], name="w"), tv.History()
        with tv.record(max_bytes=0) as log:
            for step in range(30):
                batch = tv.constant([1.0, float(step)], name="batch")
                with tv.GradientTape() as tape:
                    tape.watch(batch)
                    loss = tv.reduce_sum(tv.sin(w * batch))
                slope, _ = tape.gradient(loss, [w, batch])
                w.assign_sub(0.1 * slope)
                history.add(tape)
        assert [column.name for column in history] == ["w", "batch"]
        return log, [number for column in history for number in (*column.gradients, *column.values)]

    _, plain = trained()
    settle_early(monkeypatch, latest=40)
    with monkeypatch.context() as patches:
        patches.setattr(PackedRecords, "records", lambda packed: pytest.fail("everything is unpacked"))
        log, packed = trained()
    assert log.packed.length
    assert packed == plain


def test_records_are_taken_back_as_far_as_they_are_not_packed() -> None:
    log = EventLog(max_bytes=1 << 20)
    log.append(Missed)
    begin = log.end
    for _ in range(3):
        log.append(Missed, values=log.keep(np.zeros(8)))
    assert log.bytes == 3 * 64
    log.take_back(begin)
    assert (log.end, log.bytes) == (begin, 0)
    log.take_back(begin + STRIDE)
    assert log.end == begin
