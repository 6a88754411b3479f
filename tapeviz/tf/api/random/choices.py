"""Rows in random order, and classes drawn by their probabilities, under TensorFlow's names.

The numbers are TensorFlow's, except for `categorical` with so many rows that TensorFlow shares them out among threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import number_of, tensor_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import int32_of
from tapeviz.engine.kernels.philox import RESERVED
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array, picking, searching
from tapeviz.engine.specs.dtypes import of_numpy
from tapeviz.tf import random_state
from tapeviz.tf.api.random.sampling import (
    accepted,
)
from tapeviz.tf.api.random.streams import seeds_taken


@export("random.shuffle")
def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Any:
    """The rows of a tensor in random order. No gradient.

    Args:
        value: a tensor, or what can become one.
        seed: a seed for this call, besides that of `tf.random.set_seed`.

    >>> import tapeviz as tf
    >>> sorted(tf.random.shuffle([1, 2, 3]).numpy().tolist())
    [1, 2, 3]
    """
    x = array.stop_gradient(tensor_of(value))
    swaps = max(x.shape[0] - 1, 0) if x.ndim else 0
    source = random_state.stream(f"shuffle {x.dtype.name}", -(-swaps // 4), seed)
    if not x.ndim:
        return x
    order = source.permutation(x.shape[0])
    return picking.gather(x, order, axis=0, batch_dims=0)


@export("random.categorical")
def categorical(
    logits: Any, num_samples: Any, dtype: Any = "int64", seed: int | None = None, name: str | None = None
) -> Any:
    """Class indices, drawn with the probabilities `softmax(logits)`. No gradient.

    Args:
        logits: a matrix with a distribution in each row.
        num_samples: how many indices are drawn from each.
        dtype: the dtype of the indices, int32 or int64.
        seed: a seed for this call, besides that of `tf.random.set_seed`.

    Returns:
        A matrix with `num_samples` indices in each row.

    Raises:
        ValueError: another dtype.
        InvalidArgumentError: `logits` is not a matrix or has no columns, or `num_samples` is negative.

    >>> import tapeviz as tf
    >>> tf.random.categorical([[-1e9, 0.0]], 3).numpy().tolist()
    [[1, 1, 1]]
    """
    wanted = accepted(dtype or "int64", ("int32", "int64"))
    with seeds_taken(seed):
        rows = number_of(logits, "multinomial")._value
        require(rows.ndim == 2, f"logits should be a matrix, got shape {listed(rows.shape)}.")
        said = "num_samples should be a scalar, got shape {shape}."
        count = int32_of(num_samples, "categorical", otherwise=said)
        require(count >= 0, f"num_samples should be non-negative, got {count}.")
        require(rows.shape[1] > 0, "categorical draws from the classes of the last axis of logits: there are none.")
    kernel, kept = f"categorical {of_numpy(rows.dtype).name} {wanted.name}", -(-count // 4) * 4
    source = random_state.stream(kernel, 2 * RESERVED * rows.shape[0] * kept, seed)
    noise = source.random((rows.shape[0], count), np.float64)
    return searching.categorical(tensor_of(logits), noise, dtype=wanted.name)
