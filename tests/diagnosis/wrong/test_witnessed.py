"""Gradient functions of the user's own, right ones and broken ones: what is said of their numbers."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz
from tests.diagnosis.custom_functions import (
    BROKEN_JAX,
    BROKEN_TENSORFLOW,
    BROKEN_TORCH,
    JAX,
    TENSORFLOW,
    TORCH,
    own,
    run,
)


@pytest.mark.torch
@pytest.mark.parametrize("name", TORCH)
def test_right_ones_go_unmentioned_and_compute_the_same(name: str) -> None:
    import torch

    text = TORCH[name]
    plain, _ = run(text, recorded=False)
    state = torch.get_rng_state()
    recorded, log = run(text)
    assert [str(each) for each in tapeviz.diagnose(log) if each.severity != "hint"] == []
    assert own(log) == []
    assert torch.equal(state, torch.get_rng_state())
    for one, other in zip(plain["results"], recorded["results"], strict=True):
        assert torch.equal(one, other)


@pytest.mark.torch
@pytest.mark.parametrize(("name", "right", "wrong", "says"), BROKEN_TORCH)
def test_broken_ones_are_named(name: str, right: str, wrong: str, says: str) -> None:
    assert right in TORCH[name]
    _, log = run(TORCH[name].replace(right, wrong))
    assert [says in each.message for each in own(log)] == [True], own(log)


@pytest.mark.jax
@pytest.mark.parametrize("name", JAX)
def test_right_ones_of_jax_go_unmentioned_and_compute_the_same(name: str) -> None:
    plain, _ = run(JAX[name], recorded=False)
    recorded, log = run(JAX[name])
    assert own(log) == []
    for one, other in zip(plain["results"], recorded["results"], strict=True):
        assert np.array_equal(one, other)


@pytest.mark.jax
@pytest.mark.parametrize(("name", "right", "wrong", "says"), BROKEN_JAX)
def test_broken_ones_of_jax_are_named(name: str, right: str, wrong: str, says: str) -> None:
    assert right in JAX[name]
    _, log = run(JAX[name].replace(right, wrong))
    assert [says in each.message for each in own(log)] == [True], own(log)


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", TENSORFLOW)
def test_right_ones_of_tensorflow_go_unmentioned_and_compute_the_same(name: str) -> None:
    plain, _ = run(TENSORFLOW[name], recorded=False)
    recorded, log = run(TENSORFLOW[name])
    assert own(log) == []
    for one, other in zip(plain["results"], recorded["results"], strict=True):
        assert np.array_equal(one, other)


@pytest.mark.tensorflow
@pytest.mark.parametrize(("name", "right", "wrong", "says"), BROKEN_TENSORFLOW)
def test_broken_ones_of_tensorflow_are_named(name: str, right: str, wrong: str, says: str) -> None:
    assert right in TENSORFLOW[name]
    _, log = run(TENSORFLOW[name].replace(right, wrong))
    assert [says in each.message for each in own(log)] == [True], own(log)
