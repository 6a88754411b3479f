"""Two ways to a gradient: the same but for rounding, or told by what they differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.errors import LogError
from tests.live.pairs import PAIRS, programs
from tests.live.same_models import FRAMEWORKS, Model, drawn


@pytest.mark.torch
@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_of_programs(name: str) -> None:
    pytest.importorskip("torch")
    a, b = programs(PAIRS[name])
    found = tv.same(a, b)
    assert bool(found) is not bool(PAIRS[name].say), found
    assert [part for part in PAIRS[name].say if part not in str(found)] == [], found


def test_there_are_enough_pairs() -> None:
    assert sum(bool(each.say) for each in PAIRS.values()) >= 35
    assert sum(not each.say for each in PAIRS.values()) >= 8


@pytest.mark.torch
@pytest.mark.jax
@pytest.mark.parametrize("seed", range(24))
def test_gradients_in_another_order_precision_or_framework_are_the_same(seed: int) -> None:
    """`python -m tests.live.same_models` draws two hundred."""
    for framework in FRAMEWORKS:
        pytest.importorskip(framework)
    one, other = drawn(seed)
    found = tv.same(one, other)
    assert found, found


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("change", [lambda g, draw: g * 1.001, lambda g, draw: g + 1e-3 * np.abs(g) * draw(g.shape)])
def test_a_thousandth_in_one_parameter_of_two_hundred_is_found(seed: int, change: Callable[..., Any]) -> None:
    model = Model(seed, layers=100)
    gradients = model.in_numpy(np.float32)
    assert len(gradients) == 200
    draw = np.random.default_rng(seed)
    planted = draw.choice(sorted(gradients))
    summed_otherwise = model.in_numpy(np.float32, parts=4)
    changed = {**summed_otherwise, planted: change(gradients[planted], draw.standard_normal).astype(np.float32)}
    assert tv.same(gradients, summed_otherwise)
    assert [each.name for each in tv.same(gradients, changed).differing] == [planted]


def test_a_tape_and_its_gradients_as_arrays() -> None:
    w = tv.Variable([1.0, 2.0], name="w")
    with tv.GradientTape() as tape:
        loss = tv.reduce_sum(w * w)
    gradient = tape.gradient(loss, w)
    assert tv.same(tape, {"w": gradient})
    assert tv.same(tape, {"w": gradient * 2.0}).gradients[0].equation.factor == 2.0


def test_the_sides_are_called_what_the_line_calls_them() -> None:
    full = {"w": np.ones(3)}
    accumulated = {"w": 4 * np.ones(3), "b": np.ones(1)}
    assert str(tv.same(full, accumulated)).splitlines() == [
        "full and accumulated are not the same: 1 of 1 gradient differs; accumulated alone has a gradient of b",
        "  w: accumulated = 4.0 x full",
    ]


def test_both_recordings_are_a_page() -> None:
    def program(factor: float) -> Callable[[], Any]:
        def run() -> None:
            w = tv.Variable(2.0, name="w")
            with tv.GradientTape() as tape:
                loss = w * factor
            tape.gradient(loss, w)

        return run

    found = tv.same(program(3.0), program(4.0))
    assert found.html().startswith("<!doctype html>")
    assert "not the same" in found._repr_html_()
    with pytest.raises(LogError, match="Only two recordings"):
        tv.same({"w": np.ones(1)}, {"w": np.ones(1)}).html()


@pytest.mark.parametrize("side", ["a text", object(), {"w": object()}])
def test_what_has_no_gradients(side: Any) -> None:
    with pytest.raises(TypeError, match="same compares recordings"):
        tv.same(side, {})
