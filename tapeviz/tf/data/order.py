"""A dataset -> some of its elements, all of them repeatedly, or more elements after them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.functions.integers import long_of
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.setting import Setting
from tapeviz.tf.data.pipeline import (
    INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY,
    Kind,
    Pipeline,
    alike,
    iteration_seeds,
    late,
    nothing,
    require_dataset,
)
from tapeviz.tf.tracing.spec_values import common


def repeat(self: Kind, count: Any = None, name: str | None = None) -> Kind:
    """The elements, `count` times; infinitely often for None or -1."""
    times = -1 if count is None else long_of(count, "count")
    if times < 0:
        size = 0 if self._size == 0 else INFINITE_CARDINALITY
    else:
        size = self._size * times if self._size >= 0 else self._size if times else 0

    if not times:
        return type(self)(nothing, size, self._spec, "Repeat")
    if times == 1:
        return self._like(iter, size, "Repeat")

    def repeated(elements: Iterator[Any], kept: Any) -> Iterator[Any]:
        left = times
        while left:
            empty = True
            for element in elements:
                empty = False
                yield element
            if empty:
                return
            left -= 1
            if left or self._kind != "Shuffle":  # TensorFlow begins once too often, but for a shuffle, its own loop
                with Setting(iteration_seeds, kept):
                    elements = self._start()

    return self._like(lambda elements: repeated(elements, iteration_seeds.get()), size, "Repeat")


def take(self: Kind, count: Any, name: str | None = None) -> Kind:
    """The first `count` elements; all for -1."""
    number = long_of(count, "count")
    if number < 0:
        return self._like(iter, self._size, "Take")
    size = number if self._size == INFINITE_CARDINALITY else min(self._size, number)
    if not number:
        return type(self)(nothing, size, self._spec, "Take")
    return self._like(lambda elements: islice(elements, number), size, "Take")


def skip(self: Kind, count: Any, name: str | None = None) -> Kind:
    """The elements without the first `count`; none for -1."""
    number = long_of(count, "count")
    if number < 0:
        return type(self)(nothing, 0, self._spec, "Skip")
    size = max(self._size - number, min(self._size, 0))
    return self._like(lambda elements: islice(elements, number, None), size, "Skip")


def shard(self: Kind, num_shards: Any, index: Any, name: str | None = None) -> Kind:
    """Every `num_shards`-th element.

    Args:
        num_shards: the distance between the elements.
        index: the index of the first one.

    Raises:
        InvalidArgumentError: `num_shards` is less than 1, or `index` is not in [0, num_shards).

    >>> import tapeviz as tf
    >>> [int(each) for each in tf.data.Dataset.range(7).shard(3, index=1)]
    [1, 4]
    """
    count, first = long_of(num_shards, "num_shards"), long_of(index, "index")
    require(count > 0, f"Number of shards must be greater than zero (currently num_shards = {count}).")
    require(0 <= first < count, f"Index must be between 0 and {count - 1} (currently index = {first}).")
    size = self._size if self._size < 0 else len(range(first, self._size, count))
    return self._like(lambda elements: islice(elements, first, None, count), size, "Shard")


def concatenate(self: Kind, dataset: Any, name: str | None = None) -> Kind:
    """The elements of this dataset, followed by those of another one.

    Raises:
        TypeError: the elements have another structure or dtype.
        AttributeError: the argument is not a dataset.
    """
    if not isinstance(dataset, Pipeline):
        said = f"{type(dataset).__name__!r} object has no attribute 'element_spec'"
        raise AttributeError(f"{said}. Datasets are joined: tf.data.Dataset.from_tensor_slices(x) is one.")
    mine, other = self._spec, dataset._spec
    if mine is not None and other is not None and not alike(mine, other):
        raise TypeError(f"Incompatible dataset elements:\n  {mine} vs.   {other}")
    sizes = (self._size, dataset._size)
    size = sum(sizes) if min(sizes) >= 0 else min(sizes)
    spec = None if mine is None or other is None else nest.map_structure(common, mine, other)
    return self._then(lambda elements: chain(elements, late(dataset._start)), size, spec, "Concatenate")


def unique(self: Kind, name: str | None = None) -> Kind:
    """The distinct elements, in the order of their first appearance.

    Raises:
        TypeError: elements are neither integers nor strings.
        InvalidArgumentError: elements have several tensors.

    >>> import tapeviz as tf
    >>> [int(each) for each in tf.data.Dataset.from_tensor_slices([1, 3, 1]).unique()]
    [1, 3]
    """
    for each in nest.flatten(self.element_spec):
        if getattr(each, "dtype", each) not in ("int32", "int64", "string"):
            raise TypeError(
                f"`tf.data.Dataset.unique` does not support type {getattr(each, 'dtype', each)} -- only "
                "`tf.int32`, `tf.int64`, and `tf.string` are supported."
            )
    require(
        len(nest.flatten(self.element_spec)) == 1,
        "UniqueDataset only supports inputs with a single component. Make one tensor of them first, as with "
        "dataset.map(lambda *parts: tf.stack(parts)).",
    )

    def once(elements: Iterator[Any]) -> Iterator[Any]:
        seen = set()
        for element in elements:
            key = repr([np.asarray(each.numpy()).tolist() for each in nest.flatten(element)])
            if key not in seen:
                seen.add(key)
                yield element

    return self._like(once, UNKNOWN_CARDINALITY, "Unique")


def apply(self: Kind, transformation_func: Callable[[Kind], Any]) -> Any:
    """The dataset that a function of this dataset returns.

    Raises:
        TypeError: the function does not return a dataset.
    """
    return require_dataset(
        transformation_func(self), "`transformation_func` must return a `tf.data.Dataset` object. Got"
    )


def get_single_element(self: Kind, name: str | None = None) -> Any:
    """The only element.

    Raises:
        InvalidArgumentError: there is none, or there are several.

    >>> import tapeviz as tf
    >>> int(tf.data.Dataset.range(1).get_single_element())
    0
    """
    first = list(islice(self._start(), 2))
    require(bool(first), f"Dataset was empty. In get_single_element: {self!r} must have one element.")
    require(
        len(first) == 1,
        f"Dataset had more than one element. In get_single_element: of {self!r} take one first, by `take(1)`.",
    )
    return first[0]
