"""The entries of a user's index -> plain values that a log can hold, or TensorFlow's errors for them.

They become ints, (start, stop, step), None for a new axis, and "...".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.notes import note
from tapeviz.engine.op_errors.dtypes import another_dtype
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.errors import InvalidArgumentError
from tapeviz.events.types import AN_INDEX, ReadOut

_MASK = "Truth values in a list are no index: use tf.boolean_mask."


_NO_INDEX = f"getitem takes integers, not bool. {_MASK}"


_BOOL = ("bool", "<dtype: 'bool'>")


def entries_of(index: object) -> tuple[Any, ...]:
    """The entries of an index, as a tuple. As in TensorFlow, a boolean after another entry counts as 0 or 1.

    Raises:
        InvalidArgumentError: all entries are booleans.
        TypeError: the first entry is a boolean, and others are not.
    """
    entries = tuple(index) if isinstance(index, (tuple, list)) else (index,)
    if entries and isinstance(entries[0], bool):
        other = next((each for each in entries if not isinstance(each, bool)), None)
        if other is None:
            raise InvalidArgumentError(_NO_INDEX)
        raise TypeError(f"Cannot convert {other!r} to a tensor of dtype bool. {_MASK}")
    return tuple(int(each) if isinstance(each, bool) else each for each in entries)


def is_mask(index: object) -> bool:
    """Whether an index is a boolean mask. As in TensorFlow, NumPy's scalar booleans and variables are not."""
    if isinstance(index, (np.bool_, MutableTensor)):
        return False
    return isinstance(index, bool) or str(getattr(index, "dtype", "")) in _BOOL


def require_alike(entries: Any) -> None:
    """TensorFlow packs the begins of an index, its ends and its steps, each into one tensor.

    Raises:
        InvalidArgumentError: tensors of different dtypes go into one.
    """
    if sum(not isinstance(each, int) for each in entries) < 2:
        return
    for packed in zip(*map(_dtypes, entries), strict=True):
        first = next(filter(None, packed), None)
        have = next((each for each in packed if each not in (None, first)), None)
        if first is not None and have is not None:
            raise another_dtype("stack", first, have, f"an index of {first} and {have}")


def _dtypes(entry: object) -> tuple[Any, Any, Any]:
    """Of what dtypes the begin, the end and the step of an entry are; what a slice leaves out is like the rest."""
    if not isinstance(entry, slice):
        found = entry._value.dtype if isinstance(entry, TensorLike) else None
        return found, found, None if found == np.int32 else found
    ends = (entry.start, entry.stop, entry.step)
    known = [each._value.dtype if isinstance(each, TensorLike) else None for each in ends]
    widest = max(filter(None, known), key=lambda dtype: dtype.itemsize, default=None)
    begin, end, step = (widest if each is None else dtype for each, dtype in zip(ends, known, strict=True))
    return begin, end, step


def plain_entry(entry: object) -> Any:
    if isinstance(entry, slice):
        ends = (entry.start, entry.stop, entry.step)
        return tuple(None if each is None else position_of(each) for each in ends)
    if entry is Ellipsis:
        return "..."
    return None if entry is None else position_of(entry)


def position_of(entry: Any) -> int:
    if isinstance(entry, TensorLike):
        note(ReadOut, None, entry._id, None, AN_INDEX)
    value = entry._value if isinstance(entry, TensorLike) else entry
    if isinstance(value, bool):
        raise InvalidArgumentError(_NO_INDEX)
    scalar = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if isinstance(entry, TensorLike):
        scalar = scalar and entry.dtype.name in ("int16", "int32", "int64")
    if not scalar and not (isinstance(value, np.ndarray) and value.dtype.kind in "iu" and not value.shape):
        if isinstance(value, np.ndarray) and value.ndim > 1 and value.dtype.name in ("int16", "int32", "int64"):
            raise MatrixError
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors "
            f"are valid indices, got {entry!r}. Use tf.gather or tf.boolean_mask."
        )
    return int(value)


class MatrixError(Exception):
    """An index is an array of two axes or more, which TensorFlow refuses only when all are put together."""


def not_scalar(entries: tuple[Any, ...]) -> Exception:
    """The error for an index with a matrix in it, after what TensorFlow looks at before: the entries one by one.

    Raises:
        TypeError: another entry is no index at all.
    """
    shapes = [
        [
            _shape(part)
            for part in ((each.start, each.stop, each.step) if isinstance(each, slice) else (each, each, None))
        ]
        for each in entries
    ]
    advice = "To pick by a tensor of indices, write tf.gather or tf.gather_nd."
    for packed in zip(*shapes, strict=True):
        slot = next((i for i, shape in enumerate(packed) if shape != packed[0]), None)
        if slot is not None:
            unlike = f"values[0].shape = {listed(packed[0])} != values[{slot}].shape = {listed(packed[slot])}"
            return InvalidArgumentError(f"Shapes of all inputs must match: {unlike}. {advice}")
    begin, end, step = (listed((len(entries), *shape)) for shape in shapes[0])
    got = f"but got shapes {begin}, {end}, and {step} instead"
    return InvalidArgumentError(f"Expected begin, end, and strides to be 1D equal size tensors, {got}. {advice}")


def _shape(part: Any) -> tuple[int, ...]:
    """The shape of what an entry puts into the begins, the ends or the steps."""
    if part is None or part is Ellipsis:
        return ()
    try:
        position_of(part)
    except MatrixError:
        return tuple(np.shape(part._value if isinstance(part, TensorLike) else part))
    return ()
