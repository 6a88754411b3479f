"""Gradient functions of the user's own, right ones and broken ones: what is said of their numbers."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import tapeviz
from tests.diagnosis.custom_functions import (
    BROKEN_JAX,
    BROKEN_TENSORFLOW,
    BROKEN_TORCH,
    CUT_TORCH,
    JAX,
    JAX_HEAD,
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
@pytest.mark.parametrize(("name", "right", "wrong", "says"), [*BROKEN_TORCH, *CUT_TORCH])
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


PACKAGE = """
import jax

class wraps_three:
    def __init__(self, function):
        self.function = function

    def defines(self, forward, backward):
        self.forward, self.backward = forward, backward

    def __call__(self, *args):
        def whole(*args):
            return self.function(*args)

        def kept(*args):
            return self.forward(*args)

        def pulled(kept, g):
            return self.backward(kept, g)

        made = jax.custom_vjp(whole)
        made.defvjp(kept, pulled)
        return made(*args)
"""
OF_A_PACKAGE = """
from a_package_that_wraps import wraps_three
@wraps_three
def own(x):
    return jnp.sin(x) * 2
own.defines(lambda x: (own.function(x), x), lambda x, g: (g * 2 * jnp.cos(x),))
results = [jax.grad(lambda x: jnp.sum(own(x) ** 2))(X)]
"""


@pytest.mark.jax
@pytest.mark.parametrize(
    ("right", "wrong", "says"), [("", "", []), ("g * 2 *", "g *", ["`own` does not give", "1/2 of it"])]
)
def test_a_rule_that_a_package_hands_to_jax_is_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, right: str, wrong: str, says: list[str]
) -> None:
    packages = tmp_path / "site-packages"
    packages.mkdir()
    (packages / "a_package_that_wraps.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(str(packages))
    _, log = run(JAX_HEAD + OF_A_PACKAGE.replace(right, wrong))
    found = own(log)
    assert len(found) == bool(says)
    assert all(each in str(found[0]) for each in says)
    sys.modules.pop("a_package_that_wraps")
