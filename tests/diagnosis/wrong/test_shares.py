"""Losses of JAX, written out: those that are given probabilities for logits, and those that are not."""

from __future__ import annotations

import pytest

from tapeviz.diagnosis.finding import Finding
from tests.diagnosis.wrong.test_witnessed import run

jax = pytest.importorskip("jax")
pytestmark = pytest.mark.jax

PROGRAM = """\
import jax
import jax.numpy as jnp
w = jnp.arange(12.0).reshape(4, 3) / 10
x, t = jnp.eye(5, 4) + 0.1, jnp.eye(5, 3)
def loss(w):
    {lines}
jax.grad(loss)(w)
"""
SOFTMAX = [
    "return -jnp.mean(t * jax.nn.log_softmax(p))",
    "return jnp.mean(jax.scipy.special.logsumexp(p, axis=1) - jnp.sum(t * p, axis=1))",
    "return jnp.mean(jnp.log(jnp.exp(p).sum(1)) - (t * p).sum(1))",
    "return jnp.mean(jax.nn.logsumexp(p, axis=-1, keepdims=True) - p[:, :1])",
]
SIGMOID = [
    "return jnp.mean(-t * jax.nn.log_sigmoid(p) - (1 - t) * jax.nn.log_sigmoid(-p))",
    "return jnp.mean(jax.nn.softplus(p) - t * p)",
    "return jnp.mean(jnp.maximum(p, 0) - t * p + jnp.log1p(jnp.exp(-jnp.abs(p))))",
]


def _found(*lines: str) -> list[Finding]:
    import tapeviz

    _, log = run(PROGRAM.format(lines="\n    ".join(lines)))
    return [each for each in tapeviz.diagnose(log) if each.cause == "api_misuse"]


@pytest.mark.parametrize("loss", SOFTMAX)
@pytest.mark.parametrize("made", ["p = jax.nn.softmax(x @ w)", "e = jnp.exp(x @ w); p = e / e.sum(1, keepdims=True)"])
def test_a_softmax_ahead_of_another(made: str, loss: str) -> None:
    (found,) = _found(made, loss)
    assert (found.symptom, found.severity) == ("wrong", "hint")
    assert found.site is not None
    assert found.site.text == made
    assert "`softmax`" in found.message


@pytest.mark.parametrize("loss", SIGMOID)
def test_a_sigmoid_ahead_of_another(loss: str) -> None:
    (found,) = _found("p = jax.nn.sigmoid(x @ w)", loss)
    assert found.site is not None
    assert found.site.text == "p = jax.nn.sigmoid(x @ w)"


@pytest.mark.parametrize("made", ["p = x @ w", "p = jax.nn.log_softmax(x @ w)", "p = jnp.tanh(x @ w)"])
@pytest.mark.parametrize("loss", [*SOFTMAX, *SIGMOID])
def test_logits_are_left_alone(made: str, loss: str) -> None:
    assert _found(made, loss) == []


@pytest.mark.parametrize(
    "lines",
    [
        ("p = jax.nn.softmax(x @ w, axis=0)", "return jax.scipy.special.logsumexp(p, axis=1).sum() - p[0, 0]"),
        ("p = jax.nn.softmax(x @ w)", "return -jnp.mean(jnp.log(p) * t)"),
        ("p = jax.nn.sigmoid(x @ w)", "return jnp.sum(jax.nn.softplus(p))"),
        ("p = jax.nn.sigmoid(x @ w)", "return -jnp.mean(t * jnp.log(p) + (1 - t) * jnp.log1p(-p))"),
        ("p = jax.nn.softmax(x @ w)", "return jnp.sum(jax.nn.softmax(p @ w.T) ** 2)"),
    ],
)
def test_probabilities_taken_for_what_they_are(lines: tuple[str, str]) -> None:
    assert _found(*lines) == []
