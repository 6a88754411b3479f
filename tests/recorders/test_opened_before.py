"""A gradient of a tape that was opened before the recording: its ops are not there, and the log says so."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import GradientUnseen, OpRecorded
from tapeviz.views.reading import read


@pytest.mark.parametrize("call", ["gradient", "jacobian"])
@pytest.mark.parametrize("module", ["tapeviz", pytest.param("tensorflow", marks=pytest.mark.tensorflow)])
def test_it_is_told_where_the_gradient_was_taken(module: str, call: str, tmp_path: Any) -> None:
    tf = import_module(module)
    x = tf.Variable([3.0, 1.0])
    with tf.GradientTape() as tape:
        y = x * x
    with tv.record() as log:
        found = getattr(tape, call)(y, x)
    assert found.numpy().tolist() == {"gradient": [6.0, 2.0], "jacobian": [[6.0, 0.0], [0.0, 2.0]]}[call]
    (event,) = [each for each in log.events if isinstance(each, GradientUnseen)]
    assert log.sites[event.site].text.startswith("found = getattr(tape, call)")
    assert not any(isinstance(each, OpRecorded) for each in log.events)
    assert "opened before the recording" in read(log).remark
    assert str(tv.diagnose(log)).startswith("Nothing was checked. Could not check: the gradient taken at test_opened")
    again = tv.load(tv.save(log, tmp_path / "unseen.tape"))
    assert list(again.events) == list(log.events)


@pytest.mark.parametrize("module", ["tapeviz", pytest.param("tensorflow", marks=pytest.mark.tensorflow)])
def test_nothing_is_said_of_a_tape_of_the_recording(module: str) -> None:
    tf = import_module(module)
    x = tf.Variable(3.0)
    with tv.record() as log:
        with tf.GradientTape() as outer, tf.GradientTape() as inner:
            y = x * x
            slope = inner.gradient(y, x)
        outer.gradient(slope, x)
    assert not any(isinstance(each, GradientUnseen) for each in log.events)
