"""`tf.IndexedSlices`, some rows of a tensor for users <-> `Slices`, the same as a cotangent."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.backward.slices import Slices, array_in
from tapeviz.engine.nest import CompositeTensor
from tapeviz.engine.notes import note_raised
from tapeviz.engine.specs.dtypes import DType
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.engine.values.convert import array_of


class IndexedSlices(CompositeTensor):
    """Some rows of a tensor (`tf.IndexedSlices`): the gradient of a variable that was only read by `gather`.

    `tf.convert_to_tensor` makes it dense, and `assign_sub` takes it; arithmetic does not.

    Args:
        values: a tensor of shape (n, ...): the rows.
        indices: a tensor of n integers: which rows they are; a row named twice counts twice.
        dense_shape: the shape of the whole tensor, as a tensor of integers.

    >>> import tapeviz as tf
    >>> tf.convert_to_tensor(tf.IndexedSlices([[5.0]], [1], [2, 1])).numpy().tolist()
    [[0.0], [5.0]]
    """

    __slots__ = ("dense_shape", "indices", "values")
    _components = ("values", "indices", "dense_shape")

    def __init__(self, values: Any, indices: object, dense_shape: object = None) -> None:
        self.values = values
        self.indices = indices
        self.dense_shape = dense_shape

    def __getattr__(self, name: str) -> Any:
        error = AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        if not name.startswith("__"):  # those are asked for by Python itself, as by `copy`
            note_raised(error)
        raise error

    @property
    def dtype(self) -> DType:
        return _tensor(self.values).dtype

    @property
    def shape(self) -> TensorShape:
        return TensorShape(None if self.dense_shape is None else tuple(np.asarray(array_in(self.dense_shape)).tolist()))

    @property
    def device(self) -> str:
        """Where it is, in TensorFlow's words."""
        return _tensor(self.values).device

    def _dense(self) -> Tensor:
        """The whole tensor, computed by ops, so that tapes follow it."""
        if self.dense_shape is None:
            raise ValueError(
                f"Tensor conversion requested for IndexedSlices for argument `value` without dense_shape: {self}"
            )
        values, indices = _tensor(self.values), _tensor(self.indices)
        return OPS["unsorted_segment_sum"](values, indices, num_segments=int(self.shape[0]), axis=0)

    def _rows(self) -> Slices:
        """The same as a cotangent; the whole shape must be known."""
        return Slices([(_tensor(self.values), _tensor(self.indices)._value)], tuple(self.shape))

    def __neg__(self) -> IndexedSlices:
        return self._with(-_tensor(self.values))

    def _with(self, values: object) -> IndexedSlices:
        """The same rows with other values."""
        return IndexedSlices(values, self.indices, self.dense_shape)

    def __repr__(self) -> str:
        whole = "" if self.dense_shape is None else f", dense_shape={self.dense_shape!s}"
        return f"IndexedSlices(indices={self.indices!s}, values={self.values!s}{whole})"


def _tensor(value: Any) -> Any:
    """A field as a tensor: slices keep what the user gave until it is needed."""
    return value if isinstance(value, TensorLike) else Tensor._new(array_of(value))


def indexed_slices(slices: Slices) -> IndexedSlices:
    """A cotangent in slices as the user gets it."""
    fields = (*slices.whole(), np.array(slices.shape, np.int32))
    return IndexedSlices(*[each if isinstance(each, Tensor) else Tensor._new(each) for each in fields])


def cotangent_of(gradient: Any, dtype: DType, *, bare: bool) -> Any:
    """A gradient that a function of the user's returned, as a cotangent: a tensor, or slices.

    Args:
        gradient: a tensor or slices; numbers and arrays get the `dtype` if they fit it.
        dtype: that of the input.
        bare: return arrays in place of tensors.

    Raises:
        TypeError, ValueError: no tensor can be made of it.
    """
    if isinstance(gradient, IndexedSlices) and gradient.dense_shape is not None:
        slices = gradient._rows()
        return Slices([(rows._value, indices) for rows, indices in slices.parts], slices.shape) if bare else slices
    tensor = convert_to_tensor(gradient, dtype_hint=dtype)
    return tensor._value if bare else tensor
