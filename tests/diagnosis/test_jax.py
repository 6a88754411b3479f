"""What is found in functions of JAX, and their healthy twins, of which nothing is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeviz
from tapeviz.diagnosis import Findings

jax = pytest.importorskip("jax")
jnp = jax.numpy
pytestmark = pytest.mark.jax

COLUMN, ROW = jnp.array([[1.0], [2.0], [4.0]]), jnp.array([3.0, 1.0, 2.0])


def found(function: Callable[..., Any], *arguments: Any) -> Findings:
    return tapeviz.diagnose(tapeviz.record_jax(function, *arguments))


def column_against_row(prediction: Any, target: Any) -> Any:
    error = prediction - target
    return jnp.mean(error**2)


@pytest.mark.parametrize("function", [column_against_row, jax.jit(column_against_row)], ids=["plain", "compiled"])
def test_a_column_that_meets_a_row_is_told_as_it_is_written(function: Callable[..., Any]) -> None:
    [finding] = found(function, COLUMN, ROW)
    assert finding.cause == "broadcast_mismatch"
    assert "`prediction` of shape (3, 1) and `target` of shape (3,) are broadcast to (3, 3)" in finding.message
    assert finding.fix.endswith("`jnp.squeeze(prediction, axis=1)`, or `jnp.reshape(target, [-1, 1])`.")


@pytest.mark.parametrize(
    "function",
    [
        lambda prediction, target: jnp.mean((prediction - target[None, :]) ** 2),
        lambda prediction, target: jnp.mean((prediction[:, 0] - target) ** 2),
        lambda prediction, target: jnp.mean((prediction - target.reshape(3, 1)) ** 2),
        lambda prediction, target: jnp.sum(jnp.outer(prediction, target)),
        lambda prediction, target: jnp.sum(jnp.cov(prediction[:, 0], target)),
    ],
)
def test_a_table_that_is_meant_is_none(function: Callable[..., Any]) -> None:
    assert not found(function, COLUMN, ROW)


def test_the_root_of_a_deviation_is_written_whole() -> None:
    [finding] = found(lambda w: jnp.std(w, axis=0), jnp.ones(2))
    assert finding.fix == "Write `jnp.sqrt(jnp.var(w, axis=0) + 1e-12)` instead."


def test_a_step_without_a_name_is_written_out() -> None:
    [finding] = found(lambda w: jnp.sum(jnp.round(w * 4)), ROW)
    assert finding.fix.endswith("use `w * 4 + jax.lax.stop_gradient(jnp.round(w * 4) - w * 4)`.")


def test_a_comparison_is_written_as_a_sign() -> None:
    [finding] = found(lambda w: jnp.sum((w > 1.0).astype(jnp.float32)), ROW)
    assert finding.message.startswith("`>` at ")


def test_what_is_unused_is_left_out_of_what_is_differentiated() -> None:
    def alone(x: Any, unused: Any) -> Any:
        return jnp.sum(x)

    def in_a_dictionary(params: Any) -> Any:
        return jnp.sum(params["x"])

    [finding] = tapeviz.diagnose(tapeviz.record_jax(alone, ROW, ROW, argnums=(0, 1)))
    assert finding.fix == "Use `unused` in `alone`, or leave it out of `argnums`."
    [finding] = found(in_a_dictionary, {"x": ROW, "unused": ROW})
    assert finding.fix == "Use `params['unused']` in `in_a_dictionary`, or leave it out of `params`."


FIXES = {
    "quotient_by_a_norm": (
        lambda w: jnp.sum(w / jnp.linalg.norm(w)),
        [0.0, 0.0],
        "Write `w / jnp.sqrt(jnp.sum(jnp.square(w)) + 1e-12)` instead.",
    ),
    "quotient_by_a_deviation": (
        lambda w: jnp.sum((w - w.mean()) / w.std()),
        [1.0, 1.0],
        "Write `(w - w.mean()) / jnp.sqrt(jnp.var(w) + 1e-05)` instead.",
    ),
    "log_of_a_softmax": (
        lambda w: jnp.log(jax.nn.softmax(w))[0],
        [-200.0, 200.0],
        "Write `jax.nn.log_softmax(w)` instead.",
    ),
    "arccosine_of_an_expression": (
        lambda w: jnp.sum(jnp.arccos(w + 1.0)),
        [0.0],
        "Write `jnp.arccos(jnp.clip(w + 1.0, -1.0 + 1e-06, 1.0 - 1e-06))` instead.",
    ),
    "vectors_of_equal_eigenvalues": (
        lambda w: jnp.sum(jnp.linalg.eigh(w)[1][:, 0] ** 3),
        [[1.0, 0.0], [0.0, 1.0]],
        "as in `w + jnp.diag(jnp.arange(2.0) * 0.0001)`, so that no two eigenvalues are equal, or do without the "
        "gradient of the vectors: that of the values is defined.",
    ),
}
"""A function, where its gradient is NaN, and what is said to write instead."""


@pytest.mark.parametrize("name", FIXES)
def test_what_is_not_finite_is_mended_by_what_is_said(name: str) -> None:
    function, at, fix = FIXES[name]
    [finding] = found(function, jnp.array(at))
    assert finding.fix.endswith(fix)
    code = finding.fix.split("`")[1]
    of_vectors = f"jnp.linalg.eigh({code})[1][:, 0] ** 3"
    mended = eval(f"lambda w: jnp.sum({of_vectors if 'eigen' in name else code})", {"jax": jax, "jnp": jnp})
    assert jnp.isfinite(jax.grad(mended)(jnp.array(at))).all()


def test_a_binary_cross_entropy_is_written_whole() -> None:
    def cost(z: Any, t: Any) -> Any:
        p = jax.nn.sigmoid(z)
        return -jnp.mean(t * jnp.log(p) + (1 - t) * jnp.log(1 - p))

    [finding] = found(cost, jnp.array([200.0, -200.0]), jnp.array([0.0, 1.0]))
    assert "`-(t * jax.nn.log_sigmoid(z) + (1 - t) * jax.nn.log_sigmoid(-z))`" in finding.fix


def test_a_recurrence_that_overflows_is_told_as_growth() -> None:
    def recurrence(w: Any) -> Any:
        h, _ = jax.lax.scan(lambda h, _: (h @ w, None), jnp.ones((1, 2)), None, 40)
        return jnp.sum(h**2)

    [finding] = found(recurrence, jnp.full((2, 2), 3.0))
    assert finding.cause == "nan_in_forward"
    assert "The gradient grows 6-fold from layer to layer." in finding.message
