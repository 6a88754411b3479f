"""Code in fixes is written with the functions of the framework whose program it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tapeviz
from tapeviz.diagnosis.dialects.dialect import Dialect
from tapeviz.diagnosis.dialects.jax import JAX
from tapeviz.diagnosis.dialects.torch import TORCH

SOURCES = Path(tapeviz.__file__).parent / "diagnosis"
SAID = {name for path in SOURCES.rglob("*.py") for name in re.findall(r"\btf\.([a-z_][\w.]*\w)", path.read_text())}


@pytest.mark.parametrize("dialect", [pytest.param(JAX, id="jax"), pytest.param(TORCH, id="torch")])
def test_every_function_that_a_rule_may_name_has_a_spelling(dialect: Dialect) -> None:
    assert SAID - dialect.functions.keys() == set()


@pytest.mark.jax
@pytest.mark.parametrize("name", JAX.functions)
def test_what_is_written_for_jax_is_there(name: str) -> None:
    jax = pytest.importorskip("jax")
    names = {"jax": jax, "jnp": jax.numpy, "x": jax.numpy.ones(2), "_0": 2.0, "_1": 0.0}
    if not JAX.functions[name].startswith("optax"):
        eval(JAX.functions[name], names)


@pytest.mark.parametrize(
    ("dialect", "tensorflow", "theirs"),
    [
        (JAX, "Write `tf.sqrt(x + 1e-12)`.", "Write `jnp.sqrt(x + 1e-12)`."),
        (JAX, "`z + tf.stop_gradient(q - z)` and `tf.tanh`", "`z + jax.lax.stop_gradient(q - z)` and `jnp.tanh`"),
        (
            JAX,
            "`tf.math.divide_no_nan(a - b, c)`",
            "`jnp.where(c == 0, 0.0, (a - b) / jnp.where(c == 0, 1.0, c))`",
        ),
        (JAX, "`y = tf.square(x)`, `x`", "`y = jnp.square(x)`, `x`"),
        (JAX, "Go on with `tf.` functions, tf.sqrt among them.", "Go on with `jnp.` functions, tf.sqrt among them."),
        (TORCH, "`tf.nn.softmax(x)`", "`torch.softmax(x, dim=-1)`"),
        (TORCH, "`tf.nn.log_softmax(x, axis=0)`", "`torch.log_softmax(x, dim=0)`"),
        (TORCH, "`tf.reduce_logsumexp(x)`", "`torch.logsumexp(x, dim=-1)`"),
        (
            TORCH,
            "`tf.reduce_logsumexp(x, axis=(0, 1), keepdims=True)`",
            "`torch.logsumexp(x, dim=(0, 1), keepdim=True)`",
        ),
    ],
)
def test_code_is_rewritten_and_prose_stays(dialect: Dialect, tensorflow: str, theirs: str) -> None:
    assert dialect.code(tensorflow) == theirs


def test_a_method_of_the_tensor_is_written_as_one() -> None:
    assert TORCH.code("`z + tf.stop_gradient(q - z)`") == "`z + (q - z).detach()`"
