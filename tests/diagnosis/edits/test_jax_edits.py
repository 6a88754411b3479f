"""Edits of programs of JAX's: what they write, that the gradient is there then, and where none is offered."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.diagnosis.fixes.healing import healed
from tests.diagnosis.fixes.programs import Faulty
from tests.diagnosis.fixes.running import PROGRAM, gradients, in_process
from tests.diagnosis.planted.symptoms import unhealthy

pytestmark = pytest.mark.jax

HEAD = "import functools\nimport jax\nimport jax.numpy as jnp\nimport tapeviz\n"

STATIC = """
    masked = jax.custom_jvp(lambda x, keep, by: x * keep * by, nondiff_argnums=(1,))
    masked.defjvp(lambda keep, primals, tangents: jax.jvp(lambda x, by: x * keep * by, primals, tangents))
    def step(carry, _):
        x, keep = carry
        return (masked(x, keep, 0.5), keep), None
    def loss(x, keep):
        (x, _), _ = jax.lax.scan(step, (x, keep), None, length=3)
        return jnp.sum(x ** 2)
    log = tapeviz.record_jax(loss, jnp.array([1.0, -2.0]), jnp.array([True, True]))
    """

STATE = """
    def loss(state, params, x):
        return jnp.mean((params["scale"] * x + params["shift"]) ** 2)
    state = {"steps": jnp.array(3), "mean": jnp.array(0.5)}
    params = {"scale": jnp.array(2.0), "shift": jnp.array(1.0)}
    log = tapeviz.record_jax(loss, state, params, jnp.array([1.0, 2.0]))
    """

WRITTEN = {
    "a static argument that is an array": (
        STATIC,
        [
            "masked = jax.custom_jvp(lambda x, keep, by: x * keep * by)",
            "masked.defjvp(lambda primals, tangents: (lambda keep, primals, tangents: "
            "jax.jvp(lambda x, by: x * keep * by, primals, tangents))"
            "(primals[1], (primals[0], primals[2]), (tangents[0], tangents[2])))",
        ],
    ),
    "a structure with integers before the parameters": (
        STATE,
        ["log = tapeviz.record_jax(loss, state, params, jnp.array([1.0, 2.0]), argnums=1)"],
    ),
}

UNWRITTEN = {
    "two static arguments": STATIC.replace("=(1,)", "=(1, 2)").replace(
        "lambda keep, primals, tangents: jax.jvp(lambda x, by:", "lambda keep, by, primals, tangents: jax.jvp(lambda x:"
    ),
    "a rule with a decorator": STATIC.replace(
        "    masked.defjvp(lambda keep, primals, tangents: jax.jvp(lambda x, by: x * keep * by, primals, tangents))\n",
        "    @masked.defjvp\n    def rule(keep, primals, tangents):\n"
        "        return jax.jvp(lambda x, by: x * keep * by, primals, tangents)\n",
    ),
    "two structures of floats": STATE.replace("params, x):", "params, x):\n        x = x['x']").replace(
        "jnp.array([1.0, 2.0]))", '{"x": jnp.array([1.0, 2.0])})'
    ),
    "parameters with integers": STATE.replace("jnp.array(1.0)}", "jnp.array(1)}"),
    "an argument that is told": STATE.replace("2.0]))", "2.0]), argnums=0)"),
}


@pytest.mark.parametrize(("text", "written"), WRITTEN.values(), ids=WRITTEN)
def test_what_is_written_heals(text: str, written: list[str], tmp_path: Path) -> None:
    program = HEAD + dedent(text)
    outcome = healed(Faulty("", "jax", program, program, 1), tmp_path, in_process)
    assert outcome.is_healed, outcome
    assert [each.strip() for each in outcome.text.splitlines() if each not in program.splitlines()] == written
    assert unhealthy(gradients(outcome.text, "jax")) == []


@pytest.mark.parametrize("text", UNWRITTEN.values(), ids=UNWRITTEN)
def test_nothing_is_offered_that_would_not_do(text: str, tmp_path: Path) -> None:
    (tmp_path / PROGRAM).write_text(HEAD + dedent(text))
    found = in_process(tmp_path)
    assert found
    assert [each["patch"] for each in found] == [""] * len(found)
