"""A function of TensorFlow tensors, and values for them -> its results, and what pulls gradients back through it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf


def pull_back(
    function: Callable[..., list[Any]], like: Sequence[Any], values: Sequence[Any]
) -> tuple[list[Any], Callable[[Sequence[Any]], list[Any]]]:
    """Run a function of tensors on arrays, which become tensors as those are that are `like` them."""
    inputs = [tf.constant(value, each.dtype) for each, value in zip(like, values, strict=True)]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(inputs)
        outputs = function(*inputs)

    def pull(upstream: Sequence[Any]) -> list[Any]:
        found = tape.gradient(outputs, inputs, [tf.constant(each) for each in upstream])
        return [None if each is None else np.asarray(tf.convert_to_tensor(each)) for each in found]

    return [np.asarray(each) for each in outputs], pull
