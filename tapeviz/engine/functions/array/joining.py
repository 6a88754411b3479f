"""Tensors joined along an axis, and one split into several, under TensorFlow's names."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import (
    exactly,
    rank_of,
    require_sequence,
    tensor_of,
    together,
    value_of,
)
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import axis_in, int32_of, int_of, integers_of, ints_of, setting_of
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array
from tapeviz.engine.ops import joining as ops
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor, parents_of
from tapeviz.errors import InvalidArgumentError


@export("concat")
def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Tensors joined along an axis that all of them have.

    Args:
        values: a list of tensors. Their lengths may differ along `axis` only.
        axis: the axis.

    Raises:
        InvalidArgumentError: the list is empty, or the shapes do not fit.
        ValueError: `values` is one tensor, and `axis` is not one integer. The arguments may be swapped.

    >>> import tapeviz as tf
    >>> tf.concat([[1, 2], [3]], 0).numpy().tolist()
    [1, 2, 3]
    """
    values = values if isinstance(values, (list, tuple)) else [values]
    if not values:
        no_kernel = "OpKernel 'ConcatV2' has constraint on attr 'T' not in NodeDef '[N=0, Tidx=DT_INT32]'"
        raise InvalidArgumentError(f"{no_kernel}: concat has nothing to join.")
    if len(values) == 1:
        convert_to_tensor(axis, "int32", name="concat_dim").shape.assert_has_rank(0)
        return array.identity(tensor_of(values[0]))
    if type(axis) is not int and rank_of(axis):
        shape = integers_of(axis, ".Tidx", values).shape
        require(shape == (1,), f"axis tensor should be a scalar integer, but got shape {listed(shape)}. In concat.")
    return ops.concat(*together("concat", *values), axis=axis_in(axis, *values))


@export("stack")
def stack(values: Any, axis: int = 0, name: str = "stack") -> Any:
    """Tensors of one shape, joined along a new axis.

    Args:
        values: a list of tensors.
        axis: where the new axis is in the result.

    Raises:
        ValueError: the result has no such axis, or `values` is an array of several axes and `axis` is not 0.

    >>> import tapeviz as tf
    >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    if axis == 0 and (isinstance(values, TensorLike) or not parents_of(values)):
        with suppress(ValueError):  # what is no one array may yet be several
            return convert_to_tensor(values)
    values = parts_of(values) if isinstance(values, TensorLike) else values
    rank = rank_of(values[0]) + 1  # by place: nothing else makes a sequence
    if axis < -rank or axis >= rank:
        raise ValueError(f"axis={axis} is not in [{-rank}, {rank}): axes count from 0, or from -1 at the end.")
    require_sequence(values)
    return ops.stack(*together("stack", *values), axis=setting_of(axis, "axis"))


@export("unstack")
def unstack(value: object, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Any]:
    """A tensor cut into its slices along an axis. The slices do not have that axis.

    Args:
        value: a tensor, or what can become one.
        num: the length of the axis, if it is to be checked.
        axis: the axis.

    Returns:
        A list of tensors.

    Raises:
        ValueError: there is no such axis.
        InvalidArgumentError: the same if `num` is given, or `num` is not the length of the axis.
        TypeError: `axis` is not an integer.

    >>> import tapeviz as tf
    >>> [x.numpy().tolist() for x in tf.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """
    graph, x = in_graph.get(), tensor_of(value)
    open_shape = graph.open_shapes.get(x._id) if graph is not None and num is None else None
    if open_shape is not None and (open_shape.rank is None or open_shape[axis] is None):
        raise ValueError(f"unstack needs num: the length of the axis is open in the shape {open_shape}.")
    return parts_of(x, num, axis)


def parts_of(x: TensorLike, num: int | None = None, axis: int = 0) -> list[Any]:
    """The same, even if a graph does not know how many parts there are."""
    if num is None and axis is None:
        raise TypeError("'<' not supported between instances of 'NoneType' and 'int'. `axis` is one number.")
    axis = int_of(axis) if num is None else setting_of(0 if axis is None else axis, "axis")
    count = None if num is None else setting_of(num, "num")
    require(count is None or count >= 0, f"Value for attr 'num' of {count} must be at least minimum 0. In unstack.")
    if not -x.ndim <= axis < x.ndim:
        within = f"[{-x.ndim}, {x.ndim})"
        if count is None:
            raise ValueError(
                f"axis={axis} is not in {within}: axes count from 0, or from -1. In unstack of shape {x.shape}."
            )
        raise InvalidArgumentError(f"axis = {axis} not in {within}. In unstack.")
    if count == 0:  # what TensorFlow's op gives nothing of, it does not look at
        return []
    if count not in (None, x.shape[axis]):
        said = f"Input shape axis {axis % x.ndim} must equal {count}, got shape {listed(x.shape)}."
        raise InvalidArgumentError(said)
    return list(ops.unstack(x, axis=axis))


@export("split")
def split(
    value: object, num_or_size_splits: object, axis: object = 0, num: int | None = None, name: str = "split"
) -> list[Any]:
    """A tensor cut into parts along an axis.

    Args:
        value: a tensor, or what can become one.
        num_or_size_splits: the number of equal parts, or a list of their sizes. One size may be -1, for the rest.
        axis: the axis.
        num: the number of sizes, if it is to be checked.

    Returns:
        A list of tensors.

    Raises:
        ValueError: `num_or_size_splits` is a scalar that is not a Python integer.
        InvalidArgumentError: there is no such axis, or its length does not fit the parts.

    >>> import tapeviz as tf
    >>> [x.numpy().tolist() for x in tf.split([1, 2, 3, 4, 5], [2, -1])]
    [[1, 2], [3, 4, 5]]
    """
    x, equal = tensor_of(value), isinstance(num_or_size_splits, (int, np.integer))
    if equal:
        axis = int32_of(axis, "split", value, otherwise="split_dim must be a scalar but has rank {rank}")
    else:
        sole = "split_dim_tensor must have exactly one element."
        axis = axis_in(exactly(axis, "int32", "split.Tlen", value), otherwise=sole)
    if not -x.ndim <= axis < x.ndim:
        rank = x.ndim
        raise InvalidArgumentError(
            f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {axis}, in split of shape {x.shape}.",
        )
    asked = num_or_size_splits
    sizes = _equal_parts(x, axis, asked) if equal else _parts(x, axis, asked, num)
    return list(ops.split(x, sizes=sizes, axis=axis))


def _equal_parts(x: Any, axis: int, count: Any) -> tuple[int, ...]:
    length = x.shape[axis]
    if count < 1:
        raise _too_few(count)
    if length % count:
        raise InvalidArgumentError(
            "Number of ways to split should evenly divide the split dimension, but got split_dim "
            f"{axis} (size = {length}) and num_split {count}. In split of shape {x.shape}.",
        )
    return (length // int(count),) * int(count)


def _too_few(count: object) -> InvalidArgumentError:
    return InvalidArgumentError(f"Value for attr 'num_split' of {count} must be at least minimum 1, in split.")


def _parts(x: Any, axis: int, given: object, num: int | None) -> tuple[int, ...]:
    """The sizes of parts along an axis: the given ones, of which one may be -1, the rest."""
    if not np.ndim(value_of(given)):
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. Argument provided: "
            f"{given!s}. A number of parts is a Python integer, sizes are a list."
        )
    sizes = ints_of(given, attr="split.Tlen", hint=None)
    require(
        num in (None, len(sizes)),
        "size of the split_tensor must be 1-D and have the same elements as outputs got 1 -D and "
        f"{len(sizes)} elements. In split: num is {num}.",
    )
    if not sizes:
        raise _too_few(0)
    if in_graph.get() is None:  # there a single -1 is the rest, too
        require(
            len(sizes) > 1 or sizes[0] == x.shape[axis],
            "If there is only one output, it must have the same size as the input. Input size: "
            f"{x.shape[axis]} output size: {sizes[0]}. In split of shape {x.shape}.",
        )
    require(sizes.count(-1) < 2, f"There can only be one -1 in the input. In split: the sizes are {sizes}.")
    for at, size in enumerate(sizes):
        require(size >= -1, f"Split size at index {at} must be >= 0. Got: {size}. In split of shape {x.shape}.")
    length, known = x.shape[axis], sum(sizes) + sizes.count(-1)
    if known > length or (known < length and -1 not in sizes):
        raise InvalidArgumentError(
            "Determined shape must either match input shape along split_dim exactly if fully specified, or be less "
            f"than the size of the input along split_dim if not fully specified.  Got: {known}. In split: sizes "
            f"{sizes} do not add up to {length}, the length of axis {axis}.",
        )
    return tuple(length - known if size == -1 else size for size in sizes)
