"""Bounds, lengths or indices -> evenly spaced numbers, grids of them, and masks, under TensorFlow's names."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import hinted, number_of, rank_of, tensor_of, value_of
from tapeviz.engine.functions.array.conversions import cast
from tapeviz.engine.functions.array.joining import stack
from tapeviz.engine.functions.array.shape_queries import broadcast_dynamic_shape
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import INT64, axis_in, int32_of, integers_of, ints_of, setting_of, whole
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.op_errors.conversions import another_conversion, not_convertible
from tapeviz.engine.op_errors.dtypes import mixed_dtypes, require_taken
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array, joining, math, searching
from tapeviz.engine.specs.dtypes import DType, as_dtype, of_numpy
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import make
from tapeviz.engine.values.convert import array_of, dtype_or_none
from tapeviz.errors import InvalidArgumentError

_WIDTH = ("int32", "int64", "float16", "bfloat16", "float32", "float64")


@export("range")
def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Any:
    """Numbers at equal distances, without the end.

    Args:
        start: the first number; if `limit` is missing, the end, and the first number is 0.
        limit: the end, which is not included.
        delta: the distance.
        dtype: the dtype of the numbers; by default that of the arguments.

    Raises:
        InvalidArgumentError: an argument is not a scalar, or `limit` cannot be reached by steps of `delta`.
        AssertionError: the arguments are of a dtype other than int32, int64 or a floating one.

    >>> import tapeviz as tf
    >>> tf.range(3).numpy().tolist()
    [0, 1, 2]
    """
    ends = (0, start, delta) if limit is None else (start, limit, delta)
    wanted = dtype_or_none(dtype)
    values = [value_of(each) if isinstance(each, TensorLike) else array_of(each, wanted) for each in ends]
    if wanted:
        require_taken("range.Tidx", wanted._numpy)
    name_of = wanted.name if wanted else _widest([of_numpy(each.dtype).name for each in values])
    for which, each in zip(("start", "limit", "delta"), values, strict=True):
        alone = (1,) if in_graph.get() is None else ()  # a vector of one passes for a number there alone
        require(each.shape in ((), alone), f"{which} must be a scalar, not shape {listed(each.shape)}. In range.")
    first, last, step = (each.reshape(()).astype(name_of)[()] for each in values)
    if name_of.startswith("int"):  # the way between them may be beyond the dtype
        first, last, step = int(first), int(last), int(step)
    if step == 0:
        raise InvalidArgumentError(
            "tf.range(start, limit, delta) needs a delta other than 0: with 0 it would never end."
        )
    if not (first <= last if step > 0 else first >= last):  # nor does NaN
        order = "start <= limit when delta > 0" if step > 0 else "start >= limit when delta < 0"
        raise InvalidArgumentError(f"Requires {order}: {_short(first)}/{_short(last)}. In range.")
    if not abs((last - first) / step) <= INT64.max:
        raise InvalidArgumentError(f"Requires ((limit - start) / delta) <= {INT64.max}. In range: {first}/{last}.")
    if name_of.startswith("int"):
        made = make(np.arange(first, last, step, dtype=name_of))
    else:
        places = np.arange(int(np.ceil(abs((last - first) / step)))).astype(name_of)
        made = make(first + places * step)  # `np.arange` steps by the difference of two rounded numbers
    return made


def _widest(names: list[str]) -> str:
    """The dtype of a range whose ends are of these.

    Raises:
        AssertionError: there are no ranges of one of them.
    """
    for name in names:
        if name not in _WIDTH:
            raise AssertionError(f"range: the ends may be {', '.join(_WIDTH)}, got {name}: use tf.cast.")
    return max(names, key=_WIDTH.index)


def _short(number: Any) -> str:
    """A number as TensorFlow's messages write it: six digits of a float."""
    return str(number) if isinstance(number, int) else f"{float(number):g}"


@export("linspace")
def linspace(start: object, stop: Any, num: object, name: str | None = None, axis: int = 0) -> Any:
    """A given number of values at equal distances, both ends included. Gradients flow to both ends.

    Args:
        start: the first value, a scalar or a tensor.
        stop: the last value.
        num: how many values there are.
        axis: where their axis is in the result.

    Raises:
        TypeError: `num` is not an integer.
        ValueError: `stop` is a tensor of another dtype than `start`.
        InvalidArgumentError: `num` is negative, or the result has no such axis.

    >>> import tapeviz as tf
    >>> tf.linspace(0.0, 1.0, 3).numpy().tolist()
    [0.0, 0.5, 1.0]
    """
    number, axis = whole(num, "num"), axis_in(axis, attr=".Tdim")
    require(number.size == 1, f"limit must be a scalar, not shape {listed(number.shape)}. In linspace it is `num`.")
    count = int(number.reshape(()))
    if count < 0:
        raise InvalidArgumentError(f"Requires start <= limit when delta > 0: 1/-1. In linspace `num` is {count}.")
    first = start if isinstance(start, TensorLike) else value_of(start)
    rank = max(first.ndim, rank_of(stop))
    require(-rank - 1 <= axis <= rank, f"Tried to expand dim index {axis} for tensor with {rank} dimensions.")
    wanted = as_dtype(first.dtype)
    if isinstance(stop, TensorLike) and stop._dtype is not wanted:
        raise ValueError(another_conversion(wanted, stop, "stop"))
    last = stop if isinstance(stop, TensorLike) else array_of(stop, wanted)
    if wanted.is_integer or wanted.name == "string":
        wide = "float64" if wanted.size > 2 else "float32"
        first, last = (cast(each, wide) for each in (first, last))
    require_taken("sub", wanted._numpy)
    shape, place = ints_of(broadcast_dynamic_shape(np.shape(first), np.shape(last))), axis % (rank + 1)
    if isinstance(first, TensorLike) or isinstance(last, TensorLike):
        first, last = (math.broadcast_to(tensor_of(each), shape=shape) for each in (first, last))
        first, last = (array.expand_dims(each, axis=place) for each in (first, last))
        return _spread(first, last, count, place, joining.concat)
    first, last = (np.expand_dims(np.broadcast_to(each, shape), place) for each in (first, last))
    return make(_spread(first, last, count, place, lambda *parts, axis: np.concatenate(parts, axis)))


def _spread(first: Any, last: Any, count: int, axis: int, join: Any) -> Any:
    """`count` numbers along an axis of one row; the ends are what was given, also where the way between is infinite."""
    steps: Any = np.arange(1, count - 1, dtype=as_dtype(first.dtype).as_numpy_dtype)
    with np.errstate(all="ignore"):
        inner = first + (last - first) / max(count - 1, 1) * steps.reshape((-1,) + (1,) * (first.ndim - axis - 1))
    whole = join(first, inner, last, axis=axis)
    return whole if count > 1 else whole[(slice(None),) * axis + (slice(count),)]


@export("one_hot")
def one_hot(
    indices: object,
    depth: object,
    on_value: object = None,
    off_value: object = None,
    axis: int | None = None,
    dtype: object = None,
    name: str | None = None,
) -> Any:
    """For each index, a vector with one value at that index and another one elsewhere.

    Args:
        indices: a tensor of integers. An index out of range gives a vector of `off_value` only.
        depth: the length of the vectors.
        on_value: the value at the index, 1 by default.
        off_value: the value elsewhere, 0 by default.
        axis: where the axis of the vectors is in the result, by default the last one.
        dtype: the dtype of the result; by default that of the values, else float32.

    Raises:
        InvalidArgumentError: `depth` or a value is not a scalar, `depth` is negative, or the result has no such axis.
        TypeError: the dtypes of the values differ from each other or from `dtype`.

    >>> import tapeviz as tf
    >>> tf.one_hot([2, 0], 3).numpy().tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    on, off = (None if each is None else hinted(each, dtype) for each in (on_value, off_value))
    length = int32_of(depth, "one_hot", indices, otherwise="depth must be a scalar, but got: {shape}. In one_hot.")
    if length < 0:
        raise InvalidArgumentError(f"depth must be non-negative, got: {length}. In one_hot.")
    kinds = [of_numpy(each.dtype) for each in (on, off) if each is not None]
    wanted = as_dtype((kinds[0] if kinds else "float32") if dtype is None else dtype).name
    if wanted in ("bool", "string") and len(kinds) < 2:
        unfit = 1 if on is None else 0
        raise not_convertible(unfit, as_dtype(wanted)._numpy, "In one_hot: pass on_value and off_value")
    if dtype is None and len(kinds) == 2:
        _same_kind(kinds[0], "on_value", kinds[1], f"dtype {kinds[1]} of off_value")
    for which, each in (("on_value", on), ("off_value", off)):
        if each is not None:
            _same_kind(of_numpy(each.dtype), which, as_dtype(wanted), f"dtype parameter {as_dtype(wanted)}")
            require(not each.ndim, f"{which} must be a scalar, but got: {listed(each.shape)}. In one_hot.")
    values = (1 if on is None else on.item(), 0 if off is None else off.item())
    if not isinstance(indices, TensorLike):
        indices = integers_of(indices, "one_hot.TI", length, hint=INT64)
    x, place = number_of(indices, "one_hot.TI"), -1 if axis is None else setting_of(axis, "axis")
    require(place >= -1, f"Expected axis to be -1 or between [0, {x.ndim + 1}).  But received: {place}")
    return searching.one_hot(x, depth=length, on_value=values[0], off_value=values[1], axis=place, dtype=wanted)


def _same_kind(kind: DType, of: str, other: DType, called: str) -> None:
    if kind is not other:
        raise TypeError(f"dtype {kind} of {of} does not match {called}. In one_hot: use tf.cast.")


@export("meshgrid")
def meshgrid(*args: object, indexing: str = "xy", name: str | None = None, **unknown: object) -> list[Any]:
    """The coordinates of all points of a grid, from the coordinates along each axis.

    Args:
        args: a vector for each axis.
        indexing: "xy" if the first two axes of the grid are exchanged, as for pictures, or "ij".

    Returns:
        A list of tensors in the shape of the grid, one for each vector.

    Raises:
        ValueError: another `indexing`.
        TypeError: an unknown keyword.
        InvalidArgumentError: the vectors have different dtypes.

    >>> import tapeviz as tf
    >>> [x.numpy().tolist() for x in tf.meshgrid([1, 2], [3, 4])]
    [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]
    """
    if unknown:
        raise TypeError(f"{next(iter(unknown))!r} is an invalid keyword argument for this function. In meshgrid.")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    vectors = [array.reshape(stack(each), shape=(-1,)) for each in args]
    if vectors and vectors[0].dtype.name == "string":
        raise not_convertible(1, np.dtype(object), "By it the vectors of a meshgrid are multiplied")
    unlike = next((each for each in vectors if each.dtype is not vectors[0].dtype), None)
    if unlike is not None:  # each is multiplied by ones of the dtype of all of them
        raise mixed_dtypes("mul", unlike._value, vectors[0]._value)
    rank = len(vectors)
    order = list(builtins.range(rank))
    if indexing == "xy" and rank > 1:
        order[:2] = [1, 0]
    lengths = [0] * rank
    for vector, place in zip(vectors, order, strict=True):
        lengths[place] = vector.shape[0]
    grid = []
    for vector, place in zip(vectors, order, strict=True):
        shape = tuple(-1 if i == place else 1 for i in builtins.range(rank))
        grid.append(math.broadcast_to(array.reshape(vector, shape=shape), shape=tuple(lengths)))
    return grid


@export("sequence_mask")
def sequence_mask(lengths: object, maxlen: object = None, dtype: object = "bool", name: str | None = None) -> Any:
    """For each length n, a vector whose first n elements are true. No gradient.

    Args:
        lengths: a tensor of integers.
        maxlen: the length of the vectors; by default the largest of `lengths`.
        dtype: the dtype of the result.

    Raises:
        ValueError: `maxlen` is not a scalar.
        InvalidArgumentError: `maxlen` is negative.

    >>> import tapeviz as tf
    >>> tf.sequence_mask([1, 2]).numpy().tolist()
    [[True, False], [True, True]]
    """
    # TensorFlow takes the largest length for the width, and compares a range of it with each
    counts = number_of(lengths, "reduce_max")._value if maxlen is None else value_of(lengths)
    width = np.max(counts, initial=0) if maxlen is None else value_of(maxlen)
    for each in (lengths,) if maxlen is None else (maxlen,):
        if isinstance(each, TensorLike):
            number_of(each, "range.Tidx")
    if np.ndim(width):
        raise ValueError(
            f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = {width} "
            f"with shape '{np.shape(width)}' instead"
        )
    require(width >= 0, f"Requires start <= limit when delta > 0: 0/{width}. In sequence_mask: maxlen is negative.")
    hit = np.arange(width) < np.asarray(counts).astype(width.dtype)[..., None]
    return cast(make(hit), "bool" if dtype is None else dtype)
