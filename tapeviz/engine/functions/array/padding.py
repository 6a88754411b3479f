"""A tensor -> the same tensor with a border, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import (
    number_of,
    plain,
    tensor_of,
    together,
    value_of,
)
from tapeviz.engine.functions.exports import export
from tapeviz.engine.op_errors.dtypes import wrong_dtype
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import joining as ops
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.errors import InvalidArgumentError


@export("pad")
def pad(
    tensor: object, paddings: object, mode: str = "CONSTANT", constant_values: object = 0, name: str | None = None
) -> Any:
    """A tensor with a border around it.

    Args:
        tensor: a tensor, or what can become one.
        paddings: for each axis, how many elements are added before and after it.
        mode: "CONSTANT" for a border of one value; "REFLECT" or "SYMMETRIC" for one that mirrors the tensor, without or
            with its edge.
        constant_values: the value of a constant border.

    Raises:
        ValueError: an unknown `mode`.
        InvalidArgumentError: `paddings` does not have two numbers of at least 0 for each axis, or a mirrored border is
            wider than the tensor.

    >>> import tapeviz as tf
    >>> tf.pad([1, 2, 3], [[2, 1]]).numpy().tolist()
    [0, 0, 1, 2, 3, 0]
    >>> tf.pad([1, 2, 3], [[2, 1]], mode="REFLECT").numpy().tolist()
    [3, 2, 1, 2, 3, 2]
    """
    mode = mode.upper()
    if mode == "CONSTANT" and isinstance(constant_values, TensorLike) and not isinstance(tensor, TensorLike):
        tensor = plain(tensor, constant_values._value.dtype, "pad")
    if mode not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {mode}"
        )
    x = tensor_of(tensor)
    given = np.asarray(value_of(number_of(paddings, "pad.Tpaddings") if isinstance(paddings, TensorLike) else paddings))
    if given.size and given.dtype.kind not in "bi":
        raise wrong_dtype("pad.Tpaddings", given.dtype, f"borders {given.tolist()}")
    if given.shape != (x.ndim, 2):
        shape = listed(given.shape)
        gap = " " if mode == "CONSTANT" else ", "
        said = f"The first dimension of paddings must be the rank of inputs{shape}{gap}{listed(x.shape)}"
        if given.ndim != 2 or given.shape[1] != 2:
            said = f"paddings must be a matrix with 2 columns: {shape}"
        raise InvalidArgumentError(f"{said}. In pad: a pair for each axis of shape {x.shape}.")
    borders = tuple(map(tuple, given.tolist()))
    if given.size and given.min() < 0:
        before, after = next(border for border in borders if min(border) < 0)
        raise InvalidArgumentError(f"Paddings must be non-negative: {before} {after}. In pad: they are {borders}.")
    if mode == "CONSTANT":
        return ops.pad(x, paddings=borders, constant_values=_border(x, constant_values))
    beyond = 1 if mode == "REFLECT" else 0
    for length, (before, after) in zip(x.shape, borders, strict=True):
        if max(before, after) > length - beyond:
            limit, than = ("less than", "not less than") if beyond else ("no greater than", "greater than")
            raise InvalidArgumentError(
                f"paddings must be {limit} the dimension size: {before}, {after} {than} {length}. "
                f"In a {mode} pad of shape {x.shape}.",
                at_run=True,
            )
    return ops.mirror_pad(x, paddings=borders, beyond=beyond)


def _border(x: Any, value: Any) -> Any:
    """What a border is made of: a plain 0 fits truth values, and texts, of which it is the empty one, too."""
    if np.isscalar(value) and value == 0:
        dtype = x._value.dtype
        return b"" if dtype.kind == "O" else dtype.type(0).item()
    border = value_of(together("pad", x, value)[1])
    require(not np.ndim(border), f"constant_values must be a scalar. Found: {listed(np.shape(border))}. In pad.")
    return border.item() if isinstance(border, np.generic) else border
