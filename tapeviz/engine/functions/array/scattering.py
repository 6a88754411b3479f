"""`scatter_nd` and its kin: updates written into tensors by index, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.arguments import number_of, tensor_of, together
from tapeviz.engine.functions.array.picking import or_zeros, within
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import matching_integers
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.scatter_shapes import require_scattered
from tapeviz.engine.ops import picking, scattering


@export("scatter_nd")
def scatter_nd(
    indices: object, updates: object, shape: object, bad_indices_policy: str = "", name: str | None = None
) -> Any:
    """Zeros, to which updates are added at some indices.

    Args:
        indices: a tensor whose last axis holds one index each, for the first axes of the result.
        updates: for each index an element or a slice. Updates at the same index are added up.
        shape: the shape of the result, in the dtype of `indices`.
        bad_indices_policy: what an index out of range does: "IGNORE" skips its update; by default it is an error.

    Raises:
        InvalidArgumentError: `shape` is not a vector, or of another dtype than `indices`.
        TypeError: `shape` is not made of integers.

    >>> import tapeviz as tf
    >>> tf.scatter_nd([[1], [3], [1]], [10, 20, 5], [4]).numpy().tolist()
    [0, 15, 0, 20]
    """
    rows, dims = tensor_of(updates), matching_integers("scatter_nd.Tindices", indices, shape)[1]
    require(dims.ndim == 1, f"Shape must be a vector. In scatter_nd: it is {shape!r}.")
    lengths = tuple(dims.tolist())
    places, good = within(lengths, _places("scatter_nd", indices, rows, lengths), bad_indices_policy)
    return picking.scatter_nd(or_zeros(good, rows), places, shape=lengths, batch_dims=0)


def _places(op: str, indices: object, updates: Any, shape: Any) -> Any:
    """Indices into a shape, with an update of the right shape for each.

    Raises:
        InvalidArgumentError: updates of another shape.
    """
    places = number_of(indices, f"{op}.Tindices")
    require_scattered(op, places.shape, updates.shape, shape)
    return places


@export("tensor_scatter_nd_update")
def tensor_scatter_nd_update(tensor: object, indices: object, updates: object, name: str | None = None) -> Any:
    """A copy of a tensor, with other values at some indices.

    Args:
        tensor: a tensor, or what can become one.
        indices: a tensor whose last axis holds one index each, for the first axes of `tensor`.
        updates: for each index an element or a slice.

    >>> import tapeviz as tf
    >>> tf.tensor_scatter_nd_update([0, 0, 0], [[1]], [5]).numpy().tolist()
    [0, 5, 0]
    """
    x, rows = map(tensor_of, together("tensor_scatter_nd_update", tensor, updates, others=(indices,)))
    return scattering.tensor_scatter_nd_update(x, _places("tensor_scatter_nd_update", indices, rows, x.shape), rows)


def _joining(op: str, done: str) -> Any:
    """The function of an op that joins updates with a copy of a tensor."""
    run = getattr(scattering, op)

    def join(
        tensor: object, indices: object, updates: object, bad_indices_policy: str = "", name: str | None = None
    ) -> Any:
        x, rows = map(tensor_of, together(op, tensor, updates, others=(indices,)))
        places, good = within(x.shape, _places(op, indices, rows, x.shape), bad_indices_policy)
        if good is not None:
            rows, places = (picking.boolean_mask(each, good, axis=0) for each in (rows, places))
        return run(x, places, rows)

    join.__doc__ = f"""A copy of a tensor, {done} at some indices.

    Args:
        tensor: a tensor, or what can become one.
        indices: a tensor whose last axis holds one index each, for the first axes of `tensor`.
        updates: for each index an element or a slice.
        bad_indices_policy: what an index out of range does: "IGNORE" skips its update; by default it is an error.
    """
    return export(op)(join)


tensor_scatter_nd_add = _joining("tensor_scatter_nd_add", "with updates added")


tensor_scatter_nd_sub = _joining("tensor_scatter_nd_sub", "with updates subtracted")


tensor_scatter_nd_max = _joining("tensor_scatter_nd_max", "with updates where they are larger")


tensor_scatter_nd_min = _joining("tensor_scatter_nd_min", "with updates where they are smaller")
