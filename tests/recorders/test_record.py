"""`record()`: what it keeps of a long loop, when it stops a program, which frameworks it starts, and that it ends."""

from __future__ import annotations

import re
import sys
import tomllib
import tracemalloc
import warnings
from ast import literal_eval
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.errors import StoppedError
from tapeviz.events import (
    BackwardFinished,
    EventLog,
    OpRecorded,
    OpSkipped,
    RecordingPaused,
    RecordingResumed,
    StateWritten,
    TapeOpened,
    VjpApplied,
    Watched,
)
from tapeviz.events.raw import next_id
from tapeviz.events.types import GradientStored, OptimizerStepped
from tapeviz.graph import build
from tapeviz.recorders.frameworks import FRAMEWORKS, Framework
from tapeviz.recorders.imports import ImportWatch
from tapeviz.views.payload import payload
from tests.engine.names import math


def count(log: EventLog, *kinds: type) -> int:
    return sum(isinstance(event, kinds) for event in log.events)


def gradients(log: EventLog) -> list[Any]:
    """The first gradient of each run."""
    return [log.value(event.gradients[0]) for event in log.events if isinstance(event, BackwardFinished)]


def train(w: tv.Variable, times: int, x: Any = 1.0) -> None:
    for _ in range(times):
        with tv.GradientTape() as tape:
            loss = tv.reduce_sum(tv.square(w * x - 3.0))
        w.assign_sub(0.01 * tape.gradient(loss, w))


# ----- steps -----


@pytest.mark.parametrize("steps", [1, 2, 7])
def test_the_last_steps_are_kept(steps: int) -> None:
    w, x = tv.Variable([1.0, 2.0], name="w"), tv.constant([0.5, 2.0], name="x")
    with tv.record() as whole:
        train(w, 30, x)
    w.assign([1.0, 2.0])
    with tv.record(steps=steps) as log:
        train(w, 30, x)
    assert log.begins_late
    assert (count(log, TapeOpened), count(log, BackwardFinished), count(log, StateWritten)) == (steps,) * 3
    assert not whole.begins_late
    for mine, theirs in zip(gradients(log), gradients(whole)[-steps:], strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_a_variable_holds_what_it_held_when_the_kept_part_begins() -> None:
    w = tv.Variable(1.0, name="w")
    with tv.record(steps=2) as log:
        for _ in range(10):
            with tv.GradientTape() as tape:
                loss = w * 1.0
            tape.gradient(loss, w)
            w.assign_add(1.0)
    reads = [float(log.value(log.id_of(w), at)) for at, event in enumerate(log.events) if isinstance(event, OpRecorded)]
    assert reads == [9.0, 10.0]
    assert log.tensors[log.id_of(w)].name == "w"


def test_every_view_of_what_is_kept() -> None:
    w = tv.Variable([1.0, 2.0], name="w")
    with tv.record(steps=2) as log:
        train(w, 12)
    assert len(payload(log)["runs"]) == 2
    assert tv.draw(log).text.startswith("<svg")
    assert str(tv.why(log, "loss", "w")).startswith("The gradient of `loss` arrives at `w`")
    assert [each.severity for each in tv.diagnose(log) if each.severity != "hint"] == []


def test_fewer_steps_than_are_kept_lose_nothing() -> None:
    w = tv.Variable(1.0)
    with tv.record(steps=50) as log:
        train(w, 3)
    assert not log.begins_late
    assert count(log, TapeOpened) == 3


def test_a_tape_within_a_tape_is_no_step_of_its_own() -> None:
    x = tv.Variable(2.0)
    with tv.record(steps=1) as log:
        for _ in range(5):
            with tv.GradientTape() as outer:
                with tv.GradientTape() as inner:
                    y = x * x * x
                slope = inner.gradient(y, x)
            outer.gradient(slope, x)
    assert (count(log, TapeOpened), count(log, BackwardFinished)) == (2, 2)


def test_backward_passes_of_a_tape_that_stays_open_are_steps() -> None:
    x = tv.Variable(2.0, name="x")
    with tv.record(steps=2) as log, tv.GradientTape(persistent=True) as tape:
        base = x * x
        for k in range(20):
            y = base * float(k)
            tape.gradient(y, x)
    assert (count(log, TapeOpened), count(log, Watched), count(log, BackwardFinished)) == (1, 1, 2)
    assert count(log, OpRecorded) >= 2 + 1  # each step's own, and the one that all rest on
    assert list(map(float, gradients(log))) == [72.0, 76.0]
    assert payload(log)["runs"]


def test_of_a_tape_that_stays_open_what_it_has_come_to_is_kept() -> None:
    torch = pytest.importorskip("torch")
    w, frozen = (torch.nn.Parameter(torch.ones(2)) for _ in range(2))
    with tv.record(steps=2) as log:
        for step in range(60):
            with torch.no_grad():
                w.sum()
            (w * frozen).sum().backward()
            if step == 5:
                frozen.requires_grad_(False)
    frozen_id, (opened,) = log.id_of(frozen), [each for each in log.events if isinstance(each, TapeOpened)]
    assert (count(log, RecordingPaused), count(log, RecordingResumed), count(log, Watched)) == (2, 2, 1)
    assert frozen_id not in build(log).memory(opened.tape).followed


def test_ten_thousand_steps_take_no_more_memory_than_a_hundred() -> None:
    w, x = tv.Variable(np.ones(500, np.float32)), tv.constant(np.ones(500, np.float32))
    with tv.record(steps=3) as log:
        train(w, 3000, x)
        tracemalloc.start()
        train(w, 2000, x)
        early = tracemalloc.get_traced_memory()[0]
        train(w, 5000, x)
        late = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert len(log.raw) < 2000
        assert log.bytes < 1 << 20
    assert late - early < 1 << 20  # the memory of ops that have flown by is let go in quarters
    assert log.begins_late


def test_steps_must_be_some() -> None:
    with pytest.raises(ValueError, match="steps must be at least 1"):
        tv.record(steps=0)
    for wrong in (1.5, "3"):
        with pytest.raises(TypeError, match="steps is a whole number of tapes; got"):
            tv.record(steps=wrong)  # type: ignore[arg-type]


# ----- stop_on -----


def broken(gradient: str) -> Callable[[], None]:
    def none() -> None:
        w, frozen = tv.Variable(1.0, name="w"), tv.Variable(2.0, name="frozen")
        with tv.GradientTape() as tape:
            loss = w * tv.stop_gradient(frozen)
        tape.gradient(loss, [w, frozen])

    def nan() -> None:
        w = tv.Variable([0.0, 1.0], name="w")
        with tv.GradientTape() as tape:
            loss = tv.reduce_sum(math.log(w) * 0.0)
        tape.gradient(loss, w)

    def inf() -> None:
        w = tv.Variable([0.0, 1.0], name="w")
        with tv.GradientTape() as tape:
            loss = tv.reduce_sum(tv.sqrt(w))
        tape.gradient(loss, w)

    return {"none": none, "nan": nan, "inf": inf}[gradient]


@pytest.mark.parametrize("reason", ["none", "nan", "inf"])
def test_the_program_ends_with_the_finding(reason: str) -> None:
    w = tv.Variable(1.0)
    with pytest.raises(StoppedError) as caught, tv.record(stop_on=("nan", "inf", "none")) as log:  # noqa: PT012
        train(w, 3)
        broken(reason)()
        raise AssertionError("the program went on")
    assert str(caught.value) in [str(finding) for finding in tv.diagnose(log)]
    assert "Fix: " in str(caught.value)
    assert count(log, BackwardFinished) == 4


@pytest.mark.parametrize("reason", ["none", "nan", "inf"])
def test_only_what_is_asked_for_stops(reason: str) -> None:
    others = {"none", "nan", "inf"} - {reason}
    with tv.record(stop_on=sorted(others)) as log:
        broken(reason)()
    assert count(log, BackwardFinished) == 1


def test_a_program_may_go_on_after_it_was_stopped() -> None:
    with tv.record() as log:
        with pytest.raises(StoppedError), tv.record(stop_on="none"):
            broken("none")()
        broken("none")()
    assert count(log, BackwardFinished) == 2


@pytest.mark.parametrize("wrong", [{"stop_on": "zero"}, {"stop_on": ("nan", 3)}, {"stop_on": "nan", "values": "none"}])
def test_a_stop_on_that_there_is_not(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="stop_on"):
        tv.record(**wrong)


def test_none_is_seen_without_values() -> None:
    with pytest.raises(StoppedError), tv.record(stop_on="none", values="none"):
        broken("none")()


# ----- frameworks -----


class Pretended:
    """A recorder that tells what is done with it."""

    told: list[str] = []  # noqa: RUF012 - one list for all of them

    def start(self, log: EventLog) -> None:
        self.told.append("start")
        if "fails" in self.told:
            raise RuntimeError("it cannot")

    def stop(self) -> None:
        self.told.append("stop")


@pytest.fixture
def frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A framework `pretended_frame` that can be imported and recorded; what its recorder was told."""
    (tmp_path / "pretended_frame.py").write_text("loaded = True\n")
    (tmp_path / "pretended_broken.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "pretended_recorder", SimpleNamespace(recorder=lambda options: Pretended()))
    for name in ("pretended_frame", "pretended_broken"):
        monkeypatch.setitem(FRAMEWORKS, name, Framework(name, "pretended_recorder", (), "0", "1"))
    monkeypatch.setattr(Pretended, "told", [])
    monkeypatch.setattr("tapeviz.recorders.frameworks._checked", set())
    before = list(sys.meta_path)
    yield Pretended.told
    assert sys.meta_path == before
    sys.modules.pop("pretended_frame", None)


def of_version(monkeypatch: pytest.MonkeyPatch, installed: str) -> Framework:
    """A framework tested with 0.10 to 2.1, of which a version is installed."""
    monkeypatch.setattr("importlib.metadata.version", lambda distribution: installed)
    monkeypatch.setattr("tapeviz.recorders.frameworks._checked", set())
    return Framework("pretended", "pretended_recorder", ("pretended",), "0.10", "2.1")


@pytest.mark.parametrize("name", ["tensorflow", "torch", "jax"])
def test_readme_and_package_name_the_versions_it_was_tested_with(name: str) -> None:
    framework = FRAMEWORKS[name]
    root = Path(__file__).parents[2]
    assert f"{framework.oldest} to {framework.newest}" in (root / "README.md").read_text(encoding="utf-8")
    extras = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert f">={framework.oldest},<" in extras[name][0]


@pytest.mark.parametrize("installed", ["0.10", "0.10.2", "0.100", "1.3", "2.1.0+cpu", "2.1rc1"])
def test_a_version_it_was_tested_with_is_no_word_worth(monkeypatch: pytest.MonkeyPatch, installed: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        of_version(monkeypatch, installed).check_version()


@pytest.mark.parametrize("installed", ["2.2", "2.10.1", "3"])
def test_a_newer_version_is_named_once(monkeypatch: pytest.MonkeyPatch, installed: str) -> None:
    framework = of_version(monkeypatch, installed)
    told = rf"tested with pretended 0\.10 to 2\.1; this is {re.escape(installed)}\. .*: pip install 'pretended<2\.2'\.$"
    with pytest.warns(UserWarning, match=told):
        framework.check_version()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        framework.check_version()


@pytest.mark.parametrize("installed", ["0.9.2", "0.1", "0"])
def test_an_older_version_is_refused_whenever_it_is_met(monkeypatch: pytest.MonkeyPatch, installed: str) -> None:
    framework = of_version(monkeypatch, installed)
    for _ in range(2):
        with pytest.raises(
            ImportError, match=rf"pretended from 0\.10 on; this is {re.escape(installed)}\..* --upgrade"
        ):
            framework.check_version()


def test_without_an_old_framework_the_others_are_recorded(frame: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import_frame()
    monkeypatch.setattr("importlib.metadata.version", lambda distribution: "0.8")
    old = Framework("pretended_frame", "pretended_recorder", ("pretended",), "0.9", "0.9")
    monkeypatch.setitem(FRAMEWORKS, "pretended_frame", old)
    with pytest.raises(ImportError) as refused, tv.record():
        raise AssertionError("it was recorded")
    others = str(refused.value).split("tv.record(frameworks=")[1].removesuffix(").")
    with tv.record(frameworks=[each for each in literal_eval(others) if each not in sys.modules]) as log:
        tv.exp(tv.constant(1.0))
    assert count(log, OpRecorded, OpSkipped) == 1
    assert frame == []


def import_frame() -> None:
    __import__("pretended_frame")
    assert sys.modules["pretended_frame"].loaded


def test_a_framework_imported_before_is_started(frame: list[str]) -> None:
    import_frame()
    with tv.record():
        assert frame == ["start"]
    assert frame == ["start", "stop"]


def test_a_framework_imported_inside_is_started_there(frame: list[str]) -> None:
    with tv.record():
        assert frame == []
        import_frame()
        assert frame == ["start"]
        import_frame()
        assert "exec_module" not in vars(sys.modules["pretended_frame"].__spec__.loader)
    assert frame == ["start", "stop"]


def test_several_may_wait_for_one_module(frame: list[str]) -> None:
    told: list[str] = []
    watches = [ImportWatch(["pretended_frame"], told.append) for _ in range(2)]
    for each in watches:
        each.open()
    import_frame()
    for each in watches:
        each.close()
    assert told == ["pretended_frame"] * 2
    assert "exec_module" not in vars(sys.modules["pretended_frame"].__spec__.loader)


def test_only_the_named_frameworks_are_started(frame: list[str]) -> None:
    with tv.record(frameworks=[]):
        import_frame()
    assert frame == []
    with pytest.raises(ValueError, match="frameworks must be among"):
        tv.record(frameworks="nosuchframe")


def test_a_framework_imported_after_is_left_alone(frame: list[str]) -> None:
    with tv.record():
        pass
    import_frame()
    assert frame == []


def test_an_import_that_fails_may_be_tried_again(frame: list[str]) -> None:
    with tv.record():
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                __import__("pretended_broken")
        with pytest.raises(ImportError):
            __import__("pretended_absent")
    assert frame == []


def test_a_recorder_that_fails_does_not_fail_the_import(frame: list[str]) -> None:
    frame.append("fails")
    with tv.record(), pytest.warns(UserWarning, match="cannot record pretended_frame: it cannot"):
        import_frame()
    assert frame == ["fails", "start", "stop"]


def test_a_recorder_that_fails_at_the_start_leaves_nothing_open(frame: list[str]) -> None:
    import_frame()
    frame.append("fails")
    with pytest.raises(RuntimeError, match="it cannot"), tv.record():
        pass
    assert frame == ["fails", "start", "stop"]
    frame.clear()
    w = tv.Variable(1.0)
    with tv.record() as log:
        train(w, 1)
    assert count(log, TapeOpened) == 1


# ----- however it ends -----


@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("options", [{}, {"steps": 2}, {"stop_on": "nan"}])
def test_the_partial_log_is_kept_and_nothing_stays_on(
    error: type[BaseException], options: dict[str, Any], frame: list[str]
) -> None:
    w = tv.Variable(1.0)
    with pytest.raises(error), tv.record(**options) as log:  # noqa: PT012 - the block is what is tested
        import_frame()
        train(w, 5)
        with tv.GradientTape():
            w * w
            raise error("the user's")
    assert frame == ["start", "stop"]
    assert log.closed
    assert count(log, VjpApplied) >= 2
    before = len(log.raw)
    train(w, 1)
    assert len(log.raw) == before


def test_nested_recordings_share_a_log_and_end_with_the_outermost(frame: list[str]) -> None:
    import_frame()
    w = tv.Variable(1.0)
    with tv.record() as outer:
        with pytest.raises(KeyError), tv.record() as inner:
            raise KeyError
        assert inner is outer
        train(w, 1)
        assert frame == ["start"]
    assert frame == ["start", "stop"]
    assert count(outer, TapeOpened) == 1


def test_a_listener_hears_every_record_of_its_kind() -> None:
    log, heard = EventLog(), []
    log.subscribe(TapeOpened, heard.append)
    for _ in range(2):
        log.append(TapeOpened, (next_id(), False, True))
        log.append("exp", (), next_id(), None, ())
    log.unsubscribe(TapeOpened, heard.append)
    log.append(TapeOpened, (next_id(), False, True))
    assert heard == [0, 20]


def test_a_step_that_rests_on_ops_long_let_go() -> None:
    x = tv.Variable(1.01, name="x")
    tv.configure(ring=4)
    try:
        with tv.record(steps=1) as log, tv.GradientTape(persistent=True) as tape:
            y = x * 1.0
            for _ in range(40):
                y = y * x
                with tape.stop_recording():
                    slope = tape.gradient(y, x)
    finally:
        tv.configure(ring=4096)
    assert count(log, BackwardFinished) == 1
    assert count(log, VjpApplied) < 20
    assert gradients(log) == [slope.numpy()]
    assert payload(log)["runs"]


@pytest.mark.torch
def test_steps_of_a_torch_loop() -> None:
    import torch

    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    optimizer, x = torch.optim.SGD(net.parameters(), lr=0.1), torch.randn(8, 2)
    with tv.record(steps=2) as log:
        for _ in range(20):
            optimizer.zero_grad()
            loss = net(x).square().mean()
            loss.backward()
            optimizer.step()
    assert log.begins_late
    assert (count(log, TapeOpened), count(log, BackwardFinished), count(log, OptimizerStepped)) == (1, 2, 2)
    assert {log.tensors[event.tensor].name for event in log.events if isinstance(event, GradientStored)} == {
        "net.0.weight",
        "net.0.bias",
        "net.2.weight",
        "net.2.bias",
    }
    assert [str(each) for each in tv.diagnose(log)] == []
    np.testing.assert_array_equal(gradients(log)[-1], net[0].weight.grad)


@pytest.mark.torch
@pytest.mark.parametrize("count", [3, 4, 5, 6])
def test_a_parameter_that_an_earlier_op_read_is_still_a_parameter(count: int) -> None:
    import torch

    w = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.SGD([w], lr=0.25)
    with tv.record(steps=2) as log:
        for _ in range(count):
            loss = w.sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            loss.item()  # the log goes on to speak of what a step made that it lets go
    row = log.tensors[log.id_of(w)]
    assert (row.name, row.role, row.shape) == ("w", "variable", (3,))
    assert [str(each) for each in tv.diagnose(log)] == []


@pytest.mark.torch
@pytest.mark.parametrize("reason", ["none", "nan", "inf"])
def test_a_torch_program_ends_with_the_finding(reason: str) -> None:
    import torch

    w, v = torch.zeros(2, requires_grad=True), torch.ones(2, requires_grad=True)
    programs = {
        "none": lambda: torch.autograd.grad(w.sum(), [w, v], allow_unused=True),
        "nan": lambda: (w.log() * 0.0).sum().backward(),
        "inf": lambda: w.sqrt().sum().backward(),
    }
    with pytest.raises(StoppedError), tv.record(stop_on=reason):
        programs[reason]()
    with tv.record(stop_on=[each for each in programs if each != reason]):
        programs[reason]()


@pytest.mark.tensorflow
def test_tensorflow_imported_before_or_inside_is_kept_and_stopped() -> None:
    with tv.record(steps=2, stop_on="none") as log:
        import tensorflow as tf

        w, frozen = tf.Variable(2.0, name="w"), tf.Variable(1.0)
        for _ in range(6):
            with tf.GradientTape() as tape:
                loss = w * frozen
            w.assign_sub(0.1 * tape.gradient(loss, w))
        with tf.GradientTape() as tape:
            loss = w * 2.0
        with pytest.raises(StoppedError, match="frozen"):
            tape.gradient(loss, [w, frozen])
    assert log.framework == "tensorflow"
    assert count(log, TapeOpened) == 2


@pytest.mark.tensorflow
def test_a_tape_of_tensorflows_is_told_from_a_log() -> None:
    tensorflow = pytest.importorskip("tensorflow")
    w = tensorflow.Variable(2.0)
    with tensorflow.GradientTape() as tape:
        y = w * w
    with pytest.raises(TypeError, match=r"in a GradientTape of tensorflow, which keeps .* tv\.record\(\) as log"):
        tv.why(tape, y, w)


@pytest.mark.torch
def test_a_graph_that_two_passes_share_is_followed_where_a_step_was_let_go_between_them() -> None:
    import torch

    w = torch.ones(2, requires_grad=True)
    with tv.record(steps=2) as log:
        for _ in range(20):
            loss = (w * torch.ones(2)).square().sum()
            torch.autograd.grad(loss, w, retain_graph=True)
            loss.backward()
    assert log.begins_late
    assert list(tv.diagnose(log)) == []
