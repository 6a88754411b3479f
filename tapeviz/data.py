"""Arrays, or other datasets -> an iterable of elements, remade at every iteration (`tf.data`).

A dataset is a recipe: a function that starts an iterator, and the number of elements it will give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, count, islice, repeat
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.api import missing
from tapeviz.engine.api.arguments import int_of
from tapeviz.engine.constant import constant
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.elements import Elements, applied, array, returned, shuffler, stacked, structured, tensor, unseen
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

    def __init__(self, start: Start, size: int) -> None:
        self._start = start
        self._size = size

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

        def start() -> Iterator[Any]:
            return (nest.pack_sequence_as(structure, [tensor(leaf[row]) for leaf in leaves]) for row in rows)

        return Dataset(start, sizes[0])

    @staticmethod
    def range(*args: Any, output_type: Any = "int64", name: str | None = None) -> Dataset:
        """The integers that Python's `range` gives, as int64 unless told.

        Raises:
            ValueError: no arguments, or more than 3.
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(f"The length of `args` should be between 1 and 3 but was {len(args)}.")
        numbers = range(*map(int_of, args))
        kind = as_dtype(output_type).as_numpy_dtype
        return Dataset(lambda: (tensor(kind(number)) for number in numbers), len(numbers))

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
                raise TypeError(f"Dataset.zip takes datasets, got {type(part).__name__}: {part!r}.")

        def start() -> Iterator[Any]:
            together = zip(*(part._start() for part in parts), strict=False)
            return (nest.pack_sequence_as(structure, each) for each in together)

        sizes = [part._size for part in parts]
        finite = [size for size in sizes if size >= 0]
        unknown = UNKNOWN_CARDINALITY in sizes
        size = UNKNOWN_CARDINALITY if unknown else min(finite) if finite else INFINITE_CARDINALITY
        return Dataset(start, size)

    # ----- one element at a time -----

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """A function of each element, a tuple as several arguments. No tape sees what the function does."""

        def start() -> Iterator[Any]:
            for element in self._start():
                with unseen():
                    result = nest.map_structure(returned, structured(applied(map_func, element)))
                yield result

        return Dataset(start, self._size)

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements for which a function gives True.

        Raises:
            ValueError: while iterating, if it gives anything but a bool.
        """

        def start() -> Iterator[Any]:
            for element in self._start():
                with unseen():
                    verdict = returned(applied(predicate, element))
                if verdict.dtype.name != "bool" or verdict.ndim:
                    raise ValueError(
                        "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type "
                        f"is {TensorSpec.of(verdict)!r}."
                    )
                if verdict:
                    yield element

        return Dataset(start, UNKNOWN_CARDINALITY if self._size else 0)

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """Pairs of an int64 count and the element."""
        counts = Dataset(lambda: (tensor(np.int64(each)) for each in count(int_of(start))), INFINITE_CARDINALITY)
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
        return Dataset(start, size)

    def unbatch(self, name: str | None = None) -> Dataset:
        """The parts of each element along its first axis."""

        def start() -> Iterator[Any]:
            return chain.from_iterable(Dataset.from_tensor_slices(each)._start() for each in self._start())

        return Dataset(start, UNKNOWN_CARDINALITY)

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

        return Dataset(start, self._size)

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

        return Dataset(start, size)

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """The first `count` elements, all of them for -1."""
        number = int_of(count)
        if number < 0:
            return Dataset(self._start, self._size)
        size = number if self._size == INFINITE_CARDINALITY else min(self._size, number)
        return Dataset(lambda: islice(self._start(), number), size)

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """All elements but the first `count`; none for -1."""
        number = int_of(count)
        if number < 0:
            return Dataset(lambda: iter(()), 0)
        return Dataset(lambda: islice(self._start(), number, None), max(self._size - number, min(self._size, 0)))

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """The elements of this dataset, then those of another."""
        sizes = (self._size, dataset._size)
        size = sum(sizes) if min(sizes) >= 0 else min(sizes)
        return Dataset(lambda: chain(self._start(), dataset._start()), size)

    def reduce(self, initial_state: Any, reduce_func: Callable[[Any, Any], Any], name: str | None = None) -> Any:
        """`state = reduce_func(state, element)` over all elements: the last state."""
        state = nest.map_structure(returned, initial_state)
        for element in self._start():
            state = nest.map_structure(returned, reduce_func(state, element))
        return state

    # ----- how TensorFlow runs it -----

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """The same elements: nothing runs ahead here."""
        return Dataset(self._start, self._size)

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

        return Dataset(start, self._size)

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
        return f"<Dataset of {self._size if self._size >= 0 else 'any number of'} elements>"
