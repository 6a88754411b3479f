"""Random healthy programs: every variable takes part in the loss, and nothing above a hint may be said."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

from tests.diagnosis import random_torch
from tests.diagnosis.programs import loud, run
from tests.diagnosis.random_programs import program
from tests.engine import names as tf
from tests.recorders.jax import random_programs
from tests.seeds import each_seed


@each_seed
def test_a_random_healthy_program_is_silent(seed: int) -> None:
    text = program(seed)
    assert loud(run(text, tf)) == [], text


@pytest.mark.tensorflow
@each_seed
def test_so_it_is_in_tensorflow(seed: int) -> None:
    import tensorflow

    text = program(seed)
    assert loud(run(text, tensorflow)) == [], text


@pytest.mark.torch
@each_seed
def test_a_random_healthy_program_of_pytorch_is_silent(seed: int) -> None:
    torch = pytest.importorskip("torch")
    text = random_torch.program(seed)
    assert loud(run(text, torch)) == [], text


@pytest.mark.jax
@each_seed
def test_a_random_healthy_program_of_jax_is_silent(seed: int) -> None:
    jax = pytest.importorskip("jax")
    text, name = random_programs.program(seed)[0] + random_programs.ALL_TAKE_PART, f"<jax program {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {}
    exec(compile(text, name, "exec"), space)
    numbers = np.random.default_rng(seed)
    x, w = (jax.numpy.asarray(numbers.normal(size=random_programs.SIZE), "float32") for _ in range(2))
    log = tf.record_jax(space["healthy"], x, w, argnums=(0, 1))
    assert loud(log) == [], text
