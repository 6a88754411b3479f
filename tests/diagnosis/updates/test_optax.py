"""What a program makes of what optax returns: kept, or left where it is."""

from __future__ import annotations

import pytest

import tapeviz as tv
from tests.diagnosis.programs import run

jax = pytest.importorskip("jax")
pytest.importorskip("optax")
pytestmark = pytest.mark.jax

STEPS = """
import jax, optax
import jax.numpy as jnp
optimizer = optax.adam(0.01)
params = {"w": jnp.ones(3)}
state = optimizer.init(params)
x = jnp.arange(3.0)
for _ in range(3):
    gradients = jax.grad(lambda p: jnp.sum((p["w"] * x - 1) ** 2))(params)
    """
KEPT = "updates, state = optimizer.update(gradients, state)\n    params = optax.apply_updates(params, updates)"
AFTER = {
    "kept": (KEPT, []),
    "state_left": (
        KEPT.replace("updates, state", "updates, _"),
        [("hint", "stale_value", "begins with `mu`")],
    ),
    "state_made_anew": (KEPT.replace("state)", "optimizer.init(params))"), [("hint", "stale_value", "`p['w']`")]),
    "state_left_by_tasks": (
        KEPT.replace("updates, state", "updates, _").replace("    params =", "    adapted ="),
        [("hint", "update_lost", "nothing that is seen reads it: the next pass")],
    ),
    "weights_dropped": (
        KEPT.replace("params = ", ""),
        [("warning", "update_lost", "nothing reads it: the next pass and the next step begin with the old one again.")],
    ),
}


@pytest.mark.parametrize("name", AFTER)
def test_what_a_step_returns_is_to_be_kept(name: str) -> None:
    lines, wanted = AFTER[name]
    found = tv.diagnose(run(STEPS + lines, jax))
    assert [(each.severity, each.cause) for each in found] == [(severity, cause) for severity, cause, _ in wanted]
    for each, (_, _, part) in zip(found, wanted, strict=True):
        assert part in each.message
        assert "other" not in each.message.partition("again.")[2]
