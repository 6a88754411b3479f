"""A call of a random function -> the stream of random numbers that it draws from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

from tapeviz.engine import random
from tapeviz.engine.api.integers import INT64, integers_of
from tapeviz.engine.api.random.sampling import (
    algorithm,
    dims,
)
from tapeviz.engine.kernels.philox import RESERVED, Philox
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.specs.dtypes import as_dtype
from tapeviz.errors import InvalidArgumentError


def stream(kernel: str, shape: Any, dtype: Any, seed: Any) -> Philox:
    """The numbers of the next call of a kernel, which has one for each dtype."""
    with seeds_taken(seed):
        count = prod(dims(shape, ".T"))
    return random.stream(f"{kernel} {as_dtype(dtype).name}", RESERVED * count, seed)


@contextmanager
def seeds_taken(seed: Any) -> Iterator[None]:
    """Around what a kernel refuses: by then TensorFlow has taken the seeds of the call."""
    try:
        yield
    except InvalidArgumentError:
        random.seeds(seed)
        raise


def stateless_stream(seed: Any, alg: Any) -> Philox:
    """The stream of a stateless op: always the same numbers for its seed, two ints."""
    algorithm("auto_select" if alg is None else alg)
    words = integers_of(seed, "a stateless random function.Tseed", hint=INT64)
    require(words.shape == (2,), f"seed must have shape [2], not {listed(words.shape)}. Got {seed!r}.")
    return Philox.of_pair(tuple(words.tolist()))
