"""Which trainings are said to climb: those that make an error larger, with all of their weights, from the start."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

import tapeviz as tv
from tests.diagnosis.programs import run

NET = """
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 2))
x, labels = torch.randn(5, 2), torch.tensor([0, 1, 1, 0, 1])
"""
TREE = """
import jax, optax
import jax.numpy as jnp
p = {"w": jnp.array([[0.5], [-1.0]]), "b": jnp.zeros(1)}
x, y = jnp.array([[1.0, 2.0], [0.5, -1.0], [2.0, 0.3]]), jnp.ones((3, 1))
def loss(p):
    return jnp.mean((x @ p["w"] + p["b"] - y) ** 2)
"""
OPTAX = """
state = optimizer.init(p)
for _ in range(5):
    updates, state = optimizer.update(jax.grad(loss)(p), state)
    p = optax.apply_updates(p, updates)
"""
LINE = """
w, b = tf.Variable([[0.5], [-1.0]]), tf.Variable([0.0])
x, y = tf.constant([[1.0, 2.0], [0.5, -1.0], [2.0, 0.3]]), tf.ones((3, 1))
for _ in range(5):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    for v, g in zip([w, b], tape.gradient(loss, [w, b])):
"""


def _steps(body: str, before: str = "") -> str:
    """The net, and five of its steps."""
    return f"{NET}{dedent(before)}for _ in range(5):\n{indent(dedent(body), '    ')}"


BY_HAND = """
loss = torch.nn.functional.cross_entropy(net(x), labels)
net.zero_grad()
loss.backward()
with torch.no_grad():
    for p in net.parameters():
        {step}
"""
CLIMBING = {
    "added": ("torch", _steps(BY_HAND.format(step="p.add_(0.1 * p.grad)"))),
    "logits": (
        "torch",
        _steps(
            BY_HAND.format(step="p += 0.1 * p.grad").replace(
                "cross_entropy(net(x), labels)", "binary_cross_entropy_with_logits(net(x)[:, 0], labels.float())"
            )
        ),
    ),
    "signs_added": ("torch", _steps(BY_HAND.format(step="p += 0.01 * p.grad.sign()"))),
    "assign_add": ("tensorflow", LINE + "        v.assign_add(0.1 * g)\n"),
    "of_the_engine": ("tapeviz", LINE + "        v.assign_add(0.1 * g)\n"),
    "new_arrays": (
        "jax",
        f"{TREE}for _ in range(5):\n    p = jax.tree.map(lambda a, g: a + 0.1 * g, p, jax.grad(loss)(p))",
    ),
    "scaled_up": ("jax", f"{TREE}optimizer = optax.chain(optax.scale_by_adam(), optax.scale(0.1)){OPTAX}"),
    "updates_subtracted": (
        "jax",
        f"{TREE}optimizer = optax.adam(0.1){OPTAX}".replace(
            "optax.apply_updates(p, updates)", "jax.tree.map(lambda a, u: a - u, p, updates)"
        ),
    ),
}
NOT_CLIMBING = {
    "taken_off": ("torch", _steps(BY_HAND.format(step="p -= 0.1 * p.grad"))),
    "far_too_far": ("torch", _steps(BY_HAND.format(step="p -= 300 * p.grad"))),
    "asked_to_maximize": (
        "torch",
        _steps(
            """
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(net(x), labels).backward()
            optimizer.step()
            """,
            "optimizer = torch.optim.SGD(net.parameters(), lr=0.1, maximize=True)\n",
        ),
    ),
    "velocity_that_overshoots": (
        "torch",
        _steps(
            """
            loss = (net(x) - 1.0).square().mean()
            net.zero_grad()
            loss.backward()
            with torch.no_grad():
                for p, v in zip(net.parameters(), velocities):
                    v.mul_(0.99).sub_(0.01 * p.grad)
                    p += v
            """,
            "velocities = [torch.zeros_like(p) for p in net.parameters()]\n",
        ),
    ),
    "attack_on_the_data": (
        "torch",
        _steps(
            """
            torch.nn.functional.cross_entropy(net(x + shift), labels).backward()
            with torch.no_grad():
                shift += 0.1 * shift.grad.sign()
                shift.grad = None
            """,
            "shift = torch.zeros(5, 2, requires_grad=True)\nnet.requires_grad_(False)\n",
        ),
    ),
    "likelihood_that_is_to_grow": (
        "torch",
        _steps(
            """
            score = net(x).log_softmax(1)[torch.arange(5), labels].mean()
            net.zero_grad()
            score.backward()
            with torch.no_grad():
                for p in net.parameters():
                    p += 0.1 * p.grad
            """
        ),
    ),
    "error_that_is_to_grow": (
        "torch",
        _steps(
            """
            optimizer.zero_grad()
            (-torch.nn.functional.cross_entropy(net(x), labels)).backward()
            optimizer.step()
            """,
            "optimizer = torch.optim.Adam(net.parameters(), lr=0.1)\n",
        ),
    ),
    "descent_of_arrays": ("jax", f"{TREE}optimizer = optax.adam(0.1){OPTAX}"),
    "assign_sub": ("tensorflow", LINE + "        v.assign_sub(0.1 * g)\n"),
}


def _climbs(framework: str, text: str) -> list[str]:
    module = pytest.importorskip(framework)
    if "optax" in text:
        pytest.importorskip("optax")
    return [str(each) for each in tv.diagnose(run(text, module)) if each.cause == "ascent"]


@pytest.mark.parametrize("name", CLIMBING)
def test_steps_that_make_an_error_larger_are_told(name: str) -> None:
    (told,) = _climbs(*CLIMBING[name])
    assert "Each of the first 3 recorded steps" in told


@pytest.mark.parametrize("name", NOT_CLIMBING)
def test_steps_that_do_not_or_are_meant_to_are_not(name: str) -> None:
    assert _climbs(*NOT_CLIMBING[name]) == []
