"""The op table: sums, means, extrema and products over axes, and where the extrema are.

`axis` is None (all axes), an int or a tuple of ints, as `keepdims` NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts
from tapeviz.engine.kernels import elementary
from tapeviz.engine.kernels.reduce import added, reduced
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops.array import cast_like, reshape, stop_gradient, transpose
from tapeviz.engine.ops.math import (
    broadcast_to,
    equal,
    exp,
    is_finite,
    reciprocal,
    where,
    zeros_like,
)
from tapeviz.engine.ops.running import cumprod
from tapeviz.engine.rules import batching
from tapeviz.engine.specs.dtype_sets import FLOATS, NUMBERS, REALS, TRUTH
from tapeviz.engine.specs.dtypes import Array
from tapeviz.engine.values.convert import unboxed

Axis: TypeAlias = int | tuple[int, ...] | None


def _axes(axis: Axis, rank: int) -> Any:
    """The axes that are reduced, each once and not negative."""
    if axis is None:
        return tuple(range(rank))
    return normalize_axis_tuple(axis, rank)


def _present(axis: Axis, x: Array) -> Axis:
    """The axis itself; an error for a scalar, for which NumPy has none."""
    return axis if x.shape else _axes(axis, 0)


def _kept(shape: tuple[int, ...], axis: Axis) -> tuple[int, ...]:
    """The shape of a reduction whose axes are kept with length 1."""
    axes = _axes(axis, len(shape))
    return tuple(1 if i in axes else n for i, n in enumerate(shape))


def _count(shape: tuple[int, ...], axis: Axis) -> int:
    """How many numbers are reduced to one."""
    if axis is None:
        return prod(shape)
    count = 1
    for i in _axes(axis, len(shape)):
        count *= shape[i]
    return count


def _spread(g: Array, shape: tuple[int, ...], axis: Axis, keepdims: bool) -> Any:
    """The upstream gradient of a reduction, broadcast to the shape of its input."""
    if tuple(g.shape) == shape:
        return g
    if g.ndim and not keepdims:
        g = reshape(g, shape=_kept(shape, axis))
    return broadcast_to(g, shape=shape)


def _reduction(ufunc: Any, of_nothing: Callable[[Any], Any] | None = None) -> Callable[..., Any]:
    """The primal of a ufunc's reduction, in the dtype of its input; `of_nothing` gives its result for no numbers."""

    def primal(x: Any, *, axis: Axis, keepdims: bool) -> Any:
        axis = _present(axis, x)
        if of_nothing is None or x.size:
            return reduced(ufunc, x, axis, keepdims)
        return ufunc.reduce(x, axis, x.dtype, None, keepdims, of_nothing(x.dtype))

    return primal


def _lowest(dtype: np.dtype[Any]) -> Any:
    """The lowest number of a dtype, or minus infinity."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _highest(dtype: np.dtype[Any]) -> Any:
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def _sum(x: Array, *, axis: Axis, keepdims: bool) -> Any:
    """The sum; of a single number that number, also -0., which NumPy would add to 0."""
    out = added(x, _present(axis, x), keepdims)
    return unboxed(x.reshape(out.shape)) if x.size == out.size else out


def _mean(x: Array, *, axis: Axis, keepdims: bool) -> Any:
    count = _count(x.shape, axis)
    if x.dtype.kind in "iu":  # summed in int64, so that the sum of numbers that fit need not
        total = _sum(x.astype(np.int64), axis=axis, keepdims=keepdims)
        return unboxed(np.trunc(total / max(count, 1)).astype(x.dtype))
    if x.dtype.kind == "c":  # of no complex numbers it is 0, of no real ones NaN
        count = max(count, 1)
    return _sum(x, axis=axis, keepdims=keepdims) / x.dtype.type(count)


def _prod_rule(g: Any, x: Any, x_shape: Any, axis: Axis, keepdims: bool) -> Any:
    """The product of all other numbers, as the product of those before and those after: right for zeros, too."""
    axes = _axes(axis, len(x_shape))
    others = tuple(i for i in range(len(x_shape)) if i not in axes)
    order = (*axes, *others)
    ahead = tuple(x_shape[i] for i in order)
    flat = reshape(transpose(x, perm=order), shape=(_count(x_shape, axis), _count(x_shape, others)))
    before = cumprod(flat, axis=0, exclusive=True, reverse=False)
    after = cumprod(flat, axis=0, exclusive=True, reverse=True)
    back = tuple(order.index(i) for i in range(len(order)))
    rest = transpose(reshape(before * after, shape=ahead), perm=back)
    return _spread(g, x_shape, axis, keepdims) * rest


def _extremum_rule(g: Any, x: Any, out: Any, x_shape: Any, axis: Axis, keepdims: bool) -> Any:
    """The VJP of an extremum, whose gradient is shared equally by equal numbers."""
    kept = _kept(x_shape, axis)
    chosen = cast_like(equal(reshape(out, shape=kept), x), g)
    ties = reduce_sum(chosen, axis=axis, keepdims=True)
    return chosen / ties * reshape(g, shape=kept)


def _logsumexp(x: Array, *, axis: Axis, keepdims: bool) -> Any:
    highest = _max(x, axis=axis, keepdims=True)
    highest = np.where(np.isfinite(highest), highest, x.dtype.type(0))
    total = elementary.log(_sum(elementary.exp(x - highest), axis=axis, keepdims=True)) + highest
    return total if keepdims else unboxed(total.reshape(_dropped(x.shape, axis)))


def _dropped(shape: tuple[int, ...], axis: Axis) -> tuple[int, ...]:
    axes = _axes(axis, len(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def _logsumexp_rule(g: Any, x: object, x_shape: Any, axis: Axis, keepdims: bool) -> Any:
    """The VJP: the exponentials over their sum, which is more exact than exp(x - out)."""
    highest = stop_gradient(reduce_max(x, axis=axis, keepdims=True))
    powers = exp(x - where(is_finite(highest), highest, zeros_like(highest)))
    share = reciprocal(reduce_sum(powers, axis=axis, keepdims=True))
    return reshape(g, shape=_kept(x_shape, axis)) * share * powers


def _variance(x: Array, *, axis: Axis, keepdims: bool) -> Any:
    away = x - _mean(x, axis=axis, keepdims=True)
    return _mean(away * away, axis=axis, keepdims=keepdims)


def _variance_rule(g: Any, x: Any, x_shape: Any, axis: Axis, keepdims: bool) -> Any:
    """The VJP of the variance; the part by way of the mean is a rounding error, which TensorFlow's contains, too."""
    count = max(_count(x_shape, axis), 1)
    away = x - reduce_mean(x, axis=axis, keepdims=True)
    direct = _spread(g / count, x_shape, axis, keepdims) * (2 * away)
    return direct - reduce_sum(direct, axis=axis, keepdims=True) / count


def _norm_rule(g: Any, x: Any, out: Any, x_shape: Any, axis: Axis, keepdims: bool) -> Any:
    kept = _kept(x_shape, axis)
    return x / (reshape(out, shape=kept) / reshape(g, shape=kept))


_max = _reduction(np.maximum, _lowest)
_min = _reduction(np.minimum, _highest)

reduce_sum = defop(
    "reduce_sum",
    _sum,
    Facts(seed_shape="reshaped", batched=batching.reduced, dtypes=NUMBERS),
    x=lambda g, x_shape, axis, keepdims: _spread(g, x_shape, axis, keepdims),
)
reduce_mean = defop(
    "reduce_mean",
    _mean,
    Facts(seed_shape="reshaped", rounds_once=True, batched=batching.reduced, dtypes=NUMBERS),
    x=lambda g, x_shape, axis, keepdims: _spread(g / max(_count(x_shape, axis), 1), x_shape, axis, keepdims),
)
reduce_max = defop("reduce_max", _max, Facts(seed_shape="reshaped", dtypes=REALS), x=_extremum_rule)
reduce_min = defop("reduce_min", _min, Facts(seed_shape="reshaped", dtypes=REALS), x=_extremum_rule)
reduce_prod = defop("reduce_prod", _reduction(np.multiply), Facts(seed_shape="reshaped", dtypes=NUMBERS), x=_prod_rule)
reduce_any = defop("reduce_any", _reduction(np.logical_or), Facts(dtypes=TRUTH), x=None)
reduce_all = defop("reduce_all", _reduction(np.logical_and), Facts(dtypes=TRUTH), x=None)
reduce_logsumexp = defop("reduce_logsumexp", _logsumexp, Facts(seed_shape="reshaped", dtypes=FLOATS), x=_logsumexp_rule)
reduce_variance = defop(
    "reduce_variance", _variance, Facts(seed_shape="reshaped", rounds_once=True, dtypes=NUMBERS), x=_variance_rule
)
reduce_euclidean_norm = defop(
    "reduce_euclidean_norm",
    lambda x, *, axis, keepdims: np.sqrt(_sum(x * x.conjugate(), axis=axis, keepdims=keepdims)).astype(x.dtype),
    Facts(seed_shape="reshaped", rounds_once=True, holomorphic=False, dtypes=NUMBERS),
    x=_norm_rule,
)


def _place(find: Any, never: float) -> Callable[..., Any]:
    """The primal of an argmax or argmin, for which NaN counts as `never`."""

    def primal(x: Array, *, axis: int, output_type: str) -> Any:
        empty = f"argmax and argmin need an element: axis {axis} of shape {listed(x.shape)} is empty."
        require(x.shape[normalize_axis_index(axis, x.ndim)] > 0, empty, at_run=True)
        known = np.where(np.isnan(x), never, x) if x.dtype.kind == "f" else x
        return unboxed(find(known, axis=axis).astype(output_type))

    return primal


argmax = defop("argmax", _place(np.argmax, -np.inf), Facts(dtypes=REALS | TRUTH), x=None)
argmin = defop("argmin", _place(np.argmin, np.inf), Facts(dtypes=REALS | TRUTH), x=None)
