"""Arrays or numbers -> a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Self

from tapeviz.engine import nest
from tapeviz.engine.functions.integers import long_of
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.specs.dtypes import as_dtype, of_numpy
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.tf.data.elements import array, structured, tensor
from tapeviz.tf.data.pipeline import INFINITE_CARDINALITY, Pipeline
from tapeviz.tf.data.shuffling import drawn


class Sourcing(Pipeline):
    """The part of `Dataset` with elements from arrays and numbers."""

    @classmethod
    def from_tensors(cls, tensors: Any, name: str | None = None) -> Self:
        """A dataset with one element: a tensor, or a structure of tensors.

        Raises:
            InvalidArgumentError: the argument is None or an empty structure.

        >>> import tapeviz as tf
        >>> next(iter(tf.data.Dataset.from_tensors([1, 2]))).numpy().tolist()
        [1, 2]
        """
        given = structured(tensors)
        empty = all(each is None for each in nest.flatten(given))
        require(not empty, "Length for attr 'Toutput_types' of 0 must be at least minimum 1. In from_tensors.")
        element = nest.map_structure(lambda each: tensor(array(each)), given)
        return cls(lambda: iter([element]), 1, nest.map_structure(TensorSpec.of, element), "Tensor")

    @classmethod
    def from_tensor_slices(cls, tensors: Any, name: str | None = None) -> Self:
        """The slices along the first axis of a tensor, or of each tensor in a structure.

        Raises:
            ValueError: a tensor is a scalar, or the first axes have different lengths.
        """
        return cls(*sliced(tensors), "TensorSlice")

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
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        names = ("start", "stop", "step") if len(args) > 1 else ("stop",)
        bounds = [long_of(each, name) for each, name in zip(args, names, strict=False)]
        require(bounds[2:] != [0], "step must be a non-zero integer. In Dataset.range.")
        numbers = range(*bounds)
        return cls(*_numbers(lambda: iter(numbers), len(numbers), output_type), "Range")

    @classmethod
    def counter(cls, start: Any = 0, step: Any = 1, dtype: Any = "int64", name: str | None = None) -> Self:
        """An infinite sequence of numbers from `start` in steps of `step`.

        >>> import tapeviz as tf
        >>> [int(each) for each in tf.data.Dataset.counter(5, step=2).take(3)]
        [5, 7, 9]
        """
        first, further = long_of(start, "start"), long_of(step, "step")
        return cls(*_numbers(lambda: count(first, further), INFINITE_CARDINALITY, dtype), "Scan")

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
        words = drawn(seed, rerandomize_each_iteration or False, "rerandomize_each_iteration")
        return cls(*_numbers(words, INFINITE_CARDINALITY, "int64"), "Random")


def sliced(tensors: Any) -> tuple[Callable[[], Iterator[Any]], int, Any]:
    """The slices along the first axes: a function that starts an iteration over them, their number, and their specs.

    Raises:
        ValueError: a tensor is a scalar, or the first axes have different lengths.
    """
    if isinstance(tensors, Pipeline):
        raise ValueError(f"Slicing dataset elements is not supported for rank 0. {tensors} is a dataset already.")
    structure = structured(tensors)
    if structure is None:
        raise ValueError("from_tensor_slices needs something to slice: None has no parts.")
    leaves = [array(each) for each in nest.flatten(structure)]
    if not leaves:
        raise ValueError("from_tensor_slices needs something to slice: an empty structure has no parts.")
    if any(not leaf.ndim for leaf in leaves):
        raise ValueError("from_tensor_slices slices along the first axis, which a scalar has not: use from_tensors.")
    sizes = [leaf.shape[0] for leaf in leaves]
    for size in sizes:
        if size != sizes[0]:
            raise ValueError(f"from_tensor_slices needs as many rows in each part, not {sizes[0]} and {size}.")
    rows = range(sizes[0])
    specs = [TensorSpec(leaf.shape[1:], of_numpy(leaf.dtype)) for leaf in leaves]

    def start() -> Iterator[Any]:
        return (nest.pack_sequence_as(structure, [tensor(leaf[row]) for leaf in leaves]) for row in rows)

    return start, sizes[0], nest.pack_sequence_as(structure, specs)


def _numbers(start: Callable[[], Iterator[int]], size: int, dtype: Any) -> tuple[Callable[[], Iterator[Any]], int, Any]:
    """Numbers as scalar tensors of a dtype: what begins an iteration over them, their number, and their spec."""
    kind = as_dtype(dtype).as_numpy_dtype
    return (lambda: (tensor(kind(number)) for number in start())), size, TensorSpec((), dtype)
