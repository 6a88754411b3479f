"""What rounding may make of a gradient, worked out of a recording, holds the error that it makes, and not much more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.diagnosis.comparing.rounding import SURE, of_runs, of_shapes
from tapeviz.events.summary import norm
from tapeviz.graph import build
from tapeviz.replay import runs


def gradients(dtype: str, seed: int, offset: float) -> tuple[dict[str, Any], dict[str, float]]:
    """The gradients of a network whose results have an offset from what they should be, and their expected errors."""
    draw = np.random.default_rng(seed)
    x, first, second = (draw.standard_normal(shape) for shape in ((64, 12), (12, 20), (20, 4)))
    weights = {"first": tv.Variable(first / 4, dtype=dtype), "second": tv.Variable(second / 4, dtype=dtype)}
    bias = tv.Variable(np.zeros(4), dtype=dtype)
    due = np.tanh(x @ (first / 4)) @ (second / 4) + offset * draw.standard_normal((64, 4))
    with tv.GradientTape() as tape:
        out = tv.tanh(tv.constant(x, dtype) @ weights["first"]) @ weights["second"] + bias
        loss = tv.reduce_mean((out - tv.constant(due, dtype)) ** 2)
    sources = {**weights, "bias": bias}
    found = dict(zip(sources, tape.gradient(loss, list(sources.values())), strict=True))
    errors = of_runs(build(tape.log), runs(tape.log))
    ids = {name: tape.log.id_of(each) for name, each in found.items()}
    return {name: np.asarray(each) for name, each in found.items()}, {name: errors[at] for name, at in ids.items()}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("offset", [1.0, 1e-2, 1e-4])
def test_it_holds_the_error_that_there_is(seed: int, offset: float) -> None:
    """The smaller the offset, the more digits cancel in the difference from what is due."""
    (single, expected), (double, _) = gradients("float32", seed, offset), gradients("float64", seed, offset)
    for name in single:
        off = norm(single[name] - double[name]) / norm(double[name])
        assert off <= SURE * expected[name] <= 1000 * off, name


def test_half_precision_allows_more() -> None:
    kinds = ("float64", "float32", "float16", "bfloat16")
    allowed = [of_shapes([(64, 64), (64,)], dtype) for dtype in kinds]
    assert allowed == sorted(allowed)
    assert allowed[0] < 1e-13
    assert allowed[1] < 1e-4
