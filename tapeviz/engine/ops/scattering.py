"""The op table: a tensor, some of whose numbers are replaced by updates, or combined with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts
from tapeviz.engine.ops.array import Shape, cast_like, dtype_name
from tapeviz.engine.ops.math import equal
from tapeviz.engine.ops.picking import columns_of, gather_nd, scatter_nd
from tapeviz.engine.specs.dtype_sets import COMPLEX, EVERY, TEXT, TRUTH
from tapeviz.engine.specs.dtypes import Array

# ----- updates -----


def _overwritten(x: Array, indices: Array, updates: Array) -> Any:
    out = np.array(x)
    out[columns_of("tensor_scatter_nd_update", indices, x.shape)] = updates
    return out


def _joined(op: str, ufunc: Any) -> Callable[..., Any]:
    """A primal that combines each update with the number in its place."""

    def primal(x: Any, indices: Any, updates: Any) -> Any:
        out = np.array(x)
        ufunc.at(out, columns_of(op, indices, x.shape), updates)
        return out

    return primal


tensor_scatter_nd_update = defop(
    "tensor_scatter_nd_update",
    _overwritten,
    Facts(over="all", dtypes=EVERY),
    x=lambda g, indices, updates_shape: tensor_scatter_nd_update(g, indices, np.zeros(updates_shape, dtype_name(g))),
    indices=None,
    updates=lambda g, indices: gather_nd(g, indices, batch_dims=0),
)
tensor_scatter_nd_add = defop(
    "tensor_scatter_nd_add",
    _joined("tensor_scatter_nd_add", np.add),
    Facts(over="all", dtypes=EVERY, no_kernel=TRUTH | TEXT),
    x=lambda g: g,
    indices=None,
    updates=lambda g, indices: gather_nd(g, indices, batch_dims=0),
)
tensor_scatter_nd_sub = defop(
    "tensor_scatter_nd_sub",
    _joined("tensor_scatter_nd_sub", np.subtract),
    Facts(over="all", dtypes=EVERY, no_kernel=TRUTH | TEXT),
    x=lambda g: g,
    indices=None,
    updates=lambda g, indices: gather_nd(-g, indices, batch_dims=0),
)

# ----- extrema -----


def _extreme(op: str, ufunc: Array) -> Callable[..., Any]:
    """A primal that takes the larger, or smaller, of two numbers; NaN in x stays, and NaN in updates is ignored."""
    join = _joined(op, ufunc)
    return lambda x, indices, updates: np.where(x == x, join(x, indices, updates), x)


def _shares(g: Array, x: Array, indices: Array, updates: Array, out: Array, x_shape: Shape) -> tuple[Any, Any, Any]:
    """The gradient shared among equal numbers; which numbers of x are among these, and which updates."""
    old = cast_like(equal(x, out), g)
    new = cast_like(equal(updates, gather_nd(out, indices, batch_dims=0)), g)
    return g / (old + scatter_nd(new, indices, shape=x_shape, batch_dims=0)), old, new


def _old_rule(g: Array, x: Array, indices: Array, updates: Array, out: Array, x_shape: Shape) -> Any:
    share, old, _ = _shares(g, x, indices, updates, out, x_shape)
    return share * old


def _new_rule(g: Array, x: Array, indices: Array, updates: Array, out: Array, x_shape: Shape) -> Any:
    share, _, new = _shares(g, x, indices, updates, out, x_shape)
    return gather_nd(share, indices, batch_dims=0) * new


def _extremum(op: str, ufunc: Any) -> Callable[..., Any]:
    """The op that takes the larger, or the smaller, of each number and the updates in its place."""
    return defop(
        op,
        _extreme(op, ufunc),
        Facts(seed_shape="broadcast", over="all", dtypes=EVERY, no_kernel=COMPLEX | TRUTH | TEXT),
        x=_old_rule,
        indices=None,
        updates=_new_rule,
    )


tensor_scatter_nd_max = _extremum("tensor_scatter_nd_max", np.fmax)
tensor_scatter_nd_min = _extremum("tensor_scatter_nd_min", np.fmin)
