"""`t[...]`, slices and masks -> the ops that pick by place.

A user's index becomes plain values that a log can hold: ints, (start, stop, step), None for a new axis, "...".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.api.arguments import number_of, tensor_of, value_of
from tapeviz.engine.api.exports import export
from tapeviz.engine.api.integers import int_of, setting_of
from tapeviz.engine.api.matching_integers import matching_integers
from tapeviz.engine.notes import note
from tapeviz.engine.op_errors.dtypes import another_dtype
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import picking as ops
from tapeviz.engine.ops.array import cast
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.errors import InvalidArgumentError
from tapeviz.events.types import AN_INDEX, ReadOut

_MASK = "Truth values in a list are no index: use tf.boolean_mask."
_NO_INDEX = f"Value for attr 'Index' of bool is not in the list of allowed values: int16, int32, int64. {_MASK}"
_BOOL = ("bool", "<dtype: 'bool'>")


def getitem(tensor: Any, index: Any) -> Any:
    """`tensor[index]`: ints, slices, `...`, None (a new axis), tensors of shape () in their place, or one mask.

    Raises:
        InvalidArgumentError: an index outside its axis, or more indices than axes.
        TypeError: something else as an index.
    """
    if is_mask(index):
        return boolean_mask(tensor, index)
    entries = entries_of(index)
    _require_alike(entries)
    try:
        return ops.getitem(tensor, index=tuple(map(_entry, entries)))
    except InvalidArgumentError as error:
        if any(isinstance(each, TensorLike) for each in entries):
            error.in_graph = None  # where a tensor points is known when it runs
        raise


def entries_of(index: Any) -> tuple[Any, ...]:
    """The parts of an index. As in TensorFlow, a truth value counts as 0 or 1 if another part comes first.

    Raises:
        InvalidArgumentError: nothing but truths.
        TypeError: a truth comes before another part.
    """
    entries = tuple(index) if isinstance(index, (tuple, list)) else (index,)
    if entries and isinstance(entries[0], bool):
        other = next((each for each in entries if not isinstance(each, bool)), None)
        if other is None:
            raise InvalidArgumentError(_NO_INDEX)
        raise TypeError(f"Cannot convert {other!r} to EagerTensor of dtype bool. {_MASK}")
    return tuple(int(each) if isinstance(each, bool) else each for each in entries)


def is_mask(index: Any) -> bool:
    """Whether an index is a mask, which says of each part if it is picked; NumPy's own truth or a variable is none."""
    if isinstance(index, (np.bool_, MutableTensor)):
        return False
    return isinstance(index, bool) or str(getattr(index, "dtype", "")) in _BOOL


def _require_alike(entries: Any) -> None:
    """TensorFlow packs the begins of an index, its ends and its steps, each into one tensor.

    Raises:
        InvalidArgumentError: tensors of different dtypes go into one.
    """
    if sum(not isinstance(each, int) for each in entries) < 2:
        return
    for packed in zip(*map(_dtypes, entries), strict=True):
        first = next(filter(None, packed), None)
        slot = next((i for i, have in enumerate(packed) if have not in (None, first)), None)
        if first is not None and slot is not None:
            have = packed[slot]
            raise another_dtype("stack", first, have, f"an index of {first} and {have}", slot)


def _dtypes(entry: Any) -> tuple[Any, Any, Any]:
    """Of what dtypes the begin, the end and the step of an entry are; what a slice leaves out is like the rest."""
    if not isinstance(entry, slice):
        found = entry._value.dtype if isinstance(entry, TensorLike) else None
        return found, found, None if found == np.int32 else found
    ends = (entry.start, entry.stop, entry.step)
    known = [each._value.dtype if isinstance(each, TensorLike) else None for each in ends]
    widest = max(filter(None, known), key=lambda dtype: dtype.itemsize, default=None)
    begin, end, step = (widest if each is None else dtype for each, dtype in zip(ends, known, strict=True))
    return begin, end, step


def _entry(entry: Any) -> Any:
    if isinstance(entry, slice):
        ends = (entry.start, entry.stop, entry.step)
        return tuple(None if each is None else _place(each) for each in ends)
    if entry is Ellipsis:
        return "..."
    return None if entry is None else _place(entry)


def _place(entry: Any) -> int:
    if isinstance(entry, TensorLike):
        note(ReadOut, None, entry._id, None, AN_INDEX)
    value = entry._value if isinstance(entry, TensorLike) else entry
    if isinstance(value, bool):
        raise InvalidArgumentError(_NO_INDEX)
    scalar = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if isinstance(entry, TensorLike):
        scalar = scalar and entry.dtype.name in ("int16", "int32", "int64")
    if not scalar and not (isinstance(value, np.ndarray) and value.dtype.kind in "iu" and not value.shape):
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors "
            f"are valid indices, got {entry!r}. Use tf.gather or tf.boolean_mask."
        )
    return int(value)


@export("boolean_mask")
def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Any:
    """The parts of a tensor where the mask is true, in a row; the mask's axes begin at `axis`.

    A negative axis is the start of a slice of the shape, as in TensorFlow: -1 covers no axis.

    Raises:
        ValueError: a mask of shape (), or of another shape than the axes it covers.
    """
    x, chosen = tensor_of(tensor), tensor_of(mask)
    axis = 0 if axis is None else int_of(axis)
    covered = TensorShape.of_array(x._value)[axis : axis + len(chosen.shape)]
    if not chosen.ndim:
        raise ValueError("mask cannot be scalar.")
    if covered != chosen.shape:
        raise ValueError(f"Shapes {covered} and {tuple(chosen.shape)} are incompatible: the mask must fit the tensor.")
    number_of(chosen, "where_true")  # as TensorFlow finds its places
    if chosen.dtype.name != "bool":
        chosen = cast(chosen, dtype="bool", source=chosen.dtype.name)
    return ops.boolean_mask(x, chosen, axis=axis % x.ndim)


@export("slice")
def slice_(input_: Any, begin: Any, size: Any, name: str | None = None) -> Any:
    """The block that begins at `begin`, `size` long; a size of -1 reaches to the end.

    Raises:
        InvalidArgumentError: not one begin and one size for each axis, or a block that is not inside.
        TypeError: sizes that are no integers.
    """
    x, (first, lengths) = tensor_of(input_), matching_integers("slice.Index", begin, size)
    if not first.shape == lengths.shape == (x.ndim,):
        raise InvalidArgumentError(
            f"Expected begin and size arguments to be 1-D tensors of size {x.ndim}, but got shapes "
            f"{listed(first.shape)} and {listed(lengths.shape)} instead. In slice."
        )
    starts, sizes = first.tolist(), lengths.tolist()
    index = []
    for axis, (start, length, whole) in enumerate(zip(starts, sizes, x.shape, strict=True)):
        stop = whole if length == -1 else start + length
        if not 0 <= start <= stop <= whole:
            size_is_wrong = 0 <= start <= whole
            what, most, got = ("size", whole - start, length) if size_is_wrong else ("begin", whole, start)
            said = f"Expected {what}[{axis}] in [0, {most}], but got {got}"
            raise InvalidArgumentError(f"{said}. In slice of shape {x.shape}.", at_run=True)
        index.append((start, stop, None))
    return ops.getitem(x, index=tuple(index))


@export("strided_slice")
def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Any:
    """`input_[begin:end:strides]`, an axis after the other; the masks are bit sets over the axes.

    Raises:
        InvalidArgumentError: begin, end and strides of different lengths or dtypes, or more than there are axes.
        ValueError: dtypes that differ, where one of the three is a list, or is left out.
    """
    if strides is None:
        strides = Tensor._new(np.ones_like(value_of(begin)))  # as TensorFlow makes them, which decides on the dtype
    starts, stops, steps = matching_integers("strided_slice.Index", begin, end, strides)
    if not starts.shape == stops.shape == steps.shape or starts.ndim != 1:
        shapes = "{}, {}, and {}".format(*(listed(each.shape) for each in (starts, stops, steps)))
        said = "Expected begin, end, and strides to be 1D equal size tensors"
        raise InvalidArgumentError(f"{said}, but got shapes {shapes} instead. In strided_slice.")
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    at_begin, at_end, ellipses, new_axes, shrunk = (0 if each is None else setting_of(each, "mask") for each in masks)
    index: list[Any] = []
    for i, (start, stop, step) in enumerate(zip(*(each.tolist() for each in (starts, stops, steps)), strict=True)):
        bit = 1 << i
        if ellipses & bit:
            index.append("...")
        elif new_axes & bit:
            index.append(None)
        elif shrunk & bit:
            require(step > 0, "only stride 1 allowed on non-range indexing. In strided_slice.")
            index.append(start)
        else:
            index.append((None if at_begin & bit else start, None if at_end & bit else stop, step))
    return ops.getitem(tensor_of(input_), index=tuple(index))
