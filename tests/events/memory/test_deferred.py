"""Records that are computed when a reader asks: once, in the place of what was left for them, within a budget."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.events import EventLog, OpSkipped
from tapeviz.events.raw import STRIDE, Deferred
from tapeviz.events.summary import Summary


class _Squares:
    """A deferral of two ops in the place of one; while `can` is False it computes nothing."""

    def __init__(self, first: int, size: int = 1, can: bool = True) -> None:
        self.first, self.size, self.can, self.asked = first, size, can, 0

    def records(self, left: list[Any]) -> list[Any] | None:
        self.asked += 1
        assert left[0::STRIDE] == ["whole"]
        inner = _op("inner", self.first, self.first + 1, self.size)
        return [*inner, *_op("square", self.first + 1, self.first + 2, self.size)] if self.can else None


def _op(name: str, read: int, made: int, size: int = 1) -> list[Any]:
    return [name, (read,), made, np.ones(size), (), (), (), None, None, -1]


def _log(*deferrals: _Squares, max_bytes: int = 1 << 20) -> EventLog:
    log = EventLog(max_bytes=max_bytes)
    for each in deferrals:
        log.raw += _op("whole", each.first, each.first + 2)
        log.append(Deferred, attrs=(each, 1))
    log.raw += _op("after", deferrals[-1].first + 2, deferrals[-1].first + 3)
    return log


def _ops(log: EventLog) -> list[str]:
    return [event.op for event in log.of_kind(OpSkipped).values()]


def test_nothing_is_computed_until_a_reader_asks_and_then_once() -> None:
    deferral = _Squares(1)
    log = _log(deferral)
    assert deferral.asked == 0
    assert _ops(log) == ["inner", "square", "after"]
    log.raw += _op("more", 4, 5)
    assert _ops(log) == ["inner", "square", "after", "more"]
    assert deferral.asked == 1
    inner, square, after, _ = log.of_kind(OpSkipped).values()
    assert (square.inputs, after.inputs) == (inner.outputs, square.outputs)


def test_what_cannot_be_computed_stays_as_it_was_left_until_it_can() -> None:
    deferral = _Squares(1, can=False)
    log = _log(deferral)
    assert _ops(log) == ["whole", "after"]
    deferral.can = True
    log.raw += _op("more", 4, 5)
    assert _ops(log) == ["inner", "square", "after", "more"]


def test_of_what_was_computed_the_oldest_values_go_when_the_budget_is_over() -> None:
    log = _log(*(_Squares(4 * number, size=100) for number in range(1, 5)), max_bytes=3000)
    values = [log.value(op.outputs[0]) for op in log.of_kind(OpSkipped).values() if op.op != "after"]
    assert len(values) == 8
    assert [isinstance(each, Summary) for each in values] == [True] * 5 + [False] * 3
    assert {each.size if isinstance(each, np.ndarray) else 100 for each in values} == {100}
