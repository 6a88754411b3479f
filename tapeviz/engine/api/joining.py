"""Joining and parting tensors, copies and borders under TensorFlow's names."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from tapeviz.engine.api.arguments import axis_in, int_of, ints_of, tensor_of, together, value_of, vector_of
from tapeviz.engine.api.table import export
from tapeviz.engine.constant import parents_of
from tapeviz.engine.convert import beside
from tapeviz.engine.dtypes import require
from tapeviz.engine.ops import array
from tapeviz.engine.ops import joining as ops
from tapeviz.engine.tensor import TensorLike
from tapeviz.errors import InvalidArgumentError


@export("concat")
def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Tensors joined along an axis they all have.

    Raises:
        InvalidArgumentError: nothing to join, or tensors that differ in more than the length of that axis.
    """
    values = values if isinstance(values, (list, tuple)) else [values]
    if not values:
        raise InvalidArgumentError("concat: there is nothing to join.")
    if len(values) == 1:
        return array.identity(tensor_of(values[0]))
    return ops.concat(*together("concat", *values), axis=axis_in(axis))


@export("stack")
def stack(values: Any, axis: int = 0, name: str = "stack") -> Any:
    """Tensors of one shape joined along a new axis.

    Raises:
        ValueError: there is no such axis.
    """
    if axis == 0 and not parents_of(values):
        with suppress(ValueError):  # what is no one array may yet be several
            return tensor_of(values)
    values = list(values) if not isinstance(values, TensorLike) else unstack(values)
    rank = np.ndim(getattr(values[0], "_value", values[0])) + 1
    if not -rank <= axis < rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    return ops.stack(*together("stack", *values), axis=int_of(axis))


@export("unstack")
def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Any]:
    """The parts along an axis, without the axis.

    Raises:
        ValueError: there is no such axis.
        InvalidArgumentError: `num` is not the length of the axis.
    """
    x = tensor_of(value)
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-x.ndim}, {x.ndim})")
    if num is not None and num != x.shape[axis]:
        raise InvalidArgumentError(f"Input shape axis {axis} must equal {num}, got shape {x.shape}.")
    return list(ops.unstack(x, axis=int_of(axis)))


@export("split")
def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = "split") -> list[Any]:
    """Parts along an axis: a number of equal ones, or of the given sizes, one of which may be -1.

    Raises:
        ValueError: one number that is no integer.
        InvalidArgumentError: no such axis, or parts that it cannot be cut into.
    """
    x, axis = tensor_of(value), int_of(axis)
    if not -x.ndim <= axis < x.ndim:
        raise InvalidArgumentError(f"split: axis {axis} is not among those of shape {x.shape}.")
    length = x.shape[axis]
    if not isinstance(num_or_size_splits, (int, np.integer)):
        if not np.ndim(value_of(num_or_size_splits)):
            raise ValueError(f"split: a number of parts is a Python integer, sizes are a list: {num_or_size_splits!r}.")
        sizes = ints_of(num_or_size_splits)
        require(num in (None, len(sizes)), f"split: num is {num}, but there are {len(sizes)} sizes.")
        sizes = tuple(length - sum(sizes) - 1 if size == -1 else size for size in sizes)
    else:
        count = int(num_or_size_splits)
        if count < 1 or length % count:
            raise InvalidArgumentError(f"split: axis {axis} of length {length} cannot be cut into {count} equal parts.")
        sizes = (length // count,) * count
    return list(ops.split(x, sizes=sizes, axis=axis))


@export("tile")
def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """Copies side by side, a number for each axis."""
    return ops.tile(tensor_of(input), multiples=vector_of(multiples, "multiples"))


@export("repeat")
def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Any:
    """Each part along an axis several times over; without an axis, of the flat numbers.

    Raises:
        ValueError: an axis that is not there, or neither one number of repeats nor one for each part.
    """
    x = tensor_of(input)
    if axis is None:
        x, axis = array.reshape(x, shape=(-1,)), 0
    axis = int_of(axis)
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis={axis} out of bounds: expected {-x.ndim}<=axis<{x.ndim}")
    times = ints_of(repeats)
    if len(times) not in (1, x.shape[axis]):
        raise ValueError(f"Dimensions {x.shape[axis]} and {len(times)} are not compatible: one repeat for each part.")
    return ops.repeat(x, repeats=times * x.shape[axis] if len(times) == 1 else times, axis=axis)


@export("pad")
def pad(tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None) -> Any:
    """A border around each axis: of one value, mirrored without (REFLECT) or with (SYMMETRIC) the edge.

    Raises:
        ValueError: an unknown `mode`.
        InvalidArgumentError: not a pair of numbers from 0 for each axis, or a mirrored border wider than the tensor.
    """
    x = tensor_of(tensor)
    given = np.asarray(value_of(paddings))
    if given.shape != (x.ndim, 2):
        raise InvalidArgumentError(
            f"pad: paddings must be pairs, one for each of the {x.ndim} axes, got {given.tolist()}."
        )
    require(not given.size or given.min() >= 0, f"pad: paddings must not be negative, got {given.tolist()}.")
    borders = tuple(map(tuple, given.tolist()))
    mode = mode.upper()
    if mode == "CONSTANT":
        return ops.pad(x, paddings=borders, constant_values=_border(constant_values, x._value.dtype))
    if mode not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(f"Value of argument `mode` expected to be 'CONSTANT', 'REFLECT' or 'SYMMETRIC', got {mode}.")
    how: Any = mode.lower()
    spare = 1 if mode == "REFLECT" else 0
    if any(max(border) > length - spare for length, border in zip(x.shape, borders, strict=True)):
        raise InvalidArgumentError(f"pad: a {mode} border must be less wide than the tensor, {x.shape}, got {borders}.")
    places = tuple(
        tuple(np.pad(np.arange(length), border, how).tolist()) for length, border in zip(x.shape, borders, strict=True)
    )
    return ops.mirror_pad(x, places=places)


def _border(value: Any, dtype: np.dtype[Any]) -> Any:
    """What a border is made of: a plain 0 fits truth values, and texts, of which it is the empty one, too."""
    if not np.isscalar(value) or value != 0:
        return beside(value, dtype, "pad").item()
    return b"" if dtype.kind == "O" else dtype.type(0).item()
