"""A dataset -> batches and windows of its elements, or the parts of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.integers import ints_of, long_of
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.errors import DataLossError, InvalidArgumentError
from tapeviz.tf.data.elements import joined, tensor
from tapeviz.tf.data.pipeline import UNKNOWN_CARDINALITY, Kind
from tapeviz.tf.data.sources import sliced
from tapeviz.tf.data.spec import DatasetSpec
from tapeviz.tf.data.structures import leaves_of


def batch(
    self: Kind,
    batch_size: Any,
    drop_remainder: bool = False,
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Kind:
    """Batches of elements, stacked along a new first axis.

    Args:
        batch_size: how many elements are in a batch.
        drop_remainder: whether a last batch with fewer elements is left out.
        num_parallel_calls: ignored, as is `deterministic`.

    Raises:
        TypeError: elements contain datasets.
        InvalidArgumentError: `batch_size` is less than 1, or, while iterating, elements have different shapes.
    """
    self._require_tensors("batch")
    kind = "Batch" if num_parallel_calls is None else "ParallelBatch"
    join = partial(joined, mapped=self._kind in ("Map", "ParallelMap"))
    return _batched(self, batch_size, drop_remainder, self._spec, join, kind)


def padded_batch(
    self: Kind,
    batch_size: Any,
    padded_shapes: Any = None,
    padding_values: Any = None,
    drop_remainder: bool = False,
    name: str | None = None,
) -> Kind:
    """Batches of elements that are padded at their ends to the same shape.

    Args:
        batch_size: how many elements are in a batch.
        padded_shapes: the shapes, in the structure of the elements. A length that is None or -1, as all are by
            default, is that of the longest element in the batch.
        padding_values: what is added: one value, or one for each tensor; by default zeros, or empty strings.
        drop_remainder: whether a last batch with fewer elements is left out.

    Raises:
        TypeError: elements contain datasets, or a value has another dtype.
        ValueError: a rank is unknown, or the shapes do not fit the elements.
        InvalidArgumentError: `batch_size` is less than 1.
        DataLossError: while iterating, if an element is longer than its shape.

    >>> import tapeviz as tf
    >>> rows = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
    >>> next(iter(rows.padded_batch(2))).numpy().tolist()
    [[1, 0], [2, 2]]
    """
    self._require_tensors("padded_batch")
    specs = nest.flatten(self.element_spec)
    told = [None] * len(specs) if padded_shapes is None else leaves_of(self.element_spec, padded_shapes)
    one = padding_values is None or not nest.is_nested(padding_values)
    values = [padding_values] * len(specs) if one else leaves_of(self.element_spec, padding_values)
    shapes = [_padded_shape(spec, shape) for spec, shape in zip(specs, told, strict=True)]
    fills = [_fill(spec, value) for spec, value in zip(specs, values, strict=True)]
    wide = [TensorSpec(shape, spec.dtype) for spec, shape in zip(specs, shapes, strict=True)]

    def join(chunk: list[Any]) -> Any:
        leaves = zip(*map(nest.flatten, chunk), strict=True)
        filled = [_filled(*each) for each in zip(leaves, shapes, fills, strict=True)]
        return nest.pack_sequence_as(self.element_spec, filled)

    spec = nest.pack_sequence_as(self.element_spec, wide)
    return _batched(self, batch_size, drop_remainder, spec, join, "PaddedBatch")


def unbatch(self: Kind, name: str | None = None) -> Kind:
    """The slices of each element along its first axis.

    Raises:
        TypeError: elements contain datasets.
        ValueError: elements are scalars, or their first axes have different lengths.
        InvalidArgumentError: while iterating, if the first axes of an element have different lengths.
    """
    self._require_tensors("unbatch")
    shapes = [] if self._spec is None else [each.shape for each in nest.flatten(self._spec)]
    if any(shape.rank == 0 for shape in shapes):
        raise ValueError("unbatch takes elements apart along their first axis, which scalars have not: batch first.")
    known = [shape[0] for shape in shapes if shape.rank and shape[0] is not None]
    other = next((length for length in known if length != known[0]), None)
    if other is not None:
        raise ValueError(
            "`unbatch()` is only supported for datasets of elements whose components have a matching leading "
            f"dimension. Encountered both {known[0]} and {other}."
        )

    def parts(element: Any) -> Iterator[Any]:
        _require_equally_long(element)
        return sliced(element)[0]()

    spec = self._specs(lambda each: TensorSpec(each.shape[1:], each.dtype))
    return self._then(
        lambda elements: chain.from_iterable(map(parts, elements)), _size_in_parts(self, shapes), spec, "Unbatch"
    )


def window(
    self: Kind, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False, name: str | None = None
) -> Kind:
    """Windows of consecutive elements, each a dataset. `flat_map` can make tensors of them.

    Args:
        size: how many elements are in a window.
        shift: how many elements lie between the starts of two windows; `size` by default.
        stride: how many elements of the dataset lie between two elements of a window.
        drop_remainder: whether windows with fewer elements are left out.

    Raises:
        InvalidArgumentError: a number is less than 1.

    >>> import tapeviz as tf
    >>> windows = tf.data.Dataset.range(4).window(3, shift=1, drop_remainder=True)
    >>> [each.numpy().tolist() for each in windows.flat_map(lambda window: window.batch(3))]
    [[0, 1, 2], [1, 2, 3]]
    """
    count, step = long_of(size, "size"), long_of(stride, "stride")
    moved = count if shift is None else long_of(shift, "shift")
    for what, number in (("size", count), ("shift", moved), ("stride", step)):
        require(number > 0, f"Window {what} must be greater than zero. In window: {what} is {number}.")
    span = (count - 1) * step + 1

    def windows(elements: Iterator[Any]) -> Iterator[Any]:
        seen = list(islice(elements, span))
        while len(seen) == span or (seen and not drop_remainder):
            yield _window(self, seen[::step])
            kept, beyond = seen[moved:], max(moved - len(seen), 0)
            seen = [*kept, *islice(elements, beyond, beyond + span - len(kept))]

    length = self._size
    if length > 0:
        length = max(0, (length - span) // moved + 1) if drop_remainder else -(-length // moved)
    return self._then(windows, length, self._specs(DatasetSpec), "Window")


def _batched(self: Kind, batch_size: Any, drop: bool, spec: Any, join: Callable[[list[Any]], Any], kind: str) -> Kind:
    """Batches of so many elements, made by `join`; `spec` is that of an element."""
    length, drop = long_of(batch_size, "batch_size"), bool(tensor_of(drop, "bool")._value)
    if length < 1:
        method = "padded_batch" if kind == "PaddedBatch" else "batch"
        raise InvalidArgumentError(f"Batch size must be greater than zero. In {method}: batch_size is {length}.")

    def batched(elements: Iterator[Any]) -> Iterator[Any]:
        chunks = iter(lambda: list(islice(elements, length)), [])
        return (join(chunk) for chunk in chunks if len(chunk) == length or not drop)

    whole, rest = divmod(self._size, length)
    size = self._size if self._size < 0 else whole + bool(rest and not drop)
    first = TensorShape([length if drop else None])
    if spec is not None:
        spec = nest.map_structure(lambda each: TensorSpec(first + each.shape, each.dtype), spec)
    return self._then(batched, size, spec, kind)


def _size_in_parts(self: Kind, shapes: list[Any]) -> int:
    """The number of parts of all elements, if their shapes tell how many each has."""
    if self._size < 0:
        return self._size
    length = next((shape[0] for shape in shapes if shape.rank and shape[0] is not None), 0)
    return self._size * length if length else UNKNOWN_CARDINALITY


def _window(self: Kind, elements: list[Any]) -> Any:
    """A window: for each leaf of some elements, a dataset of its values."""
    columns = zip(nest.flatten(self.element_spec), *map(nest.flatten, elements), strict=True)
    datasets = [type(self)(partial(iter, leaves), len(leaves), spec, "Variant") for spec, *leaves in columns]
    return nest.pack_sequence_as(self.element_spec, datasets)


def _padded_shape(spec: TensorSpec, told: Any) -> TensorShape:
    """The shape to which elements are padded; None is the length of the longest.

    Raises:
        ValueError: it is unknown, or does not fit the elements.
    """
    if told is None:
        if spec.shape.rank is None:
            raise ValueError(
                f"padded_batch: nothing is known of the shape of {spec}: give `padded_shapes`, None for any length."
            )
        return spec.shape
    if not isinstance(told, TensorShape):
        told = ints_of([-1 if each is None else each for each in (told if np.iterable(told) else [told])])
    shape = TensorShape([None if each in (None, -1) else each for each in told])
    if spec.shape.rank is not None and spec.shape.rank != shape.rank:
        raise ValueError(
            f"The padded shape {shape} is not compatible with the shape {spec.shape} of the corresponding input "
            "component."
        )
    return shape


def _fill(spec: TensorSpec, value: Any) -> Any:
    """The value with which elements of a spec are padded.

    Raises:
        TypeError: another dtype.
    """
    if value is None:
        return b"" if spec.dtype.name == "string" else spec.dtype.as_numpy_dtype(0)
    found = convert_to_tensor(value)
    if found.dtype is not spec.dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {found.dtype} does not match type "
            f"{spec.dtype} of the corresponding input component."
        )
    return found._value


def _filled(parts: tuple[Any, ...], shape: TensorShape, value: Any) -> Any:
    """Tensors, each padded to a shape, stacked."""
    ranks = {part.ndim for part in parts}
    require(
        ranks == {shape.rank},
        f"All elements in a batch must have the same rank as the padded shape: expected rank {shape.rank}, got "
        f"elements of rank {sorted(ranks)}.",
    )
    longest = [max(lengths) for lengths in zip(*(part.shape for part in parts), strict=True)]
    lengths = [most if told is None else told for most, told in zip(longest, shape, strict=True)]
    if any(most > length for most, length in zip(longest, lengths, strict=True)):
        raise DataLossError(
            "Attempted to pad to a smaller size than the input element. "
            f"An element of a batch is {longest} long, padded_shapes has {lengths}."
        )
    whole: Any = np.full([len(parts), *lengths], value, parts[0]._value.dtype)
    for place, part in enumerate(parts):
        whole[(place, *map(slice, part.shape), ...)] = part._value  # the ... lets a single text through as it is
    return tensor(whole)


def _require_equally_long(element: Any) -> None:
    """Check that all tensors of an element have the same length.

    Raises:
        InvalidArgumentError: they have not, or one is a scalar.
    """
    shapes = [leaf.shape for leaf in nest.flatten(element)]
    require(
        all(shape.rank for shape in shapes),
        "unbatch takes elements apart along their first axis: scalars have none.",
    )
    for place, shape in enumerate(shapes):
        require(
            shape[0] == shapes[0][0],
            "Input element must have the same batch size in each component. Component 0 had size "
            f"{shapes[0][0]} but component {place} had size, {shape[0]}.",
        )
