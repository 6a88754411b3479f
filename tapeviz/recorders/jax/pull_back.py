"""A function of JAX's arrays, and values for them -> its results, and what pulls gradients back through it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np


def pull_back(
    function: Callable[..., list[Any]], like: Sequence[Any], values: Sequence[Any]
) -> tuple[list[Any], Callable[[Sequence[Any]], list[Any]]]:
    """Run a function of arrays on others, which become arrays as those are that are `like` them.

    By complex numbers JAX gives the conjugate of what the other frameworks give.
    """
    inputs = [jax.numpy.asarray(value, each.dtype) for each, value in zip(like, values, strict=True)]
    outputs, pulled = jax.vjp(function, *inputs)

    def pull(upstream: Sequence[Any]) -> list[Any]:
        seeds = [jax.numpy.asarray(np.conj(g), out.dtype) for g, out in zip(upstream, outputs, strict=True)]
        return [np.conj(np.asarray(each)) for each in pulled(seeds)]

    return [np.asarray(each) for each in outputs], pull
