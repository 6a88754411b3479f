"""A call of a random function -> the stream of random numbers that it draws from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

from tapeviz.engine.functions.integers import INT64, integers_of
from tapeviz.engine.kernels.philox import RESERVED, Philox
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.specs.dtypes import as_dtype
from tapeviz.errors import InvalidArgumentError
from tapeviz.tf import random_state
from tapeviz.tf.api.random.sampling import (
    algorithm,
    dims,
)


def stream(kernel: str, shape: Any, dtype: Any, seed: Any) -> Philox:
    """The random numbers of the next call of a kernel.

    Args:
        kernel: the name of the kernel. There is a separate stream for each dtype.
        shape: the shape of the result.
        dtype: its dtype.
        seed: the seed of the call, or None.
    """
    with seeds_taken(seed):
        count = prod(dims(shape, ".T"))
    return random_state.stream(f"{kernel} {as_dtype(dtype).name}", RESERVED * count, seed)


@contextmanager
def seeds_taken(seed: Any) -> Iterator[None]:
    """A block around the checks of a kernel. If one fails, the seeds of the call count as used, as in TensorFlow."""
    try:
        yield
    except InvalidArgumentError:
        random_state.seeds(seed)
        raise


def stateless_stream(seed: Any, alg: Any) -> Philox:
    """The random numbers of a stateless function, which depend on nothing but its seed.

    Args:
        seed: two integers.
        alg: TensorFlow's name of an algorithm.
    """
    algorithm("auto_select" if alg is None else alg)
    words = integers_of(seed, "a stateless random function.Tseed", hint=INT64)
    require(words.shape == (2,), f"seed must have shape [2], not {listed(words.shape)}. Got {seed!r}.")
    return Philox.of_pair(tuple(words.tolist()))
