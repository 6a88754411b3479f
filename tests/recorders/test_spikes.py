"""Which norms of gradients are told as spikes: none of a healthy training's, each that was planted in one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from math import exp, hypot

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.errors import StoppedError
from tapeviz.recorders.spikes import FEWEST, HISTORIES, Spikes

random = np.random.default_rng(0)


def noise(spread: float, passes: int = 1000) -> list[float]:
    return np.exp(spread * random.standard_normal(passes)).tolist()


HEALTHY = {
    "noise": noise(0.5),
    "noise of single examples": noise(1.5),
    "warm-up": [1e-3 * exp(min(at, 200) / 25) * each for at, each in enumerate(noise(0.3))],
    "decay": [1e3 * exp(-at / 100) * each for at, each in enumerate(noise(0.3))],
    "a schedule of steps": [each * (1, 9, 0.1, 1.2)[at // 250] for at, each in enumerate(noise(0.2))],
    "restarts": [each * (0.2 + at % 100 / 20) for at, each in enumerate(noise(0.2))],
    "mostly zero": [each if at % 10 == 0 else 0.0 for at, each in enumerate(noise(0.5))],
    "fitted, but for rare examples": [each * (1.0 if at % 20 == 19 else 1e-4) for at, each in enumerate(noise(0.3))],
    "bits of noise at the end": [1e-7] * 500 + [2e-7] * 500,
    "a first pass, and few": [1e-3, 1e3] * (FEWEST // 2),
    "not finite": [float("nan"), float("inf")] * 100,
}


@pytest.mark.parametrize("norms", HEALTHY.values(), ids=HEALTHY)
def test_no_norm_of_a_healthy_training_is_a_spike(norms: list[float]) -> None:
    spikes = Spikes()
    assert [spikes.note("w", [each]) for each in norms] == [None] * len(norms)


@pytest.mark.parametrize("factor", [500.0, 1e4, 1e30])
@pytest.mark.parametrize("name", ["noise", "warm-up", "decay"])
def test_a_planted_spike_is_told(name: str, factor: float) -> None:
    spikes, norms = Spikes(), HEALTHY[name]
    for each in norms[:600]:
        spikes.note("w", [each])
    spike = spikes.note("w", [norms[600] * factor])
    assert spike is not None
    assert spike.norm / spike.median > factor / 10


def test_a_spike_is_of_all_gradients_together_and_names_the_largest() -> None:
    spikes = Spikes()
    for each in noise(0.2, 50):
        assert spikes.note("call", [each, None, 2 * each]) is None
    spike = spikes.note("call", [30.0, None, 400.0])
    assert spike is not None
    assert (spike.norm, spike.largest, spike.several, spike.passes) == (hypot(30.0, 400.0), 2, True, 50)


def test_each_gradient_call_has_a_history_of_its_own_and_there_are_not_too_many() -> None:
    spikes = Spikes()
    for each in noise(0.2, 100):
        assert spikes.note("generator", [each]) is None
        assert spikes.note("discriminator", [1e6 * each]) is None
    for call in range(HISTORIES):
        spikes.note(call, [1.0])
    assert spikes.note("generator", [1e6]) is None  # it was forgotten


def train(factors: Iterator[float]) -> None:
    w, x = tv.Variable([1.0, 2.0], name="w"), tv.Variable(0.5, name="x")
    for _, factor in zip(range(100), factors, strict=False):
        with tv.GradientTape() as tape:
            loss = tv.reduce_sum(w * w * x) * factor
        tape.gradient(loss, [w, x])


def test_a_program_ends_at_a_spike_and_is_told_where() -> None:
    with (
        pytest.raises(
            StoppedError, match=r"test_spikes\.py, line \d+ are a spike: .* 1e\+04 times the median"
        ) as caught,
        tv.record(steps=3, stop_on="spike"),
    ):
        train(1e4 if at == 60 else 1.0 for at in count())
    assert "Most of it is the gradient of `x`" in str(caught.value)


def test_a_program_without_one_goes_on() -> None:
    with tv.record(stop_on="spike"):
        train(iter(noise(0.3)))
