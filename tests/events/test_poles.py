"""Ops with a pole, by the catalog, are those whose values or derivatives stop being finite at some number."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.engine.op import Op
from tapeviz.engine.ops import OPS
from tapeviz.events.catalog import ROWS
from tapeviz.events.ops import foreign
from tests.engine.samples import SAMPLES, Sample, ruled

EDGES = (0.0, 1.0, -1.0)
"""Every op that has a pole has one here, or where all its operands are zero."""

LEFT_OUT = {"eigh": "numpy.linalg.eigh", "svd": "numpy.linalg.svd"}
"""Of equal values TensorFlow's rule leaves the infinite terms out, JAX's does not."""

ELSEWHERE = {
    "cbrt": ("lax.cbrt", 0.0),
    "erf_inv": ("lax.erf_inv", 1.0),
    "rdiv": ("lax.div", 0.5, 0.0),
    "rem": ("lax.rem", 0.5, 0.0),
    "rpow": ("lax.pow", 0.0, 0.5),
    **{op: (function, np.eye(2)) for op, function in LEFT_OUT.items()},
}
"""A function of JAX's, and operands at its pole."""


@pytest.mark.parametrize("name", sorted(ROWS.keys() - LEFT_OUT))
def test_a_row_names_the_pole_that_its_op_has(name: str) -> None:
    single = {argument for sample in SAMPLES[name] for argument in poles(name, sample, apart=True)}
    found = single or {argument for sample in SAMPLES[name] for argument in poles(name, sample, apart=False)}
    pole = ROWS[name].pole
    assert found == set() if pole is None else pole in found
    assert pole is None or ROWS[name].domain != ()


def poles(name: str, sample: Sample, *, apart: bool) -> Iterator[str | None]:
    """The arguments at an edge of which, each put in by itself or all together, something is not finite."""
    floats = [i for i, each in enumerate(sample.arguments) if np.asarray(each).dtype.kind in "fc"]
    for chosen, edge in product([[i] for i in floats], EDGES) if apart else [(floats, 0.0)]:
        operands = [np.full_like(each, edge) if i in chosen else each for i, each in enumerate(sample.arguments)]
        with suppress(tf.errors.InvalidArgumentError):  # that is told in its place
            if not all(map(is_finite, results(OPS[name], operands, sample))):
                yield from (ROWS[name].argument(i) for i in chosen)


def results(op: Op, operands: list[Any], sample: Sample) -> Iterator[Any]:
    """The value of an op, and its derivatives."""
    followed = ruled(op, sample)
    given = [tf.Variable(each) if i in followed else each for i, each in enumerate(operands)]
    with tf.GradientTape() as tape:
        made = op(*given, **sample.attributes)
    outputs = list(made) if isinstance(made, tuple) else [made]
    yield from outputs
    gradients = tape.gradient(outputs, [given[i] for i in followed]) if followed else []
    yield from (tf.convert_to_tensor(each) for each in gradients if each is not None)


def is_finite(value: Any) -> bool:
    array = np.asarray(value)
    return array.dtype.kind not in "fc" or bool(np.isfinite(array).all())


def test_what_is_not_checked_here_is_listed() -> None:
    assert {name for name, row in foreign.ROWS.items() if row.pole is not None} | LEFT_OUT.keys() == ELSEWHERE.keys()


@pytest.mark.parametrize("name", sorted(ELSEWHERE))
def test_at_the_pole_of_an_op_of_other_frameworks_something_is_not_finite(name: str) -> None:
    jax = pytest.importorskip("jax")
    path, *operands = ELSEWHERE[name]
    out, pull = jax.vjp(attrgetter(path)(jax), *operands)
    slopes = pull(jax.tree.map(jax.numpy.ones_like, out))
    assert not all(map(is_finite, jax.tree.leaves((out, slopes))))
