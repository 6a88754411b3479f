"""The gradient of `gather`: only the rows that were picked, instead of a table that is zero almost everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.nest import CompositeTensor
from tapeviz.engine.recording import note_raised
from tapeviz.engine.refusals.absent import UNDEFINED, absent
from tapeviz.engine.refusals.ops import mixed_dtypes
from tapeviz.engine.refusals.sentences import unequal
from tapeviz.engine.specs.dtypes import DType
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.engine.values.convert import array_of
from tapeviz.errors import InvalidArgumentError


class Slices:
    """A cotangent of shape `shape` that holds rows: arrays, or tensors in a recorded sweep. A row may appear twice.

    It is made of parts, (rows, indices) each, one per op that picked some; they are put together when it is read.
    """

    __slots__ = ("parts", "shape")

    def __init__(self, parts: list[tuple[Any, Any]], shape: tuple[int, ...]) -> None:
        self.parts = parts
        self.shape = shape

    @property
    def dtype(self) -> Any:
        """NumPy's, also of tensors."""
        return _array(self.parts[0][0]).dtype

    def whole(self) -> tuple[Any, Any]:
        """All rows, and all indices."""
        if len(self.parts) == 1:
            return self.parts[0]
        rows, indices = zip(*self.parts, strict=True)
        return OPS["concat"](*rows, axis=0), np.concatenate([_array(each) for each in indices])

    def dense(self) -> Any:
        """The whole table: rows that appear twice are summed."""
        return OPS["scatter_rows"](*self.whole(), shape=self.shape, axis=0, batch_dims=0)

    def conjugate(self) -> Slices:
        """The same of the complex conjugates."""
        return Slices([(OPS["conj"](rows), indices) for rows, indices in self.parts], self.shape)

    def cut(self, axis: int, start: int, shape: tuple[int, ...]) -> Slices:
        """The part, of this shape, that begins at `start` of an axis."""
        return Slices([_cut(rows, _array(indices), axis, start, shape) for rows, indices in self.parts], shape)

    def ordered(self, order: list[int]) -> Slices:
        """The same with its parts, which were picked one after the other, in another order."""
        return Slices([self.parts[part] for part in order], self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """For whoever reads the log: it keeps the rows, and the whole is made, of arrays, when it is looked at."""
        bare = Slices([(_array(rows), _array(indices)) for rows, indices in self.parts], self.shape)
        return np.asarray(bare.dense(), dtype)


def cotangent_of(gradient: Any, dtype: DType, *, bare: bool) -> Any:
    """A gradient that the user's function gave, as a cotangent: a tensor or slices, of arrays if they are to be bare.

    Numbers and arrays are of the `dtype` if they fit it; a tensor has its own.

    Raises:
        TypeError, ValueError: nothing of the kind can be made of it.
    """
    if isinstance(gradient, IndexedSlices) and gradient.dense_shape is not None:
        slices = gradient._rows()
        return Slices([(rows._value, indices) for rows, indices in slices.parts], slices.shape) if bare else slices
    tensor = convert_to_tensor(gradient, dtype_hint=dtype)
    return tensor._value if bare else tensor


def _cut(rows: Any, indices: Any, axis: int, start: int, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """The same for one part: along the first axis only the rows inside are kept."""
    if axis:
        index = (*((None, None, None),) * axis, (start, start + shape[axis], None))
        return OPS["getitem"](rows, index=index), indices
    within = np.flatnonzero((indices >= start) & (indices < start + shape[0])).astype(indices.dtype)
    return OPS["gather"](rows, within, axis=0, batch_dims=0), indices[within] - indices.dtype.type(start)


def total(before: Any, contribution: Any) -> Any:
    """The sum of two cotangents; it stays in slices only if both are.

    Raises:
        InvalidArgumentError: they are of different dtypes or shapes, as a function's own gradient may be.
    """
    kind, other = type(before), type(contribution)
    if kind is other and issubclass(kind, np.generic):
        return before + contribution  # as of one number that many ops read
    if kind is other is Slices:
        return Slices([*contribution.parts, *before.parts], before.shape)  # in the order the program picked them
    if Slices in (kind, other):
        before, contribution = dense(before), dense(contribution)
    x, y = _array(before), _array(contribution)
    if x.dtype != y.dtype:
        raise mixed_dtypes("add_n", x, y)
    if x.shape != y.shape:
        raise InvalidArgumentError(f"{unequal((x, y))}. Contributions are summed.")
    return before + contribution


def pulled_by_row(plan: Any, entries: Any, g: Slices, saved: Any, pull: Callable[[Any, Any], Any]) -> Any:
    """An op's VJP of slices: row by row where TensorFlow keeps slices, as for `v.read_value()`, else of the whole."""
    if plan.facts.hands_out:
        return pull(g, saved)
    if not plan.hands_on_as_is(entries):
        return pull(g.dense(), saved)
    if len(entries) > 1:  # a number was added
        return g
    return Slices([(pull(rows, saved), indices) for rows, indices in g.parts], g.shape)


def dense(cotangent: Any) -> Any:
    """A cotangent that rules can work on."""
    return cotangent.dense() if type(cotangent) is Slices else cotangent


def _array(value: Any) -> Any:
    return value._value if isinstance(value, TensorLike) else value


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

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self.values = values
        self.indices = indices
        self.dense_shape = dense_shape

    def __getattr__(self, name: str) -> Any:
        if name in UNDEFINED:
            raise absent(self.values, name)
        error = AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        if not name.startswith("__"):  # those are asked for by Python itself, as by `copy`
            note_raised(error)
        raise error

    @property
    def dtype(self) -> DType:
        return _tensor(self.values).dtype

    @property
    def shape(self) -> TensorShape:
        return TensorShape(None if self.dense_shape is None else tuple(np.asarray(_array(self.dense_shape)).tolist()))

    @property
    def device(self) -> str:
        """Where it is, in TensorFlow's words."""
        return _tensor(self.values).device

    def _dense(self) -> Tensor:
        """The whole tensor, made by ops, so that a tape can follow."""
        if self.dense_shape is None:
            raise ValueError(
                f"Tensor conversion requested for IndexedSlices for argument `value` without dense_shape: {self}"
            )
        values, indices = _tensor(self.values), _tensor(self.indices)
        return OPS["unsorted_segment_sum"](values, indices, num_segments=int(self.shape[0]), axis=0)

    def _rows(self) -> Slices:
        """The same as a cotangent, if its whole shape is known."""
        return Slices([(_tensor(self.values), _tensor(self.indices)._value)], tuple(self.shape))

    def __neg__(self) -> IndexedSlices:
        return self._with(-_tensor(self.values))

    def _with(self, values: Any) -> IndexedSlices:
        """Other values in the same rows."""
        return IndexedSlices(values, self.indices, self.dense_shape)

    def __repr__(self) -> str:
        whole = "" if self.dense_shape is None else f", dense_shape={self.dense_shape!s}"
        return f"IndexedSlices(indices={self.indices!s}, values={self.values!s}{whole})"


def _tensor(value: Any) -> Any:
    """What the user gave, as a tensor: slices keep it as it is until it is needed."""
    return value if isinstance(value, TensorLike) else Tensor._new(array_of(value))


def given(slices: Slices) -> IndexedSlices:
    """A cotangent as the user gets it."""
    fields = (*slices.whole(), np.array(slices.shape, np.int32))
    return IndexedSlices(*[each if isinstance(each, Tensor) else Tensor._new(each) for each in fields])
