"""The op table: convolution and pooling of images (batch, height, width, channels).

Both go over windows of padded images (`kernels.windows`). A border is given in numbers, `((top, bottom), (left,
right))`; TensorFlow's "SAME" and "VALID" become numbers before an op is called.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts
from tapeviz.engine.kernels.depthwise import convolved, filters_of, picture_of
from tapeviz.engine.kernels.matmul import product
from tapeviz.engine.kernels.where import select
from tapeviz.engine.kernels.windows import Border, Pair, padded, placewise, put_back, windows_of
from tapeviz.engine.ops.math import zeros_like
from tapeviz.engine.specs.dtype_sets import FLOATS, REALS, Dtypes, dtypes
from tapeviz.engine.specs.dtypes import Array, limits_of
from tapeviz.errors import InvalidArgumentError


def _unrolled(windows: Array) -> Any:
    """A matrix with a row for each window; with one channel it is filled by columns, to read the image in rows."""
    count, length = math.prod(windows.shape[:3]), math.prod(windows.shape[3:])
    if windows.shape[5] == 1:
        return windows.transpose(3, 4, 5, 0, 1, 2).reshape(length, count).T
    return windows.reshape(count, length)


def _by_group(compute: Callable[..., Any], left: Array, right: Array, groups: int) -> Any:
    """The results of a function for each group of channels and its filters, concatenated."""
    if groups == 1:
        return compute(left, right)
    parts = zip(np.split(left, groups, -1), np.split(right, groups, -1), strict=True)
    return np.concatenate([compute(*map(np.ascontiguousarray, part)) for part in parts], -1)


def _groups(channels: int, filters: tuple[int, ...]) -> int:
    """The number of groups that filters of this shape divide the channels of an image into."""
    if not filters[2] or channels % filters[2]:
        what = "input depth must be evenly divisible by filter depth"
        raise _indivisible(what, channels, filters[2], filters)
    groups = channels // filters[2]
    if filters[3] % groups:
        raise _indivisible("output depth must be evenly divisible by number of groups", filters[3], groups, filters)
    return groups


def _indivisible(what: str, depth: int, by: int, filters: tuple[int, ...]) -> InvalidArgumentError:
    return InvalidArgumentError(f"{what}: {depth} vs {by}. In a convolution by filters of shape {filters}.")


def _conv2d(x: Array, filters: Array, *, strides: Pair, border: Border, dilations: Pair) -> Any:
    def compute(x: Array, filters: Array) -> Any:
        windows = windows_of(padded(x, border), filters.shape[:2], strides, dilations)
        flat = _unrolled(windows)
        return product(flat, filters.reshape(flat.shape[1], -1)).reshape(*windows.shape[:3], filters.shape[3])

    return _by_group(compute, x, filters, _groups(x.shape[-1], filters.shape))


def _conv2d_picture(x: Array, filters: Array, *, shape: Array, strides: Pair, border: Border, dilations: Pair) -> Any:
    def compute(x: Array, filters: Array) -> Any:
        flat, channels = x.reshape(-1, x.shape[-1]), filters.shape[2]
        if channels == 1:  # one product is quicker than one for each place of the window, and BLAS quicker by columns
            by_place = np.asfortranarray(filters.reshape(-1, filters.shape[3])) @ flat.T
        else:
            by_place = flat @ filters.swapaxes(2, 3)
        windows = by_place.reshape(*filters.shape[:2], *x.shape[:3], channels).transpose(2, 3, 4, 0, 1, 5)
        return put_back(placewise(windows), windows.shape[3:5], (*shape[:3], channels), strides, dilations, border)

    return _by_group(compute, x, filters, _groups(shape[-1], filters.shape))


def _conv2d_filters(x: Any, u: Any, *, shape: Any, strides: Pair, border: Border, dilations: Pair) -> Any:
    def compute(x: Any, u: Any) -> Any:
        windows = windows_of(padded(x, border), shape[:2], strides, dilations)
        flat = _unrolled(windows[:, : u.shape[1], : u.shape[2]])
        return product(flat.T, u.reshape(-1, u.shape[3])).reshape(*shape[:3], -1)

    return _by_group(compute, x, u, _groups(x.shape[-1], shape))


def _with_gradients(
    name: str, taken: Dtypes, convolve: Any, picture_primal: Any, filters_primal: Any
) -> tuple[Any, Any, Any]:
    """The ops of a convolution: itself, and its gradients with respect to the picture and to the filters.

    Each of them is linear in both of its operands, and its gradients are the other two.
    """
    convolution = defop(
        name,
        convolve,
        Facts(dtypes=taken),
        x=lambda g, filters, x_shape, strides, border, dilations: picture(
            g, filters, shape=x_shape, strides=strides, border=border, dilations=dilations
        ),
        filters=lambda g, x, filters_shape, strides, border, dilations: of_filters(
            x, g, shape=filters_shape, strides=strides, border=border, dilations=dilations
        ),
    )
    picture = defop(
        f"{name}_picture",
        picture_primal,
        x=lambda g, filters, strides, border, dilations: convolution(
            g, filters, strides=strides, border=border, dilations=dilations
        ),
        filters=lambda g, x, filters_shape, strides, border, dilations: of_filters(
            g, x, shape=filters_shape, strides=strides, border=border, dilations=dilations
        ),
    )
    of_filters = defop(
        f"{name}_filters",
        filters_primal,
        x=lambda g, u, x_shape, strides, border, dilations: picture(
            u, g, shape=x_shape, strides=strides, border=border, dilations=dilations
        ),
        u=lambda g, x, strides, border, dilations: convolution(
            x, g, strides=strides, border=border, dilations=dilations
        ),
    )
    return convolution, picture, of_filters


conv2d, conv2d_picture, conv2d_filters = _with_gradients(
    "conv2d", FLOATS | dtypes("int32"), _conv2d, _conv2d_picture, _conv2d_filters
)

# ----- one filter per channel -----


def _depthwise(x: Array, filters: Array, *, strides: Pair, border: Border, dilations: Pair) -> Any:
    if x.shape[3] != filters.shape[2]:
        depths = f"{x.shape[3]} vs {filters.shape[2]}"
        raise InvalidArgumentError(
            f"input depth must be evenly divisible by filter depth: {depths}. In depthwise_conv2d of {x.shape}."
        )
    if filters.shape[2] == 1:
        return _conv2d(x, filters, strides=strides, border=border, dilations=dilations)
    return convolved(x, filters, strides, border, dilations)


def _depthwise_picture(x: Any, filters: Any, *, shape: Any, strides: Pair, border: Border, dilations: Pair) -> Any:
    if filters.shape[2] == 1:
        return _conv2d_picture(x, filters, shape=shape, strides=strides, border=border, dilations=dilations)
    return picture_of(x, filters, shape, strides, border, dilations)


def _depthwise_filters(x: Any, u: Any, *, shape: Any, strides: Pair, border: Border, dilations: Pair) -> Any:
    if shape[2] == 1:
        return _conv2d_filters(x, u, shape=shape, strides=strides, border=border, dilations=dilations)
    return filters_of(x, u, shape, strides, border, dilations)


depthwise_conv2d, depthwise_picture, depthwise_filters = _with_gradients(
    "depthwise_conv2d", FLOATS, _depthwise, _depthwise_picture, _depthwise_filters
)

# ----- pooling -----


def _placed(x: Any, size: Pair, strides: Pair, border: Border, beyond: Any = 0) -> list[Any]:
    """For each place in a window, the numbers there in all windows; those of the border are `beyond`."""
    return placewise(windows_of(padded(x, border, beyond), size, strides, (1, 1)))


def _inside(shape: tuple[int, ...], size: Pair, strides: Pair, border: Border) -> list[Any]:
    """For each place in a window, whether it is inside the image, not in its border."""
    return _placed(np.ones((1, *shape[1:3], 1), bool), size, strides, border, False)


def _max_pool(x: Array, *, size: Pair, strides: Pair, border: Border) -> Any:
    """TensorFlow's maximum begins with the least finite number, and skips NaN."""
    least = limits_of(x.dtype).min
    return reduce(np.fmax, _placed(x, size, strides, border, least), x.dtype.type(least))


def _chosen(x: Array, size: Pair, strides: Pair, border: Border) -> Any:
    """For each window and channel the place of the largest number, the first of equal ones; NaN only if it is first."""
    places, inside = _placed(x, size, strides, border), _inside(x.shape, size, strides, border)
    index = np.min_scalar_type(len(places)).type
    chosen, largest, begun = index(0), places[0], inside[0]
    for at, (place, within) in enumerate(zip(map(np.ascontiguousarray, places), inside, strict=True)):
        above = within & ((place > largest) | ~begun)
        chosen, largest, begun = np.maximum(chosen, above * index(at)), select(above, place, largest), begun | within
    return chosen


def _pooled_from(x: Array, u: Any, *, size: Pair, strides: Pair, border: Border) -> Any:
    """The numbers of u at the places of the largest numbers of x: the tangent of max pooling."""
    chosen, places = _chosen(x, size, strides, border), _placed(u, size, strides, border)
    return sum(select(chosen == at, place, u.dtype.type(0)) for at, place in enumerate(places))


def _max_pool_grad(x: Array, u: Array, *, size: Pair, strides: Pair, border: Border) -> Any:
    chosen = _chosen(x, size, strides, border)
    shares = [select(chosen == at, u, u.dtype.type(0)) for at in range(size[0] * size[1])]
    return put_back(shares, size, x.shape, strides, (1, 1), border)


def _sizes(x: Any, *where: Any) -> Any:
    """How many numbers of the image are in each window, in the dtype of x."""
    return sum(within.astype(x.dtype) for within in _inside(*where))


def _avg_pool(x: Any, *, size: Pair, strides: Pair, border: Border) -> Any:
    return reduce(np.add, _placed(x, size, strides, border)) / _sizes(x, x.shape, size, strides, border)


def _avg_pool_grad(x: Array, *, shape: Any, size: Pair, strides: Pair, border: Border) -> Any:
    share = x / _sizes(x, shape, size, strides, border)
    return put_back([share] * (size[0] * size[1]), size, shape, strides, (1, 1), border)


max_pool = defop(
    "max_pool",
    _max_pool,
    Facts(dtypes=REALS - dtypes("uint32 uint64")),
    x=lambda g, x, size, strides, border: max_pool_grad(x, g, size=size, strides=strides, border=border),
)
max_pool_grad = defop(
    "max_pool_grad",
    _max_pool_grad,
    x=lambda g: zeros_like(g),
    u=lambda g, x, size, strides, border: pooled_from(x, g, size=size, strides=strides, border=border),
)
pooled_from = defop(
    "pooled_from",
    _pooled_from,
    x=lambda g, x, size, strides, border: zeros_like(max_pool_grad(x, g, size=size, strides=strides, border=border)),
    u=lambda g, x, size, strides, border: max_pool_grad(x, g, size=size, strides=strides, border=border),
)
avg_pool = defop(
    "avg_pool",
    _avg_pool,
    Facts(dtypes=FLOATS),
    x=lambda g, x_shape, size, strides, border: avg_pool_grad(
        g, shape=x_shape, size=size, strides=strides, border=border
    ),
)
avg_pool_grad = defop(
    "avg_pool_grad",
    _avg_pool_grad,
    x=lambda g, size, strides, border: avg_pool(g, size=size, strides=strides, border=border),
)
