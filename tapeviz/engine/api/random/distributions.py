"""Random tensors of a distribution, drawn one call after the other, with TensorFlow's names and numbers."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import random
from tapeviz.engine.api.exports import export
from tapeviz.engine.api.random.sampling import (
    UNIFORM,
    accepted,
    normal_from,
    uniform_from,
)
from tapeviz.engine.api.random.streams import stream

export("random.set_seed")(random.set_seed)


@export("random.normal")
def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Normally distributed numbers of a shape."""
    return normal_from(lambda: stream("normal", shape, dtype, seed), shape, mean, stddev, dtype)


@export("random.truncated_normal")
def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Normally distributed numbers, those further than two deviations from the mean drawn again."""
    return normal_from(
        lambda: stream("truncated_normal", shape, dtype, seed), shape, mean, stddev, dtype, truncated=True
    )


@export("random.uniform")
def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Numbers from `minval` up to, not including, `maxval` (1 by default).

    Raises:
        ValueError: integers without a `maxval`.
        TypeError: integers between bounds that are none.
    """
    wanted = accepted(dtype, UNIFORM)
    return uniform_from(lambda: stream("uniform", shape, wanted, seed), shape, minval, maxval, wanted)
