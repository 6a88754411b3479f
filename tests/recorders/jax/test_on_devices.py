"""Functions that JAX maps over devices, and arrays that these share out: op by op, with the gradient of the whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from tests.processes import ROOT

pytest.importorskip("jax")
pytestmark = pytest.mark.jax

MAPPED = {
    "shard_map": ["psum", "data", 4],
    "shard_map in two directions": ["psum", "data, model", 4],
    "shard_map, gathered": ["all_gather", "data", 4],
    "shard_map, passed round": ["ppermute", "data", 4],
    "shard_map, computed again": ["all_gather", "data", 4],
    "shard_map, picked": ["psum", "data", 4],
    "shard_map, cast within": ["psum", "data", 4],
    "jit of shard_map": ["psum", "data", 4],
}
"""A program -> its first collective, with its axis and the number of devices along that."""
CASES = (*MAPPED, "shard_map, in a loop", "pmap", "jit of shards", "shards")


@cache
def outcomes() -> dict[str, dict[str, Any]]:
    """What a process of four devices says of them."""
    environment = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-m", "tests.recorders.jax.on_devices"]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    found: dict[str, dict[str, Any]] = json.loads(ended.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("case", CASES)
def test_results_are_those_of_the_program_and_gradients_those_without_devices(case: str) -> None:
    found = outcomes()[case]
    assert found["same"]
    assert found["right"]
    assert found["name"] == "w"
    assert found["told"].startswith("Nothing found."), found["told"]


@pytest.mark.parametrize("case", MAPPED)
def test_collectives_are_ops_with_their_axis(case: str) -> None:
    assert outcomes()[case]["collectives"][0] == MAPPED[case]


@pytest.mark.parametrize(
    ("case", "cause", "parts"),
    [
        ("without its mean", "device_sum_missing", ("`data`", "`P()`", "the first of 4", "jnp.mean(")),
        ("summed twice", "device_sum_doubled", ("`psum`", "4 devices", "4 times", 'return lax.psum(mean, "data")')),
    ],
)
def test_a_sum_over_devices_that_is_missing_or_comes_twice_is_named(
    case: str, cause: str, parts: tuple[str, ...]
) -> None:
    found = outcomes()[case]
    assert found["same"]
    assert found["right"]
    assert f"[{cause}]" in found["told"]
    assert [part for part in parts if part not in found["told"]] == []


def test_an_attribute_that_names_axes_is_of_the_stacked_array() -> None:
    [axis] = outcomes()["shard_map, picked"]["axes"]
    assert axis == [1, 2]


def test_the_sharding_of_values_and_gradients_is_known() -> None:
    assert outcomes()["jit of shards"]["placements"] == ["P(None, 'model')", "P(None, 'model')"]
    assert outcomes()["shards"]["placements"][0] == "P()"
    assert outcomes()["shard_map"]["placements"] == [None, None]
