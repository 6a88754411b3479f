"""A number of Python's in a module whose arrays are differentiated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.diagnosis.finding import Finding

pytestmark = pytest.mark.jax

PROGRAM = """
from dataclasses import dataclass, replace
import jax
import jax.numpy as jnp
import tapeviz as tv

@jax.tree_util.register_dataclass
@dataclass
class Spring:
    stiffness: float{default}
    offset: jax.Array{default_of_arrays}

    def __call__(self, x):
        return {formula}

def loss(moving, still):
    spring = replace(moving, stiffness=still.stiffness if moving.stiffness is None else moving.stiffness)
    return jnp.mean(spring(jnp.linspace(-1.0, 1.0, 5)) ** 2)

model = Spring({stiffness}, jnp.array(0.2))
moving = replace(model, stiffness={moving})
log = tv.record_jax(loss, moving, model)
"""
GIVEN = {
    "default": "",
    "default_of_arrays": "",
    "formula": "-self.stiffness * (x - self.offset)",
    "stiffness": "1.5",
    "moving": "None",
}


def _told(tmp_path: Path, **given: str) -> list[Finding]:
    program = tmp_path / "spring.py"
    program.write_text(PROGRAM.format(**{**GIVEN, **given}), encoding="utf-8")
    space: dict[str, Any] = {"__name__": "spring"}
    exec(compile(program.read_text(encoding="utf-8"), str(program), "exec", dont_inherit=True), space)
    return [each for each in tv.diagnose(space["log"]) if each.cause == "not_trainable"]


def test_it_is_told_where_the_module_is_made(tmp_path: Path) -> None:
    [finding] = _told(tmp_path)
    assert finding.severity == "hint"
    assert finding.site is not None
    assert finding.site.text == "model = Spring(1.5, jnp.array(0.2))"
    assert "`Spring.stiffness` is the number 1.5" in finding.message
    assert "+model = Spring(jnp.array(1.5), jnp.array(0.2))" in finding.patch()


@pytest.mark.parametrize(
    "given",
    [
        {"stiffness": "jnp.array(1.5)"},
        {"moving": "jnp.array(1.5)"},
        {"formula": "(x - self.offset) + self.stiffness"},
        {"default": " = 2.0", "default_of_arrays": " = 0.0"},
    ],
    ids=["an array", "differentiated", "no formula scales by it", "a setting"],
)
def test_nothing_is_said_of(given: dict[str, str], tmp_path: Path) -> None:
    assert _told(tmp_path, **given) == []
