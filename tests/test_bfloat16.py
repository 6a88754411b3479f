"""A recording of bfloat16 is read, saved, shown, checked and diagnosed as any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz import replay
from tapeviz.errors import StoppedError
from tapeviz.events.summary import Summary
from tapeviz.views.words import numbers
from tests.engine.names import nn


def recorded() -> tuple[Any, list[Any]]:
    """A tape that was differentiated, and the tensors that it met, each on a name of its own."""
    w = tv.Variable([[0.3, -1.7], [2.2, 0.1]], dtype=tv.bfloat16, name="w")
    x = tv.constant([[1.5, -2.25]], tv.bfloat16)
    with tv.GradientTape() as tape:
        h = tv.tanh(x @ w)
        y = nn.softmax(h) * 0.1
        loss = tv.reduce_sum(y * y)
    return tape, [w, h, y, loss, tape.gradient(loss, w)]


def test_values_are_what_the_program_has() -> None:
    tape, tensors = recorded()
    for tensor in tensors:
        tensor_id = tape.log.id_of(tensor)
        np.testing.assert_array_equal(tape.log.value(tensor_id), tensor.numpy().astype(np.float32))
        assert tape.log.tensors[tensor_id].dtype == "bfloat16"


def test_a_file_keeps_every_bit(tmp_path: Path) -> None:
    tape, _ = recorded()
    tv.save(tape.log, tmp_path / "tape.tapeviz")
    again = tv.load(tmp_path / "tape.tapeviz")
    assert [row.dtype for row in again.tensors] == [row.dtype for row in tape.log.tensors]
    for row in again.tensors:
        np.testing.assert_array_equal(again.value(row.id), tape.log.value(row.id))
        assert type(again.value(row.id)) is type(tape.log.value(row.id))


def test_what_the_budget_takes_leaves_its_statistics() -> None:
    x = tv.Variable(np.linspace(-1, 1, 1001), dtype=tv.bfloat16)
    with tv.record(max_bytes=10_000) as log:
        first = h = x * 2.0
        for _ in range(20):
            h = h * 0.5
    found, rounded = log.value(log.id_of(first)), first.numpy().astype(np.float64)
    assert isinstance(found, Summary)
    assert (found.dtype, found.min, found.max, found.nans) == ("bfloat16", rounded.min(), rounded.max(), 0)
    assert found.norm == pytest.approx(np.linalg.norm(rounded))


def test_every_step_agrees_with_differences() -> None:
    tape, _ = recorded()
    steps = len(replay.runs(tape.log)[0].steps)
    assert all(tv.check_step(tape, step).agrees for step in range(1, steps + 1))


def test_a_whole_function_is_too_coarse_for_differences() -> None:
    with pytest.raises(ValueError, match="too few for differences"):
        tv.check_gradients(tv.sin, tv.constant(0.5, tv.bfloat16))


def test_nan_is_found() -> None:
    x = tv.Variable([1.0, -1.0], dtype=tv.bfloat16)
    with tv.GradientTape() as tape:
        loss = tv.reduce_sum(tv.sqrt(x))
    tape.gradient(loss, x)
    assert [each.cause for each in tv.diagnose(tape)] == ["nan_in_forward"]


def test_the_first_gradient_with_nan_ends_the_program() -> None:
    x = tv.Variable([0.0, 1.0], dtype=tv.bfloat16)

    def step() -> None:
        with tv.GradientTape() as tape:
            loss = tv.norm(x * 0.0)
        tape.gradient(loss, x)

    with pytest.raises(StoppedError), tv.record(stop_on="nan"):
        step()


def test_a_picture_shows_numbers_and_dtype() -> None:
    tape, (_, _, _, loss, _) = recorded()
    text = tv.draw(tape).text
    assert numbers.short_text(loss.numpy().astype(np.float32)) in text
    assert "bfloat16" in text


def test_a_page_is_that_of_the_saved_recording(tmp_path: Path) -> None:
    tape, _ = recorded()
    tv.save(tape.log, tmp_path / "tape.tapeviz")
    pages = []
    for log in (tape.log, tv.load(tmp_path / "tape.tapeviz")):
        tv.save_html(log, tmp_path / "page.html")
        pages.append((tmp_path / "page.html").read_bytes())
    assert pages[0] == pages[1]
