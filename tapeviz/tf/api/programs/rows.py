"""The rows of tensors -> what functions that go over them share: checks, and an array of results."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.ops import joining
from tapeviz.errors import OutOfRangeError
from tapeviz.tf.api.tensor_array import TensorArray


def not_callable(op: str, fn: Any) -> AttributeError:
    """The error for an argument `fn` that is not a function. TensorFlow reads its name first."""
    kind = type(fn).__name__
    return AttributeError(f"{kind!r} object has no attribute '__name__'. In {op} the function {fn!r} cannot be called.")


def array_of_results(dtype: Any, shape: Any = None, infer_shape: bool = True) -> TensorArray:
    """An empty array that grows with the results of one dtype."""
    return TensorArray(dtype, 0, dynamic_size=True, infer_shape=infer_shape, element_shape=shape)


def check_rows(op: str, columns: list[Any]) -> None:
    """Check that there are tensors, and that all of them have rows.

    Raises:
        IndexError: one is a scalar, or there is none. In `vectorized_map`, the latter is a ValueError.
    """
    if not columns:
        advice = f"In {op}: `elems` holds no tensor whose rows could be gone over."
        if op == "vectorized_map":
            try:
                max(columns)  # as in TensorFlow, whose words are Python's, and other ones from 3.12 on
            except ValueError as error:
                raise ValueError(f"{error}. {advice}") from None
        raise IndexError(f"list index out of range. {advice}")
    if any(not each.ndim for each in columns):
        kind = "list" if op == "vectorized_map" else "tuple"
        raise IndexError(
            f"{kind} index out of range. In {op}: a scalar has no rows to go over. Give a vector, as [1.0]."
        )


def rows_of(op: str, elems: Any, columns: list[Any]) -> list[Any]:
    """The rows of several tensors, each in the structure of `elems`.

    Raises:
        ValueError: the tensors have different numbers of rows.
        OutOfRangeError: the same in a fold, if another tensor has fewer rows than the first one.
    """
    lengths = [int(each.shape[0]) for each in columns]
    other = next((each for each in lengths if each != lengths[0]), None)
    if other is not None:
        advice = f"In {op}: the tensors of `elems` must have the same number of rows, not {lengths}."
        if op == "map_fn":
            raise ValueError(f"Dimensions {lengths[0]} and {other} are not compatible. {advice}")
        if other < lengths[0]:
            raise OutOfRangeError(f"Tried to read from index {other} but array size is: {other}. {advice}")
        raise ValueError(f"Cannot unstack {other} tensors into a TensorArray of static size {lengths[0]}. {advice}")
    if not columns[0].shape[0]:
        return []
    rows = zip(*[joining.unstack(each, axis=0) for each in columns], strict=True)
    return [nest.pack_sequence_as(elems, list(row)) for row in rows]
