"""`tf.data.Dataset`: where elements come from, and everything that can be done with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from tapeviz.tf.data import (
    batches,
    functions,
    generators,
    grouping,
    joins,
    order,
    predicates,
    running,
    shuffling,
    sources,
)
from tapeviz.tf.data.names import names_checked
from tapeviz.tf.data.pipeline import Pipeline
from tapeviz.tf.data.spec import DatasetSpec


@names_checked
class Dataset(Pipeline):
    """A sequence of elements, which are tensors or structures of tensors (`tf.data.Dataset`).

    `from_tensor_slices`, `from_generator`, `range`, `zip` and others make one. Each method returns another dataset.

    >>> import tapeviz as tf
    >>> pairs = tf.data.Dataset.from_tensor_slices(([1, 2, 3], [1.0, 4.0, 9.0]))
    >>> for x, y in pairs.batch(2):
    ...     print(x.numpy(), y.numpy())
    [1 2] [1. 4.]
    [3] [9.]
    """

    @classmethod
    def from_tensors(cls, tensors: Any, name: str | None = None) -> Self:
        """A dataset with one element: a tensor, or a structure of tensors.

        Raises:
            InvalidArgumentError: the argument is None or an empty structure.

        >>> import tapeviz as tf
        >>> next(iter(tf.data.Dataset.from_tensors([1, 2]))).numpy().tolist()
        [1, 2]
        """
        return cls(*sources.from_tensors(tensors))

    @classmethod
    def from_tensor_slices(cls, tensors: Any, name: str | None = None) -> Self:
        """The slices along the first axis of a tensor, or of each tensor in a structure.

        Raises:
            ValueError: a tensor is a scalar, or the first axes have different lengths.
        """
        return cls(*sources.from_tensor_slices(tensors))

    @classmethod
    def range(cls, *args: Any, output_type: Any = "int64", name: str | None = None, **_: Any) -> Self:
        """The integers of Python's `range`.

        Args:
            args: those of `range`.
            output_type: the dtype of the integers.

        Raises:
            ValueError: there are no arguments, or more than three.
            InvalidArgumentError: the step is 0.
        """
        return cls(*sources.numbers_from(*args, output_type=output_type))

    @classmethod
    def counter(cls, start: Any = 0, step: Any = 1, dtype: Any = "int64", name: str | None = None) -> Self:
        """An infinite sequence of numbers from `start` in steps of `step`.

        >>> import tapeviz as tf
        >>> [int(each) for each in tf.data.Dataset.counter(5, step=2).take(3)]
        [5, 7, 9]
        """
        return cls(*sources.counter(start, step, dtype))

    @classmethod
    def random(cls, seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None) -> Self:
        """An infinite sequence of random int64 numbers below 2 ** 32.

        Args:
            seed: the seed.
            rerandomize_each_iteration: whether each iteration has other numbers; by default they are the same.

        Raises:
            TypeError: `rerandomize_each_iteration` is not a bool.

        >>> import tapeviz as tf
        >>> numbers = tf.data.Dataset.random(seed=1).take(2)
        >>> [int(each) for each in numbers] == [int(each) for each in numbers]
        True
        """
        return cls(*sources.random_numbers(seed, rerandomize_each_iteration))

    @classmethod
    def from_generator(
        cls,
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Self:
        """The values that a Python generator yields. Each iteration starts it again.

        Args:
            generator: a function that returns an iterable.
            output_types: the dtypes of an element, in its structure; the older alternative to `output_signature`.
            output_shapes: the shapes, in the same structure; unknown by default.
            args: tensors that become arguments of the function, as arrays.
            output_signature: the specs of an element, in its structure.

        Raises:
            TypeError: `generator` is not a function, or not exactly one of `output_types` and `output_signature` is
                given.
            InvalidArgumentError: while iterating, if a value does not fit the specs, or the generator raises a
                ValueError or TypeError.
            UnknownError: while iterating, if it raises another error.

        >>> import tapeviz as tf
        >>> def count(to):
        ...     yield from range(to)
        >>> numbers = tf.data.Dataset.from_generator(count, args=[3], output_signature=tf.TensorSpec([], tf.int32))
        >>> [int(each) for each in numbers]
        [0, 1, 2]
        """
        return cls(*generators.from_generator(generator, output_types, output_shapes, args, output_signature))

    @classmethod
    def zip(cls, *args: Any, datasets: Any = None, name: str | None = None) -> Self:
        """The elements of several datasets side by side, in the structure of the arguments.

        The shortest dataset ends it.

        Raises:
            TypeError: an argument is not a dataset, or there is none.
        """
        return cls(*joins.zipped(*args, datasets=datasets))

    @classmethod
    def choose_from_datasets(cls, datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = True) -> Self:
        """The elements of several datasets in the order that another dataset defines.

        Args:
            datasets: the datasets. Their elements must have the same structure and dtypes.
            choice_dataset: a dataset of int64 scalars: each is the index of the dataset of the next element.
            stop_on_empty_dataset: whether it ends when a chosen dataset has no more elements.

        Raises:
            ValueError: the list is empty.
            TypeError: there are no datasets, their elements differ, or the choices are not int64 scalars.
            InvalidArgumentError: while iterating, if an index is out of range.

        >>> import tapeviz as tf
        >>> parts = [tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)]
        >>> chosen = tf.data.Dataset.choose_from_datasets(
        ...     parts, tf.data.Dataset.from_tensor_slices([0, 1, 0, 0]).map(lambda place: tf.cast(place, tf.int64))
        ... )
        >>> [int(each) for each in chosen]
        [0, 10, 1, 2]
        """
        return cls(*joins.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset))

    @classmethod
    def sample_from_datasets(
        cls,
        datasets: Any,
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Self:
        """The elements of several datasets, each from a dataset that is drawn at random.

        Args:
            datasets: the datasets. Their elements must have the same structure and dtypes.
            weights: the probability of each; the same by default.
            seed: the seed of the draws.
            stop_on_empty_dataset: whether it ends when a drawn dataset has no more elements.
            rerandomize_each_iteration: whether each iteration draws differently.

        Raises:
            ValueError: the list is empty, or there is not one weight for each dataset.
            TypeError: there are no datasets, their elements differ, the weights are not floats, or
                `rerandomize_each_iteration` is not a bool.

        >>> import tapeviz as tf
        >>> parts = [tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)]
        >>> sorted(int(each) for each in tf.data.Dataset.sample_from_datasets(parts, seed=1))
        [0, 1, 2, 10, 11, 12]
        """
        return cls(
            *joins.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset, rerandomize_each_iteration)
        )

    # Each of these returns another dataset, or a result, of the one it is called on.

    enumerate = joins.enumerated

    map = functions.mapped_by
    scan = functions.scanned_by
    reduce = functions.reduced_by
    flat_map = functions.flat_map
    interleave = functions.interleave

    filter = predicates.filtered
    take_while = predicates.take_while

    group_by_window = grouping.group_by_window
    bucket_by_sequence_length = grouping.bucket_by_sequence_length

    batch = batches.batch
    padded_batch = batches.padded_batch
    unbatch = batches.unbatch
    window = batches.window

    repeat = order.repeat
    take = order.take
    skip = order.skip
    shard = order.shard
    concatenate = order.concatenate
    unique = order.unique
    apply = order.apply
    get_single_element = order.get_single_element

    shuffle = shuffling.shuffle

    prefetch = running.prefetch
    with_options = running.with_options
    cache = running.cache


DatasetSpec.dataset = Dataset
