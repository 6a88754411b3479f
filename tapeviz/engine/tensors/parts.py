"""Reading and writing parts of a variable: rows or entries by their indices, or a slice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.op_errors.dtypes import require_taken
from tapeviz.engine.op_errors.reasons import index_out_of_range, indices_out_of_range
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.scatter_shapes import unfit_entries, unfit_rows
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.engine.values.convert import array_of, unboxed
from tapeviz.errors import InvalidArgumentError


class InParts:
    """Mixin of `Variable`: reading and writing parts of it, by `gather_nd`, `scatter_update` and the like."""

    __slots__ = ()

    _value: Any
    _incoming: Callable[[Any, str], Any]
    _written: Callable[..., Any]
    _called: Callable[[], str]

    def _scattered(self, places: tuple[Any, ...], updates: Any, rows: Any, change: Any, how: str) -> Any:
        """Write to a variable: `change(value, places, rows)`, where `places` are indices into its first axes."""
        require_taken(f"{how}.dtype", rows.dtype)
        value = np.array(self._value)
        for indices, length in zip(places, value.shape, strict=False):
            require_taken(f"{how}.Tindices", indices.dtype)
            if np.any((indices < 0) | (indices >= length)):
                nd = how.startswith("scatter_nd")
                said = (
                    indices_out_of_range(np.stack(places, -1), value.shape)
                    if nd
                    else index_out_of_range(indices, length)
                )
                raise InvalidArgumentError(f"{said}. In {how} of {self._called()}.")
        change(value, places, rows)
        return self._written(updates, unboxed(value), how)

    def sparse_read(self, indices: object, name: str | None = None) -> Any:
        """The rows at these indices."""
        return OPS["gather"](self, _places("resource_gather", indices), axis=0, batch_dims=0)

    def batch_scatter_update(self, sparse_delta: object, use_locking: bool = False, name: str | None = None) -> Any:
        """Overwrite rows in each batch: an index i in batch b is that of `self[b][i]`.

        Raises:
            TypeError: no `IndexedSlices`.
            InvalidArgumentError: an index out of range, or updates of another shape than theirs.
        """
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"{_NO_SLICES}{sparse_delta}")
        rows = _array(sparse_delta.indices)
        batches = np.indices(rows.shape)[:-1]
        return _put_nd(self, np.stack([*batches, rows], -1), sparse_delta.values, name)

    def gather_nd(self, indices: object, name: str | None = None) -> Any:
        """The entries at the indices along the last axis of `indices`.

        Raises:
            InvalidArgumentError: indices out of range, or in no vector.
        """
        places = _places("resource_gather_nd", indices)
        require(places.ndim > 0, "indices must be at least a vector. In gather_nd: it is a scalar.")
        return OPS["gather_nd"](self, places, batch_dims=0)


_NO_SLICES = "Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: "


def _places(op: str, indices: Any) -> Any:
    """The array of indices, whose dtype the op must take."""
    places = array_of(indices)
    require_taken(f"{op}.Tindices", places.dtype)
    return places


def _array(value: Any) -> Any:
    return np.asarray(value._value if isinstance(value, TensorLike) else array_of(value))


def _together(updates: Any) -> Any:
    """A list with tensors in it stacked to one, so that the log has its history; other values as they are."""
    held = isinstance(updates, list) and any(isinstance(each, TensorLike) for each in updates)
    return convert_to_tensor(updates) if held else updates


def _require_fitting(said: str | None, how: str, variable: InParts) -> None:
    if said:
        raise InvalidArgumentError(f"{said}. In {how} of {variable._called()}.")


def _put(value: Any, places: Any, updates: Any) -> None:
    value[places] = updates


def _divide(value: Any, places: Any, updates: Any) -> None:
    require(bool(np.all(updates)), "updates must not contain 0. In scatter_div.", at_run=True)
    np.divide.at(value, places, updates)


_SCATTERS: dict[str, tuple[Any, str]] = {
    "update": (_put, "Overwrite"),
    "add": (np.add.at, "Add to"),
    "sub": (np.subtract.at, "Subtract from"),
    "mul": (np.multiply.at, "Multiply"),
    "div": (_divide, "Divide"),
    "max": (np.maximum.at, "Raise to at least the given values"),
    "min": (np.minimum.at, "Lower to at most the given values"),
}
_SCATTERS_ND = ("update", "add", "sub", "max", "min")


def _scatter(how: str, change: object, what: str) -> Callable[..., Any]:
    def scatter(self: InParts, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Any:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"{_NO_SLICES}{sparse_delta}")
        updates, indices = _together(sparse_delta.values), _array(sparse_delta.indices)
        rows = self._incoming(updates, how)
        _require_fitting(unfit_rows(indices.shape, rows.shape, self._value.shape), how, self)
        return self._scattered((indices,), updates, rows, change, how)

    scatter.__name__ = scatter.__qualname__ = how
    scatter.__doc__ = f"{what} the rows that an `IndexedSlices` names."
    return scatter


def _scatter_nd(how: str, change: object, what: str) -> Callable[..., Any]:
    def scatter_nd(self: InParts, indices: object, updates: object, name: str | None = None) -> Any:
        updates, places = _together(updates), _array(indices)
        rows = self._incoming(updates, how)
        _require_fitting(unfit_entries(places.shape, rows.shape, self._value.shape), how, self)
        if places.ndim == 1:
            places, rows = places[:1, None], rows[:1]  # as TensorFlow, which makes one index of a vector: its first
        return self._scattered(tuple(np.moveaxis(places, -1, 0)), updates, rows, change, how)

    scatter_nd.__name__ = scatter_nd.__qualname__ = how
    scatter_nd.__doc__ = f"{what} the entries at `indices`, shape (n, depth), by `updates`."
    return scatter_nd


for _name, (_change, _what) in _SCATTERS.items():
    setattr(InParts, f"scatter_{_name}", _scatter(f"scatter_{_name}", _change, _what))
    if _name in _SCATTERS_ND:
        setattr(InParts, f"scatter_nd_{_name}", _scatter_nd(f"scatter_nd_{_name}", _change, _what))
_put_nd = InParts.__dict__["scatter_nd_update"]


class VariableSlice(Tensor):
    """A slice of a variable: a tensor that can also be assigned to."""

    __slots__ = ("_index", "_variable")

    def __init__(self, variable: InParts, index: tuple[Any, ...], tensor: Tensor) -> None:
        self._variable = variable
        self._index = index
        self._value = tensor._value
        self._id = tensor._id
        self._traces = tensor._traces

    def assign(self, value: object, name: str | None = None) -> Any:
        """Write into the variable at this slice; a slice without entries takes any value.

        Raises:
            InvalidArgumentError: a value that does not broadcast to the shape of the slice.
        """
        variable = self._variable
        changed, part = np.array(variable._value), variable._incoming(value, "assign to a slice")
        try:
            if self._value.size:
                changed[self._index] = part if self.ndim else part.item()
        except ValueError:
            shapes = f"input shape {listed(part.shape)} into final shape {listed(self._value.shape)}"
            raise InvalidArgumentError(
                f"Cannot broadcast {shapes}. In assign to a slice of {variable._called()}.", at_run=True
            ) from None
        return variable._written(value, unboxed(changed), "assign")
