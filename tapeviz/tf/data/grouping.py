"""A dataset and a function that gives each element a key -> the elements of each key, so many at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.integers import INT64
from tapeviz.engine.op_errors.conversions import another_conversion
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import constant
from tapeviz.tf.data.elements import applied, called
from tapeviz.tf.data.iterating import running
from tapeviz.tf.data.pipeline import UNKNOWN_CARDINALITY, Kind, made
from tapeviz.tf.data.spec import DatasetSpec
from tapeviz.tf.tracing.result_specs import results_of
from tapeviz.tf.tracing.spec_values import spec_of

_NUMBER = TensorSpec((), "int64")


def group_by_window(
    self: Kind,
    key_func: Callable[..., Any],
    reduce_func: Callable[[Any, Any], Any],
    window_size: Any = None,
    window_size_func: Callable[[Any], Any] | None = None,
    name: str | None = None,
) -> Kind:
    """The elements of the datasets that a function returns for windows of elements with the same key.

    A window is passed to the function when it is full, or when there are no more elements.

    Args:
        key_func: a function of an element that returns an int64 key.
        reduce_func: a function of a key and of a dataset of the elements in a window that returns a dataset.
        window_size: how many elements are in a window.
        window_size_func: a function of the key that returns that number.

    Raises:
        ValueError: not exactly one of the sizes is given, or a key or a size is not an int64 scalar.
        TypeError: a key or a size is not an integer, or `reduce_func` does not return a dataset.
        InvalidArgumentError: while iterating, if a window has no elements.

    >>> import tapeviz as tf
    >>> odd_and_even = tf.data.Dataset.range(5).group_by_window(lambda x: x % 2, lambda key, part: part.batch(9), 9)
    >>> [each.numpy().tolist() for each in odd_and_even]
    [[0, 2, 4], [1, 3]]
    """
    if (window_size is None) is (window_size_func is None):
        raise ValueError(
            "Either the `window_size` argument or the `window_size_func` argument must be specified. One of them."
        )
    size = window_size_func or (lambda key: window_size)
    return _grouped(self, partial(applied, key_func), reduce_func, called(size))


def bucket_by_sequence_length(
    self: Kind,
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
    name: str | None = None,
) -> Kind:
    """Batches of elements of similar length, padded to the longest one in the batch.

    Args:
        element_length_func: a function of an element that returns its length.
        bucket_boundaries: the lengths at which a new bucket begins.
        bucket_batch_sizes: for each bucket, how many elements are in a batch.
        padded_shapes: as in `padded_batch`.
        padding_values: as in `padded_batch`.
        pad_to_bucket_boundary: whether elements are padded to the largest length of their bucket.
        no_padding: whether elements are not padded. Those in a batch must then have the same length.
        drop_remainder: whether a batch with fewer elements is left out.

    Raises:
        ValueError: there is not exactly one batch size more than there are boundaries.
        InvalidArgumentError: while iterating, if an element is too long for `pad_to_bucket_boundary`, or a batch is
            empty.

    >>> import tapeviz as tf
    >>> rows = tf.data.Dataset.range(1, 5).map(lambda n: tf.fill([n], n))
    >>> [each.numpy().tolist() for each in rows.bucket_by_sequence_length(lambda row: tf.size(row), [3], [2, 2])]
    [[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]]]
    """
    boundaries, sizes = list(bucket_boundaries), list(bucket_batch_sizes)
    if len(sizes) != len(boundaries) + 1:
        raise ValueError(
            f"{len(boundaries)} bucket_boundaries make {len(boundaries) + 1} buckets: as many bucket_batch_sizes, not "
            f"{len(sizes)}."
        )

    def bucket(element: Any) -> Any:
        length = applied(element_length_func, element)
        number = length._value if isinstance(length, TensorLike) else length
        return constant(bisect_right(boundaries, number), "int64")

    def batch(key: Any, elements: Any) -> Any:
        place = min(int(key._value), len(boundaries))  # it is tried for keys that there may not be
        if no_padding:
            return elements.batch(sizes[place], drop_remainder)
        shapes = padded_shapes or nest.map_structure(lambda spec: spec.shape, elements.element_spec)
        if pad_to_bucket_boundary:
            ended = place < len(boundaries)
            said = "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
            require(ended, f"{said} The last bucket, of {sizes[-1]} elements a batch, has no end.")
            shapes = nest.map_structure(partial(_filled_up, length=boundaries[place] - 1), shapes)
        return elements.padded_batch(sizes[place], shapes, padding_values, drop_remainder)

    return _grouped(self, bucket, batch, lambda key: sizes[min(int(key._value), len(boundaries))])


def _grouped(
    self: Kind, key_of: Callable[[Any], Any], reduce_func: Callable[[Any, Any], Any], size_of: Callable[[Any], Any]
) -> Kind:
    """Windows of elements with one key, made datasets; an element of these is one of the result."""

    def keyed(element: Any) -> Any:
        return _long(key_of(element))

    def sized(key: Any) -> Any:
        return _long(size_of(key))

    def reduced(key_and_window: Any) -> Any:
        found = made(called(reduce_func)(*key_and_window), "Dataset.group_by_window")
        _require_dataset(nest.map_structure(spec_of, found))
        return found

    _require_number(results_of(keyed, self._spec), "key_func")
    _require_number(results_of(sized, _NUMBER), "window_size_func")
    spec = results_of(reduced, (_NUMBER, DatasetSpec(self.element_spec)), by_values=True)
    begin_key, begin_size, begin_reduced = running(keyed), running(sized), running(reduced)

    def windows(elements: Iterator[Any]) -> Iterator[Any]:
        key_in, size_in, reduced_in = begin_key(), begin_size(), begin_reduced()
        groups: dict[int, list[Any]] = {}
        sizes: dict[int, int] = {}

        def full(key: int) -> Iterator[Any]:
            group = groups.pop(key)
            window = type(self)(partial(iter, group), len(group), self.element_spec, "Variant")
            return iter(reduced_in((constant(key, "int64"), window))._start())

        for element in elements:
            key = int(key_in(element)._value)
            if key not in groups:
                groups[key], sizes[key] = [], int(size_in(constant(key, "int64"))._value)
                require(sizes[key] > 0, f"Window size must be greater than zero, but got {sizes[key]}.")
            groups[key].append(element)
            if len(groups[key]) == sizes[key]:
                yield from full(key)
        for key in sorted(groups):
            yield from full(key)

    inner = None if spec is None else spec.element_spec
    return self._then(windows, UNKNOWN_CARDINALITY, inner, "GroupByWindow")


def _long(value: Any) -> Any:
    """A tensor of int64.

    Raises:
        ValueError: a tensor of another dtype.
        TypeError: numbers that are not whole.
    """
    if isinstance(value, TensorLike) and value._dtype is not INT64:
        raise ValueError(another_conversion(INT64, value))
    return tensor_of(value, "int64")


def _require_number(spec: Any, what: str) -> None:
    if spec is not None and spec.shape.rank:
        raise ValueError(
            f"Invalid `{what}`. `{what}` must return a single `tf.int64` scalar tensor but its return type is {spec}."
        )


def _require_dataset(spec: Any) -> None:
    if not isinstance(spec, DatasetSpec):
        raise TypeError(
            "Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but its return type is "
            f"{spec}."
        )


def _filled_up(shape: Any, length: int) -> Any:
    """A shape whose open lengths are one."""
    return [length if each is None else each for each in shape]
