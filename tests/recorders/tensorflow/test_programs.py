"""A recording changes nothing, sees what TensorFlow's tape sees, and every step of it is right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz import graph, replay
from tapeviz.events import EventLog, OpRecorded, OpSkipped
from tests.recorders.frameworks import tensorflow_state
from tests.recorders.tensorflow.programs import PROGRAMS

pytestmark = pytest.mark.tensorflow

COMPILED = ("compiled",)
"""Programs that run compiled when nothing is recorded: equal up to rounding."""


@pytest.fixture(params=PROGRAMS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def tf() -> Any:
    return pytest.importorskip("tensorflow")


def run(tf: Any, name: str) -> list[Any]:
    tf.random.set_seed(0)
    return [flat(each) for each in PROGRAMS[name](tf)]


def flat(value: Any) -> Any:
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)


def recorded(tf: Any, name: str, **options: Any) -> tuple[list[Any], EventLog]:
    with tv.record(**options) as log:
        results = run(tf, name)
    return results, log


def test_results_are_the_same_bit_for_bit(tf: Any, name: str) -> None:
    plain = run(tf, name)
    for options in ({}, {"values": "none"}, {"functions": "eager"}):
        results, _ = recorded(tf, name, **options)
        for one, other in zip(plain, results, strict=True):
            if name in COMPILED:
                np.testing.assert_allclose(one, other, rtol=1e-6)
            else:
                assert one.tobytes() == other.tobytes(), options


def test_every_step_is_right(tf: Any, name: str) -> None:
    _, log = recorded(tf, name)
    for sweep in replay.runs(log):
        for step in sweep.steps:
            for part in step.contributions:
                value, tensor = log.value(part.cotangent), log.tensors[part.tensor]
                if value is not None:
                    assert np.shape(value) == tensor.shape
        for source, gradient in zip(sweep.sources, sweep.gradients or (), strict=True):
            arrived = [p for step in sweep.steps for p in step.contributions if p.tensor == source]
            values = [log.value(part.cotangent) for part in arrived]
            rows = np.shape(log.value(gradient)) != log.tensors[source].shape if gradient is not None else True
            if not arrived:
                assert gradient is None or source in sweep.targets or not np.any(log.value(gradient))
            elif gradient is not None and not rows and all(each is not None for each in values):
                start = sweep.targets.count(source) * np.ones_like(values[0])
                np.testing.assert_allclose(sum(values, start), log.value(gradient), rtol=1e-5, atol=1e-6)


def test_every_sum_is_of_what_arrived(tf: Any, name: str) -> None:
    _, log = recorded(tf, name)
    for sweep in replay.runs(log):
        arrived: dict[int, list[Any]] = {}
        for part in (part for step in sweep.steps for part in step.contributions):
            tensor = log.tensors[part.tensor]
            arrived.setdefault(part.tensor, []).append(log.value(part.cotangent))
            total, parts = log.value(part.total), arrived[part.tensor]
            known = all(np.shape(each) == tensor.shape for each in (total, *parts) if each is not None)
            if total is not None and known and part.final and part.tensor not in sweep.targets:
                np.testing.assert_allclose(sum(parts), total, rtol=1e-5, atol=1e-6)


def test_tapes_follow_what_tensorflow_says(tf: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The C++ tapes themselves are asked, op by op, whether any of them records."""
    from tensorflow.python import pywrap_tfe

    from tapeviz.recorders.tensorflow.tapes import Tapes

    ask, mirrored = pywrap_tfe.TFE_Py_TapeSetShouldRecordBackprop, Tapes.record
    seen: list[tuple[bool, bool]] = []

    def compared(tapes: Tapes, inputs: Any, outputs: Any) -> Any:
        found = mirrored(tapes, inputs, outputs)
        seen.append((bool(found), ask(list(inputs))))
        return found

    monkeypatch.setattr(Tapes, "record", compared)
    recorded(tf, name, functions="eager")  # in a graph that is traced, tapes from outside of it record as well
    assert [ours for ours, _ in seen] == [theirs for _, theirs in seen]


def test_every_verb_reads_the_log(tf: Any, name: str, tmp_path: Path) -> None:
    _, log = recorded(tf, name)
    assert log.framework == "tensorflow"
    assert graph.build(log).ops.keys() == {
        at for at, event in enumerate(log.events) if isinstance(event, OpRecorded | OpSkipped)
    }
    tv.draw(log)
    assert str(tv.diagnose(tv.load(tv.save(log, tmp_path / "a.tape")))) == str(tv.diagnose(log))
    assert "text/html" in log._repr_mimebundle_()


def test_everything_is_put_back(tf: Any, name: str) -> None:
    before = tensorflow_state(tf)
    with pytest.raises(KeyboardInterrupt):
        interrupted(tf, name)
    assert tensorflow_state(tf) == before


def interrupted(tf: Any, name: str) -> None:
    with tv.record():
        run(tf, name)
        raise KeyboardInterrupt
