"""A recording that an error ended says so; one whose program caught the error and went on does not."""

from __future__ import annotations

import pytest

import tapeviz as tv
from tapeviz.diagnosis.error.ended import ended_by, ending
from tapeviz.views.reading import read


def _recorded(*, then: str) -> tv.GradientTape:
    x = tv.Variable([1.0, 2.0], name="x")
    tape = tv.GradientTape()
    with pytest.raises(tv.errors.InvalidArgumentError), tape:
        tv.reshape(x * 2.0, [3])
    if then == "another pass":
        with tape:
            loss = tv.reduce_sum(x)
        tape.gradient(loss, x)
    return tape


def test_what_was_to_come_could_not_be_checked():
    tape = _recorded(then="nothing")
    at, error = ended_by(tape.log)
    assert tape.log.events[at] is error
    where = "test_ended.py, line 16, where an InvalidArgumentError was raised, after which nothing was recorded"
    assert ending(tape.log) == where
    assert str(tv.diagnose(tape)) == f"Nothing was checked. Could not check: what was to come after {where}."
    assert read(tape).remark == f"up to {where}"


def test_an_error_that_was_caught_ended_nothing():
    tape = _recorded(then="another pass")
    assert ended_by(tape.log) is None
    assert ending(tape.log) == read(tape).remark == ""
    assert str(tv.diagnose(tape)).startswith("Nothing found. Checked: 1 gradient call with 1 source")


def test_an_error_of_the_gradient_call_itself_is_told_by_its_finding_alone():
    x = tv.Variable(1.0)
    with tv.GradientTape() as tape:
        loss = x * x
    tape.gradient(loss, x)
    with pytest.raises(RuntimeError):
        tape.gradient(loss, x)
    assert "Could not check" not in str(tv.diagnose(tape))


def test_pytorch_says_so_too():
    torch = pytest.importorskip("torch")
    with pytest.raises(RuntimeError), tv.record() as log:
        torch.ones(2, 3, requires_grad=True) @ torch.ones(2)
    assert ending(log) == "test_ended.py, line 54, where a RuntimeError was raised, after which nothing was recorded"
