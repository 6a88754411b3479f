"""Arrays or numbers -> a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.functions.integers import long_of
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.specs.dtypes import as_dtype, of_numpy
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.tf.data.elements import array, structured, tensor
from tapeviz.tf.data.pipeline import INFINITE_CARDINALITY, Kind, Pipeline
from tapeviz.tf.data.shuffling import drawn


def from_tensors(cls: type[Kind], tensors: Any, name: str | None = None) -> Kind:
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


def from_tensor_slices(cls: type[Kind], tensors: Any, name: str | None = None) -> Kind:
    """The slices along the first axis of a tensor, or of each tensor in a structure.

    Raises:
        ValueError: a tensor is a scalar, or the first axes have different lengths.
    """
    return cls(*sliced(tensors), "TensorSlice")


def numbers_from(cls: type[Kind], *args: Any, output_type: Any = "int64", name: str | None = None, **_: Any) -> Kind:
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


def counter(cls: type[Kind], start: Any = 0, step: Any = 1, dtype: Any = "int64", name: str | None = None) -> Kind:
    """An infinite sequence of numbers from `start` in steps of `step`.

    >>> import tapeviz as tf
    >>> [int(each) for each in tf.data.Dataset.counter(5, step=2).take(3)]
    [5, 7, 9]
    """
    first, further = long_of(start, "start"), long_of(step, "step")
    return cls(*_numbers(lambda: count(first, further), INFINITE_CARDINALITY, dtype), "Scan")


def random_numbers(
    cls: type[Kind], seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
) -> Kind:
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
        raise ValueError("Invalid `element`. `element` should not be empty. None has no parts.")
    leaves = [array(each) for each in nest.flatten(structure)]
    if not leaves:
        raise ValueError("Invalid `element`. `element` should not be empty. An empty structure has no parts.")
    if any(not leaf.ndim for leaf in leaves):
        raise ValueError("Unbatching a tensor is only supported for rank >= 1")
    sizes = [leaf.shape[0] for leaf in leaves]
    for size in sizes:
        if size != sizes[0]:
            raise ValueError(f"Dimensions {sizes[0]} and {size} are not compatible")
    rows = range(sizes[0])
    specs = [TensorSpec(leaf.shape[1:], of_numpy(leaf.dtype)) for leaf in leaves]

    def start() -> Iterator[Any]:
        return (nest.pack_sequence_as(structure, [tensor(leaf[row]) for leaf in leaves]) for row in rows)

    return start, sizes[0], nest.pack_sequence_as(structure, specs)


def _numbers(start: Callable[[], Iterator[int]], size: int, dtype: Any) -> tuple[Callable[[], Iterator[Any]], int, Any]:
    """Numbers as scalar tensors of a dtype: what begins an iteration over them, their number, and their spec."""
    kind = as_dtype(dtype).as_numpy_dtype
    return (lambda: (tensor(kind(number)) for number in start())), size, TensorSpec((), dtype)
