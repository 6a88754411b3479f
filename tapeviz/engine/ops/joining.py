"""The op table: concatenation, splitting, tiling and padding."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from tapeviz.engine.backward.slices import Slices
from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts
from tapeviz.engine.kernels.mirror_pad import Paddings, folded, mirrored
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.ops.array import Shape, reshape
from tapeviz.engine.ops.math import sum_to
from tapeviz.engine.ops.picking import getitem
from tapeviz.engine.ops.segments import unsorted_segment_sum
from tapeviz.engine.specs.dtype_sets import EVERY, dtypes
from tapeviz.engine.specs.dtypes import Array
from tapeviz.engine.values.convert import unboxed

# ----- joining and parting -----


def _starts(shapes: tuple[Shape, ...], axis: int) -> list[int]:
    starts = [0]
    for shape in shapes:
        starts.append(starts[-1] + shape[axis])
    return starts


def _concat_rule(g: object, values_shape: tuple[Shape, ...], axis: int) -> tuple[Any, ...]:
    axis = normalize_axis_index(axis, len(values_shape[0]))
    starts = _starts(values_shape, axis)
    if isinstance(g, Slices):
        return tuple(g.cut(axis, start, shape) for start, shape in zip(starts, values_shape, strict=False))
    whole = ((None, None, None),) * axis
    return tuple(getitem(g, index=(*whole, (a, b, None))) for a, b in pairwise(starts))


def _stack_rule(g: object, values_shape: tuple[Shape, ...], axis: int) -> tuple[Any, ...]:
    axis = normalize_axis_index(axis, len(values_shape[0]) + 1)
    whole = ((None, None, None),) * axis
    return tuple(getitem(g, index=(*whole, i)) for i in range(len(values_shape)))


def _concat(*values: Array, axis: int) -> Any:
    require(all(each.shape for each in values), "concat joins along an axis, which a scalar has not: use tf.stack.")
    return np.concatenate(values, axis)


def _unstack(x: Array, *, axis: int) -> tuple[Any, ...]:
    return tuple(map(unboxed, np.moveaxis(x, axis, 0)))


def _split(x: Array, *, sizes: Shape, axis: int) -> tuple[Any, ...]:
    return tuple(np.split(x, np.cumsum(sizes)[:-1], axis))


concat = defop("concat", _concat, Facts(hands_out=True, dtypes=EVERY), values=_concat_rule)
stack = defop("stack", lambda *values, axis: np.stack(values, axis), Facts(dtypes=EVERY), values=_stack_rule)
unstack = defop("unstack", _unstack, x=lambda g, axis: stack(*g, axis=axis))
split = defop("split", _split, x=lambda g, axis: concat(*g, axis=axis))


def _tile_rule(g: object, x_shape: Shape, multiples: Shape) -> Any:
    """The sum over the copies, which are reshaped to axes of their own."""
    pairs = tuple(n for pair in zip(multiples, x_shape, strict=True) for n in pair)
    once = tuple(n for pair in zip((1,) * len(x_shape), x_shape, strict=True) for n in pair)
    return reshape(sum_to(reshape(g, shape=pairs), shape=once), shape=x_shape)


def _tile(x: Array, *, multiples: Shape) -> Any:
    require(
        len(multiples) == x.ndim,
        f"Expected multiples argument to be a vector of length {x.ndim} but got length {len(multiples)}, in tile.",
    )
    return unboxed(np.tile(x, multiples))


tile = defop("tile", _tile, Facts(dtypes=EVERY, no_kernel=dtypes("uint16")), x=_tile_rule)


def _repeat_rule(g: object, x_shape: Shape, repeats: Shape, axis: int) -> Any:
    from_row = np.repeat(np.arange(x_shape[axis], dtype=np.int32), repeats)
    return unsorted_segment_sum(g, from_row, num_segments=x_shape[axis], axis=axis)


repeat = defop("repeat", lambda x, *, repeats, axis: np.repeat(x, repeats, axis), x=_repeat_rule)

# ----- borders -----


def _pad(x: Array, *, paddings: Paddings, constant_values: Array) -> Any:
    out = np.full([n + a + b for n, (a, b) in zip(x.shape, paddings, strict=True)], constant_values, x.dtype)
    out[tuple(slice(a, a + n) for n, (a, b) in zip(x.shape, paddings, strict=True))] = x
    return unboxed(out)


def _crop(g: object, x_shape: Shape, paddings: Paddings) -> Any:
    return getitem(g, index=tuple((a, a + n, None) for n, (a, _) in zip(x_shape, paddings, strict=True)))


pad = defop(
    "pad",
    _pad,
    Facts(tangents="transposed", dtypes=EVERY),  # its border is a constant, whose tangent is 0
    x=_crop,
)
mirror_pad = defop(
    "mirror_pad",
    lambda x, *, paddings, beyond: unboxed(mirrored(x, paddings, beyond)),
    x=lambda g, paddings, beyond: mirror_pad_grad(g, paddings=paddings, beyond=beyond),
)
mirror_pad_grad = defop(
    "mirror_pad_grad",
    lambda x, *, paddings, beyond: unboxed(folded(x, paddings, beyond)),
    x=lambda g, paddings, beyond: mirror_pad(g, paddings=paddings, beyond=beyond),
)
