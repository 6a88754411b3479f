"""A log is diagnosed once as it is; what is kept of that keeps nothing else."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

import tapeviz as tv
from tapeviz.replay import runs
from tapeviz.views.reading import read
from tests.diagnosis.growing_nets import NETS
from tests.events.stored import reloaded


def test_the_findings_of_a_log_are_found_once() -> None:
    log = NETS["vanishing"](3)
    found = tv.diagnose(log)
    assert found
    assert tv.diagnose(log) is found
    assert read(log).findings is found
    assert runs(log) is runs(log)


def test_they_are_found_anew_where_more_was_recorded() -> None:
    x, other = tv.Variable(2.0, name="x"), tv.Variable(1.0, name="other")
    with tv.GradientTape(persistent=True) as tape:
        y = x * x
    tape.gradient(y, x)
    assert not tv.diagnose(tape)
    assert len(runs(tape.log)) == 1
    assert tape.gradient(y, other) is None
    assert [each.symptom for each in tv.diagnose(tape)] == ["none"]
    assert len(runs(tape.log)) == 2


def test_what_an_optimizer_is_not_handed_is_what_got_a_gradient() -> None:
    w, handed_over, unused = tv.Variable(2.0, name="w"), tv.Variable(3.0), tv.Variable(1.0, name="unused")
    with tv.record() as log:
        with tv.GradientTape() as tape:
            loss = (w * handed_over) ** 2
        gradients = tape.gradient(loss, [handed_over, w, unused])
        tv.keras.optimizers.SGD(0.1).apply_gradients([(gradients[0], handed_over)])
    none, left_out = tv.diagnose(log)
    assert (none.cause, left_out.cause) == ("unused_source", "untracked_parameter")
    assert left_out.message.startswith("`w`, ")
    assert " gets gradients" in left_out.message
    assert "torch" not in left_out.fix


def test_weights_that_a_layer_makes_as_it_is_called_are_no_numbers_that_came_back() -> None:
    encoder, head = tv.keras.layers.Dense(3), tv.keras.layers.Dense(1)

    def scaled(x: tv.Tensor) -> tv.Tensor:
        return x * tv.constant(x.numpy().std())

    with tv.GradientTape() as tape:
        loss = tv.reduce_mean(head(scaled(encoder(tv.constant([[1.0, 2.0], [0.5, -1.0]])))) ** 2)
    tape.gradient(loss, [*encoder.trainable_variables, *head.trainable_variables])
    for found in tv.diagnose(tape):
        assert found.cause == "left_to_numpy"
        assert "silently lacks the contribution of the tensor made at" in found.message


@pytest.mark.parametrize("name", NETS)
def test_a_log_that_was_diagnosed_goes_with_its_last_reference(name: str, tmp_path: Path) -> None:
    """What it keeps of a diagnosis does not lead back to it: its values would wait for the garbage collector."""
    log = reloaded(NETS[name](4), tmp_path)  # one with its program is held by that
    found = tv.diagnose(log)
    gc.collect()  # what the rules themselves had of the log
    gc.disable()
    try:
        gone = weakref.ref(log)
        del log
        assert gone() is None
    finally:
        gc.enable()
    assert str(found)
