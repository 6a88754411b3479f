"""Two tensors -> the product of each pair of their examples."""

from __future__ import annotations

from string import ascii_letters
from typing import Any

from tapeviz.engine.functions.exports import EXPORTS as tf


def batch_dot(x: Any, y: Any, axes: Any = None) -> Any:
    """For each example, the product of x and y, summed over an axis of each.

    Args:
        x: a tensor whose first axis is the batch.
        y: another one.
        axes: the axis, counted with the batch, or one for each; by default the last one of x, and the last but one of
            y.

    Raises:
        ValueError: a tensor has too few axes, or the batches or the axes do not fit.

    >>> import tapeviz as tf
    >>> batch_dot(tf.ones([2, 3]), tf.ones([2, 3]), axes=1).numpy().tolist()
    [[3.0], [3.0]]
    """
    shapes = [tuple(each.shape) for each in (x, y)]
    given = f"Received inputs with tf.shapes {x.shape} and {y.shape}."
    if min(map(len, shapes)) < 2:
        raise ValueError(f"Cannot do batch_dot on inputs with rank < 2. {given}")
    if shapes[0][0] != shapes[1][0]:
        raise ValueError(f"Cannot do batch_dot on inputs with different batch sizes. {given}")
    if axes is None:
        axes = (-1, -1 if len(shapes[1]) == 2 else -2)
    pairs = list(zip([axes] * 2 if isinstance(axes, int) else axes, shapes, strict=True))
    summed = [each + len(shape) * (each < 0) for each, shape in pairs]
    if any(not 0 <= axis < len(shape) for axis, shape in zip(summed, shapes, strict=True)):
        raise ValueError(f"Cannot do batch_dot over axes that are not there: axes={axes}. {given}")
    if 0 in summed:
        raise ValueError(
            "Cannot perform batch_dot over axis 0. If your inputs are not batched, add a dummy batch dimension to your "
            "inputs using keras.ops.expand_dims(x, 0)"
        )
    if shapes[0][summed[0]] != shapes[1][summed[1]]:
        raise ValueError(f"Cannot do batch_dot on inputs with tf.shapes {x.shape} and {y.shape} with axes={axes}.")
    letters = iter(ascii_letters[2:])
    parts = [
        ["a", *("b" if axis == own else next(letters) for axis in range(1, len(shape)))]
        for own, shape in zip(summed, shapes, strict=True)
    ]
    kept = "".join(letter for part in parts for letter in part if letter not in "ab")
    product = tf["einsum"](f"{''.join(parts[0])},{''.join(parts[1])}->a{kept}", x, y)
    return product if kept else tf["expand_dims"](product, 1)
