"""Arrays, or other datasets -> an iterable of elements, remade at every iteration (`tf.data`).

A dataset is a recipe: a function that starts an iterator, and the number of elements it will give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, count, islice, repeat
from typing import Any

import numpy as np

from tapeviz.engine import nest, trial
from tapeviz.engine.api import missing
from tapeviz.engine.api.arguments import int_of
from tapeviz.engine.constant import constant
from tapeviz.engine.custom_gradient import not_recorded
from tapeviz.engine.dtypes import as_dtype, of_numpy, require
from tapeviz.engine.elements import Elements, applied, array, returned, shuffler, stacked, structured, tensor
from tapeviz.engine.shape import TensorShape
from tapeviz.engine.spec import TensorSpec
from tapeviz.engine.tensor import Tensor
from tapeviz.errors import InvalidArgumentError

__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset"]
__getattr__ = missing("data")

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2

Start = Callable[[], Iterator[Any]]


class Dataset:
    """A sequence of elements: tensors, or structures of tensors (`tf.data.Dataset`).

    Made by `from_tensor_slices`, `range` or `zip`; every method gives another dataset.

    >>> import tapeviz as tf
    >>> pairs = tf.data.Dataset.from_tensor_slices(([1, 2, 3], [1.0, 4.0, 9.0]))
    >>> for x, y in pairs.batch(2):
    ...     print(x.numpy(), y.numpy())
    [1 2] [1. 4.]
    [3] [9.]
    """

    def __init__(self, start: Start, size: int, spec: Any, kind: str) -> None:
        self._start = start
        self._size = size
        self._spec = spec
        self._kind = kind

    @property
    def element_spec(self) -> Any:
        """The shapes and dtypes of an element, as a structure of `tf.TensorSpec`; None is any length.

        What a function makes of the elements is found by trying it on ones; where that fails, the first element shows.
        """
        if self._spec is None:
            for first in islice(self._start(), 1):
                self._spec = nest.map_structure(TensorSpec.of, first)
        return self._spec

    def _specs(self, change: Callable[[TensorSpec], TensorSpec]) -> Any:
        """The specs changed leaf by leaf, if they are known."""
        return None if self._spec is None else nest.map_structure(change, self._spec)

    # ----- where elements come from -----

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """The parts along the first axis of a tensor, or of each tensor in a structure.

        Raises:
            ValueError: a scalar, or first axes of different lengths.
        """
        structure = structured(tensors)
        leaves = [array(each) for each in nest.flatten(structure)]
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

        return Dataset(start, sizes[0], nest.pack_sequence_as(structure, specs), "TensorSlice")

    @staticmethod
    def range(*args: Any, output_type: Any = "int64", name: str | None = None) -> Dataset:
        """The integers that Python's `range` gives, as int64 unless told.

        Raises:
            ValueError: no arguments, or more than 3.
            InvalidArgumentError: a step of 0.
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        bounds = [int_of(each) for each in args]
        require(bounds[2:] != [0], "Dataset.range: the step must be a non-zero integer.")
        numbers = range(*bounds)
        kind = as_dtype(output_type).as_numpy_dtype
        spec = TensorSpec((), output_type)
        return Dataset(lambda: (tensor(kind(number)) for number in numbers), len(numbers), spec, "Range")

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Elements of several datasets side by side, in the structure they are given in; as many as the shortest has.

        Raises:
            TypeError: no dataset, or something else.
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        structure = datasets if datasets is not None else args[0] if len(args) == 1 else args
        parts = nest.flatten(structure)
        for part in parts:
            if not isinstance(part, Dataset):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` "
                    f"objects but encountered object of type {type(part)}."
                )

        def start() -> Iterator[Any]:
            together = zip(*(part._start() for part in parts), strict=False)
            return (nest.pack_sequence_as(structure, each) for each in together)

        sizes = [part._size for part in parts]
        finite = [size for size in sizes if size >= 0]
        unknown = UNKNOWN_CARDINALITY in sizes
        size = UNKNOWN_CARDINALITY if unknown else min(finite) if finite else INFINITE_CARDINALITY
        known = all(part._spec is not None for part in parts)
        spec = nest.map_structure(lambda part: part._spec, structure) if known else None
        return Dataset(start, size, spec, "Zip")

    # ----- one element at a time -----

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """A function of each element, a tuple as several arguments. No tape sees what the function does.

        Raises:
            TypeError, ValueError: what TensorFlow says of shapes and dtypes that do not fit in it; and any error of the
                function's own, which is tried once.
        """

        def mapped(element: Any) -> Any:
            return nest.map_structure(returned, structured(applied(map_func, element)))

        def start() -> Iterator[Any]:
            for element in self._start():
                with not_recorded():
                    result = mapped(element)
                yield result

        kind = "Map" if num_parallel_calls is None else "ParallelMap"
        return Dataset(start, self._size, trial.results_of(mapped, self._spec), kind)

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements for which a function gives True.

        Raises:
            ValueError: if it gives anything but a bool.
        """

        def judged(element: Any) -> Any:
            verdict = returned(applied(predicate, element))
            if verdict.dtype.name != "bool" or verdict.ndim:
                raise ValueError(
                    "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is "
                    f"{TensorSpec.of(verdict)!r}."
                )
            return verdict

        def start() -> Iterator[Any]:
            for element in self._start():
                with not_recorded():
                    verdict = judged(element)
                if verdict:
                    yield element

        trial.results_of(judged, self._spec)
        return self._like(start, UNKNOWN_CARDINALITY if self._size else 0, "Filter")

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """Pairs of an int64 count and the element."""
        numbers = (lambda: (tensor(np.int64(each)) for each in count(int_of(start))), INFINITE_CARDINALITY)
        counts = Dataset(*numbers, TensorSpec((), "int64"), "Range")
        return Dataset.zip(counts, self)

    # ----- several elements -----

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Elements stacked along a new first axis, `batch_size` at a time; the last batch may be smaller, or left out.

        Raises:
            InvalidArgumentError: a size below 1, or, while iterating, elements of different shapes.
        """
        length = int_of(batch_size)
        if length < 1:
            raise InvalidArgumentError("Batch size must be greater than zero.")

        def start() -> Iterator[Any]:
            elements = self._start()
            while chunk := list(islice(elements, length)):
                if len(chunk) == length or not drop_remainder:
                    yield nest.map_structure(stacked, chunk[0], *chunk[1:])

        whole, rest = divmod(self._size, length)
        size = self._size if self._size < 0 else whole + bool(rest and not drop_remainder)
        first = TensorShape([length if drop_remainder else None])
        spec = self._specs(lambda each: TensorSpec(first + each.shape, each.dtype))
        return Dataset(start, size, spec, "Batch" if num_parallel_calls is None else "ParallelBatch")

    def unbatch(self, name: str | None = None) -> Dataset:
        """The parts of each element along its first axis."""

        def start() -> Iterator[Any]:
            return chain.from_iterable(Dataset.from_tensor_slices(each)._start() for each in self._start())

        spec = self._specs(lambda each: TensorSpec(each.shape[1:], each.dtype))
        return Dataset(start, UNKNOWN_CARDINALITY, spec, "Unbatch")

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:
        """Elements drawn at random from a buffer of `buffer_size`; in another order at each iteration unless told.

        Raises:
            InvalidArgumentError: a buffer size below 1.
        """
        room = int_of(buffer_size)
        if room < 1:
            raise InvalidArgumentError("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
        source = shuffler(None if seed is None else int_of(seed))
        fixed = None if reshuffle_each_iteration is not False else int(source.integers(2**31))

        def start() -> Iterator[Any]:
            draw = source if fixed is None else np.random.default_rng(fixed)
            elements = self._start()
            buffer = list(islice(elements, room))
            for element in elements:
                place = draw.integers(room)
                yield buffer[place]
                buffer[place] = element
            yield from (buffer[place] for place in draw.permutation(len(buffer)))

        return self._like(start, self._size, "Shuffle")

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """All elements `count` times over; without end for None or -1."""
        times = -1 if count is None else int_of(count)
        if times < 0:
            size = 0 if self._size == 0 else INFINITE_CARDINALITY
        else:
            size = self._size * times if self._size >= 0 else self._size if times else 0

        def start() -> Iterator[Any]:
            for _ in repeat(None) if times < 0 else repeat(None, times):
                empty = True
                for element in self._start():
                    empty = False
                    yield element
                if empty:
                    return

        return self._like(start, size, "Repeat")

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """The first `count` elements, all of them for -1."""
        number = int_of(count)
        if number < 0:
            return self._like(self._start, self._size, "Take")
        size = number if self._size == INFINITE_CARDINALITY else min(self._size, number)
        return self._like(lambda: islice(self._start(), number), size, "Take")

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """All elements but the first `count`; none for -1."""
        number = int_of(count)
        if number < 0:
            return self._like(lambda: iter(()), 0, "Skip")
        size = max(self._size - number, min(self._size, 0))
        return self._like(lambda: islice(self._start(), number, None), size, "Skip")

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """The elements of this dataset, then those of another.

        Raises:
            TypeError: elements of another structure or dtype.
        """
        mine, other = self._spec, dataset._spec
        if mine is not None and other is not None and not _alike(mine, other):
            raise TypeError(f"Incompatible dataset elements:\n  {mine} vs.  {other}")
        sizes = (self._size, dataset._size)
        size = sum(sizes) if min(sizes) >= 0 else min(sizes)
        spec = None if mine is None or other is None else nest.map_structure(trial.common, mine, other)
        return Dataset(lambda: chain(self._start(), dataset._start()), size, spec, "Concatenate")

    def reduce(self, initial_state: Any, reduce_func: Callable[[Any, Any], Any], name: str | None = None) -> Any:
        """`state = reduce_func(state, element)` over all elements: the last state."""
        state = nest.map_structure(returned, initial_state)
        for element in self._start():
            state = nest.map_structure(returned, reduce_func(state, element))
        return state

    # ----- how TensorFlow runs it -----

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """The same elements: nothing runs ahead here."""
        return self._like(self._start, self._size, "Prefetch")

    def cache(self, filename: str = "", name: str | None = None) -> Dataset:
        """The same elements, kept from the first complete iteration on."""
        kept: list[Any] = []

        def start() -> Iterator[Any]:
            if kept:
                yield from kept[0]
                return
            elements = []
            for element in self._start():
                elements.append(element)
                yield element
            kept.append(elements)

        return self._like(start, self._size, "Cache")

    # ----- reading it -----

    def __iter__(self) -> Elements:
        return Elements(self._start())

    def as_numpy_iterator(self) -> Iterator[Any]:
        """The elements as arrays and NumPy scalars."""
        return (nest.map_structure(lambda leaf: leaf.numpy(), element) for element in self._start())

    def cardinality(self) -> Tensor:
        """The number of elements as an int64 tensor; -1 for an endless dataset, -2 where it is not known."""
        return constant(self._size, "int64")

    def __len__(self) -> int:
        if self._size < 0:
            infinite = self._size == INFINITE_CARDINALITY
            raise TypeError("The dataset is infinite." if infinite else "The dataset length is unknown.")
        return self._size

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{'' if self._kind == 'Cache' else '_'}{self._kind}Dataset element_spec={self.element_spec!r}>"

    def _like(self, start: Start, size: int, kind: str) -> Dataset:
        """A dataset whose elements look like those of this one."""
        return Dataset(start, size, self._spec, kind)


def _alike(mine: Any, other: Any) -> bool:
    """Whether elements have one structure and the same dtypes."""
    try:
        nest.assert_same_structure(mine, other)
    except (TypeError, ValueError):
        return False
    pairs = zip(nest.flatten(mine), nest.flatten(other), strict=True)
    return all(one.dtype is another.dtype for one, another in pairs)
