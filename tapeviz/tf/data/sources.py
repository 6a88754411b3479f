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
from tapeviz.tf.data.pipeline import INFINITE_CARDINALITY, Parts, Pipeline
from tapeviz.tf.data.shuffling import drawn


def from_tensors(tensors: Any) -> Parts:
    """A dataset with one element: a tensor, or a structure of tensors."""
    given = structured(tensors)
    empty = all(each is None for each in nest.flatten(given))
    require(not empty, "Length for attr 'Toutput_types' of 0 must be at least minimum 1. In from_tensors.")
    element = nest.map_structure(lambda each: tensor(array(each)), given)
    return lambda: iter([element]), 1, nest.map_structure(TensorSpec.of, element), "Tensor"


def from_tensor_slices(tensors: Any) -> Parts:
    """The slices along the first axis of a tensor, or of each tensor in a structure."""
    return *sliced(tensors), "TensorSlice"


def numbers_from(*args: Any, output_type: Any) -> Parts:
    """The integers of Python's `range`."""
    if not 1 <= len(args) <= 3:
        raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
    names = ("start", "stop", "step") if len(args) > 1 else ("stop",)
    bounds = [long_of(each, name) for each, name in zip(args, names, strict=False)]
    require(bounds[2:] != [0], "step must be a non-zero integer. In Dataset.range.")
    numbers = range(*bounds)
    return *_numbers(lambda: iter(numbers), len(numbers), output_type), "Range"


def counter(start: Any, step: Any, dtype: Any) -> Parts:
    """An infinite sequence of numbers from `start` in steps of `step`."""
    first, further = long_of(start, "start"), long_of(step, "step")
    return *_numbers(lambda: count(first, further), INFINITE_CARDINALITY, dtype), "Scan"


def random_numbers(seed: Any, rerandomize_each_iteration: bool | None) -> Parts:
    """An infinite sequence of random int64 numbers below 2 ** 32."""
    words = drawn(seed, rerandomize_each_iteration or False, "rerandomize_each_iteration")
    return *_numbers(words, INFINITE_CARDINALITY, "int64"), "Random"


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
